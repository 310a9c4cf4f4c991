"""`fcoplint check`: what a change brings in. The hook's command."""

from __future__ import annotations

import os

import click

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.source import git, tree


@click.command("check")
@click.option("--all", "show_older", is_flag=True, help="Also list findings that were there before this change.")
@common.report_options
def command(show_older: bool, select: tuple[str, ...], ignore: tuple[str, ...], style: str, color: str) -> None:
    """Check what the next commit would bring in: the index against HEAD, in a merge against every parent."""
    settings = common.make_settings(select, ignore)
    try:
        repository = git.open_repository(os.getcwd(), os.environ)
        if not repository.top:
            common.stop("there is no working tree here, so there is no commit to check", common.USAGE)
        parents = tree.parents_of_next_commit(repository, os.environ)
        before, after = tree.index_and_parents(repository, parents)
        report = engine.check(before, after, settings, show_older=show_older)
    except git.GitError as error:
        common.stop_for_git(error)
    if style == "json" or report.workspaces or report.findings:
        common.finish(report, style, color)
