"""A project as it stands before something is written: the working tree, what git holds of it, its workspaces, its settings."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol.places import is_workspace_folder, project_of
from fcoplint.repair.execution import Site
from fcoplint.repair.journal import lock_path
from fcoplint.settings import Settings
from fcoplint.source import git, worktree
from fcoplint.source.ground import Disk
from fcoplint.source.machine import Machine
from fcoplint.source.snapshot import Content, Entry, Kind, Note, OverlaySnapshot, Snapshot, Unreadable
from fcoplint.source.tree import GitSnapshot


@dataclass(frozen=True)
class HeldSnapshot:
    """Another snapshot whose workspaces were read once, so that no later look sees other bytes.

    Their entries bear the ids that git would give them, so that what is the same in a commit is parsed once.
    """

    base: Snapshot
    contents: Mapping[str, Content]
    entries: Mapping[str, Entry]

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

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """See `Snapshot.read`."""
        for path in paths:
            if path in self.contents:
                yield path, self.contents[path]
            else:
                yield from self.base.read([path])


@dataclass(frozen=True)
class Scene:
    """A project before a write. `root` is absolute and real: the working tree's top, or the folder that holds the workspace.

    `now` is the working tree, `head` what HEAD holds (None: no commit, no git), `index` what is staged.
    """

    root: str
    machine: Machine
    repository: git.Repository | None
    settings: Settings
    now: Snapshot
    head: GitSnapshot | None = None
    index: Mapping[str, Entry] = field(default_factory=dict)

    @cached_property
    def state(self) -> Workspaces:
        """The workspaces as they are now."""
        return self.workspaces_of(self.now)

    def workspaces_of(self, snapshot: Snapshot) -> Workspaces:
        """The workspaces of another state of this project; leader and rules are those of HEAD, as for every change."""
        law = [Workspaces(self.head, Documents(), None, self.settings.policy)] if self.head else []
        return Workspaces(snapshot, Documents(), None, self.settings.policy, law=law)

    def with_changes(self, changes: Mapping[str, bytes | None]) -> Snapshot:
        """The working tree with these paths' bytes in place of what stands there (None: nothing)."""
        return OverlaySnapshot(self.now, changes)

    def full(self, path: str) -> str:
        """A path of the project on disk."""
        return os.path.join(self.root, path)

    def project_of(self, workspace: Workspace) -> str:
        """The folder on disk of the project that a workspace belongs to."""
        return os.path.normpath(self.full(workspace.project))

    def site(self, workspace: str) -> Site:
        """Where plans about a workspace (its folder) are carried out."""
        return Site(self.machine, self.repository, self._lock or lock_path(None, os.path.normpath(self.full(project_of(workspace)))))

    @cached_property
    def _lock(self) -> str | None:
        return lock_path(self.repository, self.root) if self.repository else None


def open_scene(
    root: str, machine: Machine, repository: git.Repository | None, settings: Settings, head: GitSnapshot | None = None
) -> Scene:
    """Look at a project. May raise GitError."""
    settings = replace(settings, ground=Disk(root, repository))
    if repository is None:
        return Scene(root, machine, None, settings, hold(worktree.walk(root)))
    repository.blobs.max_bytes = settings.max_bytes
    tree = replace(worktree.worktree_snapshot(repository, root), max_bytes=settings.max_bytes)
    index = tree.index.entries if tree.index else {}
    algorithm = "sha256" if any(entry.oid and len(entry.oid) == 64 for entry in index.values()) else "sha1"
    return Scene(root, machine, repository, settings, hold(tree, index, algorithm), head, index)


def hold(snapshot: Snapshot, index: Mapping[str, Entry] | None = None, algorithm: str = "sha1") -> HeldSnapshot:
    """A snapshot with its workspaces read; of all else what is in the index stands for what is on disk."""
    index = index or {}
    inside = [path for path in snapshot.entries if _may_be_in_workspace(path)]
    contents = dict(snapshot.read(inside))
    entries = {path: _known(entry, index.get(path)) for path, entry in snapshot.entries.items()}
    for path, content in contents.items():
        if isinstance(content, bytes):
            entries[path] = Entry(snapshot.entries[path].kind, blob_id(content, algorithm))
    return HeldSnapshot(snapshot, contents, entries)


def blob_id(data: bytes, algorithm: str = "sha1") -> str:
    """The id that git gives to these bytes."""
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _known(entry: Entry, staged: Entry | None) -> Entry:
    return staged if staged is not None and staged.kind is entry.kind and entry.kind is Kind.FILE else entry


def _may_be_in_workspace(path: str) -> bool:
    parts = path.split("/")
    return any(is_workspace_folder("/".join(parts[:count])) for count in range(1, len(parts)))
