"""Identity: field values, numbers, sessions, manifests; each row a file as real life writes it, and what is said of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.protocol import fields, names, roles
from fcoplint.protocol.times import parse_time
from fcoplint.report import Reported
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import INBOX, T1, TEAM, task_text

REPORT = "fcop/reports/REPORT-20261001-001-DEV-to-PM.md"
ISSUE = "fcop/issues/ISSUE-20261001-001-QA.md"


def found(files: dict[str, str], *codes: str, manifest: dict[str, Any] | None = None, root: str = "fcop") -> list[Reported]:
    """The findings of these codes in a workspace of these files."""
    tree = {f"{root}/fcop.json": json.dumps(manifest or TEAM).encode(), **{path: text.encode() for path, text in files.items()}}
    return list(engine.audit(MemorySnapshot(tree), Settings(select=codes)).findings)


def said(files: dict[str, str], *codes: str, **options: Any) -> list[tuple[str, str]]:
    """(code, severity) of these codes' findings."""
    return [(item.rule.code, item.severity) for item in found(files, *codes, **options)]


def report_text(lines: str = "", sender: str = "DEV", recipient: str = "PM") -> str:
    return f"---\nprotocol: fcop\nversion: 1\nsender: {sender}\nrecipient: {recipient}\n{lines}---\n\n# The form works\n"


def issue_text(lines: str = "") -> str:
    return f"---\nprotocol: fcop\nversion: 1\nreporter: QA\nseverity: low\nsummary: No test user\n{lines}---\n\n# No test user\n"


def head(**changed: str) -> str:
    """A TASK with one line of its head written otherwise."""
    text = task_text()
    for key, value in changed.items():
        text = text.replace(f"{key}: {'fcop' if key == 'protocol' else '1'}\n", f"{key}: {value}\n", 1)
    return text


VALUES = [
    ("FC115", "protocol", "fcop", None),
    ("FC115", "protocol", "FCoP", None),
    ("FC115", "protocol", '" fcop "', None),
    ("FC115", "protocol", "agent_bridge", None),
    ("FC115", "protocol", "fcop-v3", "error"),
    ("FC115", "protocol", "[fcop]", "error"),
    ("FC115", "protocol", "3", "error"),
    ("FC115", "protocol", "", None),
    ("FC116", "protocol", "agent_bridge", "warning"),
    ("FC116", "protocol", "Agent-Bridge", "warning"),
    ("FC116", "protocol", "file_coordination", "warning"),
    ("FC116", "protocol", "FCOP", None),
    ("FC116", "protocol", "something", None),
    ("FC117", "version", "1", None),
    ("FC117", "version", "1.0", None),
    ("FC117", "version", '"1"', None),
    ("FC117", "version", "'1.0'", None),
    ("FC117", "version", "3", "info"),
    ("FC117", "version", '"3"', "info"),
    ("FC117", "version", "1.1", "error"),
    ("FC117", "version", '"1.4.0"', "error"),
    ("FC117", "version", "2", "error"),
    ("FC117", "version", "4", "error"),
    ("FC117", "version", "true", "error"),
    ("FC117", "version", "v1", "error"),
    ("FC117", "version", "[1]", "error"),
    ("FC117", "version", "", None),
]


@pytest.mark.parametrize(("code", "key", "value", "severity"), VALUES)
def test_protocol_and_version(code: str, key: str, value: str, severity: str | None) -> None:
    assert said({T1: head(**{key: value})}, code) == ([(code, severity)] if severity else [])


def test_an_empty_required_field_is_said_once() -> None:
    assert said({T1: head(protocol="", version="")}, "FC1") == [("FC114", "error"), ("FC114", "error")]


STATUSES = [
    ("", None), ("status:\n", None), ("status: done\n", None), ('status: "done"\n', None), ("status: blocked\n", None),
    ("status: in_progress\n", None), ("status: aborted\n", None), ("status: accepted\n", "warning"), ("status: completed\n", "error"),
    ("status: closed\n", "error"), ("status: Done\n", "error"), ("status: in-progress\n", "error"), ("status: [done]\n", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "severity"), STATUSES)
def test_the_status_of_a_report(line: str, severity: str | None) -> None:
    assert said({REPORT: report_text(line)}, "FC124") == ([("FC124", severity)] if severity else [])


def test_the_status_of_other_types_is_not_a_reports() -> None:
    assert said({T1: task_text(status="SUPERSEDED"), ISSUE: issue_text("status: resolved\n")}, "FC124") == []


