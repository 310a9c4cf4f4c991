"""Runs the command line under strace: counts the system calls that change something, and makes each of them fail or kill.

Our own process is forked from this one, so that nothing is imported anew, and strace is attached to it before it begins. git's
processes are started by a script on PATH that puts strace before the one in question.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.support import forked
from tests.support.repository import Ran

# Calls that change the file system or, by way of it, git's index.
CHANGING = (
    "open,openat,creat,write,pwrite64,writev,fsync,fdatasync,ftruncate,link,linkat,symlink,symlinkat,unlink,unlinkat,rename,"
    "renameat,renameat2,mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat,utimensat"
)
_BY_FILE = frozenset({"write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fchmod"})
_LINE = re.compile(r"(?P<call>\w+)\((?P<rest>.*)")
_GIT = """#!/bin/sh
read -r n < "$FAULT_SCRATCH/count"
n=$((n + 1))
echo "$n" > "$FAULT_SCRATCH/count"
if [ "$FAULT_GIT" = all ]; then exec strace -y -qq -o "$FAULT_SCRATCH/git.$n" -e "trace=$FAULT_CALLS" "$REAL_GIT" "$@"; fi
if [ "$FAULT_GIT" = "$n" ]; then exec strace -qq -o /dev/null -e "trace=$FAULT_CALLS" -e "inject=$FAULT_INJECT" "$REAL_GIT" "$@"; fi
exec "$REAL_GIT" "$@"
"""


class Point(NamedTuple):
    """One call: of our own process (git 0) or of the n-th git, the n-th of its name there."""

    git: int
    call: str
    number: int
    line: str


class Fault(NamedTuple):
    """What happens at a point: strace's words, `error=EIO` or `signal=KILL`; `then` is "+" where it goes on happening."""

    point: Point
    what: str
    then: str = ""


@dataclass(frozen=True)
class Stage:
    """A world to run commands in: a template folder, and a scratch folder outside of it."""

    template: Path
    scratch: Path

    def fresh(self) -> Path:
        """A new copy of the world."""
        world = self.scratch / "world"
        shutil.rmtree(world, ignore_errors=True)
        shutil.copytree(self.template, world, symlinks=True)
        return world

    def run(self, world: Path, *args: str, fault: Fault | None = None) -> Ran:
        """Run fcoplint in a world, with a fault or without one."""
        if fault is None:
            return forked.run(world, *args)
        if fault.point.git:
            return forked.run(world, *args, env=self._git_by_script(str(fault.point.git), fault))
        return _traced(world, args, {}, ["-o", os.devnull, "-e", f"trace={fault.point.call}", "-e", _inject(fault)])

    def points(self, *args: str) -> list[Point]:
        """The changing calls of one unharmed run, in the order of processes; and that it ended well."""
        world, log = self.fresh(), self.scratch / "own"
        done = _traced(world, args, self._git_by_script("all", None), ["-y", "-o", str(log), "-e", f"trace={CHANGING}"])
        assert done.code == 0, done
        found = list(_changing(0, log.read_text("utf-8", "replace"), world))
        for number in range(1, int((self.scratch / "count").read_text()) + 1):
            found += _changing(number, (self.scratch / f"git.{number}").read_text("utf-8", "replace"), world)
        return found

    def _git_by_script(self, which: str, fault: Fault | None) -> dict[str, str]:
        folder = self.scratch / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / "git"
        if not script.exists():
            script.write_text(_GIT)
            script.chmod(0o755)
        (self.scratch / "count").write_text("0\n")
        real = shutil.which("git")
        assert real
        return {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "REAL_GIT": real,
            "FAULT_SCRATCH": str(self.scratch),
            "FAULT_GIT": which,
            "FAULT_CALLS": fault.point.call if fault else CHANGING,
            "FAULT_INJECT": _inject(fault).removeprefix("inject=") if fault else "",
        }


def _traced(world: Path, args: tuple[str, ...], env: dict[str, str], options: list[str]) -> Ran:
    tracers: list[subprocess.Popen[bytes]] = []
    done = forked.run(world, *args, env=env, before=lambda pid: tracers.append(_attach(pid, options)))
    for tracer in tracers:
        tracer.communicate()
    return done


def _attach(pid: int, options: list[str]) -> subprocess.Popen[bytes]:
    tracer = subprocess.Popen(["strace", "-p", str(pid), *options], stderr=subprocess.PIPE)
    assert tracer.stderr
    said = tracer.stderr.readline()
    if b"attached" not in said:
        os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"strace cannot trace here: {said.decode()}")
    return tracer


def _inject(fault: Fault) -> str:
    return f"inject={fault.point.call}:{fault.what}:when={fault.point.number}{fault.then}"


def _changing(git: int, log: str, world: Path) -> list[Point]:
    """The calls of a log that change something in the world; each numbered among all of its name."""
    counts: dict[str, int] = {}
    found = []
    for line in log.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        call = match["call"]
        counts[call] = counts.get(call, 0) + 1
        if _is_change(call, match["rest"]) and _is_inside(call, match["rest"], str(world)):
            found.append(Point(git, call, counts[call], line))
    return found


def _is_change(call: str, rest: str) -> bool:
    if call in ("open", "openat"):
        return any(flag in rest for flag in ("O_CREAT", "O_TRUNC", "O_WRONLY", "O_RDWR"))
    return True


def _is_inside(call: str, rest: str, world: str) -> bool:
    """Whether a call speaks of something in the world: by an open file of it, an absolute path, or one from where all are run."""
    if call in _BY_FILE:
        return re.match(rf"\d+<{re.escape(world)}", rest) is not None
    return any(path.startswith((world, ".")) or not path.startswith("/") for path in re.findall(r'"([^"]*)"', rest))
