"""What is pushed, and what a server receives: git's own lines, its own hooks, and real pushes to real bare repositories."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.changes import TaskFile, task
from tests.support.repository import T1, TEAM, Ran, Repo, run_tool, task_text
from tests.support.tool_path import PROJECT, tool_path

ACTIVE = task("active")
EDITED = ACTIVE.but(body="# Build the form\n\nAcceptance: it opens.\n")
NONE = "0" * 40
LOOSE = 'ignore = ["FC8"]\n'


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return tool_path(tmp_path / "bin")


@pytest.fixture
def server(tmp_path: Path) -> Repo:
    """A bare repository without hooks."""
    return Repo.create(tmp_path / "server.git", bare=True)


@pytest.fixture
def team(make_repo: Callable[..., Repo], server: Repo) -> Repo:
    """A repository in which a TASK was created and claimed; main is on the server."""
    made = make_repo()
    made.git("remote", "add", "origin", str(server.path))
    made.write("fcop/fcop.json", json.dumps(TEAM))
    put(made, task())
    save(made, "create")
    put(made, ACTIVE)
    save(made, "claim")
    made.git("push", "-q", "-u", "origin", "main")
    return made


@pytest.fixture
def guarded(server: Repo, team: Repo, env: dict[str, str]) -> Repo:
    """The server, with our hook installed after the first push."""
    done = subprocess.run(["fcoplint", "init", "--server"], cwd=server.path, env={**os.environ, **env}, capture_output=True, check=True)
    assert b"installed" in done.stdout
    return server


def put(repo: Repo, state: TaskFile) -> None:
    for old in repo.path.glob(f"fcop/**/{state.name}.md"):
        old.unlink()
    repo.write(state.path, state.text())


def save(repo: Repo, message: str) -> str:
    repo.commit(message)
    return head(repo)


def head(repo: Repo, ref: str = "HEAD") -> str:
    return repo.git("rev-parse", ref).strip()


def refs(repo: Repo) -> str:
    return repo.git("for-each-ref", "--format=%(refname) %(objectname)")


def feed(repo: Repo, option: str, *lines: str, env: dict[str, str] | None = None, style: str = "json") -> Ran:
    """Run the check with git's lines on its standard input."""
    command = [sys.executable, "-m", "fcoplint", "check", option, "--format", style]
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), **(env or {})}
    text = "".join(f"{line}\n" for line in lines).encode()
    done = subprocess.run(command, cwd=repo.path, env=environ, input=text, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def errors(ran: Ran) -> list[tuple[str, str | None]]:
    """(code, commit) of the errors."""
    return [(item["code"], item["commit"] and item["commit"]["id"]) for item in ran.findings if item["severity"] == "error"]


# git's lines of a pre-push hook


def test_a_push_to_a_branch_judges_each_new_commit(team: Repo) -> None:
    old = head(team)
    put(team, EDITED)
    guilty = save(team, "soften")
    put(team, ACTIVE)
    new = save(team, "and back")
    ran = feed(team, "--pre-push", f"refs/heads/main {new} refs/heads/main {old}")
    assert (ran.code, errors(ran)) == (1, [("FC804", guilty)])


def test_a_new_branch_is_judged_from_where_it_left_the_server(team: Repo) -> None:
    team.git("checkout", "-q", "-b", "side")
    put(team, EDITED)
    guilty = save(team, "soften")
    assert errors(feed(team, "--pre-push", f"refs/heads/side {guilty} refs/heads/side {NONE}")) == [("FC804", guilty)]
    assert feed(team, "--pre-push", f"refs/heads/x {head(team, 'main')} refs/heads/x {NONE}").findings == []


def test_a_branch_that_is_deleted_and_no_lines_at_all_are_nothing(team: Repo) -> None:
    for lines in ([f"(delete) {NONE} refs/heads/main {head(team)}"], []):
        ran = feed(team, "--pre-push", *lines)
        assert (ran.code, ran.findings, ran.err) == (0, [], "")


def test_a_forced_push_answers_for_what_it_replaces(team: Repo) -> None:
    old = head(team)
    team.git("reset", "-q", "--hard", "HEAD~1")
    put(team, ACTIVE.but(events=[*ACTIVE.events[:1], dict(ACTIVE.events[1]) | {"by": "QA"}]))
    new = save(team, "claim otherwise")
    ran = feed(team, "--pre-push", f"refs/heads/main {new} refs/heads/main {old}")
    assert ("FC801", None) in errors(ran)
    # Where the old tip was never fetched, only the commits can be looked at.
    ran = feed(team, "--pre-push", f"refs/heads/main {new} refs/heads/main {'1' * 40}")
    assert "FC801" not in [code for code, _ in errors(ran)]


def test_two_commits_of_a_push_cannot_switch_off_what_forbids_them(team: Repo) -> None:
    old = head(team)
    team.write(".fcoplint.toml", LOOSE)
    save(team, "loosen")
    put(team, EDITED)
    guilty = save(team, "soften")
    for option, line in (
        ("--pre-push", f"refs/heads/main {guilty} refs/heads/main {old}"),
        ("--pre-push", f"refs/heads/new {guilty} refs/heads/new {NONE}"),
        ("--pre-receive", f"{old} {guilty} refs/heads/main"),
    ):
        assert errors(feed(team, option, line)) == [("FC804", guilty)], line


def test_two_commits_of_a_push_cannot_make_a_leader_and_act_as_one(team: Repo) -> None:
    put(team, task("done"))
    old = save(team, "done")
    team.write("fcop/fcop.json", json.dumps(TEAM | {"leader": "DEV"}))
    save(team, "usurp")
    events = list(task("archive").events)
    put(team, task("archive", events=[*events[:-1], dict(events[-1]) | {"by": "DEV"}]))
    guilty = save(team, "archive")
    for option, line in (
        ("--pre-push", f"refs/heads/main {guilty} refs/heads/main {old}"),
        ("--pre-receive", f"{old} {guilty} refs/heads/main"),
    ):
        assert ("FC401", guilty) in errors(feed(team, option, line))


@pytest.mark.parametrize("line", ["a b c", "refs/heads/x y", "a b c d e"])
def test_lines_that_are_not_gits_are_wrong_usage(team: Repo, line: str) -> None:
    ran = feed(team, "--pre-push", line)
    assert (ran.code, ran.out) == (2, "")


def test_an_object_that_is_not_here_is_no_silent_pass(team: Repo) -> None:
    ran = feed(team, "--pre-push", f"refs/heads/main {'1' * 40} refs/heads/main {head(team)}")
    assert (ran.code, ran.codes) == (3, ["FC003"])
    assert len(ran.err.splitlines()) == 1


def test_tags_are_judged_by_the_commits_they_bring(team: Repo) -> None:
    put(team, EDITED)
    guilty = save(team, "soften")
    team.git("tag", "-a", "-m", "v1", "v1")
    team.git("tag", "light")
    for name in ("v1", "light"):
        assert errors(feed(team, "--pre-push", f"refs/tags/{name} {head(team, name)} refs/tags/{name} {NONE}")) == [("FC804", guilty)]
    team.git("tag", "tree", "HEAD^{tree}")
    ran = feed(team, "--pre-push", f"refs/tags/tree {head(team, 'tree')} refs/tags/tree {NONE}")
    assert (ran.code, ran.findings) == (0, [])
    assert "refs/tags/tree names no commit" in ran.err


def test_what_the_remote_has_is_not_judged_again(team: Repo) -> None:
    put(team, EDITED)
    save(team, "soften, past the hook")
    team.git("push", "-q", "origin", "main")
    team.git("checkout", "-q", "-b", "side", "HEAD~1")
    team.write("app.py", "1\n")
    old = save(team, "work")
    team.git("push", "-q", "origin", "side")
    team.git("merge", "-q", "--no-edit", "main")
    assert feed(team, "--pre-push", f"refs/heads/side {head(team)} refs/heads/side {old}").findings == []


# pre-commit's second id


@pytest.fixture(scope="session")
def pre_commit_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit-home"))}


@pytest.fixture
def framed(team: Repo, env: dict[str, str], pre_commit_env: dict[str, str]) -> dict[str, str]:
    """The environment of a push by a repository that uses the id fcoplint-push; the tool comes from PATH."""
    shipped = (PROJECT / ".pre-commit-hooks.yaml").read_text()
    hook = shipped[shipped.index("- id: fcoplint-push") :].replace("language: python", "language: system")
    config = "default_install_hook_types: [pre-push]\nrepos:\n- repo: local\n  hooks:\n"
    team.write(".pre-commit-config.yaml", config + "".join(f"  {line}\n" for line in hook.splitlines()))
    save(team, "use fcoplint")
    team.git("push", "-q", "origin", "main")
    environ = {**env, **pre_commit_env}
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=team.path, env={**os.environ, **environ}, check=True, capture_output=True
    )
    return environ


