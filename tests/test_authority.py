"""Authority: who may act, step by step as the specification's table and its decision procedure have it (protocol.md A.4 to A.6)."""

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.protocol.authorisation import MAX_SENTENCE, authorises
from fcoplint.protocol.rules_version import find_version, parse_version
from fcoplint.report import Reported
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot

CASES = Path(__file__).parent / "cases"
LAYERED = [
    "PM",
    {"code": "DEV", "layer": "worker"},
    "QA",
    {"code": "AUDIT", "layer": "governance"},
    {"code": "COURT", "layer": "governance"},
]
EDGES = {
    "create": ("null", "inbox", "create_task"),
    "claim": ("inbox", "active", "claim_task"),
    "submit": ("active", "review", "submit_task"),
    "finish": ("active", "done", "finish_task"),
    "approve": ("review", "done", "approve_task"),
    "reject": ("review", "active", "reject_task"),
    "archive": ("done", "archive", "archive_task"),
}
Files = dict[str, str]


def manifest(*, roles: Sequence[object] = ("PM", "DEV", "QA", "OPS"), leader: str | None = "PM", mode: str = "preset") -> Files:
    values = {"mode": mode, "team": "t", "leader": leader, "roles": list(roles), "version": 1}
    return {"fcop/fcop.json": json.dumps({key: value for key, value in values.items() if value is not None})}


def task(
    route: str, *acts: str, number: int = 1, body: str = "Build it.", day: str = "2026-10-01", place: str = "", **fields: str
) -> Files:
    """A TASK with the events `acts`, "EDGE BY [NOTE]" each, an hour apart, in the stage they lead to."""
    sender, recipient = route.split("-to-")
    name = f"TASK-20261001-{number:03}-{route}"
    events, stage = "", "inbox"
    for hour, act in enumerate(acts):
        edge, by, *note = act.split(" ", 2)
        source, stage, tool = EDGES[edge]
        events += f"- at: '{day}T{hour:02}:00:00+00:00'\n  from: {source}\n  to: {stage}\n  by: '{by}'\n  tool: {tool}\n"
        events += "".join(f"  note: {text}\n" for text in note)
    said = {"protocol": "fcop", "version": "1", "sender": sender, "recipient": recipient.partition(".")[0], **fields}
    front = "".join(f"{key}: {value}\n" for key, value in said.items())
    return {f"fcop/{place or f'_lifecycle/{stage}'}/{name}.md": f"---\n{front}transitions:\n{events}---\n\n{body}\n"}


def report(route: str, number: int = 1) -> Files:
    sender, recipient = route.split("-to-")
    front = f"protocol: fcop\nversion: 1\nsender: {sender}\nrecipient: {recipient}\nreferences: [TASK-20261001-{number:03}]\nstatus: done\n"
    return {f"fcop/reports/REPORT-20261001-{number:03}-{route}.md": f"---\n{front}---\n\nDone.\n"}


def review(reviewer: str, ref: str, number: int = 1) -> Files:
    stem = f"REVIEW-20261001-{number:03}-{reviewer}-on-it"
    front = f"protocol: fcop\nversion: 1\nsender: {reviewer}\nsubject_type: task\nsubject_ref: {ref}\nreviewer_role: {reviewer}\n"
    return {f"fcop/reviews/{stem}.md": f"---\n{front}decision: approved\ndecided_at: '2026-10-02T08:00:00'\n---\n"}


def snapshot(*parts: Files) -> MemorySnapshot:
    return MemorySnapshot({path: text.encode() for part in parts for path, text in part.items()})


def settings(policy: Mapping[str, Any] | None = None, *select: str) -> Settings:
    return Settings(select=select or ("FC4",), policy=Policy(**(policy or {})))


def findings(*parts: Files, policy: Mapping[str, Any] | None = None, select: Sequence[str] = ("FC4",)) -> list[Reported]:
    return list(engine.audit(snapshot(*parts), settings(policy, *select)).findings)


def said(*parts: Files, policy: Mapping[str, Any] | None = None, select: Sequence[str] = ("FC4",)) -> list[str]:
    return [f"{item.rule.code} {item.severity}" for item in findings(*parts, policy=policy, select=select)]


LIFE = ("create {sender}", "claim {recipient}", "submit {recipient}", "approve PM")


def archived(route: str, by: str, **options: Any) -> Files:
    sender, recipient = route.split("-to-")
    parts = {"sender": sender, "recipient": "DEV" if recipient == "TEAM" else recipient}
    return task(route, *(act.format(**parts) for act in LIFE), f"archive {by}", **options)


