"""One event of a TASK's `transitions` list (protocol.md B.5)."""

from dataclasses import dataclass

from fcoplint.model.nodes import Mapping, Pair, Scalar, Span, as_plain
from fcoplint.protocol import stages
from fcoplint.protocol.scalars import yaml_type
from fcoplint.protocol.times import Time, parse_time


@dataclass(frozen=True, slots=True)
class Event:
    """An event as written; `number` is its place in the list, from 0. `tool_keys` name its tool, the best first."""

    number: int
    fields: Mapping
    tool_keys: tuple[str, ...] = ("tool",)

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

    @property
    def values(self) -> object:
        """The event as plain text values, to compare two events by what they say."""
        return as_plain(self.fields)

    @property
    def source(self) -> str | None:
        """The stage the TASK came from; None for null and for an absent key."""
        return self.text("from")

    @property
    def target(self) -> str | None:
        """The stage the TASK went to."""
        return self.text("to")

    @property
    def first_line(self) -> Span:
        """The event's first line, for what is missing from it."""
        span = self.fields.span
        return Span(span.line, span.column, span.line, span.column)

    @property
    def tool(self) -> str | None:
        """The tool's name, without arguments; None where there is none that every reader takes for text."""
        value = self._said("tool")
        return stages.tool_name(value) if value else None

    @property
    def time(self) -> Time | None:
        """When it happened, None where `at` cannot be read."""
        said = self.text("at")
        return parse_time(said) if said else None

    @property
    def names_move(self) -> bool:
        """Whether both `from` and `to` are there and can be taken for stages; whether such stages exist is not asked."""
        source = self.scalar("from")
        return source is not None and (source.is_null or self._said("from") is not None) and self._said("to") is not None

    @property
    def is_migration(self) -> bool:
        """Whether it claims to be the v2-to-v3 migration's."""
        return self.names_move and stages.is_migration(self.source, self.target, self.tool)

    @property
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
