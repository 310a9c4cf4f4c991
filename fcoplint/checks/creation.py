"""The creation of a TASK (FC555) and its cold copy (FC556): is the order still the one that was given? (F4.8, F4.4.6)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on, on_path
from fcoplint.model.envelope import Task
from fcoplint.model.facts import Fact
from fcoplint.model.nodes import as_plain
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.digests import CREATE_CONTRACT, CREATE_OPERATION, create_key, is_digest, request_digest
from fcoplint.protocol.stages import TERMINAL
from fcoplint.source.snapshot import Kind

_OPERATION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
_OF_OPERATION = ("operation_id", "operation_kind", "normalized_request_digest")
_FACT_KEYS = frozenset(
    {"contract", "key", "workspace_id", "operation_kind", "operation_id", "task_id", "path", "digest", "content_digest"}
)  # fmt: skip
_COLD = "cold/"


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
    facts = task.workspace.facts.creations.get(task.stem, [])
    if task.fields is None:
        return
    if operation and not _OPERATION_ID.fullmatch(operation.text):
        yield on(task, "FC555", operation, about=operation.text, message="bad-id", operation=operation.text)
    elif not facts and any(task.scalar(key) for key in _OF_OPERATION):
        where = operation or next(pair for key in _OF_OPERATION if (pair := task.pair(key)))
        named = operation.text if operation else "(none)"
        key = create_key(task.text("workspace_id") or "", named)
        yield on(task, "FC555", where, about="no fact", message="no-fact", operation=named, key=key)
    for fact in facts[:1]:
        yield from _disagreements(task, fact)


def _disagreements(task: Task, fact: Fact) -> Iterator[Finding]:
    """What the TASK and its create fact tell otherwise (F4.8.5); that a fact of its own does not hold is told there."""
    said = {
        "operation_id": fact.text("operation_id"), "operation_kind": CREATE_OPERATION, "normalized_request_digest": fact.text("digest")
    }  # fmt: skip
    for key, wanted in said.items():
        found = task.text(key) or "null"
        if found != wanted:
            where = task.pair(key) or task.top
            related = (Related(fact.at(), "the create fact"),)
            yield on(task, "FC555", where, about=f"{key} differs", message="differs", related=related, key=key, said=wanted, wanted=found)


@rule("FC555", versions=V4)
def operation_used_twice(workspace: Workspace) -> Iterator[Finding]:
    """One operation creates one TASK; copies of that TASK in two stages are FC203's."""
    first: dict[str, Task] = {}
    for task in workspace.tasks:
        operation = task.scalar("operation_id")
        if operation is None or task.text("operation_kind") not in (None, CREATE_OPERATION):
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
    facts = workspace.facts
    for task, group in facts.creations.items():
        for number, fact in enumerate(group):
            fault = _fault(workspace, fact) or ("there is another one for the same TASK" if number else "")
            if fault:
                yield on_path(workspace, "FC555", fact.path, fact.at().span, about=fault, message="fact", fault=fault)
            elif workspace.is_whole and not any(isinstance(found, Task) for found in workspace.by_stem.get(task, ())):
                yield on_path(workspace, "FC555", fact.path, fact.span("task_id"), about=task, message="lost-task", task=task)


def _fault(workspace: Workspace, fact: Fact) -> str:
    """What is wrong with a create fact, in words; "" for nothing."""
    if fact.fault:
        return f"it is no JSON object ({fact.fault.detail or fact.fault.kind})"
    if fact.duplicates:
        return f"`{fact.duplicates[0]}` stands twice"
    if set(fact.values) != _FACT_KEYS:
        differing = ", ".join(f"`{key}`" for key in sorted(set(fact.values) ^ _FACT_KEYS))
        return f"a key is missing or unknown: {differing}"
    key = create_key(fact.text("workspace_id"), fact.text("operation_id"))
    manifest = workspace.manifest
    wanted = {
        "contract": CREATE_CONTRACT, "operation_kind": CREATE_OPERATION, "key": key,
        "path": f"fcop/_lifecycle/inbox/{fact.text('task_id')}.md",
    }  # fmt: skip
    if manifest and manifest.fault is None:
        wanted["workspace_id"] = str(manifest.values.get("workspace_id"))
    for name, value in wanted.items():
        if fact.text(name) != value:
            return f"`{name}` is not {value}"
    for name in ("digest", "content_digest"):
        if not is_digest(fact.values.get(name)):
            return f"`{name}` is no digest"
    return "" if fact.stem == f"create-{key}" else f"its name is not create-{key}.json"


@rule("FC556", versions=V4)
def cold_copy_differs(workspace: Workspace) -> Iterator[Finding]:
    start = workspace.path(_COLD)
    copies = [
        path for path, entry in workspace.entries.items() if path.startswith(start) and path.endswith(".md") and entry.kind is Kind.FILE
    ]
    for path, content in workspace.snapshot.read(copies):
        name = path[len(start) :].removesuffix(".md")
        tasks = [task for task in workspace.by_stem.get(name, ()) if isinstance(task, Task)]
        archived = next((task for task in tasks if task.place.stage == TERMINAL), None)
        if archived is None:
            if workspace.is_whole:
                yield on_path(workspace, "FC556", path, about="not archived", message="not-archived", when="task not archived", task=name)
        elif isinstance(content, bytes) and isinstance(archived.content, bytes) and content != archived.content:
            related = (Related(archived.file, "the archived TASK"),)
            yield on_path(workspace, "FC556", path, about="differs", related=related, task=name)
