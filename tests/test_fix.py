"""`fcoplint fix` and `check --fix`: the text that is wrong changes, and not a byte beside it (design.md 10)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.findings import Edit
from fcoplint.model.nodes import Span
from fcoplint.repair.editing import apply
from tests.support.repository import INBOX, T1, TEAM, Repo, task_text

REPORT = "fcop/reports/REPORT-20261001-001-DEV-to-PM.md"
ISSUE = "fcop/issues/ISSUE-20261001-001-DEV.md"
REPORT_TEXT = (
    "---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences: [TASK-20261001-001-PM-to-DEV]\nstatus: done\n---\n\nDone.\n"
)
ISSUE_TEXT = "---\nprotocol: fcop\nversion: 1\nreporter: DEV\nseverity: low\nsummary: Slow\n---\n"
SHOP = {T1: task_text(), "docs/login.md": "x\n", ".fcoplint.toml": '[roots]\nhome = ["/home/dev/shop"]\n'}
SERVER = '{"mcpServers": {"fcop": {"command": "fcop-mcp", "env": {"%s": "${workspaceFolder}%s"}}}}  // ours\n'


class Case(NamedTuple):
    """A rule with the file that breaks it, what stands there before and after, and files beside it."""

    code: str
    path: str
    before: str
    after: str
    unsafe: bool = False
    target: str | None = None
    beside: dict[str, str] = {}  # noqa: RUF012 - a row of a table


def task(old: str, new: str) -> str:
    text = task_text(priority="P1", type="TASK", task_id="TASK-20261001-001")
    assert old in text, old
    return text.replace(old, new, 1)


CASES = [
    Case("FC116", T1, task("protocol: fcop\n", "protocol: agent_bridge  # ours\n"), task("protocol: fcop\n", "protocol: fcop  # ours\n")),
    Case("FC116", T1, task("protocol: fcop\n", "protocol: 'file-coordination'\n"), task("protocol: fcop\n", "protocol: 'fcop'\n")),
    Case("FC118", T1, task("type: TASK", "type: REPORT"), task("", ""), unsafe=True),
    Case("FC118", T1, task("type: TASK", 'kind: "report"'), task("type: TASK", 'kind: "task"'), unsafe=True),
    Case("FC119", T1, task("_id: TASK-20261001-001", "_id: TASK-20261001-002"), task("", ""), unsafe=True),
    Case("FC120", T1, task("sender: PM", "sender: 'QA' # me"), task("sender: PM", "sender: 'PM' # me"), unsafe=True),
    Case("FC120", T1, task("recipient: DEV", "recipient: OPS"), task("", ""), unsafe=True),
    Case("FC123", T1, task("priority: P1", "priority: high"), task("", "")),
    Case("FC123", T1, task("priority: P1", 'priority: "urgent"'), task("priority: P1", 'priority: "P0"')),
    Case("FC127", REPORT, REPORT_TEXT.replace("[", "").replace("]", ""), REPORT_TEXT, beside={T1: task_text()}),
    Case(
        "FC127", REPORT, REPORT_TEXT.replace("[TASK-20261001-001-PM-to-DEV]", "'TASK-20261001-001-PM-to-DEV'"),
        REPORT_TEXT.replace("[TASK-20261001-001-PM-to-DEV]", "['TASK-20261001-001-PM-to-DEV']"), beside={T1: task_text()},
    ),
    Case("FC128", T1, task("priority: P1\n", "priority: P1\ncustodian: DEV\n"), task("", ""), unsafe=True),
    Case("FC128", T1, task("priority: P1\n", "ownership:\n  role: DEV\npriority: P1\n"), task("", ""), unsafe=True),
    Case("FC205", "fcop/_lifecycle/done/REPORT-20261001-001-DEV-to-PM.md", REPORT_TEXT, REPORT_TEXT, True, REPORT, {T1: task_text()}),
    Case("FC205", "fcop/reports/ISSUE-20261001-001-DEV.md", ISSUE_TEXT, ISSUE_TEXT, True, ISSUE),
    Case("FC214", "fcop/internal/log.md", "# What we learned\n", "---\ninternal_only: true\n---\n\n# What we learned\n", unsafe=True),
    Case("FC214", "fcop/internal/log.md", "---\ntopic: us\n---\n\nHm.\n", "---\ninternal_only: true\ntopic: us\n---\n\nHm.\n", unsafe=True),
    Case(
        "FC710", REPORT, REPORT_TEXT.replace("status:", "evidence: '/home/dev/shop/docs/login.md'\nstatus:"),
        REPORT_TEXT.replace("status:", "evidence: docs/login.md\nstatus:"), beside=SHOP,
    ),
    Case(
        "FC713", REPORT, REPORT_TEXT.replace("Done.", "See `/home/dev/shop/docs/login.md`."),
        REPORT_TEXT.replace("Done.", "See `docs/login.md`."), unsafe=True, beside=SHOP,
    ),
    Case("FC722", ".mcp.json", SERVER % ("CODEFLOW_PROJECT_DIR", ""), SERVER % ("FCOP_PROJECT_DIR", "")),
    Case("FC723", ".mcp.json", SERVER % ("FCOP_PROJECT_DIR", "/fcop"), SERVER % ("FCOP_PROJECT_DIR", ""), unsafe=True),
    Case("FC902", T1, "\ufeff" + task("", ""), task("", "")),
    Case("FC903", T1, task("", "").replace("\n", "\r\n"), task("", "")),
    Case("FC002", T1, task("priority: P1", "priority: P1  # fcoplint: ignore[FC123] old habit"), task("", "")),
    Case("FC002", T1, task("priority: P1\n", "# fcoplint: ignore[FC123]\npriority: P1\n"), task("", "")),
    Case(
        "FC002", T1, task("priority: P1", "priority: P9  # fcoplint: ignore[FC116, FC123] ours"),
        task("priority: P1", "priority: P9  # fcoplint: ignore[FC123] ours"),
    ),
]  # fmt: skip


def build(repo: Repo, case: Case) -> None:
    """A project with the case's file in it, staged and not committed."""
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    for path, text in case.beside.items():
        repo.write(path, text)
    repo.commit("start")
    repo.write(case.path, case.before)
    repo.git("add", "-A")


