"""Commits instead of the index: ranges in CI, what is pushed, what a server receives, the whole history."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.model.change import Ancestors, Author, Past, no_ancestors
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git, history, tree
from fcoplint.source.ground import Disk
from fcoplint.source.snapshot import Note, Snapshot
from fcoplint.source.tree import GitSnapshot

if TYPE_CHECKING:
    from fcoplint.trends import Recorder

_RANGE = re.compile(r"(?P<start>.*?)\.\.\.?(?P<end>.*)", re.DOTALL)
_NONE = re.compile(r"0+")
_SIGNATURES = "FC420"


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
    if base == end:
        common.say(f"{revisions} brings in no commit, so there is nothing to check")
    before = tree.commit_snapshot(repository, base, base)
    settings = replace(common.settings_for_change(options, before, repository), ground=Disk(None, repository))
    repository.blobs.max_bytes = settings.max_bytes
    between = [end, f"^{start}"]
    if way.each_commit:
        report = _judge_commits(repository, between, settings, before, first_parent=way.first_parent)
    else:
        report = _judge_tip(repository, before, end, settings, show_older=show_older)
    if way.first_parent or not way.each_commit:
        report = engine.join("check", [report, *_judge_authors(repository, between, before, end, settings)])
    return report


def check_pushed(repository: git.Repository, options: common.Options, *, received: bool) -> Report:
    """What is pushed (git's pre-push lines, or pre-commit's variables) or received (pre-receive lines): every new commit."""
    pushes = [push for push in (_received() if received else _pushed(os.environ)) if not _NONE.fullmatch(push.new)]
    found = git.find_objects(repository, [name for push in pushes for name in (push.old, push.new)])
    reports: list[Report] = []
    fresh: dict[tuple[str, ...], list[str]] = {}
    main = git.main_branch(repository) if received else None
    for push in pushes:
        new, old = _commit_of(push, found), found[push.old].commit
        if new and old:
            reports += _check_update(repository, old, new, _had(push, main), options)
        elif new:
            # A new branch starts where it left what the other side has.
            fresh.setdefault(("--not", "--all") if received else _had(push, None), []).append(new)
    for elsewhere, tips in fresh.items():
        reports += _check_new(repository, tips, elsewhere, options)
    return engine.join("check", reports)


def replay(repository: git.Repository, settings: Settings, revision: str, since: str | None) -> Report:
    """`audit --history`: what each commit up to `revision` did to what had landed before it."""
    if git.is_shallow(repository):
        return engine.unchecked("audit", "shallow", settings)
    revisions = [git.require_commit(repository, revision), *([f"--since={since}"] if since else [])]
    notes = [Note("history-cut", f"commits older than {since} were not judged (--since)")] if since else []
    if settings.history_from:
        revisions.append(f"^{git.require_commit(repository, settings.history_from)}")
        notes.append(Note("history-cut", f"commits before {settings.history_from} were not judged (the setting `history-from`)"))
    # Only here: what a hook looks at has no trend.
    from fcoplint.trends import Recorder

    report = _judge_commits(repository, revisions, settings, command="audit", recorder=Recorder())
    return replace(report, notes=(*report.notes, *notes))


@dataclass(frozen=True)
class _Push:
    """One ref that is updated: the commit it had on the other side (zeros: none), and the one it gets (zeros: deleted)."""

    old: str
    new: str
    ref: str
    remote: str | None = None


def _commit_of(push: _Push, found: Mapping[str, git.Named]) -> str | None:
    """The commit that is pushed, None where a tag names something else."""
    named = found[push.new]
    if named.kind is None:
        raise git.GitError(f"{push.ref} is to name {push.new}, which is not here; run `git fsck`")
    if named.commit is None:
        common.say(f"{push.ref} names no commit, so there is nothing to check in it")
    return named.commit


def _had(push: _Push, main: str | None) -> tuple[str, ...]:
    """What the other side has beside the ref itself, as options of `git log`.

    A server's main branch alone counts there: what a side branch holds was never judged by the configuration of another.
    """
    if push.remote is not None:
        return ("--not", f"--remotes={push.remote}" if push.remote else "--remotes")
    return (f"^{main}",) if main and push.ref != main else ()


def _check_update(repository: git.Repository, old: str, new: str, had: Sequence[str], options: common.Options) -> Iterator[Report]:
    before = tree.commit_snapshot(repository, old, old)
    settings = replace(common.settings_for_change(options, before, repository), ground=Disk(None, repository))
    repository.blobs.max_bytes = settings.max_bytes
    yield _judge_commits(repository, [new, f"^{old}", *had], settings, before)
    if git.merge_base(repository, old, new) != old:
        # A forced push: what the other side holds is to be replaced, so that is a change of its own.
        yield _judge_tip(repository, before, new, settings)


def _check_new(repository: git.Repository, tips: Sequence[str], had: Sequence[str], options: common.Options) -> Iterator[Report]:
    """New branches, those with one start together: what they share is judged once."""
    parents = git.first_parents(repository, [*tips, *had])
    starts: dict[str | None, list[str]] = {}
    for tip in dict.fromkeys(tips):
        start: str | None = tip
        while start in parents:
            start = parents[start]
        starts.setdefault(start, []).append(tip)
    for start, branches in starts.items():
        before = tree.commit_snapshot(repository, start, start) if start else tree.empty_snapshot(repository)
        settings = replace(common.settings_for_change(options, before, repository), ground=Disk(None, repository))
        repository.blobs.max_bytes = settings.max_bytes
        yield _judge_commits(repository, [*branches, *had], settings, before)


def _judge_commits(
    repository: git.Repository,
    revisions: Sequence[str],
    settings: Settings,
    start: Snapshot | None = None,
    *,
    first_parent: bool = False,
    command: str = "check",
    recorder: Recorder | None = None,
) -> Report:
    listed = history.commits(repository, revisions, first_parent=first_parent, signatures=settings.policy.require_signed)
    # Only here: the hook waits for no progress.
    from fcoplint.cli.progress import track

    steps = track(history.replay(repository, listed), len(listed), "commits")
    departures = tree.Departures(repository, *history.tips(listed)) if listed else None
    past = functools.partial(past_of, repository, departures=departures)
    return engine.check_commits(steps, settings, past, start=start, command=command, recorder=recorder)


def _judge_tip(
    repository: git.Repository,
    before: GitSnapshot,
    end: str,
    settings: Settings,
    *,
    show_older: bool = False,
    author: Author | None = None,
    signed: bool | None = None,
) -> Report:
    """The report of one change, from a commit's state to that of another."""
    after = tree.commit_snapshot(repository, end, end)
    ancestors = [past_of(repository, before.label)]
    timed = _at_time_of(repository, settings, end)
    return engine.check([before], after, timed, show_older=show_older, ancestors=ancestors, author=author, signed=signed)


