"""Judgement (FC601-FC622): tables of what is told and what is not."""

from typing import Any

import pytest

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.protocol.judgements import is_severity, parse_sheet_name, sheet_kind
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.papers import Tree, issue, judge, judge_change, paper, report, review, task, told

T2 = "TASK-20261001-002-PM-to-DEV"
R1 = "REPORT-20261001-001-DEV-to-PM"
V1, V2 = "REVIEW-20261001-001-PM-on-task-20261001-002-pm-to-dev", "REVIEW-20261001-002-PM-on-task-20261001-002-pm-to-dev"
APPROVAL = {"approver": "ADMIN", "decision": "approve", "approved_at": "2026-10-01T11:00:00", "channel": "cli"}
REJECTION = {**APPROVAL, "decision": "reject"}
SOLO = {"mode": "solo", "team": "solo", "leader": "ME", "roles": ["ME"], "version": 1}


def abouts(*trees: Tree, prefix: str, **options: Any) -> list[tuple[str, str]]:
    """(message, what it is about) of each finding."""
    return [(item.finding.message, item.finding.about) for item in judge(*trees, prefix=prefix, **options).findings]


VERDICTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"decision": "approved"}, []),
    ({"decision": "needs_human", "subject_type": "code_change"}, []),
    ({"decision": "pending"}, ["default"]),
    ({"decision": "Approved"}, ["meant"]),
    ({"decision": "changes_requested"}, ["meant"]),
    ({"decision": ["approved"]}, ["default"]),
    ({"decision": None}, []),
    ({"decision": ""}, []),
    ({"subject_type": "issue"}, ["default"]),
    ({"subject_type": "TASK"}, ["meant"]),
    ({"subject_type": "pr", "decision": "ok"}, ["default", "default"]),
]


@pytest.mark.parametrize(("fields", "expected"), VERDICTS, ids=[str(row[0]) for row in VERDICTS])
def test_a_verdict_is_one_of_five(fields: dict[str, Any], expected: list[str]) -> None:
    found = abouts(task(T2), review(V1, T2, **fields), prefix="FC601")
    assert [message for message, _ in found] == expected


CHANGES: list[tuple[Any, bool]] = [
    (["Add the log"], False), ("Add the log", False), ([{"file": "a", "change": "b"}], False), (["", "Add the log"], False),
    (None, True), ([], True), (["", "  "], True), (" ", True), ("", True),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "is_told"), CHANGES)
def test_changes_that_are_needed_are_named(changes: Any, is_told: bool) -> None:
    found = judge(task(T2), review(V1, T2, "needs_changes", required_changes=changes), prefix="FC602")
    assert told(found) == ([("FC602", "error", V1)] if is_told else [])
    assert told(judge(task(T2), review(V1, T2, "rejected", required_changes=changes), prefix="FC602")) == []


APPROVALS: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("needs_human", APPROVAL, []),
    ("needs_human", REJECTION, []),
    ("needs_human", {**APPROVAL, "approver": "ADMIN-01", "comment": "ok", "evidence": {"ip": "::1"}}, []),
    ("needs_human", None, []),
    ("needs_human", {}, []),
    ("approved", {}, []),
    ("approved", APPROVAL, [("not-asked", "decision")]),
    ("rejected", REJECTION, [("not-asked", "decision")]),
    ("granted", APPROVAL, []),
    ("needs_human", "approved by ADMIN", [("no-mapping", "human_approval")]),
    ("needs_human", [APPROVAL], [("no-mapping", "human_approval")]),
    ("needs_human", {"decision": "approve"}, [("keys", "keys")]),
    ("needs_human", {**APPROVAL, "channel": ""}, [("keys", "keys")]),
    ("needs_human", {**APPROVAL, "approver": "PM"}, [("approver", "approver=PM")]),
    ("needs_human", {**APPROVAL, "approver": "SYSTEM"}, [("approver", "approver=SYSTEM")]),
    ("needs_human", {**APPROVAL, "approver": "admin"}, [("approver", "approver=admin")]),
    ("needs_human", {**APPROVAL, "decision": "approved"}, [("value", "decision=approved")]),
    ("needs_human", {**APPROVAL, "channel": "chat"}, [("value", "channel=chat")]),
    ("needs_human", {**APPROVAL, "approved_at": "yesterday"}, [("time", "approved_at=yesterday")]),
]


