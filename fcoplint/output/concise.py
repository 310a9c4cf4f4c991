"""The format for a quick look and for editors: one line a finding, `path:line:column: severity CODE message`."""

from __future__ import annotations

from fcoplint.output.neutral import neutral
from fcoplint.output.text import Paint, summary, where
from fcoplint.report import Report, Reported


def write(report: Report, paint: Paint) -> str:
    """One line a finding, then the summary."""
    return "".join(f"{said}\n" for said in [*map(line, report.findings), *summary(report, paint)])


def line(item: Reported) -> str:
    """One finding as one line."""
    return f"{where(item)}: {item.severity} {item.rule.code} {neutral(item.message)}"
