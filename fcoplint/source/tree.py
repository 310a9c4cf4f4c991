"""Snapshots of what git holds: the index and commits. Bytes are those of the object, never of the working tree."""

import datetime
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcoplint.protocol.names import day_of
from fcoplint.source import git
from fcoplint.source.snapshot import Content, Entry, Kind, Note, Unreadable


@dataclass(frozen=True)
class GitSnapshot:
    """The index or a commit's tree: paths with object ids, read through one object stream."""

    repository: git.Repository
    entries: Mapping[str, Entry]
    label: str
    unreadable: Mapping[str, Unreadable] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`. Unmerged entries and submodules have no bytes of their own."""
        asked = list(paths)
        oids = {path: entry.oid for path in asked if (entry := self.entries.get(path)) and entry.kind in (Kind.FILE, Kind.LINK)}
        stream = self.repository.blobs.read(oid for path in asked if (oid := oids.get(path)) is not None)
        for path in asked:
            yield path, next(stream)[1] if oids.get(path) is not None else self._unread(path)

    def _unread(self, path: str) -> Unreadable:
        entry = self.entries.get(path)
        if entry is None:
            return Unreadable("vanished")
        return Unreadable("submodule" if entry.kind is Kind.SUBMODULE else "unmerged")


def commit_snapshot(repository: git.Repository, commit: str, label: str, below: str = "") -> GitSnapshot:
    """The tree of a commit; of the folder `below` of the working tree alone, where one is given."""
    entries = git.list_tree(repository, commit)
    folder = os.path.relpath(below, repository.top).replace(os.sep, "/") if below and repository.top else "."
    if folder != ".":
        entries = {path[len(folder) + 1 :]: entry for path, entry in entries.items() if path.startswith(f"{folder}/")}
    return GitSnapshot(repository, entries, label)


def empty_snapshot(repository: git.Repository) -> GitSnapshot:
    """A tree with nothing in it: what stands before a first commit."""
    return GitSnapshot(repository, {}, "nothing")


def parents_of_next_commit(repository: git.Repository, environ: Mapping[str, str]) -> list[str]:
    """The commits that the next commit will follow: none before the first, several in a merge.

    A clean merge has no MERGE_HEAD yet when its hook runs; git then names the other sides in GITHEAD_* (design.md 6).
    """
    head = git.resolve_commit(repository, "HEAD")
    if head is None:
        return []
    merged = (git.read_git_file(repository, "MERGE_HEAD") or b"").decode("ascii", "replace").split()
    named = [key.removeprefix("GITHEAD_") for key in environ if key.startswith("GITHEAD_")]
    others = [commit for side in merged or named if (commit := git.resolve_commit(repository, side))]
    return list(dict.fromkeys([head, *others]))


class Versions:
    """The past of a commit by file name. A folder is listed once, when first asked for, however many names are."""

    # A TASK has some ten states in its life; a name with more than this is not looked through.
    _MOST = 500

    def __init__(self, repository: git.Repository, commit: str) -> None:
        self._repository = repository
        self._commit = commit
        self._listed: dict[str, dict[str, list[git.Version]]] = {}

    def of(self, folder: str, filename: str) -> Iterator[tuple[str, str, bytes]]:
        """(commit, path, bytes) of each content that a file name had below a folder, newest first."""
        if folder not in self._listed:
            self._listed[folder] = git.list_versions(self._repository, self._commit, folder)
        versions = self._listed[folder].get(filename, [])
        for version in versions if len(versions) <= self._MOST else ():
            content = next(content for _, content in self._repository.blobs.read([version.oid]))
            if isinstance(content, bytes):
                yield version.commit, version.path, content


class Departures:
    """The file names that have left a path on the way to some commits, listed no further back than the names asked for can be."""

    # Clocks differ, and an envelope may be written some days before or after the date in its name.
    _SLACK = datetime.timedelta(days=31)
    _BEFORE_GIT = datetime.datetime(2005, 1, 1, tzinfo=datetime.UTC)

    def __init__(self, repository: git.Repository, *tips: str) -> None:
        self._repository = repository
        self._tips = tips
        self._listed: dict[str, tuple[datetime.datetime | None, set[str]]] = {}

    def among(self, folder: str, filenames: Iterable[str]) -> set[str]:
        """Those of the names that left a path below a folder."""
        wanted = set(filenames)
        days = list(map(day_of, wanted))
        known = [day for day in days if day]
        # A name of the future may have left today; before git there were no commits.
        first = max(min(*known, datetime.datetime.now(datetime.UTC)), self._BEFORE_GIT) if known else None
        since = first - self._SLACK if first and len(known) == len(days) else None
        if folder in self._listed:
            start, left = self._listed[folder]
            if start is None or (since and since >= start):
                return left & wanted
            # A second look means that old names are many: once for all of them.
            since = None
        self._listed[folder] = since, git.list_departed(self._repository, self._tips, folder, since)
        return self._listed[folder][1] & wanted


def index_and_parents(repository: git.Repository, parents: Sequence[str]) -> tuple[list[GitSnapshot], GitSnapshot]:
    """([state of each parent], index): one listing of the first parent, one diff a parent. Before a first commit: empty."""
    first, *others = parents or [git.empty_tree(repository)]
    listed = git.list_tree(repository, first) if parents else {}
    index = git.apply_deltas(listed, git.diff_index(repository, first))
    states = [listed, *(git.undo_deltas(index, git.diff_index(repository, other)) for other in others)]
    before = [GitSnapshot(repository, state, parent) for state, parent in zip(states, [first, *others], strict=True)]
    return before, GitSnapshot(repository, index, "index")
