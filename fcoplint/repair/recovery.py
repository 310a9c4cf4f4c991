"""What an interrupted or a lost write left behind, and how it is completed (roots.md 5d, the table of situations).

It is told from what stands on the disk and in git's index; the lock of a dead writer only adds what it was about to do. What is
recoverable has a plan. What is not is shown and never decided.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from fcoplint import atomic
from fcoplint.model.comparison import Comparison
from fcoplint.model.document import Document
from fcoplint.model.envelope import Task
from fcoplint.model.nodes import as_plain
from fcoplint.model.workspace import Workspace
from fcoplint.outcome import Blob, Outcome, Plan, Refusal, Remove, RemoveFolder, Rename, Staging, State, Step
from fcoplint.protocol.places import is_temporary
from fcoplint.repair import conditions, journal, troubles
from fcoplint.repair.appending import append_event
from fcoplint.repair.execution import Site, execute
from fcoplint.repair.relocation import restage
from fcoplint.repair.scene import Scene, blob_id
from fcoplint.repair.staging import as_committed
from fcoplint.repair.transition import describe_event
from fcoplint.source import git
from fcoplint.source.snapshot import Unreadable
from fcoplint.source.worktree import read_file

COMMAND = "recover"
_APPLY = ("fcoplint", "recover", "--apply")
# A number may be given to a new process; clocks may differ by this much, in seconds.
_CLOCK_SLACK = 5.0
# How much of two divergent copies is shown.
_MOST_LINES, _WIDTH = 40, 60
_INDEX_TEMPORARY = re.compile(r"(\.fcop-index\..*\.tmp)(?:\.lock)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was left: what it is about, what it is, what it rests on; `plan` completes it, where that is certain.

    `record` is the lock of the command that was interrupted, where it is told from that.
    """

    subject: str
    reason: str
    message: str
    evidence: tuple[str, ...]
    plan: Plan | None
    next: tuple[str, ...] = ()
    record: journal.Record | None = None

    @property
    def outcome(self) -> Outcome:
        """The case before anything is done about it."""
        if self.plan is None:
            return Outcome(COMMAND, State.UNDECIDED, self.reason, self.message, self.evidence, self.next)
        return Outcome(COMMAND, State.PENDING, self.reason, self.message, self.evidence, _APPLY, self.plan, notes=self.plan.notes)


def recover(scene: Scene, environ: Mapping[str, str], *, apply: bool) -> list[Outcome]:
    """Tell what was left behind; with `apply` complete what can be. May raise GitError while it looks."""
    if all(workspace.version >= 4 for workspace in scene.state) and list(scene.state):
        refused = conditions.refuse_version(4, "recover_operation")
        return [refused.outcome(COMMAND)] if refused else []
    locks = list(_locks(scene))
    blocked = next((item for item in locks if item.alive is not False), None)
    if blocked:
        return [_blocked(blocked)]
    if apply and "GIT_INDEX_FILE" in environ:
        return [
            Refusal("in-a-hook", "this runs inside a git hook; recovery now would corrupt the commit that is being made").outcome(COMMAND)
        ]
    try:
        cases = list(survey(scene, locks))
    except OSError as error:
        return [troubles.while_looking(error).outcome(COMMAND)]
    if not cases and not locks:
        return [Outcome(COMMAND, State.NOTHING, "clean", "nothing was left behind")]
    if not apply:
        return [*map(_tell_lock, locks), *(case.outcome for case in cases)]
    return _apply(scene, locks, cases)


def survey(scene: Scene, locks: list[journal.Record]) -> Iterator[Case]:
    """Everything that was left in a project."""
    yield from _temporaries(scene)
    yield from _index_leftovers(scene)
    told: set[str] = set()
    for workspace in scene.state:
        if workspace.version == 3:
            for case in (*_twins(scene, workspace), *_unstaged_moves(scene, workspace)):
                told.add(case.subject)
                yield case
    for record in locks:
        if record.plan.get("subject") not in told:
            yield from _resumed(scene, record)


def _blocked(record: journal.Record) -> Outcome:
    if record.alive:
        message = f"another writer is at work: {record}"
        return Refusal("busy", message, (record.path,), ("fcoplint", "recover")).outcome(COMMAND)
    return journal.refuse(record).outcome(COMMAND)


