"""Roots: where workspaces lie, and what lies beside them. Each row a tree as real life leaves it."""

import json
from pathlib import Path

import pytest

from fcoplint import engine
from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import is_protected, parse
from fcoplint.settings import Settings
from fcoplint.source.ground import Disk
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import TEAM, Repo, task_text
from tests.support.roots import codes, found, on_disk, project, report, server

MANIFEST = {"fcop/fcop.json": json.dumps(TEAM)}
ERROR = "error"

LAYOUTS = [
    ("an fcop in the fcop", {**project(), **project("fcop")}, [("FC701", ERROR)]),
    ("an fcop in an fcop in the fcop", {**project(), **project("fcop"), **project("fcop/fcop")}, [("FC701", ERROR)] * 2),
    ("a manifest alone", {**project(), "fcop/fcop/fcop.json": "{}"}, [("FC701", ERROR)]),
    ("a Python package", {**project(), "fcop/fcop/__init__.py": ""}, []),
    ("both layouts", {**project(), **project(layout="docs/agents")}, [("FC702", ERROR)]),
    ("both layouts, the old one prose", {**project(), "docs/agents/notes.md": "Notes"}, [("FC702", "warning")]),
    ("both layouts, the new one a package", {**project(layout="docs/agents"), "fcop/__init__.py": ""}, [("FC702", "warning")]),
    ("two projects", {**project("shop"), **project("api", layout="docs/agents")}, []),
    ("docs beside", {**project(), "docs/agents.md": "Notes"}, []),
    ("a placeholder with a workspace", {**project(), **project("${workspaceFolder}")}, [("FC724", ERROR), ("FC702", ERROR)][:1]),
    ("a placeholder with rules", {**project(), "%FCOP_ROOT%/.cursor/rules/fcop-rules.mdc": ""}, [("FC724", ERROR)]),
    ("a placeholder deep down", {**project(), "a/${env:X}/fcop/_lifecycle/inbox/.gitkeep": ""}, [("FC724", ERROR)]),
    ("a template", {**project(), "templates/${name}/main.py": "", "100%/50%/README.md": ""}, []),
    ("a log at the root", {**project(), "fcop_events.jsonl": ""}, []),
    ("a log beside it", {**project(), "fcop_events.jsonl": "", "mcp/fcop_events.jsonl": ""}, [("FC741", "warning")]),
    ("a log in fixtures", {**project(), "tests/fixtures/a/fcop_events.jsonl": ""}, []),
    ("alerts of nobody", {**project(), "mcp/fcop/alerts/ALERT-1.md": "", "mcp/fcop/alerts/ALERT-2.md": ""}, [("FC741", "warning")]),
    ("alerts of the workspace", {**project(), "fcop/alerts/ALERT-20261001-001.md": ""}, []),
]