@pytest.mark.parametrize(("decision", "approval", "expected"), APPROVALS)
def test_a_human_approval_is_whole_and_a_humans(decision: str, approval: Any, expected: list[tuple[str, str]]) -> None:
    found = judge(task(T2), review(V1, T2, decision, human_approval=approval), prefix="FC603")
    assert [(item.finding.message, item.finding.about) for item in found.findings] == expected
    assert {item.severity for item in found.findings} <= {"error"}


def test_the_owner_may_name_further_admins() -> None:
    settings = Settings(select=("FC603",), policy=Policy(admins=("BOARD",)))
    approval = {**APPROVAL, "approver": "BOARD"}
    assert abouts(task(T2), review(V1, T2, "needs_human", human_approval=approval), prefix="", settings=settings) == []


def asked(stem: str = V1, at: str = "2026-10-01T10:00:00+00:00", **fields: Any) -> Tree:
    return review(stem, T2, "needs_human", decided_at=at, **fields)


# About the TASK: its stage; the REVIEWs; what is told.
GATES: list[tuple[str, tuple[Tree, ...], list[str]]] = [
    ("done", (asked(),), ["default"]),
    ("archive", (asked(),), ["default"]),
    ("review", (asked(),), []),
    ("active", (asked(),), []),
    ("done", (), []),
    ("done", (review(V1, T2, "rejected"),), []),
    ("done", (asked(human_approval=APPROVAL),), []),
    ("done", (asked(human_approval=REJECTION),), ["rejected"]),
    ("done", (asked(human_approval={**APPROVAL, "decision": "yes"}),), []),
    ("done", (asked(), asked(V2)), ["default", "default"]),
    ("done", (asked(human_approval=REJECTION), asked(V2, human_approval=APPROVAL)), []),
    ("done", (asked(human_approval=APPROVAL), asked(V2)), ["default"]),
    ("done", (asked(), review(V2, T2, supersedes=V1)), []),
    ("done", (asked(), review(V2, T2)), ["default"]),
    ("done", (asked(), review(V2.replace("-PM-", "-ADMIN-"), T2)), []),
    ("done", (asked(V2), review(V1.replace("-PM-", "-ADMIN-"), T2)), ["default"]),
    ("done", (asked(at="2026-10-01T16:30:00+00:00"),), []),
    ("archive", (asked(at="2026-10-01T16:30:00+00:00"),), ["default"]),
    ("archive", (asked(at="2026-10-01T17:30:00+00:00"),), []),
    ("done", (asked(at="2026-10-01T16:30:00"),), ["default"]),
    ("done", (asked(at="2026-10-02T16:30:00"),), []),
    ("done", (asked(at="soon"),), ["default"]),
    ("done", (asked(subject_ref="TASK-20261001-002"),), ["default"]),
    ("done", (asked(subject_ref="TASK-20261001-003-PM-to-QA"),), []),
]


@pytest.mark.parametrize(("stage", "reviews", "expected"), GATES)
def test_a_task_waits_for_the_human(stage: str, reviews: tuple[Tree, ...], expected: list[str]) -> None:
    found = judge(task(T2, stage), task("TASK-20261001-003-PM-to-QA"), *reviews, prefix="FC604").findings
    assert [item.finding.message for item in found] == expected
    assert {(item.severity, item.finding.subject) for item in found} <= {("warning", T2)}


