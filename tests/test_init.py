"""`fcoplint init`: what it writes works, what is there stays to the byte, and everything can be undone."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from fcoplint.repair import seal
from tests.support.actionlint import actionlint
from tests.support.repository import INBOX, Ran, Repo, run_tool, task_text
from tests.support.tool_path import PROJECT, tool_path

BAD = task_text("PM", "QA").replace("sender: PM", "sender: OPS")
ALL = ("--config", "--pre-commit", "--hooks", "--workflow", "--attributes", "--claude", "--cursor")
SOURCE = ("--source", "https://git.example.org/some-team/fcoplint.git", "--rev", "0123456789abcdef0123456789abcdef01234567")
FRAMEWORK = ".pre-commit-config.yaml"
WRITTEN = {
    ".fcoplint.toml", FRAMEWORK, ".github/workflows/fcoplint.yml", ".gitattributes", ".claude/hooks/fcoplint.py",
    ".claude/settings.json", ".cursor/rules/fcoplint.mdc",
}  # fmt: skip


def init(repo: Repo, *options: str, code: int = 0) -> Ran:
    ran = repo.run("init", *options)
    assert ran.code == code, ran
    return ran


def files(repo: Repo) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of all that git would add, and of the hooks."""
    listed = repo.git("ls-files", "-z", "--cached", "--others").split("\0")[:-1]
    paths = [repo.path / name for name in listed if (repo.path / name).exists()]
    paths += [path for path in sorted((repo.path / ".git/hooks").glob("*")) if path.suffix != ".sample"]
    return {str(path.relative_to(repo.path)): (path.stat().st_mode, path.read_bytes()) for path in paths}


def test_everything_is_written_once_and_undone_without_a_trace(repo: Repo) -> None:
    before = files(repo)
    said = init(repo, *ALL, *SOURCE).out
    first = files(repo)
    assert {path for path in first if not path.startswith(".git/")} - set(before) == WRITTEN
    assert "to undo: fcoplint init --config --pre-commit --hooks --workflow --attributes --claude --cursor --undo" in said
    again = init(repo, *ALL, *SOURCE).out
    assert files(repo) == first
    assert "wrote" not in again
    init(repo, *ALL, "--undo")
    assert files(repo) == before


def test_undo_without_options_undoes_all_of_it(repo: Repo) -> None:
    before = files(repo)
    init(repo, "--yes", "--hooks")
    init(repo, *ALL, *SOURCE)
    init(repo, "--undo")
    assert files(repo) == before


@pytest.mark.parametrize("path", sorted(WRITTEN - {".fcoplint.toml"}))
@pytest.mark.parametrize("content", [b"", b"# mine\n", b"mine: [1, 2\r\n\xff", b"no line break"])
def test_what_is_there_is_never_overwritten(repo: Repo, path: str, content: bytes) -> None:
    repo.write(path, content).chmod(0o640)
    before = files(repo)
    said = init(repo, *(option for option in ALL if option != "--hooks"), *SOURCE).out
    mode, now = files(repo)[path]
    assert (mode & 0o777, now[: len(content)]) == (0o640, content)
    if now == content:
        assert f"left {path} as it is; put this into it by hand:\n    " in said
    else:
        assert seal.find(now) == (content, True)
    init(repo, "--undo")
    assert files(repo) == before


@pytest.mark.parametrize("content", ["", "# mine\n", "ignore = [\n"])
def test_a_configuration_that_is_there_stays(repo: Repo, content: str) -> None:
    repo.write(".fcoplint.toml", content)
    assert "to undo" not in init(repo, "--config").out
    init(repo, "--config", "--undo")
    assert (repo.path / ".fcoplint.toml").read_text() == content


@pytest.mark.parametrize("path", sorted(WRITTEN))
def test_what_was_changed_since_is_left_alone(repo: Repo, path: str) -> None:
    init(repo, *ALL, *SOURCE)
    edited = (repo.path / path).read_bytes() + b"\n# my own line\n"
    repo.write(path, edited)
    said = init(repo, *ALL, "--undo").out
    assert (repo.path / path).read_bytes() == edited
    assert f"{path} was changed since" in said or f"{path} is none of ours" in said


