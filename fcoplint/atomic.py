"""The only place that opens a file for writing (design.md 10).

Whatever raises OSError has changed nothing that stands under its own name. What was done, but left something to clean up, is
returned as `Pending` values: after the publish an error no longer means that nothing happened.
"""

import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable
from typing import NamedTuple

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# A temporary says what it was to become, and which process of which machine wrote it, so that recovery knows its own.
_TEMPORARY = re.compile(r"\.fcop-(?P<name>.*)\.(?P<host>[0-9a-f]{8})-(?P<pid>\d+)-[0-9a-f]{16}\.tmp", re.DOTALL)
# A file name may have 255 bytes, and the temporary's own marks take up to 50 of them.
_LONGEST = 200


class Pending(NamedTuple):
    """Something that is left to clean up although the work is done: its path, and why."""

    path: str
    why: str


class Temporary(NamedTuple):
    """What the name of a temporary says: what it was to become, the machine's mark, and the process that wrote it."""

    name: str
    host: str
    pid: int


class ChangedError(OSError):
    """What is to be replaced or removed is not what it was when that was decided."""


class LeftBehindError(OSError):
    """Nothing has changed, but the temporary could not be taken away: `leftover` is its path."""

    def __init__(self, cause: OSError, leftover: str) -> None:
        super().__init__(cause.errno, cause.strerror or str(cause), leftover)
        self.leftover = leftover


def digest(data: bytes) -> str:
    """The sha256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def digest_of(path: str) -> str:
    """The sha256 of a file's bytes, in hex. Raises OSError: a link is not followed, and nothing but a regular file is read."""
    descriptor = os.open(path, _READ)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ChangedError(f"{path} is no regular file")
        return digest(file.read())


def publish(path: str, data: bytes, mode: int = 0o644) -> tuple[Pending, ...]:
    """Create a file whole: an exclusive temporary, written and synced, appears under its name without replacing anything.

    Raises FileExistsError where something stands there, OSError where the disk says no; then nothing has changed.
    """
    temporary = write_temporary(path, data, mode)
    _or_discard(temporary, lambda: _link(temporary, path))
    return (*sync_folder(os.path.dirname(path)), *_clean(temporary))


def replace_if(path: str, data: bytes, expected: str) -> tuple[Pending, ...]:
    """Replace a file's bytes, its mode kept, only if their digest is still `expected`.

    For a fix in place. Raises ChangedError where it is not, OSError where the disk says no; then nothing has changed.
    """
    temporary = write_temporary(path, data, stat.S_IMODE(os.lstat(path).st_mode))

    def swap() -> None:
        _require(path, expected)
        os.replace(temporary, path)

    _or_discard(temporary, swap)
    return sync_folder(os.path.dirname(path))


def remove_if(path: str, expected: str) -> tuple[Pending, ...]:
    """Remove a file only if its bytes' digest is still `expected`. Raises ChangedError, OSError; then it is still there."""
    _require(path, expected)
    os.unlink(path)
    return sync_folder(os.path.dirname(path))


def swap_under_lock(temporary: str, path: str, lock: str, expected: str | None) -> tuple[Pending, ...]:
    """Put a finished temporary in place of `path` while holding `lock` as git does: whoever has that file may replace the other.

    `expected` is the digest of what stands at `path`, None where nothing does. Raises FileExistsError where somebody holds the
    lock, ChangedError, OSError; then nothing has changed and the temporary is gone.
    """
    _or_discard(temporary, lambda: os.link(temporary, lock))

    def swap() -> None:
        if (digest_of(path) if os.path.lexists(path) else None) != expected:
            raise ChangedError(f"{path} was changed by somebody else in the meantime")
        os.replace(lock, path)

    try:
        swap()
    except BaseException:
        os.unlink(lock)
        _clean(temporary)
        raise
    return (*sync_folder(os.path.dirname(path)), *_clean(temporary))


def replace(path: str, data: bytes, mode: int = 0o644) -> None:
    """Write a file whole, in place of the one that stands there; a device or a pipe is written to as it is.

    For what fcoplint makes anew each time (a report, the baseline), never for an envelope. A link is refused: whoever can
    commit one would choose the file that is replaced. Raises OSError; then the file that stood there is unchanged.
    """
    if os.path.exists(path) and (not os.path.isfile(path) or os.path.abspath(path).startswith("/dev/")):
        with open(path, "wb") as device:
            device.write(data)
        return
    if os.path.islink(path):
        raise OSError(errno.ELOOP, "this is a link, and nothing is written through a link")
    target = os.path.realpath(path)
    temporary = write_temporary(target, data, mode & ~_umask())
    _or_discard(temporary, lambda: os.replace(temporary, target))
    sync_folder(os.path.dirname(target))


