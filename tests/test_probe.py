"""`fcoplint roots`: each state of each component by real folders, git, links, variables and processes (roots.md 5b, 6)."""

from __future__ import annotations

import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fcoplint.model.policy import Roots
from fcoplint.output.roots import Shown, probe_text
from fcoplint.output.text import Paint
from fcoplint.roots import gather
from fcoplint.roots.components import State, decide, digest
from fcoplint.roots.probe import take_snapshot
from fcoplint.source import git
from tests.support.projects import (
    dead_pid,
    look,
    machine_at,
    make_project,
    rules,
    run_json,
    running,
    state,
    tree_of,
    why,
)
from tests.support.repository import Repo, run_tool, task_text

PLAIN = Shown(Paint(on=False), homes=False)


@pytest.fixture
def one(tmp_path: Path) -> Repo:
    """The project that is looked at."""
    return make_project(tmp_path / "b", remote=False)


@pytest.fixture
def other(tmp_path: Path) -> Repo:
    """Another project on the same disk."""
    return make_project(tmp_path / "a", remote=False)


def write_json(repo: Repo, path: str, value: object) -> None:
    repo.write(path, json.dumps(value))


def server(env: dict[str, str] | None = None, **fields: object) -> dict[str, object]:
    return {"mcpServers": {"fcop": {"command": "uvx", "args": ["fcop-mcp"], "env": env or {}, **fields}}}


# The clean state


def test_a_project_alone_is_consistent(one: Repo) -> None:
    result = look(one.path)
    assert (result.outcome, result.exit_code, result.findings) == ("CONSISTENT", 0, ())
    for name in ("git.toplevel", "git.common_dir", "project", "workspace", "task", "lifecycle", "cwd"):
        assert state(result, name) == ("ok", ""), name
    for name in ("report", "review", "evidence", "audit_log", "alerts", "ledger", "instance.project_root", "registry.active"):
        assert state(result, name)[0] == "absent", name
    assert result.expected.source == "the manifest around the working directory"


def test_every_child_is_compared_by_the_root_that_owns_it(one: Repo) -> None:
    for folder in ("reports", "reviews", "logs/runtime", "alerts", "ledger"):
        one.write(f"fcop/{folder}/keep", "")
    one.write("fcop_events.jsonl", "{}\n")
    result = look(one.path)
    owners = {component.id: component.root for component in result.components if component.sighting.origin == "project"}
    assert {root.real for root in owners.values() if root} == {str(one.path)}
    assert all(owners[name] for name in ("report", "review", "evidence", "alerts", "ledger", "audit_log"))
    assert result.outcome == "CONSISTENT"


def test_the_root_is_found_from_below_and_from_the_workspace_itself(one: Repo) -> None:
    for cwd in ("src", "fcop", "fcop/_lifecycle/inbox"):
        result = look(one.path, cwd=one.path / cwd)
        assert (result.expected.identity.real, result.outcome) == (str(one.path), "CONSISTENT")
    assert look(one.path, root=str(one.path / "fcop")).expected.identity.real == str(one.path)


def test_a_given_root_makes_the_working_directory_evidence(one: Repo, other: Repo, tmp_path: Path) -> None:
    result = look(one.path, root=str(one.path), cwd=other.path)
    assert (state(result, "cwd"), result.outcome, result.exit_code) == (("different", ""), "MISMATCH", 1)
    (tmp_path / "elsewhere").mkdir()
    beside = look(one.path, root=str(one.path), cwd=tmp_path / "elsewhere")
    assert (state(beside, "cwd"), beside.outcome) == (("unknown", ""), "CONSISTENT")


def test_git_alone_is_no_evidence(tmp_path: Path) -> None:
    bare = Repo.create(tmp_path / "bare")
    assert look(bare.path).outcome == "INDETERMINATE"
    assert (look(bare.path).exit_code, look(bare.path, strict=True).exit_code) == (0, 3)


def test_without_git_the_manifest_tells(tmp_path: Path) -> None:
    plain = make_project(tmp_path / "plain", remote=False)
    shutil.rmtree(plain.path / ".git")
    result = look(plain.path)
    assert (state(result, "git.toplevel")[0], result.outcome, result.snapshot.head) == ("absent", "CONSISTENT", None)


def test_a_linked_worktree_is_a_root_of_its_own(one: Repo, tmp_path: Path) -> None:
    one.git("worktree", "add", "-q", str(tmp_path / "linked"))
    result = look(tmp_path / "linked")
    assert (result.outcome, result.expected.identity.real) == ("CONSISTENT", str(tmp_path / "linked"))
    assert "linked worktree" in why(result, "git.common_dir")


def test_a_project_below_the_repositorys_root(one: Repo) -> None:
    one.add_team("packages/x/fcop")
    result = look(one.path / "packages/x")
    assert (result.expected.identity.real, state(result, "git.toplevel")[0], result.outcome) == (
        str(one.path / "packages/x"),
        "ok",
        "CONSISTENT",
    )


# Servers (rows 2 to 6)


