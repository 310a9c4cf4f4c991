"""Which version of the protocol a workspace follows (protocol.md 0)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fcoplint.protocol import v4
from fcoplint.protocol.places import LIFECYCLE, OPERATIONS

_CREATIONS = f"{OPERATIONS}/create-"
_LEGACY = re.compile(r"[123](?:\.\d+){0,2}", re.ASCII)


class Declared(NamedTuple):
    """What a manifest says of itself: each value as text (a number 1, 2 or 3 as its digit), None where absent."""

    protocol: str | None
    protocol_version: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class Protocol:
    """The version that binds a workspace: 1 (`docs/agents`), 2 (`tasks/`, `log/`), 3 (`_lifecycle/`), 4, or 0.

    0 is a protocol that nobody here knows: `unsupported` then names the declaration. `mixed`: folders of v2 stand beside
    those of v3.
    """

    version: int
    mixed: bool
    unsupported: str | None


def detect(folder: str, declared: Declared | None, relative_paths: Iterable[str]) -> Protocol:
    """The protocol of the workspace at `folder`, by its manifest and the paths below it (relative, POSIX).

    The manifest decides between v4, legacy and unknown; among the legacy ones the folders do, because every
    manifest of v1 to v3 says `version: 1` (protocol.md 0.5).
    """
    unsupported = _unsupported(declared) if declared else None
    if unsupported is not None:
        return Protocol(0, False, unsupported)
    if declared and declared.protocol_version == v4.VERSION:
        return Protocol(4, False, None)
    paths = list(relative_paths)
    # Where the manifest says nothing because it is gone or broken, the record of a creation tells v4.
    if declared is None and any(path.startswith(_CREATIONS) for path in paths):
        return Protocol(4, False, None)
    # Folders kept by a .gitkeep alone are not in use: the reference ignores an empty tasks/ or log/, too.
    has_v2 = any(path.startswith(("tasks/", "log/")) and not path.endswith("/.gitkeep") for path in paths)
    if any(path.startswith(f"{LIFECYCLE}/") for path in paths):
        return Protocol(3, has_v2, None)
    if folder.rpartition("/")[2] == "agents":
        return Protocol(1, False, None)
    return Protocol(2 if has_v2 else 3, False, None)


def _unsupported(declared: Declared) -> str | None:
    if declared.protocol is not None and declared.protocol != "fcop":
        return f'protocol "{declared.protocol}"'
    if declared.protocol_version is not None:
        known = declared.protocol_version == v4.VERSION or _LEGACY.fullmatch(declared.protocol_version)
        return None if known else f'protocol_version "{declared.protocol_version}"'
    if declared.version is not None and not _LEGACY.fullmatch(declared.version):
        return f'version "{declared.version}"'
    return None