def _tell_lock(record: journal.Record) -> Outcome:
    steps = record.plan.get("steps")
    lines = (
        tuple(f"planned: {step.get('do')} {step.get('path')}" for step in steps if isinstance(step, dict))
        if isinstance(steps, list)
        else ()
    )
    message = f"an interrupted command left its lock: {record}"
    return Outcome(COMMAND, State.PENDING, "dead-lock", message, (record.path, *lines), _APPLY)


def _locks(scene: Scene) -> Iterator[journal.Record]:
    paths = {site.lock for site in _sites(scene)}
    for path in sorted(paths | {_own_lock(path) for path in paths}):
        record = journal.read(scene.machine, path)
        if record:
            yield record


def _sites(scene: Scene) -> list[Site]:
    roots = [workspace.root for workspace in scene.state] or [""]
    return [scene.site(roots[0])] if scene.repository else [scene.site(root) for root in roots]


def _own_lock(path: str) -> str:
    """The lock that recovery holds while a dead writer's stands there and keeps other writers out."""
    return os.path.join(os.path.dirname(path), ".fcop-recovery.lock" if os.path.basename(path).startswith(".") else "recovery.lock")


def _apply(scene: Scene, locks: list[journal.Record], cases: list[Case]) -> list[Outcome]:
    outcomes = []
    undecided = {case.subject for case in cases if case.plan is None}
    for record in locks:
        if os.path.basename(record.path).removeprefix(".fcop-").startswith("recovery"):
            outcomes += _remove_lock(scene, record)
    dead = [record for record in locks if os.path.lexists(record.path)]
    for case in cases:
        outcomes += _complete(scene, case, bool(dead))
        if case.record and case.plan and case.plan.steps and outcomes[-1].state is State.DONE:
            # Once the files are in their places, what git's index does not know yet can be told.
            outcomes += [outcome for rest in _resumed(scene, case.record) for outcome in _complete(scene, rest, bool(dead))]
    for record in dead:
        failed = any(outcome.state is not State.DONE for outcome in outcomes if outcome.plan)
        if record.plan.get("subject") not in undecided and not failed:
            outcomes += _remove_lock(scene, record)
    return outcomes


def _complete(scene: Scene, case: Case, behind_a_dead_lock: bool) -> list[Outcome]:
    """Do what completes a case, where that is certain; what the system prevents is still pending."""
    if case.plan is None:
        return [case.outcome]
    site = scene.site(case.plan.workspace)
    outcome = execute(case.plan, replace(site, lock=_own_lock(site.lock)) if behind_a_dead_lock else site)
    return [outcome if outcome.state is State.DONE else replace(outcome, state=State.PENDING, next=_APPLY)]


def _remove_lock(scene: Scene, record: journal.Record) -> list[Outcome]:
    """Take the lock of a dead process away, unless somebody else did so and holds a new one."""
    try:
        found = journal.read(scene.machine, record.path)
        if found is not None and (found.pid, found.at) == (record.pid, record.at):
            atomic.remove(record.path)
    except OSError as error:
        return [Outcome(COMMAND, State.PENDING, "lock", f"{record.path} could not be removed: {error.strerror}", next=_APPLY)]
    return [Outcome(COMMAND, State.DONE, "dead-lock", f"took away the lock of a command that was interrupted: {record}", (record.path,))]


# Temporaries


def _temporaries(scene: Scene) -> Iterator[Case]:
    folders = {path.rpartition("/")[0] for workspace in scene.state for path in workspace.entries if workspace.place(path).kind != "other"}
    folders |= {above for folder in folders for above in _above(folder)}
    for folder in sorted(folders):
        for name in scene.machine.list_names(scene.full(folder)):
            path = f"{folder}/{name}" if folder else name
            if is_temporary(name) and not name.endswith(".lock") and os.path.isfile(scene.full(path)):
                yield _temporary(scene, path, name)
    if scene.repository:
        lock_folder = os.path.dirname(_sites(scene)[0].lock)
        for name in scene.machine.list_names(lock_folder):
            full = os.path.join(lock_folder, name)
            if atomic.read_temporary_name(name) and _is_dead(scene, name, full):
                yield _own(scene, os.path.relpath(full, scene.root), full)


