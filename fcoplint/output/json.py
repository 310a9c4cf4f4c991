"""The format for programs: `fcoplint.report/1`, ASCII only, one object (design.md 8)."""

from __future__ import annotations

import base64
import json
from typing import Any

from fcoplint import __version__
from fcoplint.catalogue import Rule
from fcoplint.findings import Fix
from fcoplint.model.location import Location
from fcoplint.output.text import Paint
from fcoplint.report import Report, Reported, Suppression

SCHEMA = "fcoplint.report/1"


def write(report: Report, paint: Paint) -> str:
    """The report as one JSON object with its final newline."""
    return json.dumps(as_data(report), indent=2, ensure_ascii=True) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain values, keys in their fixed order."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "fcoplint", "version": __version__},
        "command": report.command,
        "exit_code": report.exit_code,
        "fail_level": report.fail_level,
        "lang": report.lang,
        "summary": {**report.counts, "older": report.older, "suppressed": report.suppressions},
        "workspaces": [{"root": item.root or ".", "version": item.version, "envelopes": item.envelopes} for item in report.workspaces],
        "notes": [{"topic": note.topic, "text": note.text, "path": _text(note.path)} for note in report.notes],
        "rules": [{**_rule(rule), "findings": report.statistics.get(code, 0)} for code, rule in report.rules.items()],
        "findings": [_finding(item) for item in report.findings],
        "suppressed": [{**_finding(item), "suppression": _suppression(item.suppression)} for item in report.suppressed if item.suppression],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "title": rule.title,
        "contract": rule.contract,
        "protocols": rule.protocols,
        "fix": rule.fix,
        "source": rule.source,
        "why": rule.why,
    }


def _finding(item: Reported) -> dict[str, Any]:
    finding = item.finding
    return {
        "code": item.rule.code,
        "name": item.rule.name,
        "severity": item.severity,
        "contract": item.rule.contract,
        **_location(finding.location),
        "message": _text(item.message),
        "parameters": {key: _plain(value) for key, value in finding.parameters.items()},
        "workspace": _text(finding.workspace) or ".",
        "subject": _text(finding.subject),
        "related": [{**_location(related.location), "what": related.what} for related in finding.related],
        "help": _text(item.help) or None,
        "next": [_text(word) for word in item.next],
        "fix": _fix(finding.fix),
        "source": item.rule.source,
        "protocol_error": item.protocol_error,
        "fingerprint": finding.fingerprint,
        "introduced": item.introduced,
        "commit": {"id": item.commit.oid, "author": _text(item.commit.author), "date": item.commit.date} if item.commit else None,
    }


def _suppression(suppression: Suppression) -> dict[str, Any]:
    location = suppression.location
    return {
        "kind": suppression.kind,
        "reason": _text(suppression.reason),
        "path": _text(location.path) if location else None,
        "line": location.span.line if location and location.span else None,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [{**_location(Location(edit.path, edit.span)), "replacement": _text(edit.replacement)} for edit in fix.edits]
    moves = [{"path": _text(move.path), "target": _text(move.target)} for move in fix.moves]
    return {"safety": fix.safety, "edits": edits, "moves": moves}


def _location(location: Location) -> dict[str, Any]:
    span = location.span
    place = {
        "path": _text(location.path) or None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
    }
    if _text(location.path) != location.path:
        place["path_bytes"] = base64.b64encode(location.path.encode("utf-8", "surrogateescape")).decode("ascii")
    return place


def _plain(value: object) -> object:
    return value if isinstance(value, int | bool) else _text(str(value))


def _text(text: str | None) -> str | None:
    """Text that JSON can carry everywhere: bytes of a name that are not UTF-8 become U+FFFD."""
    return None if text is None else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
