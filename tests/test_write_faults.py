"""Every system call of a write that changes something, made to fail and to kill: nothing changed, or recovery completes it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fcoplint import atomic
from tests.support.repository import INBOX, Repo, task_text
from tests.support.strace import Fault, Point, Stage

TASK = "TASK-20261001-001-PM-to-DEV"
CLAIM = ("move", TASK, "--to", "active", "--by", "DEV")
WAYS = {"fail": "error=EIO", "kill": "signal=KILL"}


class World(NamedTuple):
    """All that a user would lose: the files of the working tree, git's index, and what must not be left."""

    files: dict[str, bytes]
    staged: str
    leftovers: list[str]


def look(folder: Path) -> World:
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }
    left = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.startswith(".fcop-") or path.suffix == ".lock"]
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return World({path: data for path, data in files.items() if path not in left}, listed, left)


def a_team(repo: Repo) -> None:
    repo.add_team()
    repo.commit("start")


def a_team_in_docs(repo: Repo) -> None:
    repo.add_team("docs/agents")
    repo.commit("start")


def an_inner_team(repo: Repo) -> None:
    repo.add_team("fcop/fcop")
    repo.commit("start")


def a_copy_left_behind(repo: Repo) -> None:
    a_team(repo)
    assert repo.run(*CLAIM).code == 0
    repo.write(f"{INBOX}/{TASK}.md", task_text())
    # A process that nobody has: what it left is for recovery to take away.
    repo.write(f"{INBOX}/.fcop-{TASK}.md.{atomic.host_mark()}-{gone()}-0123456789abcdef.tmp", "half")


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def a_wrong_priority(repo: Repo) -> None:
    a_team(repo)
    repo.write(f"{INBOX}/TASK-20261001-002-PM-to-DEV.md", task_text(priority="high"))
    repo.git("add", "-A")


def a_report_in_a_stage(repo: Repo) -> None:
    a_team(repo)
    text = f"---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences: [{TASK}]\nstatus: in_progress\n---\n"
    repo.write(f"{INBOX}/REPORT-20261001-001-DEV-to-PM.md", text)
    repo.git("add", "-A")


def moved_by_hand(repo: Repo) -> None:
    a_team(repo)
    (repo.path / "fcop/_lifecycle/active").mkdir()
    repo.git("mv", f"{INBOX}/{TASK}.md", "fcop/_lifecycle/active/")


COMMANDS: dict[str, tuple[Callable[[Repo], None], tuple[str, ...]]] = {
    "move": (a_team, CLAIM),
    "new": (a_team, ("new", "task", "--by", "PM", "--to", "QA", "--subject", "Try it")),
    "recover": (a_copy_left_behind, ("recover", "--apply")),
    "fix": (a_wrong_priority, ("fix",)),
    "fix by a move": (a_report_in_a_stage, ("fix", "--unsafe")),
    "repair by recording": (moved_by_hand, ("repair", TASK, "--record", "--by", "DEV")),
    "repair by returning": (moved_by_hand, ("repair", TASK, "--return", "--by", "PM")),
    "relocate": (a_team_in_docs, ("relocate", "--to", "fcop")),
    "relocate an inner one": (an_inner_team, ("relocate", "--to", "fcop")),
}


@pytest.mark.skipif(shutil.which("strace") is None and not os.environ.get("FCOPLINT_REQUIRE_SHARED"), reason="strace is not installed")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_write_survives_every_call(
    name: str, way: str, make_repo: Callable[..., Repo], quick_path: Path, record_property: Callable[[str, object], None]
) -> None:
    build, args = COMMANDS[name]
    repo = make_repo("template")
    build(repo)
    # Fewer files to copy each time.
    shutil.rmtree(repo.path / ".git" / "hooks")
    scratch = quick_path / "scratch"
    scratch.mkdir()
    stage = Stage(repo.path, scratch)
    before = look(stage.fresh())
    points = stage.points(*args)
    after = look(scratch / "world")
    assert after.files != before.files
    assert after.leftovers == []
    tried = 0
    for point in points:
        world = stage.fresh()
        done = stage.run(world, *args, fault=Fault(point, WAYS[way]))
        hold_what_was_written(look(world), before, after, point)
        if done.code == 1:
            assert look(world).files == before.files, (point, done)
        assert done.code in ((0, 1, 4) if way == "fail" or point.git else (-9,)), (point, done)
        recovered = stage.run(world, "recover", "--apply")
        assert recovered.code == 0, (point, done, recovered)
        assert look(world) in (before, after), (point, done, recovered)
        tried += 1
    assert tried >= len(points) > 10
    record_property("figure", f"{name}, each made to {way}: {len(points)} changing calls counted by strace, {tried} tried")


def hold_what_was_written(now: World, before: World, after: World, point: Point) -> None:
    """Nobody who reads sees half a file, and no byte of any envelope is lost: each stands there whole, as it was or as it is to be."""
    assert set(now.files.values()) <= {*before.files.values(), *after.files.values()}, point
    for path, data in before.files.items():
        name = path.rpartition("/")[2]
        becomes = {data, *(new for other, new in after.files.items() if other.rpartition("/")[2] == name)}
        assert becomes & set(now.files.values()), (point, path)
