"""What was left behind, told and completed: each row of the table of situations in a real repository."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcoplint import atomic
from tests.support import forked
from tests.support.repository import INBOX, T1, Repo, task_text

TASK = "TASK-20261001-001-PM-to-DEV"
ACTIVE, REVIEW = T1.replace("inbox", "active"), T1.replace("inbox", "review")
CLAIM = ("move", TASK, "--to", "active", "--by", "DEV")
CLAIM_EVENT = "- at: '2026-12-01T08:00:00+00:00'\n  from: inbox\n  to: active\n  by: DEV\n  tool: claim_task\n"
CLAIMED = task_text().replace("---\n\n#", f"{CLAIM_EVENT}---\n\n#")


def recover(repo: Repo, *args: str) -> tuple[int, list[dict[str, Any]]]:
    done = forked.run(repo.path, "recover", *args, "--format", "json")
    loaded = json.loads(done.out)
    assert loaded["exit"] == done.code
    return done.code, loaded["outcomes"]


def gone() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def temporary(pid: int, host: str = "", name: str = f"{TASK}.md") -> str:
    return f".fcop-{name}.{host or atomic.host_mark()}-{pid}-0123456789abcdef.tmp"


def files(repo: Repo) -> set[str]:
    found = (path for path in repo.path.rglob("*") if path.is_file() and ".git" not in path.relative_to(repo.path).parts)
    return {path.relative_to(repo.path).as_posix() for path in found}


def own_temporary(repo: Repo) -> None:
    repo.write(f"{INBOX}/{temporary(gone())}", "half")


def another_machines_temporary(repo: Repo) -> None:
    repo.write(f"{INBOX}/{temporary(gone(), '00000000')}", "half")


def a_live_temporary(repo: Repo) -> None:
    repo.write(f"{INBOX}/{temporary(os.getpid())}", "half")


def another_tools_temporary(repo: Repo) -> None:
    repo.write(f"{INBOX}/.{TASK}.tmp", "half")


def a_copy_left_behind(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM)
    repo.write(T1, task_text())


def a_copy_left_behind_and_committed(repo: Repo) -> None:
    repo.write(ACTIVE, CLAIMED)
    repo.commit("half a move")


def the_same_bytes_twice(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM)
    repo.write(T1, (repo.path / ACTIVE).read_bytes())


def written_anew_by_another_tool(repo: Repo) -> None:
    """The reference dumps the YAML anew, and may leave the source behind; what HEAD holds is not lost with it."""
    repo.write(ACTIVE, CLAIMED.replace("'", '"'))


def an_edited_copy(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM)
    repo.write(T1, task_text().replace("form", "page"))


def two_claims(repo: Repo) -> None:
    repo.write(ACTIVE, CLAIMED)
    repo.write(T1, CLAIMED.replace("to: active\n  by: DEV", "to: inbox\n  by: QA"))


def two_events_ahead(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM)
    forked.run(repo.path, "move", TASK, "--to", "review", "--by", "DEV")
    repo.write(T1, task_text())


def not_staged(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM, "--no-stage")


def half_staged(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM, "--no-stage")
    repo.git("add", ACTIVE)


def moved_and_edited(repo: Repo) -> None:
    forked.run(repo.path, *CLAIM, "--no-stage")
    repo.write(ACTIVE, (repo.path / ACTIVE).read_text().replace("form", "page"))


def an_index_copy(repo: Repo) -> None:
    name = temporary(gone(), name="index")
    repo.write(f".git/{name}", (repo.path / ".git" / "index").read_bytes())
    os.link(repo.path / ".git" / name, repo.path / ".git" / "index.lock")


def a_lock(repo: Repo, pid: int, host: str) -> None:
    plan = {"command": "move", "subject": TASK, "steps": [{"do": "publish", "path": ACTIVE, "sha256": "0" * 64}], "stage": []}
    record = {"pid": pid, "host": host, "at": "2026-11-30T08:00:00Z", "plan": plan}
    repo.write(".git/fcoplint/writer.lock", json.dumps(record))


def a_dead_lock(repo: Repo) -> None:
    a_lock(repo, gone(), os.uname().nodename)


def another_machines_lock(repo: Repo) -> None:
    a_lock(repo, gone(), "another-machine")


def nothing(repo: Repo) -> None:
    """The repository as it is."""


# What is there; what recover says of it; the exit codes without and with --apply; which of the files are left then.
TABLE: list[tuple[Callable[[Repo], None], str, int, int, set[str]]] = [
    (nothing, "clean", 0, 0, {T1}),
    (own_temporary, "own-temporary", 4, 0, {T1}),
    (another_machines_temporary, "foreign-temporary", 3, 3, {T1}),
    (a_live_temporary, "live-temporary", 3, 3, {T1}),
    (another_tools_temporary, "foreign-temporary", 3, 3, {T1}),
    (a_copy_left_behind, "left-behind", 4, 0, {ACTIVE}),
    (a_copy_left_behind_and_committed, "left-behind", 4, 0, {ACTIVE}),
    (the_same_bytes_twice, "left-behind", 4, 0, {ACTIVE}),
    (written_anew_by_another_tool, "left-behind", 4, 0, {ACTIVE}),
    (an_edited_copy, "divergent", 3, 3, {T1, ACTIVE}),
    (two_claims, "divergent", 3, 3, {T1, ACTIVE}),
    (two_events_ahead, "divergent", 3, 3, {T1, REVIEW}),
    (not_staged, "not-staged", 4, 0, {ACTIVE}),
    (half_staged, "not-staged", 4, 0, {ACTIVE}),
    (moved_and_edited, "clean", 0, 0, {ACTIVE}),
    (an_index_copy, "own-index", 4, 0, {T1}),
    (a_dead_lock, "dead-lock", 4, 0, {T1}),
    (another_machines_lock, "unknown-holder", 3, 3, {T1}),
]


@pytest.mark.parametrize(("build", "reason", "told", "applied", "left"), TABLE, ids=[row[0].__name__ for row in TABLE])
def test_each_situation(repo: Repo, build: Callable[[Repo], None], reason: str, told: int, applied: int, left: set[str]) -> None:
    build(repo)
    before = files(repo), repo.git("ls-files", "-s")
    code, outcomes = recover(repo)
    assert (code, [item["reason"] for item in outcomes]) == (told, [reason])
    assert (files(repo), repo.git("ls-files", "-s")) == before
    code, _ = recover(repo, "--apply")
    assert code == applied
    assert {path for path in files(repo) if path.endswith(f"{TASK}.md")} == left
    if applied == 0:
        assert recover(repo)[1][0]["reason"] == "clean"
        assert [path.name for path in repo.path.rglob(".fcop-*")] == []
        assert not (repo.path / ".git" / "index.lock").exists()
    else:
        assert files(repo) == before[0]


@pytest.mark.parametrize("build", [a_copy_left_behind, a_copy_left_behind_and_committed, not_staged, half_staged])
def test_what_is_completed_can_be_committed(repo: Repo, build: Callable[[Repo], None]) -> None:
    build(repo)
    assert recover(repo, "--apply")[0] == 0
    found = repo.check(env={"FCOPLINT_NOW": forked.NOW})
    assert [finding["code"] for finding in found.findings if finding["severity"] != "info"] == []
    assert repo.git("ls-files", "fcop/_lifecycle").split() == [ACTIVE]


def test_divergent_copies_are_shown_side_by_side(repo: Repo) -> None:
    an_edited_copy(repo)
    shown = forked.run(repo.path, "recover").err
    line = next(line for line in shown.splitlines() if "# Build the page" in line)
    assert "|" in line
    assert "sha256" in shown


def test_a_lock_tells_what_its_holder_was_about_to_do(repo: Repo) -> None:
    a_dead_lock(repo)
    _, (told,) = recover(repo)
    assert any(line == f"planned: publish {ACTIVE}" for line in told["evidence"])
    assert told["next"] == ["fcoplint", "recover", "--apply"]


def test_a_live_writer_is_left_alone(repo: Repo) -> None:
    a_lock(repo, os.getpid(), os.uname().nodename)
    record = json.loads((repo.path / ".git/fcoplint/writer.lock").read_text())
    repo.write(".git/fcoplint/writer.lock", json.dumps({**record, "at": "2999-01-01T00:00:00Z"}))
    code, (told,) = recover(repo, "--apply")
    assert (code, told["reason"]) == (1, "busy")


def test_a_number_given_to_another_process_since_is_no_sign_of_life(repo: Repo) -> None:
    a_lock(repo, os.getpid(), os.uname().nodename)
    record = json.loads((repo.path / ".git/fcoplint/writer.lock").read_text())
    repo.write(".git/fcoplint/writer.lock", json.dumps({**record, "at": "2001-01-01T00:00:00Z"}))
    assert recover(repo, "--apply")[0] == 0


def test_v4_has_a_recovery_of_its_own(repo: Repo) -> None:
    repo.write("fcop/fcop.json", json.dumps({"protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:" + "0" * 32}))
    code, (told,) = recover(repo, "--apply")
    assert (code, told["reason"]) == (1, "v4")
    assert "`recover_operation`" in told["message"]


def test_without_git_a_copy_left_behind_goes_too(repo: Repo, tmp_path: Path) -> None:
    for path, text in ((T1, task_text()), (ACTIVE, CLAIMED)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    done = forked.run(tmp_path / "fcop", "recover", "--apply")
    assert done.code == 0
    assert not (tmp_path / T1).exists()
