"""Where in a workspace a path lies, and which paths make a folder a workspace (design.md 2, protocol.md 0)."""

import re
from typing import NamedTuple

from fcoplint.protocol.names import claimed_kind, is_calendar_date, parse_name, parse_v4_kind
from fcoplint.protocol.stages import STAGES, TERMINAL

# What people put into a folder so that git keeps it.
KEEPER = ".gitkeep"
MANIFEST_NAMES = ("fcop.json", "codeflow.json")
LIFECYCLE = "_lifecycle"
# Folders of the older layouts, and those every layout has, that hold envelopes.
ENVELOPE_FOLDERS = ("tasks", "log", "reports", "issues", "reviews")
# Folders of v4 beside these: what its tools record, and exported copies of archived TASKs, which are no envelopes of their own.
OPERATIONS, COLD = "operations", "cold"
HOME_FOLDER = {"REPORT": "reports", "ISSUE": "issues", "REVIEW": "reviews"}
# What v3 knows beside the stages, what runtimes keep there lawfully, and the older layouts' (FC204 speaks of those).
KNOWN_FOLDERS = frozenset(
    {LIFECYCLE, *ENVELOPE_FOLDERS, "history", "shared", "alerts", "internal", "ledger", "_ledger", "logs"}
    | {"inbox", "outbox", "adopted", "templates", "_archive", "legacy-non-protocol"}
)
# v4 keeps envelopes and facts in folders of its own; the older layouts' and `history/` are none of them (protocol.md C.1).
V4_FOLDERS = frozenset(
    {LIFECYCLE, "reports", "issues", "reviews", OPERATIONS, COLD, "shared", "alerts", "internal", "ledger", "_ledger", "logs"}
    | {"adopted", "templates", "_archive", "legacy-non-protocol"}
)
V4_BUCKETS = ("reports", "issues", "reviews", OPERATIONS, COLD)
# Folders that the reference's own audit passes by, wherever they lie.
_SET_ASIDE = frozenset({"_archive", "legacy-non-protocol"})
# Where the products of the work lie, beside the workspace: `workspace/<slug>/` (protocol.md V3-K01).
PRODUCT_FOLDER = "workspace"
RESERVED_SLUGS = frozenset({"archive", "tmp", "trash"})

_HISTORY_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_PRODUCT_SLUG = re.compile(r"[a-z][a-z0-9-]{0,39}", re.ASCII)
# LETTER-TO-ADMIN.md, SPRINT-3.md, README.en.md: documents whose name begins with a word in capitals.
_DOCUMENT = re.compile(r"[A-Z][A-Z0-9]+(?:[-_.].*)?", re.ASCII | re.DOTALL)
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
    def is_archived(self) -> bool:
        """Whether a TASK that lies here was archived: the archive, and history behind it."""
        return self.stage == TERMINAL or self.kind == "history"

    @property
    def is_historic(self) -> bool:
        """Whether what lies here is over, in any layout: archive, history, log."""
        return self.is_archived or self.kind in ("log", "_archive")


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
    if not _SET_ASIDE.isdisjoint(parts[:-1]):
        return Place("_archive", None, folders - 1)
    if parts[0] in ("history", OPERATIONS, COLD) or parts[0] in ENVELOPE_FOLDERS:
        return Place(parts[0], None, folders - 1)
    return Place("other", None, folders)


def is_workspace_folder(folder: str) -> bool:
    """Whether a folder's name allows a workspace there: `fcop` or `docs/agents`, at any depth."""
    return folder.rpartition("/")[2] == "fcop" or folder == "docs/agents" or folder.endswith("/docs/agents")


def project_of(root: str) -> str:
    """The folder of the project whose workspace lies at `root`."""
    if root == "docs/agents" or root.endswith("/docs/agents"):
        return root.removesuffix("docs/agents").rstrip("/")
    return root.rpartition("/")[0]


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
    """Whether a folder of `history/` is named for a day of the calendar, as YYYY-MM-DD."""
    return _HISTORY_DAY.fullmatch(folder) is not None and is_calendar_date(folder.replace("-", ""))


def is_product_slug(folder: str) -> bool:
    """Whether a folder of `workspace/` may bear this name (protocol.md V3-K01)."""
    return _PRODUCT_SLUG.fullmatch(folder) is not None and folder not in RESERVED_SLUGS


def is_document(filename: str) -> bool:
    """Whether a file in the workspace's own folder is one of the papers that teams keep there: its first word is in capitals."""
    stem, dot, extension = filename.rpartition(".")
    return _DOCUMENT.fullmatch(stem if dot else filename) is not None and extension.lower() in ("md", "txt", filename.lower())


def _is_envelope_name(filename: str) -> bool:
    return parse_name(filename) is not None or parse_v4_kind(filename) is not None
