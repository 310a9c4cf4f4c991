"""Creates an envelope: its number is free over the whole workspace, its text is whole when it appears, its event names its creator."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from fcoplint.model.envelope import Envelope, Report, Task
from fcoplint.model.workspace import Workspace
from fcoplint.outcome import Blob, Outcome, Plan, Publish, Refusal, State
from fcoplint.protocol.fields import PROTOCOL
from fcoplint.protocol.names import FORMS, parse_name
from fcoplint.protocol.places import HOME_FOLDER, LIFECYCLE
from fcoplint.protocol.roles import TEAM, split_slot
from fcoplint.protocol.stages import FCOP, STAGES
from fcoplint.repair import conditions, journal, troubles
from fcoplint.repair.appending import spell, spell_time
from fcoplint.repair.execution import execute
from fcoplint.repair.scene import Scene
from fcoplint.repair.verdict import Judge, forbidden, refuse, remarks
from fcoplint.source import git

COMMAND = "new"
_LAST = 999
_TRIES = 50
# Refusals that mean that somebody else was faster: the next number is tried.
_FASTER = frozenset({"taken", "changed", "staged-there"})
# This one may: another writer holds the index for a moment, or git does.
_INDEX = "index-locked"
_V4 = {"TASK": "create_task", "REPORT": "write_report", "ISSUE": "write_issue", "REVIEW": "write_review"}
_SHORT = 64

Value = str | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """An envelope to be made: its type, who writes it, to whom, further fields in their order, its body.

    `about` is the envelope that it answers or judges, `workspace` the folder where several come into question.
    """

    kind: str
    by: str
    to: str | None = None
    slug: str | None = None
    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""
    about: str | None = None
    workspace: str | None = None
    stages_in_git: bool = True


def create(open_scene: Callable[[], Scene], wanted: Wanted, environ: Mapping[str, str], *, dry_run: bool = False) -> Outcome:
    """Create an envelope, or say why not; where somebody takes the number first, with the next one."""
    outcome = Outcome(COMMAND, State.REFUSED, "taken", "the number was given to others again and again; nothing has changed")
    for number in range(_TRIES):
        scene = open_scene()
        planned = _try_to_plan(scene, wanted, environ)
        if isinstance(planned, Refusal):
            outcome = planned.outcome(COMMAND)
        elif dry_run:
            return Outcome(COMMAND, State.PLANNED, "planned", f"would do: {planned.summary}", plan=planned, notes=planned.notes)
        else:
            outcome = execute(planned, scene.site(planned.workspace))
        waited = outcome.reason == _INDEX and journal.wait(scene.machine, [scene.site(workspace.root).lock for workspace in scene.state])
        if outcome.reason not in _FASTER and not (outcome.reason == _INDEX and (waited or number == 0)):
            break
    return outcome


def _try_to_plan(scene: Scene, wanted: Wanted, environ: Mapping[str, str]) -> Plan | Refusal:
    try:
        return plan_creation(scene, wanted, environ)
    except OSError as error:
        return troubles.while_looking(error)


def plan_creation(scene: Scene, wanted: Wanted, environ: Mapping[str, str]) -> Plan | Refusal:
    """The plan of a creation, or the refusal; nothing is written."""
    workspace = _workspace(scene, wanted)
    if isinstance(workspace, Refusal):
        return workspace
    judge = Judge(scene)
    refused = (
        judge.unsafe_root(workspace.root)
        or conditions.refuse_version(workspace.version, _V4[wanted.kind])
        or conditions.refuse_here(scene, workspace.root, environ)
    )
    if refused:
        return refused
    about = _find_about(workspace, wanted)
    if isinstance(about, Refusal):
        return about
    return _plan(scene, workspace, wanted, about, judge)


def next_number(scene: Scene, workspace: Workspace, kind: str, date: str) -> int:
    """The number behind the last one of a day, wherever in the workspace an envelope bears it: stages, history, log, HEAD, the index."""
    start = f"{workspace.root}/" if workspace.root else ""
    listings = (scene.now.entries, scene.index, scene.head.entries if scene.head else {})
    names = (parse_name(path.rpartition("/")[2]) for listing in listings for path in listing if path.startswith(start))
    return max((int(name.sequence) for name in names if name and (name.kind, name.date) == (kind, date)), default=0) + 1


def short_subject(reference: str) -> str:
    """What a REVIEW's name calls its subject (protocol.md B.1)."""
    name = reference.replace("\\", "/").rpartition("/")[2].removesuffix(".md").lower()
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9-]", "-", name)).strip("-")[:_SHORT].strip("-")


