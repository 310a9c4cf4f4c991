"""What this machine says of paths, variables and processes: asked, never changed (roots.md 5b).

No link is followed for content: a path is resolved to tell where it leads, a file is read only where no link stands on the
way to it. Every failure is a value with a reason.
"""

from __future__ import annotations

import datetime
import errno
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fcoplint.protocol.names import parse_name
from fcoplint.protocol.paths import Identity
from fcoplint.protocol.places import ENVELOPE_FOLDERS, LIFECYCLE, MANIFEST_NAMES
from fcoplint.source.snapshot import Content, Unreadable
from fcoplint.source.worktree import read_file

# Configuration and machine state are some kilobytes; a day's action log may be larger.
MAX_BYTES = 4 * 1024 * 1024
WORKSPACES = ("fcop", "docs/agents")
MISSING = "missing"
# Folders in which nobody keeps a project's own records, and which may hold very many files.
_PASSED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__"})
_REASONS = {
    errno.ENOENT: MISSING,
    errno.ENOTDIR: MISSING,
    errno.ELOOP: "loop",
    errno.ENAMETOOLONG: "too-long",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a path leads: as written, made absolute by text alone; what really lies there; the project that owns it.

    `trouble` says why nothing does: missing, loop, too-long, permission, no-path, io.
    """

    logical: str
    identity: Identity | None = None
    is_folder: bool = False
    owner: Identity | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a folder: its path below it (POSIX), its size, and when it was written, in nanoseconds."""

    path: str
    size: int
    written: int


@dataclass(frozen=True)
class Machine:
    """One machine, as the process that asks sees it. `cwd` is "" where its working directory is gone."""

    environ: Mapping[str, str]
    cwd: str
    home: str
    is_windows: bool = os.name == "nt"
    _owners: dict[str, Identity | None] = field(default_factory=dict)

    @cached_property
    def host(self) -> str:
        """This machine's name."""
        return socket.gethostname()

    def look(self, path: str, base: str = "") -> Spot:
        """Where a path leads, from `base` where it is relative."""
        logical = os.path.normpath(os.path.join(base or self.cwd or os.sep, path)) if "\0" not in path else path
        try:
            # From the text as written: a disk takes `..` back only behind a link.
            written = os.path.join(base or self.cwd or os.sep, path)
            state = os.stat(written)
            real = os.path.realpath(written, strict=True)
        except OSError as error:
            return Spot(logical, trouble=_REASONS.get(error.errno or 0, "io"))
        except ValueError:
            return Spot(logical, trouble="no-path")
        return Spot(logical, Identity(real, state.st_dev, state.st_ino), stat.S_ISDIR(state.st_mode), self.owner_of(real))

    def owner_of(self, real: str) -> Identity | None:
        """The project that holds a real path: the nearest folder around it with a workspace in it; None where there is none."""
        if real not in self._owners:
            found = self._find_owner(real)
            self._owners[real] = _identity(found) if found else None
        return self._owners[real]

    def read(self, folder: str, relative: str, limit: int = MAX_BYTES) -> Content | None:
        """The bytes of a file below a real folder, None where there is none."""
        path = os.path.join(folder, relative)
        around = os.path.dirname(path)
        try:
            is_link = stat.S_ISLNK(os.lstat(path).st_mode)
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, "io")
            return None if reason == MISSING else Unreadable(reason)
        if is_link or os.path.realpath(around) != os.path.normpath(around):
            return Unreadable("link")
        return read_file(path, limit)

    def read_named(self, path: str, limit: int = MAX_BYTES) -> Content | None:
        """The bytes of a file that the user named, a link to it included; None where there is none."""
        if "\0" in path:
            return Unreadable("no-path")
        return read_file(os.path.realpath(path), limit) if os.path.exists(path) else None

    def list_names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; [] where it is none, is a link, or may not be read."""
        try:
            return sorted(os.listdir(folder)) if not os.path.islink(folder) else []
        except (OSError, ValueError):
            return []

    def files_below(self, folder: str, most: int, depth: int = 64) -> Iterator[ListedFile]:
        """The files below a folder, git's own left out; no link is followed. Ends after `most`."""
        pending, told = [("", 0)], 0
        while pending:
            below, level = pending.pop()
            for item in _scan(os.path.join(folder, below) if below else folder):
                path = f"{below}/{item.name}" if below else item.name
                try:
                    if item.is_dir(follow_symlinks=False):
                        if item.name not in _PASSED and level < depth:
                            pending.append((path, level + 1))
                        continue
                    state = item.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield ListedFile(path, state.st_size, state.st_mtime_ns)
                told += 1
                if told == most:
                    return

    def is_alive(self, pid: int) -> bool | None:
        """Whether a process with this number runs; None where this system cannot be asked without harm."""
        if self.is_windows or pid <= 0:
            return None
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return None
        return not _is_zombie(pid)

    def started(self, pid: int) -> datetime.datetime | None:
        """When a process began (Linux), None where nobody can tell."""
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                ticks = int(file.read().rpartition(b")")[2].split()[19])
            with open("/proc/stat", "rb") as file:
                boot = next(int(line.split()[1]) for line in file if line.startswith(b"btime "))
            return datetime.datetime.fromtimestamp(boot + ticks / os.sysconf("SC_CLK_TCK"), datetime.UTC)
        except (OSError, ValueError, IndexError, StopIteration):
            return None

    def cwd_of(self, pid: int) -> str | None:
        """The working directory of a process of the same user (Linux), None where it cannot be told."""
        try:
            if os.stat(f"/proc/{pid}").st_uid != os.getuid():
                return None
            return os.readlink(f"/proc/{pid}/cwd")
        except (OSError, AttributeError):
            return None

    def is_project(self, folder: str) -> bool:
        """Whether a workspace lies directly in a folder."""
        return any(is_workspace(os.path.join(folder, name)) for name in WORKSPACES)

    def _find_owner(self, real: str) -> str | None:
        folder = real
        while True:
            if self.is_project(folder):
                return self._outermost(folder)
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent

    def _outermost(self, folder: str) -> str:
        """The project's folder where a workspace lies inside another one (`fcop/fcop`): the outer one counts."""
        while os.path.basename(folder) == "fcop" and is_workspace(folder) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder


def this_machine(environ: Mapping[str, str]) -> Machine:
    """The machine this process runs on."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = ""
    home = os.path.expanduser("~")
    return Machine(environ, cwd, os.path.realpath(home) if os.path.isabs(home) else "")


def is_workspace(folder: str) -> bool:
    """Whether a folder is a workspace: a manifest, `_lifecycle/`, or a file with an envelope's name in its place (design.md 2)."""
    try:
        if any(os.path.isfile(os.path.join(folder, name)) for name in MANIFEST_NAMES) or os.path.isdir(os.path.join(folder, LIFECYCLE)):
            return True
        return any(parse_name(item.name) for name in ENVELOPE_FOLDERS for item in _scan(os.path.join(folder, name)))
    except ValueError:
        return False


def _identity(path: str) -> Identity | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return Identity(path, state.st_dev, state.st_ino)


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except OSError:
        return []


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return False