@pytest.mark.parametrize("path", [".cursor/mcp.json", ".mcp.json"])
@pytest.mark.parametrize(
    "value", ["{here}", ".", "${workspaceFolder}", "${workspaceFolder}/", "${CLAUDE_PROJECT_DIR}", "{here}/src/..", "./"]
)
def test_servers_that_hold_the_root(one: Repo, path: str, value: str) -> None:
    write_json(one, path, server({"FCOP_PROJECT_DIR": value.replace("{here}", str(one.path))}))
    assert state(look(one.path), f"mcp:{path}#fcop.env.FCOP_PROJECT_DIR") == ("ok", "")


@pytest.mark.parametrize(
    ("value", "expected", "rule"),
    [
        ("{other}", "different", "FC720"),
        ("{here}/src", "different", "FC720"),
        ("{here}/fcop", "different", "FC723"),
        ("{here}/gone", "missing", "FC720"),
        ("D:\\work\\a", "unknown", "FC720"),
        ("\\\\server\\share\\a", "unknown", "FC720"),
        ("${NOWHERE_SET}/x", "unresolvable", "FC720"),
        ("~ann/work", "unknown", "FC720"),
        ("{here}/src/app.py", "unresolvable", "FC720"),
        ("", "absent", ""),
    ],
)  # fmt: skip
def test_servers_that_do_not(one: Repo, other: Repo, value: str, expected: str, rule: str) -> None:
    text = value.replace("{here}", str(one.path)).replace("{other}", str(other.path))
    write_json(one, ".cursor/mcp.json", server({"FCOP_PROJECT_DIR": text}))
    result = look(one.path)
    found = state(result, "mcp:.cursor/mcp.json#fcop.env.FCOP_PROJECT_DIR")
    assert found[0] == expected
    if rule and expected != "absent":
        assert (found[1], rules(result)) == (rule, [rule])
    outcome = {"different": "MISMATCH", "absent": "CONSISTENT"}.get(expected, "INDETERMINATE")
    assert (result.outcome, look(one.path, strict=True).exit_code) == (outcome, {"MISMATCH": 1, "CONSISTENT": 0}.get(outcome, 3))


def test_a_server_whose_own_settings_disagree_is_told_once(one: Repo, other: Repo) -> None:
    write_json(one, ".mcp.json", server({"FCOP_PROJECT_DIR": str(one.path), "FCOP_PROJECT_PATH": str(other.path)}))
    result = look(one.path)
    assert (rules(result), result.outcome) == (["FC721"], "MISMATCH")
    assert str(other.path) in result.findings[0].message
    assert str(one.path) in result.findings[0].message


def test_arguments_and_working_directories_of_servers(one: Repo, other: Repo) -> None:
    write_json(one, ".mcp.json", {"mcpServers": {"f": {"command": "fcop-mcp", "args": ["--root", str(other.path)], "cwd": str(one.path)}}})
    result = look(one.path)
    assert state(result, "mcp:.mcp.json#f.args.--root") == ("different", "FC720")
    assert state(result, "mcp:.mcp.json#f.cwd") == ("ok", "")


def test_the_log_of_a_server_may_lie_anywhere_in_the_root(one: Repo, other: Repo) -> None:
    write_json(one, ".mcp.json", server({"FCOP_EVENT_LOG": "logs/events.jsonl"}))
    (one.path / "logs").mkdir()
    assert state(look(one.path), "mcp:.mcp.json#fcop.env.FCOP_EVENT_LOG") == ("ok", "")
    write_json(one, ".mcp.json", server({"FCOP_EVENT_LOG": str(other.path / "events.jsonl")}))
    assert state(look(one.path), "mcp:.mcp.json#fcop.env.FCOP_EVENT_LOG") == ("different", "FC720")


def test_comments_commas_and_a_byte_order_mark(one: Repo, other: Repo) -> None:
    text = '\ufeff{ // servers\n "servers": {"fcop": {"command": "fcop-mcp", /* bound */ "env": {"FCOP_PROJECT_DIR": "%s",},},},}'
    one.write(".vscode/mcp.json", text % other.path)
    assert state(look(one.path), "mcp:.vscode/mcp.json#fcop.env.FCOP_PROJECT_DIR") == ("different", "FC720")


def test_servers_that_are_none_of_fcops_are_passed_by(one: Repo) -> None:
    write_json(one, ".mcp.json", {"mcpServers": {"files": {"command": "npx", "args": ["server-filesystem", "/"], "cwd": "/"}}})
    assert not [component for component in look(one.path).components if component.id.startswith("mcp:")]


def test_a_server_that_binds_nothing_is_no_evidence(one: Repo) -> None:
    write_json(one, ".mcp.json", {"mcpServers": {"fcop": {"command": "fcop-mcp"}}})
    assert state(look(one.path), "mcp:.mcp.json#fcop")[0] == "absent"


