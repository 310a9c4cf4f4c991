"""What a v4 TASK's events stand on: evidence, authorization, attempts (protocol.md C.2)."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from fcoplint.model.envelope import Task
from fcoplint.model.event import Attempt, Event
from fcoplint.model.nodes import Scalar, Sequence


class Citation(NamedTuple):
    """An envelope that an event cites, and the digest of its bytes at that time; None where the digest is absent or no text."""

    ref: Scalar
    digest: Scalar | None


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


def attempt_before(task: Task, event: Event) -> Attempt | None:
    """The attempt that was current when an event happened: the last one that an earlier event began."""
    earlier = bisect_left(task.attempts, event.number, key=lambda attempt: attempt.event.number)
    return task.attempts[earlier - 1] if earlier else None


def _items(event: Event, key: str) -> list[Scalar]:
    value = event.fields.get(key)
    return [item for item in value.items if isinstance(item, Scalar)] if isinstance(value, Sequence) else []
