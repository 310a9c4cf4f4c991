"""A snapshot: a read-only listing of paths with their bytes. What rules see never depends on which kind it is."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple, Protocol

# An envelope is prose of some kilobytes; past this a file is not read at all (design.md 9).
MAX_BYTES = 16 * 1024 * 1024


class Kind(Enum):
    """What stands at a path."""

    FILE = "file"
    LINK = "symbolic link"
    SUBMODULE = "submodule"
    UNMERGED = "unmerged index entry"


class Entry(NamedTuple):
    """One path of a snapshot. `oid` is git's object id, None where the bytes are not in git."""

    kind: Kind
    oid: str | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why something could not be read: a `reason` from the fixed list of FC001, and a detail for people."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was not looked at, or was looked at otherwise than usual; goes into the report's summary.

    `template` says it in English, with `{}` for `detail`; a translation is found by it.
    """

    topic: str
    template: str
    path: str | None = None
    detail: str = ""

    @property
    def text(self) -> str:
        """What is to be said, in English."""
        return self.template.replace("{}", self.detail)


Content = bytes | Unreadable


class Snapshot(Protocol):
    """A read-only listing of a tree. Paths are POSIX, relative to the snapshot's root, non-UTF-8 bytes as surrogates."""

    @property
    def label(self) -> str:
        """What a person calls this state: `index`, `working tree`, a commit."""
        ...

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Every path with what stands there."""
        ...

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """Folders that could not be listed, by path."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was not looked at, or otherwise than usual."""
        ...

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """The bytes of each path, in the order asked for; of a link, the bytes of its target's name."""
        ...


def read_one(snapshot: Snapshot, path: str) -> Content | None:
    """The bytes of one path of a snapshot, None where it is not there."""
    return next(content for _, content in snapshot.read([path])) if path in snapshot.entries else None


def link_target(snapshot: Snapshot, path: str) -> str:
    """What a symbolic link of a snapshot says, as written."""
    content = read_one(snapshot, path)
    return content.decode("utf-8", "surrogateescape") if isinstance(content, bytes) else ""


@dataclass(frozen=True)
class OverlaySnapshot:
    """Another snapshot in which some paths hold other bytes (an editor's buffer), or stand as they do in a third one.

    `replaced` maps a path to its bytes, to the snapshot that it is taken from, or to None where the path is not there.
    """

    base: Snapshot
    replaced: Mapping[str, "bytes | Snapshot | None"]

    @property
    def label(self) -> str:
        """See `Snapshot.label`."""
        return self.base.label

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """See `Snapshot.unreadable`."""
        return self.base.unreadable

    @property
    def notes(self) -> tuple[Note, ...]:
        """See `Snapshot.notes`."""
        return self.base.notes

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """See `Snapshot.entries`."""
        entries = {path: entry for path, entry in self.base.entries.items() if path not in self.replaced}
        for path, source in self.replaced.items():
            if isinstance(source, bytes):
                entries[path] = Entry(Kind.FILE, None)
            elif source is not None and path in source.entries:
                entries[path] = source.entries[path]
        return entries

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`."""
        for path in paths:
            source = self.replaced.get(path, self.base)
            if isinstance(source, bytes):
                yield path, source
            elif source is None:
                yield path, Unreadable("vanished")
            else:
                yield from source.read([path])


@dataclass(frozen=True)
class FilteredSnapshot:
    """Another snapshot without the paths that `leaves_out` says yes to."""

    base: Snapshot
    leaves_out: Callable[[str], bool]

    @property
    def label(self) -> str:
        """See `Snapshot.label`."""
        return self.base.label

    @property
    def unreadable(self) -> Mapping[str, Unreadable]:
        """See `Snapshot.unreadable`."""
        return {path: why for path, why in self.base.unreadable.items() if not self.leaves_out(path)}

    @property
    def notes(self) -> tuple[Note, ...]:
        """See `Snapshot.notes`."""
        left_out = len(self.base.entries) - len(self.entries)
        return (
            *self.base.notes,
            *((Note("excluded", "paths left out by the setting `exclude`: {}", detail=str(left_out)),) if left_out else ()),
        )

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """See `Snapshot.entries`."""
        return {path: entry for path, entry in self.base.entries.items() if not self.leaves_out(path)}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`."""
        return self.base.read(paths)


@dataclass(frozen=True)
class MemorySnapshot:
    """A snapshot held in memory: the examples of the rules, the tests, and the empty side of a first commit."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    label: str = "memory"
    unreadable: Mapping[str, Unreadable] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The files and links as entries; their ids tell equal contents from others, as git's do."""
        found = {path: Entry(Kind.FILE, _digest(content)) for path, content in self.files.items()}
        return found | {path: Entry(Kind.LINK, _digest(os.fsencode(target))) for path, target in self.links.items()}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`."""
        for path in paths:
            if path in self.files:
                yield path, self.files[path]
            elif path in self.links:
                yield path, self.links[path].encode("utf-8", "surrogateescape")
            else:
                yield path, Unreadable("vanished")


def _digest(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