@pytest.mark.parametrize(
    "config",
    [
        "repos:\n- repo: https://example.org/x\n  rev: v1\n  hooks:\n  - id: x\n",
        "# all of ours\nrepos:\n  - repo: https://example.org/x\n    rev: v1\n    hooks: [{id: x}]\n",
        "fail_fast: true\nrepos:\n    # a comment\n    -   repo: local\n        hooks:\n        -   id: x\n            name: x\n"
        "            language: system\n            entry: |\n                sh -c\n                true\n\n",
        "repos:\n- repo: meta\n  hooks:\n  - id: identity\n# the end\n",
    ],
)
@pytest.mark.parametrize("source", [(), SOURCE])
def test_an_entry_is_appended_where_that_is_safe(repo: Repo, config: str, source: tuple[str, ...]) -> None:
    repo.write(FRAMEWORK, config)
    said = init(repo, "--pre-commit", *source).out
    assert f"wrote to the end of {FRAMEWORK}" in said
    old, new = yaml.safe_load(config), yaml.safe_load((repo.path / FRAMEWORK).read_text())
    assert {key: value for key, value in new.items() if key != "repos"} == {key: value for key, value in old.items() if key != "repos"}
    assert new["repos"][:-1] == old["repos"]
    assert [hook["id"] for hook in new["repos"][-1]["hooks"]] == ["fcoplint", "fcoplint-push"]
    valid = subprocess.run([sys.executable, "-m", "pre_commit", "validate-config"], cwd=repo.path, capture_output=True, check=False)
    assert valid.returncode == 0, valid.stdout
    init(repo, "--pre-commit", "--undo")
    assert (repo.path / FRAMEWORK).read_text() == config


@pytest.mark.parametrize(
    "config",
    [
        "repos: []\n",
        "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
        "repos:\n- repo: meta\n  hooks:\n  - id: identity\nfail_fast: true\n",
        "repos:\n- repo: meta\n  hooks:\n  - id: identity",
        "repos:\r\n- repo: meta\r\n  hooks:\r\n  - id: identity\r\n",
        "repos:\n- repo: meta\n  hooks:\n  - id: identity\n...\n",
        "repos:\n- repo: meta\n  hooks: [\n  {id: identity}\n  ]\n",
        "repos:\n- hooks:\n  - id: identity\n  repo: meta\n",
        "{repos: [\n- nothing\n",
        '"repos":\n- repo: meta\n  hooks:\n  - id: identity\n',
        "ci:\n  note: |\n    repos:\n",
    ],
)
def test_an_entry_is_shown_where_appending_is_not_safe(repo: Repo, config: str) -> None:
    repo.write(FRAMEWORK, config)
    said = init(repo, "--pre-commit").out
    assert (repo.path / FRAMEWORK).read_bytes() == config.encode()
    assert f"left {FRAMEWORK} as it is; put this into it by hand:\n    - repo: local\n" in said


def test_a_written_entry_blocks_a_bad_commit(repo: Repo, tmp_path: Path) -> None:
    init(repo, "--pre-commit")
    env = {**tool_path(tmp_path / "bin"), "PRE_COMMIT_HOME": str(tmp_path / "home")}
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=repo.path, env={**os.environ, **env}, capture_output=True, check=False
    )
    assert installed.returncode == 0, installed.stderr
    assert {path.name for path in (repo.path / ".git/hooks").iterdir()} >= {"pre-commit", "pre-merge-commit", "pre-push"}
    repo.write(f"{INBOX}/TASK-20261001-002-PM-to-QA.md", BAD)
    repo.git("add", "-A")
    refused = repo.try_git("commit", "-m", "work", env=env)
    assert (refused.code, "error FC120" in refused.out + refused.err) == (1, True)


