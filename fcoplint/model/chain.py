"""The chain of a TASK: its events, the receipt of each, and the digests that lead from its creation to its file (protocol.md C.5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from fcoplint.model.envelope import Task
from fcoplint.model.event import Event
from fcoplint.model.facts import CreateFact, Receipt
from fcoplint.protocol.digests import digest_of


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
        events = {event.number: event for event in self._moves}
        left = sorted(self._receipts, key=lambda receipt: (str(receipt.event.get("at")), receipt.path))
        pairs: dict[int, Receipt] = {}
        for is_pair in (Receipt.is_of, _is_for):
            for number, event in events.items():
                found = next((fact for fact in left if number not in pairs and is_pair(fact, event)), None)
                if found:
                    pairs[number] = found
                    left.remove(found)
        return pairs


def _is_for(receipt: Receipt, event: Event) -> bool:
    """Whether a receipt of a committed move joins the same stages."""
    return receipt.is_committed and (receipt.text("from_stage"), receipt.text("to_stage")) == (event.source, event.target)
