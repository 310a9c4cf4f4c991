"""`fcoplint move`: one TASK, one lawful step, with its event."""

from __future__ import annotations

import os

import click

from fcoplint.cli import writers
from fcoplint.protocol.stages import STAGES
from fcoplint.repair.transition import COMMAND, Request, move
from fcoplint.source import git


@click.command("move")
@click.argument("task")
@click.option("--to", "stage", required=True, type=click.Choice(STAGES), help="The stage it goes to.")
@click.option("--by", required=True, metavar="ROLE", help="The role that moves it, as the team calls it.")
@click.option("--tool", metavar="NAME", help="Which move it is, where several lead there (finish_task, approve_task, …).")
@click.option("--note", metavar="TEXT", help="What the event is to say beside that; a rejection gives its reason.")
@click.option("--dry-run", is_flag=True, help="Show the plan with its digests, and write nothing.")
@click.option("--expect", metavar="SHA256", help="Move it only if the file is still the one with this digest (see --dry-run).")
@click.option("--include-edits", is_flag=True, help="Move edits along that are not staged yet; they are shown.")
@click.option("--no-stage", is_flag=True, help="Leave git's index alone.")
@writers.format_option
def command(
    task: str,
    stage: str,
    by: str,
    tool: str | None,
    note: str | None,
    dry_run: bool,
    expect: str | None,
    include_edits: bool,
    no_stage: bool,
    style: str,
) -> None:
    """Move TASK (an id, a full name or a path) to another stage, and append the event that says so.

    Nothing but that event is written, nothing is ever overwritten, and of two who claim one TASK exactly one succeeds.

    Exit codes: 0 moved, or it was there by this act already; 1 refused, nothing has changed; 2 wrong usage; 3 cannot decide;
    4 moved, and something is left for `fcoplint recover`.
    """
    try:
        request = Request(
            writers.inside(task), stage, by, tool, note, include_edits=include_edits, stages_in_git=not no_stage, expected=expect
        )
        outcome = move(writers.open_project, request, os.environ, dry_run=dry_run)
    except git.GitError as error:
        writers.stop_for_git(error, COMMAND, style)
    writers.finish([outcome], style)
