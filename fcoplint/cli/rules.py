"""`fcoplint rules`: the whole catalogue."""

from __future__ import annotations

import click

from fcoplint import catalogue
from fcoplint.cli import common
from fcoplint.output import rulebook


@click.command("rules")
@click.option("--format", "style", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def command(style: str) -> None:
    """List all rules: a line each, as JSON with everything that stands in their files, or as a Markdown table."""
    write = {"text": rulebook.as_text, "json": rulebook.as_json, "markdown": rulebook.as_markdown}[style]
    common.print_out(write([catalogue.rule(code) for code in catalogue.rule_files()]))
