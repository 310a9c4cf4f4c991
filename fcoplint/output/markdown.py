"""Markdown, for the summary of a CI step or a comment: a table, worst first, in which nothing from the repository is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.output.neutral import neutral, neutral_path
from fcoplint.output.parts import line_of, path_of
from fcoplint.output.phrases import say
from fcoplint.output.text import Paint, summary
from fcoplint.report import Report, Reported

# A step's summary holds 1 MiB; rows beyond these are counted.
MAX_ROWS = 500
MAX_BYTES = 900_000
_MAX_TEXT = 600
# GitHub and GitLab take it for a person, and send that person a message, even where it is escaped.
_MENTION = re.compile(r"@(?=\w)")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_PLAIN = Paint(on=False)


def write(report: Report, paint: Paint) -> str:
    """A heading, the findings as a table, and what the summary says."""
    first, *more = summary(report, _PLAIN)
    lines = ["## fcoplint", "", escape(first)]
    rows = list(_rows(report))
    if rows:
        lines += ["", say(report.lang, "table"), "|---|---|---|---|", *rows]
    left = len(report.findings) - len(rows)
    notes = [*([say(report.lang, "unlisted", n=left)] if left > 0 else []), *more]
    return "\n".join([*lines, *_list(notes)]) + "\n"


def escape(text: str) -> str:
    """Text in which no character is markup; what stands between two backticks becomes code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return _escape(text)
    return "".join(_code(part) if number % 2 else _escape(part) for number, part in enumerate(parts))


def _rows(report: Report) -> Iterator[str]:
    """The worst findings, as many as there is room for."""
    room = MAX_BYTES
    for item in report.worst_first[:MAX_ROWS]:
        row = _row(report, item)
        room -= len(row.encode()) + 1
        if room < 0:
            return
        yield row


def _row(report: Report, item: Reported) -> str:
    where = _code(f"{neutral_path(path_of(report, item))}:{line_of(item)}")
    message = neutral(item.message)
    shown = message if len(message) <= _MAX_TEXT else f"{message[:_MAX_TEXT]}…"
    return f"| {item.severity} | {item.rule.code} {_escape(item.rule.name)} | {where} | {escape(shown)} |"


def _list(notes: list[str]) -> Iterator[str]:
    if notes:
        yield ""
        yield from (f"- {escape(note)}" for note in notes)


def _escape(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\g<0>", _MENTION.sub(r"\\x40", text))


def _code(text: str) -> str:
    """Text as a code span: a fence longer than any in it, and no bar that would end a table's cell."""
    if not text.strip():
        return _escape(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")
