"""SARIF 2.1.0, for code scanning: one run, relative URIs, marks that outlive lines, within GitHub's limits.

Places stand at `%SRCROOT%`, the repository's root, so nothing of this machine's folders is told.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from fcoplint import __version__
from fcoplint.catalogue import Rule
from fcoplint.model.location import Location
from fcoplint.output.neutral import neutral
from fcoplint.output.parts import path_of, texts, told_apart
from fcoplint.output.text import Paint
from fcoplint.report import Report, Reported

# The schema's name as GitHub's documentation gives it.
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# GitHub refuses a run with more results, and a file that is larger when packed (anchors, pitfall 44).
MAX_RESULTS = 25_000
MAX_PACKED_BYTES = 10_000_000
_MAX_TEXT = 4_000
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB_LEVELS = {"error": "error", "warning": "warning", "info": "recommendation"}
_KINDS = {"inline": "inSource", "path": "external", "baseline": "external"}


def write(report: Report, paint: Paint) -> str:
    """The report as one minified SARIF log, worst findings first; what had to be left out is said in it."""
    items = [*report.worst_first, *report.suppressed]
    kept = items[:MAX_RESULTS]
    text = _dump(report, kept, len(items))
    while kept and len(text) > MAX_PACKED_BYTES and len(zlib.compress(text.encode("ascii"))) > MAX_PACKED_BYTES:
        kept = kept[: len(kept) * 3 // 4]
        text = _dump(report, kept, len(items))
    return text + "\n"


def _dump(report: Report, items: Sequence[Reported], total: int) -> str:
    rules = list(report.rules.values())
    places = {rule.code: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "fcoplint", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report.exit_code != 3,
                "exitCode": report.exit_code,
                "toolExecutionNotifications": list(_notifications(report, len(items), total)),
            }
        ],
        "results": [_result(report, item, places[item.rule.code], mark) for item, mark in told_apart(items)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=True, separators=(",", ":"))


def _rule(rule: Rule) -> dict[str, Any]:
    level = next(iter(rule.severity.values()))
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.body, "markdown": rule.body},
        "defaultConfiguration": {"level": _LEVELS[level]},
        "properties": {"tags": [rule.contract, rule.protocols], "problem.severity": _GITHUB_LEVELS[level]},
    }


def _result(report: Report, item: Reported, index: int, mark: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": item.rule.code,
        "ruleIndex": index,
        "level": _LEVELS[item.severity],
        "message": {"text": _message(texts(item))},
        "locations": [_location(item.finding.location, path_of(report, item))],
        "partialFingerprints": {"primaryLocationLineHash": mark, "fcoplint/v1": mark},
        "suppressions": list(_suppressions(report, item)),
    }
    if item.finding.related:
        result["relatedLocations"] = [
            {**_location(related.location, report.base + related.location.path), "message": {"text": _message([neutral(related.what)])}}
            for related in item.finding.related
        ]
    if report.command == "check":
        result["baselineState"] = "new" if item.introduced else "unchanged"
    if item.commit:
        result["properties"] = {"commit": item.commit.oid}
    return result


def _suppressions(report: Report, item: Reported) -> Iterator[dict[str, Any]]:
    why = item.suppression
    if why is None:
        return
    found: dict[str, Any] = {"kind": _KINDS[why.kind], "status": "accepted"}
    if why.reason:
        found["justification"] = neutral(why.reason)[:_MAX_TEXT]
    if why.location:
        found["location"] = _location(why.location, report.base + why.location.path)
    yield found


def _location(location: Location, path: str) -> dict[str, Any]:
    """A physical location. GitHub wants a region always; one without width would mark nothing, so it is the line alone."""
    span = location.span
    region = {"startLine": span.line if span else 1}
    if span and (span.line, span.column) < (span.end_line, span.end_column):
        region |= {"startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    artifact = {"uri": quote(path.encode("utf-8", "surrogateescape")) or ".", "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _notifications(report: Report, kept: int, total: int) -> Iterator[dict[str, Any]]:
    if kept < total:
        text = f"{total - kept} of {total} findings are left out here: code scanning takes no more. Other formats list all."
        yield {"level": "warning", "message": {"text": text}, "descriptor": {"id": "capped"}}
    for note in report.notes:
        where = f"{neutral(note.path)}: " if note.path else ""
        yield {"level": "note", "message": {"text": _message([f"{where}{neutral(note.text)}"])}, "descriptor": {"id": note.topic}}


def _message(lines: list[str]) -> str:
    """Lines as a message. `[text](target)` would be a link in it, so brackets are escaped as SARIF has it (3.11.6)."""
    text = "\n\n".join(line[:_MAX_TEXT] for line in lines)
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text
