"""The lock that one writer at a time holds, and that tells whoever finds it what its holder was about to do (roots.md 5d)."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fcoplint import atomic
from fcoplint.outcome import Plan, Refusal, State
from fcoplint.protocol.times import parse_time
from fcoplint.source import git
from fcoplint.source.machine import Machine

_IN_GIT = os.path.join("fcoplint", "writer.lock")
WITHOUT_GIT = ".fcop-writer.lock"
# How long to wait for another writer, and how often to look, in seconds. A move takes some milliseconds.
PATIENCE, PAUSE = 20.0, 0.005
# A number may be given to a new process; clocks may differ by this much, in seconds.
_CLOCK_SLACK = 5.0


@dataclass(frozen=True, slots=True)
class Record:
    """A lock that stands there: who wrote it, what it was to do, and whether that process still runs (None: nobody can tell)."""

    path: str
    pid: int | None
    host: str
    at: str
    plan: Mapping[str, Any]
    alive: bool | None

    def __str__(self) -> str:
        doing = f"{self.plan.get('command', 'a command')} {self.plan.get('subject', '')}".strip()
        return f"{doing} by process {self.pid} on {self.host}, since {self.at}"


def lock_path(repository: git.Repository | None, project: str) -> str:
    """Where the lock stands: in the git directory that all working trees share; without git in the project's folder (absolute)."""
    return os.path.join(git.common_dir(repository), _IN_GIT) if repository else os.path.join(project, WITHOUT_GIT)


def acquire(machine: Machine, path: str, plan: Plan, now: str, overtaken: Callable[[], Refusal | None]) -> Refusal | None:
    """Take the lock, waiting a while for another writer; None, or why it cannot be had. Raises OSError.

    Whoever is overtaken by the one that he waits for need not have the lock to know it.
    """
    atomic.make_folder(os.path.dirname(path))
    record = {"pid": os.getpid(), "host": machine.host, "at": now, "plan": plan.describe()}
    content = json.dumps(record, indent=1).encode()
    until = time.monotonic() + PATIENCE
    while True:
        if not os.path.lexists(path):
            with contextlib.suppress(FileExistsError):
                atomic.publish(path, content, 0o600)
                return None
        lost = overtaken()
        if lost:
            return lost
        found = read(machine, path)
        if found is not None and (found.pid, found.host) == (os.getpid(), machine.host):
            # This very process could not give it back; it is free to go on.
            return None
        if found is not None and found.alive is not True:
            return refuse(found)
        if time.monotonic() > until:
            holder = f" ({found})" if found else ""
            return Refusal("busy", f"another writer is at work{holder}", next=("fcoplint", "recover"))
        time.sleep(PAUSE)


def wait(machine: Machine, paths: Iterable[str]) -> bool:
    """Wait until no writer that runs holds one of the locks, but not for ever; whether there was one."""
    until = time.monotonic() + PATIENCE
    waited = False
    while any((found := read(machine, path)) and found.alive for path in paths) and time.monotonic() < until:
        waited = True
        time.sleep(PAUSE)
    return waited


def release(path: str) -> tuple[atomic.Pending, ...]:
    """Give the lock back."""
    try:
        return atomic.remove(path)
    except OSError as error:
        return (atomic.Pending(path, f"the lock could not be removed: {error.strerror or error}"),)


def read(machine: Machine, path: str) -> Record | None:
    """The lock that stands at a path, None where there is none."""
    content = _content(path)
    while content is not None:
        record = _parse(machine, path, content)
        # Its holder may have ended its work, and itself, since the lock was read: then it is another one's, or nobody's.
        again = _content(path) if record.alive is False else content
        if again == content:
            return record
        content = again
    return None


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError:
        return b""


def _parse(machine: Machine, path: str, content: bytes) -> Record:
    try:
        said = json.loads(content)
    except ValueError:
        said = {}
    said = said if isinstance(said, dict) else {}
    pid, host, at, plan = (said.get(key) for key in ("pid", "host", "at", "plan"))
    pid = pid if isinstance(pid, int) else None
    alive = is_alive(machine, pid, str(host), str(at)) if pid else None
    return Record(path, pid, str(host), str(at), plan if isinstance(plan, dict) else {}, alive)


def is_alive(machine: Machine, pid: int, host: str, at: str) -> bool | None:
    """Whether the process that wrote something at a time still runs; None where nobody can tell, as for another machine."""
    if host != machine.host:
        return None
    alive, began, written = machine.is_alive(pid), machine.started(pid), parse_time(at)
    if alive and began and written and (began - written.moment).total_seconds() > _CLOCK_SLACK:
        return False
    return alive


def refuse(found: Record) -> Refusal:
    """The refusal because of a lock whose holder does not run, or cannot be asked."""
    evidence = (f"{found.path}: {found}",)
    if found.alive is False:
        message = "an earlier command was interrupted here; what it left must be put right first"
        return Refusal("recovery-needed", message, evidence, ("fcoplint", "recover", "--apply"))
    message = "a lock stands here, and whether its holder still runs cannot be told from this machine; ask there"
    return Refusal("unknown-holder", message, evidence, ("fcoplint", "recover"), State.UNDECIDED)
