"""`fcoplint baseline`: accept today's findings, so that an old repository can begin."""

from __future__ import annotations

import datetime
import functools
import os
from collections.abc import Callable, Iterator

import click

from fcoplint import atomic, baseline, config, engine
from fcoplint.cli import common, ranges
from fcoplint.cli.folder import Opened, open_folder
from fcoplint.output.neutral import neutral_line
from fcoplint.output.text import count
from fcoplint.report import NOT_LOOKED_AT, Report
from fcoplint.settings import Accepted
from fcoplint.source import git
from fcoplint.suppress import NEVER_ACCEPTED


@click.command("baseline")
@click.argument("path", default=".", type=click.Path())
@click.option("--until", metavar="YYYY-MM-DD", help="Accept what is new in the baseline only until this day.")
@click.option("--reason", default="", metavar="TEXT", help="Say why, beside what is new in the baseline.")
@click.option("--history", is_flag=True, help="Also accept what commits did to what had landed before them.")
@click.option("--select", "-s", multiple=True, metavar="CODES", help="Accept only findings of these rules.")
@click.option("--ignore", "-i", multiple=True, metavar="CODES", help="Accept no findings of these rules.")
@click.option("--config", "configuration", metavar="FILE", help="Use this configuration, whatever the repository's own says.")
def command(
    path: str, until: str | None, reason: str, history: bool, select: tuple[str, ...], ignore: tuple[str, ...], configuration: str | None
) -> None:
    """Write the baseline: the findings of today's working tree, which the next runs accept.

    What an earlier baseline accepts keeps its day and its reason; what is gone leaves it, what was not looked for this time
    stays. A change is judged by the baseline
    before it, so commit the file by itself.
    """
    options = common.Options(select=select, ignore=ignore, config=configuration, no_baseline=True)
    day = _day(until)
    try:
        folder = _home(path)
        opened = open_folder(folder, options)
        report = engine.audit(opened.snapshot, opened.settings, top=opened.top)
        if history:
            if opened.repository and git.is_shallow(opened.repository):
                common.stop("this clone is shallow, so its history cannot be accepted: git fetch --unshallow", common.UNCHECKED)
            report = engine.join("audit", [report, _history(opened)])
    except git.GitError as error:
        common.stop_for_git(error, options, "audit")
    looked_for = functools.partial(engine.is_judged, opened.settings, history=history)
    _write(os.path.join(folder, opened.settings.baseline_file), opened, list(_entries(report, day, reason)), looked_for)
    unseen = sum(item.rule.code in NOT_LOOKED_AT for item in report.findings)
    if unseen:
        common.stop(f"{unseen} of today's findings tell what could not be looked at; those cannot be accepted", common.UNCHECKED)


def _home(path: str) -> str:
    """The folder whose baseline speaks of PATH: that of its configuration, else its repository's top, else PATH."""
    folder = os.path.abspath(path)
    try:
        top = git.open_repository(folder, os.environ).top or folder
    except (git.NotARepositoryError, OSError):
        return folder
    try:
        found = config.find_on_disk(os.path.realpath(folder), top)
    except config.ConfigError:
        # Opening the folder says what is wrong.
        return folder
    return found[0] if found else top


def _history(opened: Opened) -> Report:
    if opened.repository is None or git.resolve_commit(opened.repository, "HEAD") is None:
        common.stop("--history needs a git repository with a commit", common.USAGE)
    return ranges.replay(opened.repository, opened.settings, "HEAD", None)


def _entries(report: Report, until: datetime.date | None, reason: str) -> Iterator[Accepted]:
    for item in report.findings:
        finding = item.finding
        if finding.code not in NEVER_ACCEPTED:
            yield Accepted(finding.fingerprint, finding.code, finding.location.path, finding.subject, until=until, reason=reason)


def _write(path: str, opened: Opened, found: list[Accepted], looked_for: Callable[[str], bool]) -> None:
    today = opened.settings.policy.now.date()
    before = _accepted(path)
    old = [entry for entry in before if entry.until is None or entry.until >= today]
    entries = baseline.merge(old, found, looked_for)
    name = neutral_line(os.path.relpath(path))
    if not entries and not os.path.exists(path):
        common.print_out("nothing to accept: there are no findings\n")
        return
    try:
        atomic.replace(path, baseline.render(entries))
    except OSError as error:
        common.stop(f"{name}: {error.strerror}", common.USAGE)
    new = {entry.fingerprint for entry in entries} - {entry.fingerprint for entry in before}
    gone = {entry.fingerprint for entry in before} - {entry.fingerprint for entry in entries}
    accepted = count(sum(entry.count for entry in entries), "finding")
    common.print_out(f"{name} accepts {accepted} ({len(new)} new, {len(gone)} gone)\n")
    common.print_out(f"next: git add -- {name}\n")


def _accepted(path: str) -> tuple[Accepted, ...]:
    """What the baseline accepts so far; one that cannot be read is written anew."""
    try:
        with open(path, "rb") as file:
            return baseline.parse(path, file.read())
    except (OSError, config.ConfigError):
        return ()


def _day(until: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(until) if until else None
    except ValueError:
        common.stop(f"`{until}` is no day; write YYYY-MM-DD", common.USAGE)
