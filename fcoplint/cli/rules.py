"""`fcoplint rules`: the whole catalogue."""

from __future__ import annotations

import click

from fcoplint import catalogue
from fcoplint.cli import common
from fcoplint.cli.folder import language_here
from fcoplint.output import rulebook


@click.command("rules")
@click.option("--format", "style", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@common.lang_option
def command(style: str, lang: str | None) -> None:
    """List all rules: a line each, as JSON with everything that stands in their files, or as a Markdown table."""
    write = {"text": rulebook.as_text, "json": rulebook.as_json, "markdown": rulebook.as_markdown}[style]
    spoken = language_here(lang)
    common.print_out(write([catalogue.rule(code, spoken) for code in catalogue.rule_files()]))
