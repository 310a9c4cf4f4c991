"""Where in a workspace a path lies, and which paths make a folder a workspace (design.md 2, protocol.md 0)."""

import re
from typing import NamedTuple

from fcoplint.protocol.names import claimed_kind, parse_name, parse_v4_kind
from fcoplint.protocol.stages import STAGES

MANIFEST_NAMES = ("fcop.json", "codeflow.json")
LIFECYCLE = "_lifecycle"
# Folders of the older layouts, and those every layout has, that hold envelopes.
ENVELOPE_FOLDERS = ("tasks", "log", "reports", "issues", "reviews")
HOME_FOLDER = {"REPORT": "reports", "ISSUE": "issues", "REVIEW": "reviews"}

_HISTORY_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TEMPORARY = re.compile(
    r"\.fcop-.*\.(?:tmp|lock)|\.(?:TASK|REPORT|ISSUE|REVIEW)-.*\.(?:tmp|lock)|(?:TASK|REPORT|ISSUE|REVIEW)-.*\.(?:tmp|lock)|.*\.fcop-v3-tmp",
    re.DOTALL,
)


class Place(NamedTuple):
    """Where a path lies: `kind` is the protocol's folder (stage, lifecycle, history, reports, tasks, log, root, …).

    `stage` is set for a path in a stage folder; `depth` counts the folders between the place and the file.
    """

    kind: str
    stage: str | None
    depth: int

    @property
    def holds_envelopes(self) -> bool:
        """Whether a file here that is named like an envelope is one."""
        return self.kind in ("stage", "lifecycle", "history", "_archive") or self.kind in ENVELOPE_FOLDERS

    @property
    def is_historic(self) -> bool:
        """Whether what lies here is over: archive, history, log."""
        return self.stage == "archive" or self.kind in ("history", "log", "_archive")


def place_of(relative: str) -> Place:
    """The place of a path given relative to its workspace (POSIX)."""
    parts = relative.split("/")
    folders = len(parts) - 1
    if folders == 0:
        return Place("root", None, 0)
    if parts[0] == LIFECYCLE:
        if folders > 1 and parts[1] in STAGES:
            return Place("stage", parts[1], folders - 2)
        return Place("lifecycle", None, folders - 1)
    if "_archive" in parts[:-1]:
        return Place("_archive", None, folders - 1)
    if parts[0] == "history" or parts[0] in ENVELOPE_FOLDERS:
        return Place(parts[0], None, folders - 1)
    return Place("other", None, folders)


def is_workspace_folder(folder: str) -> bool:
    """Whether a folder's name allows a workspace there: `fcop` or `docs/agents`, at any depth."""
    return folder.rpartition("/")[2] == "fcop" or folder == "docs/agents" or folder.endswith("/docs/agents")


def is_marker(relative: str) -> bool:
    """Whether a path relative to a folder proves that the folder is a workspace (design.md 2)."""
    if relative in MANIFEST_NAMES:
        return True
    first, slash, rest = relative.partition("/")
    if not slash:
        return False
    if first == LIFECYCLE:
        return True
    return first in ENVELOPE_FOLDERS and _is_envelope_name(rest.rpartition("/")[2])


def is_envelope(place: Place, filename: str) -> bool:
    """Whether a file at this place is to be read as an envelope.

    In the protocol's folders every file that claims to be one counts, however it is spelled; directly in the
    workspace only a full name does (letters, sprints and sheets lie there lawfully). Elsewhere nothing does:
    `shared/`, `internal/` and their kin hold free documents.
    """
    if place.holds_envelopes:
        return claimed_kind(filename) is not None
    return place.kind == "root" and parse_name(filename) is not None


def is_temporary(filename: str) -> bool:
    """Whether a file name is that of a move's temporary or lock (protocol.md V3-T11, V4-C8e)."""
    return _TEMPORARY.fullmatch(filename) is not None


def is_history_day(folder: str) -> bool:
    """Whether a folder name has the form YYYY-MM-DD."""
    return _HISTORY_DAY.fullmatch(folder) is not None


def _is_envelope_name(filename: str) -> bool:
    return parse_name(filename) is not None or parse_v4_kind(filename) is not None
