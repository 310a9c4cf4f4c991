"""The safe transition: one TASK, one lawful edge, one event, and nothing else (roots.md 5d)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fcoplint import atomic
from fcoplint.model.document import Document
from fcoplint.model.envelope import Task
from fcoplint.model.event import Event
from fcoplint.model.workspace import Workspace
from fcoplint.outcome import Outcome, Plan, Publish, Refusal, Remove, State
from fcoplint.protocol.dialects import Dialect
from fcoplint.protocol.places import LIFECYCLE
from fcoplint.protocol.roles import is_role, split_slot
from fcoplint.protocol.stages import STAGES, Edge, Mover
from fcoplint.repair import conditions, journal, troubles
from fcoplint.repair.appending import append_event, spell_time
from fcoplint.repair.execution import execute
from fcoplint.repair.scene import Scene
from fcoplint.repair.verdict import Judge, forbidden, refuse, remarks
from fcoplint.source.snapshot import Unreadable
from fcoplint.source.worktree import read_file

COMMAND = "move"
_DID = {
    "create_task": "created", "claim_task": "claimed", "submit_task": "submitted", "finish_task": "finished",
    "approve_task": "approved", "reject_task": "sent back", "archive_task": "archived",
}  # fmt: skip
# Faults of the TASK itself that a move would carry along or make worse. Who did what before is not the mover's to answer for.
_CONTRACTS = frozenset({"identity", "path", "events", "writing"})
# Refusals that may only mean that somebody else is in the middle of a move.
_UNSETTLED = frozenset(
    {"twins", "clean-up-pending", "no-such-task", "unreadable", "changed", "taken", "index-locked", "staged-there", "unsound-task"}
)
_TRIES = 10
_V4_TOOLS = {("done", "active"): "reopen_task"}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: a TASK by id, stem or path; the stage it is to go to; who moves it.

    `tool` picks among the edges to that stage, `expected` is the sha256 that the TASK must have.
    """

    task: str
    stage: str
    by: str
    tool: str | None = None
    note: str | None = None
    include_edits: bool = False
    stages_in_git: bool = True
    expected: str | None = None


def move(open_scene: Callable[[], Scene], request: Request, environ: Mapping[str, str], *, dry_run: bool = False) -> Outcome:
    """Move a TASK, or say why not. May raise GitError while it looks, never once it writes."""
    scene = open_scene()
    planned = _try_to_plan(scene, request, environ)
    for _ in range(_TRIES):
        if not isinstance(planned, Refusal) or planned.reason not in _UNSETTLED:
            break
        # Whoever looks while somebody else moves it may see two copies, or none: look again once that is over.
        waited = journal.wait(scene.machine, [scene.site(workspace.root).lock for workspace in scene.state])
        scene, before = open_scene(), planned
        planned = _try_to_plan(scene, request, environ)
        if planned == before and not waited:
            break
    if isinstance(planned, Refusal):
        return planned.outcome(COMMAND)
    if isinstance(planned, Outcome):
        return planned
    if dry_run:
        return Outcome(COMMAND, State.PLANNED, "planned", f"would do: {planned.summary}", plan=planned, notes=planned.notes)
    return carry_out(scene, planned)


def _try_to_plan(scene: Scene, request: Request, environ: Mapping[str, str]) -> Plan | Outcome | Refusal:
    try:
        return plan_move(scene, request, environ)
    except OSError as error:
        return troubles.while_looking(error)


def carry_out(scene: Scene, plan: Plan) -> Outcome:
    """Execute a planned move; who comes too late is told who was faster."""
    outcome = execute(plan, scene.site(plan.workspace))
    if outcome.reason in ("taken", "changed"):
        return _tell_winner(scene, plan, outcome)
    if outcome.state is State.DONE:
        return _verify(scene, plan, outcome)
    return outcome


