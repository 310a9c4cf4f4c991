"""What a switch must know of one project: its work in hand, leftovers, holders, what is not committed, and what it holds on disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fcoplint.model.manifest import Manifest
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.places import LIFECYCLE, is_temporary
from fcoplint.protocol.stages import STAGES
from fcoplint.roots.components import Expected
from fcoplint.roots.gather import is_closed, read_manifest, unreadable_reason
from fcoplint.roots.runtime import LEASES, Holder, holders, open_workspace
from fcoplint.source import git
from fcoplint.source.machine import WORKSPACES, ListedFile, Machine, is_workspace
from fcoplint.source.snapshot import Kind

MOST_FILES = 200_000
# What a runtime writes while it stops: the switch itself changes it.
_STATE = (".codeflowmu/", "fcop/.runtime-writer.lock")
_GROUPS = ("manifest", "inbox", "lifecycle", "reports", "logs", "tree")


@dataclass(frozen=True, slots=True)
class GitState:
    """What git knows of a project; `fault` says why it knows nothing. `tree` is that of the project's folder in HEAD."""

    head: str | None = None
    tree: str | None = None
    shared: str | None = None
    top: str | None = None
    prefix: str = ""
    unsaved: git.Unsaved | None = None
    stashes: int = 0
    unpushed: int = 0
    worktrees: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies in a project by group: how many files, and a digest over their names, sizes and times. `whole` is False past a limit."""

    groups: Mapping[str, tuple[int, str]]
    newest: tuple[ListedFile, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """One side of a switch.

    `topology` is EMPTY (no workspace), MIXED (two layouts), NESTED (a workspace in the workspace), or the version. `hidden` are
    parts of the workspace that could not be looked at: no permission, or a link that takes the place of a folder.
    """

    root: Expected
    topology: str
    hidden: tuple[str, ...]
    has_manifest: bool
    manifest_fault: str
    manifest_sha256: str | None
    version: int
    in_hand: tuple[str, ...]
    twins: tuple[str, ...]
    leftovers: tuple[str, ...]
    holders: tuple[Holder, ...]
    git: GitState
    listing: Listing
    workspace: Workspace | None = field(default=None, compare=False)

    @property
    def is_manifest_broken(self) -> bool:
        """Whether a manifest is there and says nothing: it cannot be read, or is no JSON object."""
        return self.has_manifest and bool(self.manifest_fault)


def read_facts(machine: Machine, root: Expected, since: int = 0) -> Facts:
    """The facts of a project. Of its files, those written after `since` (nanoseconds) are named."""
    path = root.identity.real
    workspace = open_workspace(path, root.workspace) if root.workspace else None
    manifest = read_manifest(machine, path, root.workspace)
    fault = ""
    if not isinstance(manifest, Manifest):
        fault = "there is no manifest" if manifest is None else f"the manifest cannot be read: {unreadable_reason(manifest)}"
    elif manifest.fault:
        fault = f"the manifest is no JSON object: {manifest.fault.detail or manifest.fault.kind} (line {manifest.fault.span.line})"
    return Facts(
        root=root,
        topology=_topology(path, workspace),
        hidden=tuple(_hidden(machine, root, workspace)),
        has_manifest=manifest is not None,
        manifest_fault=fault,
        manifest_sha256=hashlib.sha256(manifest.data).hexdigest() if isinstance(manifest, Manifest) else None,
        version=workspace.version if workspace else 0,
        in_hand=tuple(_in_hand(workspace)) if workspace else (),
        twins=tuple(_twins(workspace)) if workspace else (),
        leftovers=tuple(_leftovers(machine, path, workspace)),
        holders=tuple(holders(machine, path)),
        git=_git_state(machine, path),
        listing=_list(machine, root, since),
        workspace=workspace,
    )


def _topology(root: str, workspace: Workspace | None) -> str:
    if workspace is None:
        return "EMPTY"
    if workspace.nested:
        return "NESTED"
    both = all(is_workspace(os.path.join(root, name)) for name in WORKSPACES)
    return "MIXED" if both or workspace.protocol.mixed else f"v{workspace.version}"


def _hidden(machine: Machine, root: Expected, workspace: Workspace | None) -> Iterator[str]:
    if workspace is None:
        path = root.identity.real
        yield from (f"{name}: this user may not look into it" for name in WORKSPACES if is_closed(os.path.join(path, name)))
        return
    for path, why in workspace.snapshot.unreadable.items():
        yield f"{path}: {unreadable_reason(why)}"
    for path, entry in workspace.entries.items():
        if entry.kind is Kind.LINK and machine.look(path, root.identity.real).is_folder:
            yield f"{path}: a link in place of a folder, and links are not followed"


def _in_hand(workspace: Workspace) -> Iterator[str]:
    for task in workspace.tasks:
        if task.place.stage in ("active", "review"):
            yield f"{task.stem} ({task.place.stage})"


def _twins(workspace: Workspace) -> Iterator[str]:
    stages: dict[str, list[str]] = {}
    for task in workspace.tasks:
        if task.place.kind == "stage" and task.place.stage:
            stages.setdefault(task.stem, []).append(task.place.stage)
    for stem, found in sorted(stages.items()):
        if len(found) > 1:
            yield f"{stem} ({', '.join(sorted(found, key=STAGES.index))})"


def _leftovers(machine: Machine, root: str, workspace: Workspace | None) -> Iterator[str]:
    """Temporaries of moves and initialisations that somebody did not finish."""
    yield from (name for name in machine.list_names(root) if name.startswith(".fcop-init-"))
    for path in sorted(workspace.entries) if workspace else ():
        name = path.rpartition("/")[2]
        if is_temporary(name) or _is_runtime_temporary(name):
            yield path


def _is_runtime_temporary(name: str) -> bool:
    """`name.tmp-<pid>-…`, as the runtime writes before it renames."""
    stem, found, rest = name.rpartition(".tmp-")
    return bool(stem and found) and rest.partition("-")[0].isdigit()


def _git_state(machine: Machine, root: str) -> GitState:
    try:
        repository = git.open_repository(root, machine.environ)
        if not repository.top:
            return GitState(fault="there is no working tree")
        below = os.path.relpath(root, os.path.realpath(repository.top)).replace(os.sep, "/")
        prefix = "" if below == "." else f"{below}/"
        head = git.resolve_commit(repository, "HEAD")
        return GitState(
            head=head,
            tree=git.subtree(repository, head, prefix.rstrip("/")) if head else None,
            shared=git.common_dir(repository),
            top=repository.top,
            prefix=prefix,
            unsaved=git.list_unsaved(repository, prefix),
            stashes=git.count_stashes(repository),
            unpushed=git.count_unpushed(repository),
            worktrees=tuple(path for path in git.list_worktrees(repository) if os.path.realpath(path) != os.path.realpath(repository.top)),
        )
    except git.NotARepositoryError:
        return GitState(fault="no git repository holds it")
    except git.GitError as error:
        return GitState(fault=error.advice)


def _list(machine: Machine, root: Expected, since: int) -> Listing:
    found: dict[str, list[ListedFile]] = {group: [] for group in _GROUPS}
    newer: list[ListedFile] = []
    count = 0
    for file in machine.files_below(root.identity.real, MOST_FILES):
        count += 1
        if file.path.startswith(_STATE) or file.path.startswith(LEASES):
            continue
        found[_group(file.path, root.workspace)].append(file)
        if since and file.written > since:
            newer.append(file)
    groups = {group: (len(files), _digest(files)) for group, files in found.items()}
    newest = sorted(newer, key=lambda file: file.path)
    return Listing(groups, tuple(newest), count < MOST_FILES)


def _group(path: str, workspace: str) -> str:
    if workspace and path.startswith(f"{workspace}/"):
        inside = path[len(workspace) + 1 :]
        first = inside.partition("/")[0]
        if inside.startswith(f"{LIFECYCLE}/inbox/"):
            return "inbox"
        return {LIFECYCLE: "lifecycle", "reports": "reports", "logs": "logs"}.get(first, "manifest" if "/" not in inside else "lifecycle")
    return "logs" if path == "fcop_events.jsonl" else "tree"


def _digest(files: list[ListedFile]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(f"{file.path}\0{file.size}\0{file.written}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]
