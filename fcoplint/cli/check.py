"""`fcoplint check`: what a change brings in. The hook's command."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import click

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.model.change import Author, Past
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
        ancestors = [functools.partial(_past, repository, parent) for parent in parents]
        # Who the author is costs a call of git; only where somebody is bound by it does that matter.
        said = git.author_of_next_commit(repository) if settings.policy.actors else None
        author = Author(*said) if said else None
        report = engine.check(before, after, settings, show_older=show_older, ancestors=ancestors, author=author)
    except git.GitError as error:
        common.stop_for_git(error)
    if style == "json" or report.workspaces or report.findings:
        common.finish(report, style, color)


def _past(repository: git.Repository, commit: str, folder: str, filename: str) -> Iterator[Past]:
    for version in tree.versions(repository, commit, folder, filename):
        yield Past(*version)
