"""Puts exactly given paths into git's index, with exactly given content: no other path, no filter, no hook (roots.md 5d).

git itself writes a copy of the index; that takes the index's place under git's own lock, in one step. A process that is killed
leaves the index as it was, or as it is to be.
"""

from __future__ import annotations

import os
import stat
from dataclasses import replace

from fcoplint import atomic
from fcoplint.outcome import Blob, Held, Staging
from fcoplint.source import git

_TRIES = 5


def stage(repository: git.Repository, changes: Staging) -> tuple[atomic.Pending, ...]:
    """Put these paths (relative to the working tree's root) into the index, None takes one out; all of them or none.

    Raises git.GitError where git refuses, FileExistsError where somebody holds the index, OSError; then the index is unchanged.
    """
    held = {path: _hold(repository, content) for path, content in changes.items()}
    # What takes a path out has the length of this repository's ids.
    length = next((len(entry.oid) for entry in held.values() if entry), 0) or len(git.empty_tree(repository))
    lines = b"".join(_line(path, entry or Held("0", "0" * length)) for path, entry in held.items())
    index = os.path.join(repository.git_dir, "index")
    for attempt in range(_TRIES):
        temporary, expected = _copy(index)
        try:
            on_copy = replace(repository, env={**repository.env, "GIT_INDEX_FILE": temporary})
            on_copy.run("-c", f"core.hooksPath={os.devnull}", "update-index", "-z", "--add", "--index-info", stdin=lines)
        except BaseException:
            _discard(temporary)
            raise
        try:
            return atomic.swap_under_lock(temporary, index, f"{index}.lock", expected)
        except atomic.ChangedError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("the loop ends by a return or a raise")


def as_committed(data: bytes, landed: bytes | None) -> bytes:
    """A working file's bytes as git is to have them: where its landed bytes have LF alone, a checkout gave it CRLF (autocrlf)."""
    return data.replace(b"\r\n", b"\n") if landed is not None and b"\r" not in landed else data


def _hold(repository: git.Repository, content: Blob | Held | None) -> Held | None:
    """The content as git has it, which takes it now where it is new."""
    if not isinstance(content, Blob):
        return content
    oid = repository.run("hash-object", "-w", "--stdin", "--no-filters", stdin=content.data).decode("ascii").strip()
    return Held("100755" if content.executable else "100644", oid)


def _line(path: str, entry: Held) -> bytes:
    return f"{entry.mode} {entry.oid}\t".encode("ascii") + os.fsencode(path) + b"\0"


def _copy(index: str) -> tuple[str, str | None]:
    """(a copy of the index beside it, its digest); git makes the copy where there is no index yet.

    It bears the index's own time: by that git tells which files it must look at again.
    """
    try:
        state = os.stat(index)
        with open(index, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return atomic.temporary_path(index), None
    return atomic.write_temporary(index, data, stat.S_IMODE(state.st_mode), state.st_mtime_ns), atomic.digest(data)


def _discard(temporary: str) -> None:
    for path in (temporary, f"{temporary}.lock"):
        if os.path.lexists(path):
            atomic.remove(path)
