"""Roots that a runtime wrote down: instance, locks, registry, agents, and the logs it keeps (roots.md 1, rows 8 to 21)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fcoplint.globs import matcher
from fcoplint.model.mcp import Fault, Located, read_json
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol import machine as records
from fcoplint.protocol.paths import Identity
from fcoplint.protocol.times import parse_time
from fcoplint.roots.components import Aim, Expected, Finding, Sighting, State
from fcoplint.roots.gather import Asked, unreadable_reason
from fcoplint.roots.written import reach_for, sight
from fcoplint.source.machine import Machine
from fcoplint.source.snapshot import Content, Unreadable
from fcoplint.source.worktree import walk

INSTANCE, RUNTIME_LOCK, WRITER_LOCK = ".codeflowmu/instance.json", ".codeflowmu/runtime.lock", ".runtime-writer.lock"
BARE_LOCKS = (".codeflowmu/fcop-init.lock", ".codeflowmu/instance.init.lock")
LEASES = (".codeflowmu/project-write-barrier/leases", ".codeflowmu/project-write-barrier/waiters")
_AGENTS = ("agents.json", ".codeflowmu/agents.json", ".codeflowmu/state/agents.json")
_HOST_KEYS = ("host", "hostname", "machine")
# A number may be given to a new process; clocks of the two records may differ by this much.
_CLOCK_SLACK = 5.0
_EVENTS = "fcop_events.jsonl"
_MOST_LOGS = 14


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who holds a lock or a lease: the file, who wrote it, and whether that process still runs.

    `alive` is None where nobody can tell; `why` says so for people.
    """

    path: str
    what: str
    pid: int | None
    host: str | None
    since: str | None
    alive: bool | None
    why: str
    values: dict[str, Any]


def holders(machine: Machine, root: str) -> list[Holder]:
    """The locks and leases of a project, by path."""
    found = [_holder(machine, root, RUNTIME_LOCK, "runtime"), _holder(machine, root, f"fcop/{WRITER_LOCK}", "writer")]
    found.append(_holder(machine, root, f".codeflowmu/{WRITER_LOCK}", "writer"))
    found += [_holder(machine, root, path, "initialisation") for path in BARE_LOCKS]
    for folder in LEASES:
        kind = "lease" if folder.endswith("leases") else "waiter"
        names = machine.list_names(os.path.join(root, folder))
        found += [_holder(machine, root, f"{folder}/{name}", kind) for name in names if name.endswith(".json")]
    return [holder for holder in found if holder is not None]


def _holder(machine: Machine, root: str, path: str, what: str) -> Holder | None:
    content = machine.read(root, path)
    return None if content is None else _read_holder(machine, path, what, content)


def _read_holder(machine: Machine, path: str, what: str, content: Content) -> Holder:
    if isinstance(content, Unreadable):
        return Holder(path, what, None, None, None, None, unreadable_reason(content), {})
    read = read_json(content)
    values = read.values if isinstance(read, Located) else None
    fields = values if isinstance(values, dict) else {}
    pid = fields.get("pid", values)
    pid = pid if isinstance(pid, int) and not isinstance(pid, bool) and 0 < pid < 2**31 else None
    host = next((str(fields[key]) for key in _HOST_KEYS if isinstance(fields.get(key), str)), None)
    since = fields.get("acquired_at")
    since = since if isinstance(since, str) else None
    alive, why = _liveness(machine, pid, host, since)
    if isinstance(read, Fault):
        why = f"it cannot be read as JSON ({read.detail or read.kind})"
    return Holder(path, what, pid, host, since, alive, why, fields)


def _liveness(machine: Machine, pid: int | None, host: str | None, since: str | None) -> tuple[bool | None, str]:
    if host is not None and host.lower() != machine.host.lower():
        return None, f"it was written on another machine ({host})"
    if pid is None:
        return None, "it names no process"
    alive = machine.is_alive(pid)
    if alive is None:
        return None, "this system cannot be asked for processes"
    if not alive:
        return False, f"process {pid} is gone; the lock was left behind"
    acquired, started = parse_time(since) if since else None, machine.started(pid)
    if acquired and started and (started - acquired.moment).total_seconds() > _CLOCK_SLACK:
        return False, f"process {pid} is younger than the lock: its number was given away again"
    return True, f"process {pid} runs"


