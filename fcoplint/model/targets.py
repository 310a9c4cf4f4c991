"""The paths that envelopes give as references or evidence, and where they lead (roots.md 5a, FC704, FC710, FC711, FC716)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from fcoplint.model.envelope import Envelope
from fcoplint.model.links import follow
from fcoplint.model.nodes import Mapping, Scalar, Sequence
from fcoplint.model.relations import references
from fcoplint.protocol.paths import Form, WrittenPath, normalise, parse, resolve_below
from fcoplint.protocol.places import HOME_FOLDER

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspaces

# Fields that say what a piece of work refers to or rests on.
PATH_KEYS = (
    "references", "ref_task", "related", "related_task", "task_ref", "task_id", "source_task_id", "parent", "in_reply_to", "supersedes",
    "subject_ref", "evidence", "evidence_ref", "artifacts", "outputs", "deliverables", "files", "files_changed",
)  # fmt: skip
# What says, by its presence, that an envelope speaks of another project.
AUDIT_KEYS = ("audit_target", "audit_scope")
# `docs/login.md#errors`, `src/app.py:12`, `src/app.py:12-40`, `src/app.py#L12`: the part behind is no part of the path.
_PLACE_IN_FILE = re.compile(r"(?:#.*|:\d+(?:[-:]\d+)?)\Z", re.DOTALL)
_EXTENSION = re.compile(r"[^.\s]\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
# Without a separator, a drive or a variable a text is no path: an id, a word, a number.
_NAME = re.compile(r"[\w.-]+", re.ASCII)
_NO_PATH = re.compile(r"[\s<>|*?\"]|://")


class Cited(NamedTuple):
    """A path in an envelope's front matter: the field, its value, the path."""

    key: str
    value: Scalar
    path: WrittenPath


class Lead(NamedTuple):
    """Where a relative path leads from any of the folders it may be meant from.

    `path` is what it leads to in the snapshot. `inside` tells whether it stays in the project at least from one of them,
    `leaves_by` names a link on the way that leaves the root.
    """

    path: str | None
    inside: bool
    leaves_by: str | None = None


def cited_paths(envelope: Envelope) -> Iterator[Cited]:
    """The paths in the fields of an envelope that refer to something, in the order of the fields."""
    keys = [key for key in PATH_KEYS if key not in envelope.workspace.policy.roots.cross_root_keys]
    for key, value in (*((item.key, item.value) for item in references(envelope, *keys)), *_attachments(envelope)):
        path = as_path(envelope, value.text)
        if path is not None:
            yield Cited(key, value, path)


def speaks_of_others(envelope: Envelope) -> bool:
    """Whether an envelope declares that it is about another project: `audit_target`, `cross_root: true`, a configured key."""
    keys = (*AUDIT_KEYS, *envelope.workspace.policy.roots.cross_root_keys)
    return any(envelope.get(key) is not None for key in keys) or (envelope.text("cross_root") or "").lower() in ("true", "yes", "on")


def as_path(envelope: Envelope, text: str) -> WrittenPath | None:
    """A text as a path where it is meant for one; None for ids, web addresses, tickets, free text."""
    if _NAME.fullmatch(text):
        return None
    plain = _PLACE_IN_FILE.sub("", text.strip().strip("`"))
    path = parse(plain)
    if not path.is_relative:
        # A slash and one word may be a route or a command; a drive, a share or a home folder is a path in any case.
        return path if path.is_absolute and (path.form is not Form.POSIX or len(path.parts) > 1) and "\n" not in plain else None
    if not path.parts or ("/" not in plain and "\\" not in plain) or _NO_PATH.search(plain):
        return None
    if path.parts[0] == ".." or plain.startswith("./") or _EXTENSION.search(plain):
        return path
    return path if any(envelope.workspace.state.holds(f"{base}/{path.parts[0]}".lstrip("/")) for base in bases(envelope)) else None


def bases(envelope: Envelope) -> list[str]:
    """The folders from which a relative path in an envelope may be meant: its own, its kind's, the workspace, the project, the top."""
    workspace = envelope.workspace
    own = envelope.path.rpartition("/")[0]
    home = workspace.path(HOME_FOLDER.get(envelope.kind, "_lifecycle/inbox"))
    return list(dict.fromkeys((own, home, workspace.root, workspace.project, "")))


def lead(envelope: Envelope, path: WrittenPath) -> Lead:
    """Where a relative path of an envelope leads. What lies in the envelope's own project is preferred."""
    state, project = envelope.workspace.state, envelope.workspace.project
    inside, leaves_by, elsewhere = False, None, None
    for base in bases(envelope):
        candidate = resolve_below(base, path.parts)
        if candidate is None:
            inside = inside or _may_stay(state, base, path)
            continue
        way = follow(state, candidate)
        leaves_by = leaves_by or way.leaves_by
        at_home = belongs(candidate, project)
        inside = inside or at_home
        if way.path is not None and state.holds(way.path):
            if at_home and _owner(state, way.path) in (None, envelope.workspace.root):
                return Lead(way.path, inside=True)
            elsewhere = elsewhere or way.path
    return Lead(elsewhere, inside, leaves_by)


def belongs(path: str, folder: str) -> bool:
    """Whether a path is a folder of the snapshot or lies below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def _may_stay(state: Workspaces, base: str, path: WrittenPath) -> bool:
    """Whether a path that climbs above the snapshot's root may still end in the repository that lies around it."""
    climbs = sum(part == ".." for part in normalise((*base.split("/"), *path.parts)))
    return climbs <= state.surroundings.ground.above + state.names_above


def _owner(state: Workspaces, path: str) -> str | None:
    """The folder of the workspace that a path lies in, None where it lies in none."""
    return next((workspace.root for workspace in state if belongs(path, workspace.root)), None)


def _attachments(envelope: Envelope) -> Iterator[tuple[str, Scalar]]:
    listed = envelope.get("attachments")
    for item in listed.items if isinstance(listed, Sequence) else ():
        value = item.get("local_path") if isinstance(item, Mapping) else item
        if isinstance(value, Scalar) and not value.is_empty:
            yield "attachments.local_path" if isinstance(item, Mapping) else "attachments", value