ARCHIVE_CODES = ("FC401", "FC403", "FC404")
ARCHIVERS: list[tuple[str, str, dict[str, Any], dict[str, Any], list[str]]] = [
    # Step 3: instances, slots, and declared codes that end in digits.
    ("PM-to-DEV", "DEV-01", {}, {}, ["FC401 error"]),
    ("PM-to-DEV", "DEV.BACKEND", {}, {}, ["FC401 error"]),
    ("PM-to-DEV.BACKEND", "DEV", {}, {}, ["FC401 error"]),
    ("PM-to-DEV", "DEV-01.BACKEND", {}, {}, ["FC401 error"]),
    ("PM-to-DEV", "PM-02", {}, {}, []),
    ("PM-to-OPS-001", "OPS-001", {"roles": ["PM", "OPS-001"]}, {}, ["FC401 error"]),
    ("PM-to-OPS", "OPS-001", {"roles": ["PM", "OPS", "OPS-001"]}, {}, ["FC404 warning"]),
    # Step 4: ADMIN and the leader, also of their own TASKs; who that is, the configuration may say.
    ("PM-to-DEV", "PM", {}, {}, []),
    ("PM-to-DEV", "ADMIN", {}, {}, []),
    ("ADMIN-to-PM", "PM", {}, {}, []),
    ("PM-to-DEV", "DEV", {"leader": "DEV"}, {}, []),
    ("PM-to-DEV", "DEV", {}, {"leader": "DEV"}, []),
    ("ADMIN-to-PM", "PM", {}, {"leader": "DEV"}, ["FC401 error"]),
    ("PM-to-DEV", "ALICE", {}, {"admins": ("ALICE",)}, []),
    ("ADMIN-to-ME", "ME", {"roles": ["ME"], "leader": "ME", "mode": "solo"}, {}, []),
    # A manifest that says solo and declares a team is no solo.
    ("PM-to-DEV", "DEV", {"mode": "solo"}, {}, ["FC401 error"]),
    # Step 5: names that tell nothing.
    ("PM-to-DEV", "archiver", {}, {}, ["FC403 info"]),
    ("PM-to-DEV", "agent", {}, {}, ["FC403 info"]),
    ("PM-to-DEV", "migration", {}, {}, ["FC403 info"]),
    ("PM-to-DEV", "SYSTEM", {}, {}, ["FC403 info"]),
    ("PM-to-DEV", "BOB", {}, {}, ["FC403 warning"]),
    ("PM-to-DEV", "dev", {}, {}, ["FC403 warning"]),
    ("PM-to-DEV", "TEAM", {}, {}, ["FC403 warning"]),
    ("PM-to-DEV", "BOB", {}, {"actors": {"PM": ("pm@example.org",)}}, ["FC403 error"]),
    ("PM-to-DEV", "archiver", {}, {"actors": {"PM": ("pm@example.org",)}}, ["FC403 info"]),
    # Step 6: the recipient, and for TEAM every role but the sender.
    ("PM-to-DEV", "DEV", {}, {}, ["FC401 error"]),
    ("QA-to-DEV", "DEV", {}, {}, ["FC401 error"]),
    ("DEV-to-DEV", "DEV", {}, {}, ["FC401 error"]),
    ("PM-to-TEAM", "DEV", {}, {}, ["FC401 error"]),
    ("PM-to-TEAM", "QA", {}, {}, ["FC401 error"]),
    ("QA-to-TEAM", "QA", {}, {}, []),
    ("PM-to-AUDIT", "AUDIT", {"roles": LAYERED}, {}, ["FC401 error"]),
    # Step 7: the sender, governance, anybody else.
    ("QA-to-DEV", "QA", {}, {}, []),
    ("PM-to-DEV", "AUDIT", {"roles": LAYERED}, {}, []),
    ("PM-to-DEV", "QA", {}, {}, ["FC404 warning"]),
    ("PM-to-DEV", "QA", {"roles": LAYERED}, {}, ["FC404 warning"]),
]  # fmt: skip


@pytest.mark.parametrize(("route", "by", "team", "policy", "expected"), ARCHIVERS)
def test_who_may_archive(route: str, by: str, team: dict[str, Any], policy: dict[str, Any], expected: list[str]) -> None:
    assert said(manifest(**team), archived(route, by), policy=policy, select=ARCHIVE_CODES) == expected


def test_a_self_archive_says_who_leads_and_where_that_stands() -> None:
    found = findings(manifest(), archived("PM-to-DEV", "DEV"), select=["FC401"])[0]
    assert (found.finding.parameters["leader"], found.finding.parameters["manifest"]) == ("PM", "fcop/fcop.json")
    assert "`PM` (declared by fcop/fcop.json)" in found.message
    assert [item.what for item in found.finding.related] == ["recipient"]
    overridden = findings(manifest(), archived("PM-to-DEV", "DEV"), policy={"leader": "OPS"}, select=["FC401"])[0]
    assert "`OPS` (declared by the configuration" in overridden.message


LOOK_ALIKES = ["P\u039c", "\u0420M", "D\u0415V", "DEV\u200b", "\uff24\uff25\uff36", "\u0430gent"]


@pytest.mark.parametrize("by", LOOK_ALIKES)
@pytest.mark.parametrize("edge", ["archive", "approve", "claim", "create"])
def test_a_look_alike_is_nobody_and_never_passes_in_silence(by: str, edge: str) -> None:
    acts = {"create": "PM", "claim": "DEV", "submit": "DEV", "approve": "PM", "archive": "PM"} | {edge: by}
    life = [f"{key} {value}" for key, value in acts.items()]
    assert said(manifest(), task("PM-to-DEV", *life), report("DEV-to-PM"), select=["FC4", "FC106"]) == ["FC106 error"]


@pytest.mark.parametrize("by", ["D\u0415V.BACKEND", "\ua4d3\ua4f0V", "P M", "DEV/PM", "-DEV"])
def test_what_no_table_knows_is_an_unknown_name(by: str) -> None:
    text = archived("PM-to-DEV", "DEV")
    path = next(iter(text))
    text[path] = text[path].replace("by: 'DEV'\n  tool: archive_task", f"by: '{by}'\n  tool: archive_task")
    assert said(manifest(), text, select=["FC401", "FC403", "FC404", "FC106"]) == ["FC403 warning"]


# Since when (A.5.2)

