"""`fcoplint repair`: a TASK that lies where its events do not say. The event is recorded, or the file goes back (FC309, FC802)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from fcoplint import atomic
from fcoplint.model.envelope import Task
from fcoplint.outcome import Outcome, Plan, Publish, Refusal, Remove, Rewrite, State
from fcoplint.protocol.roles import is_role, split_slot
from fcoplint.protocol.stages import Edge, Mover
from fcoplint.repair import conditions
from fcoplint.repair.appending import append_event
from fcoplint.repair.execution import execute
from fcoplint.repair.scene import Scene
from fcoplint.repair.transition import find_task, make_event, path_in
from fcoplint.repair.verdict import Judge, forbidden, refuse, remarks
from fcoplint.source.snapshot import Unreadable
from fcoplint.source.worktree import read_file

COMMAND = "repair"
NOTE = "recorded afterwards: the file had been moved without its event"
RECORD, RETURN = "record", "return"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: a TASK by id, stem or path; record or return ("" where nobody chose); who answers for it."""

    task: str
    way: str
    by: str
    note: str | None = None


def repair(scene: Scene, request: Request, environ: Mapping[str, str], *, dry_run: bool = False) -> Outcome:
    """Make a TASK's place and its events agree, in the way that was chosen. May raise GitError while it looks, never once it writes."""
    planned = _plan(scene, request, environ)
    if isinstance(planned, Refusal):
        return planned.outcome(COMMAND)
    if isinstance(planned, Outcome):
        return planned
    if dry_run:
        return Outcome(COMMAND, State.PLANNED, "planned", f"would do: {planned.summary}", plan=planned, notes=planned.notes)
    return execute(planned, scene.site(planned.workspace))


def _plan(scene: Scene, request: Request, environ: Mapping[str, str]) -> Plan | Outcome | Refusal:
    task = find_task(scene, request.task)
    if isinstance(task, Refusal):
        return task
    judge = Judge(scene)
    refused = judge.unsafe_root(task.workspace.root) or conditions.refuse_version(task.workspace.version, "recover") or _refuse(task)
    if refused:
        return refused
    said, stage = _said(task), task.place.stage
    if said == stage:
        message = f"{task.stem} lies in {stage}, as its last event says; nothing to repair"
        return Outcome(COMMAND, State.NOTHING, "agrees", message, (task.path,))
    if not request.way:
        return _refuse_to_choose(task, said, request)
    refused = (
        conditions.refuse_source(scene, task.path)
        or conditions.refuse_here(scene, task.workspace.root, environ)
        or _refuse_role(task, request.by)
    )
    if refused:
        return refused
    data = read_file(scene.full(task.path), scene.settings.max_bytes)
    if isinstance(data, Unreadable):
        return Refusal("unreadable", f"{task.path} cannot be read: {data.reason}", (task.path,))
    way = _record if request.way == RECORD else _return
    return way(scene, task, said, request, data, judge)


def _said(task: Task) -> str | None:
    return task.last_event.target if task.last_event else None


def _refuse(task: Task) -> Refusal | None:
    if task.place.kind != "stage" or task.place.depth:
        return Refusal("no-stage", f"{task.path} lies in no stage", (task.path,), ("fcoplint", "explain", "FC201"))
    copies = tuple(copy.path for copy in task.workspace.named(task.stem))
    if len(copies) > 1:
        return Refusal("twins", f"{task.stem} lies in {len(copies)} places; that is settled first", copies, ("fcoplint", "recover"))
    if task.last_event is None:
        message = f"{task.stem} has no event that says where it was; nobody can say afterwards what happened"
        return Refusal("no-events", message, (task.path,), ("fcoplint", "explain", "FC301"))
    return None


def _refuse_to_choose(task: Task, said: str | None, request: Request) -> Refusal:
    message = (
        f"{task.stem} lies in {task.place.stage}, and its last event says {said}: either the move was meant and its event is "
        "missing (--record), or it was not and the file goes back (--return). That is for you to say"
    )
    command, authority = ("fcoplint", "repair", task.stem), task.workspace.authority
    movers = [role for role in sorted(_known(task)) if authority.may_move(task, role, said, task.place.stage)]
    recorder = request.by or next(iter(movers), "ROLE")
    returner = request.by or next(iter(sorted(authority.leaders)), "ROLE")
    evidence = tuple(" ".join((*command, way, "--by", by)) for way, by in (("--record", recorder), ("--return", returner)))
    return Refusal("not-chosen", message, evidence, ("git", "log", "-p", "--follow", "--", task.path))