def plan_move(scene: Scene, request: Request, environ: Mapping[str, str]) -> Plan | Outcome | Refusal:
    """The plan of a move, an outcome where there is nothing to do, or the refusal; nothing is written."""
    task = find_task(scene, request.task)
    if isinstance(task, Refusal):
        return task
    judge = Judge(scene)
    workspace = task.workspace
    operation = _V4_TOOLS.get((task.place.stage or "", request.stage), _tool_to(workspace.dialect, request.stage))
    refused = (
        judge.unsafe_root(workspace.root)
        or conditions.refuse_version(workspace.version, operation)
        or _refuse_layout(task)
        or _refuse_state(task, request, judge)
    )
    if refused:
        return refused
    if task.place.stage == request.stage:
        return _already_there(task, request)
    edge = _choose_edge(task, request)
    if isinstance(edge, Refusal):
        return edge
    return _plan(scene, task, edge, request, judge, environ)


def find_task(scene: Scene, reference: str) -> Task | Refusal:
    """The one TASK that an id, a stem or a path names; of several copies the one that its events agree with."""
    found = {
        envelope.path: envelope
        for workspace in scene.state
        for envelope in ([*workspace.find(reference)] if "/" not in reference else workspace.envelopes)
        if isinstance(envelope, Task) and ("/" not in reference or envelope.path == reference)
    }
    if not found and "/" in reference:
        # It may have been moved since its path was taken down.
        return find_task(scene, reference.rpartition("/")[2])
    if not found:
        return Refusal("no-such-task", f"no TASK here is called {reference}", next=("fcoplint", "status"), state=State.MISUSED)
    if len({(task.workspace.root, task.stem) for task in found.values()}) > 1:
        message = f"{reference} names several TASKs; give the path of the one that is meant"
        return Refusal("ambiguous-task", message, tuple(sorted(found)), ("fcoplint", "status"), State.MISUSED)
    return max(found.values(), key=lambda task: (len(task.events), task.path))


def describe_event(task: Task, event: Event | None) -> str:
    """Who did what, when: for whoever comes too late."""
    if event is None:
        return f"{task.path} holds it, and no event says who put it there"
    did = _DID.get(event.tool or "", f"moved by {event.tool} ")
    return f"{did} by {event.by} at {event.text('at')}; it is in {task.place.stage}"


def _tool_to(dialect: Dialect, stage: str) -> str:
    return next((edge.tool for edge in dialect.table.edges if edge.target == stage), "transition")


def _refuse_layout(task: Task) -> Refusal | None:
    if task.workspace.version < 3:
        message = (
            f"{task.workspace.root or '.'} has the layout of v{task.workspace.version}, which knows no stages; migrate it with fcop first"
        )
        return Refusal("no-stages", message, (task.path,), ("fcoplint", "status"))
    if task.place.kind == "history":
        return Refusal("historic", f"{task.stem} is history; nothing moves out of there", (task.path,), ("fcoplint", "explain", "FC210"))
    if task.place.kind != "stage" or task.place.depth:
        return Refusal("no-stage", f"{task.path} lies in no stage", (task.path,), ("fcoplint", "explain", "FC201"))
    return None


def _refuse_state(task: Task, request: Request, judge: Judge) -> Refusal | None:
    """The TASK must be sound in itself: one copy, name and text agree, the last event names the stage it is in."""
    copies = [copy for copy in task.workspace.named(task.stem) if isinstance(copy, Task)]
    if len(copies) > 1:
        return _refuse_twins(task, copies, request)
    if task.last_event and task.last_event.target != task.place.stage:
        message = f"{task.stem} lies in {task.place.stage}, and its last event says {task.last_event.target}: it was moved by hand"
        return Refusal("path-disagrees", message, (task.path,), ("fcoplint", "explain", "FC309"))
    faults = judge.faults_of([task.stem], _CONTRACTS)
    return refuse("unsound-task", faults) if faults else None


