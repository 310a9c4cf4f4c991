"""The format for people: each finding with its source line, the reason, the remedy and the next command."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from fcoplint.catalogue import rule_files
from fcoplint.model.nodes import Span
from fcoplint.output.neutral import neutral, neutral_line, neutral_line_start, neutral_path
from fcoplint.report import NOT_PROVABLE, Report, Reported

_SGR = {"error": "1;31", "warning": "1;33", "info": "1;36", "code": "1", "dim": "2", "next": "1;32"}
# A source line longer than this is shown around the finding only.
_WIDTH = 120
# More related places than this are counted, not shown.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text where colour is wanted, links it where a terminal can show that, and leaves the summary out of a `brief` one."""

    on: bool
    links: bool = False
    brief: bool = False

    def __call__(self, style: str, text: str) -> str:
        """`text` in a style, or as it is."""
        return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if self.on else text

    def rule(self, code: str) -> str:
        """A rule's code; where the terminal can show links, one to the rule's own file on this machine."""
        painted = self("code", code)
        if not self.links or code not in rule_files():
            return painted
        return f"\x1b]8;;{rule_files()[code].as_uri()}\x1b\\{painted}\x1b]8;;\x1b\\"


def write(report: Report, paint: Paint) -> str:
    """Every finding as a block, then the summary."""
    blocks = ["\n".join(_block(item, paint)) for item in report.findings]
    closing = "\n".join(summary(report, paint))
    parts = [*blocks, closing] if closing else blocks
    return "\n\n".join(parts) + "\n" if parts else ""


def summary(report: Report, paint: Paint) -> Iterator[str]:
    """What was found, in what, and what was not looked at; nothing where it is to be brief."""
    if paint.brief:
        return
    counts = {severity: number for severity, number in report.counts.items() if number}
    envelopes = sum(workspace.envelopes for workspace in report.workspaces)
    found = ", ".join(count(number, severity) for severity, number in counts.items()) or "no findings"
    worst = next(iter(counts), "dim")
    yield f"{paint(worst, found)} in {count(envelopes, 'envelope')} of {count(len(report.workspaces), 'workspace')}"
    if report.older:
        verb = "was" if report.older == 1 else "were"
        yield paint("dim", f"{count(report.older, 'older finding')} {verb} there before this change and not listed (--all lists them)")
    excused = {kind: number for kind, number in report.suppressions.items() if number}
    if excused:
        listed = ", ".join(f"{number} {_EXCUSED[kind]}" for kind, number in excused.items())
        yield paint("dim", f"{count(sum(excused.values()), 'finding')} excused: {listed}")
    for note in report.notes:
        if note.topic == NOT_PROVABLE:
            continue
        where = f"{neutral_path(note.path or '.')}: " if note.path is not None else ""
        yield paint("dim", neutral_line(f"note: {where}{note.text}"))
    beyond = [note.text for note in report.notes if note.topic == NOT_PROVABLE]
    if beyond:
        yield paint("dim", "not provable here, and so not judged:")
        yield from (paint("dim", neutral_line(f"  - {text}")) for text in beyond)


def _block(item: Reported, paint: Paint) -> Iterator[str]:
    head = f"{paint(item.severity, item.severity)} {paint.rule(item.rule.code)} {paint('dim', item.rule.name)}"
    yield f"{where(item)}: {head}"
    yield f"  {neutral_line(item.message)}"
    if item.commit:
        yield f"  {paint('dim', 'commit:')} {item.commit.oid[:12]} {neutral(item.commit.date)} {neutral(item.commit.author)}"
    span = item.finding.location.span
    if item.source is not None and span is not None:
        yield from _excerpt(item.source, span, item.severity, paint)
    for related in item.finding.related[:_SHOWN]:
        location = related.location
        line = f":{location.span.line}" if location.span else ""
        yield f"  {paint('dim', 'see:')}  {neutral_path(location.path)}{line} ({neutral(_WHAT.get(related.what, related.what))})"
    if len(item.finding.related) > _SHOWN:
        yield f"  {paint('dim', 'see:')}  {len(item.finding.related) - _SHOWN} more (--format json lists them)"
    if item.rule.why:
        yield f"  {paint('dim', 'why:')}  {neutral_line(item.rule.why)}"
    if item.help:
        yield f"  {paint('dim', 'help:')} {neutral_line(item.help)}"
    if item.next:
        yield f"  {paint('next', 'next:')} {neutral(shlex.join(item.next))}"


_WHAT = {"first": "the first one", "twin": "the other name", "copy": "the other copy"}
_EXCUSED = {"inline": "by a comment", "path": "by a path", "baseline": "by the baseline"}


def where(item: Reported) -> str:
    """`path:line:column`, harmless at the start of a line."""
    location = item.finding.location
    path = neutral_line_start(neutral_path(location.path or "(repository)"))
    return f"{path}:{location.span.line}:{location.span.column}" if location.span else path


def _excerpt(source: str, span: Span, severity: str, paint: Paint) -> Iterator[str]:
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(source)
    first = max(0, start - _WIDTH // 2) if len(source) > _WIDTH else 0
    shown = source[first : first + _WIDTH]
    number = str(span.line)
    gap = " " * len(number)
    before = _display_width(neutral(source[first:start]))
    marked = max(1, _display_width(neutral(source[start : min(end, first + _WIDTH)])))
    yield paint("dim", f"  {gap} |")
    yield f"  {paint('dim', f'{number} |')} {neutral_line(shown)}"
    yield f"  {paint('dim', f'{gap} |')} {' ' * before}{paint(severity, '^' * marked)}"


def pad(text: str, width: int) -> str:
    """`text` with blanks behind it up to a width on a terminal."""
    return text + " " * (width - _display_width(text))


def _display_width(text: str) -> int:
    return len(text) + sum(unicodedata.east_asian_width(char) in "WF" for char in text) if not text.isascii() else len(text)


def count(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
