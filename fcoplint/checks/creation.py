"""The creation of a TASK (FC555) and its cold copy (FC556): is the order still the one that was given? (F4.8, F4.4.6)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on, on_path
from fcoplint.model.envelope import Task
from fcoplint.model.facts import CreateFact
from fcoplint.model.location import Location
from fcoplint.model.nodes import as_plain
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.digests import create_key, request_digest
from fcoplint.protocol.facts import CREATE_CONTRACT, CREATE_KIND, is_digest
from fcoplint.protocol.stages import TERMINAL

_OPERATION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
_OF_OPERATION = ("operation_id", "operation_kind", "normalized_request_digest")
# More of what a file says is no help to a reader.
_SHOWN = 200
_FACT_KEYS = frozenset(
    {"contract", "key", "workspace_id", "operation_kind", "operation_id", "task_id", "path", "digest", "content_digest"}
)  # fmt: skip


@rule("FC555", versions=V4)
def request_changed(task: Task) -> Iterator[Finding]:
    """The request of a TASK recomputed from what it says."""
    written = task.scalar("normalized_request_digest")
    if task.fields is None or task.document is None or written is None:
        return
    plain = as_plain(task.fields)
    assert isinstance(plain, dict)
    found = request_digest(plain, task.document.body)
    if found != written.text:
        yield on(task, "FC555", written, about="digest", written=written.text, found=found)


@rule("FC555", versions=V4)
def created_without_fact(task: Task) -> Iterator[Finding]:
    """A TASK that names its operation, and the fact of it."""
    operation = task.scalar("operation_id")
    facts = task.workspace.facts.creates_of(task)
    if task.fields is None:
        return
    if operation and not _OPERATION_ID.fullmatch(operation.text):
        yield on(task, "FC555", operation, about=operation.text, message="bad-id", operation=operation.text)
    elif not facts and task.workspace.facts.is_whole and any(task.scalar(key) for key in _OF_OPERATION):
        where = operation or next(pair for key in _OF_OPERATION if (pair := task.pair(key)))
        named = operation.text if operation else "(none)"
        key = create_key(task.text("workspace_id") or "", named)
        yield on(task, "FC555", where, about="no fact", message="no-fact", operation=named, key=key)
    for fact in facts[:1]:
        yield from _disagreements(task, fact)


def _disagreements(task: Task, fact: CreateFact) -> Iterator[Finding]:
    """What the TASK and its create fact tell otherwise (F4.8.5); that a fact of its own does not hold is told there."""
    said = {
        "operation_id": fact.text("operation_id"), "operation_kind": CREATE_KIND, "normalized_request_digest": fact.text("digest")
    }  # fmt: skip
    for key, wanted in said.items():
        found = task.text(key) or "null"
        if found != wanted:
            where = task.pair(key) or task.top
            related = (Related(Location(fact.path), "the create fact"),)
            yield on(task, "FC555", where, about=f"{key} differs", message="differs", related=related, key=key, said=wanted, wanted=found)


@rule("FC555", versions=V4)
def operation_used_twice(workspace: Workspace) -> Iterator[Finding]:
    """One operation creates one TASK; copies of that TASK in two stages are FC203's."""
    first: dict[str, Task] = {}
    for task in workspace.tasks:
        operation = task.scalar("operation_id")
        if operation is None or task.text("operation_kind") not in (None, CREATE_KIND):
            continue
        other = first.setdefault(operation.text, task)
        if other.stem != task.stem:
            related = (Related(other.file, "the other TASK"),)
            yield on(
                task, "FC555", operation, about="double", message="double", related=related, operation=operation.text, other=other.stem
            )


@rule("FC555", versions=V4)
def bad_create_fact(workspace: Workspace) -> Iterator[Finding]:
    """A create fact by itself: its keys, its name, its TASK, and that it is the only one."""
    seen: set[str] = set()
    for fact in workspace.facts.creates:
        if fact.is_told_elsewhere:
            continue
        task = fact.task_id or ""
        fault = (_fault(workspace, fact) or ("there is another one for the same TASK" if task in seen else ""))[:_SHOWN]
        seen.add(task)
        if fault:
            span = fact.fault.span if fact.fault else fact.span()
            yield on_path(workspace, "FC555", fact.path, span, about=fault, message="fact", fault=fault)
        elif workspace.is_whole and not any(isinstance(found, Task) for found in workspace.named(task)):
            yield on_path(workspace, "FC555", fact.path, fact.span("task_id"), about=task, message="lost-task", task=task)


def _fault(workspace: Workspace, fact: CreateFact) -> str:
    """What is wrong with a create fact, in words; "" for nothing."""
    if fact.fault:
        return f"it cannot be read ({fact.fault.kind}{': ' if fact.fault.detail else ''}{fact.fault.detail})"
    if fact.duplicates:
        return f"`{fact.duplicates[0]}` stands twice"
    if set(fact.values) != _FACT_KEYS:
        return "a key is missing or unknown: " + ", ".join(f"`{key}`" for key in sorted(set(fact.values) ^ _FACT_KEYS))
    key = create_key(fact.workspace_id or "", fact.operation_id or "")
    wanted = {
        "contract": CREATE_CONTRACT, "operation_kind": CREATE_KIND, "key": key, "path": f"fcop/_lifecycle/inbox/{fact.task_id}.md",
        "workspace_id": workspace.workspace_id or fact.workspace_id,
    }  # fmt: skip
    for name, value in wanted.items():
        if fact.text(name) != value:
            return f"`{name}` is not {value}"
    loose = next((name for name in ("digest", "content_digest") if not is_digest(fact.values[name])), None)
    if loose:
        return f"`{loose}` is no digest"
    return "" if fact.stem == f"create-{key}" else f"its name is not create-{key}.json"


@rule("FC556", versions=V4)
def cold_copy_differs(workspace: Workspace) -> Iterator[Finding]:
    """An exported copy is the archived TASK, byte for byte."""
    for path, copy in workspace.read(workspace.cold.values()):
        name = path.rpartition("/")[2].removesuffix(".md")
        archived = next((task for task in workspace.named(name) if isinstance(task, Task) and task.place.stage == TERMINAL), None)
        if archived is None:
            if workspace.is_whole:
                yield on_path(workspace, "FC556", path, about="not archived", message="not-archived", when="task not archived", task=name)
        elif archived.document and copy.data != archived.document.data:
            related = (Related(archived.file, "the archived TASK"),)
            yield on_path(workspace, "FC556", path, about="differs", related=related, task=name)
