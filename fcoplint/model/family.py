"""Families of FCoP 4: the REPORTs of each attempt with their head, and a Root's Branches (F4.3.4, F4.6.5 to F4.6.8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from fcoplint.model.envelope import Report, Task
from fcoplint.model.event import Event
from fcoplint.model.relations import Reference, references
from fcoplint.protocol.digests import BranchEvidence, digest_of, family_digest

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace

REPLACEMENT = "replacement"


@dataclass(frozen=True)
class Attempt:
    """All REPORTs of one attempt at one TASK, by path."""

    subject: str
    attempt: str
    reports: tuple[Report, ...]

    def priors(self, report: Report) -> list[Reference]:
        """The references of a REPORT that name another one of this attempt."""
        names = {other.stem for other in self.reports} - {report.stem}
        return [reference for reference in references(report, "references") if reference.value.text in names]

    @cached_property
    def replaced(self) -> frozenset[str]:
        """The REPORTs that a replacement cites."""
        replacements = (report for report in self.reports if report.text("report_kind") == REPLACEMENT)
        return frozenset(prior.value.text for report in replacements for prior in self.priors(report))

    @cached_property
    def heads(self) -> tuple[Report, ...]:
        """The REPORTs that no replacement cites; lawful is one."""
        return tuple(report for report in self.reports if report.stem not in self.replaced)


class Branch(NamedTuple):
    """A Branch of a Root, with the evidence of its current attempt; None where no REPORT is its one head."""

    task: Task
    evidence: BranchEvidence | None


class Families:
    """The attempts and families of one workspace, worked out when first asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @cached_property
    def attempts(self) -> dict[tuple[str, str], Attempt]:
        """The REPORTs by their subject and attempt."""
        found: dict[tuple[str, str], list[Report]] = {}
        for report in self._workspace.reports:
            subject, attempt = report.text("subject_ref"), report.text("attempt_id")
            if subject and attempt:
                found.setdefault((subject, attempt), []).append(report)
        return {key: Attempt(*key, tuple(reports)) for key, reports in found.items()}

    def branches(self, root: Task) -> list[Branch]:
        """The Branches of a Root, by name; of copies in two stages (FC203) the one that got further."""
        return [Branch(task, self._evidence(task)) for task in self._by_root.get(root.stem, ())]

    def digest(self, root: Task) -> str | None:
        """The family's digest as it is now, None where a Branch has no one head."""
        evidence = [branch.evidence for branch in self.branches(root)]
        whole = [item for item in evidence if item]
        return family_digest(root.stem, whole) if len(whole) == len(evidence) else None

    def head(self, task: Task) -> Report | None:
        """The one REPORT head of a TASK's current attempt."""
        attempt = current_attempt(task)
        group = self.attempts.get((task.stem, attempt)) if attempt else None
        return group.heads[0] if group and len(group.heads) == 1 else None

    @cached_property
    def _by_root(self) -> dict[str, list[Task]]:
        furthest = {task.stem: task for task in sorted(self._workspace.tasks, key=lambda task: (len(task.events), task.path))}
        found: dict[str, list[Task]] = {}
        for _, task in sorted(furthest.items()):
            root = task.text("branch_of")
            if root:
                found.setdefault(root, []).append(task)
        return found

    def _evidence(self, task: Task) -> BranchEvidence | None:
        attempt, head = current_attempt(task), self.head(task)
        if attempt is None or head is None or head.document is None:
            return None
        return BranchEvidence(task.stem, attempt, head.stem, digest_of(head.document.data))


def current_attempt(task: Task) -> str | None:
    """The attempt that the last event into active began (F4.6.1)."""
    found = task.attempts
    return found[-1].id if found else None


def active_spans(task: Task) -> Iterator[tuple[Event, Event | None]]:
    """(the event into active, the next event or None) for each time that a TASK was active."""
    pairs = zip_longest(task.events, task.events[1:])
    return ((event, after) for event, after in pairs if event.target == "active")
