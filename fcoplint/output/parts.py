"""What formats for other programs share: a finding's place from the repository's root, its texts, marks that are told apart."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator

from fcoplint.output.neutral import neutral
from fcoplint.output.phrases import say
from fcoplint.report import Report, Reported


def path_of(report: Report, item: Reported) -> str:
    """A finding's path from the repository's root, "." for the repository itself."""
    return f"{report.base}{item.finding.location.path}".rstrip("/") or "."


def line_of(item: Reported) -> int:
    """The line at which a finding stands; 1 for a file, a folder, a link as a whole."""
    span = item.finding.location.span
    return span.line if span else 1


def texts(item: Reported) -> list[str]:
    """What is wrong, how to put it right, and the next command: each one line, harmless."""
    following = say(item.rule.lang, "Next", command=shlex.join(item.next)) if item.next else ""
    return [neutral(text) for text in (item.message, item.help, following) if text]


def told_apart(items: Iterable[Reported]) -> Iterator[tuple[Reported, str]]:
    """Each finding with its fingerprint and, as several may be equal, its number among them: `0a1b…:1`."""
    seen = Counter[str]()
    for item in items:
        mark = item.finding.fingerprint
        seen[mark] += 1
        yield item, f"{mark}:{seen[mark]}"
