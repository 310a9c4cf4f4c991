"""Every way to change one thing in a v4 workspace: each value, each key and item, each body, each file (issue 8, the tamper test).

The files are read and written with other means than the tool's own, in the form the reference gives them, so that a
tampered file differs from the original in the one thing alone.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import yaml

BODY, FILE = "(body)", "(file)"
_Path = tuple[str | int, ...]
_HEX_ENDS = re.compile(r"^(?:[0-9a-f]{64}|urn:uuid:[0-9a-f-]{36}|(?:TASK|REPORT|ISSUE|REVIEW)-[0-9a-f]{32}|.*[0-9a-f]{32})$")
_TIME = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.)(\d{6})(\+00:00)$")
# What a forger would write: another value that is lawful there.
_OTHERS = (
    ("inbox", "active", "review", "done", "archive"),
    ("create_task", "claim_task", "submit_task", "approve_task", "reject_task", "reopen_task", "archive_task"),
    ("PREPARED", "TARGET_DURABLE", "COMMITTED"),
    ("P0", "P1", "P2", "P3"),
    ("PM", "DEV", "QA", "ADMIN"),
    ("approved", "rejected", "authorize"),
    ("acceptance", "rejection", "reopen", "authorization", "convergence"),
    ("final", "replacement"),
    ("TASK", "REPORT", "ISSUE", "REVIEW"),
    ("low", "high"),
)


class Tampering(NamedTuple):
    """One changed thing: in which file, which value (its keys joined by dots), how, and the file's bytes then (None: removed)."""

    path: str
    what: str
    how: str
    content: bytes | None

    @property
    def pattern(self) -> str:
        """`what` with list positions as `*`."""
        return re.sub(r"(?<=\.)\d+(?=\.|$)", "*", self.what)


def tamperings(path: str, content: bytes, known: str) -> Iterator[Tampering]:
    """Every change of one thing in a file; where a list is empty, a `known` id is put into it."""
    if path.endswith(".md"):
        head, body = split(content)
        yield from _in_values(path, head, known, lambda values: _envelope(values, body))
        yield Tampering(path, BODY, "changed", content + b"Another line.\n")
    elif path.endswith(".json"):
        yield from _in_values(path, json.loads(content), known, _fact)
    elif not content:
        yield Tampering(path, BODY, "changed", b"something")
    yield Tampering(path, FILE, "removed", None)


def split(content: bytes) -> tuple[dict[str, Any], bytes]:
    """An envelope's front matter as plain values, and what stands behind it."""
    _, head, body = content.split(b"---\n", 2)
    return yaml.safe_load(head), body


def is_in_reference_form(path: str, content: bytes) -> bool:
    """Whether a file is exactly what the reference writes for its values."""
    if path.endswith(".md"):
        return _envelope(*split(content)) == content
    return not path.endswith(".json") or _fact(json.loads(content)) == content


def _in_values(path: str, values: dict[str, Any], known: str, write: Callable[[dict[str, Any]], bytes]) -> Iterator[Tampering]:
    for where in _places(values, ()):
        for how in ("changed", "removed"):
            tampered = copy.deepcopy(values)
            holder: Any = tampered
            for step in where[:-1]:
                holder = holder[step]
            if how == "removed":
                del holder[where[-1]]
            elif _is_leaf(holder[where[-1]]):
                holder[where[-1]] = _other(holder[where[-1]]) if holder[where[-1]] != [] else [known]
            else:
                continue
            yield Tampering(path, ".".join(map(str, where)), how, write(tampered))


def _places(value: object, where: _Path) -> Iterator[_Path]:
    """The keys and positions of every value, nested ones after what holds them."""
    steps: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, dict):
        steps = iter(value.items())
    elif isinstance(value, list):
        steps = iter(enumerate(value))
    for step, inner in steps:
        yield (*where, step)
        yield from _places(inner, (*where, step))


def _is_leaf(value: object) -> bool:
    return not isinstance(value, dict | list) or not value


def _other(value: object) -> object:
    """Another value of the same kind."""
    if value is None:
        return "inbox"
    if isinstance(value, int):
        return value + 1
    assert isinstance(value, str)
    for others in _OTHERS:
        if value in others:
            return others[(others.index(value) + 1) % len(others)]
    time = _TIME.match(value)
    if time:
        return f"{time[1]}{(int(time[2]) + 1) % 1_000_000:06}{time[3]}"
    if _HEX_ENDS.match(value):
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return value + "x"


def _envelope(values: dict[str, Any], body: bytes) -> bytes:
    return b"---\n" + yaml.safe_dump(values, allow_unicode=True, sort_keys=False).encode() + b"---\n" + body


def _fact(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
