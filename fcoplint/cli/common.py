"""What the commands share: the options every linter has, settings, writing a report, ending with one line of advice."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import click

from fcoplint import catalogue, config
from fcoplint.output.neutral import neutral_line
from fcoplint.protocol.times import parse_time
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git
from fcoplint.source.snapshot import Snapshot

Item = TypeVar("Item")
Function = TypeVar("Function", bound=Callable[..., Any])

USAGE, UNCHECKED = 2, 3
# So many commits take long enough for a progress bar.
_MANY = 100
_LEVELS = click.Choice(["error", "warning", "info"])


@dataclass(frozen=True)
class Options:
    """The options of every command that writes a report, as given."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_level: str | None = None
    config: str | None = None
    show_settings: bool = False
    exit_zero: bool = False
    style: str = "text"
    color: str = "auto"


_OPTIONS = (
    click.option("--select", "-s", multiple=True, metavar="CODES", help="Only these rules: codes, prefixes (FC3) or names, by commas."),
    click.option("--extend-select", multiple=True, metavar="CODES", help="These rules too, whatever else is selected."),
    click.option("--ignore", "-i", multiple=True, metavar="CODES", help="Not these rules; of two selectors that fit, the longer wins."),
    click.option("--fail-level", type=_LEVELS, help="The least severity that makes the run fail (default: error)."),
    click.option("--config", metavar="FILE", help="Use this configuration, whatever the repository's own says."),
    click.option("--show-settings", is_flag=True, help="Show every setting with where it comes from, and end."),
    click.option("--exit-zero", is_flag=True, help="End with 0 even where there are findings."),
    click.option("--format", "style", type=click.Choice(["text", "concise", "json"]), default="text", show_default=True),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Default: NO_COLOR, FORCE_COLOR, terminal."
    ),
)


def report_options(function: Function) -> Function:
    """Give a command the options of `Options`; it takes them as keywords and makes `Options(**given)` of them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def settings_for_change(options: Options, before: Snapshot, repository: git.Repository) -> Settings:
    """The settings by which a change is judged: those of the side before it, unless a file is named by hand."""

    def find() -> tuple[config.Source | None, str]:
        return config.find_in_snapshot(before), ""

    return _settings(options, find, repository)


def settings_for_folder(options: Options, folder: str, repository: git.Repository | None) -> Settings:
    """The settings of a folder on disk: of the nearest configuration up to the repository's root."""

    def find() -> tuple[config.Source | None, str]:
        found = config.find_on_disk(folder, repository.top if repository and repository.top else folder)
        if found is None:
            return None, ""
        below = os.path.relpath(folder, found[0]).replace(os.sep, "/")
        return found[1], "" if below == "." else f"{below}/"

    return _settings(options, find, repository)


def finish(report: Report, options: Options) -> NoReturn:
    """Write the report to standard output and end with its exit code."""
    write(report, options)
    sys.exit(0 if options.exit_zero and report.exit_code == 1 else report.exit_code)


def write(report: Report, options: Options) -> None:
    """Write the report to standard output in the format asked for."""
    if options.style == "json":
        from fcoplint.output import json

        print_out(json.write(report))
        return
    from fcoplint.output import text

    paint = text.Paint(wants_color(options.color))
    print_out(text.concise(report, paint) if options.style == "concise" else text.full(report, paint))


def print_out(text: str) -> None:
    """Write text to standard output, whatever its encoding can carry: a hook must not fail for a glyph (pitfall 31)."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def wants_color(color: str) -> bool:
    """Whether to colour: by the flag, NO_COLOR, FORCE_COLOR, then whether standard output is a terminal."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def say(message: str) -> None:
    """One line on standard error that changes no outcome."""
    print(neutral_line(f"fcoplint: {message}"), file=sys.stderr)


def with_progress(items: Iterator[Item], count: int, what: str) -> Iterator[Item]:
    """The items, with a bar on standard error while they are worked on, where that is a terminal."""
    if count < _MANY or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=count, label=f"{count} {what}", file=sys.stderr) as bar:
        yield from bar


def stop(message: str, code: int) -> NoReturn:
    """End with advice on standard error, each line of it harmless."""
    for line in message.splitlines():
        print(neutral_line(f"fcoplint: {line}"), file=sys.stderr)
    sys.exit(code)


def stop_for_git(error: git.GitError, options: Options, command: str) -> NoReturn:
    """End with git's trouble as advice: 2 where the call was wrong, 3 (and a report) where something could not be looked at."""
    if options.style == "json" and not error.usage:
        from fcoplint import engine

        write(engine.unchecked(command, "git", Settings(), advice=error.advice), options)
    stop(error.advice, USAGE if error.usage else UNCHECKED)


def stop_for_rule(name: str) -> NoReturn:
    """End because no rule has this code or name."""
    near = catalogue.suggest(name)
    stop(f"no rule is called `{name}`" + (f"; did you mean `{near}`?" if near else "; `fcoplint rules` lists them"), USAGE)


def _settings(options: Options, find: Callable[[], tuple[config.Source | None, str]], repository: git.Repository | None) -> Settings:
    try:
        source, prefix = (config.read_file(options.config), "") if options.config else find()
        memory = git.path_in_git_dir(repository, "fcoplint") if source and repository else None
        settings = config.make_settings(source, memory)
        if options.show_settings:
            _show(source)
    except config.ConfigError as error:
        stop(str(error), USAGE)
    return _with_options(replace(settings, prefix=prefix), options)


def _with_options(settings: Settings, options: Options) -> Settings:
    policy = replace(settings.policy, now=_now()) if os.environ.get("FCOPLINT_NOW") else settings.policy
    select = _codes(options.select) or settings.select
    return replace(
        settings,
        select=(*select, *_codes(options.extend_select)) if select else select,
        ignore=(*settings.ignore, *_codes(options.ignore)),
        fail_level=options.fail_level or settings.fail_level,
        policy=policy,
    )


def _now() -> datetime.datetime:
    parsed = parse_time(os.environ["FCOPLINT_NOW"])
    if parsed is None:
        stop("FCOPLINT_NOW is no ISO 8601 time", USAGE)
    return parsed.moment


def _codes(selectors: tuple[str, ...]) -> tuple[str, ...]:
    words = [word.strip() for selector in selectors for word in selector.split(",") if word.strip()]
    resolved = []
    for word in words:
        prefix = catalogue.resolve(word)
        if prefix is None:
            stop_for_rule(word)
        resolved.append(prefix)
    return tuple(resolved)


def _show(source: config.Source | None) -> NoReturn:
    import json

    for key, value, origin in config.describe(source):
        print_out(f"{neutral_line(f'{key} = {json.dumps(value)}')}  # {neutral_line(origin)}\n")
    sys.exit(0)
