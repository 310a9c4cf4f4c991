"""Roots (FC7): which project the configured FCoP servers work in: `.cursor/mcp.json` and its kin (roots.md 5a, FC720 to FC723)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Edit, Finding, Fix, Related
from fcoplint.model.location import Location
from fcoplint.model.mcp import DEPRECATED_VARIABLE, ROOT_VARIABLES, Configuration, Server, Value, is_configuration, read_configuration
from fcoplint.model.nodes import Span
from fcoplint.model.targets import belongs
from fcoplint.model.workspace import Workspaces
from fcoplint.protocol.paths import Form, Identity, Verdict, WrittenPath, below, judge, parse, resolve_below
from fcoplint.protocol.places import project_of
from fcoplint.source.snapshot import Kind

_FILES = ("mcp.json", ".code-workspace", ".vscode/settings.json")
_PROJECT_DIR, _PROJECT_PATH, _EVENT_LOG = ROOT_VARIABLES
_ENVIRONMENT = re.compile(r"\.env(?:\.[\w.-]+)?")
_ASSIGNED = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=")
# A path of the snapshot, or an absolute one of this machine or another; None where a variable hides it.
Target = str | WrittenPath | None


class Binding(NamedTuple):
    """One value of a server entry that chooses a root, and where it leads: `target` is that of the project it means."""

    key: str
    value: Value
    target: Target
    in_workspace: bool


@dataclass(frozen=True)
class Entry:
    """A server entry that starts FCoP, with the folder of the project that its file is for."""

    path: str
    base: str
    project: str
    server: Server
    bindings: tuple[Binding, ...]


@rule("FC720", "FC721", "FC723", versions=ANY)
def bindings(workspaces: Workspaces) -> Iterator[Finding]:
    for entry in find_entries(workspaces):
        wrong = [_ends_in_workspace(workspaces, entry, binding) for binding in entry.bindings if binding.in_workspace]
        wrong += _disagreements(workspaces, entry)
        yield from wrong or _elsewhere(workspaces, entry)


@rule("FC722", versions=ANY)
def deprecated_variable(workspaces: Workspaces) -> Iterator[Finding]:
    for entry in find_entries(workspaces):
        if DEPRECATED_VARIABLE in entry.server.env:
            span = entry.server.env_keys[DEPRECATED_VARIABLE]
            edit = Edit(entry.path, span, json.dumps(_PROJECT_DIR))
            fix = Fix((edit,), "safe") if _PROJECT_DIR not in entry.server.env and _is_known(span) else None
            yield _on(entry, "FC722", span, about=entry.server.name, fix=fix, variable=DEPRECATED_VARIABLE, new=_PROJECT_DIR)
    for path in workspaces.paths_with(".env") if workspaces.found else ():
        if _ENVIRONMENT.fullmatch(path.rpartition("/")[2]):
            yield from _deprecated_in_environment(path, workspaces.content(path))


def find_entries(state: Workspaces) -> list[Entry]:
    """The FCoP servers that a snapshot's files configure for its projects."""
    found: list[Entry] = []
    for path in state.paths_with(*_FILES) if state.found else ():
        if not is_configuration(path) or state.snapshot.entries[path].kind is not Kind.FILE:
            continue
        base = _base(path)
        project = state.project_at(base)
        content = state.content(path)
        if content is None or (project is None and not any(belongs(known, base) for known in state.projects)):
            continue
        found.extend(_entries(state, read_configuration(path, content), base, base if project is None else project))
    return found


def bound_projects(state: Workspaces) -> set[str]:
    """The project folders to which some server entry binds expressly."""
    return {
        binding.target
        for entry in find_entries(state)
        for binding in entry.bindings
        if binding.key != "cwd" and isinstance(binding.target, str) and binding.target in state.projects
    }


