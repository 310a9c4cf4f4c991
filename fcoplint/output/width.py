"""How wide text is on a terminal: a Chinese character takes two columns, a mark that sits on another none (UAX 11)."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """The columns that one line of text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def pad(text: str, wanted: int) -> str:
    """`text` with blanks behind it up to a width on a terminal."""
    return text + " " * (wanted - width(text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
