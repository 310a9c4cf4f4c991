"""What a change may do to what has landed: tables of sound and broken changes, merges, restorations, and the laws behind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.model.change import Ancestors, Author, Change, Past, no_ancestors
from fcoplint.model.frontmatter import plain_value
from fcoplint.model.workspace import Documents, Workspaces
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.changes import (
    HOPS,
    ISSUE,
    MANIFEST,
    NAME,
    REPORT,
    REVIEW,
    TEAM,
    TaskFile,
    codes,
    event,
    issue,
    judge,
    life,
    report,
    review,
    task,
    workspace,
)  # fmt: skip

ACTIVE, DONE, ARCHIVED = task("active"), task("done"), task("archive")
HISTORIC = ARCHIVED.but(history="2026-10-01")
OTHER = TaskFile(name=NAME, events=[event(50, None, "inbox", "PM", "create_task")], body="# Rotate the keys\n")


def both(before: TaskFile, after: TaskFile) -> tuple[MemorySnapshot, MemorySnapshot]:
    return workspace(before.tree()), workspace(after.tree())


def files(path: str, before: bytes, after: bytes) -> tuple[MemorySnapshot, MemorySnapshot]:
    return workspace({path: before}), workspace({path: after})


def swapped(number: int, **changes: Any) -> TaskFile:
    events = [dict(item) for item in DONE.events]
    events[number] |= changes
    return DONE.but(events=events)


SPELLED = (
    b'---\nprotocol: "fcop"\nversion: 1\nsender: PM      # the leader\nrecipient: DEV\nsince: 2026-05-21T10:00:00+08:00\n'
    b"answer: NO\nratio: 1_000\npoints: 010\nsubject: >-\n  Build the form\n  at last\ntransitions:\n"
    b"  - {at: 2026-10-01T10:00:00+02:00, from: ~, to: inbox, by: PM, tool: 'create_task'}\n---\n\n"
    b"# Build\x0c the form\n\nAccept\xe2\x80\xa8ance\xc2\x85 it passes.\n\n\n"
)
DUMPED = (
    b"---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: DEV\nsince: 2026-05-21 10:00:00+08:00\n"
    b"answer: false\nratio: 1000\npoints: 8\nsubject: Build the form at last\ntransitions:\n"
    b"- at: 2026-10-01 10:00:00+02:00\n  from: null\n  to: inbox\n  by: PM\n  tool: create_task\n"
    b"- at: '2026-10-01T09:00:00+00:00'\n  from: inbox\n  to: active\n  by: DEV\n  tool: claim_task\n"
    b"---\n\n# Build\n the form\n\nAccept\nance\n it passes.\n"
)
INBOX_PATH, ACTIVE_PATH = task().path, ACTIVE.path
APPROVAL = {"approver": "ADMIN", "decision": "approve", "approved_at": "2026-10-02T10:00:00+00:00", "channel": "cli"}
CLOSING = {"status": "closed", "closed_at": "2026-10-03T09:00:00+00:00", "closed_by": "PM", "resolution": "Loaded."}

LAWFUL = {
    "nothing": both(DONE, DONE),
    "claim": both(task(), ACTIVE),
    "whole life at once": both(task(), ARCHIVED),
    "into history": both(ARCHIVED, HISTORIC),
    "done to history with its event": both(DONE, HISTORIC),
    "history filed under another day": both(HISTORIC, HISTORIC.but(history="2026-10-02")),
    "round trip without a move": both(
        ACTIVE,
        ACTIVE.but(
            events=[*ACTIVE.events, event(2, "active", "review", "DEV", "submit_task"), event(3, "review", "active", "PM", "reject_task")]
        ),
    ),
    "dumped anew by the reference": (workspace({INBOX_PATH: SPELLED}), workspace({ACTIVE_PATH: DUMPED})),
    "other line ends": files(ACTIVE_PATH, ACTIVE.text(), ACTIVE.text().replace(b"\n", b"\r\n")),
    "a byte order mark": files(ACTIVE_PATH, ACTIVE.text(), b"\xef\xbb\xbf" + ACTIVE.text()),
    "a hand-made move is taken back": both(ACTIVE.but(events=life("inbox")), task()),
    "a hand-made move gets its event": both(ACTIVE.but(events=life("inbox")), ACTIVE),
    "a hand-made move gets its event and goes on": both(ACTIVE.but(events=life("inbox")), task("review")),
    "an archived hand-made move gets its event": both(ARCHIVED.but(events=life("done")), ARCHIVED),
    "an event without a move gets its move": both(task(events=life("active")), ACTIVE),
    "an old file without events gets them": both(ACTIVE.but(events=[]), ACTIVE),
    "an old file without events moves on": both(ACTIVE.but(events=[]), task("review", events=life("review")[2:])),
    "a correcting event": both(
        ACTIVE, ACTIVE.but(events=[*ACTIVE.events, event(2, "inbox", "active", "DEV", "claim_task", supersedes="2")])
    ),
    "report added": (workspace(DONE.tree()), workspace(DONE.tree(), {REPORT: report()})),
    "report added with the archive event": (workspace(DONE.tree()), workspace(ARCHIVED.tree(), {REPORT: report()})),
    "report with other line ends": files(REPORT, report(), report().replace(b"\n", b"\r\n")),
    "report to history": (
        workspace({REPORT: report()}),
        workspace({f"fcop/history/2026-10-01/{NAME}/{REPORT.rpartition('/')[2]}": report()}),
    ),
    "human approval": files(REVIEW, review(), review(human_approval=APPROVAL)),
    "issue closed": files(ISSUE, issue(), issue(**CLOSING)),
    "issue resolved in the words of real files": files(
        ISSUE, issue(), issue(status="resolved", resolved_at="2026-10-03", resolved_by="PM")
    ),
    "a closing completed": files(ISSUE, issue(status="closed"), issue(**CLOSING)),
    "created and claimed": (workspace(), workspace(ACTIVE.tree())),
    "an old TASK in the first import": (MemorySnapshot({"README.md": b"x"}), workspace(DONE.but(events=[]).tree())),
    "a link gives way to the file": (
        MemorySnapshot({MANIFEST: json.dumps(TEAM).encode()}, {ACTIVE_PATH: "elsewhere"}),
        workspace(ACTIVE.tree()),
    ),
    "a conflict that landed is solved": files(ACTIVE_PATH, b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n" + ACTIVE.text(), ACTIVE.text()),
    "a twin is removed": (workspace(task().tree(), ACTIVE.tree()), workspace(ACTIVE.tree())),
    "a twin is removed and the TASK moves on": (workspace(task().tree(), ACTIVE.tree()), workspace(task("review").tree())),
    "manifest reworded": (workspace(), workspace(lang="zh", created_at="2026-10-01")),
    "mode spelled otherwise": (workspace(), workspace(mode="team")),
    "manifest renamed": (MemorySnapshot({"fcop/codeflow.json": json.dumps(TEAM).encode(), **task().tree()}), workspace(task().tree())),
    "a product file": (workspace(), workspace({"src/app.py": b"1"})),
    "the first commit brings a configuration": (MemorySnapshot(), workspace({".fcoplint.toml": b"select = ['FC']\n"})),
}

BROKEN: dict[str, tuple[tuple[MemorySnapshot, MemorySnapshot], list[str]]] = {
    "event changed": (both(DONE, swapped(1, by="QA")), ["FC801"]),
    "event's key added": (both(DONE, swapped(1, note="late")), ["FC801"]),
    "event's moment changed": (both(DONE, swapped(1, at="2026-10-01T09:30:00+00:00")), ["FC801"]),
    "creation moved in time": (both(DONE, swapped(0, at="2026-10-01T07:30:00+00:00")), ["FC801"]),
    "event changed along with a lawful move": (
        both(DONE, ARCHIVED.but(events=[*swapped(1, by="QA").events, ARCHIVED.events[-1]])),
        ["FC801"],
    ),
    "event removed from the middle": (both(DONE, DONE.but(events=[DONE.events[0], *DONE.events[2:]])), ["FC801"]),
    "move reverted": (both(ACTIVE, task()), ["FC801"]),
    "all events removed": (both(ACTIVE, ACTIVE.but(events=[])), ["FC801"]),
    "events reordered": (both(DONE, DONE.but(events=[DONE.events[1], DONE.events[0], *DONE.events[2:]])), ["FC801"]),
    "event inserted": (
        both(DONE, DONE.but(events=[DONE.events[0], event(0.5, "inbox", "active", "QA", "claim_task"), *DONE.events[1:]])),
        ["FC801"],
    ),
    "archived event changed": (both(ARCHIVED, ARCHIVED.but(events=[*swapped(1, by="QA").events, ARCHIVED.events[-1]])), ["FC801", "FC810"]),
    "moved without event": (both(task(), ACTIVE.but(events=life("inbox"))), ["FC802"]),
    "moved without event or list": (both(task(events=[]), ACTIVE.but(events=[])), ["FC802"]),
    "moved further than the events": (both(task(), task("review", events=life("active"))), ["FC802"]),
    "moved with an event from elsewhere": (
        both(task(), task("done", events=[*life("inbox"), event(3, "review", "done", "PM", "approve_task")])),
        ["FC802"],
    ),
    "jumped with a migration event": (
        both(task(), task("done", events=[*life("inbox"), event(3, None, "done", "migration", "fcop_migrate_v3")])),
        ["FC802"],
    ),
    "moved out of the stages": (
        (workspace(ACTIVE.tree()), workspace({f"fcop/log/tasks/{NAME}.md": ACTIVE.text()}, task(name=f"{NAME}-b").tree())),
        ["FC802"],
    ),
    "done to history without event": (both(DONE, DONE.but(history="2026-10-01")), ["FC802"]),
    "event without a move": (both(task(), task(events=life("active"))), ["FC803"]),
    "body edited": (both(ACTIVE, ACTIVE.but(body="# Build the form\n\nAcceptance: it opens.\n")), ["FC804"]),
    "body edited in bytes that are no text": (files(ACTIVE_PATH, ACTIVE.text() + b"\xff", ACTIVE.text() + b"\xfe"), ["FC804"]),
    "field added": (both(ACTIVE, ACTIVE.but(fields={"priority": "P1"})), ["FC804"]),
    "field removed": (both(ACTIVE.but(fields={"priority": "P1"}), ACTIVE), ["FC804"]),
    "field emptied": (both(ACTIVE.but(fields={"priority": "P1"}), ACTIVE.but(fields={"priority": None})), ["FC804"]),
    "field and body edited with a move": (
        both(task(fields={"priority": "P1"}), ACTIVE.but(fields={"priority": "P3"}, body="x\n")),
        ["FC804", "FC804"],
    ),
    "front matter lost": (files(ACTIVE_PATH, ACTIVE.text(), b"# Build the form\n"), ["FC801", "FC804"]),
    "report edited": (files(REPORT, report(status="blocked"), report()), ["FC805"]),
    "report spelled otherwise": (files(REPORT, report(), report().replace(b"status: done", b"status: 'done'")), ["FC805"]),
    "review flipped": (files(REVIEW, review(), review(decision="approved")), ["FC806"]),
    "approval of what asked for none": (
        files(REVIEW, review(decision="rejected"), review(decision="rejected", human_approval=APPROVAL)),
        ["FC806"],
    ),
    "approval changed": (
        files(REVIEW, review(human_approval=APPROVAL), review(human_approval=APPROVAL | {"decision": "reject"})),
        ["FC806"],
    ),
    "approval with another edit": (files(REVIEW, review(), review(human_approval=APPROVAL, rationale="none")), ["FC806"]),
    "issue softened": (files(ISSUE, issue(), issue(severity="low")), ["FC807"]),
    "issue closed and softened": (files(ISSUE, issue(), issue(**CLOSING, severity="low")), ["FC807"]),
    "issue opened again": (files(ISSUE, issue(**CLOSING), issue(**CLOSING | {"status": "open"})), ["FC807"]),
    "closing changed": (files(ISSUE, issue(**CLOSING), issue(**CLOSING | {"closed_by": "DEV"})), ["FC807"]),
    "issue's text edited": (files(ISSUE, issue(), issue(body="All is well.\n")), ["FC807"]),
    "slug renamed": (both(task(name=f"{NAME}-login"), task(name=f"{NAME}-sign-in")), ["FC808"]),
    "number renamed": (both(task(), task(name="TASK-20261001-009-PM-to-DEV")), ["FC808"]),
    "report renamed": ((workspace({REPORT: report()}), workspace({REPORT.replace("-001-", "-002-"): report()})), ["FC808"]),
    "renamed while moving": (both(task(name=f"{NAME}-login"), ACTIVE), ["FC808"]),
    "task deleted": ((workspace(ACTIVE.tree()), workspace()), ["FC809"]),
    "report deleted": ((workspace({REPORT: report()}), workspace()), ["FC809"]),
    "moved to where nobody looks": ((workspace(ACTIVE.tree()), workspace({f"fcop/shared/{NAME}.md": ACTIVE.text()})), ["FC809"]),
    "manifest deleted": ((workspace(task().tree()), MemorySnapshot(task().tree())), ["FC809"]),
    "workspace deleted": ((workspace(task().tree()), MemorySnapshot({"README.md": b"x"})), ["FC809", "FC809"]),
    "archive edited": (both(ARCHIVED, ARCHIVED.but(body="x\n")), ["FC810"]),
    "archive spelled otherwise": (
        files(ARCHIVED.path, ARCHIVED.text(), ARCHIVED.text().replace(b"sender: PM", b"sender: 'PM'")),
        ["FC810"],
    ),
    "history edited": (both(HISTORIC, HISTORIC.but(body="x\n")), ["FC810"]),
    "history edited on the way": (both(ARCHIVED, HISTORIC.but(body="x\n")), ["FC810"]),
    "historic report edited": (
        files(f"fcop/history/2026-10-01/{NAME}/{REPORT.rpartition('/')[2]}", report(), report(status="blocked")),
        ["FC810"],
    ),
    "event after archive": (
        both(ARCHIVED, ARCHIVED.but(events=[*ARCHIVED.events, event(9, "archive", "archive", "PM", "archive_task")])),
        ["FC810"],
    ),
    "taken out of the archive": (both(ARCHIVED, ARCHIVED.but(stage="done")), ["FC802", "FC810"]),
    "taken out of history": (both(HISTORIC, ARCHIVED), ["FC810"]),
    "another TASK under the name": (both(task(), OTHER), ["FC811"]),
    "a twin is overwritten by a move": (
        (
            workspace(ACTIVE.tree(), OTHER.tree()),
            workspace(OTHER.but(stage="active", events=[*OTHER.events, event(51, "inbox", "active", "DEV", "claim_task")]).tree()),
        ),
        ["FC811"],
    ),
    "a twin is edited": ((workspace(task().tree(), ACTIVE.tree()), workspace(task().tree(), ACTIVE.but(body="x\n").tree())), ["FC804"]),
    "a twin is removed and the other rewritten": (
        (workspace(task().tree(), ACTIVE.tree()), workspace(task("review").but(body="x\n").tree())),
        ["FC804"],
    ),
    "leader changed": ((workspace(), workspace(leader="DEV")), ["FC813"]),
    "role added": ((workspace(), workspace(roles=["PM", "DEV", "QA", "OPS", "DBA"])), ["FC813"]),
    "layer changed": (
        (workspace(roles=["PM", {"code": "DEV"}]), workspace(roles=["PM", {"code": "DEV", "layer": "governance"}])),
        ["FC813"],
    ),
    "configuration added": ((workspace(), workspace({".fcoplint.toml": b"ignore = ['FC8']\n"})), ["FC817"]),
    "configuration removed": ((workspace({".fcoplint.toml": b"x = 1\n"}), workspace()), ["FC817"]),
    "project table changed": (
        (workspace({"pyproject.toml": b"[tool.fcoplint]\nx = 1\n"}), workspace({"pyproject.toml": b"[tool.fcoplint]\nx = 2\n"})),
        ["FC817"],
    ),
    "baseline changed": (
        (
            workspace({".fcoplint.toml": b"baseline = 'b.json'\n", "b.json": b"1"}),
            workspace({".fcoplint.toml": b"baseline = 'b.json'\n", "b.json": b"2"}),
        ),
        ["FC817"],
    ),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_a_lawful_change_is_silent(name: str) -> None:
    before, after = LAWFUL[name]
    assert codes(judge(before, after)) == []


@pytest.mark.parametrize("name", BROKEN)
def test_an_unlawful_change_gives_its_codes(name: str) -> None:
    (before, after), expected = BROKEN[name]
    assert sorted(codes(judge(before, after))) == expected


LINES = {
    "event changed": ("FC801", ACTIVE_PATH.replace("active", "done"), 12),
    "move reverted": ("FC801", INBOX_PATH, 6),
    "event inserted": ("FC801", ACTIVE_PATH.replace("active", "done"), 12),
    "moved without event": ("FC802", ACTIVE_PATH, 9),
    "event without a move": ("FC803", INBOX_PATH, 14),
    "body edited": ("FC804", ACTIVE_PATH, 21),
    "field added": ("FC804", ACTIVE_PATH, 6),
    "field removed": ("FC804", ACTIVE_PATH, 1),
    "report edited": ("FC805", REPORT, 8),
    "another TASK under the name": ("FC811", INBOX_PATH, 7),
    "leader changed": ("FC813", MANIFEST, 1),
}


@pytest.mark.parametrize("name", LINES)
def test_a_finding_stands_where_the_fault_is(name: str) -> None:
    found = [item for item in judge(*BROKEN[name][0]).findings if item.rule.code == LINES[name][0]]
    location = found[0].finding.location
    assert (found[0].rule.code, location.path, location.span and location.span.line) == LINES[name]


REWRITES = {
    "event changed": "changed", "event removed from the middle": "removed", "move reverted": "reverted",
    "events reordered": "reordered", "event inserted": "inserted",
}  # fmt: skip


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_says_which_way_it_went(name: str) -> None:
    assert [item.finding.message for item in judge(*BROKEN[name][0]).findings] == [REWRITES[name]]


UNLED = {
    "moved without event": "no-event",
    "moved further than the events": "default",
    "moved with an event from elsewhere": "gap",
    "moved out of the stages": "outside",
    "done to history without event": "no-event",
    "event without a move": "default",
}


@pytest.mark.parametrize("name", UNLED)
def test_a_move_says_what_its_events_lack(name: str) -> None:
    found = judge(*BROKEN[name][0]).findings
    assert [item.finding.message for item in found if item.rule.code in ("FC802", "FC803")] == [UNLED[name]]


def test_a_reverted_move_names_the_lawful_way_back() -> None:
    assert "reject_task" in judge(*BROKEN["move reverted"][0]).findings[0].help


def test_a_move_by_hand_is_one_finding_not_two() -> None:
    """FC309 tells the same of the state alone; audit needs it, a change has said it better."""
    report = judge(*BROKEN["moved without event"][0], select=())
    assert codes(report) == ["FC802"]


def v4(files: dict[str, bytes]) -> MemorySnapshot:
    head = {"protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:0", "encoding": {}, "profiles": []}
    return MemorySnapshot({MANIFEST: json.dumps(head).encode(), **files})


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (REPORT, report(), report().replace(b"\n", b"\r\n"), ("FC805", "error")),
        (REVIEW, review(), review(human_approval=APPROVAL), ("FC806", "error")),
        (ISSUE, issue(), issue(**CLOSING), ("FC807", "error")),
        (ARCHIVED.path, ARCHIVED.text(), ARCHIVED.text() + b"\n", ("FC810", "error")),
        (ACTIVE_PATH, ACTIVE.text(), ACTIVE.but(body="x\n").text(), ("FC804", "error")),
    ],
)
def test_v4_knows_no_harmless_edit(path: str, before: bytes, after: bytes, expected: tuple[str, str]) -> None:
    found = judge(v4({path: before}), v4({path: after})).findings
    assert [(item.rule.code, item.severity) for item in found] == [expected]


def test_a_protocol_cannot_be_left_to_escape_its_rules() -> None:
    unknown = MemorySnapshot({MANIFEST: b'{"protocol": "other"}', **ACTIVE.but(body="x\n").tree()})
    assert "FC804" in codes(judge(workspace(ACTIVE.tree()), unknown))


# -- what is landed anew: FC812, FC814, FC313, FC420 ----------------------------------------------------------------

BRINGS = {
    "no events": (workspace(), workspace(DONE.but(events=[]).tree()), ["FC812"]),
    "no way there": (workspace(), workspace(ACTIVE.but(events=life("inbox")).tree()), ["FC812"]),
    "no creation": (workspace(), workspace(ACTIVE.but(events=life("active")[1:]).tree()), ["FC812"]),
    "in history": (workspace(), workspace(HISTORIC.but(events=life("done")).tree()), ["FC812"]),
    "migrated": (workspace(), workspace(DONE.but(events=[event(1, None, "done", "migration", "fcop_migrate_v3")]).tree()), []),
    "report after archive": (workspace(ARCHIVED.tree()), workspace(ARCHIVED.tree(), {REPORT: report()}), ["FC814"]),
    "report after history": (workspace(HISTORIC.tree()), workspace(HISTORIC.tree(), {REPORT: report()}), ["FC814"]),
    "report on its way to history": (workspace(ARCHIVED.tree(), {REPORT: report()}), workspace(
        HISTORIC.tree(), {f"fcop/history/2026-10-01/{NAME}/{REPORT.rpartition('/')[2]}": report()}), []),
}  # fmt: skip


@pytest.mark.parametrize("name", BRINGS)
def test_what_a_change_brings(name: str) -> None:
    before, after, expected = BRINGS[name]
    assert codes(judge(before, after)) == expected


def test_an_event_that_claims_to_be_old_is_told() -> None:
    newest = OTHER.but(name="TASK-20261003-001-PM-to-DEV").tree()  # 50 hours after the start
    before = workspace(task().tree(), newest)
    found = judge(before, workspace(ACTIVE.tree(), newest)).findings
    assert [(item.rule.code, item.finding.location.span and item.finding.location.span.line) for item in found] == [("FC313", 12)]
    late = ACTIVE.but(events=[*life("inbox"), event(30, "inbox", "active", "DEV", "claim_task")])
    assert judge(before, workspace(late.tree(), newest)).findings == ()


def test_a_landed_event_of_the_future_makes_nothing_old() -> None:
    wrong = OTHER.but(name="TASK-20261003-001-PM-to-DEV", events=[event(50_000, None, "inbox", "PM", "create_task")]).tree()
    assert judge(workspace(task().tree(), wrong), workspace(ACTIVE.tree(), wrong)).findings == ()


ACTORS = {"PM": ("pm@example.org", "*@lead.example.org"), "DEV": ("dev@example.org",)}
DEV, PM = Author("Dee", "dev@example.org"), Author("Pam", "Boss@lead.example.org")


@pytest.mark.parametrize(
    ("before", "after", "author", "expected"),
    [
        (task(), ACTIVE, DEV, []),
        (task(), ACTIVE, PM, ["FC420"]),
        (task(), ACTIVE, None, []),
        (task(), task("review"), PM, ["FC420", "FC420"]),
        (task("review"), DONE, PM, []),
        (task("review"), DONE, DEV, ["FC420"]),
        (task("review"), task("done", events=[*life("review"), event(3, "review", "done", "PM-01", "approve_task")]), DEV, ["FC420"]),
        (task("review"), task("done", events=[*life("review"), event(3, "review", "done", "OPS", "approve_task")]), DEV, []),
    ],
)
def test_a_role_is_signed_for_by_its_authors_alone(before: TaskFile, after: TaskFile, author: Author | None, expected: list[str]) -> None:
    assert codes(judge(*both(before, after), author=author, actors=ACTORS)) == expected
    assert codes(judge(*both(before, after), author=author)) == []


def test_a_new_report_is_signed_for_too_and_a_new_task_by_its_creation() -> None:
    assert codes(judge(workspace(), workspace({REPORT: report()}), author=PM, actors=ACTORS)) == ["FC420"]
    assert codes(judge(workspace(), workspace(task().tree()), author=DEV, actors=ACTORS)) == ["FC420"]


@pytest.mark.parametrize(("signed", "expected"), [(False, ["FC420"]), (True, []), (None, [])])
def test_signatures_count_where_they_are_required(signed: bool | None, expected: list[str]) -> None:
    change = both(task(), ACTIVE)
    assert codes(judge(*change, author=DEV, signed=signed, actors=ACTORS, require_signed=True)) == expected
    assert codes(judge(*change, author=DEV, signed=signed, actors=ACTORS)) == []


def test_product_work_without_a_record_is_told_on_request() -> None:
    change = workspace(task().tree()), workspace(task().tree(), {"src/app.py": b"1"})
    with_record = workspace(task().tree()), workspace(ACTIVE.tree(), {"src/app.py": b"1"})
    told = {select: [item.rule.code for item in judge(*change, select=select).findings] for select in ((), ("FC8",), ("FC816",))}
    assert told == {(): [], ("FC8",): [], ("FC816",): ["FC816"]}
    assert judge(*with_record, select=("FC816",)).findings == ()


# -- merges ---------------------------------------------------------------------------------------------------------


class Held:
    """A past that has these versions, the oldest first; each but the last left its path."""

    def __init__(self, *versions: TaskFile) -> None:
        self.versions = versions

    def __call__(self, folder: str, filename: str) -> Iterator[Past]:
        for number, version in reversed(list(enumerate(self.versions))):
            if version.path.startswith(f"{folder}/") and version.path.rpartition("/")[2] == filename:
                yield Past(f"{number:040}", version.path, version.text())

    def departed(self, folder: str, filenames: Iterable[str]) -> set[str]:
        return {version.path.rpartition("/")[2] for version in self.versions[:-1]} & set(filenames)


def past(*versions: TaskFile) -> Ancestors:
    return Held(*versions)


class Never:
    """A past that nobody may ask."""

    def __call__(self, folder: str, filename: str) -> Iterator[Past]:
        raise AssertionError(filename)

    def departed(self, folder: str, filenames: Iterable[str]) -> set[str]:
        raise AssertionError(filenames)


SECOND = task(name="TASK-20261001-002-PM-to-DEV")
SECOND_ACTIVE = ACTIVE.but(name=SECOND.name)
QA_CLAIMS = ACTIVE.but(events=[*life("inbox"), event(1.5, "inbox", "active", "QA", "claim_task")])
SOFT = ACTIVE.but(body="# Build the form\n\nAcceptance: it opens.\n")


def merge(ours: Sequence[TaskFile], theirs: Sequence[TaskFile], result: Sequence[TaskFile], pasts: Sequence[Ancestors] = ()) -> list[str]:
    sides = [workspace(*(item.tree() for item in side)) for side in (ours, theirs, result)]
    return codes(judge(sides[:2], sides[2], ancestors=pasts))


def test_an_ordinary_merge_is_silent() -> None:
    assert merge([ACTIVE, SECOND], [task(), SECOND_ACTIVE], [ACTIVE, SECOND_ACTIVE]) == []
    assert merge([ACTIVE], [task()], [ACTIVE]) == []
    assert merge([ACTIVE], [task("review")], [task("review")]) == []


def test_an_evil_merge_is_caught_once() -> None:
    for evil, code in ((ACTIVE.but(events=swapped(1, by="QA").events[:2]), "FC801"), (SOFT, "FC804")):
        assert merge([ACTIVE], [ACTIVE], [evil], [past(task(), ACTIVE)] * 2) == [code]
        assert merge([ACTIVE], [task()], [evil], [past(task(), ACTIVE), past(task())]) != []
    assert merge([ACTIVE], [task()], [], [past(task(), ACTIVE), past(task())]) == ["FC809"]


def test_two_claims_cannot_both_hold() -> None:
    pasts = [past(task(), ACTIVE), past(task(), QA_CLAIMS)]
    assert merge([ACTIVE], [QA_CLAIMS], [ACTIVE], pasts) == ["FC801"]
    assert merge([ACTIVE], [QA_CLAIMS], [ACTIVE.but(events=[*ACTIVE.events, QA_CLAIMS.events[1]])], pasts) != []


def test_what_was_judged_on_one_side_is_not_judged_again() -> None:
    pasts = [past(task(), ACTIVE, SOFT), past(task(), ACTIVE)]
    assert merge([SOFT], [ACTIVE], [SOFT], pasts) == []
    assert merge([SOFT], [ACTIVE], [SOFT]) == ["FC804"]
    assert merge([], [ACTIVE], [], pasts) == []
    assert merge([SOFT], [task("review")], [SOFT], pasts) == ["FC801", "FC804"]


def test_what_one_side_brought_is_not_new_in_the_merge() -> None:
    strange = DONE.but(events=[], name=SECOND.name)
    assert merge([ACTIVE, strange], [task()], [ACTIVE, strange]) == []
    assert merge([ACTIVE], [task()], [ACTIVE, strange]) == ["FC812"]
    led = [workspace(leader="DEV"), workspace({"src/app.py": b"1"})]
    assert codes(judge(led, workspace({"src/app.py": b"1"}, leader="DEV"))) == []
    assert codes(judge(led, workspace(leader="QA"))) == ["FC813"]


# -- restorations ---------------------------------------------------------------------------------------------------

FORGED = ACTIVE.but(events=[*life("inbox"), event(0.5, "inbox", "active", "DEV", "claim_task")])


def restored(before: TaskFile, after: TaskFile, *versions: TaskFile) -> list[tuple[str, str, str]]:
    found = judge(*both(before, after), ancestors=[past(*versions)]).findings
    return [(item.rule.code, item.severity, item.finding.message) for item in found]


def test_what_an_ancestor_held_may_be_brought_back_after_a_rewrite() -> None:
    info = [("FC801", "info", "restores")]
    assert restored(FORGED, ACTIVE, task(), ACTIVE, FORGED) == info
    assert restored(SOFT, ACTIVE, task(), ACTIVE, SOFT) == info
    found = judge(*both(SOFT, ACTIVE), ancestors=[past(task(), ACTIVE, SOFT)]).findings[0]
    assert found.finding.parameters["restores"] == f"{1:040}"


def test_undoing_a_lawful_move_restores_nothing() -> None:
    assert restored(ACTIVE, task(), task(), ACTIVE) == [("FC801", "error", "reverted")]


def test_a_forged_version_is_never_brought_back() -> None:
    assert restored(ACTIVE, FORGED, task(), ACTIVE, FORGED, ACTIVE) == [("FC801", "error", "changed")]
    assert [code for code, severity, _ in restored(ACTIVE, SOFT, task(), ACTIVE, SOFT, ACTIVE) if severity == "error"] == ["FC804"]


def test_another_version_or_place_restores_nothing() -> None:
    assert restored(SOFT, ACTIVE.but(body="# Build\n"), task(), ACTIVE, SOFT)[0][1] == "error"
    assert restored(FORGED, DONE, task(), ACTIVE, FORGED)[0][1] == "error"


def test_the_past_is_asked_only_where_something_was_touched() -> None:
    assert judge(*both(task(), ACTIVE), ancestors=[Never()]).findings == ()
    assert no_ancestors("fcop", "x.md") == ()


# -- workspaces that move -------------------------------------------------------------------------------------------


def elsewhere(root: str, *trees: dict[str, bytes]) -> MemorySnapshot:
    inside = workspace(*trees)
    return MemorySnapshot({path.replace("fcop/", f"{root}/", 1): content for path, content in inside.files.items()})


def test_a_workspace_that_moves_takes_envelopes_and_faults_along() -> None:
    bad = task(fields={"priority": "P9"})
    before, after = workspace(bad.tree(), {REPORT: report()}), elsewhere("shop/fcop", bad.tree(), {REPORT: report()})
    assert judge(before, after, select=()).findings == ()
    assert judge(before, after, select=()).older == judge(before, before, select=()).older


def test_an_edit_hides_behind_no_moved_workspace() -> None:
    assert codes(judge(workspace(ACTIVE.tree()), elsewhere("shop/fcop", SOFT.tree()))) == ["FC804"]
    assert codes(judge(workspace(ACTIVE.tree()), elsewhere("shop/fcop"))) == ["FC809"]


def test_workspaces_with_one_manifest_are_told_apart_by_what_they_hold() -> None:
    before = MemorySnapshot({**elsewhere("a/fcop", ACTIVE.tree()).files, **elsewhere("b/fcop", SECOND.tree()).files})
    after = MemorySnapshot({**elsewhere("d/fcop", ACTIVE.tree()).files, **elsewhere("c/fcop", SECOND.tree()).files})
    change = Change(Workspaces(before, Documents()), Workspaces(after, Documents()))
    assert change.moved == {"a/fcop": "d/fcop", "b/fcop": "c/fcop"}
    assert judge(before, after).findings == ()


def test_an_outer_workspace_deletes_nothing_of_an_inner_one() -> None:
    inner = elsewhere("fcop/fcop", ACTIVE.tree())
    outer = MemorySnapshot({**inner.files, MANIFEST: json.dumps(TEAM | {"lang": "zh"}).encode()})
    assert "FC809" not in codes(judge(inner, outer))


# -- the migration from v2 ------------------------------------------------------------------------------------------


def v2(**files: bytes) -> MemorySnapshot:
    return MemorySnapshot({MANIFEST: json.dumps(TEAM).encode(), **files})


def migrated(stage: str, **changes: Any) -> TaskFile:
    return TaskFile(stage=stage, events=[event(0, None, stage, "migration", "fcop_migrate_v3")]).but(**changes)


def test_the_migration_is_one_lawful_transaction() -> None:
    plain, closed = TaskFile(events=[]).text(), issue(**CLOSING)
    second = TaskFile(name=SECOND.name, events=[]).text()
    before = v2(**{
        f"fcop/log/tasks/{NAME}.md": plain, f"fcop/tasks/{SECOND.name}.md": second,
        f"fcop/log/reports/{REPORT.rpartition('/')[2]}": report(), f"fcop/log/issues/{ISSUE.rpartition('/')[2]}": closed,
    })  # fmt: skip
    after = workspace(
        migrated("archive").tree(), migrated("inbox", name=SECOND.name).tree(), {REPORT: report(), ISSUE: issue(**CLOSING, resolved=True)}
    )
    assert judge(before, after).findings == ()


@pytest.mark.parametrize(
    ("after", "expected"),
    [(migrated("inbox"), []), (TaskFile(events=[]), []), (migrated("inbox", body="x\n"), ["FC804"]), (task("done", events=[]), ["FC802"])],
)
def test_the_migration_covers_nothing_else(after: TaskFile, expected: list[str]) -> None:
    before = v2(**{f"fcop/tasks/{NAME}.md": TaskFile(events=[]).text()})
    assert codes(judge(before, workspace(after.tree()))) == expected


# -- laws -----------------------------------------------------------------------------------------------------------

State = dict[str, TaskFile]


@st.composite
def lives(draw: st.DrawFn, least: int = 1) -> State:
    """Some TASKs, each at a point of a legal life."""
    state: State = {}
    for number in range(1, draw(st.integers(least, 3)) + 1):
        name = f"TASK-20261001-{number:03}-PM-to-DEV"
        state[name] = draw(hops(TaskFile(name=name), 0, 5))
    return state


@st.composite
def hops(draw: st.DrawFn, file: TaskFile, least: int, most: int) -> TaskFile:
    """The TASK some legal hops later, all hours apart."""
    events = list(file.events)
    stage = file.stage
    for _ in range(draw(st.integers(least, most))):
        if not HOPS[stage]:
            break
        target, by, tool = draw(st.sampled_from(HOPS[stage]))
        events.append(event(len(events), stage, target, by, tool))
        stage = target
    return file.but(events=events, stage=stage)


def respelled(content: bytes, how: str) -> bytes:
    """The same TASK as another tool writes it."""
    head, _, body = content.decode()[4:].partition("---\n")
    if how == "dump":
        loaded = yaml.safe_load(head.replace("'2026", "2026").replace("+00:00'", "+00:00"))
        return f"---\n{yaml.safe_dump(loaded, sort_keys=True, width=20)}---\n{body}".encode()
    if how == "crlf":
        return content.replace(b"\n", b"\r\n")
    if how == "blank lines":
        return content.rstrip(b"\n") + b"\n\n\n"
    return b"\xef\xbb\xbf" + content if how == "bom" else content


@settings(deadline=None)
@given(state=lives(), data=st.data())
def test_any_lawful_sequence_is_silent(state: State, data: st.DataObject) -> None:
    texts = {name: file.text() for name, file in state.items()}
    extra: dict[str, bytes] = {ISSUE: issue(), REVIEW: review()}
    before = workspace(*(file.tree() for file in state.values()), extra)
    for _ in range(data.draw(st.integers(1, 3))):
        for name, file in state.items():
            if file.stage == "archive":
                # What is over may only go to history; nothing but line ends and marks may differ.
                state[name] = file.but(history="2026-10-01") if data.draw(st.booleans()) else file
                how = data.draw(st.sampled_from(["", "crlf", "bom"]))
                texts[name] = respelled(texts[name].removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n"), how)
            else:
                state[name] = data.draw(hops(file, 0, 4))
                texts[name] = respelled(state[name].text(), data.draw(st.sampled_from(["", "dump", "crlf", "bom", "blank lines"])))
        lawful = {ISSUE: issue(**CLOSING), REVIEW: review(human_approval=APPROVAL), REPORT: report()}
        extra |= {path: lawful[path] for path in data.draw(st.sets(st.sampled_from(sorted(lawful))))}
        after = workspace({file.path: texts[name] for name, file in state.items()}, extra)
        # A REPORT may come after the archive here; that it is told is another test's matter.
        assert [(item.rule.code, item.message) for item in judge(before, after).findings if item.rule.code != "FC814"] == []
        before = after


MUTATIONS = {
    "change": {"FC801"}, "remove": {"FC801"}, "reorder": {"FC801"}, "insert": {"FC801"}, "body": {"FC804"}, "field": {"FC804"},
    "delete": {"FC809"}, "rename": {"FC808"}, "stay": {"FC803"}, "jump": {"FC802"},
}  # fmt: skip


def mutate(file: TaskFile, how: str, data: st.DataObject) -> TaskFile | None:
    """One unlawful edit of a TASK; None where it vanishes."""
    events, number = [dict(item) for item in file.events], data.draw(st.integers(0, len(file.events) - 1))
    if how == "change":
        key = data.draw(st.sampled_from(["at", "from", "to", "by", "tool"]))
        events[number][key] = "2025-01-01T00:00:00+00:00" if key == "at" else "other"
    elif how == "remove":
        del events[number]
    elif how == "reorder":
        assume(len(events) > 1)
        events = [*events[1:], events[0]]
    elif how == "insert":
        events.insert(number, event(0.5, "inbox", "active", "OPS", "claim_task"))
    elif how == "stay":
        assume(HOPS[file.stage])
        target, by, tool = HOPS[file.stage][0]
        events.append(event(len(events), file.stage, target, by, tool))
    elif how == "jump":
        return file.but(stage=data.draw(st.sampled_from([stage for stage in HOPS if stage != file.stage])))
    elif how in ("body", "field"):
        return file.but(body=f"{file.body}x\n") if how == "body" else file.but(fields={"priority": "P0"})
    elif how == "rename":
        return file.but(name=f"{file.name}-anew")
    elif how == "delete":
        return None
    return file.but(events=events)


@settings(deadline=None)
@given(state=lives(), how=st.sampled_from(sorted(MUTATIONS)), data=st.data())
def test_one_unlawful_edit_among_lawful_ones_gives_its_code(state: State, how: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(state)))
    old, new = state[name], mutate(state[name], how, data)
    lawful = [data.draw(hops(file, 0, 3)) for key, file in state.items() if key != name]
    before = workspace(*(file.tree() for file in state.values()))
    after = workspace(*(file.tree() for file in lawful), new.tree() if new else {})
    frozen = {"FC810"} if old.stage == "archive" and how in ("change", "remove", "reorder", "insert", "body", "field", "jump") else set()
    expected = frozen | (MUTATIONS[how] if not frozen or how not in ("body", "field") else set())
    assert {code for code in codes(judge(before, after)) if code != "FC313"} == expected


@given(st.one_of(st.text(max_size=30), st.integers().map(str), st.floats().map(str), st.dates().map(str), st.datetimes().map(str)))
def test_any_plain_scalar_is_typed_without_a_failure(text: str) -> None:
    plain_value(text)


def test_every_code_of_a_change_is_in_the_catalogue_with_its_messages() -> None:
    for (before, after), _ in BROKEN.values():
        for item in engine.check([before], after, Settings()).findings:
            assert "{" not in item.message + item.help + " ".join(item.next)
