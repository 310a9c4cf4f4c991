"""The hook as users have it: the real pre-commit with the shipped hook definition, and every form of commit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repository import INBOX, T1, Ran, Repo, task_text

PROJECT = Path(__file__).parents[1]
T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("PM", "QA").replace("sender: PM", "sender: OPS")
GOOD = task_text("PM", "QA")


@pytest.fixture(scope="session")
def hook_source(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """This project as a git repository that pre-commit can clone, as it stands in the working tree."""
    source = Repo.create(tmp_path_factory.mktemp("fcoplint") / "source")
    for name in ("fcoplint", "rules", "hooks", "examples"):
        shutil.copytree(PROJECT / name, source.path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(PROJECT / name, source.path / name)
    source.commit("release")
    return source


@pytest.fixture(scope="session")
def pre_commit_home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """pre-commit keeps its environments here, so that nothing of this machine is used; one environment serves all tests."""
    return {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit-home"))}


@pytest.fixture
def hooked(repo: Repo, hook_source: Repo, pre_commit_home: dict[str, str]) -> "Hooked":
    """A repository whose commits run the hook."""
    configure(repo, hook_source)
    env = {**os.environ, **pre_commit_home}
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=repo.path, env=env, check=True, capture_output=True)
    return Hooked(repo, pre_commit_home)


def configure(repo: Repo, hook_source: Repo) -> None:
    """Commit a configuration that takes the hook from this project."""
    revision = hook_source.git("rev-parse", "HEAD").strip()
    config = (
        "default_install_hook_types: [pre-commit, pre-merge-commit]\nrepos:\n"
        f"- repo: {hook_source.path}\n  rev: {revision}\n  hooks:\n  - id: fcoplint\n"
    )
    repo.write(".pre-commit-config.yaml", config)
    repo.commit("use fcoplint")


class Hooked:
    """A repository with the hook installed."""

    def __init__(self, repo: Repo, env: dict[str, str]) -> None:
        self.repo = repo
        self.env = env

    def commit(self, *args: str) -> Ran:
        return self.repo.try_git("commit", "-m", "work", *args, env=self.env)

    def ran(self, ran: Ran) -> bool:
        return "fcoplint" in ran.err + ran.out


@pytest.mark.xdist_group("pre-commit")
def test_a_bad_envelope_is_refused_with_its_finding_and_the_corrected_one_passes(hooked: Hooked) -> None:
    hooked.repo.write(T2, BAD)
    hooked.repo.git("add", "-A")
    refused = hooked.commit()
    assert refused.code == 1
    assert f"{T2}:4:9: error FC120 routing-mismatch" in refused.err + refused.out
    hooked.repo.write(T2, GOOD)
    hooked.repo.git("add", "-A")
    assert hooked.commit().code == 0


@pytest.mark.xdist_group("pre-commit")
def test_commit_a_judges_the_edit_it_takes_in(hooked: Hooked) -> None:
    hooked.repo.write("app.py", "print(1)\n")
    hooked.repo.git("add", "-A")
    assert hooked.commit().code == 0
    hooked.repo.write("app.py", "print(2)\n")
    hooked.repo.write(T1, task_text().replace("sender: PM", "sender: OPS"))
    refused = hooked.commit("-a")
    assert (refused.code, f"{T1}:4:9: error FC120" in refused.err + refused.out) == (1, True)
    hooked.repo.write(T1, task_text())
    assert hooked.commit("-a").code == 0


@pytest.mark.xdist_group("pre-commit")
def test_commit_of_paths_judges_those_paths_alone(hooked: Hooked) -> None:
    hooked.repo.write(T1, task_text().replace("sender: PM", "sender: OPS"))
    hooked.repo.write(T2, GOOD)
    hooked.repo.git("add", T2)
    assert hooked.commit("--", T2).code == 0
    refused = hooked.commit("--", T1)
    assert (refused.code, f"{T1}:4:9: error FC120" in refused.err + refused.out) == (1, True)


@pytest.mark.xdist_group("pre-commit")
def test_a_commit_that_only_deletes_an_envelope_runs_the_hook(hooked: Hooked) -> None:
    hooked.repo.write(T2, GOOD)
    hooked.repo.git("add", "-A")
    assert hooked.commit().code == 0
    hooked.repo.git("rm", "-q", T2)
    done = hooked.commit()
    assert "Skipped" not in done.err + done.out
    assert hooked.ran(done)


@pytest.mark.xdist_group("pre-commit")
def test_a_clean_merge_runs_the_hook(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.git("checkout", "-q", "-b", "side", env=hooked.env)
    repo.write(T2, BAD)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-n", "-m", "past the hook", env=hooked.env)
    repo.git("checkout", "-q", "main", env=hooked.env)
    repo.write("app.py", "print()\n")
    repo.git("add", "-A")
    assert hooked.commit().code == 0
    merged = repo.try_git("merge", "--no-edit", "side", env=hooked.env)
    assert merged.code == 0
    assert "fcoplint" in merged.err + merged.out
    # What the side brought in is the side's fault: the hook saw both parents.
    assert "FC120" not in merged.err + merged.out


@pytest.mark.xdist_group("pre-commit")
def test_prek_runs_the_same_hook(repo: Repo, hook_source: Repo, tmp_path_factory: pytest.TempPathFactory) -> None:
    env = {"PREK_HOME": str(tmp_path_factory.mktemp("prek-home"))}
    configure(repo, hook_source)
    prek = Path(sys.executable).with_name("prek")
    subprocess.run([prek, "install"], cwd=repo.path, env={**os.environ, **env}, check=True, capture_output=True)
    repo.write(T2, BAD)
    repo.git("add", "-A")
    refused = repo.try_git("commit", "-m", "work", env=env)
    assert (refused.code, f"{T2}:4:9: error FC120" in refused.err + refused.out) == (1, True), refused
    repo.write(T2, GOOD)
    repo.git("add", "-A")
    assert repo.try_git("commit", "-m", "work", env=env).code == 0
