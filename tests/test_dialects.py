"""What a runtime of its own writes, by its own words: names of fields, tools and actors, in every contract (field.md 5)."""

import json
from pathlib import Path

import pytest

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import worktree
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import TEAM

MU = "codeflowmu"
MANIFEST = {"fcop/fcop.json": json.dumps(TEAM)}
PARENT = "TASK-20261001-001-PM-to-DEV"
STEM = "TASK-20261001-002-DEV-to-QA"
CREATED = "null inbox DEV create_task"
DISPATCHED = "inbox active CodeFlowMu runtime_dispatch"
SUBMITTED = "active review QA submit_review"
APPROVED = "review done PM approve_review"


def mu_task(*moves: str, stem: str = STEM, stage: str | None = None, **fields: str) -> dict[str, str]:
    """A TASK as CodeFlowMu writes it: no protocol, no version, `from` and `to`, `action` in its events."""
    sender, _, recipient = stem.split("-", 3)[3].partition("-to-")
    said = {"kind": "task", "from": sender, "to": recipient, **fields}
    events, end = "", "inbox"
    for hour, move in enumerate(moves):
        source, end, by, action, *more = move.split(" ", 4)
        events += f"  - at: 2026-10-01T{hour:02}:00:00Z\n    from: {source}\n    to: {end}\n    by: {by}\n    action: {action}\n"
        events += "".join(f"    {text}\n" for text in more)
    front = "".join(f"{key}: {value}\n" for key, value in said.items() if value)
    return {f"fcop/_lifecycle/{stage or end}/{stem}.md": f"---\n{front}transitions:\n{events}---\n\nBuild it.\n"}


def parent() -> dict[str, str]:
    return mu_task("null inbox PM create_task", "inbox active DEV claim_task", stem=PARENT)


def chosen(dialect: str, *select: str) -> Settings:
    return Settings(select=select, policy=Policy(dialect=dialect))


def said(report: Report) -> list[str]:
    return [f"{item.rule.code} {item.severity}" for item in report.findings]


def audit(*parts: dict[str, str], dialect: str = MU, select: tuple[str, ...] = ("FC1", "FC3", "FC4", "FC5", "FC6")) -> list[str]:
    files = {path: text.encode() for part in (MANIFEST, *parts) for path, text in part.items()}
    return said(engine.audit(MemorySnapshot(files), chosen(dialect, *select)))


def test_the_documents_of_the_runtime_itself_are_lawful(shared: Path) -> None:
    folder = shared / "corpus/real-v3/CodeFlowMu-open-samples/as-documented"
    # What its examples leave out of a project: the manifest, and folders that git does not keep.
    assert sorted(said(engine.audit(worktree.walk(str(folder)), chosen(MU)))) == ["FC141 error", "FC202 info"]


LIVES: list[tuple[tuple[str, ...], dict[str, str], list[str]]] = [
    ((CREATED, DISPATCHED, SUBMITTED, APPROVED), {}, ["FC411 warning"]),
    ((CREATED, "inbox active QA runtime_dispatch"), {}, []),
    ((CREATED, "inbox active OPS runtime_dispatch"), {}, ["FC405 warning"]),
    ((CREATED, "inbox active OPS claim_task"), {}, ["FC405 warning"]),
    ((CREATED, DISPATCHED, "active review OPS submit_review"), {}, ["FC406 warning"]),
    ((CREATED, DISPATCHED, SUBMITTED, "review done QA approve_review"), {}, ["FC402 error", "FC411 warning"]),
    ((CREATED, DISPATCHED, SUBMITTED, "review active OPS reject_review reason: late"), {}, ["FC407 warning"]),
    ((CREATED, DISPATCHED, SUBMITTED, "review active PM reject_review reason: late"), {}, []),
    ((CREATED, DISPATCHED, SUBMITTED, "review active PM reject_review"), {}, ["FC407 info"]),
    ((CREATED, DISPATCHED, SUBMITTED, APPROVED, "done active QA reopen_task"), {}, ["FC407 warning"]),
    ((CREATED, DISPATCHED, SUBMITTED, APPROVED, "done active PM reopen_task"), {}, []),
    ((CREATED, DISPATCHED, "active archive QA force_archive_task"), {}, ["FC411 error", "FC401 error"]),
    ((CREATED, DISPATCHED, "active archive CodeFlowMu archive_by_parent_mainline"), {}, ["FC411 error", "FC403 info"]),
    (("null inbox QA create_task",), {}, ["FC414 warning"]),
    ((CREATED,), {"parent_task": ""}, ["FC408 warning"]),
    ((CREATED,), {"parent_task": "TASK-20261001-009"}, ["FC408 warning", "FC502 warning"]),
    ((CREATED,), {"from": ""}, ["FC114 error"]),
    ((CREATED,), {"from": "", "sender": "DEV"}, []),
    ((CREATED,), {"from": "OPS"}, ["FC120 error"]),
    ((CREATED,), {"protocol": "fcop", "version": "2"}, ["FC117 error"]),
]  # fmt: skip


@pytest.mark.parametrize(("moves", "fields", "expected"), LIVES)
def test_every_contract_reads_the_words_of_the_dialect(moves: tuple[str, ...], fields: dict[str, str], expected: list[str]) -> None:
    assert sorted(audit(parent(), mu_task(*moves, **{"parent_task": PARENT, **fields}))) == sorted(expected)


def test_the_published_protocol_does_not_know_the_other_names() -> None:
    found = audit(mu_task(CREATED), dialect="fcop", select=("FC114",))
    assert found == ["FC114 error"] * 4


def test_a_move_by_a_tool_of_the_dialect_leads_to_its_stage() -> None:
    before, after = ({**MANIFEST, **parent(), **mu_task(*moves)} for moves in ((CREATED,), (CREATED, DISPATCHED)))
    sides = [MemorySnapshot({path: text.encode() for path, text in side.items()}) for side in (before, after)]
    assert said(engine.check(sides[:1], sides[1], chosen(MU))) == []


@pytest.mark.parametrize("key", ["action", "tool"])
def test_a_migration_is_known_by_whichever_key_names_its_tool(key: str) -> None:
    old = {**MANIFEST, **parent()}
    migrated = mu_task("null archive migration fcop_migrate_v3")
    new = {**old, **{path: text.replace("action:", f"{key}:").replace("2026-10", "2020-10") for path, text in migrated.items()}}
    sides = [MemorySnapshot({path: text.encode() for path, text in side.items()}) for side in (old, new)]
    assert said(engine.check(sides[:1], sides[1], chosen(MU, "FC313", "FC401", "FC403", "FC811", "FC812"))) == []
