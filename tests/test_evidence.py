"""Evidence (FC501-FC508): tables of what is told and what is not, and the law of the parents' graph."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcoplint.model.graph import find_cycles
from fcoplint.model.policy import Policy
from fcoplint.model.relations import BY_NUMBER
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol.references import Target, abbreviates, number_of, parse_reference
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.papers import Tree, issue, judge, judge_change, paper, report, review, task, told
from tests.support.repository import TEAM

T1, T2, T3 = "TASK-20261001-001-ADMIN-to-PM", "TASK-20261001-002-PM-to-DEV", "TASK-20261001-003-PM-to-QA"
R1, R2, R3 = "REPORT-20261001-001-DEV-to-PM", "REPORT-20261001-002-DEV-to-PM", "REPORT-20261001-003-PM-to-ADMIN"
V1 = "REVIEW-20261001-001-PM-on-task-20261001-002-pm-to-dev"


def codes(*trees: Tree, prefix: str = "FC5", **options: Any) -> list[tuple[str, str, str]]:
    return told(judge(*trees, prefix=prefix, **options))


# What a REPORT says beside its roles, and what FC501 says of it: severity and message.
NAMINGS: list[tuple[dict[str, Any], tuple[str, str] | None]] = [
    ({"references": ["TASK-20261001-002"]}, None),
    ({"references": [T2]}, None),
    ({"references": "TASK-20261001-002"}, None),
    ({"references": ["docs/login.md", f"fcop/tasks/{T2}.md"]}, None),
    ({"references": ["TASK-20261001-099"]}, None),
    ({"references": ["ISSUE-20261001-001", "TASK-20261001-002"], "task_id": T2}, None),
    ({}, ("error", "default")),
    ({"references": []}, ("error", "default")),
    ({"references": ["ISSUE-20261001-001"]}, ("error", "default")),
    ({"references": [f"https://example.org/{T2}.md"]}, ("error", "default")),
    ({"references": ["see TASK-20261001-002 and the rest"]}, ("error", "default")),
    ({"thread_key": T2}, ("error", "default")),
    ({"task_id": R1}, ("error", "default")),
    ({"task_id": "TASK-20261001-002"}, ("warning", "key")),
    ({"ref_task": f"docs/agents/log/tasks/{T2}.md"}, ("warning", "key")),
    ({"in_reply_to": T2}, ("warning", "key")),
    ({"related": [R2, T2]}, ("warning", "key")),
    ({"references": ["ISSUE-20261001-001"], "parent": T2}, ("warning", "key")),
]


@pytest.mark.parametrize(("fields", "expected"), NAMINGS, ids=[str(row[0]) for row in NAMINGS])
def test_a_report_names_its_task(fields: dict[str, Any], expected: tuple[str, str] | None) -> None:
    found = judge(task(T2), issue(), report(R1, **fields), prefix="FC501").findings
    assert [(item.severity, item.finding.message) for item in found] == ([expected] if expected else [])
    if expected and expected[0] == "error":
        assert found[0].finding.location.span
        assert found[0].finding.location.span.line == 1


def test_a_report_that_names_nothing_is_told_which_task_has_its_number() -> None:
    same_number = "REPORT-20261001-002-DEV-to-PM"
    [item] = judge(task(T2), report(same_number), prefix="FC501").findings
    assert (item.severity, item.finding.message, item.finding.parameters["task"]) == ("error", "by-number", T2)


# (kind of envelope, key, value, whether it is told).
REFERENCES = [
    ("report", "references", ["TASK-20261001-099"], True),
    ("report", "references", ["TASK-20261001-002", "REPORT-20261001-050-DEV-to-PM"], True),
    ("report", "references", [T2.replace("DEV", "OPS")], True),
    ("report", "references", ["TASK-42", "EPIC-7", "commit 274ce06", "DRAFT-20261001-001-PM-to-ADMIN"], False),
    ("report", "references", ["TASK-20261001-099 (FINAL)", "A.md; TASK-20261001-099.md"], False),
    ("report", "references", ["https://example.org/TASK-20261001-099.md", "/srv/TASK-20261001-099.md", "..\\TASK-20261001-099"], False),
    ("report", "references", ["TASK-20261001-004-PM-to-DEV", "TASK-20261001-004-PM-to-DEV.md", "TASK-20261001-004"], False),
    ("report", "ref_task", "TASK-20261001-099", True),
    ("report", "ref_task", f"docs/agents/log/tasks/{T2}.md", False),
    ("report", "thread_key", "TASK-20261001-099", False),
    ("report", "related", ["TASK-20261001-099"], False),
    ("task", "parent", "TASK-99", True),
    ("task", "parent", "launch-campaign", False),
    ("task", "parent", "TASK-20261001-001", False),
    ("task", "supersedes", ["TASK-20260930-001"], True),
    ("task", "task_id", "TASK-20261001-099", False),
    ("review", "subject_ref", "no-such-task", True),
    ("review", "subject_ref", "TASK-20261001-099-PM-to-DEV", True),
    ("review", "subject_ref", "commit:3c35e0e", False),
    ("review", "subject_ref", "the login page", False),
    ("review", "supersedes", "REVIEW-20261001-001", False),
    ("issue", "references", ["TASK-20261001-099"], True),
]


@pytest.mark.parametrize("row", REFERENCES, ids=[f"{row[0]}-{row[1]}-{row[2]}" for row in REFERENCES])
def test_references_lead_somewhere(row: tuple[str, str, Any, bool]) -> None:
    kind, key, value, is_told = row
    extra = {key: value}
    made = {
        "report": lambda: report(R1, **{"references": [T2], **extra}), "task": lambda: task(T3, **extra), "issue": lambda: issue(**extra),
        "review": lambda: review(V1.replace("-001-PM", "-002-PM"), T2, **extra),
    }[kind]()  # fmt: skip
    others = (task(T1), task(T2), task("TASK-20261001-004-PM-to-DEV.BACKEND-fix-login"), review(V1, T2))
    found = codes(made, *others, prefix="FC502")
    assert [code for code, *_ in found] == (["FC502"] if is_told else [])


def test_a_word_is_an_id_only_for_a_task_or_report_under_review() -> None:
    assert codes(review(V1, "no-such-task", subject_type="role_switch"), prefix="FC502") == []


def test_a_reference_is_found_in_history_and_log() -> None:
    old = {path.replace("_lifecycle/archive", f"history/2026-10-01/{T2}"): text for path, text in task(T2, "archive").items()}
    assert codes(old, report(R1, "TASK-20261001-002"), prefix="FC502") == []


# The TASK, the REPORT, and who may not have sent it.
REPORTERS = [
    (T2, "REPORT-20261001-001-DEV-to-PM", False),
    (T2, "REPORT-20261001-001-QA-to-PM", True),
    (T2, "REPORT-20261001-001-PM-to-ADMIN", True),
    (T2, "REPORT-20261001-001-DEV-01-to-PM", False),
    ("TASK-20261001-002-PM-to-TEAM", "REPORT-20261001-001-QA-to-PM", False),
    ("TASK-20261001-002-PM-to-TEAM", "REPORT-20261001-001-PM-to-ADMIN", True),
    ("TASK-20261001-002-PM-to-DEV.BACKEND", "REPORT-20261001-001-OPS-to-PM", False),
    ("TASK-20261001-002-PM-to-DEV.BACKEND", "REPORT-20261001-001-PM-to-ADMIN", True),
]


@pytest.mark.parametrize(("asked", "answer", "is_told"), REPORTERS)
def test_only_who_was_asked_reports(asked: str, answer: str, is_told: bool) -> None:
    found = codes(task(asked), report(answer, "TASK-20261001-002"), prefix="FC503")
    assert found == ([("FC503", "error", answer)] if is_told else [])


def test_an_assignee_is_anybody_but_the_sender() -> None:
    asked = task(T2, recipient="assignee.D1")
    assert codes(asked, report("REPORT-20261001-001-OPS-to-PM", T2), prefix="FC503") == []


def test_of_two_tasks_with_one_number_the_reporters_own_is_meant() -> None:
    two = (task("TASK-20261001-002-PM-to-QA"), task(T2))
    assert codes(*two, report(R1, "TASK-20261001-002"), prefix="FC50") == []


def test_a_task_of_ones_own_under_any_key_is_enough() -> None:
    assert codes(task(T1), task(T2), report(R3, T2, in_reply_to=T1), prefix="FC503") == []


def test_a_report_in_a_stage_answers_nothing() -> None:
    misplaced = {path.replace("reports", "_lifecycle/inbox"): text for path, text in report("REPORT-20261001-001-QA-to-PM", T2).items()}
    assert codes(task(T2), misplaced) == []


def test_who_passes_a_result_on_must_have_one() -> None:
    summary = report(R3, T2, R1)
    assert codes(task(T2), summary, report(R1, T2)) == []
    assert sorted(code for code, *_ in codes(task(T2), summary)) == ["FC502", "FC503"]
    # Two TASKs given away, one of them unanswered: that one is named.
    [item] = judge(task(T2), task(T3), report(R1, T2), report(R3, T2, T3), prefix="FC503").findings
    assert item.finding.parameters["task"] == T3


def test_a_report_by_its_number_alone_is_fc501_only() -> None:
    assert [code for code, *_ in codes(task(T2), report("REPORT-20261001-002-DEV-to-PM"))] == ["FC501"]


# Where a field and the file name differ, or a field holds no role, that is FC120 or FC121: either may be meant.
@pytest.mark.parametrize("said", ["QA", "ADMIN", "dev", "D\u200bEV", "DEV.X", ["DEV"]])
@pytest.mark.parametrize("key", ["sender", "recipient"])
@pytest.mark.parametrize("wrong", ["TASK", "REPORT"])
def test_a_field_at_odds_with_its_file_name_is_told_once(wrong: str, key: str, said: Any) -> None:
    asked, answer = task(T2, **{key: said} if wrong == "TASK" else {}), report(R1, T2, **{key: said} if wrong == "REPORT" else {})
    assert codes(asked, answer) == []


# Who asked, whom the REPORT went to, who sent it.
RECIPIENTS = [
    ("PM-to-DEV", "DEV-to-PM", False),
    ("PM-to-DEV", "DEV-to-QA", True),
    ("PM-to-DEV", "DEV-to-ADMIN", True),
    ("PM-to-DEV", "DEV-to-TEAM", False),
    ("ADMIN-to-PM", "PM-to-ADMIN", False),
    ("OPS-to-DEV", "DEV-to-PM", False),
    ("OPS-to-PM", "PM-to-ADMIN", False),
    ("SYSTEM-to-DEV", "DEV-to-ADMIN", False),
    ("SYSTEM-to-DEV", "DEV-to-QA", True),
]


@pytest.mark.parametrize(("asked", "answer", "is_told"), RECIPIENTS)
def test_a_report_goes_to_who_asked(asked: str, answer: str, is_told: bool) -> None:
    stem = f"REPORT-20261001-001-{answer}"
    found = codes(task(f"TASK-20261001-002-{asked}"), report(stem, "TASK-20261001-002"), prefix="FC504")
    assert found == ([("FC504", "warning", stem)] if is_told else [])


def test_the_owner_may_name_another_leader() -> None:
    trees = (task(T2), report("REPORT-20261001-001-DEV-to-QA", T2))
    assert codes(*trees, settings=Settings(select=("FC504",), policy=Policy(leader="QA"))) == []


def test_the_leader_of_the_state_before_is_who_counts() -> None:
    asked, answer = task("TASK-20261001-002-OPS-to-DEV"), report("REPORT-20261001-002-DEV-to-QA", "TASK-20261001-002")
    usurped = ({**TEAM, "leader": "QA"}, {**asked, **answer})
    found = told(judge_change((TEAM, asked), usurped, "FC504"))
    assert found == [("FC504", "warning", "REPORT-20261001-002-DEV-to-QA")]
    assert told(judge_change((usurped[0], asked), usurped, "FC504")) == []


def test_whoever_stands_for_admin_may_be_told() -> None:
    answer = report("REPORT-20261001-002-PM-to-BOSS", "TASK-20261001-002")
    trees = (task("TASK-20261001-002-SYSTEM-to-PM"), answer)
    assert [code for code, *_ in codes(*trees, prefix="FC504")] == ["FC504"]
    assert codes(*trees, settings=Settings(select=("FC504",), policy=Policy(admins=("BOSS",)))) == []


def child(stem: str = T2, stage: str = "active", **fields: Any) -> Tree:
    return task(stem, stage, parent=T1, **fields)


PARENT_REPORT = report(R3, T1)
CHILDREN = [
    ("no report", (child(),), True),
    ("in progress", (child(), report(R1, T2, status="in_progress")), True),
    ("done but unreported", (child(stage="done"),), True),
    ("reported by another", (child(), report("REPORT-20261001-001-QA-to-PM", T2)), True),
    ("done", (child(), report(R1, T2)), False),
    ("no status is done", (child(), report(R1, T2, status=None)), False),
    ("blocked", (child(), report(R1, T2, status="blocked")), False),
    ("archived", (child(stage="archive"),), False),
    ("superseded", (child(), task("TASK-20261001-004-PM-to-DEV", supersedes=T2)), False),
    ("a later day", (child("TASK-20261002-001-PM-to-DEV"),), False),
]


@pytest.mark.parametrize(("about", "trees", "is_told"), CHILDREN, ids=[row[0] for row in CHILDREN])
def test_a_parent_waits_for_its_children(about: str, trees: tuple[Tree, ...], is_told: bool) -> None:
    assert about
    found = codes(task(T1), PARENT_REPORT, *trees, prefix="FC505")
    assert found == ([("FC505", "warning", R3)] if is_told else [])


def test_a_parent_in_progress_may_say_so() -> None:
    assert codes(task(T1), child(), report(R3, T1, status="in_progress"), prefix="FC505") == []


DUPLICATES: list[tuple[tuple[Tree, ...], list[str]]] = [
    ((report(R1, T2), report(R2, T2)), [R2]),
    ((report(R1, T2), report(R2, T2), report("REPORT-20261002-001-DEV-to-PM", T2)), [R2, "REPORT-20261002-001-DEV-to-PM"]),
    ((report(R1, T2), report(R2, T2, supersedes=[R1])), []),
    ((report(R1, T2), report(R2, T2, amends="REPORT-20261001-001")), []),
    ((report(R1, T2, supersedes=R2), report(R2, T2)), []),
    ((report(R1, T2, status="blocked"), report(R2, T2)), []),
    ((report(R1, T2), report(R3, T2)), []),
    ((report(R1, T2), report(R2, "TASK-20261001-004-PM-to-DEV", T2), task("TASK-20261001-004-PM-to-DEV")), []),
]


@pytest.mark.parametrize(("trees", "expected"), DUPLICATES)
def test_two_done_reports_are_one_too_many(trees: tuple[Tree, ...], expected: list[str]) -> None:
    assert codes(task(T2), *trees, prefix="FC507") == [("FC507", "info", stem) for stem in sorted(expected)]


CORRECTIONS: list[tuple[str, Any, list[str]]] = [
    (T2, T1, []), (T2, [T1], []), (T2, "TASK-20260930-001-PM-to-DEV", []), (T2, T3, ["later"]), (T2, [T1, T3], ["later"]),
    (T2, R1, ["type"]), (T2, T2, ["self"]), (T2, "TASK-20261001-099", []), (T2, "the old plan", []),
    (T2, f"fcop/_lifecycle/active/{T3}.md", ["later"]),
]  # fmt: skip


@pytest.mark.parametrize(("stem", "value", "expected"), CORRECTIONS, ids=[str(row[1]) for row in CORRECTIONS])
def test_a_correction_is_newer_and_of_the_same_type(stem: str, value: Any, expected: list[str]) -> None:
    others = (task(T1), task(T3), task("TASK-20260930-001-PM-to-DEV"), report(R1, T2))
    found = judge(task(stem, supersedes=value), *others, prefix="FC508").findings
    assert [item.finding.message for item in found] == expected


def test_a_shared_number_is_neither_earlier_nor_later() -> None:
    assert codes(task(T2, supersedes="TASK-20261001-002"), task("TASK-20261001-002-PM-to-QA"), prefix="FC508") == []


def test_a_task_that_is_its_own_parent() -> None:
    [item] = judge(task(T2, parent=T2), prefix="FC506").findings
    assert (item.severity, item.finding.message, item.finding.subject) == ("error", "self", T2)


def test_a_circle_is_told_once_wherever_its_members_lie() -> None:
    def circle(stage: str) -> list[tuple[str, str]]:
        found = judge(task(T3, parent=T2), task(T1, stage, parent="TASK-20261001-003"), task(T2, parent=[T1]), prefix="FC506").findings
        assert len(found[0].finding.related) == 2
        return [(item.finding.subject, item.finding.fingerprint) for item in found]

    assert circle("active") == circle("inbox")
    assert [subject for subject, _ in circle("archive")] == [T1]


def test_a_number_that_two_tasks_share_makes_no_circle() -> None:
    twin = "TASK-20261001-002-PM-to-QA"
    assert codes(task(T2, parent="TASK-20261001-001"), task(T1, parent="TASK-20261001-002"), task(twin), prefix="FC506") == []
    # Of two, the one that speaks does not mean itself.
    assert codes(task(T2, parent="TASK-20261001-002"), task(twin), prefix="FC506") == []


def names(count: int) -> list[str]:
    return [f"TASK-20261001-{number + 1:03d}-PM-to-DEV" for number in range(count)]


@st.composite
def forests(draw: st.DrawFn) -> list[int | None]:
    """The parent of each TASK, one that was drawn before it or none."""
    count = draw(st.integers(1, 12))
    return [draw(st.none() | st.integers(0, number - 1)) if number else None for number in range(count)]


def plant(parents: list[int | None], order: list[str]) -> Tree:
    tree: Tree = {}
    for number, parent in enumerate(parents):
        tree.update(task(order[number], parent=None if parent is None else order[parent]))
    return tree


@settings(deadline=None)
@given(forests(), st.randoms(use_true_random=False))
def test_a_forest_is_silent_and_an_edge_back_is_one_circle(parents: list[int | None], random: Any) -> None:
    order = names(len(parents))
    random.shuffle(order)
    assert codes(plant(parents, order), prefix="FC506") == []
    # From a root back to what hangs on it (or to itself): exactly one circle.
    chain = [random.randrange(len(parents))]
    while (above := parents[chain[-1]]) is not None:
        chain.append(above)
    parents[chain[-1]] = chain[0]
    [item] = judge(plant(parents, order), prefix="FC506").findings
    members = {order[number] for number in chain}
    assert item.finding.subject == min(members)
    assert set(str(item.finding.parameters["way"]).split(" > ")) == members


def test_a_chain_of_any_length_is_walked() -> None:
    long = {str(number): [str(number + 1)] for number in range(50_000)}
    assert list(find_cycles(long)) == []
    assert len(next(find_cycles({**long, "50000": ["0"]}))) == 50_001


TEXTS = [
    (T2, Target(T2, "TASK", False, True)),
    (f" {T2}.md ", Target(T2, "TASK", False, True)),
    (f"log/tasks/{T2}.md#result", Target(T2, "TASK", True, True)),
    (f"D:\\FCoP\\{T2}.md", Target(T2, "TASK", True, True)),
    ("ISSUE-7", Target("ISSUE-7", "ISSUE", False, False)),
    ("REPORT-20260425-001-FCoP-与-总结", Target("REPORT-20260425-001-FCoP-与-总结", "REPORT", False, True)),
    ("task-20261001-002", None),
    (f"http://example.org/{T2}.md", None),
    (f"{T1} and {T2}", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS, ids=[row[0] for row in TEXTS])
def test_what_a_text_means(text: str, expected: Target | None) -> None:
    assert parse_reference(text) == expected


ABBREVIATIONS = [
    ("TASK-20261001-002", T2, True), (T2, f"{T2}-login-form", True), (T2, f"{T2}.BACKEND", True), (T2, f"{T2}-LEAD", False),
    (T2, T2, False), ("TASK-20261001-00", T2, False), ("TASK-20261001-002-PM", T2, False), ("TASK-20261001-002-PM-to", T2, False),
]  # fmt: skip


@pytest.mark.parametrize(("short", "stem", "expected"), ABBREVIATIONS)
def test_an_id_may_leave_out_slot_and_slug(short: str, stem: str, expected: bool) -> None:
    assert abbreviates(short, stem) is expected
    assert number_of(stem) == "TASK-20261001-002"


def workspace(*trees: Tree) -> Workspace:
    files = {path: text.encode() for tree in trees for path, text in tree.items()}
    return next(iter(Workspaces(MemorySnapshot(files), Documents())))


def test_how_a_pairing_was_found() -> None:
    made = workspace(task(T1), task(T2), report(R1, T1, task_id=T2), report(R2, T1), report("REPORT-20261001-002-DEV-to-PM"))
    pairings = {found.stem: made.relations.tasks_of(found) for found in made.reports}
    assert [(pairing.task.stem, pairing.key) for pairing in pairings[R1]] == [(T2, "task_id")]
    assert [(pairing.task.stem, pairing.key) for pairing in pairings["REPORT-20261001-002-DEV-to-PM"]] == [(T2, BY_NUMBER)]
    assert not made.authority.may_report(made.tasks[0], None)


def test_relations_know_reviews_and_corrections() -> None:
    made = workspace(task(T2), review(V1, "TASK-20261001-002"), task("TASK-20261001-004-PM-to-DEV", supersedes=T2), paper("fcop/fcop.md"))
    subject = made.tasks[0]
    assert [found.stem for found in made.relations.reviews_of(subject)] == [V1]
    assert [found.stem for found in made.relations.superseders_of(subject)] == ["TASK-20261001-004-PM-to-DEV"]
