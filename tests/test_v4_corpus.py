"""What fcop 4.0.5 wrote, as it lies there and as git clones it (issue 8): no error, and of operations cut off exactly that."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from fcoplint import engine
from fcoplint.output.json import as_data
from fcoplint.output.schema import schema
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import worktree
from tests.support.repository import Repo

SOUND = ("empty", "branches", "no-profile", "full-lifecycle", "open-family")
NAMES = (*SOUND, "interrupted")


def audit(folder: Path) -> Report:
    return engine.audit(worktree.walk(str(folder)), Settings())


@pytest.fixture
def clone(repo: Repo, shared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Repo:
    """A fresh clone of a repository that holds one tree of the corpus and no other workspace."""
    repo.git("rm", "-rqf", "fcop")
    shutil.copytree(shared / "corpus/generated-v4" / request.param, repo.path, dirs_exist_ok=True)
    repo.commit()
    target = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.path), str(target))
    return Repo.at(target)


@pytest.mark.parametrize("name", SOUND)
def test_what_the_reference_wrote_is_sound(shared: Path, name: str) -> None:
    report = audit(shared / "corpus/generated-v4" / name)
    assert [workspace.version for workspace in report.workspaces] == [4]
    assert [(item.rule.code, item.finding.location.path) for item in report.findings if item.severity == "error"] == []
    # A TASK of the corpus names one that is not there, and says so in its id.
    warned = Counter(item.rule.code for item in report.findings if item.severity == "warning")
    assert warned == ({"FC502": 1} if name == "full-lifecycle" else {})


def interruptions(report: Report) -> Counter[tuple[str, str, str]]:
    return Counter((item.rule.code, item.severity, item.protocol_error or "") for item in report.findings if item.severity != "info")


def test_what_was_cut_off_is_exactly_that(shared: Path) -> None:
    folder = shared / "corpus/generated-v4/interrupted"
    receipts = [json.loads(path.read_bytes()) for path in folder.glob("fcop/operations/transition-*.json")]
    short = sum(receipt["stage"] != "COMMITTED" for receipt in receipts)
    tasks = Counter(path.name for path in folder.glob("fcop/_lifecycle/*/TASK-*.md"))
    twins = sum(count > 1 for count in tasks.values())
    assert (short, twins) == (2, 1)
    expected = {("FC203", "error", "STATE_AMBIGUOUS"): twins, ("FC952", "warning", "RECOVERY_REQUIRED"): short}
    assert interruptions(audit(folder)) == expected


@pytest.mark.parametrize("clone", NAMES, indirect=True)
def test_a_clone_says_the_same(clone: Repo) -> None:
    ran = clone.audit()
    severe = Counter(item["code"] for item in ran.findings if item["severity"] == "error")
    assert severe == ({"FC203": 1} if (clone.path / "fault-0.txt").exists() else {})
    # Git dropped the empty folders, and that is no more than information.
    assert {item["severity"] for item in ran.findings if item["code"] == "FC202"} <= {"info"}


@pytest.mark.parametrize("name", NAMES)
def test_the_report_holds_to_its_schema(shared: Path, name: str) -> None:
    jsonschema.Draft202012Validator(schema()).validate(as_data(audit(shared / "corpus/generated-v4" / name)))
