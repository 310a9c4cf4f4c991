"""What a change cannot affect is not read: the findings must be those of a look at everything."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import workspaces
from fcoplint import engine
from fcoplint.model import reach
from fcoplint.model.document import Document
from fcoplint.model.policy import Policy
from fcoplint.model.workspace import Documents, Workspaces
from fcoplint.protocol.stages import STAGES
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.conftest import SHARED

CASES = sorted(
    path
    for folder in (Path(__file__).parent / "cases", SHARED / "corpus")
    for path in folder.glob("*/*/workspace")
    if (path / "fcop" / "fcop.json").is_file()
)
LANDED = dict(workspaces.files(120))
TASK = "---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: DEV\n{}transitions:\n{}---\n\n# Build it\n"
CREATED = "- at: {}\n  from: null\n  to: inbox\n  by: PM\n  tool: create_task\n"
SETTINGS = Settings(policy=Policy(now=datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)))
TOOLS, FOREIGN = ("tool",), ("action",)


def judge(before: dict[str, bytes], after: dict[str, bytes], worth_it: int, monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """What a change brings in, where workspaces of so many envelopes and more are read in part."""
    monkeypatch.setattr(reach, "WORTH_IT", worth_it)
    report = engine.check([MemorySnapshot(before)], MemorySnapshot(after), SETTINGS)
    return Counter((item.finding.fingerprint, item.finding.location, item.severity, item.message) for item in report.findings)


def agree(before: dict[str, bytes], after: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """The findings of a change, which must be the same in part and as a whole."""
    whole = judge(before, after, 10**9, monkeypatch)
    assert judge(before, after, 0, monkeypatch) == whole
    return whole


def spare(before: dict[str, bytes], after: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> frozenset[str]:
    """What is not read."""
    monkeypatch.setattr(reach, "WORTH_IT", 0)
    return reach.find_spared([Workspaces(MemorySnapshot(side), Documents()) for side in (before, after)])


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder, links left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def move(random: Random, path: str) -> str:
    """A TASK's path in another stage; other paths as they are."""
    head, lifecycle, _ = path.partition("/_lifecycle/")
    return f"{head}/_lifecycle/{random.choice(STAGES)}/{path.rpartition('/')[2]}" if lifecycle else path


