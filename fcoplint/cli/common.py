"""What the commands share: the options every linter has, writing a report, ending with one line of advice."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

from fcoplint import catalogue
from fcoplint.output.neutral import neutral_line
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.git import GitError

Function = TypeVar("Function", bound=Callable[..., Any])

USAGE, UNCHECKED = 2, 3


def report_options(function: Function) -> Function:
    """The options of every command that writes a report."""
    for option in reversed(
        (
            click.option(
                "--select", "-s", multiple=True, metavar="CODES", help="Only these rules: codes, prefixes (FC3) or names, by commas."
            ),
            click.option(
                "--ignore", "-i", multiple=True, metavar="CODES", help="Not these rules; of two selectors that fit, the longer wins."
            ),
            click.option("--format", "style", type=click.Choice(["text", "concise", "json"]), default="text", show_default=True),
            click.option(
                "--color",
                type=click.Choice(["auto", "always", "never"]),
                default="auto",
                help="Default: NO_COLOR, FORCE_COLOR, then the terminal.",
            ),
        )
    ):
        function = option(function)
    return function


def make_settings(select: tuple[str, ...], ignore: tuple[str, ...]) -> Settings:
    """Settings from the options; an unknown selector ends the program with exit code 2."""
    return Settings(select=_resolve(select), ignore=_resolve(ignore))


def finish(report: Report, style: str, color: str) -> NoReturn:
    """Write the report to standard output and end with its exit code."""
    write(report, style, color)
    sys.exit(report.exit_code)


def write(report: Report, style: str, color: str) -> None:
    """Write the report to standard output in the format asked for."""
    if style == "json":
        from fcoplint.output import json

        text = json.write(report)
    else:
        from fcoplint.output import text as texts

        paint = texts.Paint(_wants_color(color))
        text = texts.concise(report, paint) if style == "concise" else texts.full(report, paint)
    _print(text)


def stop(message: str, code: int) -> NoReturn:
    """End with one line on standard error."""
    print(neutral_line(f"fcoplint: {message}"), file=sys.stderr)
    sys.exit(code)


def stop_for_git(error: GitError) -> NoReturn:
    """End with git's trouble as advice: 2 where the call was wrong, 3 where something could not be looked at."""
    stop(error.advice, USAGE if error.usage else UNCHECKED)


def _resolve(selectors: tuple[str, ...]) -> tuple[str, ...]:
    words = [word.strip() for selector in selectors for word in selector.split(",") if word.strip()]
    resolved = []
    for word in words:
        prefix = catalogue.resolve(word)
        if prefix is None:
            near = catalogue.suggest(word)
            stop(f"no rule is called `{word}`" + (f"; did you mean `{near}`?" if near else "; `fcoplint explain` lists them"), USAGE)
        resolved.append(prefix)
    return tuple(resolved)


def _wants_color(color: str) -> bool:
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty()


def _print(text: str) -> None:
    # A pipe on Windows may not be able to carry every character; the hook must not fail for that (pitfall 31).
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()
