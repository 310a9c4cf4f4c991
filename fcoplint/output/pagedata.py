"""What the page shows, as plain values for JSON.

Long lists are tables: the names of the columns, then the rows. What stands in many rows is kept once, in `texts` or `folders`, and
named by its number.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from typing import Any

from fcoplint import __version__
from fcoplint.board import Board, Card, Moment, Paper, TeamBoard
from fcoplint.catalogue import Rule
from fcoplint.findings import Finding
from fcoplint.model.nodes import Span
from fcoplint.output.neutral import neutral, neutral_path
from fcoplint.output.pagetrends import page_trends
from fcoplint.output.parts import path_of
from fcoplint.protocol.stages import STAGES, TERMINAL
from fcoplint.report import NOT_LOOKED_AT, Report, Reported
from fcoplint.status import OPEN, REPORTED

# A text longer than this is cut: a page is read by people.
_MAX_TEXT = 600
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
# What a rule's file says to people who look at a finding; the rest are examples and settings.
_SECTIONS = {"What it checks": "checks", "How to put it right": "remedy"}
_UNSEEN = NOT_LOOKED_AT | {"FC003", "FC004"}

CARD = (
    "workspace", "folder", "id", "stage", "title", "sender", "recipient", "holder", "priority", "since", "events", "papers", "parents",
    "children", "file",
)  # fmt: skip
EVENT = ("at", "source", "target", "by", "tool", "line", "note", "said")
PAPER = ("kind", "id", "path", "author", "at", "dated", "verdict")
FINDING = ("code", "severity", "path", "line", "message", "help", "next", "source", "card", "commit", "related", "older", "unseen")


def page_data(report: Report) -> dict[str, Any]:
    """Everything the page's script reads, but for the words of its languages."""
    board = report.board() if report.board else Board((), datetime.datetime.now(datetime.UTC))
    table = _Cards(report, board)
    return {
        "version": __version__,
        "command": report.command,
        "base": neutral_path(report.base),
        "made": _seconds(board.now),
        "counts": report.counts,
        "older": report.older,
        "excused": report.suppressions,
        "workspaces": [_workspace(report, team) for team in board.teams] or _bare(report),
        "stages": _stages(board),
        "issues": [row for number, team in enumerate(board.teams) for row in _issues(report, number, team)],
        "cards": {"columns": CARD, "rows": table.rows},
        "folders": list(table.folders),
        "columns": {"event": EVENT, "paper": PAPER},
        "findings": {"columns": FINDING, "rows": [_finding(report, item, table) for item in report.worst_first]},
        "suppressed": [_suppressed(report, item) for item in report.suppressed],
        "rules": {code: _rule(rule) for code, rule in report.rules.items()},
        "texts": list(table.texts.numbers),
        "notes": [{"topic": note.topic, "text": neutral(note.text), "path": _path(note.path)} for note in report.notes],
        "trends": page_trends(report),
    }