def _above(folder: str) -> Iterator[str]:
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _temporary(scene: Scene, path: str, name: str) -> Case:
    full = scene.full(path)
    own = atomic.read_temporary_name(name)
    if own is None or own.host != atomic.host_mark():
        who = "another tool" if own is None else "fcoplint on another machine"
        message = f"{path} is a temporary of {who}; whether that still runs cannot be told from here, so it stays"
        return Case(path, "foreign-temporary", message, (path,), None, ("fcoplint", "explain", "FC904"))
    if not _is_dead(scene, name, full):
        message = f"{path} is a temporary of process {own.pid}, which may still run, so it stays"
        return Case(path, "live-temporary", message, (path,), None, ("fcoplint", "recover"))
    return _own(scene, path, full)


def _own(scene: Scene, path: str, full: str) -> Case:
    content = read_file(full, scene.settings.max_bytes)
    if isinstance(content, Unreadable):
        return Case(path, "unreadable", f"{path} cannot be read: {content.reason}", (path,), None)
    workspace = next((found.root for found in scene.state if path.startswith(f"{found.root}/") or not found.root), _any_root(scene))
    summary = f"remove {path}, a temporary of an interrupted command"
    message = f"{path} is a temporary that an interrupted command left; nothing rests on it"
    return Case(
        path, "own-temporary", message, (path,), _plan(scene, path, summary, (Remove(path, atomic.digest(content)),), {}, workspace)
    )


def _is_dead(scene: Scene, name: str, full: str) -> bool:
    """Whether the process that a temporary's name gives is gone; a number may have been given to another one since."""
    own = atomic.read_temporary_name(name)
    if own is None or own.host != atomic.host_mark():
        return False
    alive, began = scene.machine.is_alive(own.pid), scene.machine.started(own.pid)
    try:
        written = datetime.datetime.fromtimestamp(os.lstat(full).st_mtime, datetime.UTC)
    except OSError:
        return False
    return alive is False or bool(alive and began and (began - written).total_seconds() > _CLOCK_SLACK)


def _index_leftovers(scene: Scene) -> Iterator[Case]:
    """Copies of git's index that a killed process left, and the lock that is one of them."""
    if scene.repository is None:
        return
    folder = scene.repository.git_dir
    lock = os.path.join(folder, "index.lock")
    for name in scene.machine.list_names(folder):
        match = _INDEX_TEMPORARY.fullmatch(name)
        full = os.path.join(folder, name)
        if match is None or not _is_dead(scene, match[1], full):
            continue
        paths = [full, *([lock] if _is_same(full, lock) else [])]
        relative = [os.path.relpath(path, scene.root) for path in paths]
        steps = tuple(Remove(path, atomic.digest_of(full)) for path in reversed(relative))
        message = f"{relative[0]} is a copy of the index that an interrupted command left; the index itself is whole"
        yield Case(
            name, "own-index", message, tuple(relative), _plan(scene, name, f"remove {', '.join(relative)}", steps, {}, _any_root(scene))
        )


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def _any_root(scene: Scene) -> str:
    return next((workspace.root for workspace in scene.state), "")


# Two copies of one TASK


def _twins(scene: Scene, workspace: Workspace) -> Iterator[Case]:
    for stem, found in sorted(workspace.by_stem.items()):
        copies = [copy for copy in found if isinstance(copy, Task) and copy.place.kind == "stage"]
        if len(copies) > 1:
            yield _judge_twins(scene, stem, sorted(copies, key=lambda copy: (len(copy.events), _agrees(copy))))


def _judge_twins(scene: Scene, stem: str, copies: list[Task]) -> Case:
    old, new = copies[0], copies[-1]
    is_finished = len(copies) == 2 and _agrees(new) and (_is_identical(old, new) or _is_step(scene, old, new))
    evidence = tuple(f"{copy.path}: {_describe(copy)}" for copy in copies)
    if not is_finished:
        message = f"{stem} lies in {len(copies)} places, and neither copy is the other one plus one lawful event; a person must decide"
        shown = tuple(_side_by_side(old, new)) if len(copies) == 2 else ()
        return Case(stem, "divergent", message, (*evidence, *shown), None, ("git", "log", "-p", "--", old.path, new.path))
    data = read_file(scene.full(old.path), scene.settings.max_bytes)
    if not isinstance(data, bytes):
        return Case(stem, "unreadable", f"{old.path} cannot be read: {data.reason}", evidence, None)
    message = f"{stem} was moved to {new.place.stage}, and the copy in {old.place.stage} was left behind"
    staged = _staging(scene, {old.path: None, new.path: read_file(scene.full(new.path), scene.settings.max_bytes)})
    plan = _plan(
        scene, stem, f"remove {old.path}, left behind by a move", (Remove(old.path, atomic.digest(data)),), staged, new.workspace.root
    )
    return Case(stem, "left-behind", message, evidence, plan)