def test_pre_commit_refuses_a_forged_push_and_passes_a_lawful_one(team: Repo, server: Repo, framed: dict[str, str]) -> None:
    before = refs(server)
    team.write(T1.replace("001", "002"), task_text())
    save(team, "lawful")
    team.git("push", "-q", "origin", "main", env=framed)
    assert refs(server) != before
    before = refs(server)
    put(team, EDITED)
    save(team, "soften")
    for target in ("main", "main:new-branch", "main:refs/heads/a/b"):
        refused = team.try_git("push", "origin", target, env=framed)
        assert (refused.code, "FC804" in refused.out + refused.err) == (1, True), refused
        assert refs(server) == before


def test_pre_commit_names_no_commits_where_all_is_pushed(team: Repo, tmp_path: Path, framed: dict[str, str]) -> None:
    put(team, EDITED)
    save(team, "soften")
    fresh = Repo.create(tmp_path / "fresh.git", bare=True)
    team.git("remote", "add", "fresh", str(fresh.path))
    refused = team.try_git("push", "fresh", "main", env=framed)
    assert (refused.code, "FC804" in refused.out + refused.err, refs(fresh)) == (1, True, "")


def test_pre_commit_by_hand_judges_what_would_be_pushed(team: Repo, framed: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pre_commit", "run", "--hook-stage", "pre-push", "--all-files"]
    environ = {**os.environ, **framed}
    assert subprocess.run(command, cwd=team.path, env=environ, capture_output=True, check=False).returncode == 0
    put(team, EDITED)
    save(team, "soften")
    done = subprocess.run(command, cwd=team.path, env=environ, capture_output=True, check=False)
    assert (done.returncode, b"FC804" in done.stdout) == (1, True), done


def test_prek_passes_the_same_variables(team: Repo) -> None:
    old = head(team)
    put(team, EDITED)
    new = save(team, "soften")
    variables = {"PRE_COMMIT": "1", "PRE_COMMIT_FROM_REF": old, "PRE_COMMIT_TO_REF": new, "PRE_COMMIT_REMOTE_NAME": "origin"}
    assert errors(feed(team, "--pre-push", env=variables)) == [("FC804", new)]
    del variables["PRE_COMMIT_FROM_REF"]
    assert errors(feed(team, "--pre-push", env=variables)) == [("FC804", new)]
    assert errors(feed(team, "--pre-push", env={"PRE_COMMIT": "1"})) == [("FC804", new)]


# A real server


def test_a_forged_push_is_refused_and_a_lawful_one_lands(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    before = refs(guarded)
    put(team, EDITED)
    guilty = save(team, "soften")
    team.git("branch", "other")
    refused = team.try_git("push", "--atomic", "origin", "main", "other", env=env)
    assert refused.code == 1
    assert "error FC804" in refused.err
    assert guilty[:12] in refused.err
    assert refs(guarded) == before
    refused = team.try_git("push", "origin", "main", "HEAD~1:refs/heads/innocent", env=env)
    assert (refused.code, refs(guarded)) == (1, before), "one forged ref stops the whole push"
    team.git("reset", "-q", "--hard", "HEAD~1")
    put(team, task("done"))
    save(team, "finish")
    team.git("push", "-q", "origin", "main", env=env)
    assert head(guarded, "main") == head(team)


def test_the_server_refuses_what_was_put_right_on_top(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    put(team, EDITED)
    save(team, "soften")
    put(team, ACTIVE)
    save(team, "and back")
    assert team.try_git("push", "origin", "main", env=env).code == 1


def test_the_server_judges_objects_that_are_still_in_quarantine(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    guarded.git("config", "receive.unpackLimit", "1")
    put(team, EDITED)
    save(team, "soften")
    refused = team.try_git("push", "origin", "main", env=env)
    assert "FC804" in refused.err
    assert guarded.try_git("cat-file", "-e", head(team)).code != 0, "the refused objects did not stay"


def test_a_new_branch_is_held_against_what_the_server_has(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    team.git("checkout", "-q", "-b", "side")
    team.write("app.py", "1\n")
    save(team, "work")
    team.git("push", "-q", "origin", "side", env=env)
    put(team, EDITED)
    save(team, "soften")
    refused = team.try_git("push", "origin", "side:third", env=env)
    assert (refused.code, "FC804" in refused.err) == (1, True)


def test_a_loose_side_branch_does_not_open_main(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    team.git("checkout", "-q", "-b", "side")
    team.write(".fcoplint.toml", LOOSE)
    save(team, "loosen")
    team.git("push", "-q", "origin", "side", env=env)
    put(team, EDITED)
    save(team, "soften")
    team.git("push", "-q", "origin", "side", env=env)
    refused = team.try_git("push", "origin", "side:main", env=env)
    assert (refused.code, "FC804" in refused.err) == (1, True)


def test_main_is_not_judged_again_in_a_side_branch_that_takes_it_in(team: Repo, server: Repo, env: dict[str, str]) -> None:
    team.git("branch", "side", "HEAD~1")
    put(team, EDITED)
    save(team, "soften, before there was a hook")
    team.git("push", "-q", "origin", "main", "side")
    run_tool("init", "--server", cwd=server.path)
    team.git("checkout", "-q", "side")
    team.write("app.py", "1\n")
    save(team, "work")
    team.git("merge", "-q", "--no-edit", "main")
    team.git("push", "-q", "origin", "side", env=env)
    assert head(server, "side") == head(team)


def test_a_forced_push_to_the_server_is_held_against_what_it_replaces(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    before = refs(guarded)
    team.git("reset", "-q", "--hard", "HEAD~1")
    put(team, ACTIVE.but(events=[*ACTIVE.events[:1], dict(ACTIVE.events[1]) | {"by": "QA"}]))
    save(team, "claim otherwise")
    refused = team.try_git("push", "--force", "origin", "main", env=env)
    assert (refused.code, "FC801" in refused.err, refs(guarded)) == (1, True, before)


def test_the_first_push_of_all_is_judged_from_nothing(team: Repo, tmp_path: Path, env: dict[str, str]) -> None:
    fresh = Repo.create(tmp_path / "fresh.git", bare=True)
    run_tool("init", "--server", cwd=fresh.path)
    team.git("push", "-q", str(fresh.path), "main", env=env)
    assert head(fresh, "main") == head(team)
    team.git("push", "-q", str(fresh.path), "main:other", env=env)
    team.git("push", "-q", str(fresh.path), "--delete", "other", env=env)
    assert refs(fresh).count("\n") == 1


def test_300_refs_at_once(team: Repo, guarded: Repo, env: dict[str, str]) -> None:
    start = head(team)
    for number in range(300):
        tree = head(team, "HEAD^{tree}")
        commit = team.git("commit-tree", "-p", start, "-m", f"{number}", tree).strip()
        team.git("update-ref", f"refs/heads/b{number}", commit)
    put(team, EDITED)
    guilty = save(team, "soften")
    team.git("update-ref", "refs/heads/b150", guilty)
    team.git("reset", "-q", "--hard", start)
    refused = team.try_git("push", "origin", "refs/heads/b*:refs/heads/b*", env=env)
    assert (refused.code, refused.err.count("error FC804"), refs(guarded).count("\n")) == (1, 1, 1)
    team.git("update-ref", "-d", "refs/heads/b150")
    team.git("push", "-q", "origin", "refs/heads/b*:refs/heads/b*", env=env)
    assert refs(guarded).count("\n") == 300


def test_the_update_hook_judges_one_ref(team: Repo, server: Repo, env: dict[str, str]) -> None:
    hook = server.path / "hooks/update"
    hook.write_bytes((PROJECT / "hooks/update").read_bytes())
    hook.chmod(0o755)
    team.git("branch", "innocent")
    put(team, EDITED)
    save(team, "soften")
    refused = team.try_git("push", "origin", "main", "innocent", env=env)
    assert (refused.code, "FC804" in refused.err) == (1, True)
    assert [line.split()[0] for line in refs(server).splitlines()] == ["refs/heads/innocent", "refs/heads/main"]
    assert head(server, "main") != head(team)


def test_a_hook_without_the_tool_refuses(team: Repo, guarded: Repo) -> None:
    team.write("app.py", "1\n")
    save(team, "work")
    refused = team.try_git("push", "origin", "main", env={"PATH": "/usr/bin:/bin"})
    assert (refused.code, "nothing was checked" in refused.err) == (1, True)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_pushes_between_repositories_of_each_kind(
    make_repo: Callable[..., Repo], tmp_path: Path, env: dict[str, str], object_format: str
) -> None:
    server = Repo.create(tmp_path / "s.git", bare=True, object_format=object_format)
    run_tool("init", "--server", cwd=server.path)
    repo = make_repo("client", object_format=object_format)
    repo.add_team()
    save(repo, "start")
    repo.git("push", "-q", str(server.path), "main", env=env)
    repo.write(T1, task_text(priority="P1"))
    save(repo, "edit")
    assert "FC804" in repo.try_git("push", str(server.path), "main", env=env).err


# Signatures


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """Two SSH keys, pm and stranger, and the list that knows pm."""
    folder = tmp_path / "keys"
    folder.mkdir()
    for name in ("pm", "stranger"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)], check=True)
    (folder / "allowed").write_text(f"dev@example.org {(folder / 'pm.pub').read_text()}")
    return folder


def signing(keys: Path, name: str) -> list[str]:
    return ["-c", "gpg.format=ssh", "-c", f"user.signingKey={keys / name}.pub", "-c", "commit.gpgSign=true"]


def bind(team: Repo) -> str:
    team.write(".fcoplint.toml", 'require-signed = true\n[actors]\nDEV = ["*@example.org"]\n')
    save(team, "bind")
    put(team, task("review"))
    team.git("add", "-A")
    return head(team)


def unsigned(ran: Ran) -> list[tuple[str, str]]:
    return [(item["code"], item["commit"]["id"]) for item in ran.findings if "valid signature" in item["message"]]


def test_signatures_are_asked_for_in_ranges_and_pushes(team: Repo, keys: Path) -> None:
    team.git("config", "gpg.ssh.allowedSignersFile", str(keys / "allowed"))
    for options in ([], signing(keys, "stranger"), signing(keys, "pm")):
        start = bind(team)
        team.git(*options, "commit", "-q", "-m", "submit")
        new = head(team)
        expected = [] if options == signing(keys, "pm") else [("FC420", new)]
        assert unsigned(team.check("--range", f"{start}..HEAD")) == expected
        assert unsigned(team.check("--range", f"{start}..HEAD", "--each-commit")) == expected
        assert unsigned(feed(team, "--pre-push", f"refs/heads/main {new} refs/heads/main {start}")) == expected
        assert unsigned(feed(team, "--pre-receive", f"{start} {new} refs/heads/main")) == expected
        team.git("reset", "-q", "--hard", "origin/main")


def test_a_role_that_is_not_bound_need_not_sign(team: Repo) -> None:
    start = bind(team)
    team.write(".fcoplint.toml", 'require-signed = true\n[actors]\nPM = ["*@example.org"]\n')
    team.git("commit", "-q", "-a", "--amend", "-m", "bind")
    start = head(team)
    put(team, task("review"))
    team.write("app.py", "1\n")
    save(team, "submit")
    assert team.check("--range", f"{start}..HEAD").codes == []


def test_a_signature_over_other_content_is_bad(team: Repo, keys: Path) -> None:
    team.git("config", "gpg.ssh.allowedSignersFile", str(keys / "allowed"))
    start = bind(team)
    team.git(*signing(keys, "pm"), "commit", "-q", "-m", "submit")
    text = team.git("cat-file", "commit", "HEAD").replace("submit", "Submit")
    (team.path / "forged").write_text(text)
    forged = team.git("hash-object", "-t", "commit", "-w", "forged").strip()
    assert unsigned(team.check("--range", f"{start}..{forged}")) == [("FC420", forged)]


def test_no_program_of_the_repositorys_configuration_verifies(team: Repo, keys: Path, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    planted = tmp_path / "planted"
    planted.write_text(f"#!/bin/sh\ntouch '{touched}'\nexit 0\n")
    planted.chmod(0o755)
    start = bind(team)
    team.git(*signing(keys, "stranger"), "commit", "-q", "-m", "submit")
    for key in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.defaultKeyCommand"):
        team.git("config", key, str(planted))
    for kind in ("ssh", "openpgp", "x509"):
        team.git("config", "gpg.format", kind)
        assert len(unsigned(team.check("--range", f"{start}..HEAD"))) == 1
    assert not touched.exists()


def test_a_server_verifies_by_its_own_list(team: Repo, guarded: Repo, keys: Path, env: dict[str, str]) -> None:
    bind(team)
    team.git("push", "-q", "origin", "HEAD:main", env=env)
    guarded.git("config", "gpg.ssh.allowedSignersFile", str(keys / "allowed"))
    team.git("commit", "-q", "-m", "submit")
    refused = team.try_git("push", "origin", "main", env=env)
    assert (refused.code, "without a valid signature" in refused.err) == (1, True)
    team.git(*signing(keys, "pm"), "commit", "-q", "--amend", "-m", "submit")
    team.git("push", "-q", "origin", "main", env=env)
    assert head(guarded, "main") == head(team)
