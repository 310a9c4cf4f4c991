"""`fcoplint repair`: a TASK that lies where its events do not say."""

from __future__ import annotations

import os

import click

from fcoplint.cli import common, writers
from fcoplint.repair.agreement import COMMAND, RECORD, RETURN, Request, repair
from fcoplint.source import git


@click.command("repair")
@click.argument("task")
@click.option("--record", is_flag=True, help="The move was meant: append its event, marked as recorded afterwards.")
@click.option("--return", "back", is_flag=True, help="The move was not meant: put the file back where its events end.")
@click.option("--by", default="", metavar="ROLE", help="The role that answers for it, as the team calls it.")
@click.option("--note", metavar="TEXT", help="What the event is to say beside that it was recorded afterwards.")
@click.option("--dry-run", is_flag=True, help="Show the plan with its digests, and write nothing.")
@writers.format_option
def command(task: str, record: bool, back: bool, by: str, note: str | None, dry_run: bool, style: str) -> None:
    """Make the place of TASK (an id, a full name or a path) and its events agree again.

    Which of the two is wrong no file can tell, so nothing is ever chosen for you: without --record or --return, both commands
    are shown.

    Exit codes: 0 done, or they agree already; 1 refused, nothing has changed; 2 wrong usage; 3 cannot decide; 4 done, and
    something is left for `fcoplint recover`.
    """
    if record and back:
        common.stop("give one of --record and --return", common.USAGE)
    if (record or back) and not by:
        common.stop("say with --by which role answers for it", common.USAGE)
    way = RECORD if record else RETURN if back else ""
    try:
        scene = writers.open_project()
        outcome = repair(scene, Request(writers.inside(task), way, by, note), os.environ, dry_run=dry_run)
    except git.GitError as error:
        writers.stop_for_git(error, COMMAND, style)
    writers.finish([outcome], style)
