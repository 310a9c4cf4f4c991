"""The protocol's data and pure functions, as tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.protocol import names, places, roles
from fcoplint.protocol.fields import canonical_priority
from fcoplint.protocol.lookalikes import skeleton
from fcoplint.protocol.versions import Declared, Protocol, detect

GOOD_NAMES = [
    ("TASK-20261001-003-PM-to-QA.md", "TASK", "PM", "QA", None, None, "TASK-20261001-003"),
    ("TASK-20261001-003-PM-to-DEV.BACKEND-fix-login-2.md", "TASK", "PM", "DEV", "BACKEND", "fix-login-2", "TASK-20261001-003"),
    ("TASK-20261001-003-LEAD-QA-to-AUTO-TESTER.md", "TASK", "LEAD-QA", "AUTO-TESTER", None, None, "TASK-20261001-003"),
    ("REPORT-20261001-001-DEV_01-to-PM-v2.md", "REPORT", "DEV_01", "PM", None, "v2", "REPORT-20261001-001"),
    ("ISSUE-20261001-001-QA.md", "ISSUE", "QA", None, None, None, "ISSUE-20261001-001"),
    ("ISSUE-20261001-001-QA-no-seed.md", "ISSUE", "QA", None, None, "no-seed", "ISSUE-20261001-001"),
    ("REVIEW-20261001-001-PM-on-task-1-.md", "REVIEW", "PM", None, None, None, "REVIEW-20261001-001-PM-on-task-1-"),
]


@pytest.mark.parametrize("row", GOOD_NAMES, ids=[row[0] for row in GOOD_NAMES])
def test_names_of_the_grammar(row: tuple[str, ...]) -> None:
    name = names.parse_name(row[0])
    assert name
    assert (name.kind, name.sender, name.recipient, name.slot, name.slug, name.short_id) == row[1:]


BAD_NAMES = [
    ("TASK-2026101-003-PM-to-QA.md", "date"),
    ("TASK-20261001-Z03-PM-to-QA.md", "sequence"),
    ("TASK-20261001-0003-PM-to-QA.md", "sequence"),
    ("TASK-20261001-003-PM-QA.md", "routing"),
    ("TASK-20261001-003-pm-to-QA.md", "sender"),
    ("TASK-20261001-003-PM-to-qa.md", "recipient"),
    ("TASK-20261001-003-PM-to-QA-Fix.md", "slug"),
    ("TASK-20261001-003-PM-to-QA-fix-.md", "slug"),
    ("TASK-20260418-143000-001-PM-to-DEV-PENDING.md", "sequence"),
    ("REPORT-20261001-001-DEV-to-PM.BACK.md", "recipient"),
    ("REPORT-20260425-001-FCoP-与-分仓.md", "routing"),
    ("ISSUE-20261001-001-QA-to-PM.md", "routing"),
    ("ISSUE-20261001-001-qa.md", "reporter"),
    ("REVIEW-20261001-001-PM-on-Task.md", "subject"),
    ("REVIEW-20261001-001-PM-to-DEV.md", "routing"),
    ("TASK-20261001-003-PM-to-QA.txt", "extension"),
]


@pytest.mark.parametrize(("filename", "segment"), BAD_NAMES)
def test_names_that_break_the_grammar_say_where(filename: str, segment: str) -> None:
    assert names.parse_name(filename) is None
    assert names.find_name_fault(filename).segment == segment


@given(st.text(max_size=60).map(lambda text: f"TASK-{text}.md"))
def test_every_name_is_either_parsed_or_explained(filename: str) -> None:
    if names.parse_name(filename) is None:
        assert names.find_name_fault(filename).expected


CONFUSABLE = [
    ("task-20261001-003-PM-to-QA.md", True),
    ("TASK-20261001-003-PM-to-QA.MD", True),
    ("TASK-20261001-003-PM-to-QA.md ", True),
    ("TASK-20261001-003-\u0420M-to-QA.md", True),
    ("TASK-20261001-003-PM\u200b-to-QA.md", True),
    ("\uff34\uff21\uff33\uff2b-20261001-003-PM-to-QA.md", True),
    ("TASK-20261001-003-PM-to-QA.md", False),
    ("TASK-20261001-003-PM-to-测试.md", False),
]


@pytest.mark.parametrize(("filename", "expected"), CONFUSABLE)
def test_names_that_only_look_right(filename: str, expected: bool) -> None:
    assert names.looks_confusable(filename, lambda name: names.parse_name(name) is not None) is expected
    assert names.claimed_kind(filename) == "TASK"


@pytest.mark.parametrize(
    "filename",
    [
        "README.md",
        ".gitkeep",
        "DRAFT-20261001-001-PM-to-QA.md",
        "TASKS.md",
        "review-checklist.md",
        "Task list.md",
        "SPRINT-1.md",
        "01-TASK-1.md",
        "TASK-1.txt",
    ],
)
def test_other_files_claim_nothing(filename: str) -> None:
    assert names.claimed_kind(filename) is None


PLACES = [
    ("_lifecycle/inbox/x.md", ("stage", "inbox", 0)),
    ("_lifecycle/archive/sub/x.md", ("stage", "archive", 1)),
    ("_lifecycle/doing/x.md", ("lifecycle", None, 1)),
    ("_lifecycle/x.md", ("lifecycle", None, 0)),
    ("history/2026-10-01/T/T.md", ("history", None, 2)),
    ("log/tasks/x.md", ("log", None, 1)),
    ("log/x.md", ("log", None, 0)),
    ("reports/x.md", ("reports", None, 0)),
    ("shared/roles/x.md", ("other", None, 2)),
    ("x.md", ("root", None, 0)),
]


@pytest.mark.parametrize(("path", "expected"), PLACES)
def test_places(path: str, expected: tuple[str, str | None, int]) -> None:
    assert places.place_of(path) == expected


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("fcop", True),
        ("a/fcop", True),
        ("docs/agents", True),
        ("a/docs/agents", True),
        ("agents", False),
        ("myfcop", False),
        ("mydocs/agents", False),
    ],
)
def test_folders_that_may_be_workspaces(folder: str, expected: bool) -> None:
    assert places.is_workspace_folder(folder) is expected


VERSIONS = [
    ("fcop", None, ["_lifecycle/inbox/.gitkeep"], Protocol(3, False, None)),
    ("fcop", None, ["_lifecycle/inbox/x.md", "tasks/x.md"], Protocol(3, True, None)),
    ("fcop", None, ["_lifecycle/inbox/x.md", "tasks/.gitkeep"], Protocol(3, False, None)),
    ("fcop", None, ["tasks/x.md"], Protocol(2, False, None)),
    ("fcop", None, ["fcop.json"], Protocol(3, False, None)),
    ("docs/agents", None, ["tasks/x.md"], Protocol(1, False, None)),
    ("docs/agents", None, ["_lifecycle/inbox/x.md"], Protocol(3, False, None)),
    ("fcop", Declared("fcop", "4.0", None), ["_lifecycle/inbox/x.md"], Protocol(4, False, None)),
    ("fcop", Declared(None, "3", "1"), ["_lifecycle/inbox/x.md"], Protocol(3, False, None)),
    ("fcop", Declared(None, "5.0", None), ["_lifecycle/inbox/x.md"], Protocol(0, False, 'protocol_version "5.0"')),
    ("fcop", Declared(None, "4", None), [], Protocol(0, False, 'protocol_version "4"')),
    ("fcop", Declared("ftp", None, None), [], Protocol(0, False, 'protocol "ftp"')),
    ("fcop", Declared(None, None, "2.1.0"), ["tasks/x.md"], Protocol(2, False, None)),
    ("fcop", Declared(None, None, "9"), [], Protocol(0, False, 'version "9"')),
]


@pytest.mark.parametrize(("folder", "declared", "paths", "expected"), VERSIONS)
def test_version_detection(folder: str, declared: Declared | None, paths: list[str], expected: Protocol) -> None:
    assert detect(folder, declared, paths) == expected


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("PM-01", {"PM"}, "PM"),
        ("OPS-001", {"OPS", "OPS-001"}, "OPS-001"),
        ("ADMIN-01", {"PM"}, "ADMIN"),
        ("QA9", {"QA"}, "QA9"),
        ("LEAD-QA", {"LEAD"}, "LEAD-QA"),
    ],
)
def test_the_role_an_instance_speaks_for(text: str, declared: set[str], expected: str) -> None:
    assert roles.base_role(text, frozenset(declared)) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("P1", "P1"), ("p1", "P1"), ("Urgent", "P0"), ("normal", "P2"), (" low ", "P3"), ("soon", None), ("P4", None)]
)
def test_priorities(text: str, expected: str | None) -> None:
    assert canonical_priority(text) == expected


@given(st.text(st.characters(codec="ascii")))
def test_ascii_looks_like_itself(text: str) -> None:
    assert skeleton(text) == text.strip()
