"""The chain of a TASK: its events, the receipt of each, and the digests that lead from its creation to its file (protocol.md C.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from fcoplint.model.envelope import Task
from fcoplint.model.event import Event
from fcoplint.model.facts import CreateFact, Receipt
from fcoplint.protocol.digests import canonical_json, digest_of


class Link(NamedTuple):
    """One event with its receipt, None where it has none; `before` is the digest that the step before it left, None if unknown."""

    event: Event
    receipt: Receipt | None
    before: str | None

    @property
    def is_broken(self) -> bool:
        """Whether the receipt does not begin where the step before it ended."""
        return self.receipt is not None and self.before is not None and self.receipt.text("source_digest") != self.before

    @property
    def differs(self) -> bool:
        """Whether the receipt is for this move and tells it otherwise."""
        return self.receipt is not None and self.receipt.event != self.event.values

    @property
    def after(self) -> str | None:
        """The digest that this step left."""
        return self.receipt.text("target_digest") if self.receipt else None


class Chain:
    """The chain of one TASK, by the create fact and the receipts that name it."""

    def __init__(self, task: Task, creations: list[CreateFact], receipts: list[Receipt]) -> None:
        self.task = task
        self._created = creations[0].text("content_digest") if len(creations) == 1 else None
        self._receipts = receipts

    @cached_property
    def links(self) -> list[Link]:
        """A link for each event but the creation, which the create fact records."""
        links: list[Link] = []
        before = self._created
        for event in self._moves:
            link = Link(event, self._pairs.get(event.number), before)
            links.append(link)
            before = link.after
        return links

    @property
    def end(self) -> str | None:
        """The digest that the file must have now; None where the last step left no receipt."""
        return self.links[-1].after if self.links else self._created

    @property
    def found(self) -> str | None:
        """The digest that the file has, None where it cannot be read."""
        content = self.task.content
        return digest_of(content) if isinstance(content, bytes) else None

    @property
    def unmatched(self) -> Iterator[Receipt]:
        """The receipts of committed moves for which there is no event."""
        paired = {fact.path for fact in self._pairs.values()}
        return (receipt for receipt in self._receipts if receipt.path not in paired and receipt.is_committed)

    @property
    def _moves(self) -> tuple[Event, ...]:
        events = self.task.events
        return events[1:] if events and events[0].source is None else events

    @cached_property
    def _pairs(self) -> dict[int, Receipt]:
        """The receipt of each event, by its number: the one that repeats it, else in order one that is left for its move."""
        ordered = sorted(self._receipts, key=lambda receipt: (str(receipt.event.get("at")), receipt.path))
        repeating = _Pile((canonical_json(receipt.event), receipt) for receipt in ordered)
        pairs = {event.number: found for event in self._moves if (found := repeating.take(canonical_json(event.values)))}
        left = [receipt for receipt in repeating.rest if receipt.is_committed]
        joining = _Pile(((receipt.text("from_stage"), receipt.text("to_stage")), receipt) for receipt in left)
        unpaired = (event for event in self._moves if event.number not in pairs)
        return pairs | {event.number: found for event in unpaired if (found := joining.take((event.source, event.target)))}


class _Pile:
    """Receipts by a key, to be taken one by one in their order."""

    def __init__(self, keyed: Iterable[tuple[object, Receipt]]) -> None:
        self._by_key: dict[object, deque[Receipt]] = {}
        for key, receipt in keyed:
            self._by_key.setdefault(key, deque()).append(receipt)

    def take(self, key: object) -> Receipt | None:
        """The next receipt with a key, which then is gone; None where there is none."""
        found = self._by_key.get(key)
        return found.popleft() if found else None

    @property
    def rest(self) -> list[Receipt]:
        """What was not taken."""
        return [receipt for receipts in self._by_key.values() for receipt in receipts]
