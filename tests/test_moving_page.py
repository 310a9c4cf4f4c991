"""docs/moving.md is typed from its first line to its last in one repository: every exit code and every line it shows is held."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.pages import fences
from tests.support.repository import IDENTITY, TEAM, Repo
from tests.test_docs import shell

PAGE = Path(__file__).parents[1] / "docs" / "moving.md"
_CODE = re.compile(r"# exit code (\d)$")
NOW = "2026-12-01T08:00:00Z"

__all__ = ["shell"]


def typed() -> Iterator[tuple[str, list[str]]]:
    """Each command of the page with the lines that it is to show."""
    for text in fences(PAGE, ""):
        found: list[tuple[str, list[str]]] = []
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
        yield from found


def test_the_page_can_be_typed(make_repo: Callable[..., Repo], shell: dict[str, str]) -> None:
    repo = make_repo("team")
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    for stage in ("inbox", "active", "review", "done", "archive"):
        repo.write(f"fcop/_lifecycle/{stage}/.gitkeep", "")
    repo.commit("found the team")
    commands = list(typed())
    assert len(commands) > 30
    for line, shown in commands:
        done = subprocess.run(
            ["sh", "-c", line], cwd=repo.path, env={**shell, **IDENTITY, "FCOPLINT_NOW": NOW}, capture_output=True, text=True, check=False
        )
        code = _CODE.search(line)
        said = done.stdout + done.stderr
        assert done.returncode == (int(code[1]) if code else 0), f"{line}\n{said}"
        assert [text for text in shown if text not in said.splitlines()] == [], f"{line}\n{said}"
