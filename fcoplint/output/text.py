"""The format for people: each finding with its source line, the reason, the remedy and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from fcoplint.catalogue import rule_file, rule_files
from fcoplint.model.nodes import Span
from fcoplint.output.neutral import neutral, neutral_line, neutral_line_start, neutral_path
from fcoplint.output.phrases import say, translate
from fcoplint.output.width import pad, width
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

    def rule(self, code: str, lang: str) -> str:
        """A rule's code; where the terminal can show links, one to the rule's own file on this machine."""
        painted = self("code", code)
        if not self.links or code not in rule_files():
            return painted
        return f"\x1b]8;;{rule_file(code, lang).as_uri()}\x1b\\{painted}\x1b]8;;\x1b\\"


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
    lang, comma = report.lang, say(report.lang, "comma")
    found = comma.join(say(lang, f"{severity}s", n=number) for severity, number in counts.items()) or say(lang, "nothing")
    envelopes = say(lang, "envelopes", n=sum(workspace.envelopes for workspace in report.workspaces))
    workspaces = say(lang, "workspaces", n=len(report.workspaces))
    yield say(lang, "summary", found=paint(next(iter(counts), "dim"), found), envelopes=envelopes, workspaces=workspaces)
    if report.older:
        yield paint("dim", say(lang, "older", n=report.older))
    excused = {kind: number for kind, number in report.suppressions.items() if number}
    if excused:
        listed = comma.join(say(lang, kind, n=number) for kind, number in excused.items())
        yield paint("dim", say(lang, "excused", n=sum(excused.values()), listed=listed))
    for note in report.notes:
        if note.topic == NOT_PROVABLE:
            continue
        where = f"{neutral_path(note.path or '.')}: " if note.path is not None else ""
        text = translate(lang, note.template).replace("{}", note.detail)
        yield paint("dim", neutral_line(say(lang, "note", text=f"{where}{text}")))
    beyond = [note for note in report.notes if note.topic == NOT_PROVABLE]
    if beyond:
        yield paint("dim", say(lang, "not provable"))
        yield from (paint("dim", neutral_line(f"  - {translate(lang, note.template)}")) for note in beyond)


def _block(item: Reported, paint: Paint) -> Iterator[str]:
    lang = item.rule.lang
    # The first line is the same in every language: editors and people look for it by its words.
    yield f"{where(item)}: {paint(item.severity, item.severity)} {paint.rule(item.rule.code, lang)} {paint('dim', item.rule.name)}"
    yield f"  {neutral_line(item.message)}"
    if item.commit:
        yield _row("commit", f"{item.commit.oid[:12]} {neutral(item.commit.date)} {neutral(item.commit.author)}", paint, lang)
    span = item.finding.location.span
    if item.source is not None and span is not None:
        yield from _excerpt(item.source, span, item.severity, paint)
    for related in item.finding.related[:_SHOWN]:
        location = related.location
        line = f":{location.span.line}" if location.span else ""
        what = say(lang, "related", what=neutral(translate(lang, related.what)))
        yield _row("see", f"{neutral_path(location.path)}{line}{what}", paint, lang)
    if len(item.finding.related) > _SHOWN:
        yield _row("see", say(lang, "more", n=len(item.finding.related) - _SHOWN), paint, lang)
    for key, text in (("why", item.rule.why), ("help", item.help), ("next", shlex.join(item.next))):
        if text:
            yield _row(key, neutral_line(text), paint, lang)


def _row(key: str, text: str, paint: Paint, lang: str) -> str:
    """A heading and its text; the texts begin in one column."""
    heading = say(lang, key)
    column = max(width(say(lang, other)) for other in ("see", "why", "help", "next"))
    return f"  {paint('next' if key == 'next' else 'dim', heading)}{pad('', column - width(heading))} {text}"


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
    before = width(neutral(source[first:start]))
    marked = max(1, width(neutral(source[start : min(end, first + _WIDTH)])))
    yield paint("dim", f"  {gap} |")
    yield f"  {paint('dim', f'{number} |')} {neutral_line(shown)}"
    yield f"  {paint('dim', f'{gap} |')} {' ' * before}{paint(severity, '^' * marked)}"


def count(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 or noun == "info" else f"{number} {noun}s"