def gather_state(machine: Machine, expected: Expected, asked: Asked) -> Iterator[Sighting]:
    """The components that a runtime wrote."""
    root = expected.identity.real
    yield from _instance(machine, root)
    for name, folder, path in _lock_files(machine, root):
        content = machine.read(folder, path)
        yield from _lock(machine, name, content, root, asked)
    yield _registry(machine, root, asked)
    for path in _AGENTS:
        yield from _agents(machine, root, path)


def _instance(machine: Machine, root: str) -> Iterator[Sighting]:
    host = _host_root(machine, root)
    origin = INSTANCE if host == root else os.path.join(host, INSTANCE)
    content = machine.read(host, INSTANCE)
    values = _values(content)
    if content is None:
        yield Sighting("instance.project_root", origin, why="there is no record of an instance")
        return
    if values is None:
        yield _broken("instance.project_root", origin, content)
        return
    yield _field(machine, "instance.project_root", origin, values.get("project_root"), root, host, Aim.ROOT)
    yield _field(machine, "instance.host_root", origin, values.get("host_root"), root, host, Aim.LISTED)


def _host_root(machine: Machine, root: str) -> str:
    """The folder of the runtime: the project's own, unless a variable names another one that is not the user's home."""
    named = machine.environ.get("CODEFLOWMU_HOST_ROOT")
    spot = machine.look(named) if named else None
    return spot.identity.real if spot and spot.identity and spot.is_folder and spot.identity.real != machine.home else root


def _field(machine: Machine, name: str, origin: str, raw: object, root: str, base: str, aim: Aim) -> Sighting:
    if not isinstance(raw, str):
        return Sighting(name, origin, why="the file does not say")
    advice = f"stop the runtime, correct {origin} by its own tools, start it again"
    why = "not compared: it names a folder of a runtime, which need not be the project" if aim is Aim.LISTED else ""
    return sight(machine, name, origin, raw, root=root, base=base, aim=aim, rule="FC731", advice=advice, why=why)


def _lock_files(machine: Machine, root: str) -> Iterator[tuple[str, str, str]]:
    """(component, real folder, path below it) of the locks: two of the project, and that of the data folder."""
    yield f"lock:{RUNTIME_LOCK}", root, RUNTIME_LOCK
    yield f"lock:fcop/{WRITER_LOCK}", root, f"fcop/{WRITER_LOCK}"
    named = machine.environ.get("CODEFLOW_DATA_DIR")
    spot = machine.look(named) if named else machine.look(os.path.join(root, ".codeflowmu"))
    if spot.identity and spot.is_folder and spot.identity.real != machine.home:
        yield f"lock:<data>/{WRITER_LOCK}", spot.identity.real, WRITER_LOCK
    else:
        yield f"lock:<data>/{WRITER_LOCK}", root, f".codeflowmu/{WRITER_LOCK}"


def _lock(machine: Machine, name: str, content: Content | None, root: str, asked: Asked) -> Iterator[Sighting]:
    origin = name.removeprefix("lock:")
    if content is None:
        yield Sighting(name, origin, why="no lock")
        return
    holder = _read_holder(machine, origin, "lock", content)
    if isinstance(content, Unreadable) or not holder.values:
        yield Sighting(name, origin, settled=State.UNRESOLVABLE, why=holder.why or "it holds no JSON object", unreadable=True)
        return
    raw = holder.values.get("project_root")
    raw = raw if isinstance(raw, str) else None
    if holder.alive is False:
        advice = f"see what that run left unfinished, then remove {origin}"
        yield Sighting(name, origin, raw, Aim.ROOT, settled=State.STALE, why=holder.why, rule="FC731", advice=advice)
    elif holder.host is not None and holder.alive is None and holder.host.lower() != machine.host.lower():
        yield Sighting(name, origin, raw, Aim.ROOT, settled=State.UNKNOWN, why=holder.why, rule="FC731", advice=f"look on {holder.host}")
    elif raw is not None:
        advice = f"stop process {holder.pid}, then start it in the right project"
        yield sight(machine, name, origin, raw, root=root, base=root, rule="FC731", advice=advice, why=holder.why)
    else:
        yield Sighting(name, origin, why=f"a lock that names no root; {holder.why}")
    if asked.live:
        yield _live(machine, f"{name}.live.cwd", holder)


