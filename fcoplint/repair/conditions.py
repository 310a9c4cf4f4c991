"""What must hold before a file is written or moved: locks, folders, devices, and how git holds the path (roots.md 5d)."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fcoplint.outcome import Blob, Refusal, State
from fcoplint.repair import journal
from fcoplint.repair.scene import Scene, blob_id
from fcoplint.repair.staging import as_committed
from fcoplint.roots.runtime import holders
from fcoplint.source import git

_V4_OPERATIONS = "fcop's own operations (their receipts, attempts and authorisations belong to the move)"
_RECOVER = ("fcoplint", "recover", "--apply")


class Tracking(NamedTuple):
    """How git holds a file: not at all (`entry` None), and with which landed bytes; `edits` are what it does not hold yet."""

    entry: git.Tracked | None
    landed: bytes | None
    edits: tuple[str, ...] = ()

    def staged(self, data: bytes) -> Blob:
        """New bytes of the file as the index is to have them."""
        return Blob(as_committed(data, self.landed), self.entry is not None and self.entry.mode == "100755")


def refuse_version(version: int, operation: str) -> Refusal | None:
    """v4 has operations of its own for every write; the older layouts have no stages."""
    if version >= 4:
        return Refusal("v4", f"this is a v4 workspace, in which only {_V4_OPERATIONS} may write: use `{operation}` of fcop")
    return None


def refuse_here(scene: Scene, workspace: str, environ: Mapping[str, str]) -> Refusal | None:
    """Why nothing can be written here now: inside a hook, in the middle of a merge, while somebody holds the project."""
    if "GIT_INDEX_FILE" in environ:
        return Refusal("in-a-hook", "this runs inside a git hook; a move now would corrupt the commit that is being made")
    return _busy_git(scene) or _held(scene, workspace)


def _busy_git(scene: Scene) -> Refusal | None:
    if scene.repository is None:
        return None
    index_lock = os.path.join(scene.repository.git_dir, "index.lock")
    if os.path.lexists(index_lock):
        return Refusal(
            "index-locked", "another git command is at work here, or died; let it end", (index_lock,), ("git", "status", "--short")
        )
    what = git.under_way(scene.repository)
    return Refusal("git-under-way", f"{what} is under way here; finish or abort it first", next=("git", "status")) if what else None


def _held(scene: Scene, workspace: str) -> Refusal | None:
    site = scene.site(workspace)
    record = journal.read(scene.machine, site.lock)
    if record and record.alive is not True:
        return journal.refuse(record)
    found = scene.state.at(workspace)
    project = scene.project_of(found) if found else scene.root
    for holder in holders(scene.machine, project):
        evidence = (f"{holder.path}: {holder.why}",)
        if holder.alive is True:
            return Refusal(
                "held", f"a runtime holds this project ({holder.what}); let it end its work first", evidence, ("fcoplint", "roots")
            )
        if holder.alive is False:
            message = f"a {holder.what} lock was left behind by a runtime; recovery is needed, by that runtime's own tools"
            return Refusal("recovery-needed", message, evidence, ("fcoplint", "roots"))
        message = f"a {holder.what} lock stands here, and nobody can tell from here whether its holder still runs"
        return Refusal("unknown-holder", message, evidence, ("fcoplint", "roots"), State.UNDECIDED)
    return None


def refuse_source(scene: Scene, path: str) -> Refusal | None:
    """Why a file cannot be moved: it is no regular file of its own."""
    try:
        state = os.lstat(scene.full(path))
    except OSError:
        return Refusal("changed", f"{path} is gone; somebody else was faster", (path,), ("fcoplint", "status"))
    if not stat.S_ISREG(state.st_mode):
        return Refusal("no-file", f"{path} is no regular file, and no link is followed", (path,), ("fcoplint", "explain", "FC206"))
    if state.st_nlink > 1:
        return Refusal("hard-linked", f"{path} has {state.st_nlink} names on this disk; a move would leave the others behind", (path,))
    return None


def refuse_target(scene: Scene, path: str) -> Refusal | None:
    """Why nothing can be put at a path: something stands there, is staged there, or differs from it in case alone."""
    folder, _, name = path.rpartition("/")
    try:
        names = os.listdir(scene.full(folder)) if os.path.isdir(scene.full(folder)) else []
    except OSError as error:
        return Refusal("no-permission", f"{folder} cannot be looked into: {error.strerror}", (folder,))
    if os.path.lexists(scene.full(path)):
        return Refusal("taken", f"something stands at {path} already; nothing is ever overwritten", (path,), ("fcoplint", "recover"))
    if path in scene.index:
        return Refusal("staged-there", f"git's index holds {path} already", (path,), ("git", "status", "--short", "--", path))
    staged = [other.rpartition("/")[2] for other in scene.index if other.rpartition("/")[0] == folder]
    twin = next((other for other in (*names, *staged) if other != name and other.casefold() == name.casefold()), None)
    if twin:
        return Refusal("case-twin", f"{folder} holds {twin}, which differs from {name} in case alone", (f"{folder}/{twin}",))
    return _refuse_folder(scene, folder)


def _refuse_folder(scene: Scene, folder: str) -> Refusal | None:
    """Whether a folder, or the nearest one above it that is there, is a real one of this project, and can be written to."""
    there = folder
    while there and not os.path.lexists(scene.full(there)):
        there = there.rpartition("/")[0]
    full = os.path.join(scene.root, there) if there else scene.root
    if os.path.realpath(full) != os.path.normpath(full) or not os.path.isdir(full):
        return Refusal("no-folder", f"{there} is no folder of this project itself; no link is followed", (there,), ("fcoplint", "audit"))
    if os.statvfs(full).f_flag & os.ST_RDONLY if hasattr(os, "statvfs") else False:
        message = f"the file system that holds {there or '.'} is mounted read-only; mount it for writing, then run this again"
        return Refusal("read-only", message, (there or ".",))
    if not os.access(full, os.W_OK | os.X_OK):
        return Refusal("no-permission", f"you may not write to {there or '.'}", (there or ".",))
    return None


def refuse_devices(scene: Scene, source: str, target: str) -> Refusal | None:
    """Source and destination must lie on one file system, and both folders must be open to writing."""
    refused = _refuse_folder(scene, source.rpartition("/")[0])
    folder = scene.full(target.rpartition("/")[0])
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if refused is None and os.lstat(scene.full(source)).st_dev != os.stat(folder).st_dev:
        message = "source and destination lie on different file systems, where no move is one step; put the whole workspace on one mount"
        return Refusal("other-device", message, (source, target))
    return refused


def look_at_git(scene: Scene, path: str, data: bytes, *, include_edits: bool) -> Tracking | Refusal:
    """How git holds a file whose bytes on disk are `data`, or why it must be put in order first."""
    if scene.repository is None:
        return Tracking(None, None)
    held = git.tracked(scene.repository, path)
    if not held:
        return Tracking(None, None)
    refused = _refuse_entry(scene, path, held)
    if refused:
        return refused
    landed = _landed(scene, held[0].oid)
    working = as_committed(data, landed)
    if blob_id(working, "sha256" if len(held[0].oid) == 64 else "sha1") == held[0].oid:
        return Tracking(held[0], landed)
    committed = scene.head.entries.get(path) if scene.head else None
    if committed is None or committed.oid != held[0].oid:
        message = f"{path} is staged, and was edited after that; a move would mix the two"
        return Refusal("partly-staged", message, (path,), ("git", "diff", "--", path))
    edits = tuple(_difference(path, landed or b"", working))
    if not include_edits:
        message = f"{path} has edits that are not staged; commit or undo them first, or move them along with --include-edits"
        return Refusal("unstaged-edits", message, edits, ("git", "diff", "--", path))
    return Tracking(held[0], landed, edits)


def _refuse_entry(scene: Scene, path: str, held: list[git.Tracked]) -> Refusal | None:
    if len(held) > 1 or held[0].stage != "0":
        return Refusal("unmerged", f"{path} has an unsolved merge conflict", (path,), ("git", "status", "--short", "--", path))
    if held[0].is_hidden:
        message = f"git was told not to look at {path} (assume-unchanged, skip-worktree or a sparse checkout)"
        return Refusal("hidden-from-git", message, (path,), ("git", "ls-files", "-v", "--", path))
    assert scene.repository is not None
    if scene.head is None or path not in scene.head.entries:
        before = scene.head.label if scene.head else git.empty_tree(scene.repository)
        if path not in {delta.path for delta in git.diff_index(scene.repository, before)}:
            message = f"{path} is only announced to git (add -N); stage it whole, or take it out of the index"
            return Refusal("only-announced", message, (path,), ("git", "add", "--", path))
    return None


def _landed(scene: Scene, oid: str) -> bytes | None:
    assert scene.repository is not None
    content = next(content for _, content in scene.repository.blobs.read([oid]))
    return content if isinstance(content, bytes) else None


def _difference(path: str, old: bytes, new: bytes) -> Iterator[str]:
    before, after = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    return difflib.unified_diff(before, after, f"{path} (index)", f"{path} (working tree)", lineterm="")


def others_left_alone(scene: Scene, paths: tuple[str, ...], workspace: str) -> tuple[str, ...]:
    """A note about what else in the workspace is not committed: it is not touched."""
    if scene.repository is None:
        return ()
    unsaved = git.list_unsaved(scene.repository, f"{workspace}/" if workspace else "")
    others = sorted({*unsaved.staged, *unsaved.modified, *unsaved.untracked} - set(paths))
    if not others:
        return ()
    listed = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return (f"left alone, and no part of this: {listed}",)