@pytest.mark.parametrize("seed", range(6))
def test_every_kind_of_fault_among_many_envelopes_is_found_as_if_all_were_read(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    found = Counter[Any]()
    for folder in random.sample(CASES, 20):
        case = tree(folder)
        files = {**LANDED, **case}
        own = [path for path in case if path.endswith(".md")] or list(LANDED)
        chosen = set(random.sample(own, min(len(own), random.choice((1, 1, 2, 3)))))
        without = {path: content for path, content in files.items() if path not in chosen}
        moved = {move(random, path) if path in chosen else path: content for path, content in files.items()}
        edited = {path: content.replace(b"DEV", b"QA", 1) if path in chosen else content for path, content in files.items()}
        for before, after in ((without, files), (files, without), (files, moved), (edited, files)):
            found += agree(before, after, monkeypatch)
    assert len({fingerprint for fingerprint, *_ in found}) > 20


def test_a_lawful_change_leaves_most_of_a_workspace_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    after = {**LANDED, workspaces.STAGED: TASK.format("", CREATED.format("2026-10-02T08:00:00Z")).encode()}
    spared = spare(LANDED, after, monkeypatch)
    assert len(spared) > 0.8 * len(LANDED)
    assert not spared & {workspaces.STAGED, "fcop/fcop.json"}


DISTANT = {
    "a REPORT that cannot be read may be the answer": (
        {
            "fcop/_lifecycle/done/TASK-20270101-001-PM-to-DEV.md": TASK.format("", CREATED.format("2027-01-01T08:00:00Z")),
            "fcop/reports/REPORT-20270105-009-DEV-to-PM.md": "---\nsender: DEV\nstatus: done: yes\n---\n",
        },
        ("fcop/_lifecycle/done/TASK-20270101-001-PM-to-DEV.md", "fcop/_lifecycle/archive/TASK-20270101-001-PM-to-DEV.md"),
    ),
    "a parent named by an escaped text": (
        {
            "fcop/_lifecycle/active/TASK-20270101-001-PM-to-DEV.md": TASK.format("", CREATED.format("2027-01-01T08:00:00Z")),
            "fcop/_lifecycle/active/TASK-20270101-002-DEV-to-QA.md": TASK.format(
                'parent: "TASK-\\x320270101-001-PM-to-DEV"\n', CREATED.format("2027-01-01T09:00:00Z")
            ),
        },
        ("fcop/_lifecycle/active/TASK-20270101-001-PM-to-DEV.md", "fcop/_lifecycle/archive/TASK-20270101-001-PM-to-DEV.md"),
    ),
    "a session that another role used": (
        {
            "fcop/_lifecycle/inbox/TASK-20270101-001-PM-to-DEV.md": TASK.format(
                "session_id: s-1\n", CREATED.format("2027-01-01T08:00:00Z")
            ),
            "fcop/issues/ISSUE-20270101-007-QA.md": "---\nreporter: QA\nseverity: low\nsummary: Slow\nsession_id: 's-1'\n---\n",
        },
        ("fcop/issues/ISSUE-20270101-007-QA.md", ""),
    ),
    "the newest event, far from the one that is added": (
        {
            "fcop/_lifecycle/inbox/TASK-20261101-001-PM-to-DEV.md": TASK.format("", CREATED.format("2026-11-30T08:00:00Z")),
            "fcop/_lifecycle/inbox/TASK-20261001-901-PM-to-DEV.md": TASK.format("", CREATED.format("2026-10-01T08:00:00Z")),
        },
        ("fcop/_lifecycle/inbox/TASK-20261001-901-PM-to-DEV.md", ""),
    ),
    "events of another runtime, told once": (
        {
            f"fcop/_lifecycle/inbox/TASK-20270101-00{number}-PM-to-DEV.md": TASK.format(
                "", CREATED.format(f"2027-01-0{number}T08:00:00Z").replace("tool:", "action:")
            )
            for number in (1, 2)
        },
        ("fcop/_lifecycle/inbox/TASK-20270101-002-PM-to-DEV.md", ""),
    ),
    "an archived TASK without events, and the first event of all": (
        {
            "fcop/_lifecycle/archive/TASK-20260101-001-PM-to-DEV.md": TASK.replace("transitions:\n{}", "").format(""),
            "fcop/_lifecycle/inbox/TASK-20251231-001-PM-to-DEV.md": TASK.format("", CREATED.format("2025-12-31T08:00:00Z")),
        },
        ("fcop/_lifecycle/inbox/TASK-20251231-001-PM-to-DEV.md", ""),
    ),
}


@pytest.mark.parametrize(("files", "step"), DISTANT.values(), ids=DISTANT)
@pytest.mark.parametrize("reverse", [False, True], ids=["forth", "back"])
def test_what_bears_on_a_change_from_afar_is_read(
    files: dict[str, str], step: tuple[str, str], reverse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = LANDED | {path: text.encode() for path, text in files.items()}
    path, target = step
    rest = {name: content for name, content in whole.items() if name != path}
    other = rest | ({target: whole[path]} if target else {})
    # A file that is taken away to begin with comes in; one that moves, moves.
    before, after = (whole, other) if (target and not reverse) or (not target and reverse) else (other, whole)
    agree(before, after, monkeypatch)


@pytest.mark.parametrize(
    "path", ["fcop/fcop.json", "AGENTS.md", ".cursor/rules/fcop-rules.mdc", "other/fcop/fcop.json"], ids=["manifest", "rules", "mdc", "new"]
)
def test_what_binds_all_is_judged_by_reading_all(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not spare(LANDED, LANDED | {path: b'{"leader": "DEV", "roles": ["DEV"], "version": 1}'}, monkeypatch)


def test_a_workspace_without_a_declared_leader_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    files = LANDED | {"fcop/fcop.json": b'{"roles": ["PM", "DEV", "QA", "OPS"], "version": 1}'}
    assert not spare(files, files | {workspaces.STAGED: b"---\n---\n"}, monkeypatch)


@pytest.mark.parametrize(
    "path", [path for folder in CASES for path in sorted(folder.rglob("*.md")) if path.is_file()][::5], ids=lambda path: path.stem
)
def test_a_look_tells_no_less_than_the_reader(path: Path) -> None:
    hold_against_the_reader(path.read_bytes())


WORDS = st.sampled_from([
    "a:", "|-", "|+", ">", "-", "--", "---", "...", "'b'", '"c"', "'it''s'", '"\\x41"', "[a,b]", "[a,", "[b]]", "{a:", "b}", "#", "#c",
    "d:e", "f:", ":g", ",h", "*i", "&j", "!k", "%l", "@m", "`n`", "?", "|", "~", "null", "2026-10-01", "at:", "parent:", "transitions:",
    "TASK-20261001-001-PM-to-DEV", "session_id:", "\u7528", "\u200b", "\u00a0", "\t", "\r", "<<", "\u00e9",
])  # fmt: skip
STARTS = st.sampled_from(["", " ", "  ", "    ", "- ", "  - ", "x: ", "- x: ", "  y: ", "    z: "])
LINES = st.lists(st.tuples(STARTS, st.lists(WORDS, max_size=4)))


@given(LINES)
def test_a_look_at_any_text_tells_no_less_than_the_reader(lines: list[tuple[str, list[str]]]) -> None:
    front = "".join(f"{start}{' '.join(words)}\n" for start, words in lines)
    hold_against_the_reader(f"---\n{front}---\n".encode())


def hold_against_the_reader(data: bytes) -> None:
    look = reach._look(data, TOOLS, FOREIGN)
    read = reach._read(Document(data), TOOLS, FOREIGN)
    if look.is_odd and not read.is_odd:
        return
    assert look.is_odd == read.is_odd
    assert look.keys >= read.keys


@pytest.mark.parametrize(
    "text", ["a: " + " " * 200_000, "a: [" + "b, " * 100_000, "a: |\n" + "  b\n" * 100_000, "a:\n" + "- b\n" * 100_000 + "-"]
)
def test_a_look_takes_one_pass_however_long_the_text(text: str) -> None:
    assert reach._look(f"---\n{text}\n---\n".encode(), TOOLS, FOREIGN) is not None
