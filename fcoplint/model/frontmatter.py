"""The byte-exact, located reader of front matter (design.md 9; anchors.md 2.3, pitfalls 29 to 41).

An exact splitter finds the block, libyaml's event stream is built into nodes that keep every scalar as text with its
place. Anchors, aliases, tags and merge keys are refused before anything is expanded. Every failure is a `Fault`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml
from yaml._yaml import CParser
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from fcoplint.model.nodes import Mapping, Node, Pair, Scalar, Sequence, Span

BOM = b"\xef\xbb\xbf"
# Front matter of 5,000 events is below 1 MB; real blocks are below 4 KB (field.md 2).
MAX_BLOCK_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 200_000

_OPENING = re.compile(rb"---(\r?\n|\Z)")
_CLOSING = re.compile(rb"^---(\r?\n|\r?\Z)", re.MULTILINE)
_LOOSE_FENCE = re.compile(rb"^[ \t]*---[ \t]*\r?$", re.MULTILINE)
# What libyaml takes for line ends beside LF and CRLF: where one occurs, its line numbers are not those of an editor.
_ODD_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
# The styles of a scalar that is text whatever it looks like: quotes and blocks; libyaml calls a plain one "".
_QUOTED_STYLES = frozenset("'\"|>")
_CONFLICT = re.compile(rb"^(?:<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)(?: |\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the block, or a part of it, could not be taken: `kind` from a fixed list, its place, a detail for people.

    Kinds: missing, loose-opening, bom, unterminated, yaml, not-mapping, not-utf8, too-large, too-deep, anchor, alias,
    tag, merge-key, conflict.
    """

    kind: str
    span: Span
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's front matter: the mapping where it could be read, the faults met, and where the body begins (bytes)."""

    mapping: Mapping | None
    faults: tuple[Fault, ...]
    body_offset: int


def read_front_matter(data: bytes) -> FrontMatter:
    """The front matter of an envelope's bytes (protocol.md V3-F01, V3-E01, V3-E02). Never raises."""
    bom = len(BOM) if data.startswith(BOM) else 0
    faults: list[Fault] = [Fault("bom", Span(1, 1, 1, 1))] if bom else []
    opening = _OPENING.match(data, bom)
    if opening is None:
        return FrontMatter(None, (*faults, _explain_no_opening(data[bom:])), bom)
    start = opening.end()
    closing = _CLOSING.search(data, start, start + MAX_BLOCK_BYTES)
    if closing is None:
        return FrontMatter(None, (*faults, _explain_no_closing(data, start)), len(data))
    block = data[start : closing.start()]
    mapping, problem = _read_block(block)
    if problem is not None:
        faults.append(problem)
    return FrontMatter(mapping, tuple(faults), closing.end())


def compose(text: str, first_line: int) -> Node | None:
    """The nodes of a text in flow or block YAML, None where libyaml refuses it; for JSON it gives every value's place."""
    built = _Builder(text, first_line).build()
    return None if isinstance(built, Fault) else built


def plain_value(text: str) -> object:
    """What a common YAML 1.1 reader, and so the reference, makes of a plain scalar: text, a number, a date, a boolean, null.

    No rule types a field by it. It tells which two spellings a tool that re-dumps a file takes for one (protocol.md B.4).
    """
    reader = _ScalarReader()
    tag: str = reader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    try:
        return reader.construct_object(yaml.ScalarNode(tag, text))
    except (yaml.YAMLError, ValueError, OverflowError):
        return text


def find_conflict(data: bytes) -> int | None:
    """The line of the first merge conflict marker at the start of a line, or None."""
    match = _CONFLICT.search(data)
    return data.count(b"\n", 0, match.start()) + 1 if match else None


class _ScalarReader(SafeConstructor, Resolver):
    """PyYAML's own typing of scalars, without its reader."""

    def __init__(self) -> None:
        SafeConstructor.__init__(self)
        Resolver.__init__(self)


def _explain_no_opening(data: bytes) -> Fault:
    first_line = data.partition(b"\n")[0]
    loose = _LOOSE_FENCE.fullmatch(first_line) is not None
    return Fault("loose-opening" if loose else "missing", Span(1, 1, 1, 1))


def _explain_no_closing(data: bytes, start: int) -> Fault:
    if len(data) - start > MAX_BLOCK_BYTES:
        return Fault("too-large", Span(1, 1, 1, 4), str(MAX_BLOCK_BYTES))
    conflict = find_conflict(data)
    if conflict:
        return Fault("conflict", Span(conflict, 1, conflict, 1))
    loose = _LOOSE_FENCE.search(data, start)
    line = data.count(b"\n", 0, loose.start()) + 1 if loose else None
    return Fault("unterminated", Span(1, 1, 1, 4), str(line) if line else "")


