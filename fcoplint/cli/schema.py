"""`fcoplint schema`: the JSON Schemas of what fcoplint reads and writes."""

from __future__ import annotations

import json

import click

from fcoplint.cli import common


@click.command("schema")
@click.argument("what", type=click.Choice(["config", "report"]))
def command(what: str) -> None:
    """Print the JSON Schema of the configuration or of the report."""
    if what == "config":
        from fcoplint import configmodel

        described = configmodel.schema()
    else:
        from fcoplint.output import schema

        described = schema.schema()
    common.print_out(json.dumps(described, indent=2) + "\n")