MDC = ".cursor/rules/fcop-rules.mdc"
OLD, NEW = "---\nalwaysApply: true\nfcop_rules_version: 3.2.4\n---\n", "---\nfcop_rules_version: '3.2.5'\n---\n"
IN_FORCE: list[tuple[str, Files, dict[str, Any], bool]] = [
    ("2026-05-29", {}, {}, False),
    ("2026-05-30", {}, {}, True),
    ("2026-10-01", {}, {}, True),
    ("2026-10-01", {MDC: OLD}, {}, False),
    ("2026-05-01", {MDC: NEW}, {}, True),
    ("2026-10-01", {"AGENTS.md": "# Agents\n\n> Rules version: `3.2.4` · Protocol commentary version: `3.2.5`\n"}, {}, False),
    ("2026-05-01", {"AGENTS.md": "# Agents\n\n> Rules version: `3.3`\n"}, {}, True),
    ("2026-10-01", {"CLAUDE.md": "> Rules version: `3.2.4`\n"}, {}, False),
    ("2026-10-01", {MDC: OLD, "AGENTS.md": "> Rules version: `3.2.5`\n"}, {}, False),
    ("2026-10-01", {MDC: "---\nalwaysApply: true\n---\n# Rules\n", "AGENTS.md": "Since `fcop_rules_version: 3.0.0` more.\n"}, {}, True),
    ("2026-10-01", {MDC: NEW}, {"rules_version": "3.2.4"}, False),
    ("2026-05-01", {MDC: OLD}, {"rules_version": "3.2.5"}, True),
    ("2026-10-01", {"other/AGENTS.md": "> Rules version: `3.2.4`\n"}, {}, True),
]  # fmt: skip


@pytest.mark.parametrize(("day", "files", "policy", "in_force"), IN_FORCE)
@pytest.mark.parametrize("by", ["DEV", "BOB", "QA"])
def test_the_three_rules_of_archiving_begin_together(day: str, files: Files, policy: dict[str, Any], in_force: bool, by: str) -> None:
    codes = {"DEV": "FC401 error", "BOB": "FC403 warning", "QA": "FC404 warning"}
    found = said(manifest(), archived("PM-to-DEV", by, day=day), files, policy=policy, select=ARCHIVE_CODES)
    assert found == ([codes[by]] if in_force else [])


def test_one_backdated_event_does_not_bring_the_older_rules_back() -> None:
    text = archived("PM-to-DEV", "DEV")
    backdated = {path: content.replace("2026-10-01T04", "2026-05-01T04") for path, content in text.items()}
    assert text != backdated
    assert said(manifest(), backdated, select=["FC401"]) == ["FC401 error"]


def test_rules_beside_a_workspace_that_is_no_repository_root() -> None:
    moved = {f"a/{path}": text for path, text in (manifest() | archived("PM-to-DEV", "DEV")).items()}
    assert said(moved, {f"a/{MDC}": OLD}, select=["FC401"]) == []
    assert said(moved, {MDC: OLD}, select=["FC401"]) == ["FC401 error"]


VERSIONS = [
    ("3.2.5", (3, 2, 5)),
    ("v3.2.5", (3, 2, 5)),
    ("3.2.5rc1", (3, 2, 5)),
    ("3.10", (3, 10)),
    ("", None),
    ("three", None),
    ("3.2.5\n", (3, 2, 5)),
]


@pytest.mark.parametrize(("text", "version"), VERSIONS)
def test_versions(text: str, version: tuple[int, ...] | None) -> None:
    assert parse_version(text) == version


def test_the_rules_the_reference_deploys_say_their_version(shared: Path) -> None:
    folder = shared / "corpus/generated-v3/dev-team-with-rules"
    for name in (MDC, "AGENTS.md", "CLAUDE.md"):
        assert find_version((folder / name).read_text("utf-8")) == (3, 2, 5)


def migration(by: str) -> tuple[str, str]:
    """What makes an archiving by a role one by the migration: it comes from nothing."""
    old = f"from: done\n  to: archive\n  by: '{by}'\n  tool: archive_task"
    return old, "from: null\n  to: archive\n  by: migration\n  tool: fcop_migrate_v3"


@pytest.mark.parametrize("edit", [migration("DEV"), ("  by: 'DEV'\n  tool: archive_task\n", "")])
def test_what_nobody_did_is_exempt(edit: tuple[str, str]) -> None:
    files = {path: text.replace(*edit) for path, text in archived("PM-to-DEV", "DEV").items()}
    assert said(manifest(), files, select=ARCHIVE_CODES) == []


def test_the_migration_tool_under_a_role_is_that_roles_act() -> None:
    files = {path: text.replace("archive_task", "fcop_migrate_v3") for path, text in archived("PM-to-DEV", "DEV").items()}
    assert said(manifest(), files, select=ARCHIVE_CODES) == ["FC401 error"]


# Written permission (A.5.6)