def _read_block(block: bytes) -> tuple[Mapping | None, Fault | None]:
    conflict = find_conflict(block)
    if conflict:
        return None, Fault("conflict", Span(conflict + 1, 1, conflict + 1, 1))
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError as error:
        line = block.count(b"\n", 0, error.start) + 2
        column = error.start - (block.rfind(b"\n", 0, error.start) + 1) + 1
        return None, Fault("not-utf8", Span(line, column, line, column + 1), str(error.start))
    built = _Builder(text, first_line=2).build()
    if isinstance(built, Fault):
        return None, built
    if not isinstance(built, Mapping):
        return None, Fault("not-mapping", built.span, _describe(built))
    return built, None


def _describe(node: Node) -> str:
    if isinstance(node, Scalar):
        return "nothing" if node.is_null else "text"
    return "a list" if isinstance(node, Sequence) else "a mapping"


class _RefusedError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class _Builder:
    """Nodes from libyaml's events; `first_line` is the file's line number of the text's first line."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first = first_line
        self._line_starts = _line_starts(text) if _ODD_BREAK.search(text) else None
        self._count = 0

    def build(self) -> Node | Fault:
        try:
            return self._document(self._events())
        except _RefusedError as refused:
            return refused.fault
        except yaml.YAMLError as error:
            span, reason = self._explain(error)
            return Fault("too-deep" if "nesting depth" in reason else "yaml", span, reason)

    @property
    def _start(self) -> Span:
        return Span(self._first, 1, self._first, 1)

    def _events(self) -> Iterator[yaml.Event]:
        parser = CParser(self._text)
        while True:
            event = parser.get_event()
            if event is None:
                return
            yield event

    def _document(self, events: Iterator[yaml.Event]) -> Node:
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None or event.explicit:
                    raise _RefusedError(Fault("yaml", self._span(event), "a second YAML document begins here"))
            elif isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                root = self._node(event, events, 0)
        return root if root is not None else Scalar("", False, self._start)

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        self._refuse_unsafe(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, event.style in _QUOTED_STYLES, self._span(event))
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            for inner in events:
                if isinstance(inner, yaml.SequenceEndEvent):
                    return Sequence(tuple(items), self._around(event, inner))
                items.append(self._node(inner, events, depth + 1))
        pairs: list[Pair] = []
        for inner in events:
            if isinstance(inner, yaml.MappingEndEvent):
                return Mapping(tuple(pairs), self._around(event, inner))
            pairs.append(Pair(self._key(inner, events, depth), self._node(next(events), events, depth + 1)))
        raise AssertionError("libyaml ended a collection without its end event")

    def _key(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Scalar:
        key = self._node(event, events, depth + 1)
        if not isinstance(key, Scalar):
            raise _RefusedError(Fault("yaml", key.span, "a key is a list or a mapping, not text"))
        if key.text == "<<" and not key.quoted:
            raise _RefusedError(Fault("merge-key", key.span, "<<"))
        return key

    def _refuse_unsafe(self, event: yaml.Event, depth: int) -> None:
        self._count += 1
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError(Fault("alias", self._span(event), f"*{event.anchor}"))
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise _RefusedError(Fault("anchor", self._span(event), f"&{event.anchor}"))
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            raise _RefusedError(Fault("tag", self._span(event), str(event.tag)))
        if depth > MAX_DEPTH or self._count > MAX_NODES:
            raise _RefusedError(Fault("too-deep", self._span(event)))

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        assert start is not None
        assert end is not None
        if self._line_starts is not None:
            return Span(*self._position(start.index), *self._position(end.index))
        return Span(start.line + self._first, start.column + 1, end.line + self._first, end.column + 1)

    def _around(self, first: yaml.Event, last: yaml.Event) -> Span:
        start, end = self._span(first), self._span(last)
        return Span(start.line, start.column, end.end_line, end.end_column)

    def _position(self, index: int) -> tuple[int, int]:
        assert self._line_starts is not None
        line = _bisect(self._line_starts, index)
        return line + self._first, index - self._line_starts[line] + 1

    def _explain(self, error: yaml.YAMLError) -> tuple[Span, str]:
        if isinstance(error, yaml.reader.ReaderError):
            before = self._text.encode()[: error.position].decode("utf-8", "ignore")
            line = before.count("\n") + self._first
            column = len(before) - (before.rfind("\n") + 1) + 1
            return Span(line, column, line, column + 1), str(error.reason)
        assert isinstance(error, yaml.MarkedYAMLError)
        mark = error.problem_mark or error.context_mark
        if mark is None:
            return self._start, str(error.problem)
        if self._line_starts is not None:
            line, column = self._position(mark.index)
        else:
            line, column = mark.line + self._first, mark.column + 1
        return Span(line, column, line, column + 1), " ".join(part for part in (error.context, error.problem) if part)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _bisect(starts: list[int], index: int) -> int:
    low, high = 0, len(starts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if starts[middle] <= index else (low, middle)
    return low