@pytest.mark.parametrize("content", ["{", "[]", "\xff\xfe", '{"mcpServers": ' + "[" * 5000], ids=["cut", "list", "bytes", "deep"])
def test_a_configuration_that_cannot_be_read(one: Repo, content: str) -> None:
    one.write(".mcp.json", content.encode("latin-1"))
    result = look(one.path)
    assert (state(result, "mcp:.mcp.json")[0], result.outcome, result.exit_code) == ("unresolvable", "UNREADABLE", 3)


def test_a_linked_configuration_is_not_followed(one: Repo, other: Repo) -> None:
    write_json(other, ".mcp.json", server({"FCOP_PROJECT_DIR": str(other.path)}))
    (one.path / ".mcp.json").symlink_to(other.path / ".mcp.json")
    (other.path / ".cursor").mkdir()
    write_json(other, ".cursor/mcp.json", server({"FCOP_PROJECT_DIR": str(other.path)}))
    (one.path / ".cursor").symlink_to(other.path / ".cursor")
    result = look(one.path)
    for name in ("mcp:.mcp.json", "mcp:.cursor/mcp.json"):
        assert (state(result, name)[0], "link" in why(result, name)) == ("unresolvable", True)


def test_user_files_are_read_only_when_asked(one: Repo, other: Repo, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for path in (".cursor/mcp.json", ".config/Claude/claude_desktop_config.json"):
        (home / path).parent.mkdir(parents=True)
        (home / path).write_text(json.dumps(server({"FCOP_PROJECT_DIR": str(other.path)})))
    assert look(one.path, home=home).outcome == "CONSISTENT"
    result = look(one.path, home=home, user=True)
    assert [component.state for component in result.components if str(home) in component.id] == [State.DIFFERENT, State.DIFFERENT]


# Editors


def test_the_first_folder_of_an_editor_counts(one: Repo, other: Repo) -> None:
    one.write("team.code-workspace", '{"folders": [{"path": "../a"}, {"path": "."}], "settings": {"terminal.integrated.cwd": "src"}, /**/}')
    result = look(one.path)
    assert state(result, "editor:team.code-workspace.folders[0]")[0] == "different"
    assert state(result, "editor:team.code-workspace.folders[1]")[0] == "unknown"
    assert state(result, "editor:team.code-workspace.terminal.integrated.cwd")[0] == "ok"
    one.write("team.code-workspace", '{"folders": [{"path": "."}, {"path": "../a"}]}')
    assert look(one.path).outcome == "CONSISTENT"


# Variables


@pytest.mark.parametrize("name", ["FCOP_PROJECT_DIR", "FCOP_PROJECT_PATH", "CODEFLOW_PROJECT_DIR", "CLAUDE_PROJECT_DIR"])
def test_variables_that_name_a_root(one: Repo, other: Repo, name: str) -> None:
    assert state(look(one.path, env={name: str(one.path)}), f"env.{name}")[0] == "ok"
    result = look(one.path, env={name: str(other.path)})
    assert (state(result, f"env.{name}")[0], result.outcome) == ("different", "MISMATCH")
    assert look(one.path, env={name: str(one.path / "gone")}).outcome == "INDETERMINATE"
    assert state(look(one.path, env={name: "  "}), f"env.{name}")[0] == "absent"


def test_a_placeholder_that_nobody_filled_in(one: Repo) -> None:
    result = look(one.path, env={"FCOP_PROJECT_DIR": "${workspaceFolder}"})
    assert (state(result, "env.FCOP_PROJECT_DIR")[0], "filled" in why(result, "env.FCOP_PROJECT_DIR")) == ("unresolvable", True)
    (one.path / "${workspaceFolder}").mkdir()
    assert state(look(one.path, env={"FCOP_PROJECT_DIR": "${workspaceFolder}"}), "env.FCOP_PROJECT_DIR")[0] == "different"


def test_a_variable_that_names_a_file(one: Repo) -> None:
    result = look(one.path, env={"FCOP_PROJECT_DIR": str(one.path / "src/app.py")})
    assert (state(result, "env.FCOP_PROJECT_DIR")[0], "a file" in why(result, "env.FCOP_PROJECT_DIR")) == ("unresolvable", True)


def test_the_log_variable_counts_by_its_folder(one: Repo, other: Repo) -> None:
    assert state(look(one.path, env={"FCOP_EVENT_LOG": str(one.path / "new.jsonl")}), "env.FCOP_EVENT_LOG")[0] == "ok"
    assert state(look(one.path, env={"FCOP_EVENT_LOG": str(other.path / "new.jsonl")}), "env.FCOP_EVENT_LOG")[0] == "different"


@pytest.mark.parametrize("name", ["CODEFLOWMU_HOST_ROOT", "CODEFLOW_DATA_DIR", "CODEFLOW_PROJECTS_ROOT", "CODEFLOW_OPEN_HOST_ROOT"])
def test_folders_of_a_runtime_are_listed_and_not_compared(one: Repo, other: Repo, name: str) -> None:
    result = look(one.path, env={name: str(other.path)})
    found = next(component for component in result.components if component.id == f"env.{name}")
    assert (found.compared, found.identity is not None, result.outcome) == (False, True, "CONSISTENT")


# Paths that no disk has


@pytest.mark.parametrize(
    ("value", "expected"),
    [("/" + "x" * 5000, "too long"), ("/" + "/".join(["d" * 200] * 40), "longer"), ("{loop}/x", "circle"), ("/etc/hostname/x", "nothing")],
    ids=["name", "path", "loop", "below-a-file"],
)  # fmt: skip
def test_paths_that_cannot_be_resolved(one: Repo, value: str, expected: str) -> None:
    (one.path / "loop").symlink_to("pool")
    (one.path / "pool").symlink_to("loop")
    result = look(one.path, env={"FCOP_PROJECT_DIR": value.replace("{loop}", str(one.path / "loop"))})
    assert state(result, "env.FCOP_PROJECT_DIR")[0] in ("unresolvable", "missing")
    assert expected.replace("too long", "longer") in why(result, "env.FCOP_PROJECT_DIR")
    assert result.outcome == "INDETERMINATE"


def test_a_path_with_a_nul_is_none(one: Repo) -> None:
    write_json(one, ".mcp.json", server({"FCOP_PROJECT_DIR": "/a\0b"}))
    assert state(look(one.path), "mcp:.mcp.json#fcop.env.FCOP_PROJECT_DIR")[0] == "unresolvable"


def test_a_link_loop_in_the_workspace(one: Repo) -> None:
    (one.path / "fcop/reports").symlink_to("reports")
    assert (state(look(one.path), "report")[0], look(one.path, strict=True).exit_code) == ("unresolvable", 3)


def test_a_folder_nobody_may_enter(one: Repo, other: Repo) -> None:
    command = [sys.executable, "-m", "fcoplint", "roots", "--format", "json"]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is needed to give up root's right to enter everything")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "FCOP_PROJECT_DIR": str(other.path / "fcop")}
    one.write(".mcp.json", "{}").chmod(0)
    one.write(".cursor/mcp.json", "{}").parent.chmod(0)
    other.path.chmod(0)
    try:
        done = subprocess.run(command, cwd=one.path, env=env, capture_output=True, check=False)
    finally:
        other.path.chmod(0o755)
        (one.path / ".cursor").chmod(0o755)
    data = json.loads(done.stdout)
    found = {component["id"]: (component["state"], component["why"]) for component in data["components"]}
    assert found["env.FCOP_PROJECT_DIR"] == ("unresolvable", "this user may not look there")
    assert found["mcp:.mcp.json"] == found["mcp:.cursor/mcp.json"] == ("unresolvable", "this user may not read it")
    assert (done.returncode, data["verdict"]) == (3, "UNREADABLE")


# Links and identity


def test_text_decides_nothing_a_link_is_its_target(one: Repo, tmp_path: Path) -> None:
    (tmp_path / "app").symlink_to(one.path)
    write_json(one, ".mcp.json", server({"FCOP_PROJECT_DIR": str(tmp_path / "app")}))
    result = look(one.path, cwd=tmp_path / "app")
    assert (result.outcome, result.expected.identity.real) == ("CONSISTENT", str(one.path))
    found = next(component for component in result.components if component.id.startswith("mcp:"))
    assert (found.logical, found.identity and found.identity.real) == (str(tmp_path / "app"), str(one.path))


def test_a_workspace_that_is_a_link_to_another_project(one: Repo, other: Repo) -> None:
    shutil.rmtree(one.path / "fcop")
    (one.path / "fcop").symlink_to(other.path / "fcop")
    result = look(one.path, root=str(one.path), cwd=one.path)
    assert (state(result, "workspace"), state(result, "lifecycle"), result.outcome) == (
        ("different", "FC714"), ("different", "FC714"), "MISMATCH",
    )  # fmt: skip


def test_a_reports_folder_that_is_a_link_out_and_one_that_stays(one: Repo, other: Repo) -> None:
    (one.path / "fcop/reports").symlink_to(other.path / "src")
    (one.path / "fcop/reviews").symlink_to(one.path / "src")
    result = look(one.path)
    assert (state(result, "report"), state(result, "review")) == (("different", "FC714"), ("ok", ""))


def test_names_that_only_begin_alike_are_not_inside(one: Repo, tmp_path: Path) -> None:
    (tmp_path / "b..cache").mkdir()
    (one.path / "..cache").mkdir()
    result = look(one.path, env={"FCOP_EVENT_LOG": str(tmp_path / "b..cache/x.jsonl")})
    assert state(result, "env.FCOP_EVENT_LOG")[0] == "different"
    assert state(look(one.path, env={"FCOP_EVENT_LOG": str(one.path / "..cache/x.jsonl")}), "env.FCOP_EVENT_LOG")[0] == "ok"


def test_case_twins_are_two_roots(one: Repo, tmp_path: Path) -> None:
    if (tmp_path / "B").exists():
        pytest.skip("this disk folds case")
    twin = make_project(tmp_path / "B", remote=False)
    assert state(look(one.path, env={"FCOP_PROJECT_DIR": str(twin.path)}), "env.FCOP_PROJECT_DIR")[0] == "different"


def test_a_digest_is_that_of_path_and_inode(one: Repo, other: Repo) -> None:
    first, second = (look(repo.path).expected for repo in (one, other))
    assert first.digest != second.digest
    assert first.digest == look(one.path, cwd=one.path / "src").expected.digest
    assert first.digest == digest(first.identity)
    assert len(first.digest) == 12
    other.path.rename(other.path.parent / "moved")
    assert look(other.path.parent / "moved").expected.digest != second.digest


# Declared roots


def test_a_declared_home_makes_a_foreign_systems_path_the_root(one: Repo) -> None:
    write_json(one, ".mcp.json", server({"FCOP_PROJECT_DIR": "D:/Work/B"}))
    name = "mcp:.mcp.json#fcop.env.FCOP_PROJECT_DIR"
    assert state(look(one.path, declared=Roots(home=("d:\\work\\b",))), name)[0] == "ok"
    assert state(look(one.path, declared=Roots(home=("D:\\work",))), name)[0] == "unknown"
    result = look(one.path, declared=Roots(foreign=("D:\\work",)))
    assert (state(result, name)[0], result.outcome) == ("different", "MISMATCH")


def test_the_declared_root_is_expected_before_the_working_directorys(one: Repo, other: Repo) -> None:
    result = look(one.path, declared=Roots(home=(str(other.path),)))
    assert (result.expected.identity.real, state(result, "cwd")[0], result.outcome) == (str(other.path), "different", "MISMATCH")
    both = look(one.path, declared=Roots(home=(str(one.path), "/home/ann/elsewhere")))
    assert (state(both, "config.declared[0]")[0], state(both, "config.declared[1]")[0], both.outcome) == ("ok", "absent", "CONSISTENT")


def test_a_worktree_of_the_declared_root_is_well(one: Repo, tmp_path: Path) -> None:
    one.git("worktree", "add", "-q", str(tmp_path / "linked"))
    result = look(tmp_path / "linked", declared=Roots(home=(str(one.path),)))
    assert result.expected.identity.real == str(tmp_path / "linked")


def test_the_configuration_file_is_read(one: Repo) -> None:
    write_json(one, ".mcp.json", server({"FCOP_PROJECT_DIR": "D:/work/b"}))
    one.write(".fcoplint.toml", "[roots]\nhome = ['D:/work/b']\n")
    ran, data = run_json(cwd=one.path)
    assert (ran.code, data["verdict"]) == (0, "CONSISTENT")
    one.write(".fcoplint.toml", "[roots]\nhoem = []\n")
    assert run_tool("roots", cwd=one.path).code == 2


# Manifests


@pytest.mark.parametrize("content", ["{", "[]", "\xff"], ids=["cut", "list", "bytes"])
def test_a_manifest_that_is_no_json(one: Repo, content: str) -> None:
    one.write("fcop/fcop.json", content.encode("latin-1"))
    result = look(one.path)
    assert (state(result, "project")[0], result.outcome, result.exit_code) == ("unresolvable", "UNREADABLE", 3)
    assert "manifest" in why(result, "project")


def test_a_workspace_without_a_manifest(one: Repo) -> None:
    (one.path / "fcop/fcop.json").unlink()
    assert (state(look(one.path), "project")[0], "no manifest" in why(look(one.path), "project")) == ("ok", True)


def test_older_layouts_have_roots_too(tmp_path: Path) -> None:
    old = Repo.create(tmp_path / "v1")
    old.write("docs/agents/tasks/TASK-20261001-001-PM-to-DEV.md", task_text())
    result = look(old.path, cwd=old.path / "docs")
    assert (result.expected.workspace, state(result, "task")[0], result.outcome) == ("docs/agents", "ok", "CONSISTENT")


def test_a_v4_root_shows_its_portable_identity(tmp_path: Path) -> None:
    urn = "urn:uuid:00000000-0000-4000-8000-000000000001"
    assert look(make_project(tmp_path / "v4", workspace_id=urn, remote=False).path).expected.workspace_id == urn


def test_a_workspace_in_the_workspace_and_two_layouts(one: Repo) -> None:
    one.add_team("fcop/fcop")
    assert (look(one.path, cwd=one.path / "fcop/fcop").expected.identity.real, rules(look(one.path))) == (str(one.path), ["FC701"])
    shutil.rmtree(one.path / "fcop/fcop")
    one.add_team("docs/agents")
    assert (rules(look(one.path)), look(one.path).outcome) == (["FC702"], "MISMATCH")


def test_a_root_that_is_the_users_home(one: Repo) -> None:
    assert rules(look(one.path, home=one.path)) == ["FC726"]
    assert rules(look(one.path, home=one.path, declared=Roots(allow_protected=True))) == []
    assert rules(look(one.path, home=one.path, declared=Roots(allow_protected=(str(one.path),)))) == []


# Machine state


@pytest.mark.parametrize(
    ("value", "expected"), [("{here}", "ok"), ("{other}", "different"), ("/gone/away", "missing"), ("D:\\b", "unknown"), (7, "absent")]
)
def test_the_record_of_the_instance(one: Repo, other: Repo, value: object, expected: str) -> None:
    said = value.replace("{here}", str(one.path)).replace("{other}", str(other.path)) if isinstance(value, str) else value
    write_json(one, ".codeflowmu/instance.json", {"project_root": said, "host_root": str(other.path)})
    result = look(one.path)
    assert state(result, "instance.project_root")[0] == expected
    assert state(result, "instance.host_root")[0] == "unknown"
    assert (result.outcome == "MISMATCH") == (expected == "different")


def test_the_instance_lies_under_the_host_root_that_a_variable_names(one: Repo, other: Repo, tmp_path: Path) -> None:
    write_json(other, ".codeflowmu/instance.json", {"project_root": str(other.path)})
    env = {"CODEFLOWMU_HOST_ROOT": str(other.path)}
    assert state(look(one.path, env=env), "instance.project_root") == ("different", "FC731")
    assert state(look(one.path, env=env, home=other.path), "instance.project_root")[0] == "absent"


LOCKS = [(".codeflowmu/runtime.lock", "lock:.codeflowmu/runtime.lock"), ("fcop/.runtime-writer.lock", "lock:fcop/.runtime-writer.lock"),
         (".codeflowmu/.runtime-writer.lock", "lock:<data>/.runtime-writer.lock")]  # fmt: skip


@pytest.mark.parametrize(("path", "name"), LOCKS)
def test_locks_of_living_and_dead_processes(one: Repo, other: Repo, path: str, name: str) -> None:
    assert state(look(one.path), name)[0] == "absent"
    with running(one.path) as pid:
        write_json(one, path, {"project_root": str(one.path), "pid": pid})
        assert state(look(one.path), name)[0] == "ok"
        write_json(one, path, {"project_root": str(other.path), "pid": pid})
        assert state(look(one.path), name) == ("different", "FC731")
    result = look(one.path)
    assert (state(result, name), result.outcome, "gone" in why(result, name)) == (("stale", "FC731"), "INDETERMINATE", True)


def test_a_number_that_was_given_away_again_is_no_living_holder(one: Repo) -> None:
    with running(one.path) as pid:
        lock = {"project_root": str(one.path), "pid": pid, "acquired_at": "2001-01-01T00:00:00Z"}
        write_json(one, ".codeflowmu/runtime.lock", lock)
        result = look(one.path)
    if sys.platform == "linux":
        assert state(result, "lock:.codeflowmu/runtime.lock")[0] == "stale"


def test_a_lock_of_another_machine_is_unknown_and_ours_is_not(one: Repo) -> None:
    for host, expected in (("elsewhere", "unknown"), (socket.gethostname().upper(), "stale")):
        write_json(one, ".codeflowmu/runtime.lock", {"project_root": str(one.path), "pid": dead_pid(), "host": host})
        assert state(look(one.path), "lock:.codeflowmu/runtime.lock")[0] == expected


@pytest.mark.parametrize("content", ["{", "7", "", "[1]"])
def test_a_lock_that_says_nothing(one: Repo, content: str) -> None:
    one.write(".codeflowmu/runtime.lock", content)
    assert (state(look(one.path), "lock:.codeflowmu/runtime.lock")[0], look(one.path).exit_code) == ("unresolvable", 3)


@pytest.mark.parametrize("pid", [-1, 0, 2**40, "7", None, True])
def test_numbers_that_are_no_process(one: Repo, pid: object) -> None:
    write_json(one, ".codeflowmu/runtime.lock", {"project_root": str(one.path), "pid": pid})
    assert state(look(one.path), "lock:.codeflowmu/runtime.lock")[0] == "ok"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_live_shows_where_a_holder_works(one: Repo, other: Repo) -> None:
    name = "lock:.codeflowmu/runtime.lock.live.cwd"
    for folder, expected in ((one.path / "src", "ok"), (other.path, "different")):
        with running(folder) as pid:
            write_json(one, ".codeflowmu/runtime.lock", {"project_root": str(one.path), "pid": pid})
            assert state(look(one.path, live=True), name)[0] == expected
            assert name not in [component.id for component in look(one.path).components]
    assert state(look(one.path, live=True), name)[0] == "absent"
    write_json(one, ".codeflowmu/runtime.lock", {"project_root": str(one.path), "pid": 2**22 + 1, "host": "elsewhere"})
    assert state(look(one.path, live=True), name)[0] == "unknown"


def registry(tmp_path: Path, active: str, **roots: object) -> str:
    path = tmp_path / "projects-registry.json"
    listed = [{"id": name, "name": name, "root": root} for name, root in roots.items()]
    path.write_text(json.dumps({"version": 1, "activeProjectId": active, "projects": listed}))
    return str(path)


def test_the_registry_is_read_only_when_pointed_at(one: Repo, other: Repo, tmp_path: Path) -> None:
    path = registry(tmp_path, "a", a=str(other.path), b=str(one.path))
    assert state(look(one.path), "registry.active")[0] == "absent"
    for result in (look(one.path, registry=path), look(one.path, env={"CODEFLOW_PROJECTS_REGISTRY": path})):
        assert (state(result, "registry.active"), rules(result)) == (("different", "FC732"), ["FC732"])
    assert look(one.path, registry=registry(tmp_path, "b", a=str(other.path), b=str(one.path))).outcome == "CONSISTENT"


@pytest.mark.parametrize(
    ("active", "more", "said"),
    [
        ("z", {}, "not in the list"),
        ("c", {"c": "/gone/away"}, "nothing lies there"),
        ("b", {"c": "{again}"}, "the folder of the project b too"),
        ("b", {"c": "{other}/fcop/_lifecycle"}, "inside the workspace"),
    ],
)
def test_what_is_wrong_with_a_registry(one: Repo, other: Repo, tmp_path: Path, active: str, more: dict[str, str], said: str) -> None:
    (tmp_path / "again").symlink_to(one.path)
    roots = {name: root.replace("{again}", str(tmp_path / "again")).replace("{other}", str(other.path)) for name, root in more.items()}
    result = look(one.path, registry=registry(tmp_path, active, b=str(one.path), **roots))
    assert any(said in finding.message for finding in result.findings)
    assert result.outcome == "MISMATCH"


def test_folders_in_place_of_files(one: Repo, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert look(one.path, registry=str(tmp_path / "folder")).outcome == "UNREADABLE"
    for path in (".mcp.json", ".codeflowmu/runtime.lock", ".codeflowmu/instance.json", "agents.json"):
        (one.path / path).mkdir(parents=True)
        assert look(one.path).outcome == "UNREADABLE", path
        (one.path / path).rmdir()
    (one.path / "fcop/fcop.json").unlink()
    (one.path / "fcop/fcop.json").mkdir()
    result = look(one.path)
    assert (state(result, "project")[0], "no regular file" in why(result, "project"), result.exit_code) == ("unresolvable", True, 3)


@pytest.mark.parametrize("content", [None, "{", "[]", "{}", '{"activeProjectId": 3, "projects": 7}'])
def test_a_registry_that_cannot_be_used(one: Repo, tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "r.json").write_text(content)
    result = look(one.path, registry=str(tmp_path / "r.json"))
    assert state(result, "registry.active")[0] in ("missing", "unresolvable", "unknown")
    assert result.outcome in ("UNREADABLE", "INDETERMINATE")


def test_the_working_folders_of_agents(one: Repo, other: Repo) -> None:
    agents = [{"id": "dev", "protocol": {"workspace": "src"}}, {"id": "qa", "protocol": {"workspace": str(other.path)}}, {"id": "x"}, 7]
    write_json(one, "agents.json", agents)
    result = look(one.path)
    assert (state(result, "agents[dev].workspace")[0], state(result, "agents[qa].workspace")[0]) == ("ok", "different")
    one.write("agents.json", "{")
    assert look(one.path).exit_code == 3


# Records


def test_log_rows_and_ledgers_that_lead_out(one: Repo) -> None:
    rows = [
        {"path": "src/app.py", "cwd": ".", "task_id": "TASK-20261001-001-PM-to-DEV"},
        {"path": "../a/x.py"},
        {"task_id": "TASK-20261009-001"},
    ]
    one.write("fcop/logs/runtime/actions-20261001.jsonl", "".join(json.dumps(row) + "\n" for row in rows) + "no json\n")
    one.write("fcop/ledger/tasks.jsonl", json.dumps({"path": "../../a/TASK.md"}) + "\n")
    result = look(one.path)
    assert (rules(result), result.outcome) == (["FC740", "FC740", "FC742"], "MISMATCH")
    assert "actions-20261001.jsonl:2" in result.findings[0].message + result.findings[1].message


def test_a_second_audit_log(one: Repo) -> None:
    one.write("fcop_events.jsonl", "{}\n")
    one.write("mcp/fcop_events.jsonl", "{}\n")
    assert (rules(look(one.path)), look(one.path).outcome) == (["FC741"], "CONSISTENT")
    assert rules(look(one.path, ignore=("mcp/**",))) == []


# The probe itself


def test_it_writes_nothing(one: Repo, tmp_path: Path) -> None:
    write_json(one, ".codeflowmu/runtime.lock", {"project_root": str(one.path), "pid": dead_pid()})
    one.write("src/app.py", "changed\n")
    one.write(".fcoplint.toml", "[roots]\nhome = []\n")
    before = tree_of(tmp_path)
    run_json("--user", "--live", cwd=one.path, env={"HOME": str(tmp_path)})
    run_json("--from", str(one.path), "--to", str(one.path / "src"), cwd=one.path)
    assert tree_of(tmp_path) == before


def test_the_tree_of_the_index_is_gits_own(one: Repo) -> None:
    for path in ("a/b", "a.b", "a0", "z/é"):
        one.write(path, path)
    one.write("run.sh", "x")
    (one.path / "run.sh").chmod(0o755)
    one.git("add", "-A")
    repository = git.open_repository(str(one.path), os.environ)
    assert git.index_tree(repository) == one.git("write-tree").strip()


def test_a_change_while_it_runs_is_noticed(one: Repo) -> None:
    machine = machine_at(one.path)
    expected = gather.find_expected(machine, None, Roots())
    assert expected is not None
    first = take_snapshot(machine, expected)
    assert first.is_same(take_snapshot(machine, expected))
    one.git("commit", "-q", "--allow-empty", "-m", "next")
    assert not first.is_same(take_snapshot(machine, expected))
    second = take_snapshot(machine, expected)
    one.write("fcop/fcop.json", "{}")
    assert not second.is_same(take_snapshot(machine, expected))
    shutil.rmtree(one.path)
    assert not second.is_same(take_snapshot(machine_at(Path("/")), expected))
    assert decide([], [], changed=True) == "CHANGED-DURING-PROBE"


def test_a_project_that_vanishes_while_it_is_looked_at_is_no_traceback(one: Repo, tmp_path: Path) -> None:
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            one.path.rename(tmp_path / "away")
            (tmp_path / "away").rename(one.path)

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        codes = {run_tool("roots", "--root", str(one.path), cwd=tmp_path).code for _ in range(5)}
    finally:
        stop.set()
        thread.join()
    assert codes <= {0, 1, 2, 3}


def test_a_working_directory_that_is_gone(one: Repo, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    code = "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]); from fcoplint.cli import main; main(sys.argv[2:])"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", code, str(tmp_path / "gone"), "roots"]
    done = subprocess.run([*command, "--root", str(one.path)], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, "missing" in done.stdout) == (0, False, True)
    (tmp_path / "gone").mkdir()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr, len(done.stderr.splitlines())) == (2, False, 1)


@pytest.mark.parametrize(
    "args",
    [("--root", "gone"), ("--root", "src/app.py"), ("--root", "a\udc80"), ("--from", "."), ("--to", "."), ("--phase", "before"),
     ("--stamp", "x"), ("--no-input",), ("--root", ""), ("--from", "", "--to", ""), ("--registry", ""), ("--config", ""),
     ("--from", ".", "--to", ".", "--root", "."), ("--format", "xml"), ("--registry", "gone")],
)  # fmt: skip
def test_wrong_usage(one: Repo, args: tuple[str, ...]) -> None:
    ran = run_tool("roots", *args, cwd=one.path)
    assert (ran.code, ran.out) == (2, "")


def test_text_is_harmless_and_hides_homes(one: Repo, other: Repo, tmp_path: Path) -> None:
    write_json(
        one, ".mcp.json", {"mcpServers": {"::error::x\x1b[31m\u202e": {"command": "fcop-mcp", "env": {"FCOP_PROJECT_DIR": "/home/ann/a"}}}}
    )
    result = look(one.path, env={"FCOP_PROJECT_DIR": f"{other.path}"})
    text = probe_text(result, PLAIN)
    assert not set(text) & {"\x1b", "\u202e", "\t"}
    assert "~/a" in text
    assert "/home/ann" not in text
    shown = probe_text(result, Shown(Paint(on=False), homes=True))
    assert "/home/ann/a" in shown
    assert "\x1b" not in shown
    assert not [line for line in (text + shown).splitlines() if line.lstrip().startswith("::")]
    assert max(map(len, probe_text(look(one.path, env={"FCOP_PROJECT_PATH": "/" + "x" * 4000}), PLAIN).splitlines()[:12])) < 600
    assert text == probe_text(look(one.path, env={"FCOP_PROJECT_DIR": f"{other.path}"}), PLAIN)


def test_json_hides_homes_too_unless_asked(one: Repo) -> None:
    env = {"FCOP_PROJECT_DIR": "/home/ann/gone", "HOME": str(one.path.parent)}
    assert "/home/ann" not in run_json(cwd=one.path, env=env)[0].out
    data = run_json("--show-home", cwd=one.path, env=env)[1]
    assert data["expected"]["real"] == str(one.path)
    assert run_json(cwd=one.path, env=env)[1]["expected"]["real"] == "~/b"


def test_text_ends_with_what_is_not_proved(one: Repo) -> None:
    lines = run_tool("roots", cwd=one.path).out.splitlines()
    assert "not proved:" in lines
    assert "watcher subscriptions" in lines[lines.index("not proved:") + 1]
    assert any(line.startswith("CONSISTENT: ") for line in lines)


def test_colour_is_given_to_terminals(one: Repo) -> None:
    control, terminal = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen([sys.executable, "-m", "fcoplint", "roots"], cwd=one.path, env=env, stdout=terminal)
    os.close(terminal)
    said = b""
    try:
        while chunk := os.read(control, 4096):
            said += chunk
    except OSError:
        pass
    process.wait()
    os.close(control)
    assert b"\x1b[1;32mCONSISTENT\x1b[0m" in said


def test_schemas_are_printed() -> None:
    for name in ("roots", "switch"):
        assert json.loads(run_tool("schema", name, cwd="/").out)["$id"] == f"urn:fcoplint:{name}:1"
