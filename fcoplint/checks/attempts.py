"""Events (FC35): what v4 asks of each event beside its move: exact keys, fresh attempts, evidence of the same attempt (protocol.md C.2)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.events import is_legacy
from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Report, Task
from fcoplint.model.event import Attempt, Event
from fcoplint.model.grounds import Citation, attempt_before, authorization, evidence
from fcoplint.model.nodes import Node, Scalar, Sequence
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import v4
from fcoplint.protocol.dialects import REQUIRED_KEYS
from fcoplint.protocol.facts import is_digest, is_urn
from fcoplint.protocol.names import parse_v4_kind
from fcoplint.protocol.stages import Edge

_LISTS = ("evidence_ref", "evidence_digest")
_DIGESTS = ("authorization_digest", v4.FAMILY_KEY)


@rule("FC351", versions=V4)
def legacy_transition(task: Task) -> Iterator[Finding]:
    for event in task.events:
        if event.names_move and is_legacy(task, event):
            by_edge = (event.source, event.target) == v4.LEGACY_EDGE
            pair = event.pair("to" if by_edge else "tool")
            where = pair.value if pair else event.first_line
            yield on(
                task, "FC351", where, about=event.identity, message="default" if by_edge else "tool",
                source=event.source or "null", target=event.target, tool=event.tool,
            )  # fmt: skip


@rule("FC352", versions=V4)
def wrong_event_keys(task: Task) -> Iterator[Finding]:
    for event in task.events:
        edge = v4.TABLE.edge(event.source, event.target) if event.names_move else None
        if edge is None:
            continue
        yield from _key_set(task, event, edge)
        for key in edge.keys:
            value = event.fields.get(key)
            message = _value_fault(key, value) if value is not None else ""
            if value is not None and message:
                yield on(task, "FC352", value, about=f"{event.identity} {key}", message=message, key=key, edge=str(edge))
        yield from _cited_kinds(task, event, edge)


def _key_set(task: Task, event: Event, edge: Edge) -> Iterator[Finding]:
    lawful = {*REQUIRED_KEYS, *edge.keys, *((v4.FAMILY_KEY,) if edge.target == "archive" else ())}
    # Of an authorization that is not there FC451 speaks.
    told = v4.AUTHORITY_KEYS if authorization(event) is None else ()
    for key in edge.keys:
        if event.fields.get(key) is None and key not in told:
            yield on(task, "FC352", event.first_line, about=f"{event.identity} {key}", message="missing", key=key, edge=str(edge))
    for pair in event.fields.pairs:
        key = pair.key.text
        if key not in lawful:
            message = "foreign" if key in v4.EVENT_KEYS else "default"
            yield on(task, "FC352", pair, about=f"{event.identity} {key}", message=message, key=key, edge=str(edge))


def _value_fault(key: str, value: Node) -> str:
    """Which message a value of an event deserves; "" where its form is right."""
    if key in _LISTS:
        items = value.items if isinstance(value, Sequence) else (value,)
        texts = [item.text for item in items if isinstance(item, Scalar) and not item.is_empty]
        if not isinstance(value, Sequence) or len(texts) < len(items):
            return "not-list"
        return "no-digest" if key == "evidence_digest" and not all(map(is_digest, texts)) else ""
    if not isinstance(value, Scalar) or value.is_empty:
        return "empty"
    if key in _DIGESTS:
        return "" if is_digest(value.text) else "no-digest"
    return "no-urn" if key == "attempt_id" and not is_urn(value.text) else ""


def _cited_kinds(task: Task, event: Event, edge: Edge) -> Iterator[Finding]:
    """Evidence in the form that the edge asks for: as many digests as references, and the right types in the right order."""
    refs, digests = event.fields.get(_LISTS[0]), event.fields.get(_LISTS[1])
    if _LISTS[0] not in edge.keys or not isinstance(refs, Sequence) or not isinstance(digests, Sequence):
        return
    about = f"{event.identity} evidence"
    if len(refs.items) != len(digests.items):
        yield on(task, "FC352", digests, about=about, message="unaligned", refs=len(refs.items), digests=len(digests.items), edge=str(edge))
        return
    kinds = tuple(parse_v4_kind(f"{item.text}.md") if isinstance(item, Scalar) else None for item in refs.items)
    if not v4.is_evidence(edge.tool, kinds):
        found = ", ".join(kind or "no id" for kind in kinds) or "nothing"
        yield on(task, "FC352", refs, about=about, message="kinds", found=found, expected=v4.EVIDENCE_WORDS[edge.tool], edge=str(edge))


@rule("FC353", versions=V4)
def attempt_reused(workspace: Workspace) -> Iterator[Finding]:
    first: dict[str, tuple[Task, Attempt]] = {}
    for task in _one_of_each(workspace):
        for attempt in task.attempts:
            earlier = first.setdefault(attempt.id, (task, attempt))
            if earlier[1] is not attempt:
                where, before = attempt.event.scalar("attempt_id"), earlier[1].event.scalar("attempt_id")
                related = (Related(earlier[0].at(before), "the same attempt"),) if before else ()
                yield on(
                    task, "FC353", where or attempt.event.first_line, about=f"{attempt.event.identity} {attempt.id}", related=related,
                    attempt=attempt.id, other=earlier[0].stem,
                )  # fmt: skip


def _one_of_each(workspace: Workspace) -> Iterator[Task]:
    """Each TASK once; of copies (FC203) the one with most events. In the order in which they were first taken up."""
    copies = ([copy for copy in found if isinstance(copy, Task)] for found in workspace.by_stem.values())
    chosen = [max(found, key=lambda task: (len(task.events), task.path)) for found in copies if found]
    yield from sorted(chosen, key=lambda task: (next((item.event.text("at") or "" for item in task.attempts), ""), task.path))


@rule("FC354", versions=V4)
def attempt_mismatch(task: Task) -> Iterator[Finding]:
    for event in task.events:
        current = attempt_before(task, event)
        if event.tool == "archive_task":
            yield from _archived_attempt(task, event, current)
        # That it is the REPORT that was submitted, byte for byte, is FC552's.
        report = next((cited for cited in evidence(event) if cited.ref.text.startswith("REPORT-")), None)
        if report and event.tool in v4.REPORTED_TOOLS:
            yield from _report_of_attempt(task, event, report, current)


@rule("FC354", versions=V4)
def report_of_no_attempt(report: Report) -> Iterator[Finding]:
    said, subject = report.scalar("attempt_id"), report.text("subject_ref")
    if said is None or subject is None:
        return
    copies = [task for task in report.workspace.named(subject) if isinstance(task, Task)]
    known = {attempt.id for task in copies for attempt in task.attempts}
    # Of a TASK that cannot be read, or has no list, nobody knows its attempts.
    if copies and all(task.events for task in copies) and said.text not in known:
        related = (Related(copies[0].file, "TASK"),)
        yield on(report, "FC354", said, about=said.text, message="no-attempt", related=related, said=said.text, task=subject)


def _archived_attempt(task: Task, event: Event, current: Attempt | None) -> Iterator[Finding]:
    said = event.scalar("attempt_id")
    if said and is_urn(said.text) and (current is None or said.text != current.id):
        yield on(
            task, "FC354", said, about=f"{event.identity} {said.text}", message="archive",
            attempt=said.text, current=current.id if current else "none",
        )  # fmt: skip


def _report_of_attempt(task: Task, event: Event, cited: Citation, current: Attempt | None) -> Iterator[Finding]:
    """That a REPORT by which a TASK was moved speaks of this TASK, and of the attempt that was current."""
    for report in task.workspace.named(cited.ref.text):
        subject, attempt = report.text("subject_ref"), report.text("attempt_id")
        if not isinstance(report, Report) or report.fields is None:
            continue
        related = (Related(report.file, "REPORT"),)
        if subject != task.stem:
            yield on(
                task, "FC354", cited.ref, about=f"{event.identity} subject", message="subject", related=related,
                cited=cited.ref.text, said=subject or "nothing",
            )  # fmt: skip
        elif current is None or attempt != current.id:
            yield on(
                task, "FC354", cited.ref, about=f"{event.identity} attempt", related=related,
                cited=cited.ref.text, said=attempt or "none", current=current.id if current else "none",
            )  # fmt: skip
