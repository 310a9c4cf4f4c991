"""What the commands share: the options every linter has, settings, writing a report, ending with one line of advice."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn, TypeVar

import click

from fcoplint import catalogue, config
from fcoplint.language import LANGUAGES, of_locale
from fcoplint.output.formats import FORMATS, suggest
from fcoplint.output.neutral import neutral_line
from fcoplint.protocol.times import parse_time
from fcoplint.report import Report
from fcoplint.settings import Baseline, Settings
from fcoplint.source import git
from fcoplint.source.snapshot import Kind, Snapshot

Function = TypeVar("Function", bound=Callable[..., Any])

USAGE, UNCHECKED = 2, 3
_LEVELS = click.Choice(["error", "warning", "info"])


class Output(NamedTuple):
    """One format of a report and the file it goes to; None is standard output, or what --output-file names."""

    name: str
    file: str | None = None


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
    outputs: tuple[Output, ...] = (Output("text"),)
    output_file: str | None = None
    statistics: bool = False
    quiet: bool = False
    no_baseline: bool = False
    color: str = "auto"
    lang: str | None = None

    def __post_init__(self) -> None:
        if self.output_file and all(output.file for output in self.outputs):
            stop("every format has a file of its own, so none is left for --output-file", USAGE)
        files = [os.path.realpath(file) for output in self.outputs if (file := output.file or self.output_file)]
        if len(set(files)) < len(files):
            stop("two formats would go to one file, and the second would replace the first; give each its own", USAGE)

    @property
    def is_read_by_people(self) -> bool:
        """Whether standard output gets a format for people."""
        return any(output.file is None and output.name in ("text", "concise") for output in self.outputs)


def _parse_formats(_context: click.Context, _option: click.Parameter, words: tuple[str, ...]) -> tuple[Output, ...]:
    """`text`, `sarif:out.sarif`: each format with its file. Ends the program where one is not known, or two share a place."""
    outputs = []
    for word in words or ("text",):
        name, colon, file = word.partition(":")
        if name not in FORMATS:
            near = suggest(name)
            stop(f"there is no format `{name}`" + (f"; did you mean `{near}`?" if near else f"; there are {', '.join(FORMATS)}"), USAGE)
        if colon and not file:
            stop(f"`{word}` names no file; write {name}:FILE", USAGE)
        outputs.append(Output(name, file if file not in ("", "-") else None))
    if sum(output.file is None for output in outputs) > 1:
        stop("one format goes to standard output; give the others a file: --format sarif:FILE", USAGE)
    return tuple(outputs)


def _parse_file(_context: click.Context, _option: click.Parameter, file: str | None) -> str | None:
    """The file, None where `-` names standard output."""
    return None if file == "-" else file


_OPTIONS = (
    click.option("--select", "-s", multiple=True, metavar="CODES", help="Only these rules: codes, prefixes (FC3) or names, by commas."),
    click.option("--extend-select", multiple=True, metavar="CODES", help="These rules too, whatever else is selected."),
    click.option("--ignore", "-i", multiple=True, metavar="CODES", help="Not these rules; of two selectors that fit, the longer wins."),
    click.option("--fail-level", type=_LEVELS, help="The least severity that makes the run fail (default: error)."),
    click.option("--config", metavar="FILE", help="Use this configuration, whatever the repository's own says."),
    click.option("--show-settings", is_flag=True, help="Show every setting with where it comes from, and end."),
    click.option("--exit-zero", is_flag=True, help="End with 0 even where there are findings."),
    click.option("--no-baseline", is_flag=True, help="Show what the baseline accepts like any other finding."),
    click.option(
        "--format",
        "outputs",
        multiple=True,
        metavar="NAME[:FILE]",
        callback=_parse_formats,
        help=f"{', '.join(FORMATS)}; several with a file each. Default: text.",
    ),
    click.option("--output-file", "-o", metavar="FILE", callback=_parse_file, help="Write the format without a file of its own there."),
    click.option("--quiet", "-q", is_flag=True, help="Only the findings: no summary, no notes, no hints."),
    click.option("--statistics", is_flag=True, help="With text and concise: how many findings each rule has, instead of them."),
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Default: NO_COLOR, FORCE_COLOR, terminal."
    ),
)

lang_option = click.option(
    "--lang", type=click.Choice(LANGUAGES), help="The language of messages; else the configuration's, the manifest's, the locale's."
)


def report_options(function: Function) -> Function:
    """Give a command the options of `Options`; it takes them as keywords and makes `Options(**given)` of them."""
    for option in reversed((*_OPTIONS, lang_option)):
        function = option(function)
    return function


class _Beside(NamedTuple):
    """What lies beside a configuration: the way from its folder to what is looked at, and the bytes of a file there."""

    prefix: str
    read: Callable[[str], bytes | None]


_Find = Callable[[], tuple[config.Source | None, _Beside]]


def settings_for_change(options: Options, before: Snapshot, repository: git.Repository) -> Settings:
    """The settings by which a change is judged: those of the side before it, unless a file is named by hand."""

    def read(path: str) -> bytes | None:
        entry = before.entries.get(path)
        content = next(content for _, content in before.read([path])) if entry and entry.kind is Kind.FILE else None
        return content if isinstance(content, bytes) else None

    beside = _Beside("", read)
    return _settings(options, lambda: (config.find_in_snapshot(before), beside), beside, repository)


def settings_for_folder(options: Options, folder: str, repository: git.Repository | None) -> Settings:
    """The settings of a folder on disk: of the nearest configuration up to the repository's root."""
    top = repository.top if repository and repository.top else folder

    def beside(base: str) -> _Beside:
        below = os.path.relpath(folder, base).replace(os.sep, "/")
        return _Beside("" if below == "." else f"{below}/", lambda path: config.read_beside(base, path))

    def find() -> tuple[config.Source | None, _Beside]:
        found = config.find_on_disk(folder, top)
        return (found[1], beside(found[0])) if found else (None, beside(top))

    return _settings(options, find, beside(top), repository)