RISKS = [("low", 0), ("High", 0), (" irreversible ", 0), ("medium", 0), ("", 0), ("critical", 1), ("2", 1), ("{level: high}", 1)]


@pytest.mark.parametrize(("value", "count"), RISKS)
def test_risk_levels(value: str, count: int) -> None:
    assert len(found({T1: task_text(risk_level=value), REPORT: report_text(f"risk_level: {value}\n")}, "FC125")) == 2 * count


TIMES = [
    ("'2026-04-27T13:04:04'", True), ('"2026-04-27T13:04:04+08:00"', True), ("2026-04-27T13:04:04", True),
    ("2026-04-27 13:04:04", True), ("2026-04-27 13:04:04 +08:00", True), ("2026-04-27", True), ('"2026-04-27"', True),
    ("2026-04-27T13:04:04.123456Z", True), ("20260427", True), ("20260427T130404Z", True), ("", True), ("null", True),
    ("yesterday", False), ("10/01/2026", False), ("1.10.2026", False), ("2026-13-01", False), ("2026-02-30", False),
    ("2026-4-27", False), ("20261399", False), ("2026-04-27T25:00:00", False), ("[2026-04-27]", False), ("1777273444", False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "readable"), TIMES)
@pytest.mark.parametrize("key", fields.TIME_FIELDS)
def test_times_that_can_be_read(key: str, value: str, readable: bool) -> None:
    expected = [] if readable else [("FC126", "warning")]
    assert said({T1: task_text(**{key: value})}, "FC126") == expected


def test_the_basic_form_is_the_same_moment() -> None:
    assert parse_time("20260427T130404+0800") == parse_time("2026-04-27T13:04:04+08:00")
    assert parse_time("20260427") == parse_time("2026-04-27")


REFERENCES = [
    ("", []),
    ("references: []\n", []),
    ("references:\n", []),
    ("references: ''\n", []),
    ("references: [TASK-20261001-001]\n", []),
    ("references:\n- TASK-20261001-001-PM-to-DEV\n- ../docs/plan.md\n- '2026'\n- adr/ADR-0024\n", []),
    ("references: TASK-20261001-001\n", ["warning"]),
    ("references: 20261001\n", ["error"]),
    ("references: {task: TASK-20261001-001}\n", ["error"]),
    ("references: {}\n", ["error"]),
    ("references:\n- TASK-20261001-001\n-\n- ''\n", ["error", "error"]),
    ("references:\n- note: see below\n", ["error"]),
    ("references:\n- [TASK-20261001-001]\n", ["error"]),
    ("references: [42, 3.5, yes, null, ~]\n", ["error"] * 5),
]


@pytest.mark.parametrize(("lines", "expected"), REFERENCES)
def test_references_are_a_list_of_names(lines: str, expected: list[str]) -> None:
    assert [severity for _, severity in said({REPORT: report_text(lines)}, "FC127")] == expected


def test_two_broken_references_of_one_file_are_two_faults() -> None:
    items = found({REPORT: report_text("references:\n- a: 1\n- b: 2\n")}, "FC127")
    assert len({item.finding.fingerprint for item in items}) == 2
    assert [item.finding.location.span and item.finding.location.span.line for item in items] == [7, 8]


@pytest.mark.parametrize(("line", "count"), [("custodian: QA", 1), ("ownership: {role: QA}", 1), ("owner: QA", 0), ("custody: QA", 0)])
def test_custody_is_not_stored(line: str, count: int) -> None:
    key, _, value = line.partition(": ")
    items = found({T1: task_text(**{key: value}), REPORT: report_text(f"{line}\n")}, "FC128")
    assert len(items) == 2 * count


def test_custody_is_a_matter_of_v3() -> None:
    assert said({"fcop/tasks/TASK-20261001-001-PM-to-DEV.md": task_text(custodian="DEV")}, "FC128") == []


ROOMS = {stage: f"fcop/_lifecycle/{stage}/TASK-20261001-001-PM-to-DEV.md" for stage in ("inbox", "active", "review", "done", "archive")}
ROOMS["history"] = "fcop/history/2026-10-01/TASK-20261001-001-PM-to-DEV/TASK-20261001-001-PM-to-DEV.md"
ALLOWED = {
    "pending": {"inbox"},
    "'PENDING'": {"inbox"},
    "accepted": {"active", "review"},
    "in_progress": {"active", "review"},
    "In Progress": {"active", "review"},
    "blocked": {"active", "review"},
    **{key: {"done", "archive", "history"} for key in ("done", "completed", "closed", "aborted", "cancelled")},
    **{key: set(ROOMS) for key in ("SUPERSEDED", "dispatched", "waiting for QA", "", "[done]")},
}


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("status", ALLOWED)
def test_a_status_beside_the_directory(room: str, status: str) -> None:
    expected = [] if room in ALLOWED[status] else [("FC129", "warning")]
    assert said({ROOMS[room]: task_text(status=status)}, "FC129") == expected


