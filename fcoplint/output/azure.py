"""Log commands of Azure Pipelines: `##vso[task.logissue …]`, the worst findings first."""

from __future__ import annotations

from fcoplint.output import concise
from fcoplint.output.neutral import neutral_path
from fcoplint.output.parts import line_of, path_of, texts
from fcoplint.output.text import Paint, summary
from fcoplint.report import Report, Reported

_TYPES = ("error", "warning")


def write(report: Report, paint: Paint) -> str:
    """A command an error or warning, a plain line an information, the summary."""
    return "".join(f"{line}\n" for line in [*(_line(report, item) for item in report.worst_first), *summary(report, paint)])


def _line(report: Report, item: Reported) -> str:
    if item.severity not in _TYPES:
        return concise.line(item)
    properties = {
        "type": item.severity,
        "sourcepath": neutral_path(path_of(report, item)),
        "linenumber": str(line_of(item)),
        "code": item.rule.code,
    }
    listed = "".join(f"{key}={_property(value)};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{_data(f'{item.rule.code} {item.rule.name}: ' + chr(10).join(texts(item)))}"


def _data(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace("]", "%5D").replace(";", "%3B")