GRANTS = [
    "The executor may archive on completion.",
    "archive on completion",
    "Archive upon completion.",
    "Archive after completion",
    "executor may archive",
    "做完直接 archive",
    "验收前可归档 / 做完直接 archive",
    "When done, archive it directly.",
    "DEV may archive this task.",
    "You may archive it yourself once the tests pass.",
    "As PM, I allow DEV to archive on completion.",
    "Note from PM: archive on completion.",
    "Do not wait for acceptance, archive on completion.",
    "本任务授权执行者自行归档。",
    "完成后可直接归档。",
    "执行者可自行归档",
    "DEV 可以归档。",
    "不用等验收，做完直接归档。",
    "- archive on completion",
    "**Archive on completion** is authorised.",
    "The executor is hereby authorised to archive.",
    "Do not deploy. Archive on completion.",
    "Do not deploy, but archive on completion.",
    "允许 DEV 直接归档",
    "You may call `archive_task` when finished.",
    "Executor may\narchive on\ncompletion.",
    "完成后你可以直接\n归档。",
    "I authorise archive on completion.",
    "Self-archive: yes",
    "按 PM 要求做完直接 archive。",
    "Authorisation:\n\n- archive on completion",
    "The executor may archive on completion and must report to PM.",
    "## Forbidden\n\n- deploy\n\n## Closing\n\nArchive on completion.",
    "- Do not:\n  - deploy\n- Archive on completion.",
    "做完直接歸檔",
    "<!-- a note --> Archive on completion.",
    "```\nmake\n```\nArchive on completion.",
    "ARCHIVE ON COMPLETION",
    "Open questions? No. The executor may archive on completion.",
]
DENIALS = [
    "do not archive on completion",
    "不要做完直接 archive",
    "Do not\narchive on completion",
    "Never archive on completion.",
    "The executor may not archive on completion.",
    "archive on completion is not allowed",
    "PM will archive on completion.",
    "The leader may archive on completion.",
    "I will archive on completion.",
    "I'll archive on completion",
    "May the executor archive on completion?",
    "The executor may archive old log files.",
    "DEV can archive the screenshots upon completion.",
    "## Not allowed\n\n- archive on completion\n",
    "Forbidden:\n- archive on completion\n- deploy",
    "Forbidden\n---\n- archive on completion",
    "```\narchive on completion\n```",
    "<!-- archive on completion -->",
    "<!-- never closed\n\narchive on completion",
    "~~archive on completion~~",
    "Do not (see rule 0.a.5) archive on completion.",
    "Do not, under any circumstances, archive on completion.",
    "Do not, e.g. archive on completion.",
    "禁止做完直接归档。",
    "完成后由 PM 归档。",
    "等 PM 验收完成后归档。",
    "验收完成后归档",
    "验收后才可归档",
    "未经授权不得归档",
    "做完直接 archive 是不允许的",
    "请不要在没有验收的情况下，做完直接 archive",
    "可以归档吗？做完直接归档吗？",
    "不\n要做完直接 archive",
    "archive after completion of the review by PM",
    "Only the leader may archive on completion.",
    "Executors may archive only with explicit authorisation.",
    "PM 会在完成后归档",
    "我会在完成后归档。",
    "Build the archive page.",
    "完成后归档日志",
    "PM wants to archive on completion",
    "The executor may archive only after PM accepts.",
    "Executor can't archive on completion",
    "Executor can’t archive on completion",
    "| archive on completion | no |",
    "**Not** allowed:\n\n1. archive on completion",
    "- Do not:\n  - archive on completion",
    "QA may archive on completion",
    "严禁\n\n- 做完直接 archive",
    "勿做完直接归档",
    "Ask PM to archive on completion.",
    "Leave it to PM to archive on completion.",
    "",
    "Build it.",
    f"{'x ' * MAX_SENTENCE}archive on completion",
]


@pytest.mark.parametrize(("body", "expected"), [*((body, True) for body in GRANTS), *((body, False) for body in DENIALS)])
def test_what_authorises(body: str, expected: bool) -> None:
    assert authorises(body, ("DEV",), ("PM", "QA", "OPS")) is expected
    assert said(manifest(), archived("PM-to-DEV", "DEV", body=body), select=["FC401"]) == ([] if expected else ["FC401 error"])


NEGATIONS = ["do not", "Never", "You must not", "不要", "请勿", "禁止", "Nobody may", "It is forbidden to"]


@given(
    st.sampled_from(NEGATIONS),
    st.sampled_from(["archive on completion", "做完直接 archive", "archive it when done"]),
    st.sampled_from([" ", "\n", "  "]),
)
def test_no_negation_authorises(negation: str, words: str, between: str) -> None:
    assert not authorises(f"# Build it\n\n{negation}{between}{words}.\n", ("DEV",), ("PM",))


@given(st.text(alphabet="archive on completion 做完归档\n-#~`<!>.?,:*", max_size=400))
def test_any_text_gets_an_answer(text: str) -> None:
    assert authorises(text, ("DEV",), ("PM",), (r"close\s+it",)) in (True, False)


def test_own_sentences_authorise_and_can_be_denied_too() -> None:
    policy = {"authorisation_patterns": (r"straight to the shelf",)}
    for body, expected in (("Put it straight to the shelf.", []), ("Do not put it straight to the shelf.", ["FC401 error"])):
        assert said(manifest(), archived("PM-to-DEV", "DEV", body=body), policy=policy, select=["FC401"]) == expected


@pytest.mark.parametrize(("route", "creator", "allowed"), [
    ("PM-to-DEV", "PM", True), ("PM-to-DEV", "PM-01", True), ("ADMIN-to-DEV", "ADMIN", True), ("PM-to-DEV", "agent", True),
    ("QA-to-DEV", "QA", False), ("PM-to-DEV", "DEV", False), ("PM-to-DEV", "BOB", False), ("DEV-to-DEV", "DEV", False),
])  # fmt: skip
def test_only_leader_or_admin_permit(route: str, creator: str, allowed: bool) -> None:
    acts = (f"create {creator}", "claim DEV", "finish DEV", "archive DEV")
    files = task(route, *acts, body="Archive on completion.")
    assert said(manifest(), files, select=["FC401"]) == ([] if allowed else ["FC401 error"])


# The other rows of the table (A.4)

