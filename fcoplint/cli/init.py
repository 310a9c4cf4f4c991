"""`fcoplint init`: protects a repository. So far: its git hooks."""

from __future__ import annotations

import os
import sys

import click

from fcoplint.cli import common
from fcoplint.output.neutral import neutral
from fcoplint.repair import hooks
from fcoplint.source import git

_SAID = {
    "installed": "installed {path}",
    "chained": "installed {path}; the hook that was there runs first, as {detail}",
    "present": "{path} is in place already",
    "removed": "removed {path}",
    "restored": "removed {path}, and gave the hook that was there before its name back",
    "absent": "{path} is none of ours; left alone",
    "failed": "could not change {path}: {detail}",
}


@click.command("init")
@click.option("--hooks", "wants_hooks", is_flag=True, help="Install git hooks: pre-commit, pre-merge-commit, commit-msg, pre-push.")
@click.option("--server", is_flag=True, help="Install the server's hook instead: pre-receive.")
@click.option("--undo", is_flag=True, help="Take the hooks away again; what was there before comes back.")
def command(wants_hooks: bool, server: bool, undo: bool) -> None:
    """Protect this repository with git hooks that need no framework. Nothing is ever overwritten."""
    if not (wants_hooks or server):
        common.stop("say what to set up: fcoplint init --hooks, or on a server fcoplint init --server", common.USAGE)
    try:
        repository = git.open_repository(os.getcwd(), os.environ)
        names = hooks.SERVER if server else hooks.CLIENT
        done = list(hooks.undo(repository, names) if undo else hooks.install(repository, names))
    except git.GitError as error:
        common.stop_for_git(error, common.Options(), "init")
    for item in done:
        common.print_out(f"{_SAID[item.kind].format(path=neutral(item.path), detail=neutral(item.detail))}\n")
    if not undo:
        common.print_out(f"to undo: fcoplint init {'--server' if server else '--hooks'} --undo\n")
    sys.exit(1 if any(item.kind == "failed" for item in done) else 0)
