"""Letters that a person cannot tell from ASCII, and characters nobody can see (FC106, FC905)."""

import unicodedata

# Letters outside ASCII that commonly used fonts draw like an ASCII letter or digit. NFKC takes care of
# full-width and mathematical forms, so only other scripts are listed.
_CYRILLIC = ("АВЕЅІЈКМНОРСТУХҮԌԚԜҺаеіјорсухѕһԁԛԝ", "ABESIJKMHOPCTYXYGQWHaeijopcyxshdqw")
_GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳικνορυχ", "ABEZHIKMNOPTYXCjikvopux")
_OTHERS = ("ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷΝՕᏢᏚᎢՍᏙᎳᏃꓲ‐‑‒–—−﹣", "ABCDEGHJKLMNOPSTUVWZI-------")
_ASCII_TWINS = {ord(odd): plain for odds, plains in (_CYRILLIC, _GREEK, _OTHERS) for odd, plain in zip(odds, plains, strict=True)}

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ZERO_WIDTH = frozenset("\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u3164\ufeff\uffa0")
HIDDEN = _BIDI | _ZERO_WIDTH


def skeleton(text: str) -> str:
    """What a reader sees: NFKC, hidden characters and outer blanks dropped, look-alikes as ASCII."""
    if text.isascii():
        return text.strip()
    seen = unicodedata.normalize("NFKC", text).translate(_ASCII_TWINS)
    return "".join(char for char in seen if char not in HIDDEN and unicodedata.category(char) not in ("Cf", "Mn")).strip()


def hidden_characters(text: str) -> list[tuple[int, str]]:
    """(position, character) of each bidi control or zero-width character in `text`.

    Joiners between two characters of a script or emoji that needs them (Persian, Hindi, a family of emoji) are writing.
    """
    if text.isascii():
        return []
    return [(at, char) for at, char in enumerate(text) if char in HIDDEN and not _joins(text, at)]


def _joins(text: str, at: int) -> bool:
    if text[at] not in "\u200c\u200d" or not 0 < at < len(text) - 1:
        return False
    return all(unicodedata.category(beside) in ("Lo", "So", "Mn", "Mc", "Sk") for beside in (text[at - 1], text[at + 1]))


def describe(char: str) -> str:
    """`U+200B ZERO WIDTH SPACE`: a hidden character as something that can be printed."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed')}"