ACTS: list[tuple[str, tuple[str, ...], list[str]]] = [
    # claim_task: the recipient, for TEAM any role but the sender.
    ("PM-to-DEV", ("claim DEV",), []),
    ("PM-to-DEV", ("claim DEV-03",), []),
    ("PM-to-DEV.BACKEND", ("claim DEV",), []),
    ("PM-to-DEV", ("claim DEV.BACKEND",), []),
    ("PM-to-DEV", ("claim QA",), ["FC405 warning"]),
    ("PM-to-DEV", ("claim PM",), ["FC405 warning"]),
    ("PM-to-DEV", ("claim SYSTEM",), ["FC405 warning"]),
    ("PM-to-DEV", ("claim scheduler",), ["FC405 warning"]),
    ("PM-to-DEV", ("claim agent",), []),
    ("PM-to-TEAM", ("claim QA",), []),
    ("PM-to-TEAM", ("claim PM",), ["FC405 warning"]),
    ("PM-to-TEAM", ("claim BOB",), ["FC405 warning"]),
    # submit_task: the recipient.
    ("PM-to-DEV", ("claim DEV", "submit DEV"), []),
    ("PM-to-DEV", ("claim DEV", "submit QA"), ["FC406 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit PM"), ["FC406 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit agent"), []),
    ("PM-to-TEAM", ("claim QA", "submit QA"), []),
    # finish_task: the recipient, or the leader.
    ("PM-to-DEV", ("claim DEV", "finish DEV"), []),
    ("PM-to-DEV", ("claim DEV", "finish PM"), []),
    ("PM-to-DEV", ("claim DEV", "finish QA"), ["FC406 warning"]),
    # approve_task: leader, ADMIN, governance; never who was to do it.
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve PM"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve ADMIN"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve ADMIN-01"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve archiver"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve DEV"), ["FC402 error"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve DEV-02"), ["FC402 error"]),
    ("PM-to-DEV.BACKEND", ("claim DEV", "submit DEV", "approve DEV.FRONTEND"), ["FC402 error"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve QA"), ["FC407 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve SYSTEM"), ["FC407 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "approve BOB"), ["FC407 warning"]),
    ("PM-to-DEV", ("claim QA", "submit QA", "approve QA"), ["FC405 warning", "FC406 warning", "FC402 error"]),
    ("ADMIN-to-PM", ("claim PM", "submit PM", "approve PM"), ["FC402 warning"]),
    ("PM-to-ADMIN", ("claim ADMIN", "submit ADMIN", "approve ADMIN"), []),
    ("PM-to-TEAM", ("claim DEV", "submit DEV", "approve DEV"), ["FC402 error"]),
    ("PM-to-TEAM", ("claim DEV", "submit DEV", "approve QA"), ["FC407 warning"]),
    ("PM-to-TEAM", ("claim DEV", "submit DEV", "approve PM"), []),
    # reject_task: as approve_task, with a note.
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject PM missing"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject ADMIN missing"), []),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject PM"), ["FC407 info"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject QA missing"), ["FC407 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject DEV missing"), ["FC407 warning"]),
    ("PM-to-DEV", ("claim DEV", "submit DEV", "reject QA"), ["FC407 info", "FC407 warning"]),
]  # fmt: skip


@pytest.mark.parametrize(("route", "acts", "expected"), ACTS)
def test_who_may_act(route: str, acts: tuple[str, ...], expected: list[str]) -> None:
    files = task(route, f"create {route.split('-to-')[0]}", *acts)
    assert said(manifest(), files, select=["FC402", "FC405", "FC406", "FC407"]) == expected


# A field at odds with the file name is FC120, one that holds no role FC121: neither makes a right actor a wrong one.
@pytest.mark.parametrize(("key", "value"), [("recipient", "QA"), ("recipient", "dev"), ("recipient", "D\u200bEV"), ("sender", "pm")])
def test_a_wrong_field_is_told_once(key: str, value: str) -> None:
    field: dict[str, Any] = {key: value}
    lawful = task("PM-to-DEV", "create PM", "claim DEV", "submit DEV", "approve PM", **field)
    assert said(manifest(), lawful, report("DEV-to-PM")) == []
    own = archived("PM-to-DEV", "DEV", **field)
    assert said(manifest(), own, select=ARCHIVE_CODES) == ["FC401 error"]


@pytest.mark.parametrize("by", ["NO", "7", "~"])
def test_an_actor_that_is_no_text_is_nobody(by: str) -> None:
    files = {path: text.replace("by: 'PM'", f"by: {by}") for path, text in task("PM-to-DEV", "create PM").items()}
    assert said(manifest(), files) == []


def test_a_leader_that_is_no_role_is_none_where_nobody_speaks_of_it() -> None:
    main, part = task("ADMIN-to-PM", "create ADMIN", "claim PM"), task("PM-to-DEV", "create PM", "claim DEV", "submit DEV", number=2)
    assert said(manifest(leader="BOSSY"), main, part) == []
    assert said(manifest(leader="LEAD"), task("LEAD-to-DEV", "create LEAD", "claim DEV")) == []


@pytest.mark.parametrize(("act", "expected"), [("approve ME", []), ("approve ADMIN", []), ("approve BOB", ["FC407 warning"])])
def test_solo(act: str, expected: list[str]) -> None:
    files = task("ADMIN-to-ME", "create ADMIN", "claim ME", "submit ME", act) | report("ME-to-ADMIN")
    assert said(manifest(roles=["ME"], leader="ME", mode="solo"), files) == expected


@pytest.mark.parametrize(("by", "expected"), [("AUDIT", []), ("QA", ["FC407 warning"])])
def test_governance_judges(by: str, expected: list[str]) -> None:
    files = task("PM-to-DEV", "create PM", "claim DEV", "submit DEV", f"approve {by}")
    assert said(manifest(roles=LAYERED), files, select=["FC407"]) == expected


