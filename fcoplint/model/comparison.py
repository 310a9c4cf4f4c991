"""What differs between two contents of one envelope, by parsed value and never by spelling (protocol.md B.4).

A move by the reference dumps the whole front matter anew: comments go, quoting changes, a date loses its T, CRLF becomes
LF, rare line breaks in the body become LF. None of that is an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fcoplint.model.document import Document
from fcoplint.model.frontmatter import BOM, plain_value
from fcoplint.model.nodes import Mapping, Node, Scalar
from fcoplint.model.nodes import Sequence as Items
from fcoplint.protocol.times import parse_time

EVENTS = "transitions"


@dataclass(frozen=True)
class Comparison:
    """Two contents of one envelope, `old` and `new`. Lines are those of `new`."""

    old: Document
    new: Document

    @cached_property
    def landed(self) -> tuple[Node, ...]:
        """The old content's list of events, whatever its entries are."""
        return _entries(self.old)

    @cached_property
    def listed(self) -> tuple[Node, ...]:
        """The new content's list of events."""
        return _entries(self.new)

    @cached_property
    def broken_at(self) -> int | None:
        """The number of the first old event that the new list does not begin with, None where it begins with all."""
        for number, event in enumerate(self.landed):
            if number == len(self.listed) or not same_event(event, self.listed[number]):
                return number
        return None

    @property
    def appended(self) -> tuple[Node, ...]:
        """The events behind the old ones; only where the list is not broken do they mean anything."""
        return self.listed[len(self.landed) :]

    @cached_property
    def edited_fields(self) -> tuple[str, ...]:
        """The keys whose values differ, the events left out; none where a side has no front matter (`edited_line` tells)."""
        if not self._both_read:
            return ()
        old, new = _keyed(self._fields(self.old)), _keyed(self._fields(self.new))
        keys = dict.fromkeys([*old, *new])
        return tuple(str(key) for key in keys if key != EVENTS and not _same(old.get(key), new.get(key), present=key in old and key in new))

    @cached_property
    def edited_line(self) -> int | None:
        """The line of the first difference in the body; in the whole file where a side has no front matter to compare."""
        if self._both_read:
            return _first_difference(body_lines(self.old), body_lines(self.new), self.new.body_line)
        return _first_difference(_text_lines(self.old.data), _text_lines(self.new.data), 1)

    @cached_property
    def changed_line(self) -> int | None:
        """The line of the first difference in the file as text, byte order mark and line ends left out."""
        return _first_difference(_text_lines(self.old.data), _text_lines(self.new.data), 1)

    @property
    def is_continued(self) -> bool:
        """Whether the new content is the old one with nothing but events appended."""
        return self.broken_at is None and not self.edited_fields and self.edited_line is None

    @property
    def _both_read(self) -> bool:
        return self.old.front.mapping is not None and self.new.front.mapping is not None

    @staticmethod
    def _fields(document: Document) -> Mapping:
        assert document.front.mapping is not None
        return document.front.mapping


def body_lines(document: Document) -> list[str]:
    """The body as a re-dump leaves it: every line break of Unicode ends a line, blank lines at the end do not count."""
    return _without_last_breaks(_decode(document.data[document.front.body_offset :]).splitlines())


def same_value(old: Node, new: Node) -> bool:
    """Whether two values are one to whoever reads them."""
    if isinstance(old, Scalar) and isinstance(new, Scalar):
        return _same_scalar(old, new)
    if isinstance(old, Items) and isinstance(new, Items):
        return len(old.items) == len(new.items) and all(map(same_value, old.items, new.items))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _same_mapping(old, new, lambda key: same_value)
    return False


def same_event(old: Node, new: Node) -> bool:
    """Whether two events say the same; `at` is a moment, however it is spelled."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _same_mapping(old, new, lambda key: _same_moment if key == "at" else same_value)
    return same_value(old, new)


def _same_mapping(old: Mapping, new: Mapping, same: Callable[[object], Callable[[Node, Node], bool]]) -> bool:
    mine, theirs = _keyed(old), _keyed(new)
    return mine.keys() == theirs.keys() and all(same(key)(value, theirs[key]) for key, value in mine.items())


def _same_moment(old: Node, new: Node) -> bool:
    if isinstance(old, Scalar) and isinstance(new, Scalar):
        mine, theirs = parse_time(old.text), parse_time(new.text)
        if mine and theirs:
            return mine.moment == theirs.moment
    return same_value(old, new)


def _same_scalar(old: Scalar, new: Scalar) -> bool:
    if old.is_null or new.is_null:
        return old.is_null and new.is_null
    if old.text == new.text:
        return True
    mine, theirs = _value(old), _value(new)
    return type(mine) is type(theirs) and mine == theirs


def _same(old: Node | None, new: Node | None, *, present: bool) -> bool:
    return present and old is not None and new is not None and same_value(old, new)


def _value(scalar: Scalar) -> object:
    return scalar.text if scalar.quoted else plain_value(scalar.text)


def _keyed(mapping: Mapping) -> dict[str, Node]:
    """The values by key; of equal keys the last one counts, and a plain key by what YAML makes of it (`on` is true)."""
    return {str(_value(pair.key)): pair.value for pair in mapping.pairs}


def _entries(document: Document) -> tuple[Node, ...]:
    value = document.front.mapping.get(EVENTS) if document.front.mapping else None
    if isinstance(value, Items):
        return value.items
    # What is no list of events has landed all the same.
    return () if value is None or value.is_empty else (value,)


def _text_lines(data: bytes) -> list[str]:
    return _without_last_breaks(_decode(data.removeprefix(BOM)).replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _without_last_breaks(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1]:
        end -= 1
    return lines[:end]


def _decode(data: bytes) -> str:
    # Bytes that are no UTF-8 stay apart from each other.
    return data.decode("utf-8", "surrogateescape")


def _first_difference(old: Sequence[str], new: Sequence[str], first_line: int) -> int | None:
    if old == new:
        return None
    same = next((number for number, (mine, theirs) in enumerate(zip(old, new, strict=False)) if mine != theirs), min(len(old), len(new)))
    return first_line + min(same, max(len(new) - 1, 0))
