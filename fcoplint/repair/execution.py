"""Carries out a plan under the lock, step by step; the first step is the commit point (design.md 10)."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcoplint import atomic
from fcoplint.outcome import Outcome, Plan, Publish, Refusal, Remove, RemoveFolder, Rename, Rewrite, State, Step
from fcoplint.repair import journal, troubles
from fcoplint.repair.staging import stage
from fcoplint.source import git
from fcoplint.source.machine import Machine

_SIGNALS = frozenset(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
# Another program may hold a file for a moment (a virus scanner, an editor): so often, so many seconds apart.
TRIES, PAUSE = 5, 0.4
_HELD = (errno.EACCES, errno.EPERM, errno.EBUSY)
_RECOVER = ("fcoplint", "recover", "--apply")


@dataclass(frozen=True, slots=True)
class Site:
    """Where plans are carried out: this machine, the repository if there is one, and the lock's path."""

    machine: Machine
    repository: git.Repository | None
    lock: str


def execute(plan: Plan, site: Site) -> Outcome:
    """Do what a plan says, all of it or, before its first step is done, nothing. Never raises OSError or GitError."""
    with _undisturbed():
        try:
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            refused = journal.acquire(site.machine, site.lock, plan, now, lambda: _not_as_planned(plan))
        except OSError as error:
            refused = troubles.refusal(error, site.lock)
        if refused:
            return refused.outcome(plan.command, plan)
        outcome, is_whole = _perform(plan, site)
        if not is_whole:
            # What is left can best be told from the plan: the lock stays, and recovery reads it.
            return outcome
        left = journal.release(site.lock)
        return _with_pending(outcome, left)


def _perform(plan: Plan, site: Site) -> tuple[Outcome, bool]:
    """What became of the plan, and whether nothing of it is left to do."""
    moved = _not_as_planned(plan)
    if moved:
        return moved.outcome(plan.command, plan), True
    if signal.sigpending() & _SIGNALS if hasattr(signal, "sigpending") else False:
        return Refusal("interrupted", "interrupted before anything was changed").outcome(plan.command, plan), True
    pending: list[atomic.Pending] = []
    for number, step in enumerate(plan.steps):
        try:
            pending += _do(plan.root, step)
        except OSError as error:
            if number == 0:
                return _lost_or_refused(error, plan, step).outcome(plan.command, plan), True
            halted = _halted(plan, step, error, pending)
            return halted, halted.state is not State.PENDING
    unstaged, left = _stage(plan, site)
    outcome = Outcome(plan.command, State.DONE, "done", plan.summary, plan=plan, notes=plan.notes)
    return _with_pending(outcome, (*pending, *unstaged, *left)), not unstaged


def _not_as_planned(plan: Plan) -> Refusal | None:
    """Whether something is no longer what it was when the plan was made: compare, then move."""
    given = next((path for path in plan.reserved if _is_begun(os.path.join(plan.root, path))), None)
    if given:
        return Refusal("taken", "the number was given to another envelope in the meantime; nothing has changed", (given,))
    for step in plan.steps:
        path = os.path.join(plan.root, step.path)
        if isinstance(step, Publish) and os.path.lexists(path):
            return _lost(step)
        if isinstance(step, Rewrite | Remove):
            try:
                if atomic.digest_of(path) != step.expected:
                    return _lost(step)
            except FileNotFoundError:
                return _lost(step)
            except OSError as error:
                return troubles.refusal(error, step.path)
    return None


def _is_begun(start: str) -> bool:
    """Whether the name of anything in a folder begins so."""
    folder, name = os.path.split(start)
    try:
        return any(found.startswith(name) for found in os.listdir(folder))
    except OSError:
        return False


def _lost(step: Step) -> Refusal:
    if isinstance(step, Publish | Rename):
        return Refusal("taken", f"something stands at {step.path} already; nothing has changed", (step.path,))
    message = f"{step.path} is not what it was when this was planned; somebody else was faster, nothing has changed"
    return Refusal("changed", message, (step.path,))


