"""The stamp of a switch: what was true before it, and whether that still holds (roots.md 5c). Void when its facts change."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fcoplint.roots.project import Facts

SCHEMA = "fcoplint.stamp/1"


class StampError(Exception):
    """A file that is no stamp: one line of advice."""


@dataclass(frozen=True, slots=True)
class Side:
    """One project as the stamp has it."""

    logical: str
    real: str
    digest: str
    workspace_id: str | None
    head: str | None
    tree: str | None
    shared: str | None
    manifest_sha256: str | None
    groups: Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Both sides at a moment; `at_ns` is the same moment for the times of files."""

    at: datetime.datetime
    at_ns: int
    source: Side
    target: Side

    @property
    def key(self) -> str:
        """One word for both roots with their commits and manifests; another target has another key."""
        sides = (self.source, self.target)
        facts = [str(value) for side in sides for value in (side.real, side.digest, side.head, side.tree, side.manifest_sha256)]
        return hashlib.sha256("\0".join((SCHEMA, str(self.at_ns), *facts)).encode("utf-8", "surrogateescape")).hexdigest()[:24]


def make_stamp(source: Facts, target: Facts, at_ns: int) -> Stamp:
    """The stamp of two projects as they were read."""
    at = datetime.datetime.fromtimestamp(at_ns / 1e9, datetime.UTC)
    return Stamp(at, at_ns, _side(source), _side(target))


def write_stamp(stamp: Stamp) -> bytes:
    """The stamp as JSON."""
    sides = {name: _as_data(side) for name, side in (("from", stamp.source), ("to", stamp.target))}
    data = {"schema": SCHEMA, "key": stamp.key, "at": stamp.at.isoformat(), "at_ns": stamp.at_ns, **sides}
    return (json.dumps(data, indent=2) + "\n").encode("ascii")


def read_stamp(data: bytes) -> Stamp:
    """The stamp of a file. Raises StampError where it is none, or was altered."""
    try:
        values = json.loads(data)
        at_ns = values["at_ns"]
        if values["schema"] != SCHEMA or not isinstance(at_ns, int):
            raise StampError(f"this is no {SCHEMA}")
        at = datetime.datetime.fromtimestamp(at_ns / 1e9, datetime.UTC)
        stamp = Stamp(at, at_ns, _from_data(values["from"]), _from_data(values["to"]))
    except (ValueError, KeyError, TypeError, OverflowError, OSError, RecursionError, AttributeError) as error:
        raise StampError("this is no stamp that fcoplint wrote") from error
    if stamp.key != values.get("key"):
        raise StampError("this stamp was altered after it was written")
    return stamp


def find_void(stamp: Stamp, source: Facts, target: Facts, is_descendant: Callable[[str, str], bool], *, after: bool) -> list[str]:
    """Why a stamp no longer holds; nothing where it does.

    After the switch work in the target has begun, were it only the canary's: there HEAD may have grown from the stamped one.
    Where both projects lie in one repository, the source's own folder in HEAD counts in place of HEAD.
    """
    reasons = _side_reasons("from", stamp.source, source) + _side_reasons("to", stamp.target, target)
    together = stamp.source.shared is not None and stamp.source.shared == stamp.target.shared
    if source.git.tree != stamp.source.tree or (source.git.head != stamp.source.head and not (together and after)):
        reasons.append("a commit changed HEAD of the old project since")
    moved = target.git.head != stamp.target.head
    grown = after and stamp.target.head and target.git.head and is_descendant(stamp.target.head, target.git.head)
    if moved and not grown and not (after and stamp.target.head is None):
        reasons.append("HEAD of the new project is another one" if after else "a commit changed HEAD of the new project since")
    return reasons


def _side_reasons(name: str, stamped: Side, now: Facts) -> list[str]:
    reasons = []
    if (stamped.real, stamped.digest) != (now.root.identity.real, now.root.digest):
        reasons.append(f"it was made for another --{name}: {stamped.real}")
    elif stamped.manifest_sha256 != now.manifest_sha256:
        reasons.append(f"the manifest of --{name} changed since")
    return reasons


def _side(facts: Facts) -> Side:
    root, state = facts.root, facts.git
    return Side(
        root.logical, root.identity.real, root.digest, root.workspace_id, state.head, state.tree, state.shared,
        facts.manifest_sha256, dict(facts.listing.groups),
    )  # fmt: skip


def _as_data(side: Side) -> dict[str, Any]:
    return {
        "logical": side.logical,
        "real": side.real,
        "digest": side.digest,
        "workspace_id": side.workspace_id,
        "head": side.head,
        "tree": side.tree,
        "git_common_dir": side.shared,
        "manifest_sha256": side.manifest_sha256,
        "files": {group: {"count": count, "digest": digest} for group, (count, digest) in side.groups.items()},
    }


def _from_data(values: Mapping[str, Any]) -> Side:
    groups = {str(group): (int(item["count"]), str(item["digest"])) for group, item in values["files"].items()}

    def text(key: str) -> str | None:
        return value if isinstance(value := values[key], str) else None

    return Side(
        str(values["logical"]), str(values["real"]), str(values["digest"]), text("workspace_id"), text("head"), text("tree"),
        text("git_common_dir"), text("manifest_sha256"), groups,
    )  # fmt: skip
