"""A TASK's gated moves as FCoP 4 records them: what each cites, what authorises it, of which attempt (F4.4.5, F4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fcoplint.model.envelope import Report, Review, Task
from fcoplint.model.event import Event
from fcoplint.model.nodes import Node, Scalar, Sequence
from fcoplint.protocol.gates import AUTHORISED, GATED, Move

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace


class Cited(NamedTuple):
    """A REPORT or REVIEW that an event names, and the digest of its bytes as written there (None: none is)."""

    reference: Scalar
    digest: Scalar | None

    @property
    def name(self) -> str:
        """The cited envelope's id."""
        return self.reference.text


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
    def evidence(self) -> tuple[Cited, ...]:
        """What `evidence_ref` and `evidence_digest` say, item by item."""
        digests = _scalars(self.event.fields.get("evidence_digest"))
        references = _scalars(self.event.fields.get("evidence_ref"))
        return tuple(Cited(item, digests[at] if at < len(digests) else None) for at, item in enumerate(references))

    @cached_property
    def grant(self) -> Cited | None:
        """What authorises it, None where it names nothing."""
        reference = self.event.scalar("authorization_ref")
        if reference is None or reference.is_empty:
            return None
        digest = self.event.scalar("authorization_digest")
        return Cited(reference, None if digest is None or digest.is_empty else digest)

    @cached_property
    def report(self) -> Cited | None:
        """The REPORT among its evidence."""
        return next((cited for cited in self.evidence if cited.name.startswith("REPORT-")), None)

    @property
    def reviews(self) -> Iterator[Cited]:
        """The REVIEWs among its evidence."""
        return (cited for cited in self.evidence if cited.name.startswith("REVIEW-"))


def gates(task: Task) -> Iterator[Gate]:
    """The gated events of a TASK, in the order written."""
    attempt = None
    for event in task.events:
        if (event.source, event.target) in GATED:
            yield Gate(task, event, attempt)
        if event.target == "active":
            attempt = event.text("attempt_id") or attempt


def evidence_named(workspace: Workspace, name: str) -> list[Report | Review]:
    """The REPORTs and REVIEWs that have an id; several where copies of one lie in two places."""
    return [envelope for envelope in workspace.by_stem.get(name, ()) if isinstance(envelope, Report | Review)]


def _scalars(node: Node | None) -> list[Scalar]:
    items = node.items if isinstance(node, Sequence) else ()
    return [item for item in items if isinstance(item, Scalar)]
