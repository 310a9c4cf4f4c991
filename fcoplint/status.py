"""Who holds what, where, since when: the state of a team's work, told from paths and events (design.md 6)."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fcoplint.language import known
from fcoplint.model.envelope import Issue, Task
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol.stages import STAGES, TERMINAL
from fcoplint.settings import Settings
from fcoplint.source.snapshot import Snapshot

# A TASK in an older layout has no stage: it is open until a REPORT answers it.
OPEN, REPORTED = "open", "reported"


@dataclass(frozen=True, slots=True)
class Work:
    """One TASK: its stage, who holds it, since when (UTC, None where no event says), and what was reported."""

    task: str
    path: str
    stage: str
    holder: str | None
    sender: str | None
    subject: str | None
    priority: str | None
    since: datetime.datetime | None
    reports: tuple[str, ...]
    children: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hindrance:
    """One open ISSUE."""

    issue: str
    path: str
    reporter: str | None
    severity: str | None
    summary: str | None


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """One workspace: its leader, its work by stage, its open issues, its language. Archived work is only counted."""

    root: str
    version: int
    leader: str | None
    work: tuple[Work, ...]
    issues: tuple[Hindrance, ...]
    archived: int
    lang: str | None = None


def status(snapshot: Snapshot, settings: Settings, top: str | None = None) -> list[TeamStatus]:
    """The status of every workspace of a snapshot."""
    return [_team(workspace) for workspace in Workspaces(snapshot, Documents(), top, settings.policy)]


def _team(workspace: Workspace) -> TeamStatus:
    workspace.prefetch(workspace.envelopes)
    current = [task for task in workspace.tasks if not task.place.is_historic]
    work = sorted((work_of(task) for task in current), key=lambda work: (_order(work.stage), work.task, work.path))
    return TeamStatus(
        workspace.root,
        workspace.version,
        workspace.authority.named_leader,
        tuple(work),
        tuple(open_issues(workspace.issues)),
        len(workspace.tasks) - len(current),
        known(workspace.manifest.lang) if workspace.manifest else None,
    )


def _order(stage: str) -> int:
    return (OPEN, *STAGES, REPORTED).index(stage) if stage in (OPEN, *STAGES, REPORTED) else 0


def work_of(task: Task) -> Work:
    """What a TASK, its events and what speaks of it say of the work."""
    relations = task.workspace.relations
    reports = tuple(report.stem for report in relations.reports_of(task))
    stage = task.place.stage or (TERMINAL if task.place.is_historic else REPORTED if reports else OPEN)
    return Work(
        task=task.stem,
        path=task.path,
        stage=stage,
        holder=_holder(task, stage),
        sender=task.text("sender"),
        subject=task.text("subject"),
        priority=task.text("priority"),
        since=_since(task),
        reports=reports,
        children=tuple(child.stem for child in relations.children_of(task)),
    )


def _holder(task: Task, stage: str) -> str | None:
    """Who has to act: the recipient, and once work is handed in or done the sender."""
    return task.text("sender") if stage in ("review", "done", REPORTED) else task.recipient


def _since(task: Task) -> datetime.datetime | None:
    time = task.events[-1].time if task.events else None
    return time.moment if time else None


def open_issues(issues: Iterable[Issue]) -> Iterator[Hindrance]:
    """The ISSUEs that nobody has closed."""
    for issue in issues:
        if not issue.place.is_historic and (issue.text("status") or "open").lower() == "open":
            yield Hindrance(issue.stem, issue.path, issue.author, issue.text("severity"), issue.text("summary"))
