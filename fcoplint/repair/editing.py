"""Edits put into a file's bytes: nothing outside of them changes (design.md 10)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fcoplint.findings import Edit
from fcoplint.model.nodes import Span


def apply(data: bytes, edits: Sequence[Edit]) -> bytes | None:
    """The bytes with the edits of one file in them; None where the file is no UTF-8, an edit lies outside, or two overlap."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    placed = sorted((_offset(starts, text, edit.span), edit.replacement) for edit in dict.fromkeys(edits))
    parts, at = [], 0
    for (start, end), replacement in placed:
        if start < at or end < start:
            return None
        parts += [text[at:start], replacement]
        at = end
    return "".join([*parts, text[at:]]).encode("utf-8")


def overlap(edits: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether one of the edits touches a stretch that one of the others touches, too; equal ones are one."""
    return any(_meet(one, other) for one in edits for other in others if one.path == other.path and one != other)


def _meet(one: Edit, other: Edit) -> bool:
    first, second = sorted((one.span, other.span))
    return (second.line, second.column) < (first.end_line, first.end_column) or first[:2] == second[:2]


def _offset(starts: Sequence[int], text: str, span: Span) -> tuple[int, int]:
    """(start, end) in characters; a place behind the text is (0, -1), which no edit may have."""
    start, end = (_place(starts, len(text), *place) for place in ((span.line, span.column), (span.end_line, span.end_column)))
    return (start, end) if start is not None and end is not None else (0, -1)


def _place(starts: Sequence[int], length: int, line: int, column: int) -> int | None:
    if line == len(starts) + 1 and column == 1:
        return length
    if not 1 <= line <= len(starts):
        return None
    found = starts[line - 1] + column - 1
    end = starts[line] if line < len(starts) else length
    return found if found <= end else None
