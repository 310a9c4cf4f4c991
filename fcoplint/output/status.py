"""The status as a table for people and as `fcoplint.status/1` for agents."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from typing import Any

from fcoplint.language import ENGLISH
from fcoplint.output.neutral import neutral_line
from fcoplint.output.phrases import say
from fcoplint.output.text import Paint
from fcoplint.output.width import pad, width
from fcoplint.status import TeamStatus, Work

SCHEMA = "fcoplint.status/1"


def as_text(teams: Sequence[TeamStatus], now: datetime.datetime, paint: Paint, lang: str = ENGLISH) -> str:
    """A table a workspace: stage, TASK, holder, how long, subject; then the open issues."""
    return "\n".join("\n".join(_team(team, now, paint, lang)) for team in teams) + "\n"


def as_json(teams: Sequence[TeamStatus]) -> str:
    """Everything as one JSON object."""
    listed = [
        {
            "root": team.root or ".",
            "version": team.version,
            "leader": team.leader,
            "work": [
                {
                    "task": work.task,
                    "path": work.path,
                    "stage": work.stage,
                    "holder": work.holder,
                    "sender": work.sender,
                    "subject": work.subject,
                    "priority": work.priority,
                    "since": work.since.isoformat() if work.since else None,
                    "reports": list(work.reports),
                    "children": list(work.children),
                }
                for work in team.work
            ],
            "issues": [
                {"issue": item.issue, "path": item.path, "reporter": item.reporter, "severity": item.severity, "summary": item.summary}
                for item in team.issues
            ],
            "archived": team.archived,
        }
        for team in teams
    ]
    return json.dumps({"schema": SCHEMA, "workspaces": _whole(listed)}, indent=2) + "\n"


def _whole(value: Any) -> Any:
    """A value with no half characters, which are no JSON that others could read: bytes of a name that are not UTF-8."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def _team(team: TeamStatus, now: datetime.datetime, paint: Paint, lang: str) -> Iterator[str]:
    leader = say(lang, "leader", leader=team.leader) if team.leader else ""
    yield paint("code", neutral_line(f"{team.root or '.'} (v{team.version}{leader})"))
    rows = [_row(work, now) for work in team.work]
    widths = [max((width(row[column]) for row in rows), default=0) for column in range(4)]
    for row in rows:
        yield neutral_line(
            "  " + "  ".join(pad(cell, columns) for cell, columns in zip(row, widths, strict=False)) + f"  {row[4]}"
        ).rstrip()
    if not rows:
        yield f"  {say(lang, 'no work')}"
    for issue in team.issues:
        yield neutral_line(f"  {say(lang, 'issue')}  {issue.issue}  {issue.severity or '?'}  {issue.summary or ''}").rstrip()
    if team.archived:
        yield paint("dim", f"  {say(lang, 'archived', n=team.archived)}")


def _row(work: Work, now: datetime.datetime) -> tuple[str, str, str, str, str]:
    return (work.stage, work.task, work.holder or "?", _age(work, now), work.subject or "")


def _age(work: Work, now: datetime.datetime) -> str:
    """How long a TASK has been where it is, in the largest unit that fits."""
    if work.since is None:
        return "?"
    seconds = max(0, int((now - work.since).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
