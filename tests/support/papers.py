"""Envelopes as text, for tables of evidence and judgement, and the cases below tests/cases."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fcoplint import engine
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import worktree
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import TEAM

CASES = Path(__file__).parents[1] / "cases"
Tree = dict[str, str]
_LIFE = (
    ("08:00", None, "inbox", "{sender}", "create_task"), ("09:00", "inbox", "active", "{recipient}", "claim_task"),
    ("15:00", "active", "review", "{recipient}", "submit_task"), ("16:00", "review", "done", "{sender}", "approve_task"),
    ("17:00", "done", "archive", "{sender}", "archive_task"),
)  # fmt: skip


def paper(path: str, **fields: Any) -> Tree:
    """One file with these fields, and `protocol: fcop`, `version: 1` before them; None leaves a field out."""
    said = {key: value for key, value in {"protocol": "fcop", "version": 1, **fields}.items() if value is not None}
    return {path: f"---\n{yaml.safe_dump(said, sort_keys=False, allow_unicode=True)}---\n\n# Text\n"}


def task(stem: str, stage: str = "active", **fields: Any) -> Tree:
    """A TASK with the ordinary events up to its stage; its roles are those of its name."""
    sender, recipient = _roles(stem)
    day = f"{stem[5:9]}-{stem[9:11]}-{stem[11:13]}"
    roles = {"sender": sender, "recipient": recipient.partition(".")[0]}
    stages = [event[2] for event in _LIFE]
    events = [
        {"at": f"{day}T{at}:00+00:00", "from": source, "to": target, "by": by.format(**roles), "tool": tool}
        for at, source, target, by, tool in _LIFE[: stages.index(stage) + 1]
    ]
    return paper(f"fcop/_lifecycle/{stage}/{stem}.md", **{**roles, "transitions": events, **fields})


def report(stem: str, *named: str, **fields: Any) -> Tree:
    """A done REPORT that names TASKs in `references`."""
    sender, recipient = _roles(stem)
    plain = {"sender": sender, "recipient": recipient, "references": list(named) or None, "status": "done"}
    return paper(f"fcop/reports/{stem}.md", **{**plain, **fields})


def review(stem: str, subject: str, decision: str = "approved", **fields: Any) -> Tree:
    """A REVIEW of a TASK or REPORT."""
    reviewer = stem.partition("-on-")[0].split("-", 3)[3]
    plain = {
        "type": "REVIEW", "sender": reviewer, "review_id": stem, "subject_type": "report" if subject.startswith("REPORT") else "task",
        "subject_ref": subject, "reviewer_role": reviewer, "decision": decision, "decided_at": "2026-10-01T10:00:00+00:00",
    }  # fmt: skip
    return paper(f"fcop/reviews/{stem}.md", **{**plain, **fields})


def issue(**fields: Any) -> Tree:
    """An open ISSUE."""
    plain = {"reporter": "QA", "severity": "high", "status": "open", "summary": "No seed data"}
    return paper("fcop/issues/ISSUE-20261001-001-QA.md", **{**plain, **fields})


def judge(*trees: Tree, prefix: str, manifest: Mapping[str, object] = TEAM, settings: Settings | None = None) -> Report:
    """The report of a workspace with these files, of the rules that begin with a prefix."""
    return engine.audit(_snapshot(manifest, *trees), settings or Settings(select=(prefix,)))


def judge_change(
    before: tuple[Mapping[str, object], Tree], after: tuple[Mapping[str, object], Tree], prefix: str, settings: Settings | None = None
) -> Report:
    """The report of a change from one workspace to another, each a manifest and files, of the rules that begin with a prefix."""
    return engine.check([_snapshot(*before)], _snapshot(*after), settings or Settings(select=(prefix,)))


def _snapshot(manifest: Mapping[str, object], *trees: Tree) -> MemorySnapshot:
    files = {path: text.encode() for tree in trees for path, text in tree.items()}
    return MemorySnapshot({"fcop/fcop.json": json.dumps(manifest).encode(), **files})


def told(found: Report) -> list[tuple[str, str, str]]:
    """(code, severity, envelope) of each finding."""
    return [(item.rule.code, item.severity, item.finding.subject) for item in found.findings]


def hold(case: Path) -> None:
    """Hold a case against what it expects: its code in its place and no other error, or silence."""
    expect = yaml.safe_load((case / "expect.yaml").read_text("utf-8"))
    found = engine.audit(worktree.walk(str(case / "workspace")), Settings()).findings
    allowed = {*_codes(case), *(expect.get("allow") or [])} if case.parent.name == "broken" else set()
    assert [item.rule.code for item in found if item.severity == "error" and item.rule.code not in allowed] == []
    mine = [item for item in found if item.rule.code in _codes(case)]
    if case.parent.name == "sound":
        assert mine == []
        return
    assert [(item.rule.code, item.severity, item.finding.location.path) for item in mine] == [
        (code, expect["level"], expect["file"]) for code in _codes(case)
    ]
    span = mine[0].finding.location.span
    assert "line" not in expect or (span and span.line) == expect["line"]


def _codes(case: Path) -> list[str]:
    expect = yaml.safe_load((case / "expect.yaml").read_text("utf-8"))
    found: list[str] = [*(expect.get("codes") or []), *(expect.get("silent-codes") or [])]
    return found


def _roles(stem: str) -> tuple[str, str]:
    sender, _, recipient = stem.split("-", 3)[3].partition("-to-")
    return sender, "-".join(part for part in recipient.split("-") if part.isupper() or "." in part)
