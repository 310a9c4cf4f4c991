"""Which envelopes speak of which: the references in front matter, resolved, both ways (protocol.md V3-F13, A.6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fcoplint.model.envelope import Envelope, Report, Task
from fcoplint.model.nodes import Mapping, Node, Scalar, Sequence
from fcoplint.protocol.roles import split_slot

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace

# How a REPORT names its TASK, the canonical key first; what real files use stands in field.md 2.
TASK_KEYS = ("references", "ref_task", "related_task", "task_id", "task_ref", "in_reply_to", "parent")
# How a TASK names the one it follows (rule 6).
FOLLOW_UP_KEYS = ("references", "parent", "supersedes", "in_reply_to", "related", "related_task", "task_ref", "ref_task")
# Found by date and number alone: the REPORT names no TASK, but one with its number and its two roles swapped is there.
BY_NUMBER = "number"


class Reference(NamedTuple):
    """One item of a field that names an envelope."""

    key: str
    value: Scalar


class FollowUp(NamedTuple):
    """A TASK that names another one, and by which field."""

    task: Task
    key: str


class Pairing(NamedTuple):
    """A TASK that a REPORT answers; `key` is how it was found (a field's name, or BY_NUMBER), `value` what names it."""

    task: Task
    key: str
    value: Scalar | None


def references(envelope: Envelope, *keys: str) -> Iterator[Reference]:
    """Every text in the given fields, in the order of the keys; lists are taken item by item."""
    for key in keys:
        for value in _texts(envelope.get(key)):
            yield Reference(key, value)


class Relations:
    """The relations among the envelopes of one workspace, worked out when first asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._tasks_of: dict[str, tuple[Pairing, ...]] = {}

    def tasks_of(self, report: Report) -> tuple[Pairing, ...]:
        """The TASKs a REPORT answers: by the first key that names one, `references` before all others."""
        found = self._tasks_of.get(report.path)
        if found is None:
            found = self._tasks_of[report.path] = self._pair(report)
        return found

    def reports_of(self, task: Task) -> list[Report]:
        """The REPORTs that answer a TASK, by path."""
        return self._reports.get(task.stem, [])

    def children_of(self, task: Task) -> list[Task]:
        """The TASKs whose `parent` is this one, by path."""
        return self._children.get(task.stem, [])

    def parents_of(self, envelope: Envelope) -> list[Envelope]:
        """The envelopes that `parent` names."""
        return [found for reference in references(envelope, "parent") for found in self.resolve(reference.value.text)]

    def follow_ups_of(self, task: Task) -> list[FollowUp]:
        """The TASKs that name this one, by path and field."""
        return self._follow_ups.get(task.stem, [])

    def resolve(self, text: str) -> list[Envelope]:
        """The envelopes of this workspace that a text names: an id, a file name, or a path that ends in one."""
        return self._workspace.find(text)

    def _pair(self, report: Report) -> tuple[Pairing, ...]:
        for key in TASK_KEYS:
            found: list[Pairing] = []
            for reference in references(report, key):
                found.extend(Pairing(task, key, reference.value) for task in self._tasks(reference.value.text, report))
            if found:
                return tuple(found)
        return tuple(Pairing(task, BY_NUMBER, None) for task in self._same_number(report))

    def _tasks(self, text: str, report: Report) -> list[Task]:
        """The TASKs a reference names; where a short id names several, the one that was sent to the reporter."""
        tasks = [envelope for envelope in self.resolve(text) if isinstance(envelope, Task)]
        if len({task.stem for task in tasks}) > 1:
            sender = report.text("sender")
            mine = [task for task in tasks if recipient(task) == sender]
            return mine or tasks
        return tasks

    def _same_number(self, report: Report) -> list[Task]:
        name = report.name
        if name is None:
            return []
        swapped = (name.recipient, name.sender)
        found = self._workspace.by_short_id.get(f"TASK-{name.date}-{name.sequence}", [])
        return [task for task in found if isinstance(task, Task) and task.name and (task.name.sender, task.name.recipient) == swapped]

    @cached_property
    def _reports(self) -> dict[str, list[Report]]:
        found: dict[str, list[Report]] = {}
        for report in self._workspace.reports:
            for stem in dict.fromkeys(pairing.task.stem for pairing in self.tasks_of(report)):
                found.setdefault(stem, []).append(report)
        return found

    @cached_property
    def _children(self) -> dict[str, list[Task]]:
        found: dict[str, list[Task]] = {}
        for task in self._workspace.tasks:
            for stem in dict.fromkeys(parent.stem for parent in self.parents_of(task)):
                found.setdefault(stem, []).append(task)
        return found

    @cached_property
    def _follow_ups(self) -> dict[str, list[FollowUp]]:
        found: dict[str, list[FollowUp]] = {}
        for task in self._workspace.tasks:
            for reference in references(task, *FOLLOW_UP_KEYS):
                for stem in {named.stem for named in self.resolve(reference.value.text)} - {task.stem}:
                    found.setdefault(stem, []).append(FollowUp(task, reference.key))
        return found


def recipient(task: Task) -> str | None:
    """The role a TASK is addressed to, its slot removed; by the field, else by the name."""
    said = task.text("recipient")
    if said is not None:
        return split_slot(said)[0]
    return task.name.recipient if task.name else None


def _texts(node: Node | None) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        if not node.is_empty:
            yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Mapping):
        for pair in node.pairs:
            yield from _texts(pair.value)
