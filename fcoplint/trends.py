"""How a team's work went: which TASKs stood in which stage after each commit of the main line, and for how long.

Told by the paths alone: where a file lay is what was true then, whatever its events say (design.md 1).
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fcoplint.model.workspace import Workspaces
from fcoplint.protocol.names import claimed_kind
from fcoplint.protocol.places import Place
from fcoplint.protocol.stages import TERMINAL
from fcoplint.source.history import Commit
from fcoplint.status import OPEN


@dataclass(frozen=True, slots=True)
class Sample:
    """How many TASKs stood in each stage after a commit."""

    at: datetime.datetime
    stages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Stay:
    """A TASK left a stage at a moment (UTC), after so many seconds in it."""

    left: datetime.datetime
    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Trends:
    """The main line's past: samples and stays by time, and the time of every commit that was looked at, by its id."""

    samples: tuple[Sample, ...]
    stays: tuple[Stay, ...]
    times: Mapping[str, datetime.datetime]


class _Task(NamedTuple):
    """Which TASK a path is, and the stage in which it lies."""

    identity: str
    stage: str


@dataclass(frozen=True, slots=True)
class _Change:
    """What one commit did to TASKs against its first parent: paths that went, paths that came."""

    parent: str | None
    at: datetime.datetime
    gone: tuple[str, ...]
    come: tuple[tuple[str, _Task], ...]


class Recorder:
    """Keeps of each commit that is walked past what happened to TASKs; what that means is worked out when asked."""

    def __init__(self) -> None:
        self._changes: dict[str, _Change] = {}
        self._before: dict[str, dict[str, _Task]] = {}

    def see(self, commit: Commit, before: Workspaces | None, after: Workspaces) -> None:
        """Note a commit, with the states of its first parent and its own; parents come before children."""
        touched = [delta.path for delta in commit.deltas]
        gone = tuple(path for path in touched if path not in after.snapshot.entries)
        parent = next(iter(commit.parents), None)
        if before is not None and parent not in self._changes:
            # The walk begins here: what stood before came at a time that nobody knows.
            self._before[commit.oid] = dict(_tasks(before, before.snapshot.entries))
        self._changes[commit.oid] = _Change(parent, commit.time, gone, tuple(_tasks(after, touched)))

    def trends(self) -> Trends:
        """The past of the line that leads to the last commit seen, by first parents."""
        line = list(self._line())
        story = _Story()
        for path, task in self._before.get(line[0], {}).items() if line else ():
            story.standing[path] = (task, None)
        for oid in line:
            story.tell(self._changes[oid])
        return Trends(tuple(story.samples), tuple(story.stays), {oid: change.at for oid, change in self._changes.items()})

    def _line(self) -> Iterator[str]:
        oid = next(reversed(self._changes), None)
        line = []
        while oid in self._changes:
            line.append(oid)
            oid = self._changes[oid].parent
        yield from reversed(line)


@dataclass
class _Story:
    """What stands where since when, told change by change."""

    standing: dict[str, tuple[_Task, datetime.datetime | None]] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    stays: list[Stay] = field(default_factory=list)
    _clock: datetime.datetime | None = None

    def tell(self, change: _Change) -> None:
        """Go one commit on. One that says it was made before its parent was made when that was."""
        at = self._clock = max(self._clock or change.at, change.at)
        left = [self.standing.pop(path) for path in change.gone if path in self.standing]
        moving = {task.identity: (task, since) for task, since in left}
        for path, task in change.come:
            before, since = self.standing.get(path) or moving.get(task.identity) or (None, None)
            if before is None or before.stage != task.stage:
                self._leave(before, since, at)
                since = at
            self.standing[path] = (task, since)
        if not self.samples or left or change.come:
            self.samples.append(Sample(at, Counter(task.stage for task, _ in self.standing.values())))

    def _leave(self, task: _Task | None, since: datetime.datetime | None, at: datetime.datetime) -> None:
        if task and since:
            self.stays.append(Stay(at, task.stage, (at - since).total_seconds()))


def _tasks(state: Workspaces, paths: Iterable[str]) -> Iterator[tuple[str, _Task]]:
    """Those of the paths that are TASKs in a workspace of a state."""
    for path in paths:
        filename = path.rpartition("/")[2]
        workspace = next((holder for holder in state if path in holder.entries), None) if claimed_kind(filename) == "TASK" else None
        stage = _stage(workspace.place(path)) if workspace else None
        if workspace and stage:
            yield path, _Task(f"{workspace.root}\0{filename}", stage)


def _stage(place: Place) -> str | None:
    """The stage of a TASK by its place; in an older layout it is open until it is laid away."""
    if place.stage:
        return place.stage
    if place.is_historic:
        return TERMINAL
    return OPEN if place.holds_envelopes else None
