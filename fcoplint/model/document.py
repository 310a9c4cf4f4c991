"""The content of one file, parsed once however many paths and snapshots share it."""

import re
from functools import cached_property

from fcoplint.model.comments import MARK, Comment, find_comments
from fcoplint.model.event import Event, read_events
from fcoplint.model.frontmatter import FrontMatter, read_front_matter
from fcoplint.model.nodes import Sequence, Span

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CONFLICT_START, _CONFLICT_MIDDLE, _CONFLICT_END = (re.compile(rf"{re.escape(sign)}( .*)?") for sign in ("<" * 7, "=" * 7, ">" * 7))


class Document:
    """The bytes of an envelope and what they hold; everything beyond the front matter is worked out when asked."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._events: dict[tuple[str, ...], tuple[Event, ...]] = {}

    @cached_property
    def front(self) -> FrontMatter:
        """The located front matter."""
        return read_front_matter(self.data)

    def events(self, tool_keys: tuple[str, ...]) -> tuple[Event, ...]:
        """The items of `transitions` that are mappings, read by a vocabulary; none where that is no list."""
        found = self._events.get(tool_keys)
        if found is None:
            listed = self.front.mapping.get("transitions") if self.front.mapping else None
            items = listed.items if isinstance(listed, Sequence) else ()
            found = self._events[tool_keys] = read_events(items, tool_keys)
        return found

    @property
    def is_lfs_pointer(self) -> bool:
        """Whether the bytes are a Git LFS pointer in place of the file."""
        return is_lfs_pointer(self.data)

    @cached_property
    def text(self) -> str:
        """The file as text; bytes that are not UTF-8 become U+FFFD (`decode_fault` says where the first stands)."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The file's lines as an editor counts them: LF and CRLF end a line, nothing else does."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @cached_property
    def body(self) -> str:
        """What follows the front matter, as text."""
        return self.data[self.front.body_offset :].decode("utf-8", "replace")

    @cached_property
    def body_line(self) -> int:
        """The line number (from 1) on which the body begins."""
        return self.data.count(b"\n", 0, self.front.body_offset) + 1

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The comments to fcoplint in a front matter that could be read."""
        if self.front.mapping is None or self.data.find(MARK, 0, self.front.body_offset) < 0:
            return ()
        return find_comments(self.lines[1 : self.body_line - 2], self.front.mapping)

    @cached_property
    def decode_fault(self) -> tuple[int, Span] | None:
        """(byte offset, place) of the first byte that is not UTF-8, or None."""
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = self.data[: error.start]
            line = before.count(b"\n") + 1
            column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
            return error.start, Span(line, column, line, column + 1)
        return None

    @cached_property
    def conflict_line(self) -> int | None:
        """The line of the first conflict marker in the body, or None.

        All three markers must stand in order, and outside fenced code: a TASK may show a conflict as an example.
        """
        if b"<<<<<<<" not in self.data:
            return None
        expected = [_CONFLICT_START, _CONFLICT_MIDDLE, _CONFLICT_END]
        fence: str | None = None
        first = 0
        for number, line in enumerate(self.body.split("\n"), self.body_line):
            mark = _FENCE.match(line)
            if mark and (fence is None or mark[1].startswith(fence)):
                fence = mark[1] if fence is None else None
            elif fence is None and expected[0].fullmatch(line.rstrip("\r")):
                first = first or number
                expected.pop(0)
                if not expected:
                    return first
        return None


def is_lfs_pointer(data: bytes) -> bool:
    """Whether bytes are a Git LFS pointer in place of a file."""
    return data.startswith(_LFS_POINTER)
