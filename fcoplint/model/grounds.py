"""What a v4 TASK's events stand on: evidence, authorization, attempts; and what a REVIEW authorizes (protocol.md C.1, C.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fcoplint.model.envelope import Review, Task
from fcoplint.model.event import Event
from fcoplint.model.nodes import Mapping, Scalar, Sequence
from fcoplint.protocol.facts import is_urn
from fcoplint.protocol.times import Time, parse_time
from fcoplint.protocol.v4 import ENTRY_TOOLS


class Citation(NamedTuple):
    """An envelope that an event cites, and the digest of its bytes at that time; None where the digest is absent or no text."""

    ref: Scalar
    digest: Scalar | None


class Attempt(NamedTuple):
    """One stay in active: `event` began it, and it bears `id`."""

    id: str
    event: Event


def evidence(event: Event) -> tuple[Citation, ...]:
    """What `evidence_ref` names, each with its digest; none where it is no list of texts (FC352 says so)."""
    refs, digests = (_items(event, key) for key in ("evidence_ref", "evidence_digest"))
    return tuple(Citation(ref, digests[number] if number < len(digests) else None) for number, ref in enumerate(refs))


def authorization(event: Event) -> Citation | None:
    """What `authorization_ref` names, with its digest; None where the event names none."""
    ref = event.scalar("authorization_ref")
    if ref is None or ref.is_empty:
        return None
    digest = event.scalar("authorization_digest")
    return Citation(ref, None if digest is None or digest.is_empty else digest)


def attempts(task: Task) -> list[Attempt]:
    """The attempts at a TASK, in their order: each entry to active by its own tool, with a canonical id (protocol.md C.2)."""
    return [
        Attempt(said, event)
        for event in task.events
        if event.target == "active" and event.tool in ENTRY_TOOLS and is_urn(said := event.text("attempt_id"))
    ]  # fmt: skip


def attempt_before(task: Task, event: Event) -> Attempt | None:
    """The attempt that was current when an event happened: the last one that an earlier event began."""
    return next((attempt for attempt in reversed(attempts(task)) if attempt.event.number < event.number), None)


@dataclass(frozen=True)
class Authorization:
    """What a REVIEW says of the move it stands for; None for what it does not say. A REVIEW of any kind may carry it."""

    review: Review

    @property
    def kind(self) -> str | None:
        """`review_kind`: authorization, acceptance, rejection, and others."""
        return self.review.text("review_kind")

    @property
    def source(self) -> str | None:
        """The stage that `transition` leaves."""
        return self._edge("from")

    @property
    def target(self) -> str | None:
        """The stage that `transition` leads to."""
        return self._edge("to")

    @property
    def issued(self) -> Time | None:
        """When it was issued, None where that cannot be read."""
        return self._time("issued_at")

    @property
    def expires(self) -> Time | None:
        """When it ends, None where it has no end or that cannot be read."""
        return self._time("expires_at")

    def _edge(self, key: str) -> str | None:
        move = self.review.get("transition")
        return move.text(key) if isinstance(move, Mapping) else None

    def _time(self, key: str) -> Time | None:
        said = self.review.text(key)
        return parse_time(said) if said else None


def _items(event: Event, key: str) -> list[Scalar]:
    value = event.fields.get(key)
    return [item for item in value.items if isinstance(item, Scalar)] if isinstance(value, Sequence) else []
