"""`fcoplint schema`: the JSON Schemas of what fcoplint reads and writes."""

from __future__ import annotations

import json

import click

from fcoplint.cli import common


@click.command("schema")
@click.argument("what", type=click.Choice(["config", "report", "roots", "switch"]))
def command(what: str) -> None:
    """Print the JSON Schema of the configuration, of a report, of a root probe, or of a switch."""
    if what == "config":
        from fcoplint import configmodel

        described = configmodel.schema()
    elif what in ("roots", "switch"):
        from fcoplint.output import roots_schema

        described = roots_schema.roots_schema() if what == "roots" else roots_schema.switch_schema()
    else:
        from fcoplint.output import schema

        described = schema.schema()
    common.print_out(json.dumps(described, indent=2) + "\n")
