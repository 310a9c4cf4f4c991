"""What each envelope type must carry, and the values its fields may take (protocol.md B.3, A.3)."""

import re

PROTOCOL = "fcop"
PROTOCOL_ALIASES = frozenset({"agent_bridge", "agent-bridge", "file-coordination", "file_coordination"})

REQUIRED = {
    "TASK": ("protocol", "version", "sender", "recipient"),
    "REPORT": ("protocol", "version", "sender", "recipient"),
    "ISSUE": ("protocol", "version", "reporter", "summary", "severity"),
    "REVIEW": ("protocol", "version", "sender", "subject_type", "subject_ref", "reviewer_role", "decision", "decided_at"),
}
# The spec demands a REVIEW's sender, the reference does not, and no real REVIEW has one (field.md 2).
EXPECTED_ONLY = {"REVIEW": frozenset({"sender"})}

ID_FIELD = {"TASK": "task_id", "REPORT": "report_id", "ISSUE": "issue_id", "REVIEW": "review_id"}
ROLE_FIELDS = {
    "TASK": ("sender", "recipient"),
    "REPORT": ("sender", "recipient"),
    "ISSUE": ("reporter",),
    "REVIEW": ("reviewer_role", "sender"),
}

# Keys that a rule reads: a look-alike of one of them hides a field from every reader.
_COMMON = frozenset(
    {"priority", "type", "kind", "references", "status", "parent", "supersedes", "transitions", "risk_level", "subject_ref"}
)
KNOWN = {kind: _COMMON | set(REQUIRED[kind]) | {ID_FIELD[kind]} for kind in REQUIRED}

PRIORITIES = ("P0", "P1", "P2", "P3")
PRIORITY_ALIASES = {"urgent": "P0", "critical": "P0", "high": "P1", "normal": "P2", "medium": "P2", "low": "P3"}


def canonical_priority(text: str) -> str | None:
    """P0-P3 for a priority or one of its aliases in any case; None for other words (protocol.md V3-F06)."""
    word = text.strip()
    return word.upper() if word.upper() in PRIORITIES else PRIORITY_ALIASES.get(word.lower())


REPORT_STATUSES = ("done", "blocked", "in_progress", "aborted")
RISK_LEVELS = ("low", "medium", "high", "irreversible")
TIME_FIELDS = ("date", "created_at", "decided_at", "closed_at", "timeout_at")
CUSTODY_FIELDS = ("custodian", "ownership")

# What a TASK's `status:` says of its stage; words that are not here say nothing of it (design.md 4).
_UNDER_WAY, _OVER = ("active", "review"), ("done", "archive")
STATUS_STAGES = {
    "pending": ("inbox",),
    **dict.fromkeys(("accepted", "in_progress", "blocked"), _UNDER_WAY),
    **dict.fromkeys(("done", "completed", "closed", "aborted", "cancelled"), _OVER),
}

_WHOLE_NUMBER = re.compile(r"\+?(\d{1,9})(?:\.0*)?", re.ASCII)
# Plain scalars that YAML reads as numbers.
_NUMBER = re.compile(r"[-+]?(?:0x[0-9a-fA-F_]+|[\d_]*\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?|\.\d[\d_]*)", re.ASCII)


def is_protocol(text: str) -> bool:
    """Whether a `protocol:` value names FCoP by its own name, in any case (the brand is written FCoP)."""
    return text.strip().lower() == PROTOCOL


def is_protocol_alias(text: str) -> bool:
    """Whether a `protocol:` value is a name that FCoP had before."""
    return text.strip().lower() in PROTOCOL_ALIASES


def envelope_version(text: str) -> int | None:
    """The whole number a `version:` value names, as the reference reads it: `1`, `1.0`, in quotes or not; None for other text."""
    match = _WHOLE_NUMBER.fullmatch(text.strip())
    return int(match[1]) if match else None


def stages_of_status(text: str) -> tuple[str, ...] | None:
    """The stages that a TASK's `status:` speaks of; None for a word that says nothing of them."""
    return STATUS_STAGES.get(text.strip().lower().replace("-", "_").replace(" ", "_"))


def is_number(text: str) -> bool:
    """Whether YAML reads a plain scalar of this text as a number."""
    return _NUMBER.fullmatch(text) is not None