CREATORS = [
    ("PM-to-DEV", "PM", []), ("PM-to-DEV", "PM-01", []), ("PM-to-DEV", "DEV", ["FC414 warning"]), ("ADMIN-to-PM", "PM", ["FC414 warning"]),
    ("SYSTEM-to-PM", "SYSTEM", []), ("PM-to-DEV", "agent", ["FC414 warning"]),
]  # fmt: skip


@pytest.mark.parametrize(("route", "by", "expected"), CREATORS)
def test_the_sender_creates(route: str, by: str, expected: list[str]) -> None:
    assert said(manifest(), task(route, f"create {by}"), select=["FC414"]) == expected


ROUTES = [
    ("PM-to-DEV", []),
    ("DEV-to-PM", []),
    ("ADMIN-to-PM", []),
    ("PM-to-ADMIN", []),
    ("PM-to-TEAM", []),
    ("ADMIN-to-TEAM", []),
    ("SYSTEM-to-PM", []),
    ("SYSTEM-to-ADMIN", []),
    ("PM-01-to-DEV", []),
    ("DEV-to-QA", ["FC408 warning"]),
    ("DEV-to-TEAM", ["FC408 warning"]),
    ("DEV-to-DEV", ["FC408 warning"]),
    ("ADMIN-to-DEV", ["FC409 warning"]),
    ("DEV-to-ADMIN", ["FC409 warning"]),
    ("ADMIN-to-QA-02", ["FC409 warning"]),
]


@pytest.mark.parametrize(("route", "expected"), ROUTES)
def test_routing(route: str, expected: list[str]) -> None:
    assert said(manifest(), task(route, "create PM"), select=["FC408", "FC409"]) == expected
    assert said(manifest(roles=["ME"], leader="ME", mode="solo"), task(route, "create PM"), select=["FC408", "FC409"]) == []


def test_a_field_that_differs_from_the_name_is_one_fault() -> None:
    unreadable = {path: text.replace("sender: PM", "sender: pm") for path, text in task("PM-to-DEV", "create PM").items()}
    assert said(manifest(), unreadable, select=["FC4"]) == []
    for creator in ("PM", "QA"):
        files = {path: text.replace("sender: PM", "sender: QA") for path, text in task("PM-to-DEV", f"create {creator}").items()}
        assert said(manifest(), files, select=["FC"]) == ["FC120 error"]


def test_routing_counts_before_v3_too() -> None:
    old = {path.replace("fcop/", "docs/agents/").replace("_lifecycle/inbox", "tasks"): text
           for path, text in (manifest() | task("DEV-to-QA", "create DEV")).items()}  # fmt: skip
    assert said(old) == ["FC408 warning"]


PARENTS = [
    ("PM-to-DEV", []),
    ("PM-to-TEAM", []),
    ("PM-to-DEV.BACKEND", []),
    ("PM-to-QA", ["FC408 warning"]),
    ("DEV-to-QA", ["FC408 warning"] * 2),
]


@pytest.mark.parametrize(("parent", "expected"), PARENTS)
@pytest.mark.parametrize("how", ["TASK-20261001-001", "fcop/_lifecycle/inbox/TASK-20261001-001-{}.md"])
def test_a_part_of_ones_own_task_is_delegation(parent: str, expected: list[str], how: str) -> None:
    child = task("DEV-to-OPS", "create DEV", number=2, parent=how.format(parent))
    assert said(manifest(), task(parent, "create PM"), child, select=["FC408"]) == expected


# Parts, reports, layers (A.6)

WHOLE = ("create ADMIN", "claim PM", "submit PM", "approve ADMIN", "archive ADMIN")
CHILDREN = [
    ((), "2026-10-01", ["FC410 error"]),
    (("claim DEV",), "2026-10-01", ["FC410 error"]),
    (("claim DEV", "submit DEV"), "2026-10-01", ["FC410 error"]),
    (("claim DEV", "finish DEV"), "2026-10-01", []),
    (("claim DEV", "finish DEV", "archive PM"), "2026-10-01", []),
    ((), "2026-10-02", []),
]


@pytest.mark.parametrize(("acts", "day", "expected"), CHILDREN)
def test_a_task_is_closed_when_its_parts_are(acts: tuple[str, ...], day: str, expected: list[str]) -> None:
    child = task("PM-to-DEV", "create PM", *acts, number=2, day=day, parent="TASK-20261001-001")
    assert said(manifest(), task("ADMIN-to-PM", *WHOLE), child, select=["FC410"]) == expected


ANSWERS: list[tuple[str, Files, str, list[str]]] = [
    ("archive PM", {}, "PM-to-DEV", ["FC411 error"]),
    ("approve PM", {}, "PM-to-DEV", ["FC411 warning"]),
    ("submit DEV", {}, "PM-to-DEV", []),
    ("archive PM", report("DEV-to-PM"), "PM-to-DEV", []),
    ("archive PM", review("PM", "TASK-20261001-001"), "PM-to-DEV", ["FC411 error"]),
    ("archive PM", task("PM-to-DEV", "create PM", number=2, supersedes="TASK-20261001-001"), "PM-to-DEV", []),
    ("archive PM", task("DEV-to-PM", "create DEV", number=2, references="[TASK-20261001-001]"), "PM-to-DEV", []),
    ("archive PM", task("DEV-to-QA", "create DEV", number=2, parent="TASK-20261001-001"), "PM-to-DEV", ["FC411 error"]),
    ("archive PM", task("PM-to-DEV", "create PM", number=2), "PM-to-DEV", ["FC411 error"]),
    ("archive ADMIN", {}, "PM-to-ADMIN", []),
]  # fmt: skip


