"""Roots (FC7): is it all one project? Where workspaces lie, and what lies beside them (roots.md 5a)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.checks.registry import ANY, V3, rule
from fcoplint.checks.roots_bindings import bound_projects
from fcoplint.findings import Finding, Related, on, on_path
from fcoplint.model.change import Change
from fcoplint.model.location import Location
from fcoplint.model.mcp import Located, read_json
from fcoplint.model.targets import belongs
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.names import claimed_kind
from fcoplint.protocol.paths import below, is_protected, parse, resolve_below
from fcoplint.protocol.places import is_marker, is_workspace_folder, place_of

_LITERAL = re.compile(r"\$\{[^{}/]*\}|%\w+%")
_TOOL_FOLDERS = (".cursor", "fcop_events.jsonl", ".mcp.json", ".codeflowmu")
# What the reference's server 3.x looks for, walking up from where it was started (server.py L51-55).
_DETECTED_BY = ("docs/agents/fcop.json", ".cursor/rules/fcop-rules.mdc", "docs/agents/tasks")
AUDIT_LOG = "fcop_events.jsonl"
_BOUNDARY = ".codeflowmu/open-boundary.json"
# The folders of an installation in which projects may lie.
_PROJECT_FOLDERS = ("projects", "workspace")
_FIXTURES = frozenset({"fixtures", "__fixtures__", "testdata", "test", "tests", "examples"})


@rule("FC701", versions=ANY)
def nested_workspace(workspace: Workspace) -> Iterator[Finding]:
    for root in workspace.nested:
        inside = sorted(path for path in workspace.snapshot.entries if path.startswith(f"{root}/"))
        # What lies deeper in a third workspace does not look like an envelope from here.
        envelopes = [path for path in inside if _is_envelope(path[len(root) + 1 :])]
        for path in envelopes or [root]:
            yield on_path(workspace, "FC701", path, about="nested", inner=root, outer=workspace.root or ".")


@rule("FC702", versions=ANY)
def two_layouts(workspaces: Workspaces) -> Iterator[Finding]:
    for project, found in workspaces.projects.items():
        first = found[0]
        other = "fcop" if first.root.endswith("docs/agents") else "docs/agents"
        folder = f"{project}/{other}" if project else other
        if len(found) > 1:
            yield on_path(
                found[1], "FC702", found[0].root, about="both", when="both hold protocol files", message="both", other=found[1].root
            )
        elif first.root and workspaces.holds(folder) and folder not in workspaces.snapshot.entries:
            yield on_path(first, "FC702", folder, about="prose", message="prose", other=first.root)


@rule("FC703", versions=ANY, additive=True)
def two_workspaces_one_commit(change: Change) -> Iterator[Finding]:
    if not change.before.found:
        # The first import may bring any number of them.
        return
    touched: dict[str, tuple[Workspace, str]] = {}
    for before, after in change.workspaces():
        side = after or before
        path = _touched_envelope(change, before, after)
        if side is not None and path is not None and not change.after.surroundings.ignores(path):
            # A project that moves to another layout has two workspaces for one commit.
            touched.setdefault(side.project, (side, path))
    found = sorted(touched.values(), key=lambda item: item[1])
    for workspace, path in found[1:]:
        first, place = found[0]
        related = (Related(Location(place), "the other workspace"),)
        yield on_path(workspace, "FC703", path, about="two", related=related, other=first.root or ".")


@rule("FC724", versions=ANY)
def literal_placeholder_folder(workspaces: Workspaces) -> Iterator[Finding]:
    told: set[str] = set()
    for path in workspaces.paths_with("${", "%") if workspaces.found else ():
        parts = path.split("/")
        at = next((number for number, part in enumerate(parts[:-1]) if _LITERAL.fullmatch(part)), None)
        if at is None or not _is_protocol_file(parts[at + 1 :]):
            continue
        folder = "/".join(parts[: at + 1])
        if folder not in told:
            told.add(folder)
            yield Finding("FC724", Location(folder), folder, about="literal", parameters={"folder": parts[at], "file": path})


@rule("FC725", versions=V3)
def detection_lands_elsewhere(workspace: Workspace) -> Iterator[Finding]:
    if not workspace.project or not workspace.root.endswith("fcop"):
        return
    state, folder = workspace.state, workspace.project
    while True:
        marker = next((f"{folder}/{name}".lstrip("/") for name in _DETECTED_BY if state.holds(f"{folder}/{name}".lstrip("/"))), None)
        if marker:
            break
        if not folder:
            # What lies above the repository is not known here.
            return
        folder = folder.rpartition("/")[0]
    if folder != workspace.project and workspace.project not in bound_projects(state):
        related = (Related(Location(marker), "what is found"),)
        where = workspace.manifest_path if workspace.manifest else workspace.root
        yield on_path(workspace, "FC725", where, about=folder or ".", related=related, found=folder or ".", marker=marker)


@rule("FC726", versions=ANY)
def protected_root(workspace: Workspace) -> Iterator[Finding]:
    ground = workspace.state.surroundings.ground
    allowed = workspace.policy.roots.allow_protected
    if ground.location is None or allowed is True:
        return
    climb = (".." for _ in range(workspace.state.names_above if not workspace.root else 0))
    root = parse(ground.location).joined(*workspace.project.split("/"), *climb)
    exempt = any(below(root, parse(text)) == () for text in allowed or ())
    if is_protected(root, ground.homes) and not exempt:
        yield on_path(workspace, "FC726", workspace.manifest_path, about="protected", root=root.text)


@rule("FC734", versions=ANY)
def install_root_written(workspace: Workspace) -> Iterator[Finding]:
    for root in _install_roots(workspace.state):
        inner = workspace.project[len(root) :].strip("/").split("/")
        if belongs(workspace.project, root) and not (inner[0] in _PROJECT_FOLDERS and len(inner) > 1):
            for envelope in workspace.envelopes:
                yield on(envelope, "FC734", envelope.file, about="install root", root=root or ".")


@rule("FC741", versions=ANY)
def two_audit_logs(workspaces: Workspaces) -> Iterator[Finding]:
    if not workspaces.found:
        return
    for path in workspaces.paths_with(AUDIT_LOG):
        folder, _, name = path.rpartition("/")
        if name == AUDIT_LOG and folder not in workspaces.projects and _FIXTURES.isdisjoint(folder.split("/")):
            yield Finding("FC741", Location(path), path, about="log", parameters=_project_named(workspaces, folder))
    told: set[str] = set()
    for path in workspaces.paths_with("/alerts/ALERT-"):
        folder = path.rpartition("/alerts/")[0]
        elsewhere = workspaces.at(folder) is None and not any(belongs(folder, workspace.root) for workspace in workspaces)
        if is_workspace_folder(folder) and elsewhere and folder not in told and _FIXTURES.isdisjoint(folder.split("/")):
            told.add(folder)
            yield Finding(
                "FC741",
                Location(f"{folder}/alerts"),
                folder,
                about="alerts",
                message="alerts",
                parameters=_project_named(workspaces, folder),
            )


def _is_envelope(relative: str) -> bool:
    return place_of(relative).holds_envelopes and claimed_kind(relative.rpartition("/")[2]) is not None


def _touched_envelope(change: Change, before: Workspace | None, after: Workspace | None) -> str | None:
    """The first changed path of an envelope of a workspace, of the side after where there is one."""
    for side in (after, before):
        paths = [envelope.path for envelope in side.envelopes if envelope.path in change.changed_paths] if side else []
        if paths:
            return paths[0]
    return None


def _is_protocol_file(inner: list[str]) -> bool:
    """Whether a path below a folder is one that tools of FCoP or Cursor leave there."""
    if inner[0] in _TOOL_FOLDERS:
        return True
    roots = ["/".join(inner[:count]) for count in range(1, len(inner)) if is_workspace_folder("/".join(inner[:count]))]
    return any(is_marker("/".join(inner)[len(root) + 1 :]) for root in roots)


def _install_roots(state: Workspaces) -> Iterator[str]:
    """The folders that a committed boundary declares as those of an installed tool."""
    for path in state.paths_with(_BOUNDARY):
        content = state.content(path) if path.endswith(_BOUNDARY) else None
        boundary = read_json(content) if content is not None else None
        said = boundary.text("installRoot") if isinstance(boundary, Located) else None
        written = parse(said.text) if said else None
        if written and written.is_relative:
            found = resolve_below(path[: -len(_BOUNDARY)].rstrip("/"), written.parts)
            if found is not None:
                yield found


def _project_named(workspaces: Workspaces, folder: str) -> dict[str, object]:
    """The project that something in a folder should belong to."""
    return {"project": workspaces.project_at(folder) or next(iter(workspaces.projects)) or "."}
