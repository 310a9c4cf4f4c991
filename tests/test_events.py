"""The events' contract, as tables: what is sound, what is broken and where, and what a change makes of it."""

import datetime
import json

import pytest

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.protocol import dialects, stages
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import TEAM

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
NAME = "TASK-20261001-003-PM-to-DEV.md"
MANIFEST = {"fcop/fcop.json": json.dumps(TEAM).encode()}
# The ordinary events, and what the rows below put together from them: "AT FROM TO BY TOOL", further keys after " ; ".
C = "2026-10-01T08:00:00Z null inbox PM create_task"
CL = "2026-10-01T09:00:00Z inbox active DEV claim_task"
SU = "2026-10-01T10:00:00Z active review DEV submit_task"
RE = "2026-10-01T10:30:00Z review active PM reject_task"
AP = "2026-10-01T11:00:00Z review done PM approve_task"
AR = "2026-10-01T12:00:00Z done archive PM archive_task"
MI = "2026-10-01T07:00:00Z null inbox migration fcop_migrate_v3"
# Back to work after the end, from archive and from where it was before.
BACK = "2026-10-02T08:00:00Z archive active PM reject_task"
BACK_FROM_DONE = BACK.replace("archive", "done")
SU2 = SU.replace("10-01", "10-02")
KEYS = ("at", "from", "to", "by", "tool")


def item(event: str) -> str:
    """One event as YAML; a value `-` leaves the key out, `_` in `at` is a blank, and what follows `RAW ` stands as it is."""
    if event.startswith("RAW "):
        return f"- {event.removeprefix('RAW ')}\n"
    plain, *more = event.split(" ; ")
    pairs = [(key, value.replace("_", " ") if key == "at" else value) for key, value in zip(KEYS, plain.split(" "), strict=True)]
    lines = [f"{key}: {value}" for key, value in pairs if value != "-"] + more
    return "- " + "\n  ".join(lines) + "\n"


def text(*events: str, listed: str | None = None) -> bytes:
    """A TASK; `listed` stands in place of the whole transitions list."""
    transitions = "transitions:\n" + "".join(map(item, events)) if listed is None else listed
    return f"---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: DEV\n{transitions}---\n\n# Build the form\n".encode()


def at(stage: str, content: bytes, name: str = NAME) -> dict[str, bytes]:
    return {f"fcop/_lifecycle/{stage}/{name}": content}


def settings(dialect: str = "fcop", *, select: str = "FC3") -> Settings:
    return Settings(select=(select,), policy=Policy(now=NOW, dialect=dialect))


def audit(files: dict[str, bytes], dialect: str = "fcop") -> Report:
    return engine.audit(MemorySnapshot({**MANIFEST, **files}), settings(dialect))


def told(report: Report) -> list[str]:
    """Code, severity, and the line pointed at, of each finding; the opening fence counts as an empty line."""
    return [f"{found.rule.code} {found.severity} {(found.source or '').strip(' -')}".strip() for found in report.findings]