def test_the_written_workflow_is_sound_and_names_the_source(repo: Repo, request: pytest.FixtureRequest) -> None:
    init(repo, "--workflow", *SOURCE)
    folder = repo.path / ".github/workflows"
    (job,) = yaml.safe_load((folder / "fcoplint.yml").read_text())["jobs"].values()
    assert job["steps"][-1]["uses"] == f"some-team/fcoplint@{SOURCE[-1]}"
    command = [*actionlint(request.config.cache.mkdir("actionlint")), "*.yml"]
    assert subprocess.run(command, cwd=folder, check=False, capture_output=True).returncode == 0
    zizmor = [Path(sys.executable).with_name("zizmor"), "--offline", "--no-progress", folder]
    assert subprocess.run([str(word) for word in zizmor], check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"url": "https://git.example.org/some-team/fcoplint", "vcs_info": {"vcs": "git", "commit_id": "ab" * 20}}, 0),
        ({"url": "https://me:secret@example.org/a/fcoplint", "vcs_info": {"vcs": "git", "commit_id": "ab" * 20}}, 2),
        ({"url": "file:///home/me/fcoplint", "dir_info": {}}, 2),
    ],
)
def test_where_this_fcoplint_came_from_is_the_source(repo: Repo, tmp_path: Path, told: dict[str, object], code: int) -> None:
    """As pip leaves it beside what it installed from a repository."""
    record = tmp_path / "installed" / "fcoplint-0.1.0.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: fcoplint\nVersion: 0.1.0\n")
    (record / "direct_url.json").write_text(json.dumps(told))
    env = {"PYTHONPATH": f"{record.parent}{os.pathsep}{PROJECT}"}
    ran = repo.run("init", "--workflow", env=env)
    assert ran.code == code, ran
    workflow = repo.path / ".github/workflows/fcoplint.yml"
    assert (f"uses: some-team/fcoplint@{'ab' * 20}\n" in workflow.read_text()) if code == 0 else not workflow.exists()


@pytest.mark.parametrize(
    ("root", "manifest", "line"),
    [
        ("fcop", {"mode": "preset", "leader": "PM", "roles": ["PM", "DEV"], "version": 1}, "/fcop/** text=auto eol=lf"),
        ("apps/shop/fcop", {"mode": "preset", "leader": "PM", "roles": ["PM", "DEV"], "version": 1}, "/apps/shop/fcop/** text=auto eol=lf"),
        ('a b"c[d]/fcop', {"mode": "preset", "leader": "PM", "roles": ["PM", "DEV"], "version": 1}, "/a?b?c?d?/fcop/** text=auto eol=lf"),
        ("a\x1b[31m\u202eb/fcop", {"mode": "preset", "leader": "PM", "roles": ["PM"], "version": 1}, "/a*?31m*b/fcop/** text=auto eol=lf"),
        ("组/fcop", {"mode": "preset", "leader": "PM", "roles": ["PM", "DEV"], "version": 1}, "/组/fcop/** text=auto eol=lf"),
    ],
)
def test_attributes_name_each_workspace_as_git_reads_them(
    make_repo: Callable[..., Repo], root: str, manifest: dict[str, object], line: str
) -> None:
    repo = make_repo()
    repo.write(f"{root}/fcop.json", json.dumps(manifest))
    task = f"{root}/_lifecycle/inbox/TASK-20261001-001-PM-to-DEV.md"
    repo.write(task, task_text())
    repo.write(".gitattributes", "* text=auto eol=crlf\n")
    init(repo, "--attributes")
    assert (repo.path / ".gitattributes").read_text().splitlines()[-1] == line
    assert repo.git("check-attr", "eol", "--", task).endswith(": eol: lf\n")
    assert repo.git("check-attr", "eol", "--", "app.py").endswith(": eol: crlf\n")


@pytest.mark.parametrize("version", ["4.0", "9.0"])
def test_where_bytes_count_git_leaves_them_alone(make_repo: Callable[..., Repo], version: str) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps({"protocol": "fcop", "protocol_version": version, "leader": "PM", "roles": ["PM"]}))
    repo.write(".gitattributes", "* text=auto\n")
    init(repo, "--attributes")
    assert (repo.path / ".gitattributes").read_text().splitlines()[-1] == "/fcop/** -text"
    assert repo.git("check-attr", "text", "--", "fcop/issues/x.md").endswith(": text: unset\n")


