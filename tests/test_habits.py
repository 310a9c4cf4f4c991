"""What a whole v1 or v2 team did is said once; in v3, and where it is a slip, envelope by envelope (docs/field-report.md)."""

import pytest

from fcoplint import engine
from fcoplint.checks.habits import MANY
from fcoplint.output import text as as_text
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot

Tree = dict[str, str]
ROOTS = {1: "docs/agents", 2: "fcop", 3: "fcop"}
MANIFEST = '{"mode": "preset", "team": "t", "leader": "PM", "roles": ["PM", "DEV", "QA"]}'


def paper(sender: str, recipient: str, more: str = "") -> str:
    return f"---\nprotocol: fcop\nversion: 1\nsender: {sender}\nrecipient: {recipient}\n{more}---\n\n# Text\n"


def misplaced(version: int, number: int) -> Tree:
    """A REPORT among the TASKs."""
    folder = "_lifecycle/inbox" if version == 3 else "tasks"
    return {f"{folder}/REPORT-20260501-{number:03}-DEV-to-PM.md": paper("DEV", "PM", "references: [TASK-20260501-001]\n")}


def reused(version: int, number: int) -> Tree:
    """Two TASKs with one number."""
    folder = "_lifecycle/inbox" if version == 3 else "tasks"
    return {f"{folder}/TASK-20260501-{number:03}-PM-to-{role}.md": paper("PM", role) for role in ("DEV", "QA")}


def named_elsewhere(_: int, number: int) -> Tree:
    """A REPORT that names its TASK in `ref_task`."""
    return {f"reports/REPORT-20260501-{number:03}-DEV-to-PM.md": paper("DEV", "PM", "ref_task: TASK-20260501-001\n")}


KINDS = {"FC205": misplaced, "FC105": reused, "FC501": named_elsewhere}


def judge(code: str, version: int, numbers: range) -> Report:
    root, make = ROOTS[version], KINDS[code]
    # What tells the layout.
    tree = {"fcop.json": MANIFEST, "_lifecycle/archive/.gitkeep" if version == 3 else "tasks/TASK-20260401-001-PM-to-QA.md": "---\n---\n"}
    for number in numbers:
        tree.update(make(version, number))
    snapshot = MemorySnapshot({f"{root}/{path}": content.encode() for path, content in tree.items()})
    return engine.audit(snapshot, Settings(select=(code,)))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("code", KINDS)
def test_a_habit_of_an_older_team_is_one_warning(code: str, version: int) -> None:
    [item] = judge(code, version, range(1, MANY + 1)).findings
    assert (item.severity, item.finding.message, item.finding.parameters["count"]) == ("warning", "habit", MANY)
    assert len(item.finding.related) == MANY
    assert str(MANY) in item.message
    assert item.help


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("code", KINDS)
def test_a_few_are_slips_and_told_one_by_one(code: str, version: int) -> None:
    found = judge(code, version, range(1, MANY)).findings
    assert [(item.severity, item.finding.related == () or code == "FC105") for item in found] == [("warning", True)] * (MANY - 1)


@pytest.mark.parametrize("code", KINDS)
def test_in_v3_every_one_is_told(code: str) -> None:
    found = judge(code, 3, range(1, MANY + 20)).findings
    assert [item.finding.message for item in found].count("habit") == 0
    assert len(found) == MANY + 19


@pytest.mark.parametrize("code", KINDS)
def test_one_more_of_a_habit_is_no_new_finding(code: str) -> None:
    prints = [
        {item.finding.fingerprint for item in judge(code, 2, numbers).findings}
        for numbers in (range(1, 20), range(1, 40), range(15, 40))
    ]  # fmt: skip
    assert prints[0] == prints[1] == prints[2]


def test_two_types_in_one_folder_are_two_habits() -> None:
    tree = {f"fcop/tasks/ISSUE-20260501-{number:03}-DEV.md" for number in range(1, 9)}
    tree |= {f"fcop/tasks/REPORT-20260501-{number:03}-DEV-to-PM.md" for number in range(1, 9)}
    snapshot = MemorySnapshot({"fcop/fcop.json": MANIFEST.encode(), **dict.fromkeys(tree, b"---\n---\n")})
    found = engine.audit(snapshot, Settings(select=("FC205",))).findings
    assert [(item.finding.parameters["kind"], item.finding.parameters["count"]) for item in found] == [("ISSUE", 8), ("REPORT", 8)]


def test_text_shows_a_few_of_the_places_and_counts_the_rest() -> None:
    lines = as_text.write(judge("FC205", 2, range(1, 21)), as_text.Paint(on=False)).splitlines()
    assert [line for line in lines if line.startswith("  see:")][-1] == "  see:  15 more (--format json lists them)"
    assert len([line for line in lines if line.startswith("  see:")]) == 6
