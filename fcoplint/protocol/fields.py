"""What each envelope type must carry, and the values its fields may take (protocol.md B.3, A.3)."""

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
