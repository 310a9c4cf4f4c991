"""Events of FCoP 4 (FC302 to FC312, FC351 to FC354): each wrong thing in a TASK's list with its code and nothing beside."""

from __future__ import annotations

import re

import pytest

from tests.support.edits4 import Edit, Files, move, path_of, said, small, swap
from tests.support.workspace4 import Workspace4

CITED = r"evidence_ref:\n(?:  - .*\n)+  evidence_digest:\n(?:  - .*\n)+"
AT = r"at: '(2026-10-01T08:\d\d:\d\d\+00:00)'"


def event(number: int, pattern: str, replacement: str) -> Edit:
    """An edit of one event of the only TASK, by its number."""

    def edit(files: Files) -> Files:
        path = path_of(files, "TASK")
        head, *events = re.split(r"(?=^- )", files[path].decode(), flags=re.MULTILINE)
        found = [place for place, text in enumerate(events) if "from:" in text]
        place = found[number]
        changed = re.sub(pattern, replacement, events[place], count=1, flags=re.MULTILINE)
        assert changed != events[place], (pattern, events[place])
        events[place] = changed
        return {**files, path: (head + "".join(events)).encode()}

    return edit


def drop(number: int) -> Edit:
    return event(number, r"(?s)^- .*?(?=\Z|^---)", "")


def in_stage(stage: str) -> Edit:
    return move("TASK", lambda path: re.sub(r"_lifecycle/\w+/", f"_lifecycle/{stage}/", path))


def add(files: Files, source: str, target: str, tool: str) -> Files:
    """The same with an event more, later than all others."""
    more = f"- at: '2026-10-01T09:00:00+00:00'\n  by: DEV\n  from: {source}\n  to: {target}\n  tool: {tool}\n---\n\n#"
    return swap("TASK", "---\n\n#", more)(files)


def add_to(source: str, target: str, tool: str) -> Edit:
    return lambda files: add(files, source, target, tool)


def stem(files: Files) -> str:
    return path_of(files, "TASK").rpartition("/")[2].removesuffix(".md")


