"""The plain git hooks: `fcoplint init` puts them in place, git runs them, lawful work passes, and they go away again."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import INBOX, T1, Ran, Repo, run_tool, task_text

PROJECT = Path(__file__).parents[1]
T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
GOOD = task_text("PM", "QA")
BAD = GOOD.replace("sender: PM", "sender: OPS")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment in which hooks find fcoplint on PATH."""
    script = tmp_path / "bin" / "fcoplint"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec "{sys.executable}" -m fcoplint "$@"\n')
    script.chmod(0o755)
    return {"PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


def commit(repo: Repo, env: dict[str, str], message: str = "work") -> Ran:
    repo.git("add", "-A")
    return repo.try_git("commit", "-m", message, env=env)


def test_lawful_work_is_committed_and_a_fault_is_refused(repo: Repo, env: dict[str, str]) -> None:
    assert repo.run("init", "--hooks").code == 0
    repo.write(T2, BAD)
    refused = commit(repo, env)
    assert (refused.code, "FC120" in refused.out + refused.err) == (1, True)
    repo.write(T2, GOOD)
    passed = commit(repo, env)
    assert passed.code == 0, passed.err


def test_every_form_of_commit_passes_all_hooks(repo: Repo, env: dict[str, str]) -> None:
    repo.run("init", "--hooks")
    repo.write("app.py", "print()\n")
    assert commit(repo, env).code == 0
    repo.write("app.py", "print(1)\n")
    assert repo.try_git("commit", "-a", "-m", "all", env=env).code == 0
    assert repo.try_git("commit", "--amend", "-m", "again", env=env).code == 0
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.write("side.py", "print()\n")
    assert commit(repo, env).code == 0
    merged = repo.try_git("merge", "--no-edit", "main", env=env)
    assert merged.code == 0, merged.err


MESSAGES = [
    ("Build the form\n\nTask: TASK-20261001-001-PM-to-DEV\n", 0),
    ("Build the form\n\ntask: TASK-20261001-001\nSigned-off-by: DEV <dev@example.org>\n", 0),
    ("Build the form\n\nTask: TASK-20261001-009\n", 1),
    # Another tracker's, prose, and a body that is no trailer.
    ("Build the form\n\nTask: 4711\n", 0),
    ("Build the form\n\nTask: TASK-20261001-009\n\nMore was said after it.\n", 0),
    ("Build the form\n", 0),
]


@pytest.mark.parametrize(("message", "code"), MESSAGES)
def test_a_trailer_names_a_task_that_is_there(repo: Repo, env: dict[str, str], message: str, code: int) -> None:
    repo.run("init", "--hooks")
    repo.write("app.py", "print()\n")
    ran = commit(repo, env, message)
    assert (ran.code, "TASK-20261001-009" in ran.err) == (code, code == 1)


def test_a_task_of_this_very_commit_counts(repo: Repo, env: dict[str, str]) -> None:
    repo.run("init", "--hooks")
    repo.write(T2, GOOD)
    assert commit(repo, env, "Ask QA\n\nTask: TASK-20261001-002\n").code == 0


def test_without_a_workspace_no_trailer_is_judged(make_repo: Callable[..., Repo], env: dict[str, str]) -> None:
    repo = make_repo()
    repo.run("init", "--hooks")
    repo.write("app.py", "print()\n")
    assert commit(repo, env, "Start\n\nTask: TASK-1\n").code == 0


def test_a_message_file_that_is_not_there_is_wrong_usage(repo: Repo) -> None:
    assert repo.run("check", "--commit-msg", "nowhere").code == 2


def test_a_hook_that_was_there_runs_first_and_comes_back(repo: Repo, env: dict[str, str]) -> None:
    before = repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho mine >&2\n")
    before.chmod(0o755)
    repo.run("init", "--hooks")
    repo.write("app.py", "print()\n")
    ran = commit(repo, env)
    assert (ran.code, "mine" in ran.err) == (0, True)
    assert repo.run("init", "--hooks").code == 0
    assert repo.run("init", "--hooks", "--undo").code == 0
    assert before.read_text().endswith("echo mine >&2\n")
    assert not (repo.path / ".git/hooks/commit-msg").exists()


def test_a_server_refuses_a_push_that_rewrites_the_past(repo: Repo, env: dict[str, str], tmp_path: Path) -> None:
    server = tmp_path / "server.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(server))
    repo.git("remote", "add", "origin", str(server))
    assert run_tool("init", "--server", cwd=server).code == 0
    repo.write("app.py", "print()\n")
    repo.commit()
    assert repo.try_git("push", "origin", "main", env=env).code == 0
    repo.write(T1, task_text().replace("Build the form", "Build something else"))
    repo.commit()
    refused = repo.try_git("push", "origin", "main", env=env)
    assert (refused.code != 0, "FC804" in refused.err) == (True, True)
