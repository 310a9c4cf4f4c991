"""The fixtures that the specification asks for (roots.md 6), each as a real repository and the commands that meet it.

The recovery table and the race of two claims belong to `move`; the identities of v4 stand with the rules of v4, their clone
also in `test_switch.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.projects import run_json
from tests.support.repository import T1, Ran, Repo, run_tool, task_text
from tests.support.roots import report, server

DIR, PATH = "FCOP_PROJECT_DIR", "FCOP_PROJECT_PATH"
FOREIGN = "D:\\Other"
Make = Callable[[Repo], None]
ROWS: list[tuple[str, Make, list[tuple[str, str]], str]] = []


def row(name: str, expected: list[tuple[str, str]], verdict: str) -> Callable[[Make], Make]:
    """A fixture, what `audit` says of it (code, severity) and what `roots` says (verdict)."""

    def keep(make: Make) -> Make:
        ROWS.append((name, make, expected, verdict))
        return make

    return keep


def mcp(repo: Repo, env: dict[str, str] | None = None, *, prefix: str = "", **more: object) -> None:
    repo.write(".cursor/mcp.json", prefix + server(env, **more))


def cite(repo: Repo, *references: str, body: str = "Done.", **fields: str) -> None:
    for path, text in report(*references, body=body, **fields).items():
        repo.write(path, text)


@row("fcop/fcop", [("FC701", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    repo.add_team("fcop/fcop")


@row("both layouts", [("FC702", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    repo.add_team("docs/agents")


@row("nested project without rules file", [("FC725", "warning")], "CONSISTENT")
def _(repo: Repo) -> None:
    repo.write(".cursor/rules/fcop-rules.mdc", "rules")
    repo.add_team("packages/shop/fcop")


@row("literal ${workspaceFolder}/", [("FC724", "error")], "CONSISTENT")
def _(repo: Repo) -> None:
    repo.write("${workspaceFolder}/.cursor/rules/fcop-rules.mdc", "rules")


@row("BOM and JSONC", [("FC720", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    mcp(repo, {DIR: "src"}, prefix="\ufeff// bound by hand\n")


@row("env/cwd split", [("FC721", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    repo.add_team("packages/other/fcop")
    mcp(repo, {DIR: "${workspaceFolder}"}, cwd="packages/other")


@row("FCOP_PROJECT_PATH alone", [("FC720", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    mcp(repo, {PATH: "src"})


@row("drive path on Linux", [("FC720", "warning")], "INDETERMINATE")
def _(repo: Repo) -> None:
    mcp(repo, {DIR: "D:\\work\\shop"})


@row("..cache name", [], "CONSISTENT")
def _(repo: Repo) -> None:
    repo.write("..cache/login.md", "x")
    cite(repo, "..cache/login.md")
    repo.write("fcop/logs/runtime/actions-20261001.jsonl", json.dumps({"path": "..cache/login.md"}) + "\n")


@row("symlinked fcop/", [("FC714", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    outside = repo.path.parent / "elsewhere"
    os.rename(repo.path / "fcop", outside)
    (repo.path / "fcop").symlink_to("../elsewhere")


@row("link escaping", [("FC714", "error")], "CONSISTENT")
def _(repo: Repo) -> None:
    (repo.path / "fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md").symlink_to("../../../../x.md")


@row("case twins", [("FC720", "error")], "MISMATCH")
def _(repo: Repo) -> None:
    repo.write("Shop/keep", "x")
    if (repo.path / "shop").exists():
        pytest.skip("this disk folds case")
    repo.add_team("shop/fcop")
    repo.write("shop/.mcp.json", server({DIR: "../Shop"}))


@row("foreign audit with audit_target", [], "CONSISTENT")
def _(repo: Repo) -> None:
    cite(repo, body=f"`{FOREIGN}\\fcop\\fcop.json` has mode solo.", audit_target=FOREIGN)


@row("foreign audit without audit_target", [("FC710", "error"), ("FC712", "info")], "CONSISTENT")
def _(repo: Repo) -> None:
    cite(repo, body=f"`{FOREIGN}\\fcop\\fcop.json` has mode solo.", evidence=f"{FOREIGN}\\fcop\\fcop.json")


@row("guard sentence", [("FC712", "info")], "CONSISTENT")
def _(repo: Repo) -> None:
    cite(repo, body=f"`{FOREIGN}`: not touched.")


@row("twin after a half-staged move", [("FC203", "error")], "CONSISTENT")
def _(repo: Repo) -> None:
    repo.write(T1.replace("inbox", "active"), (repo.path / T1).read_bytes())


@pytest.fixture
def fixture(repo: Repo) -> Repo:
    repo.write("src/app.py", "print()\n")
    repo.write(".fcoplint.toml", f"[roots]\nforeign = ['{FOREIGN}']\n")
    repo.commit("start")
    return repo


@pytest.mark.parametrize(("make", "expected", "verdict"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_fixture_of_the_specification(fixture: Repo, make: Make, expected: list[tuple[str, str]], verdict: str) -> None:
    make(fixture)
    fixture.git("add", "-A")
    fixture.git("commit", "-qm", "fixture")
    folder = fixture.path / ("shop" if (fixture.path / "shop/fcop").exists() else ".")
    select = ("--select", "FC7,FC203")
    told = fixture.audit(*select)
    assert [(item["code"], item["severity"]) for item in told.findings] == expected
    # Of the commit alone the same is said, but for what only a disk can tell.
    assert [(item["code"], item["severity"]) for item in fixture.audit("--rev", "HEAD", *select).findings] == expected
    brought = fixture.check("--range", "HEAD~1..HEAD", *select)
    assert sorted(item["code"] for item in brought.findings) == sorted(code for code, _ in expected)
    _, data = run_json(cwd=folder, env={"HOME": "/nobody"})
    assert data["verdict"] == verdict


def test_the_root_behind_a_link_is_the_same_root(fixture: Repo, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(fixture.path)
    mcp(fixture, {DIR: str(tmp_path / "alias")})
    assert fixture.audit("--select", "FC7").codes == []
    _, data = run_json(cwd=tmp_path / "alias")
    assert data["verdict"] == "CONSISTENT"


def test_a_commit_that_a_shallow_clone_does_not_have(fixture: Repo, tmp_path: Path) -> None:
    first = fixture.git("rev-list", "--max-parents=0", "HEAD").strip()
    cite(fixture, body=f"Built in commit `{first[:12]}`.")
    fixture.commit("report")
    assert fixture.audit("--select", "FC715").codes == []
    fixture.git("clone", "-q", "--depth", "1", f"file://{fixture.path}", str(tmp_path / "shallow"))
    ran: Ran = run_tool("audit", "--select", "FC715", "--format", "json", cwd=tmp_path / "shallow")
    assert ran.codes == []


def test_a_half_staged_move_is_told_by_the_hook(fixture: Repo) -> None:
    target = T1.replace("inbox", "active")
    os.makedirs(fixture.path / os.path.dirname(target), exist_ok=True)
    os.rename(fixture.path / T1, fixture.path / target)
    fixture.git("add", "--", target)
    assert "FC203" in fixture.check().codes, "the working tree has one copy, the index two"
    fixture.git("add", "-A")
    assert "FC203" not in fixture.check().codes
    assert task_text().encode() == (fixture.path / target).read_bytes()
