"""Roots (FC7): what machines leave in a repository: their own state, and what they wrote down about roots (roots.md 1, rows 8 to 19)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Finding, Related, on_path
from fcoplint.model.location import Location
from fcoplint.model.mcp import Located, Value, read_json
from fcoplint.model.nodes import Span
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.machine import (
    ACTION_LOG,
    BINDING_FILES,
    LEDGER,
    STATE_NEEDLES,
    binding_fault,
    ledger_faults,
    log_faults,
    machine_state,
    read_rows,
)  # fmt: skip
from fcoplint.protocol.paths import Identity, parse
from fcoplint.protocol.references import parse_reference

_TEAM_FILE, _RELEASE_FILE = "codeflowmu.team.json", "RELEASE_MANIFEST.json"
_ROOT_KEYS = ("motherRoot", "openRoot")
# Where the files that are committed write the same roots.
_ISOLATION = {_TEAM_FILE: "runtime_isolation", _RELEASE_FILE: "runtimeIsolation"}


@rule("FC730", versions=ANY)
def machine_state_committed(workspaces: Workspaces) -> Iterator[Finding]:
    found = {path: state for path in workspaces.paths_with(*STATE_NEEDLES) if (state := machine_state(path))} if workspaces.found else {}
    # Where git ignores a whole workspace, it was read all the same.
    ignored = workspaces.surroundings.ground.are_ignored(found) if found else frozenset()
    for path, (what, line) in found.items():
        if path not in ignored:
            yield Finding("FC730", Location(path), path, about="state", parameters={"what": what, "line": line})


@rule("FC731", versions=ANY)
def instance_disagrees(workspaces: Workspaces) -> Iterator[Finding]:
    for project in workspaces.projects:
        root = _identity(workspaces, project)
        for name in BINDING_FILES if root else ():
            path = f"{project}/{name}".lstrip("/")
            read = _read(workspaces, path)
            values = read.values if read and isinstance(read.values, dict) else {}
            fault = binding_fault(values, root, lambda text: workspaces.surroundings.ground.identity(parse(text)))
            if fault and read:
                parameters = {"key": fault.key, "value": fault.value, "project": project or "."}
                location = Location(path, read.span(fault.key))
                yield Finding("FC731", location, path, about=fault.value, when="hook", parameters=parameters)


@rule("FC733", versions=ANY)
def committed_roots_disagree(workspaces: Workspaces) -> Iterator[Finding]:
    first: dict[str, tuple[str, Value]] = {}
    for key, path, value in _committed_roots(workspaces) if workspaces.found else ():
        known = first.setdefault(key, (path, value))
        # As text: these files are copies of one decision.
        if known[1].text != value.text:
            related = (Related(Location(known[0], known[1].span), key),)
            parameters = {"key": key, "value": value.text, "other": known[0], "other_value": known[1].text}
            about = f"{key}={value.text}"
            yield Finding("FC733", Location(path, value.span), path, about, "default", "", parameters, related)


@rule("FC740", versions=ANY)
def log_row_outside(workspace: Workspace) -> Iterator[Finding]:
    ground = workspace.state.surroundings.ground
    for path in _tracked(workspace, ACTION_LOG):
        rows = read_rows(workspace.state.content(path) or b"")
        root = _identity(workspace.state, workspace.project)
        found = log_faults(rows, root, lambda text: ground.identity(parse(text)), lambda name: _is_here(workspace, name))
        for row, fault in found:
            about, span = f"{fault.key}={fault.value}", Span(row.line, 1, row.line, 1)
            yield on_path(workspace, "FC740", path, span, about=about, message=fault.kind, key=fault.key, value=fault.value)


@rule("FC742", versions=ANY)
def ledger_path_outside(workspace: Workspace) -> Iterator[Finding]:
    for path in _tracked(workspace, LEDGER):
        for row, fault in ledger_faults(read_rows(workspace.state.content(path) or b"")):
            span = Span(row.line, 1, row.line, 1)
            yield on_path(workspace, "FC742", path, span, about=f"{fault.key}={fault.value}", key=fault.key, value=fault.value)


def _tracked(workspace: Workspace, pattern: re.Pattern[str]) -> list[str]:
    return sorted(path for path in workspace.entries if path.endswith(".jsonl") and pattern.fullmatch(path))


def _is_here(workspace: Workspace, name: str) -> bool:
    """Whether an id leads to an envelope of the workspace; what is no envelope's id is not asked for."""
    target = parse_reference(name)
    return target is None or not target.is_dated or bool(workspace.relations.resolve(name))


def _identity(state: Workspaces, project: str) -> Identity | None:
    ground = state.surroundings.ground
    return ground.identity(parse(ground.location).joined(*project.split("/"))) if ground.location is not None else None


def _read(state: Workspaces, path: str) -> Located | None:
    content = state.content(path)
    read = read_json(content) if content is not None else None
    return read if isinstance(read, Located) else None


def _committed_roots(state: Workspaces) -> Iterator[tuple[str, str, Value]]:
    """(key, path, value) of every root that the committed files of a release write down."""
    for path in state.paths_with(*_ISOLATION, "agents.json"):
        folder, _, name = path.rpartition("/")
        if name not in (*_ISOLATION, "agents.json"):
            continue
        read = _read(state, path)
        for key in _ROOT_KEYS if read and name in _ISOLATION else ():
            value = read.text(_ISOLATION[name], key) if read else None
            if value:
                yield f"{folder}/{key}".lstrip("/"), path, value
        if name == "agents.json" and read and isinstance(read.values, list):
            found = (read.text(number, "protocol", "workspace") for number in range(len(read.values)))
            yield from (("protocol.workspace", path, value) for value in found if value)
