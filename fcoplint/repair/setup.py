"""Puts the files that protect a repository in place and takes them away again. What somebody else wrote is never replaced."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from fcoplint import atomic
from fcoplint.repair import seal

Join = Callable[[bytes], bytes | None]


@dataclass(frozen=True, slots=True)
class Paper:
    """One file of a set-up.

    `path` is relative to the repository's root, with slashes; `block` is what stands in the file where there is none yet.
    `mark` are bytes whose presence says that the file speaks of fcoplint already. `join` gives what is put behind the content
    of a file that is there, None where that cannot be done safely; `pasted` is what a person puts there by hand then.
    `sealed` says whether the file can bear a comment with a seal; what cannot is ours as long as it equals `block`.
    """

    path: str
    block: bytes
    mark: bytes
    pasted: bytes
    join: Join = lambda content: None
    sealed: bool = True

    @property
    def content(self) -> bytes:
        """The file as it is written where there is none."""
        return seal.seal(self.block) if self.sealed else self.block


class Done(NamedTuple):
    """What became of a file: `kind` is written, appended, present, paste, removed, cut, absent, changed or failed."""

    kind: str
    path: str
    detail: str = ""


def put(top: str, paper: Paper) -> Done:
    """Write the file where there is none, append to it where that is safe, else leave it as it is."""
    path = os.path.join(top, *paper.path.split("/"))
    try:
        _stay_inside(top, path)
        if not os.path.lexists(path):
            atomic.make_folder(os.path.dirname(path))
            atomic.publish(path, paper.content)
            return Done("written", paper.path)
        return _add(path, paper)
    except OSError as error:
        return Done("failed", paper.path, error.strerror or str(error))


def take_back(top: str, paper: Paper) -> Done:
    """Take away what `put` wrote, as long as nobody has changed it."""
    path = os.path.join(top, *paper.path.split("/"))
    try:
        _stay_inside(top, path)
        content = _read(path)
        if content is None:
            return Done("absent", paper.path)
        if not paper.sealed:
            return _remove(path, paper) if content == paper.block else Done("absent", paper.path)
        return _cut(path, paper, content)
    except OSError as error:
        return Done("failed", paper.path, error.strerror or str(error))


def _add(path: str, paper: Paper) -> Done:
    content = _read(path)
    if content is not None and paper.mark in content:
        return Done("present", paper.path)
    added = paper.join(content) if content is not None else None
    if content is None or added is None:
        return Done("paste", paper.path, paper.pasted.decode())
    atomic.replace(path, content + seal.seal(added), _mode(path))
    return Done("appended", paper.path)


def _cut(path: str, paper: Paper, content: bytes) -> Done:
    found = seal.find(content)
    if found is None:
        return Done("absent", paper.path)
    before, unchanged = found
    if not unchanged:
        return Done("changed", paper.path)
    if not before:
        return _remove(path, paper)
    atomic.replace(path, before, _mode(path))
    return Done("cut", paper.path)


def _remove(path: str, paper: Paper) -> Done:
    atomic.remove(path)
    return Done("removed", paper.path)


def _read(path: str) -> bytes | None:
    """The bytes of a plain file; None where there is none, or a link or something else stands there."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def _stay_inside(top: str, path: str) -> None:
    """Refuse a folder that is a link: what is written must lie where its name says."""
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != os.path.normpath(os.path.join(os.path.realpath(top), os.path.relpath(folder, top))):
        raise OSError(f"{os.path.relpath(folder, top)} leads elsewhere")
