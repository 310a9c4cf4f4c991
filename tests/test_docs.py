"""What README.md and docs/ tell people to type works: every command is run, every key and every configuration is held to the model."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcoplint import config, configmodel
from tests.support.repository import Repo

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
KEYS = ROOT / "docs" / "configuration.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| `([a-z-]+)` \| .+ \| `(.+)` \| .+ \|$", re.MULTILINE)
# A command that is meant to end so says it in its comment.
_WRONG_USAGE = "exit code 2"


def blocks(page: Path, language: str) -> list[str]:
    return [text for found, text in _BLOCK.findall(page.read_text("utf-8")) if found == language]


COMMANDS = [
    pytest.param([line.removeprefix("$ ") for line in lines if line.startswith("$ ")], id=f"{page.name}: {lines[0].split('  ')[0]}")
    for page in PAGES
    for lines in (text.splitlines() for text in blocks(page, ""))
    if any(line.startswith("$ fcoplint") for line in lines)
]
CONFIGURATIONS = [pytest.param(text, id=f"{page.name}: {text.splitlines()[0]}") for page in PAGES for text in blocks(page, "toml")]


@pytest.fixture
def example(make_repo: Callable[..., Repo]) -> Repo:
    """examples/team as a repository: a branch that is one commit ahead of origin/main."""
    made = make_repo("team")
    shutil.copytree(ROOT / "examples" / "team", made.path, dirs_exist_ok=True)
    made.commit("start")
    made.write("app.py", "print()\n")
    made.commit("product work")
    made.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    return made


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment with fcoplint on PATH."""
    script = tmp_path / "bin" / "fcoplint"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m fcoplint "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("lines", COMMANDS)
def test_every_command_can_be_typed(example: Repo, shell: dict[str, str], lines: list[str]) -> None:
    for line in lines:
        done = subprocess.run(["sh", "-c", line], cwd=example.path, env=shell, capture_output=True, text=True, check=False)
        allowed = {2} if _WRONG_USAGE in line else {0, 1}
        assert done.returncode in allowed, f"{line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr


def test_there_are_commands_in_the_readme_and_in_docs() -> None:
    assert len(COMMANDS) > 5


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_every_configuration_is_taken(text: str) -> None:
    config.make_settings(config.Source(".fcoplint.toml", text), None)


def test_every_key_stands_in_the_table_with_its_default() -> None:
    defaults: dict[str, Any] = {key: default for key, default, _ in config.describe(None)}
    assert {key: json.loads(default) for key, default in _ROW.findall(KEYS.read_text("utf-8"))} == defaults


def test_every_key_has_an_example_and_a_place_in_the_readme() -> None:
    examples, keys = "\n".join(blocks(KEYS, "toml")), configmodel.keys()
    assert [key for key in keys if not re.search(rf"^\[?{key}\b", examples, re.MULTILINE)] == []
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [key for key in keys if f"`{key}`" not in readme] == []


def test_every_link_leads_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
