"""Events (FC3): how did it get here? The transitions list as evidence (protocol.md A.4, B.5)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from fcoplint.checks.registry import V3, V3_V4, V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.change import Change
from fcoplint.model.envelope import Task
from fcoplint.model.event import Event
from fcoplint.model.frontmatter import plain_value
from fcoplint.model.location import Location
from fcoplint.model.nodes import Mapping, Scalar, Sequence, in_words
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import dialects, stages, v4
from fcoplint.protocol.dialects import Dialect
from fcoplint.protocol.roles import looks_like_actor
from fcoplint.protocol.scalars import yaml_type
from fcoplint.protocol.stages import STAGES, TERMINAL
from fcoplint.protocol.times import is_rfc3339, parse_time


class Step(NamedTuple):
    """An event that names a move, with what came before it in the list.

    `previous` is the item right before it, None where that names no move; `closed_by` is the archive event after which
    nothing like this one may follow.
    """

    event: Event
    previous: Event | None
    closed_by: Event | None


@rule("FC301", versions=V3)
def missing_transitions(workspace: Workspace) -> Iterator[Finding]:
    bare = [task for task in workspace.tasks if task.place.stage and _has_no_events(task)]
    first_day = _first_recorded_day(workspace) if bare else None
    for task in bare:
        if not _is_legal_history(task, first_day):
            yield _no_events(task)


@rule("FC301", versions=V3, additive=True)
def created_without_events(change: Change) -> Iterator[Finding]:
    # A first commit may import files of any age.
    if not change.before.snapshot.entries:
        return
    for envelope in change.added():
        if isinstance(envelope, Task) and envelope.workspace.version in V3 and envelope.place.stage and _has_no_events(envelope):
            yield _no_events(envelope, when="created by this change")


def _no_events(task: Task, when: str = "") -> Finding:
    pair = task.pair("transitions")
    message = "created" if when else "empty" if pair else "default"
    return on(task, "FC301", pair or task.top, about="transitions", message=message, when=when, stage=task.place.stage)


def _has_no_events(task: Task) -> bool:
    if task.fields is None:
        return False
    listed = task.get("transitions")
    return listed is None or (isinstance(listed, Scalar) and listed.is_null) or (isinstance(listed, Sequence) and listed.is_empty)


def _first_recorded_day(workspace: Workspace) -> str | None:
    """The day of the earliest event in a workspace, as in file names; what the migration stamped does not count."""
    times = (event.time for task in workspace.tasks for event in task.events if not event.is_migration)
    return min((f"{time.moment:%Y%m%d}" for time in times if time), default=None)


def _is_legal_history(task: Task, first_day: str | None) -> bool:
    """Whether an archived TASK is of before the first event that was recorded here: it lacks none, there were none."""
    if task.place.stage != TERMINAL or task.pair("transitions"):
        return False
    return first_day is None or (task.name is not None and task.name.date < first_day)


@rule("FC302", versions=V3_V4)
def malformed_event(task: Task) -> Iterator[Finding]:
    listed = task.get("transitions")
    if listed is None or (isinstance(listed, Scalar) and listed.is_null):
        return
    if not isinstance(listed, Sequence):
        yield on(task, "FC302", listed, about="transitions", message="not-list")
        return
    for item in listed.items:
        if not isinstance(item, Mapping):
            said = in_words(item)
            yield on(task, "FC302", item, about=f"item {said}", message="not-mapping", value=said)
    for event in task.events:
        for key in dialects.REQUIRED_KEYS:
            yield from _key_fault(task, event, key)


def _key_fault(task: Task, event: Event, key: str) -> Iterator[Finding]:
    pair = event.pair(key)
    name = pair.key.text if pair else event.tool_keys[0] if key == "tool" else key
    about = f"{event.identity} {key}"
    if pair is None:
        yield on(task, "FC302", event.first_line, about=about, key=name)
        return
    value = pair.value
    if not isinstance(value, Scalar):
        yield on(task, "FC302", value, about=about, message="not-text", key=name)
    elif key == "from" and value.is_null:
        # Null is what `from` says of a creation; anywhere else the chain is broken, which is FC307.
        return
    elif value.is_empty:
        yield on(task, "FC302", pair, about=about, message="empty", key=name)
    elif key != "at" and not value.quoted and (read_as := yaml_type(value.text)):
        yield on(task, "FC302", value, about=about, message="trap", key=name, value=value.text, read_as=read_as)


@rule("FC303", versions=V3_V4)
def bad_event_time(task: Task) -> Iterator[Finding]:
    for event in task.events:
        said = event.scalar("at")
        if said is None or said.is_empty:
            continue
        if event.time is None:
            yield on(task, "FC303", said, about=event.identity, value=said.text)
        elif task.workspace.edition.is_exact:
            message = "inexact" if not is_rfc3339(said.text) else "" if said.quoted or plain_value(said.text) == said.text else "unquoted"
            if message:
                yield on(task, "FC303", said, about=event.identity, message=message, value=said.text)
        elif not event.time.aware:
            yield on(task, "FC303", said, about=event.identity, message="naive", when="no offset", value=said.text)


@rule("FC304", versions=V3_V4)
def time_goes_back(task: Task) -> Iterator[Finding]:
    latest: dict[bool, Event] = {}
    for event in task.events:
        # The migration stamps a file's own date, which says nothing about the order.
        if event.time is None or event.is_migration or not event.names_move:
            continue
        earlier = next((before for before in latest.values() if _is_later(before, event)), None)
        if earlier:
            related = (Related(_where(task, earlier, "at"), "event before"),)
            yield on(
                task, "FC304", _where(task, event, "at"), about=event.identity, related=related,
                value=event.text("at"), earlier=earlier.text("at"),
            )  # fmt: skip
        latest[event.time.aware] = event


def _is_later(before: Event, event: Event) -> bool:
    """Whether the event before is later for sure, wherever a time without an offset was written; two such are of one place."""
    if before.time is None or event.time is None:
        return False
    same_clock = before.time.aware == event.time.aware
    slack = datetime.timedelta(0) if same_clock else before.time.margin + event.time.lag
    return before.time.moment - event.time.moment > slack


@rule("FC305", versions=V3_V4)
def illegal_edge(task: Task) -> Iterator[Finding]:
    table = task.workspace.dialect.table
    for event, previous, closed_by in _steps(task):
        if closed_by or event.is_migration or table.edges_between(event.source, event.target):
            continue
        # The first event is FC308's, and one that starts from nothing in the middle is FC307's.
        if event.number == 0 or (event.source is None and _breaks_chain(event, previous)) or is_legacy(task, event):
            continue
        yield on(
            task, "FC305", _where(task, event, "to"), about=event.identity, message=_kind_of_illegal_edge(event, table),
            source=event.source or "null", target=event.target, stages=", ".join(STAGES),
            lawful=", ".join(map(str, table.edges_from(event.source))),
        )  # fmt: skip


def is_legacy(task: Task, event: Event) -> bool:
    """Whether an event is one of v3 that v4 gave up: FC351 speaks of it."""
    if task.workspace.version != 4:
        return False
    return (event.source, event.target) == v4.LEGACY_EDGE or event.tool == v4.LEGACY_TOOL


def _kind_of_illegal_edge(event: Event, table: stages.Table) -> str:
    if event.target not in STAGES:
        return "unknown-target"
    if event.source is not None and event.source not in STAGES:
        return "unknown-source"
    return "default" if table.edges_from(event.source) else "terminal"


@rule("FC306", versions=V3_V4)
def wrong_tool(task: Task) -> Iterator[Finding]:
    table = task.workspace.dialect.table
    for event, _, closed_by in _steps(task):
        edges = table.edges_between(event.source, event.target)
        if closed_by or event.is_migration or not edges or event.tool is None or event.tool in (edge.tool for edge in edges):
            continue
        if is_legacy(task, event):
            continue
        is_alias = any(event.tool in edge.aliases for edge in edges)
        others = table.edges_by(event.tool)
        yield on(
            task, "FC306", _where(task, event, "tool"), about=f"{event.identity} {event.tool}",
            message="alias" if is_alias else "other-edge" if others else "default",
            when="write_task for create_task" if is_alias else "",
            tool=event.tool, source=event.source or "null", target=event.target,
            expected=" or ".join(edge.tool for edge in edges), others=", ".join(map(str, others)),
        )  # fmt: skip


@rule("FC307", versions=V3_V4)
def broken_chain(task: Task) -> Iterator[Finding]:
    for event, previous, closed_by in _steps(task):
        if previous and not closed_by and _breaks_chain(event, previous):
            yield on(
                task, "FC307", _where(task, event, "from"), about=event.identity,
                message="default" if event.source else "from-nothing",
                related=(Related(_where(task, previous, "to"), "event before"),),
                source=event.source or "null", previous=previous.target,
            )  # fmt: skip


def _breaks_chain(event: Event, previous: Event | None) -> bool:
    """Whether an event starts elsewhere than the one before it ended; a correction may, and so may the migration."""
    if previous is None or event.is_migration or event.is_correction:
        return False
    # A stage that does not exist is its own fault: what it breaks is not a second one.
    if previous.target not in STAGES or (event.source is not None and event.source not in STAGES):
        return False
    return event.source != previous.target


@rule("FC308", versions=V3_V4)
def bad_creation(task: Task) -> Iterator[Finding]:
    table = task.workspace.dialect.table
    migrated: Event | None = None
    for event, _, _ in _steps(task):
        message = ""
        if event.is_migration and task.workspace.version == 4:
            message = "migration"
        elif event.is_migration:
            # Nobody that can be told, or somebody who only looks like the migration (FC106), is no other actor.
            unclear = event.by is None or looks_like_actor(event.by)
            message = "twice" if migrated else "" if unclear or event.by == stages.MIGRATION_ACTOR else "not-by-migration"
        elif event.number == 0 and (event.source is not None or table.edge(None, event.target) is None):
            message = "default"
        if message:
            yield on(
                task, "FC308", _where(task, event, "from"), about=event.identity, message=message,
                related=(Related(task.at(migrated.first_line), "first migration"),) if migrated else (),
                source=event.source or "null", target=event.target, by=event.by,
                creation=", ".join(map(str, table.edges_from(None))),
            )  # fmt: skip
        if event.is_migration:
            migrated = migrated or event


@rule("FC308", versions=V4)
def creation_disagrees(task: Task) -> Iterator[Finding]:
    listed = task.get("transitions")
    if isinstance(listed, Sequence) and listed.is_empty:
        yield on(task, "FC308", task.pair("transitions") or task.top, about="transitions", message="empty")
    first = task.events[0] if task.events else None
    if first is None or first.number or first.source is not None or first.tool != v4.TABLE.edges_from(None)[0].tool:
        return
    sender, created = task.text("sender"), task.text("created_at")
    if first.by and sender and first.by != sender:
        yield on(task, "FC308", _where(task, first, "by"), about=f"by={first.by}", message="by", by=first.by, sender=sender)
    moment = parse_time(created) if created else None
    if first.time and moment and first.time.moment != moment.moment:
        at = first.text("at")
        yield on(task, "FC308", _where(task, first, "at"), about=f"at={at}", message="time", at=at, created=created)


@rule("FC309", versions=V3_V4)
def path_disagrees(task: Task) -> Iterator[Finding]:
    stage, last = task.place.stage, task.last_event
    if stage is None or last is None or last.target in (stage, None) or last.target not in STAGES or _lies_twice(task):
        return
    missing = task.workspace.dialect.table.path(last.target, stage)
    message = "no-way" if missing is None else "default" if len(missing) == 1 else "several"
    yield on(
        task, "FC309", _where(task, last, "to"), about=f"{last.target} in {stage}", message=message,
        target=last.target, stage=stage, missing=", ".join(map(str, missing or ())),
    )  # fmt: skip


def _lies_twice(task: Task) -> bool:
    """Whether another copy lies in a stage, too: which of them the events speak of is FC203's question."""
    return sum(copy.place.kind in ("stage", "lifecycle") for copy in task.workspace.by_stem[task.stem]) > 1