def test_the_status_of_an_old_layout_is_its_only_state() -> None:
    assert said({"fcop/tasks/TASK-20261001-001-PM-to-DEV.md": task_text(status="done")}, "FC129") == []


SEQUENCES = [("001", 0), ("999", 0), ("000", 1)]


@pytest.mark.parametrize(("sequence", "count"), SEQUENCES)
def test_numbers_begin_at_one(sequence: str, count: int) -> None:
    files = {
        f"{INBOX}/TASK-20261001-{sequence}-PM-to-DEV.md": task_text(),
        f"fcop/reviews/REVIEW-20261001-{sequence}-PM-on-x.md": "---\nprotocol: fcop\n---\n",
    }
    assert len(found(files, "FC103")) == 2 * count


def tasks(*paths: str) -> dict[str, str]:
    return {f"fcop/{path}.md": task_text() for path in paths}


REUSED = [
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/inbox/TASK-20261001-002-PM-to-DEV"), 0),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/inbox/TASK-20261002-001-PM-to-DEV"), 0),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "reports/REPORT-20261001-001-DEV-to-PM"), 0),
    # Copies of one name are FC203's, names that differ in case alone FC106's.
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/active/TASK-20261001-001-PM-to-DEV"), 0),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV-A", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV-a"), 0),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/active/TASK-20261001-001-PM-to-QA"), 1),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/done/TASK-20261001-001-PM-to-DEV-login"), 1),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "history/2026-10-01/T/TASK-20261001-001-PM-to-QA"), 1),
    (tasks("tasks/TASK-20261001-001-PM-to-DEV", "log/tasks/TASK-20261001-001-PM-to-QA"), 1),
    (tasks("tasks/TASK-20261001-001-PM-to-DEV", "tasks/_archive/2026-10/TASK-20261001-001-PM-to-QA"), 1),
    (tasks("reports/REPORT-20261001-001-DEV-to-PM", "reports/REPORT-20261001-001-QA-to-PM", "log/REPORT-20261001-001-OPS-to-PM"), 1),
    (tasks("issues/ISSUE-20261001-001-QA", "issues/ISSUE-20261001-001-DEV"), 1),
    (tasks("reviews/REVIEW-20261001-001-PM-on-a", "reviews/REVIEW-20261001-001-PM-on-b"), 1),
    # One name for two files; of a TASK in v3 that is FC203 or FC210.
    (tasks("reports/REPORT-20261001-001-DEV-to-PM", "history/2026-10-01/T/REPORT-20261001-001-DEV-to-PM"), 1),
    (tasks("issues/ISSUE-20261001-001-QA", "issues/login/ISSUE-20261001-001-QA"), 1),
    (tasks("tasks/TASK-20261001-001-PM-to-DEV", "log/tasks/TASK-20261001-001-PM-to-DEV"), 1),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/active/TASK-20261001-001-PM-to-DEV"), 0),
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "history/2026-10-01/T/TASK-20261001-001-PM-to-DEV"), 0),
    # A name that cannot be parsed has no number.
    (tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/inbox/TASK-20261001-001-PM"), 0),
]


@pytest.mark.parametrize(("files", "count"), REUSED)
def test_a_number_names_one_envelope(files: dict[str, str], count: int) -> None:
    items = found(files, "FC105")
    assert [item.severity for item in items] == ["warning"] * count
    assert all(len(item.finding.related) == len(files) - 1 for item in items)


def test_a_reused_number_is_told_at_the_later_one_wherever_it_lies() -> None:
    old, new = "TASK-20261001-001-PM-to-QA", "TASK-20261001-001-PM-to-DEV"
    later = task_text().replace("T08:00", "T11:00")
    prints = set()
    for here, there in (("inbox", "active"), ("done", "inbox"), ("active", "archive")):
        (item,) = found({f"fcop/_lifecycle/{here}/{old}.md": task_text(), f"fcop/_lifecycle/{there}/{new}.md": later}, "FC105")
        assert item.finding.subject == new
        prints.add(item.finding.fingerprint)
    assert len(prints) == 1


