"""Two proofs from outside: what the runtime's health answer says, and one piece of work that went all the way in the new root."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import Any

from fcoplint.model.envelope import Task
from fcoplint.model.mcp import Located, read_json
from fcoplint.protocol.paths import Identity
from fcoplint.protocol.times import parse_time
from fcoplint.roots.project import Facts
from fcoplint.roots.stamp import Stamp
from fcoplint.roots.switch import Item, asked, clean, refused, unchecked, unreadable
from fcoplint.source.git import Delta
from fcoplint.source.snapshot import Content

# Roots of the runtime itself, which need not be the project's.
_OWN_ROOTS = frozenset({"host_root", "data_root", "install_root", "open_host_root", "instance_root", "mother_root", "open_root"})
_AGREED = frozenset({"ok", "consistent", "true", "active_project_binding_ok"})
_MOST_DEPTH = 8


def health(
    content: Content | None, name: str | None, target: Facts, stamp: Stamp | None, identify: Callable[[str], Identity | None]
) -> Item:
    """What the health answer says of roots; a question where none was given."""
    if name is None or content is None:
        question = "Does the health endpoint answer with the new root, logical and real, from a process that was started after the switch?"
        return asked("health", question, "save its answer and give it by --health FILE")
    read = read_json(content) if isinstance(content, bytes) else None
    if not isinstance(read, Located) or not isinstance(read.values, dict):
        return unreadable("health", f"{name} cannot be read as a JSON object", "save the whole answer of the endpoint")
    # A list: one root may be told under two spellings of its key.
    fields = list(_fields(read.values))
    faults = [*_root_faults(fields, target, identify), *_binding_faults(fields)]
    if stamp is None and not faults:
        return unchecked("health", "whether the answer came from the new process: no stamp was given to hold its start against")
    faults += _start_faults(fields, stamp) if stamp else []
    if faults:
        return refused(
            "health", "the health answer does not prove the new root", "restart the runtime from the new root, then ask it again", *faults
        )
    return clean("health", "the health answer names the new root, and comes from a process started after the stamp")


def _fields(values: dict[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(key in snake case, value) of everything in the answer, however deep."""
    for key, value in values.items():
        name = "".join(f"_{char.lower()}" if char.isupper() else char for char in key).lstrip("_")
        if isinstance(value, dict) and depth < _MOST_DEPTH and name != "project_binding_consistency":
            yield from _fields(value, depth + 1)
        else:
            yield name, value


def _root_faults(fields: list[tuple[str, Any]], target: Facts, identify: Callable[[str], Identity | None]) -> Iterator[str]:
    roots = [(key, value) for key, value in fields if (key.endswith("_root") and key not in _OWN_ROOTS) or key == "mcp_cwd"]
    if not any(key.endswith("_root") for key, _ in roots):
        yield "it names no root"
    for key, value in roots:
        found = identify(value) if isinstance(value, str) else None
        if found is None or (found.device, found.inode) != (target.root.identity.device, target.root.identity.inode):
            yield f"{key} is {value}"


def _binding_faults(fields: list[tuple[str, Any]]) -> Iterator[str]:
    found = [value for key, value in fields if key == "project_binding_consistency"]
    if not found:
        yield "it does not say project_binding_consistency"
    for said in found:
        values = [said.get(key) for key in ("consistent", "ok", "code", "status") if key in said] if isinstance(said, dict) else [said]
        if not values or not all(str(value).lower() in _AGREED for value in values):
            yield f"project_binding_consistency is {said}"


def _start_faults(fields: list[tuple[str, Any]], stamp: Stamp) -> Iterator[str]:
    started = _moment(next((value for key, value in fields if key == "process_started_at"), None))
    if started is None:
        yield "it does not say process_started_at: the old process may have answered"
    elif started <= stamp.at:
        yield f"the process was started {started.isoformat()}, before the stamp: it is the old one"


def _moment(said: object) -> datetime.datetime | None:
    if isinstance(said, str):
        parsed = parse_time(said)
        return parsed.moment if parsed else None
    if isinstance(said, int | float) and not isinstance(said, bool):
        # Milliseconds, as JavaScript counts, are beyond any year that seconds would give.
        try:
            return datetime.datetime.fromtimestamp(said / 1000 if said > 1e11 else said, datetime.UTC)
        except (ValueError, OverflowError, OSError):
            return None
    return None


def canary(name: str | None, source: Facts, target: Facts, stamp: Stamp | None, commits: list[Delta] | None) -> Item:
    """Whether one TASK, one code change and one REPORT went all the way in the new project.

    `commits` is what changed in its repository since the stamp; None where nobody can tell.
    """
    if name is None:
        question = "Did one small TASK go all the way in the new project: TASK, code change and REPORT, and nothing of it elsewhere?"
        return asked("canary", question, "let a role do one, then give its id by --canary TASK-ID")
    found = [task for task in target.workspace.find(name) if isinstance(task, Task)] if target.workspace else []
    if len({task.stem for task in found}) != 1 or not target.workspace:
        text = f"the new project holds {'no TASK' if not found else 'several TASKs'} of the name {name}"
        return refused("canary", text, "give the whole id of the TASK", *(task.path for task in found))
    task = found[0]
    faults = list(_paper_faults(task, source, target))
    if not faults and (stamp is None or commits is None):
        return unchecked("canary", "whether the canary's code change lies in the new project: that takes a stamp, and a commit at its time")
    faults += _commit_faults(task, target, stamp, commits) if stamp and commits is not None else []
    if faults:
        return refused(
            "canary", f"the canary {task.stem} does not prove the new root", "find where the missing part went before work begins", *faults
        )
    return clean("canary", f"{task.stem} went all the way: TASK, code change and REPORT lie in the new project")


def _paper_faults(task: Task, source: Facts, target: Facts) -> Iterator[str]:
    reports = task.workspace.relations.reports_of(task)
    if not reports:
        yield "no REPORT in the new project refers to it"
    for envelope in (task, *reports):
        said = envelope.text("workspace_id")
        if target.root.workspace_id and said != target.root.workspace_id:
            yield f"{envelope.path} carries another workspace_id: {said}"
    if source.workspace and source.workspace.by_stem.get(task.stem):
        yield f"the old project holds it too: {source.workspace.by_stem[task.stem][0].path}"
    stems = {report.stem for report in reports}
    for stem in sorted(stems & set(source.workspace.by_stem)) if source.workspace else ():
        yield f"the old project holds its REPORT: {stem}"


def _commit_faults(task: Task, target: Facts, stamp: Stamp, commits: list[Delta]) -> Iterator[str]:
    prefix = target.git.prefix
    workspace = f"{prefix}{target.root.workspace}/"
    outside = sorted(delta.path for delta in commits if not delta.path.startswith(prefix))
    code = [delta.path for delta in commits if delta.path.startswith(prefix) and not delta.path.startswith(workspace)]
    names = {delta.path.rpartition("/")[2] for delta in commits if delta.after}
    if f"{task.stem}.md" not in names:
        yield f"no commit since the stamp ({stamp.at.isoformat(timespec='seconds')}) brought this TASK in"
    if not any(f"{report.stem}.md" in names for report in task.workspace.relations.reports_of(task)):
        yield "no commit since the stamp brought its REPORT in"
    if not code:
        yield "no commit since the stamp changed code"
    if outside:
        yield f"the commits since the stamp touched other projects: {', '.join(outside[:3])}"