def finish(report: Report, options: Options) -> NoReturn:
    """Write the report where it is to go, and end with its exit code."""
    write(report, options)
    sys.exit(0 if options.exit_zero and report.exit_code == 1 else report.exit_code)


def write(report: Report, options: Options, *, only_whole: bool = False) -> None:
    """Write the report in each format asked for; `only_whole` leaves out what people read.

    Where there was nothing to look at, documents and files are written all the same, and no line of a log.
    """
    empty = only_whole or not (report.workspaces or report.findings)
    for name, own_file in options.outputs:
        file = own_file or options.output_file
        if FORMATS[name].whole or file or not empty:
            text = _render(report, name, options, to_screen=file is None)
            if file is None:
                print_out(text)
            else:
                _write_file(file, text)


def _render(report: Report, name: str, options: Options, *, to_screen: bool) -> str:
    from fcoplint.output.text import Paint

    coloured = wants_color(options.color) if to_screen else options.color == "always"
    paint = Paint(coloured, to_screen and coloured and _shows_links(), options.quiet)
    if options.statistics and name in ("text", "concise"):
        from fcoplint.output import statistics

        return statistics.write(report, paint)
    return FORMATS[name].write(report, paint)


def _write_file(path: str, text: str) -> None:
    from fcoplint import atomic

    try:
        atomic.replace(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        stop(f"{path}: {error.strerror}", USAGE)


def _shows_links() -> bool:
    """Whether standard output is a terminal that can show links (OSC 8): what cannot is told by TERM."""
    return _is_terminal() and os.environ.get("TERM", "dumb") not in ("", "dumb", "linux")


def _is_terminal() -> bool:
    """Whether standard output is a terminal; it is None where whoever started this closed it."""
    return bool(sys.stdout and sys.stdout.isatty())


def print_out(text: str) -> None:
    """Write text to standard output, whatever its encoding can carry: a hook must not fail for a glyph (pitfall 31).

    Ends the program where it cannot be written. That the reader had enough (a broken pipe) is left to click; who closed standard
    output wants none.
    """
    if not sys.stdout:
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from fcoplint import atomic

        atomic.discard(sys.stdout.fileno())
        stop(f"standard output: {error.strerror}", USAGE)


def wants_color(color: str) -> bool:
    """Whether to colour: by the flag, NO_COLOR, FORCE_COLOR, then whether standard output is a terminal."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or _is_terminal()


def say(message: str) -> None:
    """One line on standard error that changes no outcome."""
    # Where that is closed, `print` would take standard output, which is the report's.
    if sys.stderr:
        print(neutral_line(f"fcoplint: {message}"), file=sys.stderr)


def stop(message: str, code: int) -> NoReturn:
    """End with advice on standard error, each line of it harmless."""
    for line in message.splitlines():
        say(line)
    sys.exit(code)


def stop_for_git(error: git.GitError, options: Options, command: str) -> NoReturn:
    """End with git's trouble as advice: 2 where the call was wrong, 3 (and a report) where something could not be looked at."""
    if not error.usage:
        from fcoplint import engine

        write(engine.unchecked(command, "git", spoken(Settings(), options), advice=error.advice), options, only_whole=True)
    stop(error.advice, USAGE if error.usage else UNCHECKED)


def stop_for_rule(name: str) -> NoReturn:
    """End because no rule has this code or name."""
    near = catalogue.suggest(name)
    stop(f"no rule is called `{name}`" + (f"; did you mean `{near}`?" if near else "; `fcoplint rules` lists them"), USAGE)


def _settings(options: Options, find: _Find, beside: _Beside, repository: git.Repository | None) -> Settings:
    """The settings of the configuration found, or of the one named by hand; then `beside` tells where a baseline may lie."""
    try:
        source, beside = (config.read_file(options.config), beside) if options.config else find()
        memory = git.path_in_git_dir(repository, "fcoplint") if source and repository else None
        settings = config.make_settings(source, memory)
        if options.show_settings:
            _show(source)
        if not options.no_baseline:
            settings = replace(settings, baseline=_baseline(settings.baseline_file, beside))
    except config.ConfigError as error:
        stop(str(error), USAGE)
    if source and not options.config:
        settings = replace(settings, prefix=beside.prefix, origin=os.path.basename(source.name))
    return _with_options(settings, options)


def _baseline(path: str, beside: _Beside) -> Baseline | None:
    content = beside.read(path)
    if content is None:
        return None
    # Only where there is one: the hook pays for no JSON that it does not read.
    from fcoplint import baseline

    return Baseline(path, baseline.parse(path, content), beside.prefix)


def spoken(settings: Settings, options: Options) -> Settings:
    """The settings with the language that the command line asks for, and the locale's for where nobody asks."""
    return replace(settings, lang=options.lang or settings.lang, locale=of_locale(os.environ))


def _with_options(settings: Settings, options: Options) -> Settings:
    policy = replace(settings.policy, now=_now()) if os.environ.get("FCOPLINT_NOW") else settings.policy
    select = _codes(options.select) or settings.select
    return replace(
        spoken(settings, options),
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