def compare(state: Workspaces, one: Target, other: Target) -> Verdict:
    """Whether two targets are one folder: by the tree, by the disk, by what is declared; never by text alone."""
    if one is None or other is None:
        return Verdict.UNKNOWN
    if isinstance(one, str) and isinstance(other, str):
        return Verdict.SAME if one == other else Verdict.DIFFERENT
    if isinstance(one, str) or isinstance(other, str):
        path, written = (one, other) if isinstance(one, str) else (other, one)
        if isinstance(path, str) and isinstance(written, WrittenPath):
            return Verdict.DIFFERENT if _is_foreign(state, written) else judge(_identity(state, path), _identity(state, written))
        return Verdict.UNKNOWN
    return Verdict.SAME if below(one, other) == () else judge(_identity(state, one), _identity(state, other))


def _entries(state: Workspaces, file: Configuration, base: str, project: str) -> Iterator[Entry]:
    for server in file.servers:
        if server.is_fcop:
            cwd = _target(state, base, base, parse(server.cwd.text)) if server.cwd else base
            start = cwd if isinstance(cwd, str) else None
            keys = {key for key, _ in server.bindings()}
            replaced = f"env.{DEPRECATED_VARIABLE}" if f"env.{_PROJECT_DIR}" in keys else ""
            found = (_bind(state, base, start, key, value) for key, value in server.bindings() if key != replaced)
            yield Entry(file.path, base, project, server, tuple(found))


def _bind(state: Workspaces, base: str, start: str | None, key: str, value: Value) -> Binding:
    path = parse(value.text)
    if key == f"env.{_EVENT_LOG}":
        folder = _target(state, base, start, replace(path, parts=path.parts[:-1]))
        # Anywhere inside a project is well.
        project = state.project_at(folder) if isinstance(folder, str) else None
        return Binding(key, value, folder if project is None else project, in_workspace=False)
    target = _target(state, base, base if key == "cwd" else start, path)
    if isinstance(target, str) and target and state.at(target) is not None:
        return Binding(key, value, project_of(target), in_workspace=True)
    return Binding(key, value, target, in_workspace=False)


def _target(state: Workspaces, base: str, start: str | None, path: WrittenPath) -> Target:
    """Where a value leads: `start` is the folder in which the server runs, `base` the one that the editor opens."""
    if any("$" in part or "%" in part for part in path.parts):
        return None
    if path.is_project:
        return resolve_below(base, path.parts)
    if path.is_relative:
        inside = resolve_below(start, path.parts) if start is not None else None
        ground = state.surroundings.ground
        if inside is not None or start is None or ground.location is None:
            return inside
        return parse(ground.location).joined(*filter(None, start.split("/")), *path.parts)
    if path.form is Form.VARIABLE and not path.is_home:
        return None
    return _into_tree(state, path)


def _into_tree(state: Workspaces, path: WrittenPath) -> Target:
    """An absolute path as one of the snapshot where the disk, or a declared home root, says that it lies there."""
    ground = state.surroundings.ground
    for count in range(len(path.parts), -1, -1):
        # What is not there may still lie in what is.
        found = ground.identity(replace(path, parts=path.parts[:count]))
        inner = below(parse(found.real), parse(ground.location)) if found and ground.location is not None else None
        if inner is not None:
            return resolve_below("/".join(inner), path.parts[count:])
        if found:
            return path
    for root in state.policy.roots.home:
        inner = below(path, parse(root))
        if inner is not None and not ground.above:
            return "/".join(inner)
    return path


def _ends_in_workspace(state: Workspaces, entry: Entry, binding: Binding) -> Finding:
    text = binding.value.text
    cut = re.sub(r"[\\/]+(?:fcop|docs[\\/]+agents)[\\/]*\Z", "", text)
    fix = None
    if cut != text and cut and _is_known(binding.value.span) and binding.key != "args.--root":
        fix = Fix((Edit(entry.path, binding.value.span, json.dumps(cut, ensure_ascii=False)),), "unsafe")
    return _on(entry, "FC723", binding.value.span, about=_about(entry, binding), fix=fix, key=binding.key, value=text, root=cut or ".")


