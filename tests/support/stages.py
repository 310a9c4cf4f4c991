"""The folders in which the commands of README and docs are run, by the name that a page gives them."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.support.repository import Repo
from tests.support.tool_path import PROJECT

EXAMPLES = PROJECT / "examples"


def _team(path: Path) -> None:
    """examples/team as a repository: a branch that is one commit ahead of origin/main."""
    repo = Repo.create(path)
    shutil.copytree(EXAMPLES / "team", path, dirs_exist_ok=True)
    repo.commit("start")
    repo.write("app.py", "print()\n")
    repo.commit("product work")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD~1")


def _examples(path: Path) -> None:
    """This project's examples/ in a repository that has no commit yet."""
    Repo.create(path)
    shutil.copytree(EXAMPLES, path / "examples")


def _lawful(path: Path) -> None:
    """A repository with one lawful workspace, committed."""
    repo = Repo.create(path)
    repo.add_team()
    repo.commit("start")


def _empty(path: Path) -> None:
    """A repository in which nothing is yet."""
    Repo.create(path)


def _server(path: Path) -> None:
    """A bare repository, as a server has it."""
    Repo.create(path, bare=True)


DEFAULT = "team"
STAGES: dict[str, Callable[[Path], None]] = {
    DEFAULT: _team, "examples": _examples, "lawful": _lawful, "empty": _empty, "server": _server
}  # fmt: skip
