"""The format for streams: one JSON object a line, each with its schema and type; ASCII only."""

from __future__ import annotations

import json
from typing import Any

from fcoplint.output.json import as_data
from fcoplint.output.text import Paint
from fcoplint.report import Report

SCHEMA = "fcoplint.line/1"
# What stands in a list of the report, and how one of it is called.
_LISTS = {"workspaces": "workspace", "notes": "note", "rules": "rule", "findings": "finding", "suppressed": "suppressed"}


def write(report: Report, paint: Paint) -> str:
    """A line for each workspace, note, rule, finding and excused finding, and last one for the run."""
    data = as_data(report)
    lines = [_line(kind, item) for key, kind in _LISTS.items() for item in data.pop(key)]
    data.pop("schema")
    return "".join(f"{line}\n" for line in [*lines, _line("run", data)])


def _line(kind: str, data: dict[str, Any]) -> str:
    return json.dumps({"schema": SCHEMA, "type": kind, **data}, ensure_ascii=True, separators=(",", ":"))