def write_temporary(path: str, data: bytes, mode: int, written: int | None = None) -> str:
    """Write and sync a new temporary beside `path`, with exactly this mode; its path. Raises OSError; then none is left.

    `written` is the time, in nanoseconds, that it is to bear as its last change.
    """
    temporary = temporary_path(path)
    descriptor = os.open(temporary, _NEW, 0o600)

    def fill() -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        if written is not None:
            os.utime(temporary, ns=(written, written))
        os.fsync(descriptor)

    try:
        _or_discard(temporary, fill)
    finally:
        os.close(descriptor)
    return temporary


def temporary_path(path: str) -> str:
    """A new name for a temporary beside `path`."""
    return os.path.join(os.path.dirname(path), _temporary_name(os.path.basename(path)))


def read_temporary_name(filename: str) -> Temporary | None:
    """What the name of a temporary of this tool says; None for any other name."""
    match = _TEMPORARY.fullmatch(filename)
    return Temporary(match["name"], match["host"], int(match["pid"])) if match else None


def host_mark() -> str:
    """Eight hex digits that stand for this machine in the names of temporaries."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def make_folder(path: str) -> None:
    """Create a folder with those above it, where it is not there. Raises OSError."""
    os.makedirs(path, exist_ok=True)


def rename_folder(path: str, target: str) -> tuple[Pending, ...]:
    """Give a folder another name that is free. Raises FileExistsError where something stands there, OSError; then nothing has changed.

    A folder that somebody makes there at this very moment is replaced only if it is empty: nothing is ever lost.
    """
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    os.rename(path, target)
    return (*sync_folder(os.path.dirname(target)), *sync_folder(os.path.dirname(path)))


def remove_folder(path: str) -> tuple[Pending, ...]:
    """Remove a folder in which nothing is left. Raises OSError."""
    os.rmdir(path)
    return sync_folder(os.path.dirname(path))


def rename_aside(path: str, target: str) -> None:
    """Give a file another name in its folder without replacing anything there. Raises OSError; then nothing has changed."""
    os.link(path, target, follow_symlinks=False)
    os.unlink(path)
    sync_folder(os.path.dirname(path))


def remove(path: str) -> tuple[Pending, ...]:
    """Remove a file. Raises OSError."""
    os.unlink(path)
    return sync_folder(os.path.dirname(path))


def discard(descriptor: int) -> None:
    """Let what is still to be written to a descriptor go nowhere, so that ending the program fails no second time."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def leave_mark(path: str) -> None:
    """Create an empty file and its folder; where that cannot be done, nothing happens: the mark only saves time."""
    try:
        make_folder(os.path.dirname(path))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644))
    except OSError:
        return


def sync_folder(folder: str) -> tuple[Pending, ...]:
    """Make what was done in a folder outlast a power failure; what could not be made to is returned."""
    try:
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        return (Pending(folder or ".", f"it could not be synced to the disk: {error.strerror or error}"),)
    return ()


def _temporary_name(name: str) -> str:
    short = os.fsdecode(os.fsencode(name)[:_LONGEST].decode("utf-8", "ignore").encode())
    return f".fcop-{short}.{host_mark()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"


def _link(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except PermissionError as error:
        if error.errno != errno.EPERM:
            raise
        # That is how Linux says that FAT and its kin have no links; whoever could create the temporary may link it.
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), path) from error


def _require(path: str, expected: str) -> None:
    if digest_of(path) != expected:
        raise ChangedError(f"{path} was changed by somebody else in the meantime")


def _or_discard(temporary: str, step: Callable[[], None]) -> None:
    """Do a step; where it fails, or the program is interrupted, the temporary goes."""
    try:
        step()
    except OSError as error:
        try:
            os.unlink(temporary)
        except OSError:
            raise LeftBehindError(error, temporary) from error
        raise
    except BaseException:
        os.unlink(temporary)
        raise


def _clean(temporary: str) -> tuple[Pending, ...]:
    try:
        os.unlink(temporary)
    except OSError as error:
        return (Pending(temporary, f"it could not be removed: {error.strerror or error}"),)
    return ()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
