"""Path (FC2) in history/: is what is over filed where it can be found? (protocol.md V3-H01 to V3-H05)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from fcoplint.checks.registry import V3, V3_V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Envelope, Report, Task
from fcoplint.model.event import Event
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.names import parse_name
from fcoplint.protocol.places import HOME_FOLDER, is_history_day
from fcoplint.protocol.stages import TERMINAL


@rule("FC208", versions=V3)
def bad_history_path(envelope: Envelope) -> Iterator[Finding]:
    # An ISSUE or REVIEW in history is FC205, and a name that cannot be parsed has a finding of its own.
    if envelope.place.kind != "history" or envelope.name is None or envelope.kind not in ("TASK", "REPORT"):
        return
    folders = _folders(envelope)
    message = _path_fault(envelope, folders)
    if message:
        found = "/".join(folders)
        yield on(envelope, "FC208", envelope.file, about=f"{message} {found}", message=message, found=found, stem=envelope.stem)


def _path_fault(envelope: Envelope, folders: list[str]) -> str | None:
    if len(folders) != 2:
        return "depth"
    if not is_history_day(folders[0]):
        return "day"
    if isinstance(envelope, Task):
        return None if folders[1] == envelope.stem else "folder"
    name = parse_name(f"{folders[1]}.md")
    return None if name and name.kind == "TASK" else "report-folder"


@rule("FC209", versions=V3)
def wrong_history_date(task: Task) -> Iterator[Finding]:
    filed = next(iter(_folders(task)), "")
    done = _first_done(task)
    if task.place.kind != "history" or not is_history_day(filed) or done is None:
        return
    event, day = done
    at = event.scalar("at")
    if at and str(day) != filed:
        related = (Related(task.at(at), "the event to done"),)
        yield on(task, "FC209", task.file, about=filed, related=related, filed=filed, day=str(day), at=at.text, stem=task.stem)


def _first_done(task: Task) -> tuple[Event, datetime.date] | None:
    """The first event to done with its UTC day; None where there is none, or its time cannot be read (FC3 says so)."""
    event = next((event for event in task.events if event.target == "done"), None)
    return (event, event.time.moment.date()) if event and event.time else None


@rule("FC210", versions=V3_V4)
def revived_from_history(workspace: Workspace) -> Iterator[Finding]:
    for copies in workspace.by_stem.values():
        filed = [copy for copy in copies if copy.kind == "TASK" and copy.place.kind == "history"]
        back = [copy for copy in copies if copy.kind == "TASK" and copy.place.kind in ("stage", "lifecycle")]
        if filed and back:
            same = isinstance(back[0].content, bytes) and back[0].content == filed[0].content
            related = tuple(Related(copy.file, "copy") for copy in (*filed, *back[1:]))
            message = "identical" if same else "default"
            yield on(back[0], "FC210", back[0].file, about="revived", message=message, related=related, other=filed[0].path)


@rule("FC211", versions=V3)
def split_history(report: Report) -> Iterator[Finding]:
    tasks = [pairing.task for pairing in report.workspace.relations.tasks_of(report)]
    # One REPORT may answer several TASKs, and lies beside one of them.
    if not tasks or any(_folder(task) == _folder(report) for task in tasks):
        return
    current = [task for task in tasks if task.place.kind != "history"]
    if current and report.place.kind != "history":
        return
    task = (current or tasks)[0]
    home = report.workspace.path(HOME_FOLDER["REPORT"]) if current else _folder(task)
    yield on(
        report, "FC211", report.file, about=task.stem, message="taken-along" if current else "default",
        related=tuple(Related(task.file, "the TASK") for task in tasks),
        task=task.stem, task_path=task.path, target=f"{home}/{report.filename}",
    )  # fmt: skip


@rule("FC212", versions=V3)
def unarchived_history(task: Task) -> Iterator[Finding]:
    last = task.last_event
    if task.place.kind == "history" and last and last.target not in (TERMINAL, None):
        yield on(task, "FC212", last.first_line, about=f"to={last.target}", last=last.target)


def _folders(envelope: Envelope) -> list[str]:
    """The folders between `history/` and the file."""
    return envelope.workspace.relative(envelope.path).split("/")[1:-1]


def _folder(envelope: Envelope) -> str:
    return envelope.path.rpartition("/")[0]