def _judge_authors(
    repository: git.Repository, between: Sequence[str], before: GitSnapshot, end: str, settings: Settings
) -> Iterator[Report]:
    """Who signed what a range brings in: one change has many authors, so it is asked of each commit.

    What is no longer there at the end is left out: every signature that is would be a fault were nobody its author.
    """
    if not settings.policy.actors or not engine.is_selected(settings, _SIGNATURES):
        return
    alone = replace(settings, select=(_SIGNATURES,))
    net = _judge_tip(repository, before, end, alone, author=Author("", ""), signed=False)
    there = {item.finding.fingerprint for item in net.findings}
    report = _judge_commits(repository, between, alone, before)
    left = (item for item in report.findings if item.rule.code != _SIGNATURES or item.finding.fingerprint in there)
    yield replace(report, findings=tuple(left))


def not_before(repository: git.Repository, settings: Settings, parents: Sequence[str]) -> Settings:
    """The settings for a change on top of these commits: a time set by hand cannot go below theirs (design.md 7)."""
    if "FCOPLINT_NOW" not in os.environ:
        return settings
    times = (git.commit_times(repository, parent)[-1] for parent in parents)
    return replace(settings, policy=replace(settings.policy, now=max([settings.policy.now, *times])))


def _at_time_of(repository: git.Repository, settings: Settings, commit: str) -> Settings:
    """The settings at the time of a commit: the later of its own and its parents' (design.md 7)."""
    time = max(git.commit_times(repository, commit), default=settings.policy.now)
    return replace(settings, policy=replace(settings.policy, now=time))


def _pushed(environ: Mapping[str, str]) -> Iterator[_Push]:
    if "PRE_COMMIT_TO_REF" in environ or environ.get("PRE_COMMIT") == "1":
        yield _framed(environ)
        return
    for line in _lines("pre-push"):
        words = line.split(" ")
        if len(words) != 4:
            common.stop(f"`{line}` is no line of git's pre-push hook", common.USAGE)
        yield _Push(words[3], words[1], words[2], "")


def _framed(environ: Mapping[str, str]) -> _Push:
    """What pre-commit pushes, by its variables. It names no commits where a first one is pushed, nor where it is called by hand."""
    local = environ.get("PRE_COMMIT_LOCAL_BRANCH") or "HEAD"
    new, old = environ.get("PRE_COMMIT_TO_REF") or local, environ.get("PRE_COMMIT_FROM_REF") or "0"
    return _Push(old, new, environ.get("PRE_COMMIT_REMOTE_BRANCH") or local, environ.get("PRE_COMMIT_REMOTE_NAME", ""))


def _received() -> Iterator[_Push]:
    for line in _lines("pre-receive"):
        words = line.split(" ", 2)
        if len(words) != 3:
            common.stop(f"`{line}` is no line of git's pre-receive hook", common.USAGE)
        yield _Push(words[0], words[1], words[2])


def _lines(hook: str) -> list[str]:
    if sys.stdin.isatty():
        common.stop(f"the lines of git's {hook} hook are read from standard input, and that is a terminal", common.USAGE)
    return [line for line in sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n") if line]


def _stop_unrelated(repository: git.Repository, revisions: str, options: common.Options) -> NoReturn:
    shallow = git.is_shallow(repository)
    why = git.SHALLOW if shallow else "they have no common ancestor here; compare two commits of one history"
    report = engine.unchecked("check", "shallow" if shallow else "unrelated", common.spoken(Settings(), options))
    common.write(report, options)
    common.stop(f"{revisions} cannot be compared: {why}", common.UNCHECKED)