def _lost_or_refused(error: OSError, plan: Plan, step: Step) -> Refusal:
    if isinstance(error, FileExistsError | atomic.ChangedError) or (error.errno == errno.ENOENT and isinstance(step, Remove | Rewrite)):
        return _lost(step)
    return troubles.refusal(error, os.path.join(plan.root, step.path))


def _do(root: str, step: Step) -> tuple[atomic.Pending, ...]:
    path = os.path.join(root, step.path)
    match step:
        case Publish():
            atomic.make_folder(os.path.dirname(path))
            return atomic.publish(path, step.data, step.mode)
        case Rewrite():
            return atomic.replace_if(path, step.data, step.expected)
        case Remove():
            return _remove(path, step.expected)
        case Rename():
            return atomic.rename_folder(path, os.path.join(root, step.target))
        case RemoveFolder():
            return atomic.remove_folder(path)


def _remove(path: str, expected: str) -> tuple[atomic.Pending, ...]:
    for attempt in range(TRIES):
        try:
            return atomic.remove_if(path, expected)
        except OSError as error:
            if error.errno not in _HELD or attempt == TRIES - 1:
                raise
        time.sleep(PAUSE)
    raise AssertionError("the loop ends by a return or a raise")


def _halted(plan: Plan, step: Step, error: OSError, pending: list[atomic.Pending]) -> Outcome:
    """What became of a plan whose first step is done and whose further step the system, or somebody else, prevented."""
    first = plan.steps[0]
    changed = isinstance(error, atomic.ChangedError) or error.errno == errno.ENOENT
    if changed and isinstance(step, Remove) and isinstance(first, Publish) and _took_back(plan.root, first):
        return _lost(step).outcome(plan.command, plan)
    why = "it was changed in the meantime" if changed else troubles.explain(error)[1]
    return _pending(plan, (*pending, atomic.Pending(step.path, f"{why}; what was to come after it is not done")))


def _took_back(root: str, step: Publish) -> bool:
    """Take back what was just published, because its source was edited meanwhile: so nothing has changed."""
    try:
        atomic.remove_if(os.path.join(root, step.path), atomic.digest(step.data))
    except OSError:
        return False
    return True


def _stage(plan: Plan, site: Site) -> tuple[tuple[atomic.Pending, ...], tuple[atomic.Pending, ...]]:
    """(what could not be staged, what that left to clean up)."""
    if not plan.staged or site.repository is None:
        return (), ()
    for attempt in range(TRIES):
        try:
            return (), stage(site.repository, plan.staged)
        except FileExistsError:
            why = "another git command holds the index"
            if attempt < TRIES - 1:
                time.sleep(PAUSE)
        except git.GitError as error:
            why = error.advice
            break
        except OSError as error:
            why = troubles.explain(error)[1]
            break
    return tuple(atomic.Pending(path, f"not staged: {why}") for path in sorted(plan.staged)), ()


def _with_pending(outcome: Outcome, pending: tuple[atomic.Pending, ...]) -> Outcome:
    if not pending:
        return outcome
    if outcome.state in (State.DONE, State.PENDING) and outcome.plan:
        return _pending(outcome.plan, (*outcome.pending, *pending))
    left = tuple(f"{item.path}: {item.why}" for item in pending)
    return replace(outcome, evidence=(*outcome.evidence, *left))


def _pending(plan: Plan, pending: tuple[atomic.Pending, ...]) -> Outcome:
    message = f"{plan.summary}: that is done, and clean-up is pending"
    evidence = tuple(f"{item.path}: {item.why}" for item in pending)
    return Outcome(plan.command, State.PENDING, "clean-up-pending", message, evidence, _RECOVER, plan, pending, plan.notes)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep Ctrl-C and its kin waiting, for git's processes too, until the work is whole; then they have come too late."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        while waiting := signal.sigpending() & (_SIGNALS - old):
            signal.sigwait(waiting)
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