class _Texts:
    """Texts that are kept once, by their numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int | None:
        """The number of a text, harmless and cut; None where it says nothing."""
        shown = _text(text)
        return None if shown is None else self.numbers.setdefault(shown, len(self.numbers))


class _Cards:
    """The rows of all TASKs, and which of them a path or a name belongs to."""

    def __init__(self, report: Report, board: Board) -> None:
        self.texts = _Texts()
        self.folders: dict[str, int] = {}
        self.by_path: dict[str, int] = {}
        self._of_papers: dict[str, int] = {}
        self._by_name: dict[tuple[str, str], int] = {}
        self._base = report.base
        cards = [(place, team, card) for place, team in enumerate(board.teams) for card in team.cards]
        self.rows = [self._row(number, *card) for number, card in enumerate(cards)]

    def of(self, finding: Finding) -> int | None:
        """The number of the TASK that a finding speaks of, or whose REPORT or REVIEW it speaks of; None for others."""
        path = finding.location.path
        by_name = self._by_name.get((finding.workspace, finding.subject))
        return self.by_path.get(path, self._of_papers.get(path, by_name))

    def _row(self, number: int, workspace: int, team: TeamBoard, card: Card) -> list[Any]:
        work = card.work
        self.by_path[work.path] = number
        self._by_name.setdefault((team.root, work.task), number)
        for paper in card.papers:
            self._of_papers.setdefault(paper.path, number)
        folder, _, filename = work.path.rpartition("/")
        folder = neutral_path(self._base + folder)
        return [
            workspace,
            self.folders.setdefault(folder, len(self.folders)),
            _text(work.task),
            self.texts(work.stage),
            _text(card.title),
            *map(self.texts, (work.sender, card.recipient, work.holder, work.priority)),
            _seconds(work.since),
            [_event(event, self.texts) for event in card.events],
            [_paper(self._base, paper) for paper in card.papers],
            [_text(name) for name in card.parents],
            [_text(name) for name in dict.fromkeys(work.children)],
            None if filename == f"{work.task}.md" else neutral_path(filename),
        ]


def _event(event: Moment, texts: _Texts) -> list[Any]:
    said = None if event.at else texts(event.said)
    row = [_seconds(event.at), *map(texts, (event.source, event.target, event.by, event.tool)), event.line, texts(event.note), said]
    while row[-1] is None:
        row.pop()
    return row


def _paper(base: str, paper: Paper) -> list[Any]:
    path = neutral_path(base + paper.path)
    return [paper.kind, _text(paper.name), path, _text(paper.author), _seconds(paper.at), int(paper.is_dated), _text(paper.verdict)]


def _finding(report: Report, item: Reported, table: _Cards) -> list[Any]:
    finding = item.finding
    path, span = finding.location
    return [
        item.rule.code,
        item.severity,
        None if path in table.by_path else neutral_path(path_of(report, item)),
        span.line if span else None,
        table.texts(item.message),
        table.texts(item.help),
        [0 if path in table.by_path and word == path else neutral(word) for word in item.next],
        _text(item.source),
        table.of(finding),
        {"id": item.commit.oid, "author": _text(item.commit.author), "date": _text(item.commit.date)} if item.commit else None,
        [_related(report, related.location.path, related.location.span) for related in finding.related[:5]],
        int(not item.introduced),
        int(item.rule.code in _UNSEEN),
    ]


def _related(report: Report, path: str, span: Span | None) -> str:
    return f"{neutral_path(report.base + path)}:{span.line}" if span else neutral_path(report.base + path)


def _suppressed(report: Report, item: Reported) -> dict[str, Any]:
    assert item.suppression
    return {
        "code": item.rule.code,
        "path": neutral_path(path_of(report, item)),
        "message": _text(item.message),
        "kind": item.suppression.kind,
        "reason": _text(item.suppression.reason),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    sections = {_SECTIONS[title]: text.strip() for title, text in _SECTION.findall(rule.body) if title in _SECTIONS}
    return {"name": rule.name, "title": rule.title, "why": rule.why, "spec": rule.source, **sections}


def _workspace(report: Report, team: TeamBoard) -> dict[str, Any]:
    envelopes = next((item.envelopes for item in report.workspaces if item.root == team.root), 0)
    root = neutral_path(f"{report.base}{team.root}".rstrip("/") or ".")
    return {"root": root, "version": team.version, "leader": _text(team.leader), "envelopes": envelopes}


def _bare(report: Report) -> list[dict[str, Any]]:
    """The workspaces of a report that has no board: it was made of other reports, or by hand."""
    return [
        {"root": neutral_path(item.root or "."), "version": item.version, "leader": None, "envelopes": item.envelopes}
        for item in report.workspaces
    ]


def _issues(report: Report, workspace: int, team: TeamBoard) -> Iterator[dict[str, Any]]:
    for issue in team.issues:
        yield {
            "workspace": workspace,
            "id": _text(issue.issue),
            "path": neutral_path(report.base + issue.path),
            "reporter": _text(issue.reporter),
            "severity": _text(issue.severity),
            "summary": _text(issue.summary),
        }


def _stages(board: Board) -> Sequence[str]:
    """The columns of the board in their order: all stages where a workspace has them, the older layouts' where TASKs are there."""
    present = {card.work.stage for team in board.teams for card in team.cards}
    staged = {*STAGES} if any(team.version >= 3 for team in board.teams) else set()
    order = (OPEN, *STAGES[:-1], REPORTED, TERMINAL)
    return [stage for stage in order if stage in present | staged]


def _seconds(moment: datetime.datetime | None) -> int | None:
    """Seconds since 1970 (UTC)."""
    return int(moment.timestamp()) if moment else None


def _path(path: str | None) -> str | None:
    return None if path is None else neutral_path(path or ".")


def _text(text: str | None) -> str | None:
    """A text from the repository: harmless, no longer than anybody reads, None where it says nothing."""
    if not text:
        return None
    shown = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}\u2026"
    return neutral(shown)
