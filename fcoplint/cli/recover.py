"""`fcoplint recover`: what an interrupted write left behind, and its completion."""

from __future__ import annotations

import os

import click

from fcoplint.cli import writers
from fcoplint.repair.recovery import COMMAND, recover
from fcoplint.source import git


@click.command("recover")
@click.option("--apply", is_flag=True, help="Complete what can be completed; without it everything is only told.")
@writers.format_option
def command(apply: bool, style: str) -> None:
    """Find what an interrupted write left behind: temporaries, a copy in the old stage, paths that git's index does not know yet.

    What is certain is completed. Only what this tool itself wrote, by a process that is gone, is ever taken away. Two copies that
    say different things are shown side by side, and a person decides.

    Exit codes: 0 nothing to do, or all done; 1 refused; 2 wrong usage; 3 something a person must decide; 4 something is pending.
    """
    try:
        outcomes = recover(writers.open_project(), os.environ, apply=apply)
    except git.GitError as error:
        writers.stop_for_git(error, COMMAND, style)
    writers.finish(outcomes, style)
