"""The command line: arguments in, exit codes out, nothing else. Each command's module is imported when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from fcoplint import __version__

_COMMANDS = (
    "audit",
    "baseline",
    "check",
    "explain",
    "fix",
    "init",
    "move",
    "new",
    "recover",
    "relocate",
    "repair",
    "roots",
    "rules",
    "schema",
    "status",
)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"fcoplint.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fcoplint")
def main() -> None:
    """Check the TASK, REPORT, ISSUE and REVIEW envelopes that AI agent teams leave in git.

    Exit codes: 0 nothing at the fail level, 1 findings, 2 wrong usage, 3 something could not be looked at.
    """