@pytest.mark.parametrize(("files", "expected"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS])
def test_where_workspaces_lie(files: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert codes(found(files, "FC701", "FC702", "FC724", "FC741")) == expected


def test_a_nested_workspace_is_told_once_for_each_envelope_and_is_not_audited() -> None:
    inner = {f"fcop/fcop/_lifecycle/inbox/TASK-20261001-00{number}-PM-to-QA.md": "no front matter" for number in (2, 3)}
    items = found({**project(), **inner}, "FC")
    assert [(item.rule.code, item.finding.location.path) for item in items] == [("FC701", path) for path in inner]


def test_ignored_paths_are_passed_by() -> None:
    files = {**project(), **project("fcop"), **project("tests/fixtures/${workspaceFolder}")}
    assert found(files, "FC701", "FC724", ignore=("fcop/fcop", "tests/fixtures")) == []


DETECTION = [
    ("no rules of its own, the outer project has them", {".cursor/rules/fcop-rules.mdc": ""}, ["packages/shop"], "."),
    ("the outer project is of the old layout", {"docs/agents/fcop.json": "{}"}, ["packages/shop"], "."),
    ("a folder between", {"packages/docs/agents/tasks/.gitkeep": ""}, ["packages/shop"], "packages"),
    ("rules of its own", {".cursor/rules/fcop-rules.mdc": "", "packages/shop/.cursor/rules/fcop-rules.mdc": ""}, [], ""),
    ("bound expressly", {".cursor/rules/fcop-rules.mdc": "", "packages/shop/.mcp.json": server({"FCOP_PROJECT_DIR": "."})}, [], ""),
    ("nothing above either", {}, [], ""),
]


@pytest.mark.parametrize(("more", "told", "lands"), [row[1:] for row in DETECTION], ids=[row[0] for row in DETECTION])
def test_where_a_server_would_look(more: dict[str, str], told: list[str], lands: str) -> None:
    items = found({**project("packages/shop"), **more}, "FC725")
    assert [item.finding.workspace.removesuffix("/fcop") for item in items] == told
    assert [item.finding.parameters["found"] for item in items] == [lands] * len(told)


PROTECTED = [
    ("/", True), ("/etc", True), ("/usr", True), ("/opt", True), ("/opt/shop", False), ("/usr/src/app", False), ("/home", True),
    ("/home/me", True), ("/home/me/shop", False), ("/home/other/shop", False), ("C:\\", True), ("d:", True), ("C:\\Windows", True),
    ("C:\\Users\\me", True), ("C:\\Users\\me\\shop", False), ("D:\\work", False), ("\\\\server\\share", True),
    ("\\\\server\\share\\shop", False), ("~", True), ("~/shop", False), ("%USERPROFILE%", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "protected"), PROTECTED)
def test_what_is_protected(text: str, protected: bool) -> None:
    assert is_protected(parse(text), ("/home/me",)) is protected


def test_a_root_that_nobody_should_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    files = {**project(), **project("work/shop")}
    ground = on_disk(tmp_path, files)
    items = found(files, "FC726", ground=ground)
    assert [(item.finding.workspace, item.severity) for item in items] == [("fcop", ERROR)]
    assert found(files, "FC726") == [], "of a commit nobody can tell"
    assert found(files, "FC726", ground=ground, roots=Roots(allow_protected=(str(tmp_path),))) == []
    assert found(files, "FC726", ground=ground, roots=Roots(allow_protected=True)) == []


def test_a_workspace_audited_by_itself_has_its_root_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    files = {"fcop.json": json.dumps(TEAM).encode()}
    settings = Settings(select=("FC726",), ground=Disk(str(tmp_path / "fcop")))
    (tmp_path / "fcop").mkdir()
    assert len(engine.audit(MemorySnapshot(files), settings, top="x/fcop").findings) == 1


INSTALLATION = [
    ("at the root", project(), 1),
    ("in a project of it", project("projects/shop"), 0),
    ("in a product of it", project("workspace/shop"), 0),
    ("beside projects", project("shop"), 1),
    ("projects itself", project("projects"), 1),
]


@pytest.mark.parametrize(("files", "count"), [row[1:] for row in INSTALLATION], ids=[row[0] for row in INSTALLATION])
def test_nothing_is_written_into_an_installation(files: dict[str, str], count: int) -> None:
    assert len(found({**files, ".codeflowmu/open-boundary.json": '{"installRoot": "."}'}, "FC734")) == count


@pytest.mark.parametrize("boundary", ["", "[]", "{", '{"installRoot": 3}', '{"installRoot": "D:\\\\x"}', '{"installRoot": "../../x"}'])
def test_a_boundary_that_says_nothing(boundary: str) -> None:
    assert found({**project(), ".codeflowmu/open-boundary.json": boundary}, "FC734") == []


def test_a_change_of_two_projects(repo: Repo) -> None:
    repo.add_team("packages/api/fcop")
    assert repo.git("add", "-A") is not None
    assert "FC703" not in repo.check("--select", "FC7").codes, "a new project alone"
    repo.commit("a second project")
    repo.write("fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md", task_text(recipient="QA"))
    repo.write("packages/api/README.md", "text")
    repo.git("add", "-A")
    assert repo.check("--select", "FC7").codes == []
    repo.write("packages/api/fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md", task_text(recipient="QA"))
    repo.git("add", "-A")
    (finding,) = repo.check("--select", "FC7").findings
    assert (finding["code"], finding["severity"], finding["workspace"]) == ("FC703", "warning", "packages/api/fcop")


def test_what_a_change_does_to_evidence_is_not_the_reports_fault(repo: Repo) -> None:
    repo.write("docs/login.md", "text")
    repo.write("docs/other.md", "text")
    for path, text in report("docs/login.md").items():
        repo.write(path, text)
    repo.commit("a report")
    repo.git("rm", "-q", "docs/login.md")
    assert repo.check("--select", "FC7").codes == []
    assert repo.audit("--select", "FC7").codes == ["FC716"], "an audit takes every report as added"
    for path, text in report("docs/missing.md").items():
        repo.write(path.replace("001-DEV", "002-DEV"), text)
    repo.git("add", "-A")
    assert [item["path"] for item in repo.check("--select", "FC7").findings] == ["fcop/reports/REPORT-20261002-002-DEV-to-PM.md"]