SOUND = {
    "created": at("inbox", text(C)),
    "whole life": at("archive", text(C, CL, SU, RE, SU.replace("10:00", "10:40"), AP, AR)),
    "fast track with arguments": at("done", text(C, CL, "2026-10-01T10:00:00Z active done DEV finish_task(skip_review=true)")),
    "quoted tool": at("active", text(C, CL.replace("claim_task", "'claim_task(now)'"))),
    "null as a tilde": at("inbox", text(C.replace("null", "~"))),
    "null in capitals": at("inbox", text(C.replace("null", "NULL"))),
    "migrated": at("archive", text(MI.replace("inbox", "archive"))),
    "migrated, then moved": at("active", text(MI, CL)),
    "migrated with events already there": at("active", text(C, CL, MI.replace("inbox", "active"))),
    "migrated into archive where it was": at("archive", text(C, CL, SU, AP, AR, MI.replace("inbox", "archive"))),
    "migration dated after what follows": at("active", text(MI.replace("2026-10-01", "2026-11-01"), CL)),
    "a correction starts elsewhere": at("review", text(C, SU + " ; supersedes: '2026-10-01T09:00:00Z'")),
    "same instant": at("active", text(C, CL.replace("09:00", "08:00"))),
    "zones and blanks": at("review", text(C, CL.replace("09:00:00Z", "17:00:00+08:00").replace("T", "_"), SU.replace("00Z", "00.5Z"))),
    "ahead within the tolerance": at("active", text(C, CL.replace("2026-10-01T09:00", "2026-11-30T12:09"))),
    "archived before events were": {**at("archive", text(listed=""), "TASK-20250101-001-PM-to-DEV.md"), **at("inbox", text(C))},
    "archived where no event ever was": at("archive", text(listed="")),
    "in history without a list": {f"fcop/history/2026-10-01/{NAME[:-3]}/{NAME}": text(listed="")},
    "in history after archive": {f"fcop/history/2026-10-01/{NAME[:-3]}/{NAME}": text(C, CL, SU, AP, AR)},
    "in history, not archived: FC212 says so": {f"fcop/history/2026-10-01/{NAME[:-3]}/{NAME}": text(C, CL)},
    "twins: FC203 says so": {**at("inbox", text(C)), **at("active", text(C))},
    "no front matter: FC111 says so": at("inbox", b"# Build the form\n"),
    "broken YAML: FC112 says so": at("inbox", text(listed="transitions: [\n")),
    "in an unknown stage": at("doing", text(C)),
}  # fmt: skip


@pytest.mark.parametrize("files", SOUND.values(), ids=SOUND.keys())
def test_sound_events_are_silent(files: dict[str, bytes]) -> None:
    assert told(audit(files)) == []


def test_older_layouts_have_no_events() -> None:
    assert told(engine.audit(MemorySnapshot({**MANIFEST, f"fcop/tasks/{NAME}": text(CL)}), settings())) == []