def _live(machine: Machine, name: str, holder: Holder) -> Sighting:
    origin = f"process {holder.pid}"
    if holder.pid is None or holder.alive is False:
        return Sighting(name, origin, why=holder.why)
    cwd = machine.cwd_of(holder.pid) if holder.alive else None
    if cwd is None:
        why = holder.why if holder.alive is None else "the working directory of this process cannot be seen (another user's, or not Linux)"
        return Sighting(name, origin, settled=State.UNKNOWN, why=why, advice="ask on that machine")
    return Sighting(name, origin, cwd, Aim.WITHIN, machine.look(cwd), rule="FC731", advice=f"stop process {holder.pid}")


def registry_path(machine: Machine, asked: Asked) -> str | None:
    """The registry of projects that the user points at, by the option or the variable."""
    return asked.registry or machine.environ.get("CODEFLOW_PROJECTS_REGISTRY") or None


def _registry(machine: Machine, root: str, asked: Asked) -> Sighting:
    path = registry_path(machine, asked)
    if path is None:
        return Sighting("registry.active", "registry", why="not looked at; --registry PATH names one")
    spot = machine.look(path)
    content = machine.read_named(spot.logical)
    values = _values(content)
    if content is None:
        state = State.MISSING if spot.trouble == "missing" else State.UNRESOLVABLE
        return Sighting("registry.active", path, settled=state, why="there is no such registry", unreadable=True)
    if values is None:
        return _broken("registry.active", path, content)
    active = values.get("activeProjectId")
    projects = values.get("projects")
    listed = [item for item in projects if isinstance(item, dict)] if isinstance(projects, list) else []
    raw = next((item.get("root") for item in listed if item.get("id") == active), None)
    if not isinstance(raw, str):
        why = f"the active project {active} has no root in the list" if active else "no project is active"
        return Sighting("registry.active", path, str(active), settled=State.UNKNOWN, why=why, rule="FC732", advice=_REGISTRY_ADVICE)
    return sight(machine, "registry.active", path, raw, root=root, base="", rule="FC732", advice=_REGISTRY_ADVICE)


_REGISTRY_ADVICE = "switch to the right project by the runtime's own tools"


def _agents(machine: Machine, root: str, path: str) -> Iterator[Sighting]:
    content = machine.read(root, path)
    if content is None:
        return
    read = read_json(content) if isinstance(content, bytes) else None
    if not isinstance(read, Located):
        yield _broken(f"agents:{path}", path, content)
        return
    items = read.values.get("agents") if isinstance(read.values, dict) else read.values
    for number, item in enumerate(items if isinstance(items, list) else []):
        protocol = item.get("protocol") if isinstance(item, dict) else None
        raw = protocol.get("workspace") if isinstance(protocol, dict) else None
        if isinstance(raw, str):
            known = next((str(item[key]) for key in ("id", "agent_id", "name") if item.get(key)), str(number))
            advice = f"correct protocol.workspace of this agent in {path}"
            name = f"agents[{known}].workspace" if path == _AGENTS[0] else f"agents:{path}[{known}].workspace"
            yield sight(machine, name, path, raw, root=root, base=root, aim=Aim.WITHIN, advice=advice)


def find_record_faults(machine: Machine, expected: Expected, asked: Asked) -> Iterator[Finding]:
    """What the registry, the action logs, the ledger and the audit log tell of other roots (FC732, FC740 to FC742)."""
    yield from _registry_faults(machine, expected.identity, asked)
    if expected.workspace:
        yield from _log_faults(machine, expected)
    ignored = matcher(asked.ignore) if asked.ignore else lambda path: False
    yield from (finding for finding, path in _second_logs(machine, expected.identity.real) if not ignored(path))


