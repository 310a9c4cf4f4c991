"""What REVIEW, ISSUE, ALERT and INSPECTION may say (protocol.md B.3, B.5, B.6).

The bundled JSON schemas are no guide here: every ISSUE the reference writes fails its own (protocol.md D 3).
"""

import re
from typing import NamedTuple

DONE = "done"
# A REPORT without a status is done; these end the reporter's part of the work (protocol.md V3-F07, V3-P05).
CLOSING_STATUSES = frozenset({DONE, "blocked", "aborted"})

SUBJECT_TYPES = ("task", "report", "role_switch", "code_change")
# The types whose subject_ref is an envelope's id.
ENVELOPE_SUBJECTS = frozenset({"task", "report"})
APPROVED, REJECTED, NEEDS_CHANGES, ABSTAINED, NEEDS_HUMAN = "approved", "rejected", "needs_changes", "abstained", "needs_human"
DECISIONS = (APPROVED, REJECTED, NEEDS_CHANGES, ABSTAINED, NEEDS_HUMAN)
# Decisions that leave the judging to others.
NO_JUDGEMENT = frozenset({ABSTAINED, NEEDS_HUMAN})
# Words that the rules' teaching text or plain English suggest (protocol.md D 4).
MEANT_DECISIONS = {
    "approve": APPROVED, "accepted": APPROVED, "reject": REJECTED, "denied": REJECTED, "changes_requested": NEEDS_CHANGES,
    "needs-changes": NEEDS_CHANGES, "abstain": ABSTAINED, "needs-human": NEEDS_HUMAN,
}  # fmt: skip

APPROVAL_KEYS = ("approver", "decision", "approved_at", "channel")
APPROVE, REJECT = "approve", "reject"
APPROVAL_DECISIONS = (APPROVE, REJECT)
CHANNELS = ("mobile", "cli", "web", "manual_file_edit")

RISKS_FOR_HUMANS = ("high", "irreversible")

SEVERITIES = ("low", "medium", "high", "critical")
_SEVERITY_ALIASES = frozenset({"med", "crit"})
ISSUE_STATUSES = ("open", "closed")
CLOSING_KEYS = ("closed_at", "closed_by", "resolution")

ALERT_KEYS = ("alert_id", "severity", "type", "status", "created_at")
ALERT_VALUES = {
    "severity": ("high", "medium", "low"),
    "type": (
        "missing_independent_verdict", "commit_flood_without_governance", "critical_tool_unreviewed",
        "long_running_without_reconciliation", "solo_blindspot",
    ),
    "status": ("open", "acknowledged", "resolved"),
}  # fmt: skip
# The reference writes more; `fcop_rules_version_local` may be null.
INSPECTION_KEYS = (
    "protocol", "version", "kind", "inspection_id", "scope", "project", "inspector", "inspected_at", "fcop_version",
    "fcop_rules_version_package", "overall_status", "p0_violations", "p1_violations", "p2_violations", "p3_violations",
    "violation_file_count", "estimated_total_minutes",
)  # fmt: skip
INSPECTION_COUNTS = ("p0_violations", "p1_violations", "p2_violations", "p3_violations", "violation_file_count", "estimated_total_minutes")
SCOPES = ("new", "upgrade", "takeover")
INSPECTION_VALUES = {"kind": ("inspection",), "scope": SCOPES, "overall_status": ("green", "needs_remediation", "blocked")}
SHEET_FORMS = {"ALERT": "ALERT-YYYYMMDD-NNN[-signal].md", "INSPECTION": "INSPECTION-YYYYMMDD-NNN-{new|upgrade|takeover}.md"}

_SHEETS = {
    "ALERT": re.compile(r"(?P<id>ALERT-\d{8}-\d{3})(?:-(?P<tail>[a-z0-9]+(?:[_-][a-z0-9]+)*))?\.md", re.ASCII),
    "INSPECTION": re.compile(rf"(?P<id>INSPECTION-\d{{8}}-\d{{3}})-(?P<tail>{'|'.join(SCOPES)})\.md", re.ASCII),
}
_SHEET_PREFIX = re.compile(r"(?P<kind>ALERT|INSPECTION)[-_ ].*\.md", re.IGNORECASE | re.DOTALL)


class SheetName(NamedTuple):
    """A parsed name: the short id, and what follows it (an ALERT's signal, an INSPECTION's scope)."""

    short_id: str
    tail: str | None


def parse_sheet_name(kind: str, filename: str) -> SheetName | None:
    """The parts of an ALERT's or INSPECTION's file name, None where it breaks the grammar."""
    match = _SHEETS[kind].fullmatch(filename)
    return SheetName(match["id"], match["tail"]) if match else None


def sheet_kind(relative: str) -> str | None:
    """ALERT for what lies in `alerts/` and claims to be one, INSPECTION in `shared/` and `reports/`; else None.

    The path is relative to the workspace. The specification puts inspections into `shared/`; some lie in `reports/`.
    """
    folders, filename = relative.split("/")[:-1], relative.rpartition("/")[2]
    match = _SHEET_PREFIX.fullmatch(filename)
    if match is None or not folders or "_archive" in folders:
        return None
    kind = match["kind"].upper()
    return kind if folders[0] in (("alerts",) if kind == "ALERT" else ("shared", "reports")) else None


def is_severity(text: str) -> bool:
    """Whether a text is an ISSUE's severity or one of its aliases, in any case, as the reference reads it."""
    return text.strip().lower() in _SEVERITY_ALIASES.union(SEVERITIES)
