"""Makes text from a repository harmless for terminals and CI logs (design.md 8)."""

import os
import re

from fcoplint.protocol.lookalikes import HIDDEN

# Control characters, bidi and zero-width ones, line and paragraph separators, lone surrogates (bytes that are no UTF-8).
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff" + "".join(sorted(HIDDEN)) + "]")
_COMMAND = re.compile(r"^(\s*)::|^(\s*)##\[|^(\s*)##vso\[", re.MULTILINE)
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)[^/\\\s'\"`]+|/root(?=/)")


def neutral(text: str) -> str:
    """One line of text with every harmful character spelled out, and home folders as `~`."""
    return hide_homes(harmless(text))


def harmless(text: str) -> str:
    """One line of text with every harmful character spelled out; home folders stand as they are."""
    return _HARMFUL.sub(_spell, text)


def neutral_line(text: str) -> str:
    """A line for a log: neutral, and not a CI command (`::…`, `##[…]`), however the log trims it."""
    return no_commands(neutral(text))


def no_commands(text: str) -> str:
    """Lines of which none is a CI command."""
    return _COMMAND.sub(lambda match: match[0].replace("::", ":\u200a:").replace("##", "#\u200a#"), text)


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
        text = re.sub(re.escape(own) + r"(?=[/\\]|$|[\s'\"`])", "~", text)
    return _HOME.sub("~", text)
