"""Paths: stages, strays, history, product folders, internal papers; each row a tree as real life leaves it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.protocol import places
from fcoplint.report import Reported
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import T1, TEAM, task_text

STEM = "TASK-20261001-001-PM-to-DEV"
NAME = f"{STEM}.md"
REPORT = "REPORT-20261001-001-DEV-to-PM.md"
HOME = f"history/2026-10-01/{STEM}"


def found(files: dict[str, str], *codes: str, root: str = "fcop", links: dict[str, str] | None = None) -> list[Reported]:
    """The findings of these codes in a workspace of these files (paths relative to it)."""
    tree = {f"{root}/fcop.json": json.dumps(TEAM).encode(), **{f"{root}/{path}": text.encode() for path, text in files.items()}}
    linked = {f"{root}/{path}": target for path, target in (links or {}).items()}
    return list(engine.audit(MemorySnapshot(tree, linked), Settings(select=codes)).findings)


def where(items: list[Reported]) -> list[str]:
    return [item.finding.location.path.removeprefix("fcop/") for item in items]


def life(*events: str) -> str:
    """A TASK with these events, each `time from to`, on the first of October 2026."""
    listed = "".join(
        f"- at: '{at}'\n  from: {source}\n  to: {target}\n  by: PM\n  tool: t\n" for at, source, target in map(str.split, events)
    )
    return task_text().partition("transitions:")[0] + f"transitions:\n{listed}---\n\n# Build the form\n"


CREATED, CLAIMED = "2026-10-01T08:00:00Z null inbox", "2026-10-01T09:00:00Z inbox active"
DONE, ARCHIVED = "2026-10-01T15:00:00Z active done", "2026-10-03T08:00:00Z done archive"
WHOLE = life(CREATED, CLAIMED, DONE, ARCHIVED)


def kept(*stages: str) -> dict[str, str]:
    return {f"_lifecycle/{stage}/.gitkeep": "" for stage in stages}


STAGES = [
    (kept("inbox", "active", "review", "done", "archive"), None),
    ({}, None),
    (kept("inbox"), None),
    (kept("inbox", "active"), "review, done, archive"),
    (kept("inbox", "active", "review", "archive"), "done"),
    ({f"_lifecycle/done/{NAME}": WHOLE}, "inbox, active, review, archive"),
    ({f"tasks/{NAME}": WHOLE}, None),
]


@pytest.mark.parametrize(("files", "missing"), STAGES)
def test_absent_stages_are_information_given_once(files: dict[str, str], missing: str | None) -> None:
    items = found(files, "FC202")
    assert [(item.severity, item.finding.parameters["stages"]) for item in items] == ([("info", missing)] if missing else [])


def test_a_stage_that_is_a_link_is_not_absent() -> None:
    items = found(kept("inbox", "active", "review", "archive"), "FC202", "FC206", links={"_lifecycle/done": "../elsewhere"})
    assert [item.rule.code for item in items] == ["FC206"]


STRAYS = [
    # Lawful beside the manifest: what init writes, what teams of all real trees keep there.
    ("README.md", None), ("README.en.md", None), ("LETTER-TO-ADMIN.md", None), ("SPRINT-3.md", None), ("DECISION-20260514-x.md", None),
    ("INSPECTION-20260513-001-upgrade.md", None), ("MIGRATED_FROM_DOCS_AGENTS.md", None), ("PM-01.en.md", None), ("LICENSE", None),
    ("REVIEW-GUIDE.md", None),
    (".gitignore", None), (".gitkeep", None),
    ("team.json", "manifest"), ("bootstrap-manifest.json", "manifest"), ("codeflow.json", "manifest"), ("DASHBOARD.json", "manifest"),
    ("notes.md", "root"), ("index.html", "root"), ("fcop.json.bak", "root"), ("LETTER-TO-ADMIN.docx", "root"),
    ("TASK-20261001-3-PM-to-QA.md", "look-alike"), ("TASK20261001-003-PM-to-QA.md", "look-alike"),
    # Folders.
    ("shared/roles/PM.md", None), ("alerts/ALERT-20261001-001.md", None), ("internal/x.md", None), ("_ledger/LEDGER-202610.md", None),
    ("ledger/views/PM.todo.md", None), ("inbox/x.md", None), ("outbox/x.md", None), ("adopted/pending/0001.md", None),
    ("templates/task.md", None), (".obsidian/workspace.json", None), ("_archive/old.md", None),
    ("report/x.md", "folder"), ("Issues/x.md", "folder"), ("src/deep/down/main.py", "folder"),
    # Stages.
    ("_lifecycle/inbox/README.md", None), ("_lifecycle/inbox/readme.zh.md", None), ("_lifecycle/inbox/.DS_Store", None),
    ("_lifecycle/inbox/DRAFT-20261001-001-PM-to-QA.md", None), ("_lifecycle/inbox/.fcop-x.tmp", None), ("_lifecycle/README.md", None),
    ("_lifecycle/inbox/drafts/idea.md", None),
    ("_lifecycle/inbox/notes.md", "stage"), ("_lifecycle/done/screenshot.png", "stage"), ("_lifecycle/notes.md", "stage"),
    ("_lifecycle/inbox/DRAFT-idea.md", "stage"),
    ("_lifecycle/inbox/TASK-20261001-003-PM-to-QA.markdown", "look-alike"), ("_lifecycle/inbox/TASK-20261001-003-PM-to-QA", "look-alike"),
    ("_lifecycle/inbox/TASK20261001-003-PM-to-QA.md", "look-alike"), ("_lifecycle/inbox/TASK-20261001-003-PM-to-QA.txt", "look-alike"),
    ("_lifecycle/inbox/01-TASK-20261001-003-PM-to-QA.md", "look-alike"), ("_lifecycle/inbox/Copy of TASK-20261001-003.md", "look-alike"),
    ("_lifecycle/active/sub/task20261001-003-PM-to-QA.md", "look-alike"), ("_lifecycle/archive/TASK.20261001.md", "look-alike"),
    ("_lifecycle/inbox/TASK-20261001-003-PM-to-QA.md.bak", "look-alike"),
    # Elsewhere only what a person would take for an envelope.
    ("reports/REPORT-20261001-003-QA-to-PM.markdown", "look-alike"), ("issues/ISSUE20261001-001-QA.md", "look-alike"),
    ("history/2026-10-01/x/TASK-20261001-003-PM-to-QA.txt", "look-alike"),
    ("reports/INSPECTION-20260512-v1.4.0-pre-release.md", None), ("reports/attachment.png", None), ("shared/TASK20261001.md", None),
    ("log/REPORT-20261001-003-QA-to-PM.txt", None), ("tasks/_archive/TASK20261001.md", None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "message"), STRAYS)
def test_what_lies_beside_the_envelopes(path: str, message: str | None) -> None:
    items = found({path: "text\n", **kept("inbox")}, "FC207")
    assert [(item.severity, item.finding.message) for item in items] == ([("warning", message)] if message else [])


def test_a_stray_that_is_moved_is_an_old_fault() -> None:
    prints = [
        {
            item.finding.fingerprint
            for item in found({f"{folder}DRAFT-20261001-001-PM-to-QA.md": "", f"{folder}x.html": ""}, "FC104", "FC207")
        }
        for folder in ("_lifecycle/inbox/", "_lifecycle/done/", "")
    ]
    assert len(prints[0]) == 2
    assert prints[0] == prints[1] == prints[2]


def test_a_strange_folder_is_told_once_and_at_the_folder() -> None:
    assert where(found({"src/a.py": "", "src/b/c.py": "", **kept("inbox")}, "FC207")) == ["src"]


def test_an_old_layout_keeps_what_it_likes() -> None:
    assert found({f"tasks/{NAME}": task_text(), "tasks/notes.txt": "", "src/a.py": ""}, "FC207") == []


def test_codeflow_json_alone_is_the_manifest() -> None:
    tree = {"fcop/codeflow.json": json.dumps(TEAM).encode(), T1: task_text().encode()}
    assert engine.audit(MemorySnapshot(tree), Settings(select=("FC207",))).findings == ()


HISTORY_PATHS = [
    (f"{HOME}/{NAME}", None), (f"{HOME}/{REPORT}", None),
    (f"history/{NAME}", "depth"), (f"history/2026-10-01/{NAME}", "depth"), (f"{HOME}/sub/{NAME}", "depth"), (f"history/{REPORT}", "depth"),
    (f"history/20261001/{STEM}/{NAME}", "day"), (f"history/2026-13-01/{STEM}/{NAME}", "day"), (f"history/2026-10/{STEM}/{NAME}", "day"),
    (f"history/2026-10-01/TASK-20261001-001/{NAME}", "folder"), (f"history/2026-10-01/{STEM}-login/{NAME}", "folder"),
    (f"history/2026-10-01/reports/{REPORT}", "report-folder"), (f"history/2026-10-01/TASK-20261001-001/{REPORT}", "report-folder"),
    (f"history/2026-10-01/{STEM}/README.md", None), ("history/README.md", None), (f"history/_archive/{NAME}", None),
    # These have findings of their own.
    ("history/2026-10-01/ISSUE-20261001-001-QA.md", None), ("history/TASK-2026-1.md", None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "message"), HISTORY_PATHS)
def test_paths_in_history(path: str, message: str | None) -> None:
    items = found({path: WHOLE, **kept("inbox")}, "FC208")
    assert [(item.severity, item.finding.message) for item in items] == ([("error", message)] if message else [])


DAYS = [
    ("2026-10-01", WHOLE, 0),
    ("2026-10-02", WHOLE, 1),
    ("2026-10-03", WHOLE, 1),
    ("2026-10-01", life(CREATED, "2026-10-02T01:30:00+08:00 active done", ARCHIVED), 0),
    ("2026-10-02", life(CREATED, "2026-10-02T01:30:00+08:00 active done", ARCHIVED), 1),
    ("2026-10-02", life(CREATED, "2026-10-01T23:30:00-05:00 active done", ARCHIVED), 0),
    # The first of several, though it was rejected afterwards.
    ("2026-10-01", life(CREATED, DONE, "2026-10-02T08:00:00Z done active", "2026-10-03T08:00:00Z active done", ARCHIVED), 0),
    # No offset is UTC; no event to done, or one whose time cannot be read, allows any day.
    ("2026-10-01", life(CREATED, "2026-10-01T23:30:00 active done", ARCHIVED), 0),
    ("2020-01-01", life(CREATED, ARCHIVED), 0),
    ("2020-01-01", life(CREATED, "yesterday active done", ARCHIVED), 0),
    ("2020-01-01", task_text().partition("transitions:")[0] + "---\n", 0),
    ("2026-10-01", life("2026-10-01T08:00:00Z null done", ARCHIVED), 0),
]


@pytest.mark.parametrize(("day", "text", "count"), DAYS)
def test_the_day_in_history_is_the_utc_day_of_done(day: str, text: str, count: int) -> None:
    items = found({f"history/{day}/{STEM}/{NAME}": text, **kept("inbox")}, "FC209")
    assert [item.severity for item in items] == ["error"] * count
    assert all(item.finding.related for item in items)


REVIVED = [
    ({f"{HOME}/{NAME}": WHOLE, **kept("inbox")}, []),
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/archive/{NAME}": WHOLE}, ["identical"]),
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/active/{NAME}": task_text()}, ["default"]),
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/active/{NAME}": WHOLE, f"_lifecycle/inbox/{NAME}": WHOLE}, ["identical"]),
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/doing/{NAME}": task_text()}, ["default"]),
    # The short id alone is FC105.
    ({f"{HOME}/{NAME}": WHOLE, "_lifecycle/active/TASK-20261001-001-PM-to-QA.md": task_text()}, []),
    ({f"{HOME}/{REPORT}": WHOLE, f"_lifecycle/archive/{REPORT}": WHOLE}, []),
]


@pytest.mark.parametrize(("files", "messages"), REVIVED)
def test_nothing_comes_back_from_history(files: dict[str, str], messages: list[str]) -> None:
    items = found(files, "FC210")
    assert [(item.severity, item.finding.message) for item in items] == [("error", message) for message in messages]
    assert all(item.finding.location.path.startswith("fcop/_lifecycle/") for item in items)


def report(*references: str) -> str:
    listed = "".join(f"- {reference}\n" for reference in references)
    return f"---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences:\n{listed}---\n\n# Built\n"


SECOND = "TASK-20261001-002-PM-to-DEV"
SPLIT = [
    ({f"{HOME}/{NAME}": WHOLE, f"{HOME}/{REPORT}": report(STEM)}, []),
    ({f"{HOME}/{NAME}": WHOLE, f"reports/{REPORT}": report(STEM)}, [f"reports/{REPORT}"]),
    ({f"{HOME}/{NAME}": WHOLE, f"reports/{REPORT}": report("TASK-20261001-001")}, [f"reports/{REPORT}"]),
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/archive/{REPORT}": report(STEM)}, [f"_lifecycle/archive/{REPORT}"]),
    ({f"{HOME}/{NAME}": WHOLE, f"history/2026-10-02/{STEM}/{REPORT}": report(STEM)}, [f"history/2026-10-02/{STEM}/{REPORT}"]),
    ({f"_lifecycle/archive/{NAME}": WHOLE, f"reports/{REPORT}": report(STEM)}, []),
    ({f"reports/{REPORT}": report(STEM), **kept("inbox")}, []),
    # One REPORT for two TASKs lies beside one of them, or stays while one is at work.
    ({f"{HOME}/{NAME}": WHOLE, f"_lifecycle/done/{SECOND}.md": WHOLE, f"reports/{REPORT}": report(STEM, SECOND)}, []),
    ({f"{HOME}/{NAME}": WHOLE, f"history/2026-10-01/{SECOND}/{SECOND}.md": WHOLE, f"{HOME}/{REPORT}": report(STEM, SECOND)}, []),
    (
        {f"{HOME}/{NAME}": WHOLE, f"history/2026-10-01/{SECOND}/{SECOND}.md": WHOLE, f"reports/{REPORT}": report(STEM, SECOND)},
        [f"reports/{REPORT}"],
    ),
    # One that another TASK took along; the TASK with whose number it came may be in the stages still.
    (
        {f"_lifecycle/active/{SECOND}.md": WHOLE, f"{HOME}/{NAME}": WHOLE, f"{HOME}/{REPORT}": report(SECOND)},
        [f"{HOME}/{REPORT}"],
    ),
    ({f"{HOME}/{NAME}": WHOLE, f"{HOME}/{REPORT}": report("TASK-20261001-099")}, []),
    ({f"_lifecycle/active/{SECOND}.md": WHOLE, f"{HOME}/{NAME}": WHOLE, f"{HOME}/{REPORT}": report(SECOND, STEM)}, []),
]


@pytest.mark.parametrize(("files", "expected"), SPLIT)
def test_reports_lie_beside_their_task_in_history(files: dict[str, str], expected: list[str]) -> None:
    items = found(files, "FC211")
    assert (where(items), {item.severity for item in items} <= {"warning"}) == (expected, True)


LAST = [
    (WHOLE, None),
    (life(CREATED, CLAIMED, DONE), 17),
    (life(CREATED), 7),
    (life("2026-10-01T08:00:00Z null archive"), None),
    (task_text().partition("transitions:")[0] + "---\n", None),
    (task_text().partition("transitions:")[0] + "transitions: none\n---\n", None),
    (life(CREATED, "2026-10-01T09:00:00Z inbox null"), None),
]


@pytest.mark.parametrize(("text", "line"), LAST)
def test_the_last_event_of_history_is_the_archiving(text: str, line: int | None) -> None:
    items = found({f"{HOME}/{NAME}": text, **kept("inbox")}, "FC212")
    assert [item.finding.location.span and item.finding.location.span.line for item in items] == ([line] if line else [])


SLUGS = [
    ("login-page", True), ("a", True), ("shared", True), ("app2", True), ("a" * 40, True), ("x-", True), (".cache", True),
    ("Login", False), ("login_page", False), ("2048-game", False), ("-x", False), ("a" * 41, False), ("登录", False), ("my app", False),
    ("archive", False), ("tmp", False), ("trash", False),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "lawful"), SLUGS)
@pytest.mark.parametrize("root", ["fcop", "docs/agents", "shop/fcop", "shop/docs/agents"])
def test_slugs_below_the_products(root: str, slug: str, lawful: bool) -> None:
    above = root.removesuffix("fcop").removesuffix("docs/agents")
    tree = {
        f"{root}/fcop.json": json.dumps(TEAM).encode(),
        f"{root}/_lifecycle/inbox/{NAME}": task_text().encode(),
        f"{above}workspace/README.md": b"",
        f"{above}workspace/{slug}/src/main.py": b"",
        f"{above}workspace/{slug}/index.html": b"",
        f"{root}/workspace/Not_Looked_At/x.md": b"",
        f"elsewhere/workspace/{slug}/x.md": b"",
    }
    items = engine.audit(MemorySnapshot(tree), Settings(select=("FC213",))).findings
    assert [(item.severity, item.finding.location.path) for item in items] == ([] if lawful else [("warning", f"{above}workspace/{slug}")])


def test_products_are_not_seen_where_the_workspace_itself_is_audited() -> None:
    tree = {"fcop.json": json.dumps(TEAM).encode(), f"_lifecycle/inbox/{NAME}": task_text().encode(), "workspace/Bad_Slug/x.md": b""}
    report = engine.audit(MemorySnapshot(tree), Settings(select=("FC213",)), top="fcop")
    assert (len(report.workspaces), report.findings) == (1, ())


PAPERS = [
    ("internal/x.md", "# Plain\n", "default"),
    ("internal/deep/x.md", "", "default"),
    ("internal/x.md", "---\ninternal_only: true\n---\n", None),
    ("internal/x.md", "---\ninternal_only: True\n---\n", None),
    ("internal/README.md", "> ⚠️ **INTERNAL ONLY · 内部档案 · DO NOT EXTERNALIZE WITHOUT REVIEW**\n", None),
    ("internal/x.md", "> **内部档案 — 不外发**\n", None),
    ("internal/x.md", "x" * 5000 + "INTERNAL ONLY\n", "default"),
    ("internal/x.md", "---\ninternal_only: false\n---\n", "default"),
    ("internal/data.csv", "a,b\n", None),
    ("shared/x.md", "---\ninternal_only: true\n---\n", "elsewhere"),
    ("shared/x.md", "---\ninternal_only: false\n---\n", None),
    ("shared/TEAM-OPERATING-RULES.md", "# Rules\n\n```\n---\ninternal_only: true\n---\n```\nINTERNAL ONLY\n", None),
    (f"_lifecycle/inbox/{NAME}", task_text(internal_only="true"), "elsewhere"),
]


@pytest.mark.parametrize(("path", "text", "message"), PAPERS)
def test_internal_papers_say_so(path: str, text: str, message: str | None) -> None:
    items = found({path: text, **kept("inbox")}, "FC214")
    assert [(item.severity, item.finding.message) for item in items] == ([("info", message)] if message else [])


def test_a_paper_that_is_not_text_is_passed_by() -> None:
    tree = {"fcop/fcop.json": b"{}", "fcop/shared/x.md": b"---\ninternal_only: \xff\n---\n", "fcop/internal/y.md": b"\xff INTERNAL ONLY"}
    assert engine.audit(MemorySnapshot(tree), Settings(select=("FC214",))).findings == ()


@given(st.dates())
def test_every_day_of_the_calendar_may_be_a_folder_of_history(day: object) -> None:
    assert places.is_history_day(str(day))


@given(st.text(st.characters(codec="utf-8"), max_size=45))
def test_a_product_slug_is_a_folder_in_small_ascii(slug: str) -> None:
    if places.is_product_slug(slug):
        assert slug.isascii()
        assert slug == slug.lower()
        assert len(slug) <= 40