BROKEN = {
    "no list": (at("review", text(listed="")), ["FC301 warning"]),
    "empty list": (at("review", text(listed="transitions: []\n")), ["FC301 warning transitions: []"]),
    "null list": (at("archive", text(listed="transitions:\n")), ["FC301 warning transitions:"]),
    "archived in the time of events": (
        {**at("archive", text(listed="")), **at("inbox", text(C), "TASK-20261001-001-PM-to-DEV.md")},
        ["FC301 warning"],
    ),
    "text for a list": (at("inbox", text(listed="transitions: none\n")), ["FC302 error transitions: none"]),
    "mapping for a list": (at("inbox", text(listed="transitions:\n  at: now\n")), ["FC302 error at: now"]),
    "text for an event": (at("active", text(C, "RAW claimed", CL)), ["FC302 error claimed"]),
    "list for an event": (at("active", text(C, CL, "RAW [a, b]")), ["FC302 error [a, b]"]),
    "null for an event": (at("inbox", text(C, "RAW ")), ["FC302 error"]),
    "no by": (at("active", text(C, CL.replace("DEV", "-"))), ["FC302 error at: 2026-10-01T09:00:00Z"]),
    "no from in the first": (at("inbox", text(C.replace("null", "-"))), ["FC302 error at: 2026-10-01T08:00:00Z"]),
    "no to in the last": (at("active", text(C, CL.replace("active", "-"))), ["FC302 error at: 2026-10-01T09:00:00Z"]),
    "no at in the middle": (at("review", text(C, CL.replace("2026-10-01T09:00:00Z", "-"), SU)), ["FC302 error from: inbox"]),
    "no tool in a creation": (at("inbox", text(C.replace("create_task", "-"))), ["FC302 error at: 2026-10-01T08:00:00Z"]),
    "no tool in a migration": (
        at("review", text(MI.replace("inbox", "review").replace("fcop_migrate_v3", "-"))),
        ["FC302 error at: 2026-10-01T07:00:00Z"],
    ),
    "empty by": (at("active", text(C, CL.replace("DEV", "''"))), ["FC302 error by: ''"]),
    "null tool": (at("active", text(C, CL.replace("claim_task", "null"))), ["FC302 error tool: null"]),
    "list by": (at("active", text(C, CL.replace("DEV", "[DEV]"))), ["FC302 error by: [DEV]"]),
    "by is false": (at("active", text(C, CL.replace("DEV", "NO"))), ["FC302 error by: NO"]),
    "tool is true": (at("active", text(C, CL.replace("claim_task", "on"))), ["FC302 error tool: on"]),
    "by is a number": (at("active", text(C, CL.replace("DEV", "007"))), ["FC302 error by: 007"]),
    "naive": (at("inbox", text(C.replace("Z", ""))), ["FC303 warning at: 2026-10-01T08:00:00"]),
    "a day only": (at("inbox", text(C.replace("T08:00:00Z", ""))), ["FC303 warning at: 2026-10-01"]),
    "no time": (at("active", text(C, CL.replace("2026-10-01T09:00:00Z", "soon"))), ["FC303 error at: soon"]),
    "no such day": (at("inbox", text(C.replace("10-01", "02-30"))), ["FC303 error at: 2026-02-30T08:00:00Z"]),
    "back in UTC": (at("active", text(C, CL.replace("09:00:00Z", "15:59:59+08:00"))), ["FC304 warning at: 2026-10-01T15:59:59+08:00"]),
    "back for any zone of a naive time": (
        at("active", text(C, CL.replace("2026-10-01T09:00:00Z", "2026-09-30T19:00:00"))),
        ["FC303 warning at: 2026-09-30T19:00:00", "FC304 warning at: 2026-09-30T19:00:00"],
    ),
    "maybe back, in another zone": (
        at("active", text(C, CL.replace("2026-10-01T09:00:00Z", "2026-10-01T03:00:00"))),
        ["FC303 warning at: 2026-10-01T03:00:00"],
    ),
    "maybe ahead, and back behind what is sure": (
        at("review", text(C, CL.replace("2026-10-01T09:00:00Z", "2026-10-01T16:00:00"), SU.replace("T10:", "T07:"))),
        ["FC303 warning at: 2026-10-01T16:00:00", "FC304 warning at: 2026-10-01T07:00:00Z"],
    ),
    "both naive, and back": (
        at("active", text(C.replace("Z", ""), CL.replace("09:00:00Z", "07:00:00"))),
        ["FC303 warning at: 2026-10-01T08:00:00", "FC303 warning at: 2026-10-01T07:00:00", "FC304 warning at: 2026-10-01T07:00:00"],
    ),
    "no such edge": (at("done", text(C, "2026-10-01T09:00:00Z inbox done PM approve_task")), ["FC305 error to: done"]),
    "same stage": (at("active", text(C, CL, "2026-10-01T09:30:00Z active active DEV claim_task")), ["FC305 error to: active"]),
    "no such stage": (at("active", text(C, CL.replace("active", "working"))), ["FC305 error to: working"]),
    "stage in capitals": (at("active", text(C, CL.replace("active", "Active"))), ["FC305 error to: Active"]),
    "no such source": (at("active", text(C, CL.replace("inbox", "todo"))), ["FC305 error to: active"]),
    "corrected by what is no edge": (
        at("archive", text(C, "2026-10-01T09:00:00Z null archive PM archive_task ; supersedes: x")),
        ["FC305 error to: archive"],
    ),
    "wrong tool": (at("active", text(C, CL.replace("claim_task", "submit_task"))), ["FC306 error tool: submit_task"]),
    "tool of no edge": (at("active", text(C, CL.replace("claim_task", "git_mv"))), ["FC306 error tool: git_mv"]),
    "wrong tool at creation": (at("inbox", text(C.replace("create", "claim"))), ["FC306 error tool: claim_task"]),
    "the migration's tool on an edge": (
        at("active", text(C, CL.replace("claim_task", "fcop_migrate_v3"))),
        ["FC306 error tool: fcop_migrate_v3"],
    ),
    "write_task": (at("inbox", text(C.replace("create", "write"))), ["FC306 warning tool: write_task"]),
    "write_task elsewhere": (at("active", text(C, CL.replace("claim", "write"))), ["FC306 error tool: write_task"]),
    "gap": (at("review", text(C, SU)), ["FC307 error from: active"]),
    "created twice": (at("inbox", text(C, C)), ["FC307 error from: null"]),
    "from nothing to anywhere": (at("done", text(C, AP.replace("review", "null"))), ["FC307 error from: null"]),
    "both claim": (at("active", text(C, CL, CL.replace("DEV", "QA"))), ["FC307 error from: inbox"]),
    "begins with a claim": (at("active", text(CL)), ["FC308 error from: inbox"]),
    "created in active": (at("active", text(C.replace("inbox", "active"))), ["FC308 error from: null"]),
    "quoted null": (at("inbox", text(C.replace("null", "'null'"))), ["FC308 error from: 'null'"]),
    "migrated by hand": (at("done", text(MI.replace("migration", "DEV").replace("inbox", "done"))), ["FC308 error from: null"]),
    "migrated twice": (at("inbox", text(MI, MI)), ["FC308 error from: null"]),
    "moved by hand": (at("active", text(C)), ["FC309 error to: inbox"]),
    "events ahead": (at("active", text(C, CL, SU)), ["FC309 error to: review"]),
    "back from archive by hand": (at("active", text(C, CL, SU, AP, AR)), ["FC309 error to: archive"]),
    "in a sub-folder of a stage": (at("active/DEV", text(C)), ["FC309 error to: inbox"]),
    "after archive": (at("active", text(C, CL, SU, AP, AR, BACK)), ["FC310 error at: 2026-10-02T08:00:00Z"]),
    "after archive, from before it": (at("active", text(C, CL, SU, AP, AR, BACK_FROM_DONE)), ["FC310 error at: 2026-10-02T08:00:00Z"]),
    "migrated out of archive": (at("inbox", text(C, CL, SU, AP, AR, MI)), ["FC310 error at: 2026-10-01T07:00:00Z"]),
    "two events after archive": (
        at("review", text(C, CL, SU, AP, AR, BACK, SU2)),
        ["FC310 error at: 2026-10-02T08:00:00Z", "FC310 error at: 2026-10-02T10:00:00Z"],
    ),
    "unknown key": (at("inbox", text(C + " ; reason: asked")), ["FC311 info reason: asked"]),
    "misspelt key": (
        at("active", text(C, CL.replace("inbox", "-") + " ; form: inbox")),
        ["FC302 error at: 2026-10-01T09:00:00Z", "FC311 info form: inbox"],
    ),
    "ahead": (at("active", text(C, CL.replace("2026-10-01T09:00", "2026-11-30T12:11"))), ["FC312 warning at: 2026-11-30T12:11:00Z"]),
    "naive and ahead of any clock": (
        at("active", text(C, CL.replace("2026-10-01T09:00:00Z", "2026-12-01T02:11:00"))),
        ["FC303 warning at: 2026-12-01T02:11:00", "FC312 warning at: 2026-12-01T02:11:00"],
    ),
    "naive and maybe local": (
        at("active", text(C, CL.replace("2026-10-01T09:00:00Z", "2026-12-01T02:09:00"))),
        ["FC303 warning at: 2026-12-01T02:09:00"],
    ),
}


