"""A TASK's gated moves as FCoP 4 records them: what each cites, what authorises it, of which attempt (F4.4.5, F4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fcoplint.model.envelope import Report, Review, Task
from fcoplint.model.event import Event
from fcoplint.model.grounds import Citation, authorization, evidence
from fcoplint.protocol.gates import AUTHORISED, GATED, Move

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace


@dataclass(frozen=True)
class Gate:
    """One gated event of a TASK. `attempt` is the current one before it, None where no event says any."""

    task: Task
    event: Event
    attempt: str | None

    @property
    def move(self) -> Move:
        """From which stage to which."""
        return (self.event.source or "", self.event.target or "")

    @property
    def needs_authority(self) -> bool:
        """Whether it is one of T4 to T7."""
        return self.move in AUTHORISED

    @cached_property
    def evidence(self) -> tuple[Citation, ...]:
        """What it cites, item by item."""
        return evidence(self.event)

    @cached_property
    def grant(self) -> Citation | None:
        """What authorises it, None where it names nothing."""
        return authorization(self.event)

    @property
    def report(self) -> Citation | None:
        """The REPORT among its evidence."""
        return next((cited for cited in self.evidence if cited.ref.text.startswith("REPORT-")), None)

    @property
    def reviews(self) -> Iterator[Citation]:
        """The REVIEWs among its evidence."""
        return (cited for cited in self.evidence if cited.ref.text.startswith("REVIEW-"))

    def is_granted_by(self, name: str) -> bool:
        """Whether an id is that of its authorization."""
        return self.grant is not None and self.grant.ref.text == name


def gates(task: Task) -> Iterator[Gate]:
    """The gated events of a TASK, in the order written."""
    begun = {attempt.event.number: attempt.id for attempt in task.attempts}
    current = None
    for event in task.events:
        if (event.source, event.target) in GATED:
            yield Gate(task, event, current)
        current = begun.get(event.number, current)


def evidence_named(workspace: Workspace, name: str) -> list[Report | Review]:
    """The REPORTs and REVIEWs that have an id; several where copies of one lie in two places."""
    return [envelope for envelope in workspace.named(name) if isinstance(envelope, Report | Review)]
