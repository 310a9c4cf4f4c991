"""`fcoplint status`: who holds what, where, since when."""

from __future__ import annotations

import click

from fcoplint.cli import common
from fcoplint.cli.folder import open_folder
from fcoplint.language import first_known
from fcoplint.output import status as output
from fcoplint.output.text import Paint
from fcoplint.source import git
from fcoplint.status import status


@click.command("status")
@click.argument("path", default=".", type=click.Path())
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@common.lang_option
def command(path: str, style: str, color: str, lang: str | None) -> None:
    """Show who holds what, in which stage, since when: the working tree of PATH as it is now."""
    try:
        opened = open_folder(path, common.Options(lang=lang))
    except git.GitError as error:
        common.stop_for_git(error, common.Options(), "status")
    teams = status(opened.snapshot, opened.settings, opened.top)
    if style == "json":
        common.print_out(output.as_json(teams))
    elif teams:
        spoken = opened.settings.lang or first_known(team.lang for team in teams) or opened.settings.locale
        common.print_out(output.as_text(teams, opened.settings.policy.now, Paint(common.wants_color(color)), spoken))
    else:
        click.echo(f"fcoplint: no FCoP workspace in {path}", err=True)
