"""What the prose of an envelope names: absolute paths, commits, links. Fenced code is passed by: it shows, it does not claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_END = r"[^\s`\"'<>|*?,;，。；、：（）()\[\]{}]"
_ABSOLUTE = re.compile(
    rf"(?<![\w])[A-Za-z]:[\\/]{_END}*|(?<![\w\\])\\\\[\w.$-]+\\{_END}+|(?<![\w./:~\\-])~?/{_END}+|(?<!\w)%[A-Za-z_]\w*%[\\/]{_END}*",
)
_WHOLE = re.compile(r"(?:[A-Za-z]:[\\/]|\\\\|/|~/|file:)")
_TRAILING = ".:!?"
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+[\"'][^)]*)?\)")
# An object id beside a word that says what it is; a date is no id, nor is a word.
_COMMIT_WORD = re.compile(r"\b(?:commits?|committed|sha|sha1|revision|rev|HEAD|merged|cherry-pick(?:ed)?)\b|提交|版本", re.IGNORECASE)
_OBJECT_ID = re.compile(r"(?<![\w/.#:@%+=-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}(?![\w/@%+=-])")
_NEAR = 40


class Token(NamedTuple):
    """A word of the prose: its text, its line (as numbered) and its column from 1."""

    text: str
    line: int
    column: int


def unfenced(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """(number, line) of each line outside fenced code; `first` is the number of the first line."""
    fence: str | None = None
    for number, line in enumerate(lines, first):
        mark = _FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def absolute_paths(lines: Iterable[str], first: int) -> Iterator[Token]:
    """The absolute paths that a text names; in a code span blanks belong to them."""
    for number, line in unfenced(lines, first):
        if "/" not in line and "\\" not in line:
            continue
        taken: list[tuple[int, int]] = []
        for span in _CODE_SPAN.finditer(line):
            if _WHOLE.match(span[1].lstrip()):
                taken.append(span.span())
                yield Token(span[1].strip(), number, span.start(1) + 1 + len(span[1]) - len(span[1].lstrip()))
        for match in _ABSOLUTE.finditer(line):
            if not any(start <= match.start() < end for start, end in taken):
                yield Token(match[0].rstrip(_TRAILING), number, match.start() + 1)


def links(lines: Iterable[str], first: int) -> Iterator[Token]:
    """The targets of Markdown links."""
    for number, line in unfenced(lines, first):
        for match in _LINK.finditer(line):
            yield Token(match[1], number, match.start(1) + 1)


def cited_commits(lines: Iterable[str], first: int) -> Iterator[Token]:
    """What a text gives as commits of this repository: ids beside a word that says so, outside web addresses."""
    for number, line in unfenced(lines, first):
        for match in _OBJECT_ID.finditer(line):
            if _COMMIT_WORD.search(line[max(0, match.start() - _NEAR) : match.start()]):
                yield Token(match[0], number, match.start() + 1)


def is_object_id(text: str) -> bool:
    """Whether a text is nothing but an object id, or the beginning of one."""
    return _OBJECT_ID.fullmatch(text.strip()) is not None


def code_spans_and_links(lines: Iterable[str], first: int) -> Iterator[Token]:
    """The texts of code spans and the targets of links: what prose names rather than says."""
    listed = list(lines)
    for number, line in unfenced(listed, first):
        for span in _CODE_SPAN.finditer(line):
            yield Token(span[1], number, span.start(1) + 1)
    yield from links(listed, first)
