"""How front matter names an envelope: by stem, by short id, or by a path that ends in one (protocol.md V3-F13, B.1)."""

import re
from typing import NamedTuple

from fcoplint.protocol.names import parse_name

# Keys under which an envelope names others; every text in them that looks like an id must lead somewhere.
REFERENCE_KEYS = ("parent", "supersedes", "references", "subject_ref")

_ID = re.compile(r"(?P<kind>TASK|REPORT|ISSUE|REVIEW)-[^\s;,()]+")
_NUMBERED = re.compile(r"(?P<number>(?:TASK|REPORT|ISSUE|REVIEW)-\d{8}-[^\s.-]+)", re.ASCII)
# A slot, or a slug, as it follows the routing.
_LEFT_OUT = re.compile(r"\.|-[a-z]")


class Target(NamedTuple):
    """What a text names: a stem or short id, the type it claims, whether it was given as a path, whether it bears a date."""

    stem: str
    kind: str
    is_path: bool
    is_dated: bool


def parse_reference(text: str) -> Target | None:
    """The envelope that a text means; None for a web address, for free text, for anything else that is no envelope's id."""
    if "://" in text:
        return None
    plain = text.strip().partition("#")[0].replace("\\", "/")
    stem = plain.rpartition("/")[2].removesuffix(".md")
    match = _ID.fullmatch(stem)
    return Target(stem, match["kind"], "/" in plain, number_of(stem) is not None) if match else None


def number_of(stem: str) -> str | None:
    """TYPE-YYYYMMDD-NNN at the beginning of a stem, whatever follows it; None where it does not begin so."""
    match = _NUMBERED.match(stem)
    return match["number"] if match else None


def abbreviates(reference: str, stem: str) -> bool:
    """Whether a reference is a stem without its slot or its slug, or nothing but its number."""
    rest = stem.removeprefix(reference)
    if rest == stem:
        return False
    if reference == number_of(reference):
        return rest.startswith("-")
    return parse_name(f"{reference}.md") is not None and _LEFT_OUT.match(rest) is not None