def _agrees(task: Task) -> bool:
    return task.last_event is not None and task.last_event.target == task.place.stage


def _describe(task: Task) -> str:
    said = describe_event(task, task.last_event) if task.last_event else "no event"
    content = task.content
    digest = atomic.digest(content)[:12] if isinstance(content, bytes) else "unreadable"
    return f"{len(task.events)} events, {said}; sha256 {digest}…"


def _is_identical(old: Task, new: Task) -> bool:
    return isinstance(old.content, bytes) and old.content == new.content and not _agrees(old)


def _is_step(scene: Scene, old: Task, new: Task) -> bool:
    """Whether the new copy is the old one and exactly one lawful event more, and taking the old one away loses nothing."""
    event = new.last_event
    if old.document is None or new.document is None or event is None or len(new.events) != len(old.events) + 1:
        return False
    edges = new.workspace.dialect.table.edges_between(old.place.stage, new.place.stage)
    if event.source != old.place.stage or not any(edge.tool == event.tool for edge in edges) or not _agrees(old):
        return False
    said = as_plain(event.fields)
    assert isinstance(said, dict)
    if append_event(old.document.data, said) == new.document.data:
        return True
    # Another tool wrote it anew: then the old text must be in HEAD, so that no comment is lost.
    committed = scene.head.entries.get(old.path) if scene.head else None
    return committed is not None and committed == old.entry and Comparison(old.document, new.document).is_continued


def _side_by_side(old: Task, new: Task) -> Iterator[str]:
    """Two copies in two columns, lines that differ marked."""
    left, right = (task.document.lines if task.document else [] for task in (old, new))
    yield f"{old.path[-_WIDTH:]:<{_WIDTH}}   {new.path[-_WIDTH:]}"
    for number, (mine, theirs) in enumerate(zip_longest(left, right, fillvalue="")):
        if number == _MOST_LINES:
            yield "…"
            return
        yield f"{mine[:_WIDTH]:<{_WIDTH}} {' ' if mine == theirs else '|'} {theirs[:_WIDTH]}".rstrip()


# What git's index does not hold yet


def _unstaged_moves(scene: Scene, workspace: Workspace) -> Iterator[Case]:
    """TASKs that the index still has in the stage from which they were moved."""
    start = f"{workspace.root}/" if workspace.root else ""
    staged: dict[str, list[str]] = {}
    for path in scene.index:
        if path.startswith(start) and path not in scene.now.entries and workspace.place(path).kind == "stage":
            staged.setdefault(path.rpartition("/")[2].removesuffix(".md"), []).append(path)
    for stem, paths in sorted(staged.items()):
        tasks = [task for task in workspace.named(stem) if isinstance(task, Task) and task.place.kind == "stage"]
        if len(tasks) == 1 and len(paths) == 1 and _continues(scene, paths[0], tasks[0]):
            new = tasks[0]
            message = f"{stem} was moved to {new.place.stage}, and git's index still has it in {paths[0].rpartition('/')[0]}"
            by_hand = f"by hand: git add -A -- {paths[0]} {new.path}"
            changes = _staging(scene, {paths[0]: None, new.path: read_file(scene.full(new.path), scene.settings.max_bytes)})
            plan = _plan(scene, stem, f"stage {paths[0]} and {new.path}", (), changes, workspace.root, (by_hand,))
            yield Case(stem, "not-staged", message, (paths[0], new.path), plan)


def _continues(scene: Scene, path: str, task: Task) -> bool:
    """Whether what lies on disk is what the index has, and lawfully appended events more."""
    if scene.repository is None or task.document is None or not _agrees(task):
        return False
    oid = scene.index[path].oid
    landed = next((content for _, content in scene.repository.blobs.read([oid])), None) if oid else None
    if not isinstance(landed, bytes):
        return False
    comparison = Comparison(Document(landed), task.document)
    return comparison.is_continued and bool(comparison.appended)


