"""What README.md, CONTRIBUTING.md and docs/ tell people to type works, and every key and configuration is held to the model.

How a page is run. A fenced block without a language, or with `console`, is run where a line of it starts with `$ `; such a
line is a command for sh, a line that does not is output.

- Each block gets a fresh folder: examples/team as a git repository, one commit ahead of origin/main. From a line
  `<!-- run: NAME -->` on it is the stage of that name in tests/support/stages.py; with `<!-- run: NAME, in one folder -->` all
  blocks that follow, up to the next such line, run in one folder one after the other.
- From a line `<!-- run: by tests/NAME.py -->` on the blocks are run by that test, which names the page.
- A command may end with 0 or 1. One that must end otherwise, or exactly so, says it in its comment: `# exit code 2`.
- Of a block without a language only the commands count. In a `console` block the output is held, too (standard output, or where
  that is empty standard error): `…` stands for anything, and white space does not count.

`fcoplint`, `git` and `pre-commit` are there, with an identity for commits; the home folder is empty.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fcoplint import config, configmodel
from tests.support.pages import PAGES, Command, Session, fences, sessions
from tests.support.repository import IDENTITY
from tests.support.stages import STAGES
from tests.support.tool_path import PROJECT, tool_path

KEYS = PROJECT / "docs" / "configuration.md"
_ROW = re.compile(r"^\| `([a-z-]+)` \| .+ \| `(.+)` \| .+ \|$", re.MULTILINE)
ALL = [session for page in PAGES for session in sessions(page)]
SESSIONS = [session for session in ALL if session.test is None]
CONFIGURATIONS = [pytest.param(text, id=f"{page.name}: {text.splitlines()[0]}") for page in PAGES for text in fences(page, "toml")]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment with the tools on PATH, and nothing of this machine's user."""
    path = tool_path(tmp_path / "bin")
    framework = tmp_path / "bin" / "pre-commit"
    framework.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pre_commit "$@"\n')
    framework.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    return {**os.environ, **IDENTITY, **path, "HOME": str(home), "PRE_COMMIT_HOME": str(home / "pre-commit")}


@pytest.mark.parametrize("session", SESSIONS, ids=[session.name for session in SESSIONS])
def test_every_command_can_be_typed(session: Session, shell: dict[str, str], tmp_path: Path, record_property: Any) -> None:
    folder = tmp_path / "stage"
    STAGES[session.stage](folder)
    for block in session.blocks:
        for command in block:
            _type(command, folder, shell)
        # Counted by the hook in conftest.py, which prints how much was run.
        record_property("commands", len(block))


def _type(command: Command, folder: Path, env: dict[str, str]) -> None:
    done = subprocess.run(["sh", "-c", command.line], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode in command.codes, f"$ {command.line}\n{out}{err}(exit code {done.returncode})"
    assert "Traceback" not in err
    if command.output is not None:
        pattern = ".*".join(re.escape("".join(part.split())) for part in command.output.split("…"))
        assert re.fullmatch(pattern, "".join((out or err).split()), re.DOTALL), f"$ {command.line}\n{out or err}"


def test_there_are_commands_on_every_page_that_shows_how_to_work() -> None:
    shown = {session.page.relative_to(PROJECT).as_posix() for session in SESSIONS}
    assert shown >= {"README.md", "docs/agents.md", "docs/ci.md", "docs/history.md", "docs/roots.md", "docs/suppressing.md"}


def test_no_command_is_missed() -> None:
    counted = sum(len(block) for session in ALL for block in session.blocks)
    assert counted == sum(len(re.findall(r"^\$ ", page.read_text("utf-8"), re.MULTILINE)) for page in PAGES)


def test_a_page_that_another_test_runs_is_named_there() -> None:
    told = {(session.page.name, session.test) for session in ALL if session.test}
    assert [(page, test) for page, test in told if page not in (PROJECT / test).read_text("utf-8")] == []


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_every_configuration_is_taken(text: str) -> None:
    config.make_settings(config.Source(".fcoplint.toml", text), None)


def test_every_key_stands_in_the_table_with_its_default() -> None:
    defaults: dict[str, Any] = {key: default for key, default, _ in config.describe(None)}
    assert {key: json.loads(default) for key, default in _ROW.findall(KEYS.read_text("utf-8"))} == defaults


def test_every_key_has_an_example_and_a_place_in_the_readme() -> None:
    examples, keys = "\n".join(fences(KEYS, "toml")), configmodel.keys()
    assert [key for key in keys if not re.search(rf"^\[?{key}\b", examples, re.MULTILINE)] == []
    readme = (PROJECT / "README.md").read_text("utf-8")
    assert [key for key in keys if f"`{key}`" not in readme] == []


def test_every_link_leads_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
