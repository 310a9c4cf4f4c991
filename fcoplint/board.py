"""A team's work with all that speaks of it: every TASK with its events, REPORTs, REVIEWs, parents and children, as plain values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fcoplint.model.envelope import Envelope, Report, Review, Task
from fcoplint.model.event import Event
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.times import parse_time
from fcoplint.status import Hindrance, Work, open_issues, work_of

# Where real REPORTs and REVIEWs say when they were written, the surest first.
_WRITTEN = ("decided_at", "reported_at", "completed_at", "created_at", "date")


@dataclass(frozen=True, slots=True)
class Moment:
    """One event: when (UTC, None where `said`, the text itself, is no time), from where to where, by whom, with which tool."""

    at: datetime.datetime | None
    said: str | None
    source: str | None
    target: str | None
    by: str | None
    tool: str | None
    note: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Paper:
    """A REPORT or REVIEW that speaks of a TASK: who wrote it, when (UTC), and its status or decision.

    `is_dated` says that only the day is known: it stands in the name.
    """

    kind: str
    name: str
    path: str
    author: str | None
    at: datetime.datetime | None
    is_dated: bool
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """One TASK. `title` is its subject, or the first heading of its text; `parents` are the names of what it is a part of."""

    work: Work
    title: str | None
    recipient: str | None
    events: tuple[Moment, ...]
    papers: tuple[Paper, ...]
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TeamBoard:
    """One workspace: its leader, all its TASKs by path, its open ISSUEs."""

    root: str
    version: int
    leader: str | None
    cards: tuple[Card, ...]
    issues: tuple[Hindrance, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """All workspaces, and the moment (UTC) from which ages are counted."""

    teams: tuple[TeamBoard, ...]
    now: datetime.datetime


def make_board(state: Workspaces) -> Board:
    """The board of a state."""
    return Board(tuple(_team(workspace) for workspace in state), state.policy.now)


def _team(workspace: Workspace) -> TeamBoard:
    workspace.prefetch(workspace.envelopes)
    return TeamBoard(
        workspace.root,
        workspace.version,
        workspace.authority.named_leader,
        tuple(_card(task) for task in workspace.tasks),
        tuple(open_issues(workspace.issues)),
    )


def _card(task: Task) -> Card:
    relations = task.workspace.relations
    reports = relations.reports_of(task)
    reviews = [review for subject in (task, *reports) for review in relations.reviews_of(subject)]
    return Card(
        work_of(task),
        task.text("subject") or _heading(task),
        task.recipient,
        tuple(map(_moment, task.events)),
        tuple(_papers([*reports, *reviews])),
        tuple(dict.fromkeys(parent.stem for parent in relations.parents_of(task))),
    )


def _heading(task: Task) -> str | None:
    """The first heading of the text."""
    lines = task.document.body.split("\n") if task.document else ()
    return next((line.lstrip("#").strip() for line in lines if line.startswith("#")), None)


def _moment(event: Event) -> Moment:
    time = event.time
    return Moment(
        time.moment if time else None,
        event.text("at"),
        event.text("from"),
        event.text("to"),
        event.text("by"),
        event.tool,
        event.text("note"),
        event.first_line.line,
    )


def _papers(papers: Iterable[Report | Review]) -> Iterator[Paper]:
    """Each paper once, however many of them speak of one another."""
    for paper in {paper.path: paper for paper in papers}.values():
        told = next((time for time in map(parse_time, filter(None, map(paper.text, _WRITTEN))) if time), None)
        at = told.moment if told else _day(paper)
        verdict = paper.text("decision" if isinstance(paper, Review) else "status")
        yield Paper(paper.kind, paper.stem, paper.path, paper.author, at, told is None and at is not None, verdict)


def _day(paper: Envelope) -> datetime.datetime | None:
    """The day in a paper's name."""
    time = parse_time(paper.name.date) if paper.name else None
    return time.moment if time else None
