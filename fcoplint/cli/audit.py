"""`fcoplint audit`: the whole state of a repository, a folder, a commit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.cli.folder import enclosing_workspace, open_folder
from fcoplint.source import git


@click.command("audit")
@click.argument("path", default=".", type=click.Path())
@click.option("--rev", metavar="REV", help="Check the tree of this commit instead of the working tree; also in a bare repository.")
@click.option("--workspace", "names", multiple=True, metavar="PATTERN", help="Only workspaces whose folder fits, e.g. packages/a/fcop.")
@click.option("--as-workspace", is_flag=True, help="Take PATH itself for a workspace, whatever it is called.")
@common.report_options
def command(path: str, rev: str | None, names: tuple[str, ...], as_workspace: bool, **given: Any) -> None:
    """Check everything that stands in PATH: a repository, a folder, or one workspace.

    In a git repository: tracked files, and untracked ones that git does not ignore.
    """
    options = common.Options(**given)
    try:
        opened = open_folder(path, options, rev=rev, as_workspace=as_workspace)
        settings = replace(opened.settings, workspaces=names) if names else opened.settings
        report = engine.audit(opened.snapshot, settings, top=opened.top)
    except git.GitError as error:
        common.stop_for_git(error)
    if not report.workspaces and not report.findings:
        _say_nothing_found(path, opened.root, names)
    if report.workspaces or report.findings or options.style == "json":
        common.finish(report, options)


def _say_nothing_found(path: str, root: str, names: tuple[str, ...]) -> None:
    outer = enclosing_workspace(root)
    if outer:
        common.stop(f"{path} lies inside a workspace; audit that: fcoplint audit {outer}", common.USAGE)
    if names:
        common.stop(f"no workspace in {path} fits {', '.join(names)}", common.USAGE)
    click.echo(f"fcoplint: no FCoP workspace (a folder `fcop` or `docs/agents`) in {path}; nothing to check", err=True)
