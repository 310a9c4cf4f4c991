"""Makes text from a repository harmless for terminals and CI logs (design.md 8)."""

import os
import re

from fcoplint.protocol.lookalikes import HIDDEN

# Control characters, bidi and zero-width ones, line and paragraph separators, lone surrogates (bytes that are no UTF-8), and
# what is no character (XML cannot carry it).
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff" + "".join(sorted(HIDDEN)) + "]")
# GitHub takes `::` for a command at the start of a line only; GitHub's older form and Azure's anywhere in it.
_COMMAND = re.compile(r"^(\s*)::")
_OLD_COMMAND = re.compile(r"##(?=\[|vso\[)", re.IGNORECASE)
# A home folder of any system, where a path begins (not `packages/home/site`); drives also as WSL and git's bash write them.
_NAME = r"[^/\\\s'\"`<>|:,;)\]}]+"
_POSIX = rf"(?:/var|/export|/mnt/[a-z]|/[a-z])?/(?:home|Users)/{_NAME}|/root(?=[/\s'\"`)]|$)"
_WINDOWS = rf"[A-Za-z]:[\\/]+(?i:users|documents and settings)[\\/]+{_NAME}"
_BEGINS = r"(?<![\w.~)\]}-])"
_HOME = re.compile(rf"{_BEGINS}(?:{_POSIX}|{_WINDOWS})")


def neutral(text: str) -> str:
    """One line of text with every harmful character spelled out, and home folders as `~`."""
    return neutral_path(hide_homes(text))


def neutral_path(text: str) -> str:
    """The same for a path relative to what was looked at: no part of it is a home folder, whatever it is called."""
    return _OLD_COMMAND.sub(r"#\\x23", _HARMFUL.sub(_spell, text))


def neutral_line(text: str) -> str:
    """A line for a log: neutral, and not a CI command (`::…`), however the log trims it."""
    return neutral_line_start(neutral(text))


def neutral_line_start(text: str) -> str:
    """Neutral text that may stand at the start of a log's line."""
    return _COMMAND.sub(r"\1\\x3a:", text)


def _spell(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\n":
        return "\\n"
    if char == "\t":
        return "\\t"
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def hide_homes(text: str) -> str:
    """Text with home folders as `~`."""
    own = os.path.expanduser("~")
    if len(own) > 1 and own in text:
        text = re.sub(_BEGINS + re.escape(own) + r"(?![^/\\\s'\"`)\]}:,;])", "~", text)
    return _HOME.sub("~", text)