@pytest.mark.parametrize(("files", "expected"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_events_are_told_at_their_line(files: dict[str, bytes], expected: list[str]) -> None:
    assert told(audit(files)) == expected


def test_messages_name_what_would_be_right() -> None:
    def message(stage: str, *events: str) -> str:
        return audit(at(stage, text(*events))).findings[0].message

    assert "submit_task (active to review), finish_task (active to done)" in message(
        "archive", C, CL, AR.replace("done archive", "active archive")
    )
    assert "nothing leaves `archive`" in message("inbox", MI, "2026-10-01T08:00:00Z archive inbox PM reject_task ; supersedes: x")
    assert "made by claim_task; `submit_task` makes submit_task (active to review)" in message("active", C, CL.replace("claim", "submit"))
    assert "the event of claim_task (inbox to active) is missing" in message("active", C)
    assert "claim_task (inbox to active), submit_task (active to review)" in message("review", C)
    assert "begins with create_task (null to inbox)" in message("active", CL)


def test_a_broken_chain_points_at_both_events() -> None:
    found = audit(at("review", text(C, SU))).findings[0].finding
    assert [(place.what, place.location.span and place.location.span.line) for place in found.related] == [("event before", 9)]
    assert found.location.span
    assert found.location.span.line == 13


# What a change makes of it.

OLD = at("active", text(listed=""), "TASK-20260901-001-PM-to-DEV.md")


def check(before: dict[str, bytes], after: dict[str, bytes], *more: dict[str, bytes]) -> list[str]:
    parents = [MemorySnapshot(files) for files in (before, *more)]
    return told(engine.check(parents, MemorySnapshot({**MANIFEST, **after}), settings()))


CHANGES = {
    "created without events": (MANIFEST, at("active", text(listed="")), ["FC301 error"]),
    "created with an empty list": (MANIFEST, at("inbox", text(listed="transitions: []\n")), ["FC301 error transitions: []"]),
    "created in archive": (MANIFEST, at("archive", text(listed="")), ["FC301 error"]),
    "the first commit": ({}, at("active", text(listed="")), ["FC301 warning"]),
    "there before, moved": ({**MANIFEST, **at("inbox", text(listed=""))}, at("active", text(listed="")), []),
    "from the old layout": ({**MANIFEST, f"fcop/tasks/{NAME}": text(listed="")}, at("inbox", text(listed="")), ["FC301 warning"]),
    "events taken away": ({**MANIFEST, **at("inbox", text(C))}, at("inbox", text(listed="")), ["FC301 warning"]),
    "outside every stage": (MANIFEST, at("doing", text(listed="")), []),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES.values(), ids=CHANGES.keys())
def test_a_task_without_events_is_an_error_where_the_change_creates_it(
    before: dict[str, bytes], after: dict[str, bytes], expected: list[str]
) -> None:
    assert check(before, after) == expected


def test_a_merge_does_not_create_what_one_of_its_parents_had() -> None:
    theirs = {**MANIFEST, **OLD}
    assert check(MANIFEST, OLD, theirs) == []
    archived = at("archive", text(listed=""))
    assert check(MANIFEST, archived, {**MANIFEST, **archived}) == []
    assert check(theirs, {**OLD, **at("inbox", text(listed=""))}, MANIFEST) == ["FC301 error"]


def test_faults_stay_old_when_the_task_moves_on_and_a_tool_writes_its_events_anew() -> None:
    jump = "2026-10-01T17:00:00+08:00 inbox review DEV git_mv ; reason: asked"
    again = "'2026-10-01_09:00:00.000000+00:00' inbox review DEV git_mv ; reason: asked"
    later = AP.replace("11:00", "09:30")
    before = {**MANIFEST, **at("review", text(C, jump))}
    assert told(audit(at("review", text(C, jump)))) == ["FC305 error to: review", "FC311 info reason: asked"]
    assert check(before, at("done", text(C, again, later))) == []


def test_a_new_event_after_archive_is_new_although_an_older_one_was_there() -> None:
    ended = (C, CL, SU, AP, AR, BACK)
    found = check({**MANIFEST, **at("active", text(*ended))}, at("review", text(*ended, SU2)))
    assert found == ["FC310 error at: 2026-10-02T10:00:00Z"]


# Dialects.

MU = "codeflowmu"
MU_LIFE = (
    C.replace("tool", "action"),
    "2026-10-01T09:00:00Z inbox active CodeFlowMu - ; action: runtime_dispatch",
    "2026-10-01T09:10:00Z active active DEV - ; action: create_child_task ; child_task: TASK-20261001-004-DEV-to-QA",
    "2026-10-01T10:00:00Z active review DEV - ; action: submit_review ; report: REPORT-20261001-001-DEV-to-PM.md",
    "2026-10-01T11:00:00Z review done PM - ; action: approve_review ; decision: approved ; based_on: [a, b]",
    "2026-10-01T12:00:00Z done active PM - ; action: reopen_task ; reason: more to do",
    "2026-10-01T13:00:00Z active archive PM - ; action: force_archive_task ; reason: withdrawn",
)


def test_a_dialect_has_its_own_tools_edges_and_keys() -> None:
    assert told(audit(at("archive", text(*MU_LIFE)), MU)) == []
    codes = {line[:5] for line in told(audit(at("archive", text(*MU_LIFE))))}
    assert codes == {"FC302", "FC305", "FC311"}


def test_faults_are_told_in_the_words_of_the_dialect() -> None:
    no_action = audit(at("active", text(C, CL.replace("claim_task", "-"))), MU).findings
    assert [(item.rule.code, item.message) for item in no_action] == [("FC302", "This event has no `action`.")]
    wrong = audit(at("active", text(C, CL.replace("claim_task", "- ; action: submit_review"))), MU)
    assert told(wrong) == ["FC306 error action: submit_review"]
    assert "claim_task or runtime_dispatch" in wrong.findings[0].message


def test_events_of_another_dialect_are_told_once_with_the_setting() -> None:
    other = at("active", text(*MU_LIFE[:2]), "TASK-20261001-004-PM-to-DEV.md")
    found = audit({**at("archive", text(*MU_LIFE)), **other}).findings
    hints = [item for item in found if item.rule.code == "FC311"]
    assert len(hints) == 1
    assert "7 event(s)" in hints[0].message
    assert 'dialect = "codeflowmu"' in hints[0].help
    # What was said of the workspace stays said, whichever file is the first of it tomorrow.
    alone = audit(other).findings
    assert [item.finding.fingerprint for item in alone if item.rule.code == "FC311"] == [hints[0].finding.fingerprint]


def test_unknown_keys_outside_the_other_dialect_are_still_told() -> None:
    found = audit(at("active", text(*MU_LIFE[:2], CL + " ; form: inbox")))
    assert [item.message for item in found.findings if item.rule.code == "FC311"][1].startswith("`form` is no key")


@pytest.mark.parametrize(("folder", "dialect", "expected"), [("tasks", "fcop", 1), ("tasks", MU, 0), ("log", MU, 1)])
def test_a_dialect_may_keep_an_old_folder(folder: str, dialect: str, expected: int) -> None:
    files = {**MANIFEST, **at("inbox", text(C)), f"fcop/{folder}/TASK-20261001-009-PM-to-DEV.md": text(C)}
    assert len(engine.audit(MemorySnapshot(files), settings(dialect, select="FC204")).findings) == expected


# The table itself.


def test_the_table_knows_ways_and_their_absence() -> None:
    table = stages.FCOP
    assert [edge.tool for edge in table.path("inbox", "archive") or ()] == ["claim_task", "finish_task", "archive_task"]
    assert table.path("done", "done") == ()
    assert table.path("archive", "inbox") is None
    assert {edge.target for edge in table.edges_from("review")} == {"done", "active"}
    assert table.edges_from("archive") == ()
    assert table.edge("done", "active") is None
    assert dialects.CODEFLOWMU.table.edge("done", "active")


def test_every_edge_of_every_dialect_joins_stages_and_has_movers() -> None:
    for dialect in dialects.DIALECTS.values():
        for edge in dialect.table.edges:
            assert edge.source is None or edge.source in stages.STAGES
            assert edge.target in stages.STAGES
            assert edge.movers
            assert stages.tool_name(f"{edge.tool} (a=b)") == edge.tool
        assert set(dialects.REQUIRED_KEYS[:4]) | set(dialect.tool_keys) <= dialect.event_keys
