"""One event is appended to a TASK's bytes in the style of those before it, and nothing else changes: a law, and a table of styles."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.model.document import Document
from fcoplint.model.nodes import Node, Sequence, as_plain
from fcoplint.repair.appending import CannotAppend, append_event, spell, spell_time

HEAD, TAIL = "---\nprotocol: fcop\n", "priority: P1  # soon\n---\n\nBody: no YAML\n"
EVENT = {"at": "2026-12-01T08:00:00+00:00", "from": "inbox", "to": "active", "by": "DEV", "tool": "claim_task"}
FIRST = "at: '2026-10-01T08:00:00+00:00'", "from: null", "to: inbox", "by: PM", "tool: create_task"
ADDED = "at: '2026-12-01T08:00:00+00:00'", "from: inbox", "to: active", "by: DEV", "tool: claim_task"


def block(lines: tuple[str, ...], dash: str = "- ") -> str:
    return "".join(f"{' ' * len(dash) if number else dash}{line}\n" for number, line in enumerate(lines))


STYLES = {
    "block": ("transitions:\n" + block(FIRST), "transitions:\n" + block(FIRST) + block(ADDED)),
    "indented": ("transitions:\n" + block(FIRST, "  - "), "transitions:\n" + block(FIRST, "  - ") + block(ADDED, "  - ")),
    "wide dash": ("transitions:\n" + block(FIRST, "-   "), "transitions:\n" + block(FIRST, "-   ") + block(ADDED, "-   ")),
    "flow items": (
        f"transitions:\n- {{{', '.join(FIRST)}}}\n",
        f"transitions:\n- {{{', '.join(FIRST)}}}\n- {{{', '.join(ADDED)}}}\n",
    ),
    "flow": (f"transitions: [{{{', '.join(FIRST)}}}]\n", f"transitions: [{{{', '.join(FIRST)}}}, {{{', '.join(ADDED)}}}]\n"),
    "flow, an item a line": (
        f"transitions: [\n  {{ {', '.join(FIRST)} }},\n]\n",
        f"transitions: [\n  {{ {', '.join(FIRST)} }},\n  {{ {', '.join(ADDED)} }},\n]\n",
    ),
    "empty flow": ("transitions: []\n", f"transitions: [{{{', '.join(line.replace(chr(39), '') for line in ADDED)}}}]\n"),
    "null": ("transitions:\n", "transitions:\n" + block(ADDED)),
    "double quotes, another order": (
        'transitions:\n- tool: "create_task"\n  by: "PM"\n  at: "2026-10-01T08:00:00+00:00"\n  from: ~\n  to: "inbox"\n',
        'transitions:\n- tool: "create_task"\n  by: "PM"\n  at: "2026-10-01T08:00:00+00:00"\n  from: ~\n  to: "inbox"\n'
        '- tool: "claim_task"\n  by: "DEV"\n  at: "2026-12-01T08:00:00+00:00"\n  from: inbox\n  to: "active"\n',
    ),
    "comments": (
        "transitions:  # how it went\n# first\n" + block(FIRST).replace("by: PM", "by: PM  # the leader") + "# the end\n",
        "transitions:  # how it went\n# first\n" + block(FIRST).replace("by: PM", "by: PM  # the leader") + block(ADDED) + "# the end\n",
    ),
    "a note of several lines": (
        "transitions:\n" + block((*FIRST, "note: |")) + "    one\n\n    two\n",
        "transitions:\n" + block((*FIRST, "note: |")) + "    one\n\n    two\n" + block(ADDED),
    ),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("style", STYLES)
def test_the_event_looks_like_those_before_it(style: str, line_end: str) -> None:
    old, new = (f"{HEAD}{text}{TAIL}".replace("\n", line_end).encode() for text in STYLES[style])
    found = append_event(old, EVENT)
    assert found in (new, new.replace(b"at: 2026-12-01T08:00:00+00:00", b"at: '2026-12-01T08:00:00+00:00'")), found


def test_where_there_is_no_list_it_begins_behind_the_fields() -> None:
    old, new = f"{HEAD}---\n\nBody\n", f"{HEAD}transitions:\n{block(ADDED)}---\n\nBody\n"
    assert append_event(old.encode(), EVENT) == new.encode()


@pytest.mark.parametrize(
    "text",
    [
        "no front matter\n",
        "---\ntransitions: often\n---\n",
        "---\ntransitions:\n- a word\n---\n",
        "---\ntransitions: {a: b}\n---\n",
        "---\ntransitions: []\ntransitions: []\n---\n",
        "---\ntransitions: &a []\n---\n",
        "---\nunterminated: yes\n",
    ],
)
def test_what_cannot_be_done_without_harm_is_not_done(text: str) -> None:
    assert isinstance(append_event(text.encode(), EVENT), CannotAppend)


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


@given(
    before=st.lists(st.fixed_dictionaries({"by": words, "note": words}), max_size=3),
    note=words,
    body=st.binary(max_size=40),
    flow=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
def test_the_law_of_appending(before: list[dict[str, str]], note: str, body: bytes, flow: bool, line_end: str, mark: bytes) -> None:
    """Whatever was said before, in whatever style, is said after; the new event says what it was given; no other byte changes."""
    items = [[f"{key}: {spell(value)}" for key, value in event.items()] for event in before]
    written = [f"- {{{', '.join(item)}}}" if flow else "- " + f"{line_end}  ".join(item) for item in items]
    head = line_end.join(["---", "protocol: fcop", "transitions:", *written, "tail: 1", "---", ""])
    old = mark + head.encode() + body
    event: dict[str, str | None] = {**EVENT, "note": note}
    new = append_event(old, event)
    known = Document(old).front.mapping
    if known is None or [as_plain(item) for item in _items(old)] != before:
        return
    assert isinstance(new, bytes), new
    assert [as_plain(item) for item in _items(new)] == [*before, event]
    assert new.startswith(mark + b"---")
    assert new.endswith(body)
    assert _without(new, len(new) - len(old), old)


def _items(data: bytes) -> tuple[Node, ...]:
    fields = Document(data).front.mapping
    listed = fields.get("transitions") if fields else None
    return listed.items if isinstance(listed, Sequence) else ()


def _without(new: bytes, length: int, old: bytes) -> bool:
    """Whether the old bytes are the new ones with one stretch of this length taken out."""
    return any(new[:start] + new[start + length :] == old for start in range(len(old) + 1))


@pytest.mark.parametrize(
    ("like", "written"),
    [
        (None, "2026-12-01T08:00:00+00:00"),
        ("2026-10-01T08:00:00Z", "2026-12-01T08:00:00Z"),
        ("2026-10-01T08:00:00.123456+00:00", "2026-12-01T08:00:00.000007+00:00"),
        ("2026-10-01T08:00:00+08:00", "2026-12-01T16:00:00+08:00"),
        ("2026-10-01 08:00:00 -0330", "2026-12-01T04:30:00-03:30"),
        ("2026-10-01T08:00:00", "2026-12-01T08:00:00+00:00"),
        ("2026-10-01", "2026-12-01T08:00:00+00:00"),
        ("soon", "2026-12-01T08:00:00+00:00"),
    ],
)
def test_a_time_is_spelled_like_the_one_before(like: str | None, written: str) -> None:
    assert spell_time(datetime.datetime(2026, 12, 1, 8, 0, 0, 7, datetime.UTC), like) == written
