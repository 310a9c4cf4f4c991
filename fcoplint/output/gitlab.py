"""GitLab's code quality report: a list of findings, each with a mark of its own."""

from __future__ import annotations

import json

from fcoplint.output.neutral import neutral_path
from fcoplint.output.parts import line_of, path_of, texts, told_apart
from fcoplint.output.text import Paint
from fcoplint.report import Report

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def write(report: Report, paint: Paint) -> str:
    """The findings as one JSON list; of equal ones each has its own mark, or GitLab would show one of them."""
    listed = [
        {
            "description": f"{item.rule.code} {item.rule.name}: {texts(item)[0]}",
            "check_name": item.rule.code,
            "fingerprint": mark,
            "severity": _SEVERITIES[item.severity],
            "content": {"body": "\n\n".join(texts(item)[1:])},
            "location": {"path": neutral_path(path_of(report, item)), "lines": {"begin": line_of(item)}},
        }
        for item, mark in told_apart(report.findings)
    ]
    return json.dumps(listed, indent=2, ensure_ascii=True) + "\n"