def _refuse_twins(task: Task, copies: list[Task], request: Request) -> Refusal:
    paths = tuple(copy.path for copy in copies)
    done = next((copy for copy in copies if copy.place.stage == request.stage and _is_act(copy.last_event, request)), None)
    if done:
        message = f"{task.stem} is in {request.stage} already by this very act, but a copy was left behind"
        return Refusal("clean-up-pending", message, paths, ("fcoplint", "recover", "--apply"), State.PENDING)
    message = f"{task.stem} lies in {len(copies)} places; which one holds must be settled first"
    return Refusal("twins", message, paths, ("fcoplint", "recover"))


def _is_act(event: Event | None, request: Request) -> bool:
    """Whether an event is the very act that is asked for."""
    if event is None:
        return False
    return event.by == request.by and event.target == request.stage and request.tool in (None, event.tool)


def _already_there(task: Task, request: Request) -> Outcome | Refusal:
    if _is_act(task.last_event, request):
        return Outcome(
            COMMAND, State.NOTHING, "already-done", f"{task.stem} was {describe_event(task, task.last_event)}; no change", (task.path,)
        )
    return Refusal("claimed", f"{task.stem} was {describe_event(task, task.last_event)}", (task.path,), ("fcoplint", "status"))


def _choose_edge(task: Task, request: Request) -> Edge | Refusal:
    """The edge of the table to the stage that is asked for, by a name that may stand for a role."""
    table = task.workspace.dialect.table
    edges = [edge for edge in table.edges_between(task.place.stage, request.stage) if request.tool in (None, edge.tool)]
    if not edges:
        ways = tuple(f"{edge.tool}: {task.place.stage} to {edge.target}" for edge in table.edges_from(task.place.stage))
        asked = f" by {request.tool}" if request.tool else ""
        message = f"no lawful move leads from {task.place.stage} to {request.stage}{asked}"
        return Refusal("no-edge", message, ways or ("archive is the end of a TASK's life",), ("fcoplint", "explain", "FC305"))
    authority = task.workspace.authority
    is_program = Mover.RUNTIME in edges[0].movers and request.by in task.workspace.dialect.tool_actors
    if not is_program and not (is_role(split_slot(request.by)[0]) and authority.role_of(request.by) in authority.declared):
        declared = ", ".join(sorted(authority.declared))
        return Refusal("no-role", f"{request.by} is no role of this team", (f"declared: {declared}",), ("fcoplint", "status"))
    return edges[0]


def _plan(scene: Scene, task: Task, edge: Edge, request: Request, judge: Judge, environ: Mapping[str, str]) -> Plan | Refusal:
    target = path_in(task, edge.target)
    refused = (
        conditions.refuse_source(scene, task.path)
        or conditions.refuse_target(scene, target)
        or conditions.refuse_devices(scene, task.path, target)
        or conditions.refuse_here(scene, task.workspace.root, environ)
    )
    if refused:
        return refused
    data = read_file(scene.full(task.path), scene.settings.max_bytes)
    if isinstance(data, Unreadable):
        return Refusal("unreadable", f"{task.path} cannot be read: {data.reason}", (task.path,))
    if request.expected not in (None, atomic.digest(data)):
        return Refusal("changed", f"{task.path} is not the file with that digest any more", (f"sha256 {atomic.digest(data)}",))
    tracking = conditions.look_at_git(scene, task.path, data, include_edits=request.include_edits)
    if isinstance(tracking, Refusal):
        return tracking
    plan = draft(scene, task, edge, request, data, tracking)
    if isinstance(plan, Refusal):
        return plan
    committed = tracking.staged(plan.steps[0].data if isinstance(plan.steps[0], Publish) else b"")
    found = judge.brought_in(scene.with_changes({task.path: None, target: committed.data}))
    against = forbidden(found, task.stem)
    if against:
        return refuse("forbidden", against)
    notes = (*tracking.edits, *remarks(found), *_git_notes(scene, task, target, bool(plan.staged), request))
    return replace(plan, notes=notes)


