"""`fcoplint audit`: the whole state of a repository, a folder, a commit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from fcoplint import engine
from fcoplint.cli import common, ranges
from fcoplint.cli.folder import Opened, enclosing_workspace, open_folder
from fcoplint.cli.progress import track
from fcoplint.model.envelope import Envelope
from fcoplint.output.neutral import neutral
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git
from fcoplint.source.snapshot import Note


@click.command("audit")
@click.argument("path", default=".", type=click.Path())
@click.option("--rev", metavar="REV", help="Check the tree of this commit instead of the working tree; also in a bare repository.")
@click.option("--history", is_flag=True, help="Also judge what every commit did to what had landed before it.")
@click.option("--since", metavar="DATE", help="With --history: only commits that are newer.")
@click.option("--workspace", "names", multiple=True, metavar="PATTERN", help="Only workspaces whose folder fits, e.g. packages/a/fcop.")
@click.option("--as-workspace", is_flag=True, help="Take PATH itself for a workspace, whatever it is called.")
@common.report_options
def command(path: str, rev: str | None, history: bool, since: str | None, names: tuple[str, ...], as_workspace: bool, **given: Any) -> None:
    """Check everything that stands in PATH: a repository, a folder, one workspace, or the URL of a repository.

    In a git repository: tracked files, and untracked ones that git does not ignore.
    """
    options = common.Options(**given)
    if since is not None and not history:
        common.stop("--since goes with --history", common.USAGE)
    try:
        with _fetched(path) as (folder, cloned):
            revision = cloned if rev is None else rev
            opened = open_folder(folder, options, rev=revision, as_workspace=as_workspace)
            settings = replace(opened.settings, workspaces=names) if names else opened.settings
            report = engine.audit(opened.snapshot, settings, top=opened.top, taken=as_workspace, watch=_watch)
            if history:
                report = engine.join("audit", [report, _history(opened, settings, revision, since)])
            if opened.repository:
                opened.repository.blobs.close()
            _say_what_is_shown(report, opened, path, names, options)
            # Before what was fetched is taken away: some formats look into it again.
            common.finish(_placed(report, opened), options)
    except git.GitError as error:
        common.stop_for_git(error, options, "audit")


def _say_what_is_shown(report: Report, opened: Opened, path: str, names: tuple[str, ...], options: common.Options) -> None:
    if not report.workspaces and not report.findings:
        _say_nothing_found(path, opened.root, names, quiet=options.quiet)
    elif report.findings and options.is_read_by_people and not options.quiet and opened.root != os.path.realpath("."):
        click.echo(f"fcoplint: paths are relative to {neutral(path)}", err=True)


def _watch(envelopes: list[Envelope]) -> Iterator[Envelope]:
    return track(envelopes, len(envelopes), "envelopes")


def _placed(report: Report, opened: Opened) -> Report:
    """The report with the way from the repository's root, and with a note where there is no repository."""
    if opened.repository is None:
        note = Note("no-git", "this is no git repository, so nothing was compared with an earlier state")
        return replace(report, notes=(*report.notes, note))
    below = os.path.relpath(opened.root, opened.repository.top).replace(os.sep, "/") if opened.below else "."
    return replace(report, base="" if below == "." else f"{below}/")


@contextlib.contextmanager
def _fetched(path: str) -> Iterator[tuple[str, str | None]]:
    """The folder to audit, and the revision where it has no working tree because it was cloned."""
    if "://" not in path and ("@" not in path or os.path.lexists(path)):
        yield path, None
        return
    # Only here: a client of git's servers takes long to import.
    from fcoplint.cli import remote

    if not remote.is_url(path):
        common.stop(f"{path} is no folder, and no address that git may be asked for (https, ssh, git, file)", common.USAGE)
    with remote.cloned(path) as folder:
        yield folder, "HEAD"


def _history(opened: Opened, settings: Settings, rev: str | None, since: str | None) -> Report:
    if opened.repository is None:
        common.stop("--history needs a git repository", common.USAGE)
    if opened.below:
        common.stop("--history judges a whole repository; give its top folder (and --workspace PATTERN)", common.USAGE)
    if rev is None and git.resolve_commit(opened.repository, "HEAD") is None:
        return engine.unborn("audit", settings)
    if since and not git.is_past_date(opened.repository, since):
        common.stop(f"--since {since} names no day in the past; write it as 2026-10-01", common.USAGE)
    return ranges.replay(opened.repository, settings, rev or "HEAD", since)


def _say_nothing_found(path: str, root: str, names: tuple[str, ...], *, quiet: bool) -> None:
    outer = enclosing_workspace(root)
    if outer:
        common.stop(f"{path} lies inside a workspace; audit that: fcoplint audit {outer}", common.USAGE)
    if names:
        common.stop(f"no workspace in {path} fits {', '.join(names)}", common.USAGE)
    if not quiet:
        common.say(f"no FCoP workspace (a folder `fcop` or `docs/agents`) in {path}; nothing to check")