@pytest.mark.parametrize(("last", "more", "route", "expected"), ANSWERS)
def test_every_task_is_answered(last: str, more: Files, route: str, expected: list[str]) -> None:
    life = ["create PM", "claim DEV", "submit DEV", "approve PM", "archive PM"]
    acts = [*life[: [act.split()[0] for act in life].index(last.split()[0])], last]
    assert said(manifest(), task(route, *acts), more, select=["FC411"]) == expected


# A REPORT that cannot be read may be the answer; a TASK whose own name is wrong cannot be named by one.
UNREAD = [
    "# no front matter\n",
    "\ufeff# x\n",
    "---\nsender: DEV\n",
    "---\n- a\n---\n",
    "---\nx: &a [*a]\n---\n",
    "---\nprotocol: fcop: x\n---\n",
]


@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize(("route", "expected"), [("DEV-to-PM", []), ("QA-to-PM", ["FC411 error"]), ("DEV-to-QA", ["FC411 error"])])
def test_an_unread_report_may_be_the_answer(text: str, route: str, expected: list[str]) -> None:
    unread = {f"fcop/reports/REPORT-20261001-009-{route}.md": text}
    assert said(manifest(), archived("PM-to-DEV", "PM"), unread, select=["FC411"]) == expected


@pytest.mark.parametrize(("wrong", "code"), [("TASK-20261001-Z01", "FC101"), ("TASK-20260230-001", "FC102"), ("TASK-20261001-1", "FC101")])
def test_a_task_that_nothing_can_name_is_told_by_its_name_alone(wrong: str, code: str) -> None:
    files = {path.replace("TASK-20261001-001", wrong): text for path, text in archived("PM-to-DEV", "PM").items()}
    assert said(manifest(), files, select=["FC1", "FC411"]) == [f"{code} error"]


@pytest.mark.parametrize("odd", ["task-20261001-001-PM-to-DEV.md", "TASK-20261001-001-PM-to-DEV.MD", "TASK-20261001-001-PМ-to-DEV.md"])
def test_a_misspelled_name_is_read_as_it_looks(odd: str) -> None:
    files = {f"fcop/_lifecycle/archive/{odd}": text for text in archived("PM-to-DEV", "PM").values()}
    assert said(manifest(), files, report("DEV-to-PM"), review("PM", "TASK-20261001-001-PM-to-DEV"), select=["FC1", "FC4", "FC5"]) == [
        "FC106 error"
    ]


def test_what_lies_behind_a_link_may_answer() -> None:
    files = {path: text.encode() for path, text in (manifest() | archived("PM-to-DEV", "PM")).items()}
    linked = MemorySnapshot(files, links={"fcop/reports": "../elsewhere"})
    assert [item.rule.code for item in engine.audit(linked, settings(None, "FC4", "FC5")).findings] == []


def test_an_unanswered_task_of_solo_or_of_a_migration_is_a_warning() -> None:
    solo = task("ADMIN-to-ME", "create ADMIN", "claim ME", "finish ME", "archive ADMIN")
    assert said(manifest(roles=["ME"], leader="ME", mode="solo"), solo) == ["FC411 warning"]
    migrated = {path: text.replace(*migration("PM")) for path, text in archived("PM-to-DEV", "PM").items()}
    assert said(manifest(), migrated) == ["FC411 warning"]


JUDGES = [
    ("DEV", "REPORT-20261001-001", ["FC412 error"]),
    ("QA", "REPORT-20261001-001-AUDIT-to-PM", ["FC412 error"]),
    ("QA-02", "fcop/reports/REPORT-20261001-001-AUDIT-to-PM.md", ["FC412 error"]),
    ("PM", "REPORT-20261001-001", ["FC413 warning"]),
    ("ADMIN", "REPORT-20261001-001", ["FC413 warning"]),
    ("COURT", "REPORT-20261001-001", ["FC413 warning"]),
    ("DEV", "REPORT-20261001-002", ["FC413 warning", "FC413 warning"]),
    ("QA", "REPORT-20261001-002", ["FC413 warning", "FC413 info"]),
    ("AUDIT", "REPORT-20261001-002", ["FC413 warning"]),
]  # fmt: skip


@pytest.mark.parametrize(("reviewer", "ref", "expected"), JUDGES)
def test_the_boundary_of_governance(reviewer: str, ref: str, expected: list[str]) -> None:
    files = (report("AUDIT-to-PM"), report("OPS-to-PM", 2), review(reviewer, ref))
    assert said(manifest(roles=LAYERED), *files, select=["FC412", "FC413"]) == expected


WORK = [
    ("PM-to-DEV", []),
    ("PM-to-AUDIT", ["FC413 warning"]),
    ("AUDIT-to-DEV", ["FC413 warning"]),
    ("AUDIT-to-COURT", ["FC413 warning"] * 2),
]


@pytest.mark.parametrize(("route", "expected"), WORK)
def test_governance_does_no_work(route: str, expected: list[str]) -> None:
    assert said(manifest(roles=LAYERED), task(route, "create PM"), select=["FC413"]) == expected
    assert said(manifest(roles=["PM", "DEV", "AUDIT", "COURT"]), task(route, "create PM"), select=["FC413"]) == []


# A change


def introduced(before: Sequence[Files], after: Sequence[Files], policy: Mapping[str, Any] | None = None) -> list[str]:
    made = engine.check([snapshot(*before)] if before else [], snapshot(*after), settings(policy))
    return [item.rule.code for item in made.findings]


DONE = task("PM-to-DEV", *(act.format(sender="PM", recipient="DEV") for act in LIFE))
REPORT = report("DEV-to-PM")


