"""`fcoplint relocate`: gives a workspace the folder that FCoP 3 has for it."""

from __future__ import annotations

import os

import click

from fcoplint.cli import writers
from fcoplint.repair.relocation import COMMAND, TARGET, relocate
from fcoplint.source import git


@click.command("relocate")
@click.option("--to", "target", required=True, type=click.Choice([TARGET]), help="Where the workspace is to lie in its project.")
@click.option("--workspace", metavar="FOLDER", help="The workspace, where the project has several.")
@click.option("--dry-run", is_flag=True, help="Show the plan, and write nothing.")
@click.option("--no-stage", is_flag=True, help="Leave git's index alone.")
@writers.format_option
def command(target: str, workspace: str | None, dry_run: bool, no_stage: bool, style: str) -> None:
    """Move a workspace from docs/agents, or from fcop/fcop, to fcop. Its contents stay byte for byte.

    Refused while a TASK is in active or review, or a leftover exists. What is not moved is said.

    Exit codes: 0 done, or it lies there already; 1 refused; 2 wrong usage; 3 cannot decide; 4 clean-up pending.
    """
    try:
        outcome = relocate(writers.open_project(), os.environ, root=workspace, stages_in_git=not no_stage, dry_run=dry_run)
    except git.GitError as error:
        writers.stop_for_git(error, COMMAND, style)
    writers.finish([outcome], style)