def _resumed(scene: Scene, record: journal.Record) -> Iterator[Case]:
    """What is left of the plan of an interrupted command; nothing, where not even its first step was done."""
    said, paths = record.plan.get("steps"), record.plan.get("stage")
    steps = [step for step in said if isinstance(step, dict)] if isinstance(said, list) else []
    if not steps or not _is_done(scene, steps, 0):
        return
    left = [_step(step) for number, step in enumerate(steps) if not _is_done(scene, steps, number)]
    subject, command = str(record.plan.get("subject")), record.plan.get("command")
    if any(step is None for step in left):
        message = f"`{command}` of {subject} was interrupted, and what is left of it cannot be told"
        yield Case(subject, "unclear", message, (record.path,), None)
        return
    changes: Staging = {} if left else _left_to_stage(scene, record, [str(path) for path in paths] if isinstance(paths, list) else [])
    if left or changes:
        message = f"`{command}` of {subject} was interrupted; what is left of its plan is done now"
        plan = _plan(scene, subject, str(record.plan.get("summary")), tuple(filter(None, left)), changes, _any_root(scene))
        yield Case(subject, "interrupted", message, tuple(str(step.get("path")) for step in steps), plan, record=record)


def _left_to_stage(scene: Scene, record: journal.Record, paths: list[str]) -> Staging:
    if scene.repository is None or not paths:
        return {}
    if any(step.get("do") == "rename" for step in record.plan["steps"]):
        return restage(scene.repository, str(record.plan.get("workspace")), str(record.plan.get("subject")))
    contents = {path: read_file(scene.full(path), scene.settings.max_bytes) for path in paths}
    return _staging(scene, {path: None if _is_gone(content) else content for path, content in contents.items()})


def _is_done(scene: Scene, steps: Sequence[Mapping[str, object]], number: int) -> bool:
    """Whether a step of a plan is done; a later step may have undone what it left."""
    step = steps[number]
    path = scene.full(str(step.get("path")))
    later = [
        other for at, other in enumerate(steps[number + 1 :], number + 1) if other.get("do") == "rename" and _is_done(scene, steps, at)
    ]
    match step.get("do"):
        case "publish" | "rewrite":
            content = read_file(path, scene.settings.max_bytes)
            return isinstance(content, bytes) and atomic.digest(content) == step.get("sha256")
        case "rename":
            went_on = any(other.get("path") == step.get("target") for other in later)
            return not os.path.lexists(path) and (went_on or os.path.isdir(scene.full(str(step.get("target")))))
        case "remove" | "remove-folder":
            return not os.path.lexists(path) or any(other.get("target") == step.get("path") for other in later)
    return False


def _step(step: Mapping[str, object]) -> Step | None:
    """A step of a plan as it can be done later; what was to be written stands in no journal."""
    path = str(step.get("path"))
    match step.get("do"):
        case "remove":
            return Remove(path, str(step.get("sha256")))
        case "remove-folder":
            return RemoveFolder(path)
        case "rename":
            return Rename(path, str(step.get("target")))
    return None


def _is_gone(content: bytes | Unreadable) -> bool:
    return isinstance(content, Unreadable) and content.reason == "vanished"


def _staging(scene: Scene, contents: Mapping[str, bytes | Unreadable | None]) -> dict[str, Blob | None]:
    """Those of the paths that the index does not hold as they are now, with what it is to hold."""
    if scene.repository is None:
        return {}
    found: dict[str, Blob | None] = {}
    ignored = git.ignored_paths(scene.repository, [path for path in contents if path not in scene.index])
    for path, content in contents.items():
        held = scene.index.get(path)
        if content is None and held is not None:
            found[path] = None
        elif isinstance(content, bytes) and path not in ignored:
            data = as_committed(content, _landed(scene, path))
            if held is None or held.oid != blob_id(data, "sha256" if held.oid and len(held.oid) == 64 else "sha1"):
                found[path] = Blob(data, os.access(scene.full(path), os.X_OK))
    return found


def _landed(scene: Scene, path: str) -> bytes | None:
    """What git has of an envelope already, wherever it lies: by its line ends a checkout's are told from the team's."""
    assert scene.repository is not None
    name = path.rpartition("/")[2]
    oid = next((entry.oid for other, entry in scene.index.items() if other.rpartition("/")[2] == name and entry.oid), None)
    content = next((content for _, content in scene.repository.blobs.read([oid])), None) if oid else None
    return content if isinstance(content, bytes) else None


def _plan(
    scene: Scene,
    subject: str,
    summary: str,
    steps: tuple[Step, ...],
    staged: Staging,
    workspace: str,
    notes: tuple[str, ...] = (),
) -> Plan:
    return Plan(COMMAND, scene.root, subject, summary, steps, staged, notes, workspace)