def _workspace(scene: Scene, wanted: Wanted) -> Workspace | Refusal:
    fitting = [workspace for workspace in scene.state if wanted.workspace in (None, workspace.root)]
    if wanted.about and len(fitting) > 1:
        fitting = [workspace for workspace in fitting if workspace.find(wanted.about)] or fitting
    if len(fitting) == 1:
        return fitting[0]
    roots = tuple(workspace.root or "." for workspace in scene.state)
    if wanted.workspace or not roots:
        where = f"no workspace lies at {wanted.workspace}" if wanted.workspace else "there is no FCoP workspace here"
        return Refusal("no-workspace", where, roots, ("fcoplint", "status"), State.MISUSED)
    return Refusal(
        "which-workspace", "there are several workspaces; say which with --workspace", roots, ("fcoplint", "status"), State.MISUSED
    )


def _find_about(workspace: Workspace, wanted: Wanted) -> Envelope | Refusal | None:
    """The envelope that a REPORT answers or a REVIEW judges."""
    if wanted.about is None:
        return None
    found = {envelope.stem: envelope for envelope in workspace.find(wanted.about)}
    if wanted.kind == "REPORT":
        found = {stem: envelope for stem, envelope in found.items() if isinstance(envelope, Task)}
    if len(found) > 1:
        message = f"{wanted.about} names several envelopes; give the full name of the one that is meant"
        return Refusal("ambiguous-reference", message, tuple(sorted(found)), ("fcoplint", "status"), State.MISUSED)
    if not found and wanted.kind == "REPORT":
        return Refusal("no-such-task", f"no TASK here is called {wanted.about}", next=("fcoplint", "status"), state=State.MISUSED)
    return next(iter(found.values()), None)


def _plan(scene: Scene, workspace: Workspace, wanted: Wanted, about: Envelope | None, judge: Judge) -> Plan | Refusal:
    now = scene.settings.policy.now.astimezone(datetime.UTC)
    date = f"{now:%Y%m%d}"
    number = next_number(scene, workspace, wanted.kind, date)
    if number > _LAST:
        return Refusal("no-number", f"all numbers of {date} are given; a name has three digits", next=("fcoplint", "explain", "FC103"))
    routing = _routing(wanted, about)
    if isinstance(routing, Refusal):
        return routing
    short = f"{wanted.kind}-{date}-{number:03d}"
    filename = f"{short}-{routing.name}{f'-{wanted.slug}' if wanted.slug else ''}.md"
    if parse_name(filename) is None:
        message = f"`{filename}` is no name of the protocol; a role is in capitals, a slug in small letters"
        return Refusal("bad-name", message, (FORMS[wanted.kind],), ("fcoplint", "explain", "FC101"), State.MISUSED)
    path = workspace.path(f"{_home(workspace, wanted.kind)}/{filename}")
    refused = conditions.refuse_target(scene, path)
    if refused:
        return refused
    data = _write(wanted, filename, routing, now, with_events=wanted.kind == "TASK" and workspace.version >= 3).encode()
    found = judge.brought_in(scene.with_changes({path: data}))
    stem = filename.removesuffix(".md")
    against = forbidden(found, stem)
    if against:
        return refuse("forbidden", against)
    staged, note = _staging(scene, path, data, wanted)
    reserved = tuple(workspace.path(f"{folder}/{short}-") for folder in _folders(wanted.kind))
    summary = f"{stem} by {routing.sender}"
    return Plan(COMMAND, scene.root, stem, summary, (Publish(path, data),), staged, (*remarks(found), *note), workspace.root, reserved)


@dataclass(frozen=True, slots=True)
class _Routing:
    """The routing part of a name, and the fields that say the same."""

    name: str
    sender: str
    fields: Mapping[str, Value]


