"""The manual page fcoplint(1), made from the commands' own help. `make man` writes it to build/man/fcoplint.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click

from fcoplint import __version__
from fcoplint.cli import main

TARGET = Path(__file__).parents[1] / "build" / "man" / "fcoplint.1"
_EXIT_CODES = (
    ("0", "Nothing at the fail level. Warnings and information are shown and pass."),
    ("1", "Findings."),
    ("2", "Wrong usage or configuration: an unknown option, rule, revision or key, a PATH that is not there."),
    ("3", "Something could not be looked at: it stands in the report, or on standard error."),
)
_FILES = (
    (".fcoplint.toml", "The configuration, in the root of the repository; [tool.fcoplint] of pyproject.toml does as well."),
    (".fcoplint-baseline.json", "The findings that fcoplint baseline accepted."),
)
_ENVIRONMENT = (
    ("NO_COLOR, FORCE_COLOR", "Whether --color auto colours; otherwise the terminal decides."),
    ("GIT_DIR, GIT_INDEX_FILE and the like", "Honoured as git sets them for hooks."),
)


def page(day: date) -> str:
    """The page in roff."""
    context = click.Context(main, info_name="fcoplint")
    help_of_all = (main.help or "").split("\n\n")[0]
    lines = [
        f'.TH FCOPLINT 1 "{day.isoformat()}" "fcoplint {__version__}" "User Commands"',
        ".SH NAME", f"fcoplint \\- {_escape(help_of_all.removesuffix('.'))}",
        ".SH SYNOPSIS", ".B fcoplint", "[OPTIONS] COMMAND [ARGUMENTS]",
        ".SH DESCRIPTION", _escape(help_of_all), ".SH COMMANDS", *_commands(context),
        ".SH EXIT STATUS", *_terms(_EXIT_CODES), ".SH FILES", *_terms(_FILES), ".SH ENVIRONMENT", *_terms(_ENVIRONMENT),
        ".SH SEE ALSO", ".BR git (1),", ".BR githooks (5)",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _commands(context: click.Context) -> Iterator[str]:
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        below = click.Context(command, info_name=name, parent=context)
        yield f'.SS "fcoplint {name}"'
        yield f".B fcoplint {_escape(name)}"
        yield _escape(" ".join(command.collect_usage_pieces(below)))
        for paragraph in (command.help or "").split("\n\n"):
            yield f".PP\n{_escape(' '.join(paragraph.split()))}"
        records = (parameter.get_help_record(below) for parameter in command.get_params(below))
        yield from _terms([record for record in records if record])


def _terms(pairs: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> Iterator[str]:
    for term, meaning in pairs:
        yield f".TP\n.B {_escape(term)}\n{_escape(meaning)}"


def _escape(text: str) -> str:
    """Text as roff: no character of it is a command."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"(?m)^(?=[.'])", "\\\\&", plain)


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(page(date.today()), "utf-8")
    click.echo(f"built {TARGET.relative_to(Path.cwd())}")
