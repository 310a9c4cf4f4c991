"""`fcoplint init --hooks`: plain git hooks beside those that are there, and away again without a trace."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.repository import INBOX, T1, Ran, Repo, run_tool, task_text
from tests.support.tool_path import PROJECT, tool_path

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("PM", "QA").replace("sender: PM", "sender: OPS")
CLIENT = ("commit-msg", "pre-commit", "pre-merge-commit", "pre-push")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return tool_path(tmp_path / "bin")


@pytest.fixture(autouse=True)
def _no_samples(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".git/hooks")


def hooks(folder: Path) -> dict[str, tuple[int, bytes, str]]:
    """Mode, bytes and link target of each file of a folder."""

    def look() -> Iterator[tuple[str, tuple[int, bytes, str]]]:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            link = os.readlink(path) if path.is_symlink() else ""
            yield path.name, (path.lstat().st_mode, b"" if link else path.read_bytes(), link)

    return dict(look())


def plant(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def init(repo: Repo, *options: str) -> Ran:
    ran = run_tool("init", *(options or ("--hooks",)), cwd=repo.path)
    assert (ran.code, ran.err) == (0, ""), ran
    return ran


def test_the_hooks_are_installed_and_work(repo: Repo, env: dict[str, str]) -> None:
    said = init(repo).out
    assert tuple(hooks(repo.path / ".git/hooks")) == CLIENT
    assert said.count("installed ") == len(CLIENT)
    assert "to undo: fcoplint init --hooks --undo" in said
    repo.write(T2, BAD)
    repo.git("add", "-A")
    refused = repo.try_git("commit", "-m", "work", env=env)
    assert (refused.code, "error FC120" in refused.out + refused.err) == (1, True)
    repo.write(T2, task_text("PM", "QA"))
    assert repo.try_git("commit", "-a", "-m", "work", env=env).code == 0


def test_a_merge_runs_its_own_hook(repo: Repo, env: dict[str, str]) -> None:
    init(repo)
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.py", "1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "a", env=env)
    repo.git("checkout", "-q", "main")
    log = repo.path / "log"
    wrapper = Path(env["PATH"].partition(os.pathsep)[0]) / "fcoplint"
    wrapper.write_text(wrapper.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\necho \"$@\" >> '{log}'\n"))
    repo.git("merge", "-q", "--no-ff", "--no-edit", "side", env=env)
    assert log.read_text().splitlines()[0] == "check"


def test_a_second_run_changes_nothing_and_undo_leaves_nothing(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    before = hooks(folder)
    init(repo)
    first, times = hooks(folder), [path.stat().st_mtime_ns for path in sorted(folder.iterdir())]
    assert init(repo).out.count("in place already") == len(CLIENT)
    assert hooks(folder) == first
    assert [path.stat().st_mtime_ns for path in sorted(folder.iterdir())] == times
    init(repo, "--hooks", "--undo")
    assert hooks(folder) == before
    assert init(repo, "--hooks", "--undo").out.count("left alone") == len(CLIENT)


def test_what_was_there_comes_back_byte_for_byte(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    plant(folder / "pre-commit", "exit 0").chmod(0o751)
    (folder / "pre-push").write_bytes(b"\x00\xffno script, not executable")
    plant(repo.path / "tools/check.sh", "exit 0")
    os.symlink("../../tools/check.sh", folder / "commit-msg")
    (folder / "post-commit").write_text("#!/bin/sh\n")
    before = hooks(folder)
    said = init(repo).out
    assert said.count("runs first") == 3
    assert hooks(folder)["post-commit"] == before["post-commit"]
    init(repo)
    init(repo, "--hooks", "--undo")
    assert hooks(folder) == before


def test_a_hook_that_only_speaks_of_fcoplint_is_not_ours(repo: Repo) -> None:
    folder = repo.path / ".git/hooks"
    plant(folder / "pre-commit", "# once put here by fcoplint init --hooks, and changed since\nfcoplint check")
    before = hooks(folder)
    init(repo, "--hooks", "--undo")
    assert hooks(folder) == before
    init(repo)
    assert "pre-commit.before-fcoplint" in hooks(folder)


def test_an_earlier_hook_runs_first_with_its_arguments_and_can_refuse(repo: Repo, env: dict[str, str]) -> None:
    folder, log = repo.path / ".git/hooks", repo.path.parent / "log"
    plant(folder / "pre-commit", f"echo pre-commit >> '{log}'")
    plant(folder / "commit-msg", f"echo \"commit-msg $1\" >> '{log}'")
    init(repo)
    repo.write("app.py", "1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "work", env=env)
    assert log.read_text().splitlines() == ["pre-commit", "commit-msg .git/COMMIT_EDITMSG"]
    plant(folder / "pre-commit.before-fcoplint", "echo no >&2; exit 7")
    repo.write("app.py", "2\n")
    refused = repo.try_git("commit", "-a", "-m", "work", env=env)
    assert (refused.code, refused.err) == (1, "no\n")


def test_an_earlier_push_hook_has_its_input_to_the_byte(repo: Repo, env: dict[str, str], tmp_path: Path) -> None:
    folder, log = repo.path / ".git/hooks", tmp_path / "log"
    plant(folder / "pre-push", f"echo \"$@\" > '{log}'; cat >> '{log}'")
    init(repo)
    server = Repo.create(tmp_path / "server.git", bare=True)
    repo.git("push", "-q", str(server.path), "main", "main:other", env=env)
    head = repo.git("rev-parse", "HEAD").strip()
    lines = [f"refs/heads/main {head} refs/heads/{name} {'0' * 40}\n" for name in ("main", "other")]
    assert log.read_text() == f"{server.path} {server.path}\n" + "".join(lines)
    for fed in (b"", b"a b c d", b"\n\n"):
        subprocess.run(
            [folder / "pre-push", "x", "y"], cwd=repo.path, env={**os.environ, **env}, input=fed, capture_output=True, check=False
        )
        assert log.read_bytes() == b"x y\n" + fed
    plant(folder / "pre-push.before-fcoplint", "exit 3")
    assert repo.try_git("push", str(server.path), "main:third", env=env).code == 1


def test_an_earlier_hook_of_a_server_is_kept_too(repo: Repo, env: dict[str, str], tmp_path: Path) -> None:
    server = Repo.create(tmp_path / "server.git", bare=True)
    log = tmp_path / "log"
    plant(server.path / "hooks/pre-receive", f"cat > '{log}'")
    before = hooks(server.path / "hooks")
    init(server, "--server")
    repo.git("push", "-q", str(server.path), "main", env=env)
    assert log.read_text().endswith(" refs/heads/main\n")
    plant(server.path / "hooks/pre-receive.before-fcoplint", "echo no; exit 1")
    assert repo.try_git("push", str(server.path), "main:other", env=env).code == 1
    plant(server.path / "hooks/pre-receive.before-fcoplint", f"cat > '{log}'")
    init(server, "--server", "--undo")
    assert hooks(server.path / "hooks") == before


@pytest.mark.parametrize("configured", [".githooks", "{top}/.githooks"])
def test_core_hookspath_is_respected(repo: Repo, env: dict[str, str], configured: str) -> None:
    repo.git("config", "core.hooksPath", configured.format(top=repo.path))
    plant(repo.path / ".githooks/pre-commit", "exit 0")
    (repo.path / "sub").mkdir()
    assert run_tool("init", "--hooks", cwd=repo.path / "sub").code == 0
    assert not (repo.path / ".git/hooks").exists()
    assert set(hooks(repo.path / ".githooks")) == {*CLIENT, "pre-commit.before-fcoplint"}
    repo.write(T1, task_text().replace("sender: PM", "sender: OPS"))
    assert repo.try_git("commit", "-a", "-m", "work", env=env).code == 1


def test_a_linked_worktree_uses_the_hooks_of_all(repo: Repo, env: dict[str, str], tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert run_tool("init", "--hooks", cwd=tmp_path / "linked").code == 0
    assert tuple(hooks(repo.path / ".git/hooks")) == CLIENT
    (tmp_path / "linked" / T2).write_text(BAD)
    repo.git("-C", str(tmp_path / "linked"), "add", "-A")
    assert repo.try_git("-C", str(tmp_path / "linked"), "commit", "-m", "work", env=env).code == 1


def bound(*args: str, cwd: Path) -> Ran:
    """Run the tool as somebody whom file permissions bind; root is not, unless it gives up its capability."""
    command = [sys.executable, "-m", "fcoplint", *args]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is needed to give up root's right to write everywhere")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", *command]
    done = subprocess.run(command, cwd=cwd, env={**os.environ, "PYTHONPATH": str(PROJECT)}, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_may_not_be_written_is_said(repo: Repo, exists: bool) -> None:
    folder = repo.path / ".git/hooks"
    if exists:
        plant(folder / "pre-commit", "exit 0")
    locked = folder if exists else folder.parent
    before = hooks(folder)
    locked.chmod(0o555)
    ran = bound("init", "--hooks", cwd=repo.path)
    locked.chmod(0o755)
    assert ran.code == 1
    assert "could not change" in ran.out
    assert "Permission denied" in ran.out
    assert hooks(folder) == before


def test_what_to_set_up_must_be_said(repo: Repo, tmp_path: Path) -> None:
    assert run_tool("init", cwd=repo.path).code == 2
    outside = run_tool("init", "--hooks", cwd=tmp_path)
    assert (outside.code, outside.err) == (2, "fcoplint: this is not a git repository\n")


@pytest.mark.parametrize("name", [*CLIENT, "pre-receive", "update"])
def test_the_scripts_are_plain_sh_and_executable(name: str) -> None:
    path = PROJECT / "hooks" / name
    assert os.access(path, os.X_OK)
    assert subprocess.run(["sh", "-n", path], check=False).returncode == 0
    assert path.read_bytes().startswith(b"#!/bin/sh\n")
