"""Consistent renamings of a whole tree, in paths, contents and link targets alike: what a rule must not care about."""

import datetime
import re
from collections.abc import Callable, Mapping

from fcoplint.protocol.roles import ROLE_PATTERN

Renaming = Callable[[str], str]

_ROLES = {"PM": "LEAD-QA", "DEV": "AUTO-TESTER", "QA": "PERF_TESTER", "OPS": "SRE2"}
_ROLE = re.compile(rf"(?<![A-Za-z0-9_])({'|'.join(_ROLES)})(?![A-Za-z0-9_])")
_SMALL_ROLE = re.compile(rf"(?<![a-z0-9])({'|'.join(_ROLES).lower()})(?![a-z0-9])")
# A REVIEW's name ends in its subject's, in small letters.
_SUBJECT = re.compile(r"(?<=-on-)[a-z0-9-]+", re.ASCII)
_DATE = re.compile(r"(?<!\d)(20\d{2})(-?)(\d{2})\2(\d{2})(?!\d)", re.ASCII)
_NUMBER = re.compile(r"(?i:((?:TASK|REPORT|ISSUE|REVIEW)-\d{8}-)(\d{3})(?!\d))", re.ASCII)
# Where a name ends: before its extension, at a mark that no name holds, at the end of a sentence.
_END = r"(?=\.(?i:md)|[^-\w.]|\.?$|\.\s)"
_BARE = re.compile(
    rf"(?:(?:TASK|REPORT)-\d{{8}}-\d{{3}}-{ROLE_PATTERN}-to-{ROLE_PATTERN}(?:\.(?!MD){ROLE_PATTERN})?|ISSUE-\d{{8}}-\d{{3}}-{ROLE_PATTERN}){_END}"
)
_BARE_SUBJECT = re.compile(rf"(?:task|report)-\d{{8}}-\d{{3}}-[a-z0-9-]+-to-[a-z0-9]+{_END}|issue-\d{{8}}-\d{{3}}-[a-z0-9]+{_END}")
_SLOTLESS = re.compile(rf"TASK-\d{{8}}-\d{{3}}-{ROLE_PATTERN}-to-{ROLE_PATTERN}(?=\.(?i:md)|-[a-z]|[^-\w.]|\.?$|\.\s)")
_SLOTLESS_SUBJECT = re.compile(rf"task-\d{{8}}-\d{{3}}-[a-z0-9-]+-to-[a-z0-9]+{_END}")
_SHIFT = datetime.timedelta(days=-3)


def rename_roles(text: str) -> str:
    """Other roles, with hyphens, underscores and digits in their codes."""
    renamed = _ROLE.sub(lambda match: _ROLES[match[1]], text)
    return _SUBJECT.sub(lambda subject: _SMALL_ROLE.sub(_small_role, subject[0]), renamed)


def shift_dates(text: str) -> str:
    """Everything three days earlier, across the end of a month; what is no day of the calendar stays."""

    def shift(match: re.Match[str]) -> str:
        try:
            day = datetime.date(int(match[1]), int(match[3]), int(match[4])) + _SHIFT
        except ValueError:
            return match[0]
        return f"{day:%Y}{match[2]}{day:%m}{match[2]}{day:%d}"

    return _DATE.sub(shift, text)


def renumber(text: str) -> str:
    """Other numbers in the same order; 000 stays, being no number."""
    return _NUMBER.sub(lambda match: match[1] + (match[2] if match[2] == "000" else f"{int(match[2]) + 400:03}"), text)


def add_slugs(text: str) -> str:
    """A slug on every whole name that has none."""
    return _BARE_SUBJECT.sub(r"\g<0>-later-on", _BARE.sub(r"\g<0>-later-on", text))


def add_slots(text: str) -> str:
    """A slot behind every TASK's recipient in the file name; the field names the role alone."""
    return _SLOTLESS_SUBJECT.sub(r"\g<0>-night", _SLOTLESS.sub(r"\g<0>.NIGHT", text))


RENAMINGS: Mapping[str, Renaming] = {
    "roles": rename_roles, "dates": shift_dates, "numbers": renumber, "slugs": add_slugs, "slots": add_slots
}  # fmt: skip


def rename_tree(files: Mapping[str, bytes], rename: Renaming) -> dict[str, bytes]:
    """The files with their paths and contents renamed."""
    return {rename(path): _bytes(rename(_text(content))) for path, content in files.items()}


def rename_links(links: Mapping[str, str], rename: Renaming) -> dict[str, str]:
    """The links with their paths and targets renamed."""
    return {rename(path): rename(target) for path, target in links.items()}


def _small_role(match: re.Match[str]) -> str:
    return _ROLES[match[1].upper()].lower().replace("_", "-")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