def test_a_third_use_of_a_number_is_new() -> None:
    two = tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-QA", "_lifecycle/inbox/TASK-20261001-001-PM-to-OPS")
    (before,) = found(two, "FC105")
    (after,) = found({**two, **tasks("_lifecycle/inbox/TASK-20261001-001-PM-to-DEV")}, "FC105")
    assert before.finding.fingerprint != after.finding.fingerprint


def signed(session: str, *paths: str) -> dict[str, str]:
    return {f"fcop/{path}.md": task_text(session_id=session) for path in paths}


SESSIONS = [
    (signed("s1", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/inbox/TASK-20261001-002-PM-to-QA"), 0),
    (signed("s1", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "_lifecycle/inbox/TASK-20261001-002-PM-01-to-QA"), 0),
    (signed("s1", "reports/REPORT-20261001-001-DEV-to-PM", "issues/ISSUE-20261001-001-DEV"), 0),
    (signed("s1", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "reports/REPORT-20261001-001-DEV-to-PM"), 1),
    (signed("s1", "reports/REPORT-20261001-001-DEV-to-PM", "issues/ISSUE-20261001-001-QA"), 1),
    (signed("s1", *(f"issues/ISSUE-20261001-00{number}-{role}" for number, role in enumerate(("QA", "DEV", "OPS", "DEV")))), 2),
    # An agent writes down what ADMIN says in its session: every real session of two roles is of this kind.
    (signed("s1", "_lifecycle/inbox/TASK-20261001-001-ADMIN-to-DEV", "reports/REPORT-20261001-001-DEV-to-ADMIN"), 0),
    (signed("s1", "reports/REPORT-20261001-001-DEV-to-PM", "reviews/REVIEW-20261001-001-QA-on-x"), 0),
    (signed("", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "reports/REPORT-20261001-001-DEV-to-PM"), 0),
    (signed("s1", "tasks/TASK-20261001-001-PM-to-DEV", "log/reports/REPORT-20261001-001-DEV-to-PM"), 1),
]


@pytest.mark.parametrize(("files", "count"), SESSIONS)
def test_a_session_signs_for_one_role(files: dict[str, str], count: int) -> None:
    items = found(files, "FC130")
    assert [item.severity for item in items] == ["error"] * count
    assert all(len(item.finding.related) == 1 for item in items)


def test_the_task_signed_first_and_its_report_is_what_is_wrong() -> None:
    (item,) = found(signed("s1", "_lifecycle/inbox/TASK-20261001-001-PM-to-DEV", "reports/REPORT-20261001-001-DEV-to-PM"), "FC130")
    assert (item.finding.location.path, item.finding.parameters["first_role"]) == (REPORT, "PM")
    assert item.finding.related[0].location.path == T1


GHOSTS = [
    ("_lifecycle/inbox/DRAFT-20261001-001-PM-to-QA.md", 1),
    ("_lifecycle/active/AMEND-TASK-20261001-001-PM-to-QA.md", 1),
    ("tasks/HANDOFF-20260509-001-PM-session-close-to-next-sprint.md", 1),
    ("tasks/DRAFT-20260511-001-PM-to-ADMIN-issue-2-reply-v2.md", 1),
    ("reports/AMEND-REPORT-20261001-001-DEV-to-PM.md", 1),
    ("DRAFT-20261001-001-PM-to-QA.md", 1),
    ("log/AMEND-20261001-001-PM-to-QA.md", 0),
    ("tasks/_archive/DRAFT-20261001-001-PM-to-QA.md", 0),
    ("tasks/legacy-non-protocol/DRAFT-20261001-001-PM-to-QA.md", 0),
    ("shared/DRAFT-20261001-001-PM-to-QA.md", 0),
    ("internal/DRAFT-20261001-001-PM-to-QA.md", 0),
    ("shared/DRAFT-charter.md", 0),
    ("_lifecycle/inbox/TASK-20261001-001-PM-to-QA-fix-v2.md", 0),
    ("_lifecycle/inbox/README.md", 0),
]


@pytest.mark.parametrize(("path", "count"), GHOSTS)
def test_ghost_prefixes(path: str, count: int) -> None:
    assert said({f"fcop/{path}": task_text()}, "FC104") == [("FC104", "warning")] * count


def team(*entries: object) -> dict[str, Any]:
    return {**TEAM, "roles": ["PM", *entries]}


MANIFESTS: list[tuple[tuple[object, ...], list[tuple[str, str]]]] = [
    (("DEV", "QA"), []),
    (({"code": "DEV", "label": "Developer"}, {"code": "QA", "layer": ""}, {"code": "OPS", "layer": None}), []),
    (({"code": "QA", "layer": "governance", "can": ["review_decision"], "cannot": "modify_code"},), []),
    (("ADMIN",), [("FC142", "error")]),
    (("SYSTEM",), [("FC142", "error")]),
    (({"code": "ADMIN", "layer": "human", "can": ["all"]},), [("FC142", "error")]),
    (({"code": "DEV", "layer": "admin"},), [("FC142", "error")]),
    (({"code": "DEV", "layer": "Admin", "can": ["all"]},), [("FC142", "error")]),
    (("BOSS", "CEO"), [("FC143", "warning"), ("FC143", "warning")]),
    (({"code": "OWNER"},), [("FC143", "warning")]),
    (("OWNERSHIP", "CHIEF-EDITOR"), []),
    (({"code": "DEV", "layer": "supervisor"},), [("FC144", "error")]),
    (({"code": "DEV", "layer": "Governance"},), [("FC144", "error")]),
    (({"code": "DEV", "layer": ["worker"]},), [("FC144", "error")]),
    (({"code": "DEV", "can": ["deploy", "file_io"]},), [("FC144", "warning")]),
    (({"code": "DEV", "cannot": "deploy"},), [("FC144", "warning")]),
    (({"code": "DEV", "layer": "boss", "can": ["deploy"]},), [("FC144", "error"), ("FC144", "warning")]),
]


@pytest.mark.parametrize(("entries", "expected"), MANIFESTS)
def test_roles_of_the_manifest(entries: tuple[object, ...], expected: list[tuple[str, str]]) -> None:
    assert sorted(said({T1: task_text()}, "FC142", "FC143", "FC144", manifest=team(*entries))) == expected


def test_a_broken_manifest_is_told_by_its_own_rule_alone() -> None:
    for broken in ({"roles": 5}, {"roles": [None, 3, {}, {"code": 7}]}, {}):
        assert said({T1: task_text()}, "FC142", "FC143", "FC144", manifest=broken) == []


def test_the_place_of_a_layer_is_its_line() -> None:
    text = json.dumps(team({"code": "DEV", "layer": "boss"}), indent=2)
    tree = {"fcop/fcop.json": text.encode(), T1: task_text().encode()}
    (item,) = engine.audit(MemorySnapshot(tree), Settings(select=("FC144",))).findings
    assert item.source
    assert '"layer": "boss"' in item.source


@given(st.sampled_from(("DRAFT", "HANDOFF", "AMEND")), st.text(st.characters(codec="utf-8", exclude_characters="/\0"), max_size=30))
def test_no_name_is_ghost_and_envelope(prefix: str, rest: str) -> None:
    filename = f"{prefix}-{rest}.md"
    assert not (names.ghost_prefix(filename) and names.claimed_kind(filename))


@given(st.integers(0, 10**6))
def test_whole_numbers_are_versions_as_the_reference_reads_them(number: int) -> None:
    assert fields.envelope_version(str(number)) == fields.envelope_version(f"{number}.0") == number


def test_reserved_words_are_roles_by_their_form() -> None:
    assert all(map(roles.is_role, roles.AUTHORITY_WORDS | roles.RESERVED))


def test_the_team_may_send_and_receive() -> None:
    # The reference takes a REPORT on a TASK to TEAM from TEAM alone.
    files = {REPORT.replace("DEV", "TEAM"): report_text(sender="TEAM"), T1.replace("DEV", "TEAM"): task_text(recipient="TEAM")}
    assert said(files, "FC122") == []


# A role that has left the team is no news where the work it did is archived.
@pytest.mark.parametrize(("stage", "severity"), [("archive", "info"), ("done", "warning")])
def test_a_role_that_left_the_team(stage: str, severity: str) -> None:
    answer = (
        report_text("").replace("sender: DEV", "sender: ART").replace("recipient: PM", "recipient: PM\nreferences: [TASK-20261001-001]")
    )
    files = {f"fcop/_lifecycle/{stage}/TASK-20261001-001-PM-to-ART.md": task_text(recipient="ART"), REPORT.replace("DEV", "ART"): answer}
    assert said(files, "FC122") == [("FC122", severity)] * 2
