"""Which envelopes speak of which: the references in front matter, resolved, both ways (protocol.md V3-F13, A.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from fcoplint.model.envelope import Envelope, Report, Review, Task
from fcoplint.model.nodes import Mapping, Node, Scalar, Sequence
from fcoplint.protocol.references import Target, abbreviates, number_of, parse_reference

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace

# How a REPORT names its TASK, the canonical key first; what real files use stands in field.md 2.
TASK_KEYS = ("references", "ref_task", "related_task", "task_id", "task_ref", "in_reply_to", "parent", "related")
SUPERSEDING_KEYS = ("supersedes", "amends")
# How a TASK names the one it follows (rule 6).
FOLLOW_UP_KEYS = ("references", "parent", "supersedes", "in_reply_to", "related", "related_task", "task_ref", "ref_task")
# Found by date and number alone: the REPORT names no TASK, but one with its number and its two roles swapped is there.
BY_NUMBER = "number"

_Kind = TypeVar("_Kind", bound=Envelope)


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
    """Every text in the given fields, in the order of the keys; lists are taken item by item, and each value of a key that stands twice."""
    for key in keys:
        for node in envelope.values(key):
            yield from (Reference(key, value) for value in _texts(node))


class Relations:
    """The relations among the envelopes of one workspace, worked out when first asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._tasks_of: dict[str, tuple[Pairing, ...]] = {}

    def tasks_of(self, report: Report) -> tuple[Pairing, ...]:
        """The TASKs a REPORT answers: by the first key that names one given to its sender, `references` before all others.

        TASKs named beside these are cited, not answered. Where none was given to the sender, those that the first key
        names: the REPORT claims them.
        """
        found = self._tasks_of.get(report.path)
        if found is None:
            found = self._tasks_of[report.path] = self._pair(report)
        return found

    def reports_of(self, task: Task) -> list[Report]:
        """The REPORTs that answer a TASK, by path."""
        return self._reports.get(task.stem, [])

    def unread_reports_for(self, task: Task) -> list[Report]:
        """The REPORTs whose front matter cannot be read, from who was to do a TASK to who may be told: any may answer it."""
        told = task.authors | self._workspace.authority.chiefs
        unread = (report for report in self._workspace.reports if report.fields is None)
        return [report for report in unread if self.is_answer(report, task) and not report.recipients.isdisjoint(told)]

    def is_answer(self, report: Report, task: Task) -> bool:
        """Whether a REPORT comes from a role that may report on a TASK."""
        return any(self._workspace.authority.may_report(task, name) for name in report.authors)

    def children_of(self, task: Task) -> list[Task]:
        """The TASKs whose `parent` is this one, by path."""
        return self._children.get(task.stem, [])

    def reviews_of(self, subject: Envelope) -> list[Review]:
        """The REVIEWs whose `subject_ref` is this envelope, by path."""
        return self._reviews.get(subject.stem, [])

    def superseders_of(self, envelope: Envelope) -> list[Envelope]:
        """The envelopes that say they supersede or amend this one, by path."""
        return self._superseders.get(envelope.stem, [])

    def parents_of(self, envelope: Envelope) -> list[Envelope]:
        """The envelopes that `parent` names."""
        return self.named_by(envelope, "parent")

    def named_by(self, envelope: Envelope, *keys: str) -> list[Envelope]:
        """The envelopes that the given fields name. Of several that share a number, never the speaker itself."""
        return [found for reference in references(envelope, *keys) for found in self.others(envelope, reference.value.text)]

    def others(self, speaker: Envelope, text: str) -> list[Envelope]:
        """The envelopes that a text names, without the speaker where it names more than that one."""
        found = self.resolve(text)
        return [envelope for envelope in found if envelope.stem != speaker.stem] or found

    def follow_ups_of(self, task: Task) -> list[FollowUp]:
        """The TASKs that name this one, by path and field."""
        return self._follow_ups.get(task.stem, [])

    def resolve(self, text: str) -> list[Envelope]:
        """The envelopes of this workspace that a text names: an id, a file name, or a path that ends in one.

        An id may stop before the slot or the slug, and a REVIEW's before its reviewer: the number tells them.
        """
        target = parse_reference(text)
        if target is None:
            return []
        return self._workspace.find(target.stem) or self._abbreviated(target)

    def _pair(self, report: Report) -> tuple[Pairing, ...]:
        if report.workspace.version == 4:
            # v4 names the one TASK by its exact id, and asks nobody's role.
            found = ((item, task) for item in references(report, "subject_ref") for task in self._workspace.named(item.value.text))
            return tuple(Pairing(task, item.key, item.value) for item, task in found if isinstance(task, Task))
        claimed: tuple[Pairing, ...] = ()
        for key in TASK_KEYS:
            named = [Pairing(task, key, item.value) for item in references(report, key) for task in self._tasks(item.value.text, report)]
            answered = tuple(pairing for pairing in named if self.is_answer(report, pairing.task))
            if answered:
                return answered
            claimed = claimed or tuple(named)
        return claimed or tuple(Pairing(task, BY_NUMBER, None) for task in self._same_number(report))

    def _tasks(self, text: str, report: Report) -> list[Task]:
        """The TASKs a reference names; where a short id names several, the one that was sent to the reporter."""
        tasks = [envelope for envelope in self.resolve(text) if isinstance(envelope, Task)]
        if len({task.stem for task in tasks}) > 1:
            return [task for task in tasks if self.is_answer(report, task)] or tasks
        return tasks

    def _same_number(self, report: Report) -> list[Task]:
        name = report.name
        if name is None:
            return []
        swapped = (name.recipient, name.sender)
        found = self._workspace.by_short_id.get(f"TASK-{name.date}-{name.sequence}", [])
        return [task for task in found if isinstance(task, Task) and task.name and (task.name.sender, task.name.recipient) == swapped]

    def _abbreviated(self, target: Target) -> list[Envelope]:
        found = self._by_number.get(number_of(target.stem) or "", [])
        return [envelope for envelope in found if abbreviates(target.stem, envelope.stem)]

    @cached_property
    def _by_number(self) -> dict[str, list[Envelope]]:
        found: dict[str, list[Envelope]] = {}
        for envelope in self._workspace.envelopes:
            number = number_of(envelope.stem)
            if number:
                found.setdefault(number, []).append(envelope)
        return found

    @cached_property
    def _reports(self) -> dict[str, list[Report]]:
        return _invert(self._workspace.reports, lambda report: [pairing.task for pairing in self.tasks_of(report)])

    @cached_property
    def _children(self) -> dict[str, list[Task]]:
        return _invert(self._workspace.tasks, self.parents_of)

    @cached_property
    def _reviews(self) -> dict[str, list[Review]]:
        return _invert(self._workspace.reviews, lambda review: self.named_by(review, "subject_ref"))

    @cached_property
    def _superseders(self) -> dict[str, list[Envelope]]:
        return _invert(self._workspace.envelopes, lambda envelope: self.named_by(envelope, *SUPERSEDING_KEYS))

    @cached_property
    def _follow_ups(self) -> dict[str, list[FollowUp]]:
        found: dict[str, list[FollowUp]] = {}
        for task in self._workspace.tasks:
            for reference in references(task, *FOLLOW_UP_KEYS):
                for stem in {named.stem for named in self.resolve(reference.value.text)} - {task.stem}:
                    found.setdefault(stem, []).append(FollowUp(task, reference.key))
        return found


def _invert(speakers: Iterable[_Kind], named: Callable[[_Kind], Iterable[Envelope]]) -> dict[str, list[_Kind]]:
    """The speakers by the stem of each envelope that they name, in their own order, each once."""
    found: dict[str, list[_Kind]] = {}
    for speaker in speakers:
        for stem in dict.fromkeys(envelope.stem for envelope in named(speaker)):
            found.setdefault(stem, []).append(speaker)
    return found


def _texts(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        if not node.is_empty:
            yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Mapping):
        for pair in node.pairs:
            yield from _texts(pair.value)