def _routing(wanted: Wanted, about: Envelope | None) -> _Routing | Refusal:
    match wanted.kind:
        case "ISSUE":
            return _Routing(wanted.by, wanted.by, {"reporter": wanted.by})
        case "REVIEW":
            reference = about.stem if about else wanted.about or ""
            kind = {"subject_type": "report" if isinstance(about, Report) else "task"} if isinstance(about, Task | Report) else {}
            said = {"sender": wanted.by, "reviewer_role": wanted.by, **kind, "subject_ref": reference}
            return _Routing(f"{wanted.by}-on-{short_subject(reference)}", wanted.by, said)
        case "REPORT":
            to = wanted.to or (about.author if about else None)
            task = {"references": (_name_task(about),)} if isinstance(about, Task) else {}
            if to is None or to == TEAM:
                return Refusal("no-recipient", "say with --to who gets this REPORT", state=State.MISUSED)
            return _Routing(f"{wanted.by}-to-{split_slot(to)[0]}", wanted.by, {"sender": wanted.by, "recipient": split_slot(to)[0], **task})
    to = wanted.to or ""
    return _Routing(f"{wanted.by}-to-{to}", wanted.by, {"sender": wanted.by, "recipient": split_slot(to)[0]})


def _name_task(task: Task) -> str:
    """The short id, by which the reference pairs REPORTs; the full name where the number was given twice."""
    named = task.workspace.by_short_id.get(task.short_id or "", [])
    is_unique = len({other.stem for other in named}) == 1
    return task.short_id if task.short_id and is_unique else task.stem


def _home(workspace: Workspace, kind: str) -> str:
    if kind == "TASK":
        return f"{LIFECYCLE}/{STAGES[0]}" if workspace.version >= 3 else "tasks"
    return HOME_FOLDER[kind]


def _folders(kind: str) -> Iterator[str]:
    """Where an envelope of a type may lie directly: there nobody may have taken the number in the meantime."""
    if kind == "TASK":
        yield from (f"{LIFECYCLE}/{stage}" for stage in STAGES)
        yield "tasks"
    else:
        yield HOME_FOLDER[kind]


def _write(wanted: Wanted, filename: str, routing: _Routing, now: datetime.datetime, *, with_events: bool) -> str:
    stem = filename.removesuffix(".md")
    name = parse_name(filename)
    assert name is not None
    head: dict[str, Value] = {"protocol": PROTOCOL, "version": "1", "type": wanted.kind, f"{wanted.kind.lower()}_id": name.short_id}
    at = spell_time(now)
    if wanted.kind == "ISSUE":
        head |= {"status": "open", "created_at": at}
    if wanted.kind == "REVIEW":
        head |= {"decided_at": at}
    # What the caller says stands behind who speaks to whom; the reference's own order is of no consequence.
    lines = [line for key, value in {**head, **routing.fields, **wanted.fields}.items() for line in _field(key, value)]
    if with_events:
        created = FCOP.edges_from(None)[0]
        lines += ["transitions:", f"- at: '{at}'", "  from: null", f"  to: {created.target}", f"  by: {spell(routing.sender)}"]
        lines.append(f"  tool: {created.tool}")
    title = next((value for key in ("subject", "summary") if isinstance(value := wanted.fields.get(key), str)), stem)
    body = wanted.body or f"# {title}"
    return "\n".join(["---", *lines, "---", "", body.rstrip("\n"), ""])


def _field(key: str, value: Value) -> Iterator[str]:
    if isinstance(value, tuple):
        if value:
            yield f"{key}:"
            yield from (f"- {spell(item)}" for item in value)
    elif value is not None:
        # The version is a number, and a time is quoted, as the reference writes them.
        yield f"{key}: {value if key == 'version' else spell(value)}"


def _staging(scene: Scene, path: str, data: bytes, wanted: Wanted) -> tuple[dict[str, Blob], tuple[str, ...]]:
    if scene.repository is None:
        return {}, ()
    if not wanted.stages_in_git:
        return {}, (f"not staged, because asked not to be: git add -- {path}",)
    if git.ignored_paths(scene.repository, [path]):
        return {}, ("not staged: git ignores it",)
    return {path: Blob(data)}, (f"to commit this alone: git commit --only -- {path}",)
