"""What the writing commands share: opening the project they write in, and telling how they ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import click

from fcoplint.cli import common
from fcoplint.outcome import Outcome, State
from fcoplint.output import outcome as output
from fcoplint.repair.journal import WITHOUT_GIT
from fcoplint.repair.scene import Scene, open_scene
from fcoplint.source import git, tree
from fcoplint.source.machine import this_machine

Function = TypeVar("Function", bound=Callable[..., Any])
_GOOD = (State.DONE, State.NOTHING, State.PLANNED)

format_option = click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)


def open_project() -> Scene:
    """The project around the working directory, judged by the configuration of HEAD. May raise GitError."""
    machine = this_machine(os.environ)
    try:
        repository = git.open_repository(os.getcwd(), os.environ)
    except git.NotARepositoryError:
        return _open_folder()
    if not repository.top:
        common.stop("there is no working tree here, so there is nothing to write to", common.USAGE)
    root = os.path.realpath(repository.top)
    commit = git.resolve_commit(repository, "HEAD")
    if commit is None:
        return open_scene(root, machine, repository, common.settings_for_folder(common.Options(), root, repository))
    head = tree.commit_snapshot(repository, commit, commit)
    return open_scene(root, machine, repository, common.settings_for_change(common.Options(), head, repository), head)


def _project_root() -> str:
    """The folder of the project around the working directory, found without asking more of git than where it is."""
    try:
        repository = git.open_repository(os.getcwd(), os.environ)
    except git.NotARepositoryError:
        owner = this_machine(os.environ).owner_of(os.path.realpath(os.getcwd()))
        return owner.real if owner else os.path.realpath(os.getcwd())
    return os.path.realpath(repository.top or os.getcwd())


def _open_folder() -> Scene:
    machine = this_machine(os.environ)
    here = os.path.realpath(os.getcwd())
    owner = machine.owner_of(here)
    # While a workspace is on its way to another folder there is none; the lock stands in its project all the same.
    root = owner.real if owner else here if os.path.lexists(os.path.join(here, WITHOUT_GIT)) else None
    if root is None:
        common.stop("there is no FCoP workspace (a folder `fcop` or `docs/agents`) here or above", common.USAGE)
    return open_scene(root, machine, None, common.settings_for_folder(common.Options(), root, None))


def inside(path: str) -> str:
    """A path as it was typed, as one of the project around the working directory (POSIX); what is no path stays as it is."""
    if "/" not in path and os.sep not in path:
        return path
    full = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))), os.path.basename(path))
    return os.path.relpath(full, _project_root()).replace(os.sep, "/")


def finish(outcomes: Sequence[Outcome], style: str) -> NoReturn:
    """Tell how a command ended, and end with its code: of several the one that asks most of whoever reads it."""
    if style == "json":
        common.print_out(output.as_json(outcomes))
    else:
        for outcome in outcomes:
            if outcome.state in _GOOD:
                common.print_out(output.as_text(outcome))
            else:
                sys.stderr.write(output.as_text(outcome))
    sys.exit(output.exit_code(outcomes))


def stop_for_git(error: git.GitError, command: str, style: str) -> NoReturn:
    """End because git said no while the project was looked at: nothing was written."""
    state = State.MISUSED if error.usage else State.UNDECIDED
    finish([Outcome(command, state, "git", error.advice)], style)
