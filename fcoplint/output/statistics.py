"""How many findings each rule has: what `--statistics` shows in place of them."""

from __future__ import annotations

from fcoplint.output.text import Paint, summary
from fcoplint.report import Report


def write(report: Report, paint: Paint) -> str:
    """A line a rule, most findings first, then the summary."""
    severities = {item.rule.code: item.severity for item in reversed(report.worst_first)}
    rows = sorted(report.statistics.items(), key=lambda row: (-row[1], row[0]))
    width = max((len(str(number)) for _, number in rows), default=0)
    lines = [
        f"{number:{width}}  {paint.rule(code, report.lang)}  {paint(severities[code], f'{severities[code]:7}')}  {report.rules[code].name}"
        for code, number in rows
    ]
    return "".join(f"{line}\n" for line in [*lines, *summary(report, paint)])
