"""Puts the plain git hooks in place and takes them away again, and never harms a hook that was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from fcoplint import atomic
from fcoplint.source import git

CLIENT = ("pre-commit", "pre-merge-commit", "commit-msg", "pre-push")
SERVER = ("pre-receive",)
_SUFFIX = ".before-fcoplint"
# The whole line: a hook that only speaks of fcoplint is not ours.
_SIGNATURE = b"# `fcoplint init --hooks` puts this file in place and `fcoplint init --hooks --undo` takes it away again."
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FOLDERS = (os.path.join(_PACKAGE, "_hooks"), os.path.join(os.path.dirname(_PACKAGE), "hooks"))


class Done(NamedTuple):
    """What became of one hook: `kind` is installed, chained, present, removed, restored, absent or failed."""

    kind: str
    path: str
    detail: str = ""


def install(repository: git.Repository, names: tuple[str, ...]) -> Iterator[Done]:
    """Install hooks where git looks for them (core.hooksPath too); one that is there is kept, and runs first."""
    folder = git.path_in_git_dir(repository, "hooks")
    try:
        atomic.make_folder(folder)
    except OSError as error:
        yield Done("failed", folder, error.strerror or str(error))
        return
    for name in names:
        path = os.path.join(folder, name)
        try:
            yield _install(path, _shipped(name))
        except OSError as error:
            yield Done("failed", path, error.strerror or str(error))


def undo(repository: git.Repository, names: tuple[str, ...]) -> Iterator[Done]:
    """Take our hooks away, and give those that were there before their names back."""
    folder = git.path_in_git_dir(repository, "hooks")
    for name in names:
        path = os.path.join(folder, name)
        try:
            yield _undo(path)
        except OSError as error:
            yield Done("failed", path, error.strerror or str(error))


def _install(path: str, script: bytes) -> Done:
    if _is_ours(path):
        return Done("present", path)
    if not os.path.lexists(path):
        atomic.publish(path, script, 0o755)
        return Done("installed", path)
    atomic.rename_aside(path, path + _SUFFIX)
    try:
        atomic.publish(path, script, 0o755)
    except OSError:
        atomic.rename_aside(path + _SUFFIX, path)
        raise
    return Done("chained", path, path + _SUFFIX)


def _undo(path: str) -> Done:
    if not _is_ours(path):
        return Done("absent", path)
    atomic.remove(path)
    if os.path.lexists(path + _SUFFIX):
        atomic.rename_aside(path + _SUFFIX, path)
        return Done("restored", path)
    return Done("removed", path)


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return _SIGNATURE in file.read(4096)
    except OSError:
        return False


def _shipped(name: str) -> bytes:
    folder = next(folder for folder in _FOLDERS if os.path.isdir(folder))
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()
