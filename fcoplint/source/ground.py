"""What surrounds a snapshot: where its root lies on this disk, and what the repository knows beside it.

A rule asks here and nowhere else, and takes None for what nobody can tell. Nothing is asked before a rule wants it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fcoplint.protocol.paths import Form, Identity, WrittenPath
from fcoplint.source import git


class Ground(Protocol):
    """The surroundings of a snapshot; two snapshots of one change share them."""

    @property
    def location(self) -> str | None:
        """The absolute real path of the snapshot's root; None where that is a commit's."""
        ...

    @property
    def above(self) -> int:
        """How many folders of the same repository lie above the snapshot's root."""
        ...

    @property
    def homes(self) -> tuple[str, ...]:
        """The home folders of whoever runs this."""
        ...

    def identity(self, path: WrittenPath) -> Identity | None:
        """What the disk says of a folder: None where there is none, or where this disk has no such paths."""
        ...

    def know_commits(self, names: Iterable[str]) -> Mapping[str, bool | None]:
        """Whether each object id, or the beginning of one, is that of a commit or tag here; None where nobody can tell."""
        ...

    def are_ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the snapshot's paths that git ignores, as far as it can be asked."""
        ...


class Nowhere:
    """The surroundings of a snapshot of which nothing but itself is known."""

    location: str | None = None
    above = 0
    homes: tuple[str, ...] = ()

    def identity(self, path: WrittenPath) -> Identity | None:
        """See `Ground.identity`."""
        return None

    def know_commits(self, names: Iterable[str]) -> Mapping[str, bool | None]:
        """See `Ground.know_commits`."""
        return dict.fromkeys(names)

    def are_ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """See `Ground.are_ignored`."""
        return frozenset()


@dataclass(frozen=True)
class Disk:
    """The surroundings as this machine has them. `location` is None for a commit, `repository` where there is none."""

    location: str | None
    repository: git.Repository | None = None
    _commits: dict[str, bool | None] = field(default_factory=dict)
    _ignored: dict[str, bool] = field(default_factory=dict)

    @property
    def above(self) -> int:
        """See `Ground.above`."""
        below = self._below()
        return len(below.split("/")) if below else 0

    @property
    def homes(self) -> tuple[str, ...]:
        """See `Ground.homes`."""
        home = os.path.expanduser("~")
        return tuple(dict.fromkeys((home, os.path.realpath(home)))) if os.path.isabs(home) else ()

    def identity(self, path: WrittenPath) -> Identity | None:
        """See `Ground.identity`."""
        return identity_of(path)

    def know_commits(self, names: Iterable[str]) -> Mapping[str, bool | None]:
        """See `Ground.know_commits`."""
        asked = list(dict.fromkeys(names))
        unknown = [name for name in asked if name not in self._commits]
        if unknown and self.repository is not None:
            found = git.object_types(self.repository, unknown)
            certain = all(kind is not None for kind in found.values()) or git.is_complete(self.repository)
            self._commits.update(
                {name: kind in ("commit", "tag", "ambiguous") or (None if not certain else False) for name, kind in found.items()}
            )
        return {name: self._commits.get(name) for name in asked}

    def are_ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """See `Ground.are_ignored`."""
        asked = list(dict.fromkeys(paths))
        unknown = [path for path in asked if path not in self._ignored]
        if unknown and self.location is not None and self.repository is not None and self.repository.top:
            below = self._below()
            full = {f"{below}/{path}" if below else path: path for path in unknown}
            ignored = git.ignored_paths(self.repository, full)
            self._ignored.update({path: name in ignored for name, path in full.items()})
        return frozenset(path for path in asked if self._ignored.get(path))

    def _below(self) -> str:
        """Where the snapshot's root lies in the repository, "" for its top."""
        if self.location is None or self.repository is None or not self.repository.top:
            return ""
        below = os.path.relpath(self.location, os.path.realpath(self.repository.top)).replace(os.sep, "/")
        return "" if below == "." or below.startswith("../") else below


def identity_of(path: WrittenPath) -> Identity | None:
    """What this disk says of an absolute path; None where no folder is there, or where such paths are another system's."""
    text = _native(path)
    if text is None:
        return None
    try:
        real = os.path.realpath(text, strict=True)
        state = os.stat(real)
    except (OSError, ValueError):
        # ValueError: a NUL in the name. OSError: nothing there, a loop of links, a name longer than the system allows.
        return None
    return Identity(real, state.st_dev, state.st_ino) if stat.S_ISDIR(state.st_mode) else None


def _native(path: WrittenPath) -> str | None:
    if path.has_variable and not path.is_home:
        return None
    if path.is_home:
        if path.anchor.startswith("~") and path.anchor != "~":
            return None
        return os.path.join(os.path.expanduser("~"), *path.parts)
    if path.form is Form.POSIX and os.name != "nt":
        return "/" + "/".join(path.parts)
    if path.form in (Form.DRIVE, Form.UNC) and os.name == "nt":
        return path.anchor.replace("/", "\\") + "\\" + "\\".join(path.parts)
    return None
