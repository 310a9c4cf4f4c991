"""Lives of envelopes in memory: a workspace as a value, changed step by step, and judged as a change."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from fcoplint import engine
from fcoplint.model.change import Ancestors, Author
from fcoplint.model.policy import Policy
from fcoplint.protocol.places import LIFECYCLE
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot

TEAM = {"mode": "preset", "team": "dev-team", "leader": "PM", "roles": ["PM", "DEV", "QA", "OPS"], "lang": "en", "version": 1}
MANIFEST = "fcop/fcop.json"
NAME = "TASK-20261001-001-PM-to-DEV"
REPORT = "fcop/reports/REPORT-20261002-001-DEV-to-PM.md"
REVIEW = "fcop/reviews/REVIEW-20261002-001-PM-on-report-20261002-001-dev-to-pm.md"
ISSUE = "fcop/issues/ISSUE-20261002-001-QA.md"
START = datetime.datetime(2026, 10, 1, 8, tzinfo=datetime.UTC)
NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
HISTORY_RULES = ("FC8", "FC313", "FC420")

# The ordinary hop out of each stage, and what leads into it.
HOPS = {
    "inbox": [("active", "DEV", "claim_task")],
    "active": [("review", "DEV", "submit_task"), ("done", "DEV", "finish_task")],
    "review": [("done", "PM", "approve_task"), ("active", "PM", "reject_task")],
    "done": [("archive", "PM", "archive_task")],
    "archive": [],
}
ORDINARY = ("inbox", "active", "review", "done", "archive")


def event(hour: float, source: str | None, target: str, by: str, tool: str, **more: str) -> dict[str, Any]:
    """One event, so many hours after the start."""
    at = (START + datetime.timedelta(hours=hour)).isoformat()
    return {"at": at, "from": source, "to": target, "by": by, "tool": tool, **more}


def life(stage: str) -> list[dict[str, Any]]:
    """The ordinary events up to a stage, an hour apart."""
    events = [event(0, None, "inbox", "PM", "create_task")]
    for hour, target in enumerate(ORDINARY[1 : ORDINARY.index(stage) + 1], 1):
        source = str(events[-1]["to"])
        by, tool = next((by, tool) for end, by, tool in HOPS[source] if end == target)
        events.append(event(hour, source, target, by, tool))
    return events


@dataclass(frozen=True)
class TaskFile:
    """A TASK as a value: its name, place, events, fields and body."""

    name: str = NAME
    stage: str = "inbox"
    events: Sequence[Mapping[str, Any]] = field(default_factory=lambda: life("inbox"))
    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str = "# Build the form\n\nAcceptance: the check passes.\n"
    history: str | None = None

    @property
    def path(self) -> str:
        """Where it lies."""
        if self.history:
            return f"fcop/history/{self.history}/{self.name}/{self.name}.md"
        return f"fcop/{LIFECYCLE}/{self.stage}/{self.name}.md"

    def text(self) -> bytes:
        """The file, as the reference dumps it."""
        sender, recipient = self.name.split("-to-")[0].rpartition("-")[2], self.name.split("-to-")[1].partition("-")[0]
        head: dict[str, Any] = {"protocol": "fcop", "version": 1, "sender": sender, "recipient": recipient, **self.fields}
        if self.events:
            head["transitions"] = [dict(item) for item in self.events]
        return envelope(head, self.body)

    def tree(self) -> dict[str, bytes]:
        """The file alone, by its path."""
        return {self.path: self.text()}

    def but(self, **changes: Any) -> TaskFile:
        """The same TASK with some things otherwise."""
        return replace(self, **changes)


def task(stage: str = "inbox", **changes: Any) -> TaskFile:
    """A TASK that came to a stage in the ordinary way."""
    return TaskFile(stage=stage, events=life(stage)).but(**changes)


def envelope(head: Mapping[str, Any], body: str) -> bytes:
    """The bytes of an envelope with this front matter."""
    return f"---\n{yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True)}---\n\n{body}".encode()


def report(body: str = "# Result\n\nThe check passes.\n", **fields: Any) -> bytes:
    """A REPORT of DEV on the usual TASK."""
    head = {"protocol": "fcop", "version": 1, "sender": "DEV", "recipient": "PM", "references": ["TASK-20261001-001"], "status": "done"}
    return envelope(head | fields, body)


def review(body: str = "Read it.\n", **fields: Any) -> bytes:
    """A REVIEW of PM that asks for a human."""
    head = {
        "protocol": "fcop", "version": 1, "type": "REVIEW", "sender": "PM", "review_id": REVIEW.rpartition("/")[2][:-3],
        "subject_type": "report", "subject_ref": "REPORT-20261002-001", "reviewer_role": "PM", "decision": "needs_human",
        "decided_at": "2026-10-02T09:00:00+00:00",
    }  # fmt: skip
    return envelope(head | fields, body)


def issue(body: str = "Nobody can log in.\n", **fields: Any) -> bytes:
    """An open ISSUE of QA."""
    head = {
        "protocol": "fcop", "version": 1, "reporter": "QA", "severity": "high", "status": "open", "summary": "No seed data",
        "created_at": "2026-10-02T09:00:00+00:00",
    }  # fmt: skip
    return envelope(head | fields, body)


def workspace(*trees: Mapping[str, bytes], **manifest: Any) -> MemorySnapshot:
    """A v3 workspace that holds these files."""
    files = {MANIFEST: json.dumps(TEAM | manifest).encode()}
    for tree in trees:
        files.update(tree)
    return MemorySnapshot(files)


def judge(
    before: MemorySnapshot | Sequence[MemorySnapshot],
    after: MemorySnapshot,
    *,
    select: tuple[str, ...] = HISTORY_RULES,
    ancestors: Sequence[Ancestors] = (),
    author: Author | None = None,
    signed: bool | None = None,
    **policy: Any,
) -> Report:
    """The report of a change by the rules about changes."""
    parents = [before] if isinstance(before, MemorySnapshot) else list(before)
    settings = Settings(select=select, policy=Policy(now=NOW, **policy))
    return engine.check(parents, after, settings, ancestors=ancestors, author=author, signed=signed)


def codes(found: Report) -> list[str]:
    """The codes of a report, without those that could not be looked at and information."""
    return [item.rule.code for item in found.findings if item.severity != "info"]
