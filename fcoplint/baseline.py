"""The baseline: findings that were accepted, by fingerprint, one a line and sorted, so that git can merge two of them."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from fcoplint.config import ConfigError
from fcoplint.settings import Accepted

SCHEMA = "fcoplint.baseline/1"
_FINGERPRINT = re.compile(r"[0-9a-f]{24}")
_KEYS = frozenset({"code", "path", "subject", "count", "until", "reason"})


def parse(name: str, content: bytes) -> tuple[Accepted, ...]:
    """The entries of a baseline's bytes. Raises ConfigError with file and line: what cannot be read accepts nothing."""
    try:
        loaded = json.loads(content.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise ConfigError(f"{name}:{error.lineno}: this baseline is no JSON: {error.msg}; `fcoplint baseline` writes it anew") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{name}:1: this baseline cannot be read; `fcoplint baseline` writes it anew") from error
    if not isinstance(loaded, dict) or loaded.get("schema") != SCHEMA:
        raise ConfigError(f"{name}:1: this is no baseline (`schema` is not `{SCHEMA}`); `fcoplint baseline` writes one")
    return tuple(_entry(name, content, mark, entry) for mark, entry in loaded.items() if mark != "schema")


def merge(old: Iterable[Accepted], found: Iterable[Accepted], looked_for: Callable[[str], bool]) -> list[Accepted]:
    """The findings of today by fingerprint, each with the day and the reason that an `old` entry had for it.

    `looked_for` says of a code whether today's run would have found it; the old entries of the others stay as they are.
    """
    listed = list(found)
    counts = Counter(entry.fingerprint for entry in listed)
    known = {entry.fingerprint: entry for entry in old}
    merged = {mark: entry for mark, entry in known.items() if not looked_for(entry.code)}
    for entry in listed:
        kept = known.get(entry.fingerprint, entry)
        merged[entry.fingerprint] = replace(entry, count=counts[entry.fingerprint], until=kept.until, reason=kept.reason)
    return [merged[mark] for mark in sorted(merged)]


def render(entries: Iterable[Accepted]) -> bytes:
    """A baseline's bytes. The schema stands last, so that every entry's line ends alike and new ones merge."""
    lines = (f"{json.dumps(entry.fingerprint)}: {json.dumps(_plain(entry))},\n" for entry in entries)
    return ("{\n" + "".join(lines) + f'"schema": "{SCHEMA}"\n}}\n').encode("ascii")


def _plain(entry: Accepted) -> dict[str, Any]:
    plain: dict[str, Any] = {"code": entry.code, "path": _text(entry.path), "subject": _text(entry.subject)}
    if entry.count != 1:
        plain["count"] = entry.count
    if entry.until:
        plain["until"] = entry.until.isoformat()
    if entry.reason:
        plain["reason"] = entry.reason
    return plain


def _text(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _entry(name: str, content: bytes, mark: str, entry: object) -> Accepted:
    fault = _fault(mark, entry)
    if fault:
        line = content[: max(0, content.find(json.dumps(mark).encode()))].count(b"\n") + 1
        raise ConfigError(f"{name}:{line}: {fault}; `fcoplint baseline` writes it anew")
    assert isinstance(entry, dict)
    until = entry.get("until")
    return Accepted(
        mark,
        entry["code"],
        entry["path"],
        entry["subject"],
        entry.get("count", 1),
        datetime.date.fromisoformat(until) if until else None,
        entry.get("reason", ""),
    )


def _fault(mark: str, entry: object) -> str:
    if not _FINGERPRINT.fullmatch(mark):
        return f"`{mark}` is no fingerprint of a finding"
    if not isinstance(entry, dict) or not entry.keys() <= _KEYS or not {"code", "path", "subject"} <= entry.keys():
        return "an entry holds code, path and subject, and may hold count, until and reason"
    return _wrong_value(entry)


def _wrong_value(entry: Mapping[str, object]) -> str:
    count, until = entry.get("count", 1), entry.get("until")
    if not all(isinstance(entry.get(key, ""), str) for key in ("code", "path", "subject", "reason")):
        return "code, path, subject and reason are text"
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        return "`count` is a number from 1"
    try:
        if until is not None:
            datetime.date.fromisoformat(str(until))
    except ValueError:
        return f"`until` is `{until}`; write a day: 2027-01-31"
    return ""