def test_every_rule_with_a_safe_or_unsafe_fix_has_a_case(shared: Path) -> None:
    with (shared / "rules.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["fix"] in ("safe", "unsafe")]
    assert {case.code for case in CASES} == {row["code"] for row in rows}
    assert {(case.code, "unsafe" if case.unsafe else "safe") for case in CASES} == {(row["code"], row["fix"]) for row in rows}


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{number}" for number, case in enumerate(CASES)])
def test_a_fix_changes_what_is_wrong_and_nothing_else(case: Case, make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    build(repo, case)
    assert case.code in repo.audit().codes
    if case.unsafe:
        assert repo.run("fix").code == 0
        assert (repo.path / case.path).read_bytes() == case.before.encode()
    shown = repo.run("fix", "--diff", *(["--unsafe"] if case.unsafe else []))
    assert (shown.code, (repo.path / case.path).read_bytes()) == (0, case.before.encode())
    ran = repo.run("fix", *(["--unsafe"] if case.unsafe else []))
    assert ran.code == 0, ran
    assert f"fixed {case.code}" in ran.out
    assert (repo.path / (case.target or case.path)).read_bytes() == case.after.encode()
    assert case.target is None or not (repo.path / case.path).exists()
    repo.git("add", "-A")
    assert case.code not in repo.audit().codes
    again = repo.run("fix", "--unsafe")
    assert (again.code, (repo.path / (case.target or case.path)).read_bytes()) == (0, case.after.encode())
    assert not list(repo.path.rglob(".fcop-*"))


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.path.endswith(".md") and case.code not in ("FC205", "FC903")], ids=lambda case: case.code
)
def test_line_ends_stay_as_they_are_where_they_are_not_the_fault(case: Case, make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    crlf = case._replace(before=case.before.replace("\n", "\r\n"), after=case.after.replace("\n", "\r\n"))
    build(repo, crlf)
    # Without its own fix, FC903 is no longer a fault that the command takes away on the way.
    repo.write(".fcoplint.toml", "ignore = ['FC903']\n" + case.beside.get(".fcoplint.toml", ""))
    repo.commit("settings")
    repo.git("reset", "-q", "--soft", "HEAD~1")
    repo.git("commit", "-q", "-m", "settings", "--", ".fcoplint.toml")
    assert repo.run("fix", "--unsafe").code == 0
    assert (repo.path / case.path).read_bytes() == crlf.after.encode()


@pytest.mark.parametrize("code", ["FC116", "FC123", "FC127", "FC118", "FC120"])
def test_what_has_landed_keeps_its_words(code: str, make_repo: Callable[..., Repo]) -> None:
    case = next(case for case in CASES if case.code == code)
    repo = make_repo()
    build(repo, case)
    repo.commit("landed")
    ran = repo.run("fix", "--unsafe")
    assert ran.code == 0
    assert f"not fixed: {code}" in ran.out
    assert "has landed" in ran.out
    assert (repo.path / case.path).read_bytes() == case.before.encode()


@pytest.mark.parametrize("code", ["FC902", "FC903"])
def test_of_what_has_landed_only_mark_and_line_ends_change(code: str, make_repo: Callable[..., Repo]) -> None:
    case = next(case for case in CASES if case.code == code)
    repo = make_repo()
    build(repo, case)
    repo.commit("landed")
    assert repo.run("fix").code == 0
    repo.git("add", "-A")
    assert (repo.path / case.path).read_bytes() == case.after.encode()
    assert [finding for finding in repo.check().findings if finding["severity"] != "info"] == []


def test_a_fix_that_would_bring_in_a_fault_is_dropped_and_said(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    # With `sender: PM` the TASK's creator is another role than its sender.
    text = task_text(sender="QA")
    build(repo, Case("FC120", T1, text, text))
    ran = repo.run("fix", "--unsafe")
    assert ran.code == 0
    assert "not fixed: FC120" in ran.out
    assert "it would bring in FC" in ran.out
    assert (repo.path / T1).read_bytes() == text.encode()


REFUSED = {
    "half of it is staged": lambda repo: repo.write(T1, task("priority: P1", "priority: high") + "\nMore.\n"),
    "a hard link": lambda repo: (repo.path / "other.md").hardlink_to(repo.path / T1),
}


@pytest.mark.parametrize("trouble", REFUSED.values(), ids=REFUSED)
def test_a_file_that_is_not_only_this_is_refused(trouble: Callable[[Repo], object], make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    build(repo, next(case for case in CASES if case.code == "FC123"))
    trouble(repo)
    before = (repo.path / T1).read_bytes()
    ran = repo.run("fix", "--format", "json")
    assert ran.code == 1
    outcome = json.loads(ran.out)["outcomes"][0]
    assert (outcome["state"], T1 in outcome["message"]) == ("refused", True)
    assert (repo.path / T1).read_bytes() == before


def test_a_link_is_not_followed(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo()
    repo.add_team()
    outside = tmp_path / "outside.md"
    outside.write_text(task("priority: P1", "priority: high"))
    (repo.path / f"{INBOX}/TASK-20261001-002-PM-to-DEV.md").symlink_to(outside)
    repo.git("add", "-A")
    assert repo.run("fix", "--unsafe").code == 0
    assert outside.read_text() == task("priority: P1", "priority: high")


def test_only_what_lies_below_the_paths_is_fixed(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    build(repo, next(case for case in CASES if case.code == "FC123"))
    other = repo.write(f"{INBOX}/TASK-20261001-002-PM-to-DEV.md", task_text(priority="high"))
    repo.git("add", "-A")
    assert repo.run("fix", T1).code == 0
    assert "priority: P1" in (repo.path / T1).read_text()
    assert "priority: high" in other.read_text()
    assert repo.run("fix", "fcop").code == 0
    assert "priority: P1" in other.read_text()


def test_what_a_diff_shows_cannot_speak_to_a_terminal(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    build(repo, Case("FC123", T1, task("priority: P1", "priority: high") + "\x1b[31m\u202e::error::\n", ""))
    shown = repo.run("fix", "--diff")
    assert "+priority: P1" in shown.out
    assert not {"\x1b", "\u202e"} & set(shown.out)


def test_a_hook_fixes_what_is_safe_and_fails_the_commit(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    repo.commit("start")
    tool = "#!/bin/sh\nexec python3 -m fcoplint check --fix\n"
    hook = repo.write(".git/hooks/pre-commit", tool.replace("python3", __import__("sys").executable))
    hook.chmod(0o755)
    env = {"PYTHONPATH": str(Path(__file__).parents[1])}
    repo.write(T1, task("priority: P1", "priority: high"))
    repo.git("add", "-A")
    refused = repo.try_git("commit", "-m", "task", env=env)
    assert refused.code == 1
    assert f"git add -- {T1}" in refused.out + refused.err
    assert repo.git("show", f":{T1}") == task("priority: P1", "priority: high")
    assert (repo.path / T1).read_text() == task("", "")
    assert repo.try_git("commit", "-a", "-m", "task", env=env).code == 0
    assert repo.git("show", f"HEAD:{T1}") == task("", "")


def test_a_hook_of_commit_a_fixes_the_files_themselves(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    repo.write("note.txt", "x\n")
    repo.commit("start")
    repo.write(T1, task("priority: P1", "priority: high"))
    repo.git("add", "-N", T1)
    index = {"GIT_INDEX_FILE": str(repo.path / ".git" / "index.temporary")}
    repo.git("read-tree", "HEAD", env=index)
    repo.git("add", T1, env=index)
    ran = repo.run("check", "--fix", env=index)
    assert (ran.code, (repo.path / T1).read_text()) == (1, task("", ""))


@pytest.mark.parametrize("args", [("--range", "HEAD~1..HEAD"), ("--pre-push",), ("--stdin-filename", T1)])
def test_what_is_not_on_disk_cannot_be_fixed(args: tuple[str, ...], make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.add_team()
    repo.commit()
    assert repo.run("check", "--fix", *args).code == 2


# The law of edits


@given(st.text(st.sampled_from("ab\u00e9\u4e2d\ufeff \n\r")), st.data())
def test_edits_change_their_own_stretches_alone(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    stretches = list(zip(cuts[::2], cuts[1::2], strict=False))
    words = [data.draw(st.text("xyz", max_size=3)) for _ in stretches]
    edits = [Edit("a", Span(*place(text, start), *place(text, end)), word) for (start, end), word in zip(stretches, words, strict=True)]
    # Two insertions at one place have no order.
    edits = list({edit.span[:2]: edit for edit in reversed(edits)}.values())
    expected, at = "", 0
    for edit in sorted(edits):
        start, end = offset(text, *edit.span[:2]), offset(text, *edit.span[2:])
        expected += text[at:start] + edit.replacement
        at = end
    assert apply(text.encode(), edits) == (expected + text[at:]).encode()


@pytest.mark.parametrize("span", [Span(0, 1, 1, 1), Span(3, 1, 3, 2), Span(1, 5, 1, 6), Span(1, 2, 1, 1)])
def test_an_edit_outside_of_the_text_is_none(span: Span) -> None:
    assert apply(b"ab\n", [Edit("a", span, "x")]) is None


def place(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


def offset(text: str, line: int, column: int) -> int:
    return sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1
