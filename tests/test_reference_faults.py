"""What is right to say of the trees in which the reference library wrote real faults, stated by hand after reading them.

Each entry is a code with its severity, how often it must be said (or of which paths), and why that is true. Nothing else may
be said of the tree but the information named in `BESIDE`.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from fcoplint import engine
from fcoplint.settings import Settings
from fcoplint.source import worktree

# Git keeps no empty folders, and the corpus was in git.
BESIDE = {"FC202": "info"}


class Said(NamedTuple):
    """A finding that is right: of these envelopes (by what their paths end in), or so many times."""

    code: str
    severity: str
    of: tuple[str, ...] | int
    why: str


FAULTS: dict[str, list[Said]] = {
    "sequence-reuse": [
        Said(
            "FC203",
            "error",
            ("active/TASK-20261130-001-PM-to-DEV.md",),
            "two TASKs of one name, the second one's in active, the third one's in inbox",
        ),
        Said("FC210", "error", ("active/TASK-20261130-001-PM-to-DEV.md",), "a TASK with this name, the first of the day, lies in history"),
        Said(
            "FC105", "warning", ("reports/REPORT-20261130-001-DEV-to-PM.md",), "the number came back when the first REPORT went to history"
        ),
        Said(
            "FC411",
            "warning",
            ("done/TASK-20261130-002-PM-to-QA.md",),
            "QA finished without a REPORT; the TASK it overwrote left no trace here",
        ),
    ],
    "history-takes-other-reports": [
        Said("FC105", "warning", ("active/TASK-20261130-001-PM-to-OPS.md",), "TASK-20261130-001 was given again once ADMIN's was claimed"),
        Said(
            "FC211", "warning", ("REPORT-20261130-001-OPS-to-PM.md",), "it answers the TASK of OPS, and went into history with that of PM"
        ),
    ],
    "lifecycle-allows": [
        Said("FC402", "error", ("done/TASK-20261130-001-PM-to-DEV.md",), "DEV approved its own work"),
        Said("FC401", "error", ("archive/TASK-20261130-002-PM-to-DEV.md",), "DEV archived its own work"),
        Said("FC411", "error", ("archive/TASK-20261130-002-PM-to-DEV.md",), "archived, and nobody reported"),
        Said("FC411", "warning", ("done/TASK-20261130-001-PM-to-DEV.md",), "done, and nobody reported"),
        Said("FC405", "warning", ("active/TASK-20261130-003-PM-to-DEV.md",), "QA claimed what was sent to DEV"),
        Said("FC122", "warning", ("inbox/TASK-20261130-004-PM-to-NOBODY.md",), "no NOBODY in the team"),
        Said(
            "FC502",
            "warning",
            ("inbox/TASK-20261130-005-PM-to-DEV.md", "REVIEW-20261130-001-DEV-on-no-such-task.md"),
            "the parent and the subject are not there",
        ),
        Said("FC413", "info", ("REVIEW-20261130-001-DEV-on-no-such-task.md",), "DEV judges, and has no layer of governance"),
    ],
    "migrated-FCoP-v1.0.0": [
        Said("FC101", "error", ("TASK-20260509-Z01-ADMIN-to-ME.md", "REPORT-20260509-Z01-ME-to-ADMIN.md"), "Z01 is no number"),
        Said("FC114", "error", 10, "TASK and REPORT 20260509-012 and -013 name neither protocol nor version, the REPORTs no sender either"),
        Said("FC612", "error", tuple(f"ISSUE-20260427-00{number}-ME.md" for number in (2, 3, 7)), "closed, and nobody says by whom"),
        Said("FC123", "warning", ("TASK-20260509-012-ADMIN-to-ME.md", "TASK-20260509-013-ADMIN-to-ME.md"), "priority: high"),
        Said("FC129", "warning", 9, "status: in_progress since May, archived by the migration"),
        Said(
            "FC411",
            "warning",
            ("TASK-20260428-001-ADMIN-to-ME.md",),
            "no REPORT, neither by name nor by number; archived by the migration alone",
        ),
        Said("FC501", "warning", 14, "of 24 REPORTs these name their TASK by ref_task, related_task or task_id"),
    ],
    "migrated-FCoP-v3.2.5": [
        Said("FC101", "error", ("TASK-20260509-Z01-ADMIN-to-ME.md", "REPORT-20260509-Z01-ME-to-ADMIN.md"), "Z01 is no number"),
        Said("FC204", "error", 13, "what lay in log/ itself the migration did not move"),
        Said(
            "FC901",
            "error",
            ("TASK-20260512-003-ADMIN-to-ME.md", "TASK-20260512-004-ADMIN-to-ME.md"),
            "a shell wrote Chinese in another encoding",
        ),
        Said("FC114", "error", ("ISSUE-20260513-011-ME.md",), "it has no summary"),
        Said("FC611", "error", ("ISSUE-20260513-011-ME.md",), "severity: P2"),
        Said("FC612", "error", 8, "five are `resolved`, which is no status of an ISSUE; three are closed by nobody"),
        Said("FC114", "warning", 3, "none of the three REVIEWs has a sender"),
        Said("FC129", "warning", 9, "status: in_progress since May, archived by the migration"),
        Said(
            "FC411",
            "warning",
            ("TASK-20260428-001-ADMIN-to-ME.md", "TASK-20260512-005-ADMIN-to-ME.md"),
            "no REPORT; the second was cancelled, and nobody reported that",
        ),
        Said("FC501", "warning", 42, "of 63 REPORTs 21 say `references` (field.md 2)"),
        Said("FC502", "warning", ("log/REPORT-20260514-003-ME-to-ADMIN.md",), "its TASK of the same number is nowhere"),
        Said("FC606", "warning", 5, "each TASK of high or irreversible risk; the three REVIEWs are of other things"),
        Said("FC622", "warning", ("INSPECTION-20260512-v1.4.0-pre-release.md",), "no number, and a scope of its own"),
    ],
    "migrated-codeflow-pwa-fcop": [
        Said("FC205", "error", 88, "the migration put the REPORTs of tasks/ into inbox/, each with an event of a TASK"),
        Said("FC204", "error", ("fcop/tasks",), "tasks/_archive was left"),
        Said("FC142", "error", ("codeflow.json",), "ADMIN is declared as a member of the team"),
        Said("FC101", "error", ("REPORT-20260425-001-FCoP-与-Bridgeflow-分仓-总结.md",), "a name without sender and recipient"),
        Said("FC114", "error", ("TASK-20260403-001-SYSTEM-to-PM.md",) * 2, "of before FCoP: neither protocol nor version"),
        Said("FC117", "error", tuple(f"TASK-20260423-00{number}-PM-to-ADMIN.md" for number in (2, 3, 4)), "version 1.4.0 and 1.1"),
        Said("FC118", "error", ("TASK-20260403-001-SYSTEM-to-PM.md", "TASK-20260408-001-PM01-to-ADMIN01.md"), "type: setup, type: receipt"),
        Said("FC120", "error", 7, "PM01 for PM, ADMIN01 for ADMIN, PM-01 and ADMIN-01 twice, FINAL-PM for PM"),
        Said("FC124", "error", 5, "three REPORTs are `completed`, two `closed`"),
        Said("FC501", "error", 9, "the nine that name no TASK in any field (field.md 2)"),
        Said("FC104", "warning", 3, "two DRAFT- and one HANDOFF- beside the TASKs"),
        Said("FC105", "warning", 37, "7 numbers of TASKs and 30 of REPORTs were given twice (field.md 2)"),
        Said("FC116", "warning", 5, "agent_bridge"),
        Said("FC123", "warning", ("TASK-20260403-001-SYSTEM-to-PM.md",), "priority: normal"),
        Said("FC502", "warning", ("TASK-20260423-005-PM-to-ADMIN.md",), "ISSUE-20260422-001 is of another repository"),
        Said("FC606", "warning", ("TASK-20260511-015-PM-to-OPS.md",), "risk_level: high, and no REVIEW at all"),
        Said("FC214", "info", 2, "two papers in internal/ do not say that they are"),
    ],
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_reference_wrote_wrongly_is_told_and_nothing_else(shared: Path, name: str) -> None:
    report = engine.audit(worktree.walk(str(shared / "corpus/generated-v3" / name)), Settings())
    told = [(item.rule.code, item.severity, item.finding.location.path) for item in report.findings]
    left = Counter((code, severity) for code, severity, _ in told if BESIDE.get(code) != severity)
    for said in FAULTS[name]:
        paths = sorted(path for code, severity, path in told if (code, severity) == (said.code, said.severity))
        expected = said.of if isinstance(said.of, int) else len(said.of)
        assert left.pop((said.code, said.severity), 0) == expected, (said, paths)
        if not isinstance(said.of, int):
            assert all(any(path.endswith(end) for path in paths) for end in said.of), (said, paths)
    assert not left
