"""Where things lie in FCoP 4: buckets, twins, history, links, records of operations, leftovers (protocol.md C.1, C.3, C.6)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.support.edits4 import Edit, Files, move, path_of, report_on, said, small
from tests.support.workspace4 import Workspace4

LOCK = "fcop/operations/create-" + "0" * 64 + ".lock"


def into(folder: str) -> Callable[[str], str]:
    """The path of a file in another folder of the workspace."""
    return lambda path: f"fcop/{folder}/{path.rpartition('/')[2]}"


def copied(kind: str, target: Callable[[str], str]) -> Edit:
    return lambda files: {**files, target(path_of(files, kind)): files[path_of(files, kind)]}


def beside(path: str, data: bytes = b"") -> Edit:
    return lambda files: {**files, path: data}


CASES: list[tuple[str, Edit, set[tuple[str, str]]]] = [
    ("a REPORT in a stage", move("REPORT", into("_lifecycle/review")), {("FC205", "error")}),
    ("a REPORT in the archive", move("REPORT", into("_lifecycle/archive")), {("FC205", "error")}),
    ("an ISSUE among REVIEWs", move("ISSUE", into("reviews")), {("FC205", "error")}),
    ("a TASK in a sub-folder", move("TASK", into("_lifecycle/review/later")), {("FC205", "error")}),
    ("a REPORT in a sub-folder", move("REPORT", into("reports/2026")), {("FC205", "error")}),
    ("a TASK in v2's folder", move("TASK", into("tasks")), {("FC205", "error"), ("FC207", "warning")}),
    ("a TASK in v3's history", move("TASK", into("history/2026-10-01")), {("FC205", "error"), ("FC207", "warning")}),
    ("a TASK beside the manifest", move("TASK", lambda path: "fcop/" + path.rpartition("/")[2]), {("FC205", "error"), ("FC502", "error")}),
    ("an ISSUE in operations", move("ISSUE", into("operations")), {("FC205", "error")}),
    ("a TASK in a stage of nobody", move("TASK", into("_lifecycle/wip")), {("FC201", "error")}),
    ("a TASK and its copy", copied("TASK", into("_lifecycle/active")), {("FC203", "error")}),
    ("a TASK in history, too", copied("TASK", into("history/2026-10-01")), {("FC210", "error"), ("FC207", "warning")}),
    ("a note in a stage", beside("fcop/_lifecycle/inbox/notes.txt"), {("FC207", "warning")}),
    ("a README in a stage", beside("fcop/_lifecycle/inbox/README.md"), {("FC207", "warning")}),
    ("a note among REPORTs", beside("fcop/reports/notes.txt"), {("FC207", "warning")}),
    ("a note in cold/", beside("fcop/cold/notes.txt"), {("FC207", "warning")}),
    ("a note in operations/", beside("fcop/operations/notes.txt"), {("FC207", "warning")}),
    ("a second manifest", beside("fcop/codeflow.json", b"{}"), {("FC207", "warning")}),
    ("papers for the team", beside("fcop/shared/README.md"), set()),
    ("a folder of nobody", beside("fcop/stuff/a.txt"), {("FC207", "warning")}),
    ("a lock left behind", beside(LOCK), set()),
    ("another lock left behind", beside("fcop/operations/.fcop-transition.lock"), {("FC904", "warning")}),
    ("what a creation left", beside("fcop/_lifecycle/inbox/.fcop-create-1f.tmp"), {("FC904", "warning")}),
    ("what a replacement left", beside("fcop/operations/.fcop-replace-1f.tmp"), {("FC904", "warning")}),
    ("what an initialisation left", beside(".fcop-init-1f/x"), {("FC904", "warning")}),
    ("a record of nobody", beside("fcop/operations/notes.json", b"{}"), {("FC951", "error")}),
    ("a .gitkeep", beside("fcop/_lifecycle/inbox/.gitkeep"), set()),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "codes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_wrong_place_has_its_code_and_no_other(edit: Edit, codes: set[tuple[str, str]]) -> None:
    assert said(edit(small())) == codes


def test_links_are_not_followed() -> None:
    files = small(facts=True, to="active")
    path = path_of(files, "transition")
    rest = {other: data for other, data in files.items() if other != path}
    assert said(rest, {path: "../fcop.json"}) == {("FC206", "error")}
    assert said(files, {"fcop/_lifecycle/done": "inbox"}) == {("FC206", "error")}
    assert ("FC714", "error") in said(rest, {path: "/etc/passwd"})


def test_empty_folders_are_information_and_no_gitkeep_is_asked_for() -> None:
    found = {item.rule.code: item for item in report_on(small(to="active")).findings}
    assert set(found) == {"FC202"}
    assert (found["FC202"].severity, found["FC202"].protocol_error) == ("info", "RECOVERY_REQUIRED")
    assert "cold" in found["FC202"].message
    kept = report_on({**small(to="active"), "fcop/_lifecycle/done/.gitkeep": b""}).findings
    assert {(item.rule.code, item.finding.message, item.protocol_error) for item in kept} >= {("FC202", "gitkeep", "INVALID_ENVELOPE")}


# How a move is cut off, and in which of the five states that leaves it (F4.9.9).
def interrupted(stage: str, *, source: bool | None, target: bool | None) -> Files:
    """A claim whose receipt says `stage`; each file as recorded (True), other (False) or absent (None)."""
    made = Workspace4()
    task = made.task()
    before, old = dict(made.files), made.path(task)
    made.claim(task)
    files = dict(made.files)
    new, receipt = made.path(task), path_of(files, "transition")
    values = json.loads(files[receipt])
    files[receipt] = json.dumps({**values, "stage": stage}).encode()
    contents = {old: (source, before[old]), new: (target, files.pop(new))}
    files.update({path: data if is_right else data + b"more\n" for path, (is_right, data) in contents.items() if is_right is not None})
    return files


STATES = [
    ("PREPARED", True, None, "not-committed", "warning"),
    ("TARGET_DURABLE", True, True, "recoverable-duplicate", "warning"),
    ("TARGET_DURABLE", None, True, "committed", "warning"),
    ("PREPARED", True, True, "indeterminate", "error"),
    ("PREPARED", None, True, "indeterminate", "error"),
    ("PREPARED", None, None, "indeterminate", "error"),
    ("PREPARED", False, None, "indeterminate", "error"),
    ("TARGET_DURABLE", True, None, "indeterminate", "error"),
    ("TARGET_DURABLE", None, False, "indeterminate", "error"),
    ("TARGET_DURABLE", True, False, "divergent-duplicate", "error"),
    ("TARGET_DURABLE", False, True, "divergent-duplicate", "error"),
    ("PREPARED", False, False, "divergent-duplicate", "error"),
    ("ELSEWHERE", True, None, "indeterminate", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "source", "target", "state", "severity"), STATES)
def test_an_operation_cut_off_is_told_by_the_five_states(
    stage: str, source: bool | None, target: bool | None, state: str, severity: str
) -> None:
    report = report_on(interrupted(stage, source=source, target=target))
    found = [(item.finding.message, item.severity, item.protocol_error) for item in report.findings if item.rule.code == "FC952"]
    assert found == [(state, severity, "RECOVERY_REQUIRED")]
    twins = [item for item in report.findings if item.rule.code == "FC203"]
    assert len(twins) == (source is not None and target is not None)


def test_a_committed_receipt_is_history() -> None:
    assert said(interrupted("COMMITTED", source=None, target=True)) == set()


def test_a_repair_makes_a_warning_of_what_a_person_decided() -> None:
    files = interrupted("PREPARED", source=False, target=None)
    task = path_of(files, "TASK").rpartition("/")[2].removesuffix(".md")
    assert ("FC952", "error") in said(files)
    repair = Workspace4()
    name = repair.review(task, "repair", "approved")
    found = {(code, severity) for code, severity in said({**files, repair.path(name): repair.files[repair.path(name)]}) if code == "FC952"}
    assert found == {("FC952", "warning")}


def test_a_compact_observation_is_told_by_the_same_states() -> None:
    files = small(to="inbox")
    path = path_of(files, "TASK")
    new = re.sub("inbox", "active", path)
    note = {"operation_id": "op-1", "source": path, "target": new, "stage": "PREPARED", "content_digest": "0" * 64}
    found = said({**files, "fcop/operations/op-1.json": json.dumps(note).encode()})
    assert found == {("FC952", "error")}