@rule("FC310", versions=V3_V4)
def event_after_archive(task: Task) -> Iterator[Finding]:
    for event, _, closed_by in _steps(task):
        if closed_by:
            related = (Related(task.at(closed_by.first_line), "archive event"),)
            yield on(
                task, "FC310", event.first_line, about=event.identity, related=related,
                source=event.source or "null", target=event.target, line=closed_by.first_line.line,
            )  # fmt: skip


@rule("FC311", versions=V3)
def unknown_event_key(workspace: Workspace) -> Iterator[Finding]:
    events = [(task, event) for task in workspace.tasks for event in task.events]
    known = workspace.dialect.event_keys
    foreign = [(task, event, found) for task, event in events if (found := dialects.recognise(event.keys, workspace.dialect))]
    if foreign:
        task, event, likely = foreign[0]
        yield _other_dialect(workspace, task, event, likely, len(foreign))
        # That one finding stands for all keys of the other dialect.
        known |= likely.event_keys
    for task, event in events:
        for pair in event.fields.pairs:
            if pair.key.text not in known:
                keys = ", ".join(sorted(workspace.dialect.event_keys))
                yield on(task, "FC311", pair, about=f"{event.identity} {pair.key.text}", key=pair.key.text, known=keys)


def _other_dialect(workspace: Workspace, task: Task, event: Event, likely: Dialect, count: int) -> Finding:
    """One finding for a whole workspace: at its first such event, but about the workspace, whatever is first tomorrow."""
    key = likely.tool_keys[0]
    where = event.fields.pair(key) or event.first_line
    expected = workspace.dialect.tool_keys[0]
    finding = on(task, "FC311", where, about="dialect", message="dialect", key=key, expected=expected, dialect=likely.name, count=count)
    return replace(finding, subject=workspace.relative(workspace.manifest_path))


