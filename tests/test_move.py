"""The safe transition in real repositories: what it writes, what it refuses and why, and that a refusal writes nothing."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.repository import INBOX, T1, TEAM, Ran, Repo, task_text

TASK = "TASK-20261001-001-PM-to-DEV"
ACTIVE = T1.replace("inbox", "active")
CLAIM = ("move", TASK, "--to", "active", "--by", "DEV")
REPORT = "---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences:\n- TASK-20261001-001\nstatus: done\n---\n\n# Done\n"
EVENT = "- at: '2026-12-01T08:00:00+00:00'\n  from: inbox\n  to: active\n  by: DEV\n  tool: claim_task\n"
ME = os.getpid()


def state(repo: Repo) -> tuple[dict[str, bytes], str, str]:
    """Files, index and locks: all that a refusal must leave alone."""
    files = {str(path): path.read_bytes() for path in sorted(repo.path.rglob("*")) if path.is_file() and ".git" not in path.parts}
    return files, repo.git("ls-files", "-s", "-v"), repo.git("status", "--porcelain")


def outcome(done: Ran) -> dict[str, Any]:
    """The one outcome of a run with --format json."""
    loaded = json.loads(done.out)
    assert loaded["schema"] == "fcoplint.outcome/1"
    assert loaded["exit"] == done.code
    (only,) = loaded["outcomes"]
    found: dict[str, Any] = only
    return found


def move(repo: Repo, *args: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    return outcome(forked.run(repo.path, *args, "--format", "json", env=env))


def faults(repo: Repo) -> list[str]:
    """What the next commit would bring in; that git keeps no empty folders is none of a move's making."""
    return [code for code in repo.check(env={"FCOPLINT_NOW": forked.NOW}).codes if code != "FC202"]


# What it writes


def test_a_move_appends_one_event_and_keeps_every_other_byte(repo: Repo) -> None:
    os.chmod(repo.path / T1, 0o640)
    repo.git("config", "core.filemode", "false")
    before = (repo.path / T1).read_bytes()
    assert forked.run(repo.path, *CLAIM).code == 0
    assert (repo.path / ACTIVE).read_bytes() == before.replace(b"---\n\n#", EVENT.encode() + b"---\n\n#")
    assert not (repo.path / T1).exists()
    assert stat.S_IMODE((repo.path / ACTIVE).stat().st_mode) == 0o640
    assert sorted(repo.git("diff", "--cached", "--name-only", "--no-renames").split()) == sorted([T1, ACTIVE])
    assert repo.git("diff", "--name-only") == ""
    assert faults(repo) == []


def test_other_work_is_neither_staged_nor_touched(repo: Repo) -> None:
    repo.write("app.py", "print()\n")
    repo.write("staged.py", "print()\n")
    repo.git("add", "staged.py")
    assert move(repo, *CLAIM)["state"] == "done"
    assert repo.git("status", "--porcelain", "--no-renames").split("\n")[:-1] == [f"A  {ACTIVE}", f"D  {T1}", "A  staged.py", "?? app.py"]


def test_the_same_act_twice_is_no_change(repo: Repo) -> None:
    assert move(repo, *CLAIM)["reason"] == "done"
    before, times = state(repo), os.stat(repo.path / ACTIVE).st_mtime_ns
    again = move(repo, *CLAIM, env={"FCOPLINT_NOW": "2026-12-02T08:00:00Z"})
    assert (again["exit"], again["state"], again["reason"]) == (0, "nothing-to-do", "already-done")
    assert (state(repo), os.stat(repo.path / ACTIVE).st_mtime_ns) == (before, times)


def test_who_comes_second_is_told_who_was_first(repo: Repo) -> None:
    move(repo, *CLAIM)
    late = move(repo, "move", TASK, "--to", "active", "--by", "QA")
    assert (late["exit"], late["reason"]) == (1, "claimed")
    assert "claimed by DEV at 2026-12-01T08:00:00+00:00" in late["message"]


