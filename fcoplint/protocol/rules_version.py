"""Which version of the FCoP rules a team works by, and since when the executor may not archive (protocol.md A.5.2)."""

import datetime
import re

# Until 3.2.5 the four-step cycle required the executor to archive its own TASK; since then it is forbidden to.
SELF_ARCHIVE_FORBIDDEN = (3, 2, 5)
SELF_ARCHIVE_FORBIDDEN_SINCE = datetime.datetime(2026, 5, 30, tzinfo=datetime.UTC)

# Where the rules are deployed, relative to the folder that holds the workspace; the first that names a version counts.
RULE_FILES = (".cursor/rules/fcop-rules.mdc", "AGENTS.md", "CLAUDE.md")

_VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,3})(?!\d)")
# `fcop_rules_version: 3.2.5` in front matter or at the end of the rules, `> Rules version: `3.2.5`` in AGENTS.md. Only at the
# beginning of a line: prose and change logs speak of other versions.
_DECLARED = re.compile(
    r"^(?:[ >*-]{0,8}(?:\*\*Version\*\*:[ ]{1,4})?[`\"']?fcop_rules_version|[ >*-]{0,8}Rules version)"
    r"[`\"'*]{0,3}[ ]{0,4}:[ ]{0,4}[`\"'*]{0,3}(v?\d[\d.]{0,24})",
    re.MULTILINE | re.IGNORECASE,
)


def parse_version(text: str) -> tuple[int, ...] | None:
    """`3.2.5` as (3, 2, 5); None where the text begins with no version."""
    match = _VERSION.match(text.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else None


def find_version(text: str) -> tuple[int, ...] | None:
    """The version that a deployed rules file says it holds, None where it says none."""
    match = _DECLARED.search(text)
    return parse_version(match[1]) if match else None
