"""What agent tools get: Claude Code's hook called as Claude Code calls it, Cursor's rule as Cursor reads it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import frontmatter
import pytest

from tests.support.repository import INBOX, T1, Ran, Repo, task_text
from tests.support.tool_path import PROJECT, tool_path

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
GOOD = task_text("PM", "QA")
BAD = GOOD.replace("sender: PM", "sender: OPS")
TO_AGENT, TO_PERSON = 2, 1


@pytest.fixture
def hooked(repo: Repo) -> Repo:
    """A repository with the hook as `init` puts it in place."""
    assert repo.run("init", "--claude").code == 0
    return repo


def call(repo: Repo, file: str | None, env: dict[str, str], tool: str = "Write", **more: Any) -> Ran:
    """Run the command of the settings as Claude Code does after a tool call: by a shell, with the call on standard input."""
    settings = json.loads((repo.path / ".claude/settings.json").read_text())
    (entry,) = settings["hooks"]["PostToolUse"]
    assert tool in entry["matcher"].split("|")
    (hook,) = entry["hooks"]
    assert hook["type"] == "command"
    given = {
        "session_id": "s", "transcript_path": "t", "cwd": str(repo.path), "hook_event_name": "PostToolUse", "tool_name": tool,
        "tool_input": {} if file is None else {"file_path": file}, "tool_response": {"success": True}, **more,
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", hook["command"]], cwd=repo.path, env={**os.environ, **env, "CLAUDE_PROJECT_DIR": str(repo.path)},
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return tool_path(tmp_path / "bin")


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_the_agent_gets_the_finding_and_the_next_command(hooked: Repo, env: dict[str, str], tool: str) -> None:
    path = hooked.write(T2, BAD)
    told = call(hooked, str(path), env, tool)
    assert (told.code, told.out) == (TO_AGENT, "")
    assert f"{T2}:4:9: error FC120 routing-mismatch" in told.err
    assert f"next: git add -- {T2}" in told.err
    hooked.write(T2, GOOD)
    assert call(hooked, str(path), env, tool) == Ran(0, "", "")


def test_an_edit_of_what_has_landed_is_told(hooked: Repo, env: dict[str, str]) -> None:
    path = hooked.write(T1, task_text().replace("Build the form", "Build nothing"))
    told = call(hooked, str(path), env, "Edit")
    assert (told.code, "FC804" in told.err) == (TO_AGENT, True)


def test_what_cannot_be_read_is_told_too(hooked: Repo, env: dict[str, str]) -> None:
    path = hooked.write(T2, b"---\nsender: \xff\n---\n")
    told = call(hooked, str(path), env)
    assert told.code == TO_AGENT
    assert T2 in told.err


@pytest.mark.parametrize("file", ["app.py", "notes.md", "/etc/hosts", None])
def test_other_files_cost_nothing(hooked: Repo, file: str | None) -> None:
    assert call(hooked, file, {}) == Ran(0, "", "")


def test_faults_of_others_are_not_the_agents(hooked: Repo, env: dict[str, str]) -> None:
    hooked.write(f"{INBOX}/TASK-20261001-003-PM-to-QA.md", BAD)
    path = hooked.write(T2, GOOD)
    assert call(hooked, str(path), env) == Ran(0, "", "")


def test_a_name_is_a_name_whatever_it_looks_like(hooked: Repo, env: dict[str, str]) -> None:
    path = hooked.write(f"{INBOX}/TASK-20261001-002-PM-to-QA $(touch stolen) --all.md", GOOD)
    told = call(hooked, str(path), env)
    assert (told.code, "FC101" in told.err) == (TO_AGENT, True), told
    assert not (hooked.path / "stolen").exists()


def test_a_missing_fcoplint_is_said_to_the_person(hooked: Repo, tmp_path: Path) -> None:
    path = hooked.write(T2, BAD)
    folder = tmp_path / "without"
    folder.mkdir()
    os.symlink(Path(sys.executable).resolve(), folder / "python3")
    os.symlink("/bin/sh", folder / "sh")
    told = call(hooked, str(path), {"PATH": str(folder)})
    assert (told.code, "fcoplint could not be run" in told.err, "Traceback" in told.err) == (TO_PERSON, True, False)


def test_a_broken_configuration_is_said_to_the_person(hooked: Repo, env: dict[str, str]) -> None:
    hooked.write(".fcoplint.toml", "ignore = [\n")
    hooked.commit()
    told = call(hooked, str(hooked.write(T2, BAD)), env)
    assert (told.code, ".fcoplint.toml" in told.err) == (TO_PERSON, True)


def test_cursor_gets_a_rule_that_names_commands_that_exist(repo: Repo) -> None:
    assert repo.run("init", "--cursor").code == 0
    rule = frontmatter.load(str(repo.path / ".cursor/rules/fcoplint.mdc"))
    assert set(rule.metadata) == {"description", "globs", "alwaysApply"}
    assert rule["alwaysApply"] is False
    assert str(rule["globs"]).split(",") == ["fcop/**", "docs/agents/**"]
    assert "`fcoplint check FILE`" in rule.content


def test_what_is_shipped_is_what_init_writes(repo: Repo) -> None:
    assert repo.run("init", "--claude", "--cursor").code == 0
    shipped = PROJECT / "hooks" / "agents"
    for written, name in ((".claude/hooks/fcoplint.py", "claude-code.py"), (".cursor/rules/fcoplint.mdc", "fcoplint.mdc")):
        assert (repo.path / written).read_bytes() == (shipped / name).read_bytes()