@rule("FC312", versions=V3_V4)
def event_from_the_future(task: Task) -> Iterator[Finding]:
    policy = task.workspace.policy
    for event in task.events:
        if event.time and event.time.moment - policy.now > policy.clock_tolerance + event.time.margin:
            now = f"{policy.now:%Y-%m-%dT%H:%M:%SZ}"
            yield on(task, "FC312", _where(task, event, "at"), about=event.identity, value=event.text("at"), now=now)


def _steps(task: Task) -> Iterator[Step]:
    """The events that name a move. One that does not is FC302, and nothing is concluded from it."""
    table = task.workspace.dialect.table
    previous: Event | None = None
    archived: Event | None = None
    for event in task.events:
        if not event.names_move:
            previous = None
            continue
        adjacent = previous if previous and previous.number == event.number - 1 else None
        may_follow = event.source == TERMINAL and table.edges_between(event.source, event.target)
        stays = event.is_migration and event.target == TERMINAL
        yield Step(event, adjacent, None if may_follow or stays else archived)
        previous = event
        if event.target == TERMINAL:
            archived = archived or event


def _where(task: Task, event: Event, key: str) -> Location:
    """The value of an event's key; the event's first line where the key is absent."""
    pair = event.pair(key)
    return task.at(pair.value if pair else event.first_line)