def test_no_link_is_followed_out_of_the_repository(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    os.symlink(outside, repo.path / ".github")
    os.symlink(outside / "config.toml", repo.path / ".fcoplint.toml")
    os.symlink(outside / "attributes", repo.path / ".gitattributes")
    said = init(repo, "--workflow", "--config", "--attributes", *SOURCE, code=1).out
    assert list(outside.iterdir()) == []
    assert "could not change .github/workflows/fcoplint.yml: .github/workflows leads elsewhere" in said


def test_a_folder_below_the_root_names_paths_as_they_are_there(repo: Repo) -> None:
    ran = run_tool("init", "--config", "--attributes", cwd=repo.path / "fcop")
    assert "next: git add -- ../.fcoplint.toml ../.gitattributes" in ran.out
    assert (repo.path / ".fcoplint.toml").exists()


def test_a_configuration_in_pyproject_is_enough(repo: Repo) -> None:
    repo.write("pyproject.toml", '[tool.fcoplint]\nfail-level = "warning"\n')
    assert "pyproject.toml configures fcoplint already" in init(repo, "--config").out
    assert not (repo.path / ".fcoplint.toml").exists()


def test_the_written_configuration_changes_nothing(repo: Repo) -> None:
    def settings() -> list[str]:
        return [line.partition("  #")[0] for line in repo.run("audit", "--show-settings").out.splitlines()]

    before = settings()
    init(repo, "--config")
    assert settings() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "say what to set up"),
        (("--workflow",), "--source URL --rev COMMIT"),
        (("--workflow", "--source", "https://example.org/a/b"), "--source and --rev go together"),
        (("--pre-commit", "--source", "https://example.org/a/b\n- x", "--rev", "v1"), "is no URL of a git repository"),
        (("--pre-commit", "--source", "nowhere", "--rev", "v1"), "is no URL of a git repository"),
        (("--workflow", "--source", "https://me:secret@example.org/a/b", "--rev", "v1"), "holds a password"),
        (("--pre-commit", "--source", "https://example.org/a/b", "--rev", "v1\n  x: y"), "is no commit or tag"),
    ],
)
def test_a_wrong_call_writes_nothing(repo: Repo, options: tuple[str, ...], said: str) -> None:
    before = files(repo)
    ran = init(repo, *options, code=2)
    assert said in ran.err
    assert files(repo) == before


def test_a_bare_repository_has_no_place_for_files(tmp_path: Path) -> None:
    server = Repo.create(tmp_path / "server.git", bare=True)
    assert "fcoplint init --server" in init(server, "--config", code=2).err


def answer(repo: Repo, answers: str, *options: str) -> str:
    """Run `init` on a terminal and type the answers; what the terminal showed."""
    master, slave = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "fcoplint", "init", *options]
    with subprocess.Popen(command, cwd=repo.path, env=env, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        os.write(master, answers.encode())
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        assert process.wait() == 0, shown
    os.close(master)
    return shown.decode()


def test_on_a_terminal_it_asks(repo: Repo) -> None:
    before = files(repo)
    shown = answer(repo, "n\nn\ny\nn\nn\nn\n")
    assert "Write .fcoplint.toml? [Y/n]" in shown
    assert {path for path in files(repo) if path not in before} == {
        f".git/hooks/{name}" for name in ("pre-commit", "pre-merge-commit", "commit-msg", "pre-push")
    }
    assert "A GitHub workflow needs to know where you have fcoplint" in shown


def test_a_repository_with_the_framework_is_offered_the_framework(repo: Repo) -> None:
    repo.write(FRAMEWORK, "repos:\n- repo: meta\n  hooks:\n  - id: identity\n")
    before = files(repo)
    answer(repo, "\n" * 6)
    new = {path for path in files(repo) if files(repo)[path] != before.get(path)}
    assert new == {".fcoplint.toml", ".gitattributes", FRAMEWORK}
    init(repo, "--undo")
    repo.write(".cursor/rules/mine.mdc", "x")
    said = init(repo, "--yes").out
    assert "wrote .cursor/rules/fcoplint.mdc" in said
    assert "hooks/pre-commit" not in said
