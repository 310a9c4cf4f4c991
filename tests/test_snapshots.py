"""Every shape a repository can have: commits, bare ones, sub-folders, editors' buffers, other names; and the status."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import INBOX, T1, Repo, run_tool, task_text

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("OPS", "QA")


def test_any_commit_can_be_audited(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.commit()
    repo.git("tag", "bad")
    repo.write(T2, task_text("PM", "QA"))
    repo.commit()
    assert repo.audit().codes == []
    assert repo.audit("--rev", "bad").codes == ["FC120"]
    assert repo.audit("fcop", "--rev", "bad").findings[0]["path"] == T2.removeprefix("fcop/")


@pytest.mark.parametrize("revision", ["nothing", "HEAD~99", "--output=x", "HEAD:fcop", ""])
def test_an_unknown_revision_is_wrong_usage(repo: Repo, revision: str) -> None:
    ran = repo.run("audit", f"--rev={revision}")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_a_bare_repository_is_audited_by_commit(repo: Repo, tmp_path: Path) -> None:
    repo.write(T2, BAD)
    repo.commit()
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    ran = run_tool("audit", "--format", "json", "--rev", "main", cwd=tmp_path / "bare.git")
    assert ran.codes == ["FC120"]


def test_a_revision_outside_git_is_wrong_usage(tmp_path: Path) -> None:
    assert run_tool("audit", "--rev", "HEAD", cwd=tmp_path).code == 2


def test_a_revision_cut_off_by_a_shallow_clone_could_not_be_looked_at(repo: Repo, tmp_path: Path) -> None:
    first = repo.git("rev-parse", "HEAD").strip()
    repo.write("app.py", "print()\n")
    repo.commit()
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    ran = run_tool("audit", "--rev", first, cwd=tmp_path / "shallow")
    assert (ran.code, "fetch-depth: 0" in ran.err) == (3, True)


def test_a_tree_of_another_name_can_be_taken_for_a_workspace(repo: Repo) -> None:
    repo.git("mv", "fcop", "evidence")
    assert repo.audit("evidence").report["workspaces"] == []
    ran = repo.audit("evidence", "--as-workspace")
    assert ran.report["workspaces"] == [{"root": ".", "version": 3, "envelopes": 1}]


def test_a_tree_taken_for_a_workspace_is_one_whatever_it_holds(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/TASK-20260418-143000-001-PM-to-DEV-PENDING.md").write_text("# Before 0.5\n")
    ran = run_tool("audit", "--as-workspace", "--format", "json", cwd=tmp_path)
    assert ran.report["workspaces"] == [{"root": ".", "version": 2, "envelopes": 1}]
    assert {"FC101", "FC111"} <= set(ran.codes)


def test_a_tree_taken_for_a_workspace_gives_way_to_one_inside_it(repo: Repo) -> None:
    assert repo.audit("--as-workspace").report["workspaces"] == [{"root": "fcop", "version": 3, "envelopes": 1}]


def test_a_workspace_that_is_not_there_is_wrong_usage(repo: Repo) -> None:
    assert repo.run("audit", "--workspace", "nowhere/**").code == 2


def test_a_workspace_in_docs_agents(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.add_team("docs/agents")
    repo.commit()
    assert repo.audit().report["workspaces"] == [{"root": "docs/agents", "version": 3, "envelopes": 1}]
    assert repo.audit("docs/agents").report["workspaces"] == [{"root": ".", "version": 3, "envelopes": 1}]


def test_files_are_checked_against_head(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.write(T1, task_text("QA"))
    ran = repo.check(T2)
    assert (ran.code, [item["path"] for item in ran.findings]) == (1, [T2])
    assert {item["path"] for item in repo.check(INBOX).findings} == {T1, T2}
    assert repo.check("fcop/fcop.json").findings == []


def test_what_a_file_breaks_elsewhere_is_its_finding(repo: Repo) -> None:
    repo.write(T1.replace("inbox", "active"), task_text())
    manifest = json.loads((repo.path / "fcop/fcop.json").read_text())
    repo.write("fcop/fcop.json", json.dumps({**manifest, "roles": ["PM", "QA"]}))
    caused = repo.check("fcop/fcop.json").findings
    assert {(item["code"], item["path"]) for item in caused if item["code"] == "FC122"} == {
        ("FC122", T1),
        ("FC122", T1.replace("inbox", "active")),
    }


def test_a_move_on_disk_is_no_fault_of_the_file_that_arrived(repo: Repo) -> None:
    (repo.path / "fcop/_lifecycle/active").mkdir()
    moved = task_text().replace(
        "tool: create_task\n",
        "tool: create_task\n- at: '2026-10-01T09:00:00+00:00'\n  from: inbox\n  to: active\n  by: DEV\n  tool: claim_task\n",
    )
    (repo.path / T1).unlink()
    repo.write(T1.replace("inbox", "active"), moved)
    ran = repo.check(T1.replace("inbox", "active"))
    assert (ran.code, [item for item in ran.findings if item["severity"] != "info"]) == (0, [])


def test_an_editor_buffer_is_checked_in_place_of_the_file(repo: Repo) -> None:
    command = [sys.executable, "-m", "fcoplint", "check", "--stdin-filename", T1, "--format", "json"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, cwd=repo.path, env=env, input=task_text("QA").encode(), capture_output=True, check=False)
    assert "FC120" in [item["code"] for item in json.loads(done.stdout)["findings"]]
    assert repo.check(T1).findings == []


def test_a_file_that_is_nowhere_is_wrong_usage(repo: Repo) -> None:
    assert repo.run("check", "gone.md").code == 2
    assert repo.run("check", "../outside.md").code == 2


def test_older_findings_of_a_file_on_request(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.write(T1, task_text("QA"))
    repo.commit()
    ran = repo.check("--all", T2)
    assert [(item["path"], item["introduced"]) for item in ran.findings] == [(T2, False)]


def test_autocrlf_checkouts_are_judged_as_committed(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    (repo.path / T1).unlink()
    repo.git("checkout", "-q", "--", T1)
    assert b"\r\n" in (repo.path / T1).read_bytes()
    assert repo.audit().findings == []
    (repo.path / T1).write_bytes((repo.path / T1).read_bytes().replace(b"sender: PM", b"sender: QA"))
    assert [(item["code"], item["line"]) for item in repo.audit().findings] == [("FC120", 4)]


def test_carriage_returns_that_were_committed_are_told(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA").replace("\n", "\r\n"))
    repo.git("add", "-A")
    assert repo.check().codes == ["FC903"]


def test_the_status_says_who_holds_what_since_when(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA", subject="Write the 测试 plan", priority="P1"))
    repo.write(
        "fcop/issues/ISSUE-20261001-001-QA.md",
        "---\nprotocol: fcop\nversion: 1\nreporter: QA\nseverity: high\nsummary: No seed data\n---\n",
    )
    env = {"FCOPLINT_NOW": "2026-10-04T08:00:00Z"}
    lines = repo.run("status", env=env).out.splitlines()
    assert lines[0] == "fcop (v3, leader PM)"
    assert lines[2].split() == ["inbox", "TASK-20261001-002-PM-to-QA", "QA", "3d", "Write", "the", "测试", "plan"]
    assert lines[3].split()[:3] == ["issue", "ISSUE-20261001-001-QA", "high"]
    data = json.loads(repo.run("status", "--format", "json").out)
    assert data["schema"] == "fcoplint.status/1"
    assert [(work["stage"], work["holder"], work["since"]) for work in data["workspaces"][0]["work"]] == [
        ("inbox", "DEV", "2026-10-01T08:00:00+00:00"),
        ("inbox", "QA", "2026-10-01T08:00:00+00:00"),
    ]


def test_the_status_of_nothing(make_repo: Callable[..., Repo]) -> None:
    ran = make_repo().run("status")
    assert (ran.code, ran.out) == (0, "")
    assert run_tool("status", "/nowhere", cwd="/").code == 2


@pytest.mark.parametrize("style", ["text", "json", "markdown"])
def test_the_catalogue_in_every_format(repo: Repo, style: str) -> None:
    out = repo.run("rules", "--format", style).out
    assert "routing-mismatch" in out
    if style == "json":
        listed = json.loads(out)
        assert listed["schema"] == "fcoplint.rules/1"
        assert all(rule["messages"] and rule["body"] for rule in listed["rules"])
