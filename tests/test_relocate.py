"""A workspace gets its place by renames alone: contents stay, holders and leftovers refuse, what is not moved is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.repository import T1, Repo, task_text

OLD = "docs/agents"
MOVE = ("relocate", "--to", "fcop")


def outcome(repo: Repo, *args: str) -> dict[str, Any]:
    done = forked.run(repo.path, *args, "--format", "json")
    (only,) = json.loads(done.out)["outcomes"]
    found: dict[str, Any] = only
    assert found["exit"] == done.code
    return found


@pytest.fixture
def old(make_repo: Callable[..., Repo]) -> Repo:
    made = make_repo()
    made.add_team(OLD)
    made.write("app.py", "print()\n")
    made.commit("start")
    return made


def contents(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("root", [OLD, "fcop/fcop"])
def test_every_byte_goes_along_and_the_next_commit_is_sound(make_repo: Callable[..., Repo], root: str) -> None:
    repo = make_repo()
    repo.add_team(root)
    repo.commit("start")
    repo.write(f"{root}/notes.txt", "not committed")
    before = contents(repo.path / root)
    assert outcome(repo, *MOVE)["state"] == "done"
    assert contents(repo.path / "fcop") == before
    assert not (repo.path / "docs").exists()
    assert [path.name for path in repo.path.iterdir() if path.name.startswith(".fcop")] == []
    assert repo.git("ls-files").split() == [T1, "fcop/fcop.json"]
    assert repo.git("status", "--porcelain", "--no-renames").count("??") == 1
    found = repo.check()
    assert (found.code, [finding["code"] for finding in found.findings]) == (0, [])
    assert outcome(repo, *MOVE)["reason"] == "already-there"


def test_edits_that_are_not_staged_stay_unstaged(old: Repo) -> None:
    path = f"{OLD}/_lifecycle/inbox/TASK-20261001-001-PM-to-DEV.md"
    old.write(path, task_text(priority="P1"))
    assert outcome(old, *MOVE)["state"] == "done"
    assert old.git("diff", "--name-only").split() == [T1]
    assert "priority" not in old.git("cat-file", "blob", f":{T1}")


def test_what_is_not_moved_is_said(old: Repo) -> None:
    old.write("AGENTS.md", "Work in docs/agents.\n")
    old.git("worktree", "add", "-q", "../other")
    notes = " ".join(outcome(old, *MOVE)["notes"])
    assert "AGENTS.md" in notes
    assert "other working trees" in notes
    assert "stamps of `fcoplint roots --stamp`" in notes


def in_hand(repo: Repo) -> None:
    forked.run(repo.path, "move", "TASK-20261001-001", "--to", "active", "--by", "DEV")


def a_leftover(repo: Repo) -> None:
    repo.write(f"{OLD}/_lifecycle/inbox/.fcop-x.tmp", "")


def a_twin(repo: Repo) -> None:
    repo.write(f"{OLD}/_lifecycle/review/TASK-20261001-001-PM-to-DEV.md", task_text())


def something_there(repo: Repo) -> None:
    repo.write("fcop/README.md", "prose\n")


def a_second_workspace(repo: Repo) -> None:
    repo.add_team("fcop")


def a_merge(repo: Repo) -> None:
    repo.write(".git/MERGE_HEAD", repo.git("rev-parse", "HEAD"))


def v4(repo: Repo) -> None:
    repo.write(f"{OLD}/fcop.json", json.dumps({"protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:" + "0" * 32}))


REFUSED = [
    (in_hand, 1, "in-hand"), (a_leftover, 1, "leftovers"), (a_twin, 1, "in-hand"), (something_there, 1, "taken"),
    (a_second_workspace, 2, "which-workspace"), (a_merge, 1, "git-under-way"), (v4, 1, "v4"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "code", "reason"), REFUSED, ids=[row[0].__name__ for row in REFUSED])
def test_a_refusal_moves_nothing(old: Repo, build: Callable[[Repo], None], code: int, reason: str) -> None:
    build(old)
    before = contents(old.path / OLD), old.git("ls-files", "-s")
    done = outcome(old, *MOVE)
    assert (done["exit"], done["reason"]) == (code, reason), done
    assert (contents(old.path / OLD), old.git("ls-files", "-s")) == before


def test_of_two_workspaces_none_is_chosen(old: Repo) -> None:
    a_second_workspace(old)
    done = outcome(old, *MOVE, "--workspace", OLD)
    assert (done["exit"], done["reason"]) == (3, "two-layouts")


def test_a_dry_run_moves_nothing(old: Repo) -> None:
    done = outcome(old, *MOVE, "--dry-run")
    assert (done["state"], [step["do"] for step in done["plan"]["steps"]]) == ("planned", ["rename", "remove-folder"])
    assert (old.path / OLD / "fcop.json").exists()


def test_proofs_about_the_old_place_are_void(old: Repo) -> None:
    old.write(".fcoplint.toml", 'fail-level = "error"\n')
    old.commit("configured")
    assert old.check().code == 0
    memory = old.path / ".git" / "fcoplint"
    assert list(memory.glob("valid-*"))
    assert outcome(old, *MOVE)["state"] == "done"
    assert list(memory.glob("valid-*")) == []
