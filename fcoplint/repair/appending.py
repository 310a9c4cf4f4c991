"""Appends one event to a TASK's bytes and changes nothing else: no re-dump, the new event looks like those before it (design.md 10)."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from fcoplint.model.document import Document
from fcoplint.model.nodes import Mapping as Fields
from fcoplint.model.nodes import Node, Scalar, Sequence, as_plain
from fcoplint.protocol.scalars import yaml_type

_KEY = "transitions"
_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.+/-]|:(?=[A-Za-z0-9])| (?=[A-Za-z0-9_]))*", re.ASCII)
_DASH = re.compile(r" *- +")
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})?\s*$", re.ASCII)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


class CannotAppend(NamedTuple):
    """Why an event cannot be put into this text without touching something else."""

    why: str


class _Edit(NamedTuple):
    """The stretch of a text, in characters, and what is to stand there instead."""

    start: int
    end: int
    text: str


def append_event(data: bytes, event: Mapping[str, str | None]) -> bytes | CannotAppend:
    """The bytes of a TASK with one more event at the end of `transitions`, which is made where there is none.

    `event` maps keys to their text (None is null), in the order in which they are written where no event stands there yet.
    Block or flow, indentation, quotes, order of keys and line ends are those of the last event. All other bytes are kept.
    """
    document = Document(data)
    fields = document.front.mapping
    if fields is None:
        return CannotAppend("its front matter cannot be read")
    lists = fields.values(_KEY)
    if len(lists) > 1:
        return CannotAppend(f"`{_KEY}` stands in it twice")
    source = _Source(document)
    edit = _edit(source, lists[0] if lists else None, event)
    if edit is None:
        return CannotAppend(f"`{_KEY}` is written in a form that no event can be put behind")
    new = (source.text[: edit.start] + edit.text + source.text[edit.end :]).encode("utf-8", "surrogateescape")
    return new if _adds_only(document, Document(new), event) else CannotAppend("the event could not be added without changing the rest")


def spell_time(moment: datetime.datetime, like: str | None = None) -> str:
    """A moment as ISO 8601 text with offset, to the second; in the offset and precision of `like`, where that is such a text."""
    like = (like or "").strip()
    if re.search(r"[Zz]$", like):
        return _clock(moment.astimezone(datetime.UTC), like).replace("+00:00", like[-1])
    offset = _OFFSET.search(like) if "T" in like.upper() or " " in like else None
    if offset is None:
        return _clock(moment.astimezone(datetime.UTC), like)
    shift = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0)) * (-1 if offset[1] == "-" else 1)
    return _clock(moment.astimezone(datetime.timezone(shift)), like)


def spell(value: str | None, like: str = "") -> str:
    """A value as one line of YAML that every reader takes for this text, quoted as `like` is where that is possible."""
    if value is None:
        return like if like in ("null", "~", "Null", "NULL") else "null"
    if _UNSAFE.search(value) or "\n" in value or "\t" in value or like.startswith('"'):
        return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
    # What begins with a digit may be read as a date; it stays bare only where the team writes it so.
    is_bare = not like.startswith("'") and (not value[:1].isdigit() or like[:1].isdigit())
    if is_bare and _PLAIN.fullmatch(value) and not yaml_type(value):
        return value
    return "'" + value.replace("'", "''") + "'"


def _clock(moment: datetime.datetime, like: str) -> str:
    return moment.isoformat(timespec="microseconds" if re.search(r":\d{2}[.,]\d", like) else "seconds")


class _Source:
    """A text whose places can be found by line and column; bytes that are not UTF-8 are kept."""

    def __init__(self, document: Document) -> None:
        self.text = document.data.decode("utf-8", "surrogateescape")
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        # The closing fence: behind the block, in front of the body.
        self.fence = self.starts[document.body_line - 2]

    def start(self, node: Node) -> int:
        return self.starts[node.span.line - 1] + node.span.column - 1

    def end(self, node: Node) -> int:
        return self.starts[node.span.end_line - 1] + node.span.end_column - 1

    def raw(self, node: Node) -> str:
        return self.text[self.start(node) : self.end(node)]

    def line_start(self, node: Node) -> int:
        return self.starts[node.span.line - 1]

    def behind_line(self, position: int) -> int:
        return self.text.index("\n", position) + 1

    def line_end(self, position: int) -> str:
        """The characters that end the line in front of a position."""
        return "\r\n" if self.text[max(position - 2, 0) : position] == "\r\n" else "\n"


def _edit(source: _Source, listed: Node | None, event: Mapping[str, str | None]) -> _Edit | None:
    if listed is None:
        lines = _block_lines(event, "- ", "  ", source.line_end(source.fence), {})
        return _Edit(source.fence, source.fence, f"{_KEY}:{source.line_end(source.fence)}{lines}")
    if isinstance(listed, Scalar) and listed.is_null:
        return _begin(source, listed, event)
    if not isinstance(listed, Sequence) or (listed.items and not isinstance(listed.items[-1], Fields)):
        return None
    if source.text.startswith("[", source.start(listed)):
        return _into_flow(source, listed, event)
    return _behind_block(source, listed, event)


def _begin(source: _Source, null: Scalar, event: Mapping[str, str | None]) -> _Edit:
    """`transitions:` or `transitions: null`: the list begins on the next line."""
    start = source.start(null)
    colon = source.text.rindex(":", 0, start) + 1 if null.text else source.text.rindex(":", 0, start + 1) + 1
    end = source.end(null) if null.text else colon
    line_end = source.line_end(source.behind_line(end))
    lines = _block_lines(event, "- ", "  ", line_end, {})
    return _Edit(colon, end, f"{line_end}{lines.removesuffix(line_end)}")


def _behind_block(source: _Source, listed: Sequence, event: Mapping[str, str | None]) -> _Edit:
    last = listed.items[-1]
    assert isinstance(last, Fields)
    prefix = source.text[source.line_start(last) : source.start(last)]
    if not _DASH.fullmatch(prefix):
        prefix = " " * (listed.span.column - 1) + "- "
    position = _end_of_block(source, last)
    line_end = source.line_end(position)
    if source.text.startswith("{", source.start(last)):
        return _Edit(position, position, f"{prefix}{_flow_item(source, last, event)}{line_end}")
    return _Edit(position, position, _block_lines(event, prefix, " " * len(prefix), line_end, _spellings(source, last)))


def _end_of_block(source: _Source, last: Node) -> int:
    """The start of the line behind the last one that belongs to a node."""
    while not source.text.startswith(("{", "["), source.start(last)):
        if isinstance(last, Fields) and last.pairs:
            last = last.pairs[-1].value
        elif isinstance(last, Sequence) and last.items:
            last = last.items[-1]
        else:
            break
    end = source.end(last)
    # The end of a text in `|` or `>` is the start of the next line already.
    is_block = isinstance(last, Scalar) and last.quoted and source.text.startswith(("|", ">"), source.start(last))
    return end if is_block and source.text[end - 1] == "\n" else source.behind_line(end)


def _into_flow(source: _Source, listed: Sequence, event: Mapping[str, str | None]) -> _Edit:
    if not listed.items:
        position = source.start(listed) + 1
        return _Edit(position, position, _flow_item(source, None, event))
    first, last = listed.items[0], listed.items[-1]
    position = source.end(last)
    if len(listed.items) > 1:
        between = source.text[source.end(listed.items[-2]) : source.start(last)]
    else:
        between = "," + (source.text[source.start(listed) + 1 : source.start(first)] or " ")
    separator = between if re.fullmatch(r",\s*", between) else ", "
    return _Edit(position, position, f"{separator}{_flow_item(source, last, event)}")


def _flow_item(source: _Source, last: Node | None, event: Mapping[str, str | None]) -> str:
    spellings = _spellings(source, last) if isinstance(last, Fields) else {}
    blank = " " if last is not None and source.raw(last).startswith("{ ") else ""
    return "{" + blank + ", ".join(_pairs(event, spellings)) + blank + "}"


def _block_lines(event: Mapping[str, str | None], first: str, then: str, line_end: str, spellings: Mapping[str, str]) -> str:
    return "".join(f"{then if number else first}{pair}{line_end}" for number, pair in enumerate(_pairs(event, spellings)))


def _pairs(event: Mapping[str, str | None], spellings: Mapping[str, str]) -> list[str]:
    """The event's keys with their values, in the order and the spelling of those before it."""
    order = [*(key for key in spellings if key in event), *(key for key in event if key not in spellings)]
    # Where there is no time yet, it is quoted as the reference quotes it.
    likes = {"at": "'", **spellings}
    return [f"{key}: {spell(event[key], likes.get(key, ''))}" for key in order]


def _spellings(source: _Source, last: Fields) -> dict[str, str]:
    """How the last event spells each key's value, in its order."""
    return {pair.key.text: source.raw(pair.value) for pair in last.pairs if isinstance(pair.value, Scalar)}


def _adds_only(old: Document, new: Document, event: Mapping[str, str | None]) -> bool:
    """Whether the new text says what the old one says and this event, and nothing else."""
    before, after = old.front.mapping, new.front.mapping
    if before is None or after is None or old.front.faults != new.front.faults:
        return False
    if old.data[old.front.body_offset :] != new.data[new.front.body_offset :]:
        return False
    return _others(before) == _others(after) and [*_events(before), dict(event)] == _events(after)


def _others(fields: Fields) -> list[tuple[str, object]]:
    return [(pair.key.text, as_plain(pair.value)) for pair in fields.pairs if pair.key.text != _KEY]


def _events(fields: Fields) -> list[object]:
    listed = fields.get(_KEY)
    return [as_plain(item) for item in listed.items] if isinstance(listed, Sequence) else []
