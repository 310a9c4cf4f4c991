"""One event of a TASK's `transitions` list (protocol.md B.5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fcoplint.model.nodes import Mapping, Node, Pair, Scalar, Span, as_plain
from fcoplint.protocol import stages
from fcoplint.protocol.facts import is_urn
from fcoplint.protocol.scalars import yaml_type
from fcoplint.protocol.times import Time, parse_time
from fcoplint.protocol.v4 import ENTRY_TOOLS


@dataclass(frozen=True)
class Event:
    """An event as written; `number` is its place in the list, from 0. `tool_keys` name its tool, the best first."""

    number: int
    fields: Mapping
    tool_keys: tuple[str, ...] = ("tool",)

    @property
    def keys(self) -> list[str]:
        """All keys, in the order written."""
        return [pair.key.text for pair in self.fields.pairs]

    def pair(self, key: str) -> Pair | None:
        """A key and its value; "tool" stands for whichever of the tool's keys is there."""
        keys = self.tool_keys if key == "tool" else (key,)
        return next((pair for pair in map(self.fields.pair, keys) if pair), None)

    def scalar(self, key: str) -> Scalar | None:
        """A key's value where it is a scalar, null included."""
        value = self.fields.get(key)
        return value if isinstance(value, Scalar) else None

    def text(self, key: str) -> str | None:
        """A key's text where it says something."""
        return self.fields.text(key)

    @cached_property
    def values(self) -> object:
        """The event as plain text values, to compare two events by what they say."""
        return as_plain(self.fields)

    @cached_property
    def source(self) -> str | None:
        """The stage the TASK came from; None for null and for an absent key."""
        return self.text("from")

    @cached_property
    def target(self) -> str | None:
        """The stage the TASK went to."""
        return self.text("to")

    @property
    def first_line(self) -> Span:
        """The event's first line, for what is missing from it."""
        span = self.fields.span
        return Span(span.line, span.column, span.line, span.column)

    @cached_property
    def tool(self) -> str | None:
        """The tool's name, without arguments; None where there is none that every reader takes for text."""
        value = self._said("tool")
        return stages.tool_name(value) if value else None

    @cached_property
    def by(self) -> str | None:
        """Who made the move; None where there is nothing that every reader takes for text."""
        return self._said("by")

    @cached_property
    def time(self) -> Time | None:
        """When it happened, None where `at` cannot be read."""
        said = self.text("at")
        return parse_time(said) if said else None

    @cached_property
    def names_move(self) -> bool:
        """Whether it says a move that can be judged; whether the stages it names exist is not asked.

        A move from nothing is a creation or a migration, and only the tool tells which.
        """
        source = self.scalar("from")
        if source is None or self._said("to") is None:
            return False
        return self.tool is not None if source.is_null else self._said("from") is not None

    @cached_property
    def is_migration(self) -> bool:
        """Whether it claims to be the v2-to-v3 migration's."""
        return self.names_move and stages.is_migration(self.source, self.target, self.tool)

    @property
    def is_correction(self) -> bool:
        """Whether it takes an earlier event's place, and so need not continue the one before (protocol.md V3-T08)."""
        pair = self.pair("supersedes")
        return pair is not None and not pair.value.is_empty

    @cached_property
    def identity(self) -> str:
        """What tells it from the other events of a TASK however a tool writes it anew: the instant and the move."""
        time = self.time
        at = time.moment.isoformat() if time else self.text("at")
        return f"{at} {self.source}>{self.target}"

    def _said(self, key: str) -> str | None:
        """A key's text, None where it is absent, empty, or read as another type."""
        pair = self.pair(key)
        value = pair.value if pair else None
        if not isinstance(value, Scalar) or value.is_empty or (not value.quoted and yaml_type(value.text)):
            return None
        return value.text


class Attempt(NamedTuple):
    """One stay in active, as FCoP 4 counts them: `event` began it, and it bears `id`."""

    id: str
    event: Event


def read_attempts(events: Iterable[Event]) -> list[Attempt]:
    """The attempts that events begin: each entry to active by its own tool, with a canonical id (protocol.md C.2)."""
    return [
        Attempt(said, event)
        for event in events
        if event.target == "active" and event.tool in ENTRY_TOOLS and is_urn(said := event.text("attempt_id"))
    ]  # fmt: skip


def read_events(items: Iterable[Node], tool_keys: tuple[str, ...], first: int = 0) -> tuple[Event, ...]:
    """The events among the items of a list, numbered from `first` on; what is no mapping is no event."""
    return tuple(Event(number, item, tool_keys) for number, item in enumerate(items, first) if isinstance(item, Mapping))