def test_one_commit_cannot_name_a_leader_and_act_as_it() -> None:
    after = [manifest(leader="DEV"), archived("PM-to-DEV", "DEV"), REPORT]
    assert introduced([manifest(), DONE, REPORT], after) == ["FC401"]
    assert introduced([manifest(leader="DEV"), DONE, REPORT], after) == []


def test_one_commit_cannot_bring_older_rules_and_act_by_them() -> None:
    assert introduced([manifest(), DONE, REPORT], [manifest(), archived("PM-to-DEV", "DEV"), REPORT, {MDC: OLD}]) == ["FC401"]
    assert introduced([manifest(), DONE, REPORT, {MDC: OLD}], [manifest(), archived("PM-to-DEV", "DEV"), REPORT]) == []


def test_one_commit_cannot_declare_an_instance_and_act_as_it() -> None:
    roles = ["PM", "DEV", "QA", "OPS", "DEV-01"]
    assert introduced([manifest(), DONE, REPORT], [manifest(roles=roles), archived("PM-to-DEV", "DEV-01"), REPORT]) == ["FC401"]


def test_a_new_leader_brings_no_findings_about_what_the_old_one_did() -> None:
    state = [archived("ADMIN-to-PM", "PM"), report("PM-to-ADMIN")]
    assert introduced([manifest(), *state], [manifest(leader="QA"), *state]) == []


def test_without_a_manifest_the_rules_go_on() -> None:
    assert introduced([manifest(), DONE, REPORT], [archived("PM-to-DEV", "DEV"), REPORT]) == ["FC401"]
    others = task("ADMIN-to-PM", "create ADMIN", "claim PM", number=2)
    assert said(archived("PM-to-DEV", "DEV"), REPORT, others, select=["FC4"]) == ["FC401 error"]
    assert said(archived("PM-to-DEV", "PM"), REPORT, others, select=["FC4"]) == []


def test_an_old_date_does_not_excuse_what_lands_now() -> None:
    old: dict[str, Any] = {"day": "2026-05-02"}
    then = {"now": datetime.datetime(2026, 5, 3, tzinfo=datetime.UTC)}
    life = [act.format(sender="PM", recipient="DEV") for act in LIFE]
    before = [manifest(), task("PM-to-DEV", *life, **old), REPORT]
    after = [manifest(), archived("PM-to-DEV", "DEV", **old), REPORT]
    assert introduced(before, after, then) == []
    assert introduced(before, after) == ["FC401"]
    assert introduced(after, [*after, review("PM", "TASK-20261001-001")]) == []
    assert introduced([manifest()], after) == ["FC401"]
    assert introduced([*before, {MDC: OLD}], [*after, {MDC: OLD}]) == []
    assert introduced([{"README.md": "x"}], after) == []


def test_a_merge_of_what_was_archived_in_time_is_silent() -> None:
    old: dict[str, Any] = {"day": "2026-05-02"}
    life = [act.format(sender="PM", recipient="DEV") for act in LIFE]
    ours = snapshot(manifest(), task("PM-to-DEV", *life, **old), REPORT, {"a.py": "1"})
    theirs = snapshot(manifest(), archived("PM-to-DEV", "DEV", **old), REPORT)
    both = snapshot(manifest(), archived("PM-to-DEV", "DEV", **old), REPORT, {"a.py": "1"})
    assert engine.check([ours, theirs], both, settings(None)).findings == ()
    assert [item.rule.code for item in engine.check([ours], both, settings(None)).findings] == ["FC401"]


def test_a_first_commit_is_judged_by_itself() -> None:
    assert introduced([], [manifest(), archived("PM-to-DEV", "DEV"), REPORT]) == ["FC401"]


def test_a_fingerprint_survives_a_move_to_history() -> None:
    moved = archived("PM-to-DEV", "DEV", place="history/2026-10-01/TASK-20261001-001-PM-to-DEV")
    prints = {findings(manifest(), files, select=["FC401"])[0].finding.fingerprint for files in (archived("PM-to-DEV", "DEV"), moved)}
    assert len(prints) == 1


# Laws

TEAM = st.sampled_from(["PM", "DEV", "QA", "OPS"])
INSTANCE = st.sampled_from(["{}", "{}-01", "{}-7", "{}.BACKEND", "{}-01.FRONT-END"])


@given(TEAM, TEAM, TEAM, TEAM, INSTANCE, st.sampled_from(["claim", "submit", "finish", "approve", "reject", "archive"]))
def test_an_instance_may_what_its_role_may(leader: str, sender: str, recipient: str, actor: str, form: str, edge: str) -> None:
    life = {
        "create": sender,
        "claim": recipient,
        "submit": recipient,
        "approve": leader,
        "archive": leader,
        "finish": recipient,
        "reject": leader,
    }

    def codes(by: str) -> list[str]:
        acts = [f"{key} {value}" for key, value in (life | {edge: by}).items()]
        return said(manifest(leader=leader), task(f"{sender}-to-{recipient}", *acts, place="_lifecycle/archive"))

    assert codes(form.format(actor)) == codes(actor)


@given(TEAM, TEAM, TEAM)
def test_leader_and_admin_may_always_archive_and_nobody_twice_blamed(leader: str, sender: str, recipient: str) -> None:
    for by in (leader, "ADMIN"):
        assert said(manifest(leader=leader), archived(f"{sender}-to-{recipient}", by), select=ARCHIVE_CODES) == []
    for by in ("PM", "DEV", "QA", "OPS", "BOB", "agent"):
        assert len(said(manifest(leader=leader), archived(f"{sender}-to-{recipient}", by), select=ARCHIVE_CODES)) <= 1
