"""A disk that is full, read-only, another one, or cannot link: each has its own message, and the TASK is where it was.

Where this user may mount, the disks are real; what cannot be had is put into the system call by strace.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.repository import INBOX, T1, TEAM, Ran, task_text
from tests.support.strace import Fault, Point, Stage

CLAIM = ("move", "TASK-20261001-001-PM-to-DEV", "--to", "active", "--by", "DEV", "--format", "json")
ACTIVE = T1.replace("inbox", "active")
needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None and not os.environ.get("FCOPLINT_REQUIRE_SHARED"), reason="strace is not installed"
)


def build(root: Path) -> Path:
    for stage in ("inbox", "active"):
        (root / "fcop" / "_lifecycle" / stage).mkdir(parents=True)
    (root / "fcop" / "fcop.json").write_text(json.dumps(TEAM))
    (root / T1).write_text(task_text())
    return root


def outcome(done: Ran) -> dict[str, Any]:
    (only,) = json.loads(done.out)["outcomes"]
    found: dict[str, Any] = only
    return found


def hold_unchanged(root: Path) -> None:
    assert (root / T1).read_text() == task_text()
    assert not (root / ACTIVE).exists()
    assert [path.name for path in root.rglob(".fcop-*")] == []


@contextlib.contextmanager
def disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of its own at a folder; the test is skipped where nobody may mount one (the injected ones run all the same)."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "fcoplint", str(folder)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"this user may not mount: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(tmp_path: Path) -> None:
    with disk(tmp_path, "96k"):
        root = build(tmp_path)
        with contextlib.suppress(OSError), open(root / "filler", "wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        done = outcome(forked.run(root, *CLAIM))
        assert (done["exit"], done["reason"]) == (1, "no-space")
        assert "nothing has changed: the disk is full" in done["message"]
        hold_unchanged(root)


def test_a_read_only_disk(tmp_path: Path) -> None:
    with disk(tmp_path, "1m"):
        root = build(tmp_path)
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
        done = outcome(forked.run(root, *CLAIM))
        assert (done["exit"], done["reason"]) == (1, "read-only")
        hold_unchanged(root)


def test_another_disk(tmp_path: Path) -> None:
    root = build(tmp_path)
    with disk(root / "fcop" / "_lifecycle" / "active", "1m"):
        done = outcome(forked.run(root, *CLAIM))
        assert (done["exit"], done["reason"]) == (1, "other-device")
        hold_unchanged(root)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    build(tmp_path / "template")
    (tmp_path / "scratch").mkdir()
    return Stage(tmp_path / "template", tmp_path / "scratch")


def find(points: list[Point], calls: tuple[str, ...], text: str) -> Point:
    return next(point for point in points if point.call in calls and text in point.line)


OPENS, LINKS, UNLINKS = ("open", "openat"), ("link", "linkat"), ("unlink", "unlinkat")
TEMPORARY = "/active/.fcop-"
INJECTED: list[tuple[tuple[str, ...], str, str, str]] = [
    (("write",), TEMPORARY, "ENOSPC", "no-space"),
    (("write",), TEMPORARY, "EDQUOT", "no-quota"),
    (("fsync",), TEMPORARY, "EIO", "disk-error"),
    (OPENS, TEMPORARY, "EACCES", "no-permission"),
    (OPENS, TEMPORARY, "EROFS", "read-only"),
    (OPENS, TEMPORARY, "EPERM", "not-permitted"),
    (LINKS, TEMPORARY, "EXDEV", "other-device"),
    (LINKS, TEMPORARY, "EPERM", "no-links"),
    (LINKS, TEMPORARY, "EOPNOTSUPP", "no-links"),
    (LINKS, TEMPORARY, "EMLINK", "no-links"),
    (OPENS, ".fcop-writer.lock", "ENOSPC", "no-space"),
]


@needs_strace
def test_each_trouble_has_its_own_message(stage: Stage, record_property: Callable[[str, object], None]) -> None:
    points = stage.points(*CLAIM)
    said: dict[str, set[str]] = {}
    for calls, text, errno, reason in INJECTED:
        world = stage.fresh()
        done = outcome(stage.run(world, *CLAIM, fault=Fault(find(points, calls, text), f"error={errno}")))
        assert (done["exit"], done["reason"]) == (1, reason), (errno, done)
        assert done["message"].startswith("nothing has changed: ")
        assert done["evidence"]
        hold_unchanged(world)
        said.setdefault(reason, set()).add(done["message"].partition(" (")[0])
    assert all(len(messages) == 1 for messages in said.values())
    assert len(set.union(*said.values())) == len(said)
    record_property("figure", f"disks: {len(INJECTED)} errors put into system calls, {len(said)} messages of their own")


@needs_strace
@pytest.mark.parametrize("errno", ["EBUSY", "EACCES"])
def test_a_source_that_somebody_holds_for_a_moment_goes_in_the_end(stage: Stage, errno: str) -> None:
    point = find(stage.points(*CLAIM), UNLINKS, f"/{T1}")
    done = outcome(stage.run(stage.fresh(), *CLAIM, fault=Fault(point, f"error={errno}")))
    assert (done["exit"], done["state"]) == (0, "done")


@needs_strace
def test_a_source_that_somebody_keeps_holding_is_named_and_recovered(stage: Stage) -> None:
    point = find(stage.points(*CLAIM), UNLINKS, f"/{T1}")
    world = stage.fresh()
    for_ever = Point(0, point.call, point.number, point.line)
    done = outcome(stage.run(world, *CLAIM, fault=Fault(for_ever, "error=EBUSY", "+")))
    assert (done["exit"], done["state"]) == (4, "clean-up-pending")
    assert done["pending"][0]["path"] == T1
    assert done["next"] == ["fcoplint", "recover", "--apply"]
    assert forked.run(world, "recover", "--apply").code == 0
    assert not (world / T1).exists()
    assert (world / ACTIVE).exists()
    assert sorted(path.name for path in (world / INBOX).iterdir()) == []
