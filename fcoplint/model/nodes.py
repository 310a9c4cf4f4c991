"""The values of a front matter block: text with its place in the file. No value is ever typed here (design.md 9)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a file: lines and columns from 1, columns in characters, the end behind the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar: its text as written (escapes resolved), and whether it was quoted or a block."""

    text: str
    quoted: bool
    span: Span

    @property
    def is_null(self) -> bool:
        """Whether YAML reads this as null: empty, `~`, `null`."""
        return not self.quoted and self.text in ("", "~", "null", "Null", "NULL")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said: null, or blank text."""
        return self.is_null or not self.text.strip()


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple["Node", ...]
    span: Span

    @property
    def is_empty(self) -> bool:
        """Whether the list has no item."""
        return not self.items


class Pair(NamedTuple):
    """One key of a mapping with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping as a list of pairs, in the order written and with keys that stand twice kept."""

    pairs: tuple[Pair, ...]
    span: Span
    _by_key: dict[str, Pair] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_key", {pair.key.text: pair for pair in self.pairs})

    @property
    def is_empty(self) -> bool:
        """Whether the mapping has no key."""
        return not self.pairs

    def pair(self, key: str) -> Pair | None:
        """The pair of a key; of several equal ones the last, as every common YAML reader has it."""
        return self._by_key.get(key)

    def get(self, key: str) -> "Node | None":
        """The value of a key, or None."""
        pair = self._by_key.get(key)
        return pair.value if pair else None

    def values(self, key: str) -> "list[Node]":
        """Every value of a key, several where the key stands twice."""
        return [pair.value for pair in self.pairs if pair.key.text == key]

    def text(self, key: str) -> str | None:
        """The text of a key whose value is a scalar that says something, or None."""
        value = self.get(key)
        return value.text if isinstance(value, Scalar) and not value.is_empty else None


Node = Scalar | Sequence | Mapping


def walk_mappings(node: Node) -> Iterator[Mapping]:
    """Every mapping in `node`, itself included, outermost first."""
    pending = [node]
    while pending:
        current = pending.pop(0)
        if isinstance(current, Mapping):
            yield current
            pending.extend(pair.value for pair in current.pairs)
        elif isinstance(current, Sequence):
            pending.extend(current.items)


def walk_scalars(node: Node) -> Iterator[Scalar]:
    """Every scalar in `node`, keys included, in the order written."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from walk_scalars(item)
    else:
        for pair in node.pairs:
            yield pair.key
            yield from walk_scalars(pair.value)


def in_words(node: Node) -> str:
    """What a node says, for a message: a scalar's text, a word for what is no text."""
    return node.text if isinstance(node, Scalar) else "(a list)" if isinstance(node, Sequence) else "(a mapping)"


def as_plain(node: Node) -> object:
    """A node as plain values, without places: null as None, other scalars as text, keys that stand twice by their last."""
    if isinstance(node, Scalar):
        return None if node.is_null else node.text
    if isinstance(node, Sequence):
        return [as_plain(item) for item in node.items]
    return {pair.key.text: as_plain(pair.value) for pair in node.pairs}
