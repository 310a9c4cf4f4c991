"""JUnit XML: a test case a finding. One at the fail level fails, a milder one passes and says so, an excused one is skipped."""

from __future__ import annotations

from xml.etree import ElementTree

from fcoplint.findings import SEVERITIES
from fcoplint.output.neutral import neutral, neutral_path
from fcoplint.output.parts import line_of, path_of, texts
from fcoplint.output.text import Paint
from fcoplint.report import NOT_LOOKED_AT, Report, Reported


def write(report: Report, paint: Paint) -> str:
    """The report as one test suite; where there is nothing to tell, one case that passes."""
    suite = ElementTree.Element("testsuite", name=f"fcoplint {report.command}")
    for item in (*report.findings, *report.suppressed):
        _add_case(suite, report, item)
    if len(suite) == 0:
        ElementTree.SubElement(suite, "testcase", classname="fcoplint", name="no findings")
    counts = {
        "tests": str(len(suite)),
        "failures": str(len(suite.findall("*/failure"))),
        "errors": str(len(suite.findall("*/error"))),
        "skipped": str(len(suite.findall("*/skipped"))),
    }
    for key, value in counts.items():
        suite.set(key, value)
    root = ElementTree.Element("testsuites", {"name": "fcoplint", **counts})
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_case(suite: ElementTree.Element, report: Report, item: Reported) -> None:
    path, line = neutral_path(path_of(report, item)), line_of(item)
    title = f"{item.rule.code} {item.rule.name}"
    case = ElementTree.SubElement(suite, "testcase", classname=path, name=f"{title} ({path}:{line})", file=path, line=str(line))
    message, *more = texts(item)
    if item.suppression:
        ElementTree.SubElement(case, "skipped", message=neutral(item.suppression.reason or item.suppression.kind))
        return
    if item.rule.code in NOT_LOOKED_AT:
        inner = ElementTree.SubElement(case, "error", type=item.severity, message=message)
    elif SEVERITIES.index(item.severity) >= SEVERITIES.index(report.fail_level):
        inner = ElementTree.SubElement(case, "failure", type=item.severity, message=message)
    else:
        inner = ElementTree.SubElement(case, "system-out")
        more = [f"{item.severity}: {message}", *more]
    inner.text = "\n".join([f"{path}:{line}", *more])