def test_a_dry_run_shows_digests_and_writes_nothing(repo: Repo) -> None:
    before = state(repo)
    plan = move(repo, *CLAIM, "--dry-run")
    assert (plan["exit"], plan["state"]) == (0, "planned")
    steps = {step["do"]: step for step in plan["plan"]["steps"]}
    assert (steps["publish"]["path"], steps["remove"]["path"]) == (ACTIVE, T1)
    assert state(repo) == before
    digest = steps["remove"]["sha256"]
    assert move(repo, *CLAIM, "--expect", digest[:-1] + "x")["reason"] == "changed"
    assert move(repo, *CLAIM, "--expect", digest)["state"] == "done"
    written = subprocess.run(["sha256sum", ACTIVE], cwd=repo.path, capture_output=True, text=True, check=True).stdout
    assert written.startswith(steps["publish"]["sha256"])


def test_a_checkout_with_crlf_is_kept_and_staged_as_the_team_has_it(repo: Repo) -> None:
    repo.write(T1, (repo.path / T1).read_bytes().replace(b"\n", b"\r\n"))
    repo.git("config", "core.autocrlf", "true")
    assert move(repo, *CLAIM)["state"] == "done"
    assert EVENT.replace("\n", "\r\n").encode() in (repo.path / ACTIVE).read_bytes()
    assert b"\r" not in repo.git("cat-file", "blob", f":{ACTIVE}").encode()


def test_a_crlf_blob_stays_one(repo: Repo) -> None:
    repo.write(T1, task_text().replace("\n", "\r\n"))
    repo.commit("crlf")
    assert move(repo, *CLAIM)["state"] == "done"
    assert (repo.path / ACTIVE).read_bytes() == repo.git("cat-file", "blob", f":{ACTIVE}").encode()
    assert (repo.path / ACTIVE).read_bytes().count(b"\r\n") == (repo.path / ACTIVE).read_bytes().count(b"\n")


def test_an_untracked_task_moves_in_the_working_tree_alone(repo: Repo) -> None:
    other = f"{INBOX}/TASK-20261001-002-PM-to-DEV.md"
    repo.write(other, task_text())
    done = move(repo, "move", "TASK-20261001-002", "--to", "active", "--by", "DEV")
    assert done["state"] == "done"
    assert any("git does not track it" in note for note in done["notes"])
    assert repo.git("diff", "--cached", "--name-only") == ""


def test_no_stage_leaves_the_index_alone(repo: Repo) -> None:
    staged = repo.git("ls-files", "-s")
    assert move(repo, *CLAIM, "--no-stage")["state"] == "done"
    assert repo.git("ls-files", "-s") == staged


def test_edits_go_along_only_when_asked_and_are_shown(repo: Repo) -> None:
    repo.write(T1, task_text().replace("\ntransitions", "\npriority: P1\ntransitions"))
    assert move(repo, *CLAIM)["reason"] == "unstaged-edits"
    done = move(repo, *CLAIM, "--include-edits")
    assert done["state"] == "done"
    assert "+priority: P1" in done["notes"]


def test_no_hook_and_no_filter_of_the_repository_is_run(repo: Repo) -> None:
    for name in ("pre-commit", "post-index-change", "reference-transaction", "fsmonitor"):
        repo.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {repo.path}/ran-{name}\n").chmod(0o755)
    repo.git("config", "core.fsmonitor", f"{repo.path}/.git/hooks/fsmonitor")
    repo.git("config", "filter.spy.clean", f"touch {repo.path}/ran-filter; cat")
    repo.write(".gitattributes", "*.md filter=spy\n")
    assert move(repo, *CLAIM)["state"] == "done"
    assert list(repo.path.glob("ran-*")) == []


def test_a_path_below_another_folder_names_the_task_too(repo: Repo) -> None:
    done = forked.run(repo.path / "fcop" / "_lifecycle", "move", f"inbox/{TASK}.md", "--to", "active", "--by", "DEV")
    assert done.code == 0, done


def test_without_git_a_move_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / INBOX).mkdir(parents=True)
    (tmp_path / "fcop" / "fcop.json").write_text(json.dumps(TEAM))
    (tmp_path / T1).write_text(task_text())
    assert outcome(forked.run(tmp_path / "fcop", *CLAIM, "--format", "json"))["state"] == "done"
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] in (
        [ACTIVE, "fcop/fcop.json"],
        ["fcop/fcop.json", ACTIVE],
    )


# What it refuses


def claimed(repo: Repo) -> None:
    assert forked.run(repo.path, *CLAIM).code == 0


def reported(repo: Repo) -> None:
    claimed(repo)
    repo.write("fcop/reports/REPORT-20261001-001-DEV-to-PM.md", REPORT)
    for stage, by in (("review", "DEV"), ("done", "PM")):
        assert forked.run(repo.path, "move", TASK, "--to", stage, "--by", by).code == 0


