"""What nobody hopes to meet: a clear finding or one line of advice, the right exit code, never a silent pass."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from fcoplint.source import worktree
from fcoplint.source.snapshot import Unreadable
from tests.support.repository import INBOX, T1, Ran, Repo, run_tool, task_text


@pytest.fixture
def tree(tmp_path: Path) -> Repo:
    """A folder with a lawful workspace and no git."""
    made = Repo.create(tmp_path / "tree")
    made.add_team()
    shutil.rmtree(made.path / ".git")
    return made


def audit(path: Path, *args: str) -> Ran:
    return run_tool("audit", "--format", "json", str(path), *args, cwd="/")


def run_without_privilege(path: Path) -> Ran:
    """Audit as somebody whom file permissions bind; root is not, unless it gives up two capabilities."""
    command = [sys.executable, "-m", "fcoplint", "audit", "--format", "json", str(path)]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is needed to give up root's right to read everything")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, cwd="/", env=env, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_what_cannot_be_read_is_said(tree: Repo) -> None:
    (tree.path / T1).chmod(0)
    ran = run_without_privilege(tree.path)
    (tree.path / T1).chmod(0o644)
    assert (ran.code, [(item["code"], item["path"]) for item in ran.findings]) == (3, [("FC001", T1)])
    assert "permission" in ran.findings[0]["message"]


@pytest.mark.parametrize("inside_git", [False, True])
def test_a_folder_nobody_may_read_is_said(tree: Repo, inside_git: bool) -> None:
    if inside_git:
        tree.git("init", "-q")
    folder = tree.path / "fcop/reports"
    folder.mkdir()
    (folder / "REPORT-20261001-001-DEV-to-PM.md").write_text("x")
    folder.chmod(0)
    ran = run_without_privilege(tree.path)
    folder.chmod(0o755)
    assert (ran.code, [(item["code"], item["path"]) for item in ran.findings]) == (3, [("FC001", "fcop/reports")])


def test_an_unreadable_folder_outside_a_workspace_is_a_note(tree: Repo) -> None:
    folder = tree.path / "secret"
    folder.mkdir(mode=0)
    ran = run_without_privilege(tree.path)
    folder.chmod(0o755)
    notes = [(note["topic"], note["path"]) for note in ran.report["notes"]]
    assert (ran.code, notes) == (0, [("unreadable-folder", "secret"), ("no-git", None)])


def test_an_empty_repository(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    assert (repo.run("check").code, repo.run("check").out) == (0, "")
    ran = repo.run("audit")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "fcoplint: no FCoP workspace (a folder `fcop` or `docs/agents`) in .; nothing to check\n"
    assert repo.audit().report["workspaces"] == []


def test_no_repository_at_all(tmp_path: Path) -> None:
    ran = run_tool("check", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("fcoplint: ")
    assert "not a git repository" in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(("path", "said"), [("gone", "there is no"), ("file.md", "is a file")])
def test_a_path_that_is_no_folder(tmp_path: Path, path: str, said: str) -> None:
    (tmp_path / "file.md").write_text("x")
    ran = run_tool("audit", path, cwd=tmp_path)
    assert (ran.code, ran.out, said in ran.err, len(ran.err.splitlines())) == (2, "", True, 1)


def test_a_folder_inside_a_workspace_names_the_workspace(tree: Repo) -> None:
    ran = audit(tree.path / INBOX)
    assert (ran.code, "fcoplint audit" in ran.err, str(tree.path / "fcop") in ran.err.replace("~", str(Path.home()))) == (2, True, True)


def test_a_workspace_itself_may_be_audited(tree: Repo) -> None:
    tree.write(T1, task_text().replace("sender: PM", "sender: QA"))
    ran = audit(tree.path / "fcop")
    assert [(item["code"], item["path"]) for item in ran.findings] == [("FC120", T1.removeprefix("fcop/"))]
    assert ran.report["workspaces"] == [{"root": ".", "version": 3, "envelopes": 1}]


def test_a_bare_repository_is_refused_with_advice(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    make_repo().git("init", "-q", "--bare", str(tmp_path / "bare"))
    ran = audit(tmp_path / "bare")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_a_body_of_five_megabytes_is_no_fault(tree: Repo) -> None:
    tree.write(T1, task_text() + "one more line of a very long body\n" * 160_000)
    assert audit(tree.path).findings == []


def test_a_file_past_the_limit_is_said_and_the_others_go_on(tree: Repo) -> None:
    with tree.write(T1, task_text()).open("ab") as file:
        file.truncate(3_000_000_000)
    tree.write(f"{INBOX}/TASK-20261001-002-PM-to-QA.md", task_text("OPS", "QA"))
    ran = audit(tree.path)
    assert (ran.code, ran.codes) == (3, ["FC001", "FC120"])


def test_front_matter_past_the_limit_is_said(tree: Repo) -> None:
    tree.write(T1, "---\nsubject: '" + "x" * 2_000_000 + "'\n---\n")
    assert (audit(tree.path).code, audit(tree.path).codes) == (3, ["FC001"])


def test_ten_thousand_files_in_one_folder(tree: Repo) -> None:
    for number in range(10_000):
        tree.write(f"{INBOX}/TASK-20261002-{number // 100 + 1:03}-PM-to-DEV-n{number}.md", task_text())
    ran = audit(tree.path, "--select", "FC11,FC12")
    assert (ran.code, ran.findings, ran.report["workspaces"][0]["envelopes"]) == (0, [], 10_001)


def test_a_file_that_vanishes_between_listing_and_reading(tree: Repo) -> None:
    snapshot = worktree.walk(str(tree.path))
    (tree.path / T1).unlink()
    assert dict(snapshot.read([T1])) == {T1: Unreadable("vanished")}


def test_a_pipe_named_like_an_envelope_does_not_hang(tree: Repo) -> None:
    os.mkfifo(tree.path / f"{INBOX}/TASK-20261001-002-PM-to-QA.md")
    ran = audit(tree.path)
    assert (ran.code, ran.codes) == (3, ["FC001"])


def test_a_tree_that_changes_while_it_is_read_never_ends_in_a_traceback(tree: Repo) -> None:
    paths = [tree.path / f"{INBOX}/TASK-20261002-{number:03}-PM-to-DEV.md" for number in range(1, 400)]
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            for path in paths:
                path.write_text(task_text())
            for path in paths:
                path.unlink()

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        ran = audit(tree.path)
    finally:
        stop.set()
        thread.join()
    assert ran.code in (0, 1, 3)
    assert set(ran.codes) <= {"FC001", "FC111", "FC112"}


@pytest.mark.parametrize("what", ["stage", "envelope", "workspace"])
def test_links_are_told_and_never_followed(tree: Repo, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "TASK-20261001-009-PM-to-QA.md").write_text("not an envelope\n")
    if what == "stage":
        (tree.path / "fcop/_lifecycle/review").symlink_to(outside)
        expected = (1, ["FC714"])
    elif what == "envelope":
        (tree.path / f"{INBOX}/TASK-20261001-009-PM-to-QA.md").symlink_to(outside / "TASK-20261001-009-PM-to-QA.md")
        expected = (1, ["FC714"])
    else:
        shutil.rmtree(tree.path / "fcop")
        (tree.path / "fcop").symlink_to(outside)
        expected = (1, ["FC714"])
    ran = audit(tree.path)
    assert (ran.code, ran.codes) == expected


def test_a_tracked_folder_that_became_a_link_is_not_read_through(repo: Repo, tmp_path: Path) -> None:
    inbox = repo.path / INBOX
    inbox.rename(tmp_path / "elsewhere")
    inbox.symlink_to(tmp_path / "elsewhere")
    ran = repo.audit()
    assert (ran.codes, ran.report["workspaces"][0]["envelopes"]) == (["FC714"], 0)


def test_a_submodule_in_place_of_a_folder_is_said(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    other = make_repo("other")
    other.write("REPORT-20261001-001-DEV-to-PM.md", "x")
    other.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "fcop/reports")
    assert (repo.check().code, repo.check().codes) == (3, ["FC001"])
    assert (repo.audit().code, repo.audit().codes) == (3, ["FC001"])


def test_a_git_lfs_pointer_is_said(repo: Repo) -> None:
    repo.write(T1, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n")
    repo.git("add", "-A")
    assert (repo.check().code, repo.check().codes) == (3, ["FC001"])


def test_a_missing_object_is_said(repo: Repo) -> None:
    oid = repo.git("rev-parse", f"HEAD:{T1}").strip()
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{INBOX}/TASK-20261001-002-PM-to-DEV.md")
    ran = repo.check()
    assert (ran.code, set(ran.codes)) == (3, {"FC001"})


def test_an_ignored_workspace_is_read_and_said(repo: Repo) -> None:
    repo.git("rm", "-q", "-r", "--cached", "fcop")
    repo.write(".gitignore", "fcop/\n")
    repo.commit()
    repo.write(T1, task_text("QA"))
    ran = repo.audit()
    assert (ran.code, ran.codes) == (1, ["FC120"])
    assert [(note["topic"], note["path"]) for note in ran.report["notes"]] == [("ignored-workspace", "fcop")]


def test_a_sparse_checkout_is_read_from_the_index(repo: Repo) -> None:
    repo.write(T1, task_text("QA"))
    repo.write("src/app.py", "print()\n")
    repo.commit()
    repo.git("sparse-checkout", "set", "src")
    assert not (repo.path / T1).exists()
    assert repo.audit().codes == ["FC120"]


def test_dubious_ownership_is_advice_and_exit_3(repo: Repo) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository to somebody else")
    for folder, _, files in os.walk(repo.path):
        for name in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(name, 12345, 12345)
    for command in ("check", "audit"):
        ran = repo.run(command, env={"HOME": "/nonexistent"})
        assert (ran.code, ran.out, "safe.directory" in ran.err, len(ran.err.splitlines())) == (3, "", True, 1)


def test_no_git_on_path_is_advice_and_exit_3(repo: Repo, tmp_path: Path) -> None:
    ran = repo.run("check", env={"PATH": str(tmp_path)})
    assert (ran.code, ran.out, "git is not installed" in ran.err) == (3, "", True)


@pytest.mark.parametrize("option", [["--select", "FC12O"], ["--ignore", "routing-mismach"], ["--select", "FC120,XX"]])
def test_an_unknown_selector_is_refused(repo: Repo, option: list[str]) -> None:
    ran = repo.run("audit", *option)
    assert (ran.code, ran.out, "no rule is called" in ran.err) == (2, "", True)


MANIFESTS = [
    b"",
    b"[]",
    b"{",
    b"\xff\xfe",
    b"null",
    b'{"roles": ' + b"[" * 100_000,
    b'{"version": ' + b"9" * 10_000 + b"}",
    b'{"a":1,"a":2}',
    b'{"roles": [1, {}, null], "leader": 7}',
]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda data: repr(data[:20]))
def test_a_manifest_that_is_none_is_a_finding(tree: Repo, manifest: bytes) -> None:
    tree.write("fcop/fcop.json", manifest)
    ran = audit(tree.path)
    assert (ran.code, set(ran.codes)) == (1, {"FC141"})


def test_a_manifest_of_ten_megabytes_is_said(tree: Repo) -> None:
    tree.write("fcop/fcop.json", b'{"x": "' + b"y" * 10_000_000 + b'"}')
    assert (audit(tree.path).code, audit(tree.path).codes) == (3, ["FC001"])


@pytest.mark.parametrize(("declared", "said"), [('"4.1"', "4.1"), ('"7.1"', "7.1"), ("4.0", "4.0")])
def test_a_protocol_nobody_here_knows_is_said_and_nothing_guessed(tree: Repo, declared: str, said: str) -> None:
    tree.write("fcop/fcop.json", f'{{"protocol": "fcop", "protocol_version": {declared}}}')
    ran = audit(tree.path)
    assert (ran.code, ran.codes) == (1, ["FC004"])
    assert said in ran.findings[0]["message"]
