"""Annotations of GitHub Actions: the worst findings first, as many as a step may have, and one line for all others.

A step shows ten errors and ten warnings (anchors, pitfall 42). What is not annotated stands in the log as a plain line.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.output import concise
from fcoplint.output.neutral import neutral_path
from fcoplint.output.parts import line_of, path_of, texts
from fcoplint.output.phrases import say
from fcoplint.output.text import Paint, summary
from fcoplint.report import Report, Reported

MAX_ANNOTATIONS = 10
_COMMANDS = ("error", "warning")


def write(report: Report, paint: Paint) -> str:
    """The annotations, the findings beyond them as lines, one notice that tells how many those are, the summary."""
    annotated: list[str] = []
    others: list[Reported] = []
    for item in report.worst_first:
        if item.severity in _COMMANDS and sum(line.startswith(f"::{item.severity} ") for line in annotated) < MAX_ANNOTATIONS:
            annotated.append(_annotation(report, item))
        else:
            others.append(item)
    lines = [*annotated, *map(concise.line, others), *_roll_up(report, len(others)), *summary(report, paint)]
    return "".join(f"{line}\n" for line in lines)


def _annotation(report: Report, item: Reported) -> str:
    """`::error file=…,line=…,title=…::…`. The start line only: an end at the end of the file is shown elsewhere (pitfall 47)."""
    title = f"{item.rule.code} {item.rule.name}"
    properties = {"file": neutral_path(path_of(report, item)), "line": str(line_of(item)), "title": title}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{item.severity} {listed}::{_data(chr(10).join(texts(item)))}"


def _roll_up(report: Report, others: int) -> Iterator[str]:
    if others:
        findings = say(report.lang, "findings", n=len(report.findings))
        yield f"::notice title=fcoplint::{say(report.lang, 'log only', n=others, all=findings)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