def draft(scene: Scene, task: Task, edge: Edge, request: Request, data: bytes, tracking: conditions.Tracking) -> Plan | Refusal:
    """The plan of a move whose conditions hold: what is written, removed and staged. Whether the rules allow it is not asked here."""
    new = append_event(data, make_event(task, edge, request.by, request.note, scene))
    if not isinstance(new, bytes):
        return Refusal("cannot-append", f"{task.path}: {new.why}", (task.path,), ("fcoplint", "explain", "FC302"))
    target = path_in(task, edge.target)
    staged = {task.path: None, target: tracking.staged(new)} if tracking.entry and request.stages_in_git else {}
    return Plan(
        COMMAND,
        scene.root,
        task.stem,
        f"{edge.tool}: {task.stem} from {edge.source} to {edge.target}, by {request.by}",
        (Publish(target, new, stat.S_IMODE(os.lstat(scene.full(task.path)).st_mode)), Remove(task.path, atomic.digest(data))),
        staged,
        workspace=task.workspace.root,
    )


def path_in(task: Task, stage: str) -> str:
    """Where a TASK lies in a stage of its workspace."""
    return task.workspace.path(f"{LIFECYCLE}/{stage}/{task.filename}")


def make_event(task: Task, edge: Edge, by: str, note: str | None, scene: Scene) -> dict[str, str | None]:
    """The event of a move made now, under the tool's key that the TASK's last event uses."""
    last, keys = task.last_event, task.workspace.dialect.tool_keys
    tool_key = next((key for key in keys if last and last.fields.pair(key)), keys[0])
    event = {
        "at": spell_time(scene.settings.policy.now, last.text("at") if last else None),
        "from": edge.source,
        "to": edge.target,
        "by": by,
        tool_key: edge.tool,
    }
    return {**event, "note": note} if note else event


def _git_notes(scene: Scene, task: Task, target: str, staged: bool, request: Request) -> tuple[str, ...]:
    if scene.repository is None:
        return ()
    left_alone = conditions.others_left_alone(scene, (task.path, target), task.workspace.root)
    if staged:
        return (*left_alone, f"to commit this alone: git commit --only -- {task.path} {target}")
    why = "git does not track it" if request.stages_in_git else "asked not to be"
    return (
        *left_alone,
        f"not staged, because {why}: git add -A -- {task.path} {target}" if not request.stages_in_git else f"not staged: {why}",
    )


def _tell_winner(scene: Scene, plan: Plan, outcome: Outcome) -> Outcome:
    """The refusal of whoever came too late, with the name of who was faster."""
    for path, event in _copies(scene, plan.workspace, plan.subject):
        if path != plan.steps[-1].path and event is not None:
            did = _DID.get(event.tool or "", f"moved by {event.tool},")
            message = f"{event.by} was faster: {plan.subject} was {did} by {event.by} at {event.text('at')}; nothing has changed"
            return replace(outcome, reason="claimed", message=message, evidence=(path,), next=("fcoplint", "status"))
    return replace(outcome, next=("fcoplint", "status"))


def _verify(scene: Scene, plan: Plan, outcome: Outcome) -> Outcome:
    """After the move there is one copy, and its last event is the move's."""
    copies = [path for path, _ in _copies(scene, plan.workspace, plan.subject)]
    if copies == [plan.steps[0].path]:
        return outcome
    message = f"{plan.summary}: that is done, but somebody else moved the TASK at the same time"
    return replace(outcome, state=State.PENDING, reason="twins", message=message, evidence=tuple(copies), next=("fcoplint", "recover"))


def _copies(scene: Scene, workspace: str, stem: str) -> list[tuple[str, Event | None]]:
    """The stages' files of a TASK as they are on disk now, each with its last event."""
    found = []
    for stage in STAGES:
        path = "/".join(part for part in (workspace, LIFECYCLE, stage, f"{stem}.md") if part)
        content = read_file(scene.full(path), scene.settings.max_bytes)
        if isinstance(content, bytes):
            known: Workspace | None = scene.state.at(workspace)
            events = Document(content).events(known.dialect.tool_keys if known else ("tool",))
            found.append((path, events[-1] if events else None))
    return found
