"""The only place that opens a file for writing (design.md 10)."""

import errno
import os
import secrets

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def publish(path: str, data: bytes, mode: int = 0o644) -> None:
    """Create a file whole: an exclusive temporary, written and synced, appears under its name without replacing anything.

    Raises FileExistsError where something stands there, OSError where the disk says no; then nothing has changed.
    """
    folder = os.path.dirname(path) or "."
    temporary = os.path.join(folder, f".fcop-{os.path.basename(path)}-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, _NEW, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.link(temporary, path)
    finally:
        os.unlink(temporary)
    _sync_folder(folder)


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
    temporary = f"{os.path.join(os.path.dirname(target), '.fcop-')}{os.path.basename(target)}-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, _NEW, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError:
        os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(target))


def make_folder(path: str) -> None:
    """Create a folder with those above it, where it is not there. Raises OSError."""
    os.makedirs(path, exist_ok=True)


def rename_aside(path: str, target: str) -> None:
    """Give a file another name in its folder without replacing anything there. Raises OSError; then nothing has changed."""
    os.link(path, target, follow_symlinks=False)
    os.unlink(path)
    _sync_folder(os.path.dirname(path) or ".")


def remove(path: str) -> None:
    """Remove a file. Raises OSError."""
    os.unlink(path)
    _sync_folder(os.path.dirname(path) or ".")


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


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