def _disagreements(state: Workspaces, entry: Entry) -> Iterator[Finding]:
    first, *others = [binding for binding in entry.bindings if binding.target is not None] or (None,)
    for binding in others:
        if first and binding and compare(state, first.target, binding.target) is Verdict.DIFFERENT:
            yield _on(
                entry, "FC721", binding.value.span, about=_about(entry, binding),
                related=(Related(Location(entry.path, first.value.span), first.key),),
                key=binding.key, value=binding.value.text, other=first.key, other_value=first.value.text,
            )  # fmt: skip


def _elsewhere(state: Workspaces, entry: Entry) -> Iterator[Finding]:
    told: list[Target] = []
    for binding in entry.bindings:
        # A working directory alone binds nothing where something else chooses the root.
        if binding.target is None or binding.target in told or _is_bound_well(state, entry, binding.target):
            continue
        told.append(binding.target)
        message, when = _where(state, entry, binding.target)
        yield _on(
            entry, "FC720", binding.value.span, about=_about(entry, binding), message=message, when=when,
            key=binding.key, value=binding.value.text, project=entry.project or ".", server=entry.server.name,
        )  # fmt: skip


def _is_bound_well(state: Workspaces, entry: Entry, target: Target) -> bool:
    if entry.project not in state.projects:
        # The file lies above every project: it may bind any of them.
        return isinstance(target, str) and target in state.projects
    return compare(state, entry.project, target) is Verdict.SAME


def _where(state: Workspaces, entry: Entry, target: Target) -> tuple[str, str]:
    """(message, severity's condition) of a binding that does not lead to its project."""
    missing = "missing, or another machine"
    if isinstance(target, str):
        return ("default", "") if state.holds(target) else ("missing", missing)
    if compare(state, entry.project, target) is Verdict.DIFFERENT:
        return "default", ""
    here = target is not None and target.form is Form.POSIX and state.surroundings.ground.location is not None
    return ("missing" if here else "machine"), missing


def _identity(state: Workspaces, target: str | WrittenPath) -> Identity | None:
    ground = state.surroundings.ground
    if isinstance(target, WrittenPath):
        return ground.identity(target)
    return ground.identity(parse(ground.location).joined(*target.split("/"))) if ground.location is not None else None


def _is_foreign(state: Workspaces, path: WrittenPath) -> bool:
    return any(below(path, parse(root)) is not None for root in state.policy.roots.foreign)


def _deprecated_in_environment(path: str, content: bytes | None) -> Iterator[Finding]:
    """Names only: the values of such a file are nobody's business."""
    lines = content.decode("utf-8", "replace").split("\n") if content and DEPRECATED_VARIABLE.encode() in content else []
    assigned = {match["name"]: (number, match) for number, line in enumerate(lines, 1) if (match := _ASSIGNED.match(line))}
    if DEPRECATED_VARIABLE in assigned:
        number, match = assigned[DEPRECATED_VARIABLE]
        span = Span(number, match.start("name") + 1, number, match.end("name") + 1)
        fix = None if _PROJECT_DIR in assigned else Fix((Edit(path, span, _PROJECT_DIR),), "safe")
        parameters = {"variable": DEPRECATED_VARIABLE, "new": _PROJECT_DIR}
        yield Finding("FC722", Location(path, span), path, about="environment", parameters=parameters, fix=fix)


def _on(
    entry: Entry, code: str, span: Span, *, about: str, message: str = "default", when: str = "", fix: Fix | None = None,
    related: tuple[Related, ...] = (), **parameters: object,
) -> Finding:  # fmt: skip
    parameters.setdefault("server", entry.server.name)
    return Finding(code, Location(entry.path, span), entry.path, about, message, when, parameters, related, fix=fix)


def _about(entry: Entry, binding: Binding) -> str:
    return f"{entry.server.name} {binding.key}={binding.value.text}"


def _is_known(span: Span) -> bool:
    """Whether a value's place could be told; where not, it stands at the beginning of the file."""
    return span != Span(1, 1, 1, 1)


def _base(path: str) -> str:
    """The folder that an editor opens to find this file."""
    folder = path.rpartition("/")[0]
    return folder.rpartition("/")[0] if folder.rpartition("/")[2] in (".cursor", ".vscode") else folder
