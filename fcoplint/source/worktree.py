"""The snapshot of a folder on disk. No link is followed, no device or pipe is opened, nothing is written."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcoplint.source import git
from fcoplint.source.snapshot import MAX_BYTES, Content, Entry, Kind, Note, Unreadable
from fcoplint.source.tree import GitSnapshot

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class WorktreeSnapshot:
    """The files below `root` as they are now. `index`, in a git repository, holds the same paths as git has them.

    Files that a sparse checkout leaves out come from the index, and so do those that a checkout gave other line ends
    (autocrlf): what counts is what the team commits.
    """

    root: str
    entries: Mapping[str, Entry]
    unreadable: Mapping[str, Unreadable] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    index: GitSnapshot | None = None
    label: str = "working tree"
    max_bytes: int = MAX_BYTES

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`."""
        for path in paths:
            entry = self.entries.get(path)
            if entry is None:
                yield path, Unreadable("vanished")
            elif entry.kind is Kind.SUBMODULE:
                yield path, Unreadable("submodule")
            elif entry.oid is not None and self.index is not None:
                yield from self.index.read([path])
            else:
                yield path, self._as_committed(path, _read(os.path.join(self.root, path), entry.kind, self.max_bytes))

    def _as_committed(self, path: str, content: Content) -> Content:
        if self.index is None or not isinstance(content, bytes) or b"\r\n" not in content or path not in self.index.entries:
            return content
        landed = next(landed for _, landed in self.index.read([path]))
        if not isinstance(landed, bytes) or b"\r" in landed:
            return content
        return content.replace(b"\r\n", b"\n")


def walk(root: str, below: str = "") -> WorktreeSnapshot:
    """Every file below `root` (or below its folder `below` alone), `.git` left out: a tree that no git repository holds."""
    entries: dict[str, Entry] = {}
    unreadable: dict[str, Unreadable] = {}
    pending = [below]
    while pending:
        folder = pending.pop()
        try:
            found = list(os.scandir(os.path.join(root, folder) if folder else root))
        except OSError as error:
            unreadable[folder or "."] = _reason(error)
            continue
        for item in found:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_symlink():
                entries[path] = Entry(Kind.LINK, None)
            elif item.is_dir(follow_symlinks=False):
                if item.name != ".git":
                    pending.append(path)
            else:
                entries[path] = Entry(Kind.FILE, None)
    return WorktreeSnapshot(root, entries, unreadable)


def worktree_snapshot(repository: git.Repository, root: str) -> WorktreeSnapshot:
    """The working tree below `root`: tracked files that are there, untracked ones that git does not ignore.

    A workspace that git ignores as a whole is read too, with a note: it is the team's record all the same. Files that
    a sparse checkout leaves out come from the index.
    """
    scope = os.path.relpath(root, repository.top).replace(os.sep, "/")
    prefix = "" if scope == "." else f"{scope}/"
    index = {path: entry for path, entry in git.list_index(repository).items() if path.startswith(prefix)}
    skipped = git.skip_worktree(repository) if index else set()
    untracked, blocked = git.list_untracked(repository, prefix)
    folders = _Folders(repository.top)
    entries: dict[str, Entry] = {}
    for path, entry in index.items():
        found = folders.entry(path)
        if entry.kind is Kind.SUBMODULE:
            entries[path[len(prefix) :]] = entry
        elif found is not None:
            entries[path[len(prefix) :]] = found
        elif path in skipped:
            entries[path[len(prefix) :]] = entry
    for path in untracked:
        found = folders.entry(path)
        if found is not None:
            entries[path[len(prefix) :]] = found
    for link in folders.links:
        entries[link[len(prefix) :]] = Entry(Kind.LINK, None)
    unreadable = {path[len(prefix) :]: Unreadable("permission") for path in blocked}
    notes: list[Note] = []
    for folder in git.ignored_workspaces(repository, prefix):
        inside = walk(root, folder[len(prefix) :])
        entries |= inside.entries
        unreadable |= inside.unreadable
        notes.append(Note("ignored-workspace", "git ignores this workspace; it was read from disk", folder[len(prefix) :]))
    committed = {path[len(prefix) :]: entry for path, entry in index.items()}
    return WorktreeSnapshot(root, entries, unreadable, tuple(notes), GitSnapshot(repository, committed, "index"))


class _Folders:
    """Whether tracked paths are really there: each folder on the way is a folder, not a link to somewhere else."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._real: dict[str, bool] = {"": True}
        self.links: set[str] = set()

    def entry(self, path: str) -> Entry | None:
        folder = path.rpartition("/")[0]
        if not self._is_real(folder):
            return None
        try:
            mode = os.lstat(os.path.join(self._top, path)).st_mode
        except OSError as error:
            return None if error.errno in (errno.ENOENT, errno.ENOTDIR) else Entry(Kind.FILE, None)
        if stat.S_ISDIR(mode):
            return None
        return Entry(Kind.LINK if stat.S_ISLNK(mode) else Kind.FILE, None)

    def _is_real(self, folder: str) -> bool:
        known = self._real.get(folder)
        if known is None:
            known = self._is_real(folder.rpartition("/")[0]) and self._look(folder)
            self._real[folder] = known
        return known

    def _look(self, folder: str) -> bool:
        try:
            mode = os.lstat(os.path.join(self._top, folder)).st_mode
        except OSError:
            return False
        if stat.S_ISLNK(mode):
            self.links.add(folder)
        return stat.S_ISDIR(mode)


def read_file(path: str, limit: int) -> Content:
    """The bytes of one file on disk; a link is not followed, and nothing but a regular file is read."""
    return _read(path, Kind.FILE, limit)


def _read(path: str, kind: Kind, limit: int) -> Content:
    try:
        if kind is Kind.LINK:
            return os.fsencode(os.readlink(path))
        descriptor = os.open(path, _READ)
    except OSError as error:
        return _reason(error)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            return Unreadable("not-a-file")
        if state.st_size > limit:
            return Unreadable("too-large", str(state.st_size))
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError as error:
        return _reason(error)
    finally:
        os.close(descriptor)
    return data if len(data) <= limit else Unreadable("too-large", f"more than {limit}")


def _reason(error: OSError) -> Unreadable:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unreadable("vanished")
    if isinstance(error, PermissionError):
        return Unreadable("permission")
    # ENXIO: a socket, or a pipe nobody writes to; ELOOP: it became a link after it was listed.
    if error.errno in (errno.ENXIO, errno.ELOOP, errno.EISDIR):
        return Unreadable("not-a-file")
    return Unreadable("io", os.strerror(error.errno) if error.errno else str(error))