def a_twin(repo: Repo) -> None:
    repo.write(T1.replace("inbox", "review"), task_text())


def a_moved_file(repo: Repo) -> None:
    (repo.path / ACTIVE).parent.mkdir()
    repo.git("mv", T1, ACTIVE)


def a_link(repo: Repo) -> None:
    other = repo.write("elsewhere.md", task_text())
    (repo.path / T1).unlink()
    (repo.path / T1).symlink_to(other)


def two_names(repo: Repo) -> None:
    os.link(repo.path / T1, repo.path / "other-name.md")


def something_staged_there(repo: Repo) -> None:
    repo.write(ACTIVE, "x")
    repo.git("add", ACTIVE)
    (repo.path / ACTIVE).unlink()


def a_case_twin(repo: Repo) -> None:
    repo.write(ACTIVE.replace("-to-DEV", "-to-dev"), "x")


def a_stage_that_is_a_link(repo: Repo) -> None:
    (repo.path / "elsewhere").mkdir()
    (repo.path / ACTIVE).parent.symlink_to(repo.path / "elsewhere")


def a_held_index(repo: Repo) -> None:
    repo.write(".git/index.lock", "")


def a_merge(repo: Repo) -> None:
    repo.write(".git/MERGE_HEAD", repo.git("rev-parse", "HEAD"))


def a_bisection(repo: Repo) -> None:
    repo.write(".git/BISECT_LOG", "")


def a_runtime(repo: Repo) -> None:
    repo.write(".codeflowmu/runtime.lock", json.dumps({"pid": ME}))


def a_dead_runtime(repo: Repo) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    repo.write(".codeflowmu/runtime.lock", json.dumps({"pid": process.pid}))


def a_runtime_elsewhere(repo: Repo) -> None:
    repo.write(".codeflowmu/runtime.lock", json.dumps({"pid": 1, "hostname": "another-machine"}))


def a_dead_writer(repo: Repo) -> None:
    a_writer(repo, os.uname().nodename)


def a_writer_elsewhere(repo: Repo) -> None:
    a_writer(repo, "another-machine")


def a_writer(repo: Repo, host: str) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    record = {"pid": process.pid, "host": host, "at": "2026-12-01T08:00:00Z", "plan": {"command": "move", "subject": TASK}}
    repo.write(".git/fcoplint/writer.lock", json.dumps(record))


def staged_and_edited(repo: Repo) -> None:
    repo.write(T1, task_text().replace("form", "page"))
    repo.git("add", T1)
    repo.write(T1, task_text().replace("form", "mask"))


def assumed_unchanged(repo: Repo) -> None:
    repo.git("update-index", "--assume-unchanged", T1)


def left_out_of_the_checkout(repo: Repo) -> None:
    repo.git("update-index", "--skip-worktree", T1)


