"""Times as FCoP writes them: ISO 8601, with or without an offset (protocol.md V3-T04, D 16)."""

import datetime
import functools
import re
from typing import NamedTuple

_FORM = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?:[.,](?P<fraction>\d{1,9}))?\s?(?P<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?",
    re.ASCII,
)
# RFC 3339, which v4 asks for: nothing may be left out.
_STRICT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII)
# ISO 8601 without its separators: 20261001, 20261001T080000Z.
_BASIC = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(.*))?", re.ASCII)


# A time without an offset may be a local one, and no clock is further from UTC than this.
_FURTHEST_AHEAD, _FURTHEST_BEHIND = datetime.timedelta(hours=14), datetime.timedelta(hours=12)


class Time(NamedTuple):
    """A moment, in UTC; `aware` tells whether the text said its offset (without one UTC is assumed, as the reference does)."""

    moment: datetime.datetime
    aware: bool

    @property
    def margin(self) -> datetime.timedelta:
        """How much earlier it may really have been."""
        return datetime.timedelta(0) if self.aware else _FURTHEST_AHEAD

    @property
    def lag(self) -> datetime.timedelta:
        """How much later it may really have been."""
        return datetime.timedelta(0) if self.aware else _FURTHEST_BEHIND


@functools.lru_cache(maxsize=1 << 16)
def parse_time(text: str) -> Time | None:
    """The moment a text names, None where it is no ISO 8601 date or date-time, or no day of the calendar."""
    match = _FORM.fullmatch(_extended(text.strip()))
    if match is None:
        return None
    clock = match["clock"] or "00:00"
    microseconds = int((match["fraction"] or "0")[:6].ljust(6, "0"))
    try:
        naive = datetime.datetime.fromisoformat(f"{match['date']}T{clock}").replace(microsecond=microseconds)
        shift = _offset(match["offset"])
        return Time((naive - shift).replace(tzinfo=datetime.UTC), match["offset"] is not None)
    except (ValueError, OverflowError):
        return None


def is_rfc3339(text: str) -> bool:
    """Whether a text is a date-time of RFC 3339, with its offset, and a moment that there is (protocol.md D 16)."""
    return _STRICT.fullmatch(text) is not None and parse_time(text) is not None


def _extended(text: str) -> str:
    """A time in ISO 8601's basic form with its separators put in; any other text as it is."""
    match = _BASIC.fullmatch(text)
    if match is None:
        return text
    date = "-".join(match.group(1, 2, 3))
    clock = ":".join(part for part in match.group(4, 5, 6) if part)
    return f"{date}T{clock}{match[7]}" if clock else date


def _offset(text: str | None) -> datetime.timedelta:
    if text is None or text in "Zz":
        return datetime.timedelta(0)
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(text)
    shift = datetime.timedelta(hours=hours, minutes=minutes)
    return -shift if text[0] == "-" else shift