def test_a_gate_is_told_at_the_event_that_passed_it() -> None:
    def line(*trees: Tree) -> str | None:
        [item] = judge(*trees, prefix="FC604").findings
        return item.source

    assert line(task(T2, "archive"), asked()) == "  to: done"
    assert line(task(T2, "archive"), asked(at="2026-10-01T16:30:00+00:00")) == "  to: archive"
    assert line(task(T2, "done", transitions=None), asked()) == "---"


# Subject, reviewer, decision, whether it is told.
REVIEWERS = [
    (T2, "DEV", "approved", True),
    (T2, "DEV", "rejected", True),
    (T2, "DEV-01", "approved", True),
    (T2, "DEV", "needs_human", False),
    (T2, "DEV", "abstained", False),
    (T2, "PM", "approved", False),
    (T2, "QA", "approved", False),
    (R1, "DEV", "approved", True),
    (R1, "PM", "approved", False),
    ("TASK-20261001-004-PM-to-TEAM", "DEV", "approved", False),
    ("TASK-20261001-005-PM-to-DEV.BACKEND", "DEV", "approved", True),
    ("TASK-20261001-006-PM-to-ADMIN", "ADMIN", "approved", False),
    ("TASK-20261001-099-PM-to-DEV", "DEV", "approved", False),
    ("fcop/fcop.json", "DEV", "approved", False),
]


@pytest.mark.parametrize(("subject", "reviewer", "decision", "is_told"), REVIEWERS)
def test_nobody_judges_their_own_work(subject: str, reviewer: str, decision: str, is_told: bool) -> None:
    tasks = (T2, "TASK-20261001-004-PM-to-TEAM", "TASK-20261001-005-PM-to-DEV.BACKEND", "TASK-20261001-006-PM-to-ADMIN")
    stem = f"REVIEW-20261001-001-{reviewer}-on-it"
    found = judge(*map(task, tasks), report(R1, T2), review(stem, subject, decision), prefix="FC605")
    assert told(found) == ([("FC605", "warning", stem)] if is_told else [])


def test_a_solo_team_has_nobody_else() -> None:
    alone = (task("TASK-20261001-002-ADMIN-to-ME"), review("REVIEW-20261001-001-ME-on-it", "TASK-20261001-002-ADMIN-to-ME"))
    assert told(judge(*alone, prefix="FC605", manifest=SOLO)) == []
    # Two roles can look at each other's work, whatever the manifest calls that.
    two = {**SOLO, "roles": ["ME", "QA"]}
    assert [code for code, *_ in told(judge(*alone, prefix="FC605", manifest=two))] == ["FC605"]


def test_a_change_cannot_make_its_team_solo() -> None:
    work = task("TASK-20261001-002-ADMIN-to-ME")
    judged = {**work, **review("REVIEW-20261001-001-ME-on-it", "TASK-20261001-002-ADMIN-to-ME")}
    two = {**SOLO, "mode": "preset", "roles": ["ME", "QA"]}
    assert [code for code, *_ in told(judge_change((two, work), (SOLO, judged), "FC605"))] == ["FC605"]


RISKS: list[tuple[str | None, tuple[Tree, ...], bool]] = [
    ("high", (), True),
    ("irreversible", (), True),
    ("medium", (), False),
    ("HIGH", (), False),
    (None, (), False),
    ("high", (review(V1, T2),), True),
    ("high", (asked(),), False),
    ("high", (asked(subject_ref="TASK-20261001-002"),), False),
    ("high", (asked(human_approval=REJECTION),), False),
    ("irreversible", (review(V1.replace("-PM-", "-ADMIN-"), T2),), False),
]


@pytest.mark.parametrize(("risk", "reviews", "is_told"), RISKS)
def test_high_risks_ask_for_a_human(risk: str | None, reviews: tuple[Tree, ...], is_told: bool) -> None:
    found = judge(task(T2, risk_level=risk), *reviews, prefix="FC606")
    assert told(found) == ([("FC606", "warning", T2)] if is_told else [])