def _registry_faults(machine: Machine, root: Identity, asked: Asked) -> Iterator[Finding]:
    path = registry_path(machine, asked)
    values = _values(machine.read_named(machine.look(path).logical)) if path else None

    def identify(text: str) -> Identity | None:
        spot = reach_for(machine, text, root="", base="").spot
        return spot.identity if spot else None

    def workspace_above(text: str) -> str | None:
        found = identify(text)
        owner = machine.owner_of(os.path.dirname(found.real)) if found else None
        if found is None or owner is None:
            return None
        inside = os.path.relpath(found.real, owner.real).replace(os.sep, "/")
        return next((os.path.join(owner.real, name) for name in ("fcop", "docs/agents") if f"{inside}/".startswith(f"{name}/")), None)

    for fault in records.registry_faults(values, root, identify, workspace_above) if values else ():
        # That the active root is another one is told by its component.
        if fault.kind != "default":
            text = _REGISTRY_MESSAGES[fault.kind].format(key=fault.key, value=fault.value, other=fault.other)
            yield Finding("FC732", "error", ("registry.active",), f"{path}: {text}", _REGISTRY_ADVICE)


_REGISTRY_MESSAGES = {
    "not-listed": "the active project {value} is not in the list of projects",
    "missing": "{key} is {value}, and nothing lies there",
    "twice": "{key} is {value}, which is the folder of the project {other} too",
    "inside": "{key} is {value}, which lies inside the workspace {other}",
}


def _log_faults(machine: Machine, expected: Expected) -> Iterator[Finding]:
    root, workspace = expected.identity.real, expected.workspace
    folder = os.path.join(root, workspace)
    opened: Workspace | None = None

    def is_here(name: str) -> bool:
        nonlocal opened
        opened = opened or open_workspace(root, workspace)
        return bool(opened and opened.relations.resolve(name))

    def identify(text: str) -> Identity | None:
        spot = reach_for(machine, text, root=root, base=root).spot
        return spot.identity if spot else None

    names = [name for name in machine.list_names(os.path.join(folder, "logs/runtime")) if name.startswith("actions-")]
    for name in names[-_MOST_LOGS:]:
        path = f"{workspace}/logs/runtime/{name}"
        content = machine.read(root, path)
        if isinstance(content, bytes) and records.ACTION_LOG.fullmatch(path):
            found = list(records.log_faults(records.read_rows(content), expected.identity, identify, is_here))
            yield from _told("FC740", "error", "evidence", path, found, "find out which agent wrote this row, and where its work went")
    for name in ("tasks", "reports", "threads"):
        path = f"{workspace}/ledger/{name}.jsonl"
        content = machine.read(root, path)
        if isinstance(content, bytes):
            rows = list(records.ledger_faults(records.read_rows(content)))
            yield from _told("FC742", "warning", "ledger", path, rows, "rebuild the ledger: it is only a projection of the files")


def _told(
    rule: str, severity: str, component: str, path: str, found: list[tuple[records.Row, records.Fault]], advice: str
) -> Iterator[Finding]:
    for row, fault in found[:3]:
        what = "names an envelope that is not in this project" if fault.kind == "id" else "leads out of the project"
        more = f" ({len(found)} such places in this file)" if len(found) > 1 else ""
        yield Finding(rule, severity, (component,), f"{path}:{row.line}: {fault.key} {fault.value} {what}{more}", advice)


def _second_logs(machine: Machine, root: str) -> Iterator[tuple[Finding, str]]:
    for file in machine.files_below(root, 20_000, depth=3):
        folder, _, name = file.path.rpartition("/")
        if name == _EVENTS and folder:
            owner = machine.owner_of(os.path.join(root, folder))
            if owner is None or owner.real == root:
                text = (
                    f"{file.path} is a second audit log: one tool was started with another root (FCOP_EVENT_LOG, or its working directory)"
                )
                yield Finding("FC741", "warning", ("audit_log",), text, "start every tool with the same root; keep both files"), file.path


def open_workspace(root: str, workspace: str) -> Workspace | None:
    """A project's workspace as it lies on disk, ignored files among them."""
    return Workspaces(walk(root, workspace), Documents()).at(workspace)


def _values(content: Content | None) -> dict[str, Any] | None:
    read = read_json(content) if isinstance(content, bytes) else None
    return read.values if isinstance(read, Located) and isinstance(read.values, dict) else None


def _broken(name: str, origin: str, content: Content) -> Sighting:
    why = "it cannot be read as a JSON object"
    if isinstance(content, Unreadable):
        why = f"it cannot be read: {unreadable_reason(content)}"
    return Sighting(name, origin, settled=State.UNRESOLVABLE, why=why, unreadable=True, advice=f"mend {origin}")
