"""Commits instead of the index: ranges in CI, what is pushed, what a server receives, the whole history."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.model.change import Ancestors, Past, no_ancestors
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git, history, tree
from fcoplint.source.snapshot import Snapshot

_RANGE = re.compile(r"(?P<start>.*?)\.\.\.?(?P<end>.*)", re.DOTALL)
_NONE = re.compile(r"0+")
_DEEPEN = "fetch the whole history (in CI: fetch-depth: 0; by hand: git fetch --unshallow), then run this again"


class PastOf:
    """The past of a commit, asked of git only where a rule wants it. Many commits of one history may share the departures."""

    def __init__(self, repository: git.Repository, commit: str, departures: tree.Departures | None = None) -> None:
        self._versions = tree.Versions(repository, commit)
        self._departures = departures or tree.Departures(repository, commit)

    def __call__(self, folder: str, filename: str) -> Iterator[Past]:
        """See `Ancestors`."""
        return (Past(*version) for version in self._versions.of(folder, filename))

    def departed(self, folder: str, filenames: Iterable[str]) -> set[str]:
        """See `Ancestors.departed`."""
        return self._departures.among(folder, filenames)


def past_of(repository: git.Repository, commit: str, departures: tree.Departures | None = None) -> Ancestors:
    """The past of a commit; an empty id has none."""
    return PastOf(repository, commit, departures) if commit else no_ancestors


@dataclass(frozen=True)
class Way:
    """How a range is judged: as one change, or commit by commit; all commits, or those of the main line."""

    each_commit: bool
    first_parent: bool


def check_range(repository: git.Repository, revisions: str, options: common.Options, way: Way, *, show_older: bool) -> Report:
    """`--range A..B`: one change from the merge base to B, or every commit on the way against its own parents."""
    match = _RANGE.fullmatch(revisions)
    if match is None:
        common.stop(f"`{revisions}` is no range; write A..B", common.USAGE)
    start = git.require_commit(repository, match["start"] or "HEAD")
    end = git.require_commit(repository, match["end"] or "HEAD")
    base = git.merge_base(repository, start, end)
    if base is None:
        _stop_unrelated(repository, revisions, options)
    before = tree.commit_snapshot(repository, base, base)
    settings = common.settings_for_change(options, before, repository)
    repository.blobs.max_bytes = settings.max_bytes
    if way.each_commit:
        return _judge_commits(repository, [f"{start}..{end}"], settings, first_parent=way.first_parent)
    after = tree.commit_snapshot(repository, end, end)
    settings = _at_time_of(repository, settings, end)
    return engine.check([before], after, settings, show_older=show_older, ancestors=[past_of(repository, base)])


def check_pushed(repository: git.Repository, options: common.Options, *, received: bool) -> Report:
    """What is pushed (git's pre-push lines, or pre-commit's variables) or received (pre-receive lines): every new commit."""
    pushes = _received(sys.stdin.buffer.read()) if received else _pushed(os.environ)
    reports = [_check_push(repository, push, options, received=received) for push in pushes if not _NONE.fullmatch(push.new)]
    return engine.join("check", reports)


def replay(repository: git.Repository, settings: Settings, revision: str, since: str | None) -> Report:
    """`audit --history`: what each commit up to `revision` did to what had landed before it."""
    if git.is_shallow(repository):
        return engine.unchecked("audit", "shallow", settings)
    revisions = [revision, *([f"--since={since}"] if since else [])]
    if settings.history_from:
        revisions.append(f"^{git.require_commit(repository, settings.history_from)}")
    return _judge_commits(repository, revisions, settings, whole=False, command="audit")


@dataclass(frozen=True)
class _Push:
    """One ref that is updated: the commit it had on the other side (zeros: none), and the one it gets (zeros: deleted)."""

    old: str
    new: str
    ref: str
    remote: str | None = None


def _check_push(repository: git.Repository, push: _Push, options: common.Options, *, received: bool) -> Report:
    new = git.require_commit(repository, push.new)
    old = None if _NONE.fullmatch(push.old) else git.resolve_commit(repository, push.old)
    elsewhere = "--all" if received else f"--remotes={push.remote}" if push.remote else "--remotes"
    known = [f"^{old}"] if old else ["--not", elsewhere]
    start = old or _where_it_left(repository, new, known)
    before: Snapshot = tree.commit_snapshot(repository, start, start) if start else tree.empty_snapshot(repository)
    settings = common.settings_for_change(options, before, repository)
    repository.blobs.max_bytes = settings.max_bytes
    report = _judge_commits(repository, [new, *known], settings)
    if old and git.merge_base(repository, old, new) != old:
        # A forced push: what the other side holds is to be replaced, so that is a change of its own.
        forced = engine.check([before], tree.commit_snapshot(repository, new, new), settings, ancestors=[past_of(repository, old)])
        report = engine.join("check", [report, forced])
    return report


def _where_it_left(repository: git.Repository, new: str, known: Sequence[str]) -> str | None:
    """The newest commit that the other side has already: the first parent of the oldest new commit."""
    listed = history.commits(repository, [new, *known], first_parent=True)
    if not listed:
        return new
    return listed[0].parents[0] if listed[0].parents else None


def _judge_commits(
    repository: git.Repository,
    revisions: Sequence[str],
    settings: Settings,
    *,
    first_parent: bool = False,
    whole: bool = True,
    command: str = "check",
) -> Report:
    listed = history.commits(repository, revisions, first_parent=first_parent, signatures=settings.policy.require_signed)
    steps = history.replay(repository, listed)
    departures = tree.Departures(repository, listed[-1].oid) if listed else None
    past = functools.partial(past_of, repository, departures=departures)
    return engine.check_commits(steps, settings, past, whole=whole, command=command)


def _at_time_of(repository: git.Repository, settings: Settings, commit: str) -> Settings:
    """The settings at the time of a commit: the later of its own and its parents' (design.md 7)."""
    time = max(git.commit_times(repository, commit), default=settings.policy.now)
    return replace(settings, policy=replace(settings.policy, now=time))


def _pushed(environ: Mapping[str, str]) -> Iterator[_Push]:
    if "PRE_COMMIT_TO_REF" in environ:
        old = environ.get("PRE_COMMIT_FROM_REF") or "0"
        yield _Push(old, environ["PRE_COMMIT_TO_REF"], environ.get("PRE_COMMIT_REMOTE_BRANCH", ""), environ.get("PRE_COMMIT_REMOTE_NAME"))
        return
    for line in _lines(sys.stdin.buffer.read()):
        words = line.split(" ")
        if len(words) != 4:
            common.stop(f"`{line}` is no line of git's pre-push hook", common.USAGE)
        yield _Push(words[3], words[1], words[2])


def _received(data: bytes) -> Iterator[_Push]:
    for line in _lines(data):
        words = line.split(" ", 2)
        if len(words) != 3:
            common.stop(f"`{line}` is no line of git's pre-receive hook", common.USAGE)
        yield _Push(words[0], words[1], words[2])


def _lines(data: bytes) -> list[str]:
    return [line for line in data.decode("utf-8", "surrogateescape").split("\n") if line]


def _stop_unrelated(repository: git.Repository, revisions: str, options: common.Options) -> NoReturn:
    shallow = git.is_shallow(repository)
    why = "this is a shallow clone" if shallow else "they have no common ancestor"
    advice = _DEEPEN if shallow else "compare two commits of one history"
    report = engine.unchecked("check", "shallow" if shallow else "unrelated", Settings())
    common.write(report, options)
    common.stop(f"{revisions} cannot be compared: {why}; {advice}", common.UNCHECKED)
