"""What a v4 TASK's events stand on: evidence, authorization, attempts (protocol.md C.2)."""

from __future__ import annotations

from typing import NamedTuple

from fcoplint.model.envelope import Task
from fcoplint.model.event import Event
from fcoplint.model.nodes import Scalar, Sequence
from fcoplint.protocol.facts import is_urn
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


def _items(event: Event, key: str) -> list[Scalar]:
    value = event.fields.get(key)
    return [item for item in value.items if isinstance(item, Scalar)] if isinstance(value, Sequence) else []
