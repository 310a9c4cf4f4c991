"""One event of a TASK's `transitions` list (protocol.md B.5)."""

from dataclasses import dataclass

from fcoplint.model.nodes import Mapping, Scalar, Span, as_plain


@dataclass(frozen=True, slots=True)
class Event:
    """An event as written; `number` is its place in the list, from 0."""

    number: int
    fields: Mapping

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