URN = "urn:uuid:00000000-0000-4000-8000-00000000000a"
CASES: list[tuple[str, str, Edit, set[str]]] = [
    ("inbox", "a list of nothing", swap("TASK", "transitions:\n", "transitions: []\nmore:\n"), {"FC308"}),
    ("inbox", "no list", swap("TASK", "transitions:\n", "transitions: none\nmore:\n"), {"FC302"}),
    ("inbox", "no event", swap("TASK", "transitions:\n", "transitions: [created]\nmore:\n"), {"FC302"}),
    ("inbox", "no author", event(0, r"^  by: PM\n", ""), {"FC302"}),
    ("inbox", "another author", event(0, r"by: PM", "by: QA"), {"FC308"}),
    ("inbox", "another moment", event(0, r"T08:00:", "T08:01:"), {"FC308"}),
    ("inbox", "the same moment elsewhere", event(0, r"T08:(\d\d:\d\d)\+00:00", r"T10:\1+02:00"), set()),
    ("inbox", "the tool of old", event(0, "create_task", "write_task"), {"FC306"}),
    ("inbox", "a migration", event(0, "create_task", "fcop_migrate_v3"), {"FC308"}),
    ("active", "created in active", lambda files: in_stage("active")(event(0, "to: inbox", "to: active")(small(to="inbox"))), {"FC308"}),
    ("active", "not created", drop(0), {"FC308"}),
    ("active", "no attempt", event(1, r"  attempt_id: .*\n", ""), {"FC352"}),
    ("active", "an attempt that is no URN", event(1, "urn:uuid:", "uuid:"), {"FC352"}),
    ("active", "an attempt in capitals", event(1, r"urn:uuid:([0-9a-f-]+)", "urn:uuid:ABCDEF00-0000-4000-8000-00000000000A"), {"FC352"}),
    ("active", "a key of nobody", event(1, r"  by: DEV", "  note: took it\n  by: DEV"), {"FC352"}),
    ("active", "a key of another move", event(1, r"  by: DEV", "  family_digest: " + "0" * 64 + "\n  by: DEV"), {"FC352"}),
    ("active", "a correction", event(1, r"  by: DEV", "  supersedes: 1\n  by: DEV"), {"FC352"}),
    ("active", "finished in v3's way", lambda files: in_stage("done")(add(files, "active", "done", "finish_task")), {"FC351"}),
    ("active", "finished under another name", lambda files: in_stage("done")(add(files, "active", "done", "approve_task")), {"FC351"}),
    ("active", "archived at once", lambda files: in_stage("archive")(add(files, "active", "archive", "archive_task")), {"FC305"}),
    ("active", "back to inbox", lambda files: in_stage("inbox")(add(files, "active", "inbox", "reopen_task")), {"FC305"}),
    ("active", "a stage that is none", add_to("active", "wip", "claim_task"), {"FC305"}),
    ("active", "moved by hand", in_stage("review"), {"FC309"}),
    ("active", "moved nowhere near", in_stage("archive"), {"FC309"}),
    ("active", "another tool", event(1, "claim_task", "submit_task"), {"FC306"}),
    ("active", "v3's tool for the claim", event(1, "claim_task", "finish_task"), {"FC351"}),
    ("active", "a gap", event(1, "from: inbox", "from: done"), {"FC306", "FC307", "FC451", "FC352"}),
    ("active", "time without offset", event(1, AT, "at: '2026-10-01T08:00:30'"), {"FC303"}),
    ("active", "time without quotes", event(1, AT, r"at: \1"), {"FC303"}),
    ("active", "time with a blank", event(1, AT, "at: '2026-10-01 08:00:30+00:00'"), {"FC303"}),
    ("active", "no time", event(1, AT, "at: 'yesterday'"), {"FC303"}),
    ("active", "time runs back", event(1, AT, "at: '2026-09-30T08:00:00+00:00'"), {"FC304"}),
    ("active", "time to come", event(1, AT, "at: '2999-10-01T08:00:00+00:00'"), {"FC312"}),
    ("active", "a look-alike author", event(1, "by: DEV", "by: DЕV"), {"FC106"}),
    ("review", "evidence as text", event(2, r"evidence_ref:\n  - (.*)", r"evidence_ref: \1"), {"FC352"}),
    ("review", "evidence of nothing", event(2, r"evidence_ref:\n  - .*\n", "evidence_ref: []\n"), {"FC352"}),
    ("review", "a digest that is none", event(2, r"evidence_digest:\n  - \w{60}(\w{4})", r"evidence_digest:\n  - \1"), {"FC352", "FC552"}),
    ("review", "a TASK for evidence", lambda files: event(2, r"REPORT-\w+", stem(files))(files), {"FC352", "FC552"}),
    ("review", "a REPORT on another TASK", swap("REPORT", "subject_ref: TASK-", "subject_ref: TASK-0"), {"FC354", "FC502", "FC552"}),
    ("review", "a REPORT of another attempt", swap("REPORT", "attempt_id: urn:uuid:", f"attempt_id: {URN} #"), {"FC354", "FC552"}),
    ("archive", "moved on", lambda files: in_stage("active")(add(files, "archive", "active", "reopen_task")), {"FC310"}),
    ("archive", "an archiving of another attempt", event(4, "attempt_id: .*", f"attempt_id: {URN}"), {"FC354"}),
    ("archive", "no attempt at the archiving", event(4, r"  attempt_id: .*\n", ""), {"FC352"}),
    ("done", "an approval without authority", event(3, r"  authorization_ref: .*\n", ""), {"FC451"}),
    ("done", "an approval without a digest", event(3, r"  authorization_digest: .*\n", ""), {"FC352"}),
    ("done", "an approval that cites nothing", event(3, CITED, "evidence_ref: []\n  evidence_digest: []\n"), {"FC352"}),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "edit", "codes"), [(case[0], *case[2:]) for case in CASES], ids=[case[1] for case in CASES])
def test_each_wrong_thing_has_its_code_and_no_other(stage: str, edit: Edit, codes: set[str]) -> None:
    files = {path: data for path, data in small(to=stage).items() if stage not in ("done", "archive") or "/issues/" not in path}
    assert {code for code, _ in said(edit(files))} == codes


def test_an_attempt_serves_once_in_the_whole_workspace() -> None:
    made = Workspace4(facts=False)
    first, second = made.task(), made.task("Test the form")
    attempt = made.claim(first)
    made.claim(second)
    assert said(made.files) == set()
    made.fields[second]["transitions"][-1]["attempt_id"] = attempt
    made._put(second, "active")
    assert said(made.files) == {("FC353", "error")}


def test_an_attempt_serves_once_in_one_task() -> None:
    made = Workspace4(facts=False)
    task = made.task()
    attempt = made.claim(task)
    report = made.report(task, attempt)
    made.submit(task, report)
    made.reject(task, attempt, report)
    assert said(made.files) == set()
    made.fields[task]["transitions"][-1]["attempt_id"] = attempt
    made._put(task, "active")
    assert said(made.files) == {("FC353", "error")}


def test_every_edge_of_a_long_life_is_lawful() -> None:
    for facts in (False, True):
        made = Workspace4(facts=facts)
        task = made.task()
        attempt = made.claim(task)
        report = made.report(task, attempt)
        made.submit(task, report)
        attempt = made.reject(task, attempt, report)
        made.to_done(task, attempt)
        attempt = made.reopen(task, attempt)
        made.to_done(task, attempt)
        made.archive(task, attempt)
        assert said(made.files) == set()