def _refuse_role(task: Task, by: str) -> Refusal | None:
    authority = task.workspace.authority
    if by in task.workspace.dialect.tool_actors or (is_role(split_slot(by)[0]) and authority.role_of(by) in _known(task)):
        return None
    declared = f"known: {', '.join(sorted(_known(task)))}"
    return Refusal("no-role", f"{by} is no role of this team", (declared,), ("fcoplint", "status"))


def _known(task: Task) -> set[str]:
    """The declared roles, and those that the TASK goes from and to: one of them may have left the team since (FC122)."""
    authority = task.workspace.authority
    return {*authority.declared, *filter(None, (authority.sender_of(task), authority.recipient_of(task)))}


def _record(scene: Scene, task: Task, said: str | None, request: Request, data: bytes, judge: Judge) -> Plan | Refusal:
    """The event that is missing, if one lawful move leads from where the events end to where the file lies."""
    edge = _edge(task, said, request.by)
    if edge is None:
        ways = tuple(f"{found.tool}: {said} to {found.target}" for found in task.workspace.dialect.table.edges_from(said))
        message = f"no single lawful move leads from {said} to {task.place.stage}; send the file back, then move it step by step"
        return Refusal("no-edge", message, ways, ("fcoplint", "repair", task.stem, "--return", "--by", request.by))
    note = f"{NOTE}; {request.note}" if request.note else NOTE
    new = append_event(data, make_event(task, edge, request.by, note, scene))
    if not isinstance(new, bytes):
        return Refusal("cannot-append", f"{task.path}: {new.why}", (task.path,), ("fcoplint", "explain", "FC302"))
    summary = f"{edge.tool}: recorded that {task.stem} went from {said} to {task.place.stage}, by {request.by}"
    return _proved(scene, task, judge, task.path, new, data, summary)


def _edge(task: Task, said: str | None, by: str) -> Edge | None:
    edges = task.workspace.dialect.table.edges_between(said, task.place.stage)
    programs = by in task.workspace.dialect.tool_actors
    return next((edge for edge in edges if (Mover.RUNTIME in edge.movers) == programs), next(iter(edges), None))


def _return(scene: Scene, task: Task, said: str | None, request: Request, data: bytes, judge: Judge) -> Plan | Refusal:
    """The file back in the stage where its events end, its bytes as they are."""
    target = path_in(task, str(said))
    refused = conditions.refuse_target(scene, target) or conditions.refuse_devices(scene, task.path, target)
    if refused:
        return refused
    return _proved(scene, task, judge, target, data, data, f"{task.stem} lies in {said} again, as its events say")


def _proved(scene: Scene, task: Task, judge: Judge, target: str, new: bytes, old: bytes, summary: str) -> Plan | Refusal:
    """The plan, if the rules have nothing against what it makes of the project."""
    tracking = conditions.look_at_git(scene, task.path, old, include_edits=False)
    if isinstance(tracking, Refusal):
        return tracking
    committed = tracking.staged(new)
    changes: dict[str, bytes | None] = {target: committed.data} if target == task.path else {task.path: None, target: committed.data}
    found = judge.brought_in(scene.with_changes(changes))
    against = forbidden(found, task.stem)
    if against:
        return refuse("forbidden", against)
    if target == task.path:
        steps: tuple[Rewrite | Publish | Remove, ...] = (Rewrite(task.path, new, atomic.digest(old)),)
    else:
        mode = stat.S_IMODE(os.lstat(scene.full(task.path)).st_mode)
        steps = (Publish(target, new, mode), Remove(task.path, atomic.digest(old)))
    staged = {path: None if content is None else committed for path, content in changes.items()} if tracking.entry else {}
    return Plan(COMMAND, scene.root, task.stem, summary, steps, staged, tuple(remarks(found)), task.workspace.root)
