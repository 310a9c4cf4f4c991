"""The grammar of envelope file names (protocol.md B.1)."""

import datetime
import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from fcoplint.protocol.lookalikes import skeleton
from fcoplint.protocol.roles import ROLE_PATTERN, is_role

KINDS = ("TASK", "REPORT", "ISSUE", "REVIEW")
SLUG_PATTERN = r"[a-z](?:[a-z0-9-]*[a-z0-9])?"

_DATED = r"-(?P<date>\d{8})-(?P<sequence>\d{3})-"
_SLUG = rf"(?:-(?P<slug>{SLUG_PATTERN}))?\.md"
_GRAMMAR = {
    "TASK": re.compile(
        rf"TASK{_DATED}(?P<sender>{ROLE_PATTERN})-to-(?P<recipient>{ROLE_PATTERN})(?:\.(?P<slot>{ROLE_PATTERN}))?{_SLUG}", re.ASCII
    ),
    "REPORT": re.compile(rf"REPORT{_DATED}(?P<sender>{ROLE_PATTERN})-to-(?P<recipient>{ROLE_PATTERN}){_SLUG}", re.ASCII),
    "ISSUE": re.compile(rf"ISSUE{_DATED}(?P<sender>{ROLE_PATTERN}){_SLUG}", re.ASCII),
    "REVIEW": re.compile(rf"REVIEW{_DATED}(?P<sender>{ROLE_PATTERN})-on-(?P<subject>[a-z0-9][a-z0-9-]*)\.md", re.ASCII),
}
FORMS = {
    "TASK": "TASK-YYYYMMDD-NNN-SENDER-to-RECIPIENT[.SLOT][-slug].md",
    "REPORT": "REPORT-YYYYMMDD-NNN-REPORTER-to-RECIPIENT[-slug].md",
    "ISSUE": "ISSUE-YYYYMMDD-NNN-REPORTER[-slug].md",
    "REVIEW": "REVIEW-YYYYMMDD-NNN-REVIEWER-on-subject.md",
}
# v4 names carry no date and no roles: the id is the whole stem (protocol.md C.1).
_V4_NAME = re.compile(r"(?P<kind>TASK|REPORT|ISSUE|REVIEW)-[A-Za-z0-9][A-Za-z0-9._-]*\.md", re.ASCII)
# In capitals the prefix alone claims a type; otherwise a number must follow: `review-checklist.md` is no envelope.
_PREFIX = re.compile(r"(?P<capitals>TASK|REPORT|ISSUE|REVIEW)[-_ ]|(?P<other>(?i:TASK|REPORT|ISSUE|REVIEW))[-_ ]\d")
# `DRAFT-20261001-001-PM-to-QA.md` and `AMEND-TASK-20261001-001-….md`; `DRAFT-ideas.md` is a free document.
_GHOST = re.compile(r"(DRAFT|HANDOFF|AMEND)-(?:(?:TASK|REPORT|ISSUE|REVIEW)-|\d{8}-\d{3}-).*\.md", re.ASCII | re.DOTALL)
# What a person takes for an envelope: the type, then a date, after a counter or `Copy of` and with any extension.
_ENVELOPE_LIKE = re.compile(r"[\W\d_]*(?:copy of )?(?:TASK|REPORT|ISSUE|REVIEW)[-_ .]*\d{4}", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """A parsed envelope name; `sender` is the ISSUE's reporter and the REVIEW's reviewer."""

    kind: str
    date: str
    sequence: str
    sender: str
    recipient: str | None
    slot: str | None
    slug: str | None
    subject: str | None
    stem: str

    @property
    def short_id(self) -> str:
        """TYPE-YYYYMMDD-NNN, and for a REVIEW the whole stem (protocol.md B.1)."""
        return self.stem if self.kind == "REVIEW" else f"{self.kind}-{self.date}-{self.sequence}"


@dataclass(frozen=True, slots=True)
class NameFault:
    """The first segment of a name that breaks the grammar: which one, what stands there, what was expected."""

    segment: str
    found: str
    expected: str


@functools.lru_cache(maxsize=1 << 16)
def parse_name(filename: str) -> Name | None:
    """The parts of an envelope's file name, or None where it breaks the grammar of its type."""
    kind = filename.partition("-")[0]
    grammar = _GRAMMAR.get(kind)
    match = grammar.fullmatch(filename) if grammar else None
    if match is None:
        return None
    part = match.groupdict().get
    return Name(
        kind,
        match["date"],
        match["sequence"],
        match["sender"],
        part("recipient"),
        part("slot"),
        part("slug"),
        part("subject"),
        filename[: -len(".md")],
    )


def day_of(filename: str) -> datetime.datetime | None:
    """The day in an envelope's file name (its midnight, UTC), None where the name breaks the grammar or the calendar has no such day."""
    name = parse_name(filename)
    if name is None or not is_calendar_date(name.date):
        return None
    return datetime.datetime.strptime(name.date, "%Y%m%d").replace(tzinfo=datetime.UTC)


def parse_v4_kind(filename: str) -> str | None:
    """The type of a v4 envelope by its file name, or None (protocol.md C.1)."""
    match = _V4_NAME.fullmatch(filename)
    return match["kind"] if match else None


@functools.lru_cache(maxsize=1 << 16)
def claimed_kind(filename: str) -> str | None:
    """The envelope type a reader would take this file for, however badly the name is spelled; None for other files."""
    seen = filename if filename.isascii() else skeleton(filename)
    match = _PREFIX.match(seen.lstrip())
    if match is None or not seen.rstrip().lower().endswith(".md"):
        return None
    return (match["capitals"] or match["other"]).upper()


def ghost_prefix(filename: str) -> str | None:
    """DRAFT, HANDOFF or AMEND where the rest of the name is an envelope's date and routing (protocol.md V3-N07)."""
    match = _GHOST.fullmatch(filename)
    return match[1] if match else None


def looks_like_envelope(filename: str) -> bool:
    """Whether a person would take this file for an envelope, whether a tool does or not: `TASK20261001-….md`, `TASK-20261001-….txt`."""
    return _ENVELOPE_LIKE.match(skeleton(filename)) is not None


def is_calendar_date(digits: str) -> bool:
    """Whether eight digits name a day of the calendar."""
    try:
        datetime.date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True


def looks_confusable(filename: str, is_name: Callable[[str], bool]) -> bool:
    """Whether only spelling that a reader cannot see, or easily overlooks, keeps this name from being a right one.

    Look-alike letters, hidden characters, outer blanks, a prefix in small letters, an extension in capitals. `is_name` knows
    the grammar.
    """
    return not is_name(filename) and is_name(plain_spelling(filename))


def plain_spelling(filename: str) -> str:
    """The name as a reader takes it: ASCII, no hidden characters, prefix in capitals, `.md` in small letters."""
    seen = skeleton(filename)
    prefix, dash, rest = seen.partition("-")
    stem, dot, extension = rest.rpartition(".")
    return f"{prefix.upper()}{dash}{stem}{dot}{extension.lower()}"


def find_name_fault(filename: str) -> NameFault:
    """Why `parse_name` refuses this name: the first wrong segment from the left. Undefined for names it accepts."""
    kind, _, rest = filename.partition("-")
    if kind not in KINDS:
        return NameFault("type", kind, "TASK, REPORT, ISSUE or REVIEW")
    if not rest.endswith(".md"):
        return NameFault("extension", filename.rpartition(".")[2], ".md")
    date, _, rest = rest[: -len(".md")].partition("-")
    if not re.fullmatch(r"\d{8}", date, re.ASCII):
        return NameFault("date", date, "eight digits, YYYYMMDD")
    sequence, _, rest = rest.partition("-")
    if not re.fullmatch(r"\d{3}", sequence, re.ASCII):
        return NameFault("sequence", sequence, "three digits")
    return _find_routing_fault(kind, rest)


def _find_routing_fault(kind: str, rest: str) -> NameFault:
    if kind == "ISSUE" and "-to-" in rest:
        return NameFault("routing", rest, "a reporter alone (an ISSUE has no -to- and no recipient)")
    if kind == "ISSUE":
        return _find_tail_fault("reporter", rest, "a role in capitals, then at most a slug in small letters")
    link = "-on-" if kind == "REVIEW" else "-to-"
    sender, found, tail = rest.partition(link)
    if not found:
        return NameFault("routing", rest, f"SENDER{link}{'subject' if kind == 'REVIEW' else 'RECIPIENT'}")
    if not is_role(sender):
        return NameFault("sender", sender, "a role in capitals")
    if kind == "REVIEW":
        return NameFault("subject", tail, "small letters, digits and hyphens")
    if kind == "REPORT" and "." in tail:
        return NameFault("recipient", tail, "a role without a slot (only a TASK may be addressed to one)")
    return _find_tail_fault("recipient", tail, "a role in capitals, then at most a slug in small letters")


def _find_tail_fault(segment: str, tail: str, expected: str) -> NameFault:
    head = re.match(rf"{ROLE_PATTERN}(?:\.{ROLE_PATTERN})?(?=-|$)", tail)
    if head and tail[head.end() :].startswith("-"):
        return NameFault("slug", tail[head.end() + 1 :], "a slug: small letters, digits and hyphens, beginning with a letter")
    return NameFault(segment, tail, expected)
