"""Comments to fcoplint in front matter: `# fcoplint: ignore[FC501] reason`. Where they stand, and what they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fcoplint.model.nodes import Node, Span, walk_scalars

MARK = b"fcoplint:"
# YAML begins a comment only at the start of a line or behind a blank.
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[# \t]*fcoplint:[ \t]*(?P<said>.*)$")
_IGNORE = re.compile(r"ignore\[(?P<codes>[^\]]*)\](?:[ \t:]+(?P<reason>.*))?")
_IDLE = re.compile(r"[ \t]*(?:#.*)?")


class Comment(NamedTuple):
    """One comment: the codes as written, the reason, its place, and the line it speaks of (None: the whole file).

    `codes` is None where it is no comment that fcoplint knows.
    """

    codes: tuple[str, ...] | None
    reason: str
    span: Span
    line: int | None


def find_comments(lines: Sequence[str], block: Node) -> tuple[Comment, ...]:
    """The comments among the `lines` between the fences (the first of them is the file's second) of the mapping `block`.

    One that stands in the first lines of the block speaks of the whole file, one on a line of its own of the next line that
    says something, one behind a value of that line.
    """
    return tuple(_comments(lines, [scalar.span for scalar in walk_scalars(block)]))


def _comments(lines: Sequence[str], scalars: Sequence[Span]) -> Iterator[Comment]:
    start = next((number for number, line in enumerate(lines) if not _IDLE.fullmatch(line)), len(lines))
    for number, line in enumerate(lines):
        for match in _COMMENT.finditer(line):
            span = Span(number + 2, match.start() + 1, number + 2, len(line) + 1)
            if any((text.line, text.column) <= span[:2] < (text.end_line, text.end_column) for text in scalars):
                continue
            behind = number if line[: match.start()].strip() else _next(lines, number)
            said = _IGNORE.fullmatch(match["said"].rstrip())
            codes = tuple(word.strip() for word in said["codes"].split(",") if word.strip()) if said else ()
            reason = (said["reason"] or "").strip() if said else ""
            yield Comment(codes or None, reason, span, None if number < start else behind + 2)


def _next(lines: Sequence[str], number: int) -> int:
    """The number of the next line that is more than a comment; the comment's own where none follows."""
    return next((later for later in range(number + 1, len(lines)) if not _IDLE.fullmatch(lines[later])), number)