@pytest.mark.parametrize("stage", ["inbox", "active", "review", "done", "archive"])
def test_the_stage_review_needs_no_review(stage: str) -> None:
    """The two meanings of the word are never mixed: no stage asks for a REVIEW, and no verdict contradicts a stage."""
    alone = (task(T2, stage), report(R1, T2))
    assert told(judge(*alone, prefix="FC6")) == []
    for decision in ("approved", "rejected", "abstained"):
        assert told(judge(*alone, review(V1, T2, decision), prefix="FC6")) == []


SEVERITIES = [("low", True), ("medium", True), ("med", True), ("Critical", True), ("CRIT", True), ("P2", False), ("urgent", False)]


@pytest.mark.parametrize(("word", "is_lawful"), SEVERITIES)
def test_severities(word: str, is_lawful: bool) -> None:
    assert is_severity(word) is is_lawful
    assert told(judge(issue(severity=word), prefix="FC611")) == ([] if is_lawful else [("FC611", "error", "ISSUE-20261001-001-QA")])


def test_a_severity_that_is_absent_or_no_text() -> None:
    assert told(judge(issue(severity=None), prefix="FC611")) == []
    assert abouts(issue(severity=["high", "low"]), prefix="FC611") == [("default", "(a list)")]


CLOSING = {"closed_at": "2026-10-01T12:00:00", "closed_by": "OPS", "resolution": "Restored"}
CLOSINGS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"status": "open"}, []),
    ({"status": None}, []),
    ({"status": ""}, []),
    ({"status": "closed", **CLOSING}, []),
    ({"status": "closed"}, [("keys", "closed_at, closed_by, resolution")]),
    ({"status": "closed", **CLOSING, "closed_by": None}, [("keys", "closed_by")]),
    ({"status": "closed", **CLOSING, "resolution": " "}, [("keys", "resolution")]),
    ({"status": "closed", **CLOSING, "resolution": ["Restored", "Checked"]}, []),
    ({"status": "resolved", "resolved_at": "2026-10-01", "resolved_by": "OPS"}, [("default", "")]),
    ({"status": "Closed", **CLOSING}, [("default", "")]),
    ({"status": "in_progress"}, [("default", "")]),
]


@pytest.mark.parametrize(("fields", "expected"), CLOSINGS, ids=[str(row[0]) for row in CLOSINGS])
def test_an_issue_is_open_or_properly_closed(fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = judge(issue(**fields), prefix="FC612").findings
    assert [(item.finding.message, item.finding.parameters.get("missing", "")) for item in found] == expected
    assert all(item.severity == "error" and (item.source or "").startswith("status:") for item in found)


ALERT = {
    "protocol": None, "version": None, "alert_id": "ALERT-20261001-001", "severity": "high", "type": "critical_tool_unreviewed",
    "status": "open", "created_at": "2026-10-01T12:00:00Z",
}  # fmt: skip
ALERTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("alerts/ALERT-20261001-001", {}, []),
    ("alerts/ALERT-20261001-001-commit_flood", {}, []),
    ("alerts/ALERT-20261001-001-no-verdict", {"alert_id": "ALERT-20261001-001-no-verdict"}, []),
    ("alerts/ALERT-20261001-001", {"status": "resolved", "summary": "more keys"}, []),
    ("alerts/ALERT-20261001-01", {}, ["name"]),
    ("alerts/alert-20261001-001", {}, ["name"]),
    ("alerts/ALERT-20261001-001-No Verdict", {}, ["name"]),
    ("alerts/README", {}, []),
    ("shared/ALERT-20261001-01", {}, []),
    ("alerts/ALERT-20261001-001", {"severity": "critical"}, ["severity=critical"]),
    ("alerts/ALERT-20261001-001", {"type": "fire", "status": "new"}, ["status=new", "type=fire"]),
    ("alerts/ALERT-20261001-001", {"created_at": "today"}, ["created_at=today"]),
    ("alerts/ALERT-20261001-001", {"created_at": None, "status": ""}, ["keys"]),
    ("alerts/ALERT-20261001-001", {"alert_id": "ALERT-20261001-002"}, ["alert_id=ALERT-20261001-002"]),
]


