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
    lines = b"".join(_line(repository, path, content) for path, content in changes.items())
    index = git.path_in_git_dir(repository, "index")
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


def _line(repository: git.Repository, path: str, content: Blob | Held | None) -> bytes:
    if content is None:
        return b"0 " + b"0" * len(git.empty_tree(repository)) + b"\t" + os.fsencode(path) + b"\0"
    if isinstance(content, Blob):
        oid = repository.run("hash-object", "-w", "--stdin", "--no-filters", stdin=content.data).decode("ascii").strip()
        content = Held("100755" if content.executable else "100644", oid)
    return f"{content.mode} {content.oid}\t".encode("ascii") + os.fsencode(path) + b"\0"


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
