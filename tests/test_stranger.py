"""A stranger's path, from the README alone: from nothing to a repository in which bad work is refused, at home and in CI."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import yaml

from tests.support.pages import Session, sessions
from tests.support.repository import IDENTITY, INBOX, Repo, task_text
from tests.support.runner import ACTION, Job
from tests.support.tool_path import PROJECT

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
GOOD = task_text("PM", "QA")
BAD = GOOD.replace("sender: PM", "sender: OPS")


def _path() -> Session:
    """What the README says under "From nothing to protected"."""
    (found,) = [session for session in sessions(PROJECT / "README.md") if "init --yes" in session.blocks[0][0].line]
    return found


def _type(repo: Repo, env: dict[str, str], line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], cwd=repo.path, env={**env, **IDENTITY}, capture_output=True, text=True, check=False)


def test_a_strangers_path(tmp_path: Path, installed: Path) -> None:
    env = {**os.environ, "PATH": f"{installed}{os.pathsep}{os.environ['PATH']}"}
    protect, accept, workflow, agents = [[command.line for command in block] for block in _path().blocks]

    # A fresh repository: a bad commit is refused with the next step, and goes through once it is mended.
    fresh = Repo.create(tmp_path / "fresh")
    fresh.add_team()
    fresh.commit("start")
    assert [_type(fresh, env, line).returncode for line in protect] == [0, 0, 0, 0]
    fresh.write(T2, BAD)
    fresh.git("add", "-A")
    refused = fresh.try_git("commit", "-m", "work", env=env)
    assert (refused.code, "error FC120" in refused.out + refused.err, f"next: git add -- {T2}" in refused.out + refused.err) == (
        1,
        True,
        True,
    )
    fresh.write(T2, GOOD)
    fresh.git("add", "-A")
    assert fresh.try_git("commit", "-m", "work", env=env).code == 0

    # An old repository: what was there is accepted, what is new is not.
    old = Repo.create(tmp_path / "old")
    shutil.copytree(PROJECT / "examples" / "team", old.path, dirs_exist_ok=True)
    old.commit("years of work")
    assert [_type(old, env, line).returncode for line in protect] == [0, 0, 0, 1]
    assert [_type(old, env, line).returncode for line in accept] == [0, 0, 0, 0]
    old.write("fcop/_lifecycle/inbox/TASK-20261003-001-PM-to-QA.md", BAD)
    assert _type(old, env, accept[-1]).returncode == 1

    # The workflow that the README has it write: a bad range fails, a good one passes.
    assert [_type(fresh, env, line).returncode for line in workflow] == [0]
    assert [_type(fresh, env, line).returncode for line in agents] == [0]
    assert (fresh.path / ".claude/hooks/fcoplint.py").is_file()
    base = fresh.git("rev-parse", "HEAD").strip()
    fresh.git("update-ref", "refs/remotes/origin/main", base)
    action = _without_install(tmp_path / "action")
    for number, (version, code) in enumerate([(BAD, 1), (GOOD, 0)]):
        fresh.write(f"{INBOX}/TASK-20261001-003-PM-to-QA.md", version)
        fresh.git("add", "-A")
        fresh.git("commit", "-q", "--no-verify", "-m", "past the hook")
        job = Job(
            fresh, _runner(tmp_path / f"runner{number}", installed), {}, {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main"}
        )
        assert job.run_workflow(fresh.path / ".github/workflows/fcoplint.yml", action).code == code, job.log
        assert bool(re.search(r"^::error .*FC120", job.log, re.MULTILINE)) == bool(code)


def _runner(temp: Path, installed: Path) -> Path:
    temp.mkdir()
    os.symlink(installed.parent, temp / "fcoplint")
    return temp


def _without_install(folder: Path) -> Path:
    """The action without the step that installs, which test_ci.py runs."""
    described = yaml.safe_load(ACTION.read_text("utf-8"))
    described["runs"]["steps"] = [step for step in described["runs"]["steps"] if step["name"] != "Install fcoplint"]
    folder.mkdir()
    (folder / "action.yml").write_text(yaml.safe_dump(described, sort_keys=False))
    return folder / "action.yml"
