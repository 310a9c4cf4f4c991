"""`fcoplint check`: what a change brings in. The hook's command, the editor's, and CI's."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import click

from fcoplint import engine
from fcoplint.cli import common, ranges
from fcoplint.model.change import Author
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git, tree, worktree
from fcoplint.source.ground import Disk
from fcoplint.source.snapshot import OverlaySnapshot, Snapshot


@click.command("check")
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--stdin-filename", metavar="FILE", help="Check standard input as the content of FILE.")
@click.option("--range", "revisions", metavar="A..B", help="Check commits: what B brings in since it left A, as one change.")
@click.option("--each-commit", is_flag=True, help="With --range: every commit against its own parents.")
@click.option("--first-parent", is_flag=True, help="With --each-commit: only commits of the main line.")
@click.option("--pre-push", is_flag=True, help="Check what is pushed; git's pre-push lines come on standard input.")
@click.option("--pre-receive", is_flag=True, help="Check what arrives at a server; git's pre-receive lines come on standard input.")
@click.option("--commit-msg", "message", metavar="FILE", help="Check a commit's message: a trailer `Task: TASK-…` must name a TASK.")
@click.option("--fix", "fixes", is_flag=True, help="Also apply safe fixes to the working tree; what was fixed still fails, to be staged.")
@click.option("--all", "show_older", is_flag=True, help="Also list findings that were there before this change.")
@common.report_options
def command(
    files: tuple[str, ...],
    stdin_filename: str | None,
    revisions: str | None,
    each_commit: bool,
    first_parent: bool,
    pre_push: bool,
    pre_receive: bool,
    message: str | None,
    fixes: bool,
    show_older: bool,
    **given: Any,
) -> None:
    """Check what the next commit would bring in: the index against HEAD, in a merge against every parent.

    With FILES, for editors and agents: the working tree against HEAD, and of its findings those that these files cause, in
    them or elsewhere.
    """
    options = common.Options(**given)
    way = ranges.Way(each_commit=each_commit, first_parent=first_parent)
    if fixes and (revisions is not None or pre_push or pre_receive or message is not None or stdin_filename):
        common.stop("--fix goes with what is staged, or with FILES", common.USAGE)
    _refuse_mixture((bool(files or stdin_filename), revisions is not None, pre_push, pre_receive, message is not None), way)
    try:
        repository = git.open_repository(os.getcwd(), os.environ)
        if revisions is not None:
            report = ranges.check_range(repository, revisions, options, way, show_older=show_older)
        elif pre_push or pre_receive:
            report = ranges.check_pushed(repository, options, received=pre_receive)
        elif not repository.top:
            common.stop("there is no working tree here, so there is no commit to check", common.USAGE)
        elif message is not None:
            report = _check_message(repository, message, options)
        elif files or stdin_filename:
            report = _check_files(repository, files, stdin_filename, options, show_older=show_older)
        else:
            report = _check_index(repository, options, show_older=show_older)
    except git.GitError as error:
        common.stop_for_git(error, options, "check")
    if fixes:
        report = _fix(report, options)
    if message is None or report.findings or not options.is_read_by_people:
        common.finish(report, options)


def _refuse_mixture(asked: tuple[bool, bool, bool, bool, bool], way: ranges.Way) -> None:
    if sum(asked) > 1:
        common.stop("give one of FILES, --range, --pre-push, --pre-receive and --commit-msg", common.USAGE)
    if (way.each_commit or way.first_parent) and not asked[1]:
        common.stop("--each-commit and --first-parent go with --range A..B", common.USAGE)
    if way.first_parent and not way.each_commit:
        common.stop("--first-parent goes with --each-commit", common.USAGE)


def _check_index(repository: git.Repository, options: common.Options, *, show_older: bool) -> Report:
    parents = tree.parents_of_next_commit(repository, os.environ)
    before, after = tree.index_and_parents(repository, parents)
    settings = ranges.not_before(repository, common.settings_for_change(options, before[0], repository), parents)
    settings = _here(settings, repository)
    repository.blobs.max_bytes = settings.max_bytes
    ancestors = [ranges.past_of(repository, parent) for parent in parents]
    # Who the author is costs a call of git; only where somebody is bound by it does that matter.
    said = git.author_of_next_commit(repository) if settings.policy.actors else None
    author = Author(*said) if said else None
    return engine.check(before, after, settings, show_older=show_older, ancestors=ancestors, author=author)


def _fix(report: Report, options: common.Options) -> Report:
    """The report of what is left, after safe fixes; a commit that had to be fixed fails all the same."""
    from fcoplint.cli import writers
    from fcoplint.repair import fixing

    found = [item.finding for item in report.findings if item.finding.fix]
    if not found:
        return report
    scene = writers.open_project()
    fixed = fixing.plan_fixes(scene, found, unsafe=False, again=False)
    outcomes = fixing.carry_out(scene, fixed)
    return fixing.tell(report, fixed, outcomes)


def _here(settings: Settings, repository: git.Repository) -> Settings:
    """The settings for snapshots whose root is this working tree's; both sides of a change share them."""
    return replace(settings, ground=Disk(os.path.realpath(repository.top), repository))


def _check_message(repository: git.Repository, file: str, options: common.Options) -> Report:
    try:
        with open(file, "rb") as opened:
            text = opened.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        common.stop(f"{file}: {error.strerror}", common.USAGE)
    before, index = tree.index_and_parents(repository, tree.parents_of_next_commit(repository, os.environ)[:1])
    settings = common.settings_for_change(options, before[0], repository)
    return engine.check_message(text, index, settings, comment=git.comment_sign(repository))


def _check_files(
    repository: git.Repository, files: tuple[str, ...], stdin_filename: str | None, options: common.Options, *, show_older: bool
) -> Report:
    head = git.resolve_commit(repository, "HEAD")
    before: Snapshot = tree.commit_snapshot(repository, head, "HEAD") if head else tree.empty_snapshot(repository)
    settings = ranges.not_before(repository, common.settings_for_change(options, before, repository), [head] if head else [])
    settings = _here(settings, repository)
    after: Snapshot = worktree.worktree_snapshot(repository, repository.top)
    paths = {path for file in files for path in _paths_at(repository, file, (before, after))}
    if stdin_filename:
        path = _path_in(repository, stdin_filename)
        paths.add(path)
        after = OverlaySnapshot(after, {path: sys.stdin.buffer.read()})
    focus = engine.Focus(frozenset(paths), OverlaySnapshot(after, dict.fromkeys(paths, before)))
    ancestors = [ranges.past_of(repository, head)] if head else []
    return engine.check([before], after, settings, show_older=show_older, focus=focus, ancestors=ancestors)


def _paths_at(repository: git.Repository, file: str, sides: tuple[Snapshot, ...]) -> set[str]:
    """The paths that FILE means: itself, or all below it where it is a folder on one of the sides."""
    path = _path_in(repository, file)
    below = {entry for side in sides for entry in side.entries if path == "." or entry.startswith(f"{path}/")}
    if not below and not any(path in side.entries for side in sides):
        common.stop(f"there is no {file}, and HEAD has none", common.USAGE)
    return below or {path}


def _path_in(repository: git.Repository, file: str) -> str:
    full = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(file))), os.path.basename(file))
    path = os.path.relpath(full, os.path.realpath(repository.top)).replace(os.sep, "/")
    if path == ".." or path.startswith("../"):
        common.stop(f"{file} lies outside this repository", common.USAGE)
    return path
