"""docs/roots.md is walked from its first command to its last, as a person would; what it shows is what the tool says."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from fcoplint.roots.components import Outcome, State
from fcoplint.roots.stamp import read_stamp
from tests.support.projects import do_canary, make_project, move_first_task
from tests.support.repository import Ran, Repo, run_tool
from tests.support.roots import server

PAGE = (Path(__file__).parents[1] / "docs" / "roots.md").read_text("utf-8")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(?:\$ )?(fcoplint .*?)(?:  +#.*)?$", re.MULTILINE)
BLOCKS = [text for language, text in _BLOCK.findall(PAGE) if not language]


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Two projects as the page has them: b is worked in, and its MCP server still holds a."""
    make_project(tmp_path / "a")
    repo = make_project(tmp_path / "b")
    repo.write(".cursor/mcp.json", server({"FCOP_PROJECT_DIR": str(tmp_path / "a")}))
    (tmp_path / "b/registry.json").write_text(json.dumps({"activeProjectId": "b", "projects": [{"id": "b", "root": str(tmp_path / "b")}]}))
    return tmp_path


def commands(text: str) -> list[str]:
    return [match[1].strip() for match in _COMMAND.finditer(text)]


def type_in(command: str, cwd: Path) -> Ran:
    return run_tool(*shlex.split(command)[1:], cwd=cwd, env={"HOME": "/nobody"})


def holds(shown: str, written: str, demo: Path) -> bool:
    """Whether a text shows what was written: `…` stands for what is left out, the folder and digests are this machine's."""
    plain = "".join(re.sub(r"\b[0-9a-f]{12}\b", "DIGEST", shown.replace("/srv/probe-demo", str(demo))).split())
    squeezed = "".join(re.sub(r"\b[0-9a-f]{12}\b", "DIGEST", written).split())
    return re.fullmatch(".*".join(map(re.escape, plain.split("…"))), squeezed, re.DOTALL) is not None


def test_the_look_of_section_one(demo: Path) -> None:
    ran = type_in(commands(BLOCKS[0])[0], demo / "b")
    assert ran.code == 1
    assert holds(BLOCKS[0].partition("\n")[2], ran.out, demo), ran.out


def test_every_option_of_section_one(demo: Path) -> None:
    listed = commands(BLOCKS[1])
    assert len(listed) == 7
    for command in listed:
        ran = type_in(command, demo / "b")
        assert (ran.code, "MISMATCH" in ran.out, ran.err) == (1, True, ""), command


def test_the_states_and_verdicts_are_those_of_the_tool() -> None:
    told = set(re.findall(r"^\| (\w+) \| ", PAGE, re.MULTILINE))
    assert {str(state) for state in State} <= told
    assert all(str(outcome) in PAGE for outcome in Outcome)


def test_the_switch_of_section_three(demo: Path) -> None:
    before, during, after = BLOCKS[2:5]
    old, new = (Repo.create(demo / name) for name in ("a", "b"))
    move_first_task(old, "active")
    old.commit("at work")
    old.git("push", "-q", "origin", "main")
    old.write("notes.txt", "x")
    ran = type_in(commands(before)[0], demo)
    assert (ran.code, (demo / "switch.json").exists()) == (1, False)
    assert holds(f"…{before.partition(chr(10))[2]}", ran.out, demo), ran.out
    # What it says to do.
    done = old.path / "fcop/_lifecycle/done"
    done.mkdir()
    os.rename(old.path / "fcop/_lifecycle/active/TASK-20261001-001-PM-to-DEV.md", done / "TASK-20261001-001-PM-to-DEV.md")
    old.commit("done")
    (new.path / ".cursor/mcp.json").write_text(server({"FCOP_PROJECT_DIR": "${workspaceFolder}"}))
    assert type_in(commands(before)[0], demo).code == 0
    assert type_in(commands(during)[0], demo).code == 0
    stamp = read_stamp((demo / "switch.json").read_bytes())
    answer = {
        "projectRoot": str(new.path), "mcp_cwd": str(new.path), "project_binding_consistency": "ok",
        "process_started_at": stamp.at_ns / 1e6 + 1000,
    }  # fmt: skip
    (demo / "health.json").write_text(json.dumps(answer))
    assert do_canary(new).startswith("TASK-20261002-009")
    assert after.startswith("cd b\n")
    ran = type_in(commands(after)[0], demo / "b")
    assert (ran.code, ran.out.splitlines()[-1].partition(":")[0]) == (0, "OPEN"), ran.out


def test_every_command_of_the_page_is_walked() -> None:
    assert sum(len(commands(text)) for text in BLOCKS) == sum(len(commands(text)) for text in BLOCKS[:5])
