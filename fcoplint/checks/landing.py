"""What a change newly brings beside what has landed: new TASKs, new events, new REPORTs (protocol.md E)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from fcoplint.checks.registry import V3, V3_V4, rule
from fcoplint.findings import Finding, on
from fcoplint.model.change import Change
from fcoplint.model.envelope import Report, Task
from fcoplint.model.pair import stage_of, trail
from fcoplint.model.workspace import Workspace

# Names and clocks may differ by a day (the reference names files by the local one); more is no accident.
_SLACK = datetime.timedelta(days=1)


@rule("FC313", versions=V3_V4, additive=True)
def backdated_event(change: Change) -> Iterator[Finding]:
    newest: dict[str, datetime.datetime | None] = {}
    landed = _landed_workspaces(change)
    for task, event in change.new_events():
        root = task.workspace.root
        before = landed.get(root)
        if before is None or event.time is None or task.workspace.version not in V3_V4 or event.is_migration:
            continue
        moment = event.time.moment
        if _latest_possible(before) - moment <= _SLACK:
            continue
        if root not in newest:
            newest[root] = _newest_event(before)
        latest = newest[root]
        if latest is not None and latest - moment > _SLACK:
            where = event.scalar("at") or event.first_line
            yield on(
                task, "FC313", where, about=event.identity, at=event.text("at"), newest=latest.isoformat(), days=(latest - moment).days
            )


@rule("FC812", versions=V3_V4, additive=True)
def landed_mid_life(change: Change) -> Iterator[Finding]:
    landed = _landed_workspaces(change)
    renamed = {pair.after.path for pair in change.renamed}
    for task in change.added():
        # The first import of a workspace brings TASKs of any age.
        if not isinstance(task, Task) or task.workspace.version not in V3_V4 or task.workspace.root not in landed:
            continue
        stage = stage_of(task.place)
        if task.place.kind not in ("stage", "history") or stage == "inbox" or task.path in renamed or task.fields is None:
            continue
        positions = trail(task.events)
        if not positions or positions[0] is not None or positions[-1] != stage:
            yield on(task, "FC812", task.top, about="landed", message="default" if task.events else "no-event", stage=stage)


@rule("FC814", versions=V3, additive=True)
def report_after_archive(change: Change) -> Iterator[Finding]:
    landed = _landed_workspaces(change)
    renamed = {pair.after.path for pair in change.renamed}
    for report in change.added():
        before = landed.get(report.workspace.root)
        if not isinstance(report, Report) or report.workspace.version not in V3 or before is None or report.path in renamed:
            continue
        for pairing in report.workspace.relations.tasks_of(report):
            copies = before.by_stem.get(pairing.task.stem, [])
            if copies and all(copy.place.is_historic for copy in copies):
                where = pairing.value or report.top
                yield on(report, "FC814", where, about=pairing.task.stem, task=pairing.task.stem, place=copies[0].path)


def _landed_workspaces(change: Change) -> dict[str, Workspace]:
    """The state before of each workspace that was there before, by its folder after."""
    return {after.root: before for before, after in change.workspaces() if before and after}


def _latest_possible(workspace: Workspace) -> datetime.datetime:
    return workspace.policy.now + workspace.policy.clock_tolerance


def _newest_event(workspace: Workspace) -> datetime.datetime | None:
    """The newest event that landed; one that lies in the future proves a wrong clock and no time."""
    limit = _latest_possible(workspace)
    moments = (event.time.moment for task in workspace.tasks for event in task.events if event.time)
    return max((moment for moment in moments if moment <= limit), default=None)