def only_announced(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", T1)
    repo.git("commit", "-q", "-m", "out")
    repo.git("add", "-N", T1)


def in_conflict(repo: Repo) -> None:
    oid = repo.git("rev-parse", f"HEAD:{T1}").strip()
    lines = f"0 {'0' * 40}\t{T1}\n" + "".join(f"100644 {oid} {stage}\t{T1}\n" for stage in (1, 2, 3))
    subprocess.run(["git", "update-index", "--index-info"], cwd=repo.path, input=lines, text=True, check=True)


def a_v4_workspace(repo: Repo) -> None:
    repo.write("fcop/fcop.json", json.dumps({"protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:" + "0" * 32}))
    repo.commit("v4")


def two_layouts(repo: Repo) -> None:
    repo.add_team("docs/agents")
    repo.commit("two")


def a_wrong_name(repo: Repo) -> None:
    repo.write(T1, task_text(sender="QA"))
    repo.commit("wrong")


def nothing(repo: Repo) -> None:
    """The repository as it is."""


REFUSED: list[tuple[str, Callable[[Repo], None], tuple[str, ...], int, str]] = [
    ("two layouts", two_layouts, ("move", T1, *CLAIM[2:]), 1, "ambiguous-root"),
    ("v4", a_v4_workspace, CLAIM, 1, "v4"),
    ("unknown task", nothing, ("move", "TASK-20261001-009", "--to", "active", "--by", "DEV"), 2, "no-such-task"),
    ("two copies", a_twin, CLAIM, 1, "twins"),
    ("name and text differ", a_wrong_name, CLAIM, 1, "unsound-task"),
    ("moved by hand", a_moved_file, ("move", TASK, "--to", "review", "--by", "DEV"), 1, "path-disagrees"),
    ("no such edge", nothing, ("move", TASK, "--to", "done", "--by", "DEV"), 1, "no-edge"),
    ("another tool", nothing, (*CLAIM, "--tool", "submit_task"), 1, "no-edge"),
    ("archive is the end", reported, ("move", TASK, "--to", "inbox", "--by", "PM"), 1, "no-edge"),
    ("no role", nothing, (*CLAIM[:-1], "NOBODY"), 1, "no-role"),
    ("the tool's own name", nothing, (*CLAIM[:-1], "agent"), 1, "no-role"),
    ("another role claims", nothing, (*CLAIM[:-1], "QA"), 1, "forbidden"),
    ("approves its own work", claimed, ("move", TASK, "--to", "done", "--by", "DEV"), 1, "forbidden"),
    ("archives its own work", reported, ("move", TASK, "--to", "archive", "--by", "DEV"), 1, "forbidden"),
    ("source is a link", a_link, CLAIM, 1, "no-file"),
    ("source has two names", two_names, CLAIM, 1, "hard-linked"),
    ("staged at the destination", something_staged_there, CLAIM, 1, "staged-there"),
    ("case twin", a_case_twin, CLAIM, 1, "unsound-task"),
    ("stage is a link", a_stage_that_is_a_link, CLAIM, 1, "no-folder"),
    ("index held", a_held_index, CLAIM, 1, "index-locked"),
    ("merge under way", a_merge, CLAIM, 1, "git-under-way"),
    ("bisection under way", a_bisection, CLAIM, 1, "git-under-way"),
    ("runtime at work", a_runtime, CLAIM, 1, "held"),
    ("runtime died", a_dead_runtime, CLAIM, 1, "recovery-needed"),
    ("runtime on another machine", a_runtime_elsewhere, CLAIM, 3, "unknown-holder"),
    ("writer died", a_dead_writer, CLAIM, 1, "recovery-needed"),
    ("writer on another machine", a_writer_elsewhere, CLAIM, 3, "unknown-holder"),
    ("staged and edited", staged_and_edited, CLAIM, 1, "partly-staged"),
    ("assume-unchanged", assumed_unchanged, CLAIM, 1, "hidden-from-git"),
    ("skip-worktree", left_out_of_the_checkout, CLAIM, 1, "hidden-from-git"),
    ("only announced", only_announced, CLAIM, 1, "only-announced"),
    ("in conflict", in_conflict, CLAIM, 1, "unmerged"),
]


@pytest.mark.parametrize(("build", "args", "code", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_refusal_says_why_and_writes_nothing(
    repo: Repo, build: Callable[[Repo], None], args: tuple[str, ...], code: int, reason: str
) -> None:
    build(repo)
    before = state(repo)
    done = move(repo, *args)
    assert (done["exit"], done["reason"]) == (code, reason), done
    assert done["message"]
    assert state(repo) == before


def test_in_a_hook_nothing_moves(repo: Repo) -> None:
    done = move(repo, *CLAIM, env={"GIT_INDEX_FILE": str(repo.path / ".git" / "index")})
    assert (done["exit"], done["reason"]) == (1, "in-a-hook")
    assert (repo.path / T1).exists()


def test_a_refusal_in_text_teaches(repo: Repo) -> None:
    done = forked.run(repo.path, *CLAIM[:-1], "QA")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("refused: FC405: `QA` claimed a TASK that is addressed to `DEV`.\n")
    assert "\n  next: fcoplint explain FC405\n" in done.err


def test_wrong_usage_ends_with_two(repo: Repo) -> None:
    assert forked.run(repo.path, "move", TASK, "--to", "nowhere", "--by", "DEV").code == 2
    assert forked.run(repo.path, "move", TASK).code == 2


def test_after_a_whole_life_the_check_finds_no_fault(repo: Repo) -> None:
    reported(repo)
    assert forked.run(repo.path, "move", TASK, "--to", "archive", "--by", "PM").code == 0
    repo.git("add", "-A")
    assert faults(repo) == []
