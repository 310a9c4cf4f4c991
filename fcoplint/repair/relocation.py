"""Moves a workspace's root to where FCoP 3 has it, by the discipline of the conversion ADR (roots.md 4).

The same place is no operation; whoever holds a pointer that would go stale is a reason to refuse; contents are never touched; the
flip is one rename; old proofs are void afterwards; what is not moved is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from fcoplint import atomic
from fcoplint.model.envelope import Task
from fcoplint.model.workspace import Workspace
from fcoplint.outcome import Held, Outcome, Plan, Refusal, Remove, RemoveFolder, Rename, State, Step
from fcoplint.protocol.places import is_temporary
from fcoplint.protocol.stages import OPEN_STAGES
from fcoplint.repair import conditions, troubles
from fcoplint.repair.execution import execute
from fcoplint.repair.scene import Scene
from fcoplint.repair.verdict import Judge, refuse, remarks
from fcoplint.source import git
from fcoplint.source.snapshot import Kind, read_one

COMMAND = "relocate"
TARGET = "fcop"
# Where an inner workspace waits while the folder around it goes; beside both, so on the same file system.
WAITING = ".fcop-relocate"
_RECOVER = ("fcoplint", "recover", "--apply")
# Files that may name a workspace's folder, and are nobody's envelope: they are only told of.
_POINTERS = (
    ".mcp.json",
    ".cursor/",
    ".vscode/",
    "AGENTS.md",
    "CLAUDE.md",
    ".fcoplint.toml",
    "pyproject.toml",
    ".gitignore",
    ".gitattributes",
)


def relocate(
    scene: Scene, environ: Mapping[str, str], *, root: str | None = None, stages_in_git: bool = True, dry_run: bool = False
) -> Outcome:
    """Move a workspace (by its folder, where there are several) to `fcop`, or say why not. May raise GitError while it looks."""
    try:
        planned = plan_relocation(scene, environ, root, stages_in_git=stages_in_git)
    except OSError as error:
        planned = troubles.while_looking(error)
    if isinstance(planned, Refusal):
        return planned.outcome(COMMAND)
    if isinstance(planned, Outcome):
        return planned
    if dry_run:
        return Outcome(COMMAND, State.PLANNED, "planned", f"would do: {planned.summary}", plan=planned, notes=planned.notes)
    return execute(planned, scene.site(planned.workspace))


def plan_relocation(scene: Scene, environ: Mapping[str, str], root: str | None, *, stages_in_git: bool = True) -> Plan | Outcome | Refusal:
    """The plan of a relocation, an outcome where the workspace lies there already, or the refusal; nothing is written."""
    workspace = _choose(scene, root)
    if isinstance(workspace, Refusal):
        return workspace
    target = _target(workspace)
    if workspace.root == target:
        return Outcome(COMMAND, State.NOTHING, "already-there", f"the workspace lies at {target} already; no change", (target,))
    refused = (
        conditions.refuse_version(workspace.version, "create_workspace")
        or conditions.refuse_here(scene, workspace.root, environ)
        or _refuse_holders(workspace)
        or _refuse_leftovers(scene, workspace)
        or _refuse_target(scene, workspace, target)
    )
    if refused:
        return refused
    staged = _staging(scene, workspace, target) if stages_in_git else {}
    if isinstance(staged, Refusal):
        return staged
    found = Judge(scene).brought_in(scene.with_changes(_moved(scene, workspace, target)), {workspace.root: target})
    against = [item for item in found if item.severity == "error"]
    if against:
        return refuse("forbidden", against)
    steps = (*_steps(scene, workspace.root, target), *_stamps(scene))
    notes = (*_not_moved(scene, workspace, target), *remarks(found))
    return Plan(COMMAND, scene.root, target, f"{workspace.root} is now {target}", steps, staged, notes, workspace.root)


def _choose(scene: Scene, root: str | None) -> Workspace | Refusal:
    fitting = [workspace for workspace in scene.state if root in (None, workspace.root)]
    roots = tuple(workspace.root or "." for workspace in scene.state)
    nested = tuple(inner for workspace in scene.state for inner in workspace.nested)
    if nested:
        message = "a workspace lies inside another one, and both hold protocol files; which one holds, a person must decide"
        return Refusal("nested", message, (*roots, *nested), ("fcoplint", "explain", "FC701"), State.UNDECIDED)
    if len(fitting) == 1:
        beside = [other for other in scene.state if other is not fitting[0] and other.root == _target(fitting[0])]
        if beside:
            message = f"{beside[0].root} is a workspace, too; which of the two holds, a person must decide"
            return Refusal("two-layouts", message, roots, ("fcoplint", "explain", "FC702"), State.UNDECIDED)
        return fitting[0]
    # Of an old and a new layout side by side the one that is asked about is neither.
    message = "there are several workspaces; say which with --workspace" if fitting else "there is no FCoP workspace here"
    return Refusal("which-workspace", message, roots, ("fcoplint", "status"), State.MISUSED)


def _target(workspace: Workspace) -> str:
    """Where the workspace is to lie: `fcop` in its project; an inner `fcop/fcop` takes the place of the outer folder."""
    project = workspace.project
    if project == TARGET or project.endswith(f"/{TARGET}"):
        return project
    return f"{project}/{TARGET}" if project else TARGET


def _refuse_holders(workspace: Workspace) -> Refusal | None:
    in_hand = tuple(
        f"{task.stem} ({task.place.stage})" for task in workspace.tasks if isinstance(task, Task) and task.place.stage in OPEN_STAGES[1:]
    )
    if not in_hand:
        return None
    message = (
        "these TASKs are in somebody's hands, and whoever holds one would go on with the old path; let them be done, or sent back, first"
    )
    return Refusal("in-hand", message, in_hand, ("fcoplint", "status"))


def _refuse_leftovers(scene: Scene, workspace: Workspace) -> Refusal | None:
    left = {path for path in workspace.entries if is_temporary(path.rpartition("/")[2])}
    for folder in {path.rpartition("/")[0] for path in workspace.entries}:
        left |= {f"{folder}/{name}" for name in scene.machine.list_names(scene.full(folder)) if is_temporary(name)}
    doubles = (copy.path for copies in workspace.by_stem.values() if len(copies) > 1 for copy in copies)
    evidence = (*sorted(left), *doubles)
    if not evidence:
        return None
    return Refusal("leftovers", "what an earlier write left behind must be put right first", evidence, ("fcoplint", "recover"))


def _refuse_target(scene: Scene, workspace: Workspace, target: str) -> Refusal | None:
    if _is_inner(workspace.root, target):
        others = [name for name in scene.machine.list_names(scene.full(target)) if f"{target}/{name}" != workspace.root]
        waiting = _waiting(target)
        if others or os.path.lexists(scene.full(waiting)):
            evidence = (*(f"{target}/{name}" for name in others), *((waiting,) if os.path.lexists(scene.full(waiting)) else ()))
            return Refusal("taken", f"beside the workspace there is more in {target}; move that away first", evidence)
    elif os.path.lexists(scene.full(target)):
        return Refusal("taken", f"something stands at {target} already; nothing is ever overwritten", (target,))
    root, beside = scene.full(workspace.root), os.path.dirname(scene.full(target))
    if os.path.islink(root) or os.lstat(root).st_dev != os.stat(beside).st_dev:
        message = "the workspace is a link or a mount of its own; no rename can move it in one step"
        return Refusal("other-device", message, (workspace.root,))
    return None


def _is_inner(root: str, target: str) -> bool:
    return root.startswith(f"{target}/")


def _waiting(target: str) -> str:
    folder = target.rpartition("/")[0]
    return f"{folder}/{WAITING}" if folder else WAITING


def _steps(scene: Scene, root: str, target: str) -> Iterator[Step]:
    if _is_inner(root, target):
        yield from (Rename(root, _waiting(target)), RemoveFolder(target), Rename(_waiting(target), target))
        return
    yield Rename(root, target)
    above = root.rpartition("/")[0]
    if above and scene.machine.list_names(scene.full(above)) == [root.rpartition("/")[2]]:
        yield RemoveFolder(above)


def _stamps(scene: Scene) -> Iterator[Remove]:
    """What this tool remembers of the project in the git directory: proofs about the old place are none about the new one."""
    if scene.repository is None:
        return
    folder = git.path_in_git_dir(scene.repository, "fcoplint")
    for name in scene.machine.list_names(folder):
        if name.startswith("valid-"):
            yield Remove(os.path.relpath(os.path.join(folder, name), scene.root), atomic.digest_of(os.path.join(folder, name)))


def _new_path(workspace: Workspace, path: str, target: str) -> str:
    return f"{target}/{workspace.relative(path)}"


def _moved(scene: Scene, workspace: Workspace, target: str) -> dict[str, bytes | None]:
    """The planned state: every file of the workspace at its new path."""
    changes: dict[str, bytes | None] = {}
    for path, entry in workspace.entries.items():
        content = read_one(scene.now, path) if entry.kind is Kind.FILE else None
        changes[path] = None
        if isinstance(content, bytes):
            changes[_new_path(workspace, path, target)] = content
    return changes


def _staging(scene: Scene, workspace: Workspace, target: str) -> dict[str, Held | None] | Refusal:
    if scene.repository is None:
        return {}
    for path, held in git.tracked_below(scene.repository, workspace.root).items():
        if len(held) > 1 or held[0].stage != "0" or held[0].is_hidden:
            message = f"{path} is in a merge conflict, or git was told not to look at it"
            return Refusal("unmerged", message, (path,), ("git", "status", "--short", "--", path))
    return restage(scene.repository, workspace.root, target)


def restage(repository: git.Repository, root: str, target: str) -> dict[str, Held | None]:
    """The index with every entry below `root` under its new path instead, and with the content that it has."""
    staged: dict[str, Held | None] = {}
    for path, held in git.tracked_below(repository, root).items():
        staged[path] = None
        staged[f"{target}{path[len(root) :]}"] = Held(held[0].mode, held[0].oid)
    return staged


def _not_moved(scene: Scene, workspace: Workspace, target: str) -> Iterator[str]:
    yield f"not moved: product code, and all else outside {workspace.root}"
    yield "void now: stamps of `fcoplint roots --stamp` about this project"
    pointing = sorted(path for path in scene.now.entries if path.startswith(_POINTERS) and _mentions(scene, path, workspace.root))
    if pointing:
        yield f"not changed, although they name {workspace.root}: {', '.join(pointing)}"
    citing = [envelope.stem for envelope in workspace.envelopes if _mentions(scene, envelope.path, f"{workspace.root}/")]
    if citing:
        yield f"left as written: {len(citing)} envelopes cite paths below {workspace.root}"
    if scene.repository is None:
        return
    unsaved = git.list_unsaved(scene.repository, f"{workspace.root}/")
    loose = sorted({*unsaved.modified, *unsaved.untracked})
    if loose:
        yield f"moved with their folder, but not committed: {', '.join(loose[:3])}" + (
            f" and {len(loose) - 3} more" if len(loose) > 3 else ""
        )
    others = [path for path in git.list_worktrees(scene.repository) if os.path.realpath(path) != scene.root]
    if others:
        yield f"not moved in other working trees of this repository: {', '.join(others)}"
    yield f"to commit this alone: git commit --only -- {workspace.root} {target}"


def _mentions(scene: Scene, path: str, text: str) -> bool:
    content = read_one(scene.now, path)
    return isinstance(content, bytes) and os.fsencode(text) in content