@pytest.mark.parametrize(("path", "fields", "expected"), ALERTS)
def test_alerts(path: str, fields: dict[str, Any], expected: list[str]) -> None:
    found = judge(task(T2), paper(f"fcop/{path}.md", **{**ALERT, **fields}), prefix="FC621")
    assert sorted(item.finding.about for item in found.findings) == expected
    assert {item.severity for item in found.findings} <= {"warning"}


INSPECTION = {
    "kind": "inspection", "inspection_id": "INSPECTION-20261001-001", "scope": "upgrade", "project": "x", "inspector": "SYSTEM",
    "inspected_at": "2026-10-01T12:00:00+00:00", "fcop_version": "3.2.5", "fcop_rules_version_package": "3.2.5", "overall_status": "green",
    "p0_violations": 0, "p1_violations": 0, "p2_violations": 0, "p3_violations": 0, "violation_file_count": 0, "estimated_total_minutes": 0,
}  # fmt: skip
INSPECTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("shared/INSPECTION-20261001-001-upgrade", {}, []),
    ("reports/INSPECTION-20261001-001-upgrade", {}, []),
    ("shared/2026/INSPECTION-20261001-001-upgrade", {"inspection_id": "INSPECTION-20261001-001-upgrade"}, []),
    ("internal/INSPECTION-20261001-001", {}, []),
    ("reports/_archive/INSPECTION-20261001-v1", {}, []),
    ("reports/INSPECTION-20260512-v1.4.0-pre-release", {"kind": "report"}, ["name"]),
    ("shared/INSPECTION-20261001-001-all", {}, ["name"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"scope": "new"}, ["scope=new"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"scope": "all"}, ["scope=all"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"kind": "report"}, ["kind=report"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"overall_status": "ok"}, ["overall_status=ok"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"p0_violations": "none"}, ["p0_violations=none"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"p0_violations": -1}, ["p0_violations=-1"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"inspected_at": "then"}, ["inspected_at=then"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"inspector": None, "project": None}, ["keys"]),
    ("shared/INSPECTION-20261001-001-upgrade", {"inspection_id": "INSPECTION-20261001-002"}, ["inspection_id=INSPECTION-20261001-002"]),
]


@pytest.mark.parametrize(("path", "fields", "expected"), INSPECTIONS)
def test_inspections(path: str, fields: dict[str, Any], expected: list[str]) -> None:
    found = judge(task(T2), paper(f"fcop/{path}.md", **{**INSPECTION, **fields}), prefix="FC622")
    assert sorted(item.finding.about for item in found.findings) == expected


def test_sheets_that_cannot_be_read() -> None:
    plain = {"fcop/alerts/ALERT-20261001-001.md": "Fire.\n"}
    assert abouts(task(T2), plain, prefix="FC62") == [("front-matter", "front matter")]
    files = {path: text.encode() for path, text in task(T2).items()}
    linked = MemorySnapshot(files, {"fcop/alerts/ALERT-20261001-001.md": "../away.md"})
    assert engine.audit(linked, Settings(select=("FC62",))).findings == ()


def test_sheets_are_no_envelopes() -> None:
    assert [sheet_kind(path) for path in ("alerts/ALERT-1.md", "reports/INSPECTION-1.md", "ALERT-1.md", "alerts/ALERT-1.txt")] == [
        "ALERT", "INSPECTION", None, None,
    ]  # fmt: skip
    assert parse_sheet_name("INSPECTION", "INSPECTION-20261001-001-new.md") == ("INSPECTION-20261001-001", "new")
    report_of_all = judge(task(T2), paper("fcop/alerts/ALERT-20261001-001.md", **ALERT), prefix="FC")
    assert [workspace.envelopes for workspace in report_of_all.workspaces] == [1]
