"""What common YAML readers make of plain text: the reference sees a value's type, this tool its text (design.md 9)."""

import re

from fcoplint.protocol.roles import YAML_TRAPS

_NUMBER = re.compile(
    r"[-+]?(?:0x[0-9a-f_]+|0b[01_]+|\d[\d_]*(?::[0-5]?\d)*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.\d[\d_]*|\.inf|\.nan)", re.ASCII | re.IGNORECASE
)


def yaml_type(plain: str) -> str | None:
    """What YAML 1.1 reads in place of text where a value is not quoted; None where it stays text."""
    if plain in YAML_TRAPS:
        return "null" if plain.lower() in ("null", "~") else "a boolean"
    return "a number" if _NUMBER.fullmatch(plain) else None


def whole(text: str) -> str:
    """A text without half characters, which JSON can spell but nothing can write."""
    return text.encode("utf-8", "replace").decode("utf-8")
