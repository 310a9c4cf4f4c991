"""Writing (FC95): what v4's tools record of their operations: does the record hold, and did the operation end? (protocol.md C.4, C.6)"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on_path
from fcoplint.model.envelope import Review, Task
from fcoplint.model.facts import CreateFact, Fact, MergeReceipt, Receipt, RecoveryObservation
from fcoplint.model.grounds import attempt_before
from fcoplint.model.location import Location
from fcoplint.model.relations import references
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.digests import BranchEvidence, digest_of, family_digest, merge_key, merge_request_digest, transition_digest
from fcoplint.protocol.facts import has_right_form, implied, keys_of, receipt_name
from fcoplint.protocol.places import HOME_FOLDER
from fcoplint.protocol.recovery import State, classify, classify_appended
from fcoplint.protocol.scalars import whole

_SHOWN = 80
_PROJECT = "fcop/"
_REPAIR = "repair"


class _Fault(NamedTuple):
    """One thing that does not hold: which message says it, the way to the value, and what the message needs."""

    message: str
    way: tuple[str, ...] = ()
    found: object = None
    wanted: object = None
    related: tuple[Related, ...] = ()


@rule("FC951", versions=V4)
def receipt_invalid(workspace: Workspace) -> Iterator[Finding]:
    operations: dict[str, Fact] = {}
    for fact in workspace.facts.all:
        if isinstance(fact, CreateFact) or fact.is_told_elsewhere:
            continue
        for fault in _faults(workspace, fact):
            yield _invalid(workspace, fact, fault)
        other = operations.setdefault(fact.operation_id, fact) if isinstance(fact, Receipt) and fact.operation_id else fact
        if other is not fact:
            related = (Related(Location(other.path), "the other receipt"),)
            yield _invalid(workspace, fact, _Fault("twice", ("operation_id",), fact.operation_id, related=related))


def _invalid(workspace: Workspace, fact: Fact, fault: _Fault) -> Finding:
    span = fact.fault.span if fact.fault else fact.span(*fault.way)
    way = ".".join(fault.way)
    return on_path(
        workspace, "FC951", fact.path, span, about=f"{fault.message} {way}", message=fault.message, related=fault.related,
        key=whole(way), found=_shown(fault.found), wanted=_shown(fault.wanted),
    )  # fmt: skip


def _shown(value: object) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return whole(said)[:_SHOWN]


def _faults(workspace: Workspace, fact: Fact) -> Iterator[_Fault]:
    if fact.fault:
        yield _Fault("unread", found=fact.fault.kind, wanted=fact.fault.detail)
        return
    for key in fact.duplicates:
        yield _Fault("duplicate", (key,))
    loose = list(_form(fact))
    yield from loose
    if isinstance(fact, Receipt):
        yield from _of_move(fact)
        # What is measured against other files must at least be a receipt.
        yield from () if loose else _beside_task(workspace, fact)
    elif isinstance(fact, MergeReceipt):
        yield from _of_merge(workspace, fact)
    elif not isinstance(fact, RecoveryObservation):
        yield _Fault("unknown", ("contract",))


def _form(fact: Fact) -> Iterator[_Fault]:
    """The keys of a contract, all and no others, and the form of each value."""
    keys = keys_of(fact.kind, fact.values)
    if not keys:
        return
    for key in keys:
        if key not in fact.values:
            yield _Fault("missing", (key,))
        elif not has_right_form(fact.kind, key, fact.values[key]):
            yield _Fault("form", (key,), fact.values[key])
    for key in fact.values.keys() - set(keys):
        yield _Fault("foreign", (key,))


def _of_move(receipt: Receipt) -> Iterator[_Fault]:
    """What of a move's receipt follows from the rest of it: its name, its paths, its event, its digest."""
    values = receipt.values
    if receipt.operation_id and receipt.filename != receipt_name(receipt.operation_id):
        yield _Fault("name", ("operation_id",), receipt.operation_id, receipt_name(receipt.operation_id))
    for way, wanted in implied(values):
        found: object = values
        for step in way:
            found = found.get(step) if isinstance(found, dict) else None
        if found != wanted:
            yield _Fault("implied", way, found, wanted)
    written, digest = values.get("normalized_transition_digest"), transition_digest(values)
    if written is not None and written != digest:
        yield _Fault("digest", ("normalized_transition_digest",), written, digest)


def _beside_task(workspace: Workspace, receipt: Receipt) -> Iterator[_Fault]:
    """What a receipt says of things that stand elsewhere: its TASK, the attempts there, the REVIEW's profile."""
    task = next((found for found in workspace.named(receipt.task_id or "") if isinstance(found, Task)), None)
    if task is None:
        if workspace.is_whole:
            yield _Fault("no-task", ("task_id",), receipt.task_id)
        return
    event = next((event for event in task.events if receipt.is_of(event)), None)
    if event:
        before = attempt_before(task, event)
        source = before.id if before else None
        current = event.text("attempt_id") or source
        for key, wanted in (("attempt_id", current), ("source_attempt_id", source)):
            if key in receipt.values and receipt.values[key] != wanted:
                yield _Fault("implied", (key,), receipt.values[key], wanted)
    for review in workspace.named(receipt.text("authorization_ref") or ""):
        profile = review.text("profile_ref")
        if isinstance(review, Review) and profile and receipt.text("profile_ref") != profile:
            related = (Related(review.file, "the authorization"),)
            yield _Fault("implied", ("profile_ref",), receipt.text("profile_ref"), profile, related)


def _of_merge(workspace: Workspace, merge: MergeReceipt) -> Iterator[_Fault]:
    """The digests of a convergence's receipt, and the REVIEW that it holds."""
    payload, written = merge.mapping("payload"), merge.text("request_digest")
    if written != merge_request_digest(payload):
        yield _Fault("digest", ("request_digest",), written, merge_request_digest(payload))
    name = f"merge-{merge_key(payload)}.json"
    if merge.filename != name:
        yield _Fault("name", ("payload",), merge.filename, name)
    data = _bytes_of(merge)
    if data is not None and merge.text("content_digest") != digest_of(data):
        yield _Fault("digest", ("content_digest",), merge.text("content_digest"), digest_of(data))
    family = _family_of(merge)
    if payload.get("family_digest") != family:
        yield _Fault("digest", ("branches",), payload.get("family_digest"), family)
    yield from _merged_review(workspace, merge, data) if data is not None and merge.is_committed else ()


def _merged_review(workspace: Workspace, merge: MergeReceipt, data: bytes) -> Iterator[_Fault]:
    path = _review_path(workspace, merge)
    held = _file(workspace, path)
    if held is None:
        yield _Fault("no-review", ("review_id",), merge.text("review_id"))
    elif held != data:
        yield _Fault("review-differs", ("data",), merge.text("review_id"), related=(Related(Location(path), "REVIEW"),))


def _bytes_of(merge: MergeReceipt) -> bytes | None:
    try:
        return bytes.fromhex(merge.text("data") or "")
    except ValueError:
        return None


def _family_of(merge: MergeReceipt) -> str:
    """The digest of the Branches that a merge lists; "" where one of them does not say all of itself."""
    branches: list[BranchEvidence] = []
    listed = merge.values.get("branches")
    for item in listed if isinstance(listed, list) else [None]:
        if (
            not isinstance(item, dict)
            or set(item) != set(BranchEvidence._fields)
            or not all(isinstance(value, str) for value in item.values())
        ):
            return ""
        branches.append(BranchEvidence(**item))
    return family_digest(merge.task_id or "", branches)


@rule("FC952", versions=V4)
def recovery_needed(workspace: Workspace) -> Iterator[Finding]:
    for fact in workspace.facts.all:
        if fact.fault is None and not isinstance(fact, CreateFact) and not fact.is_committed:
            state = _state(workspace, fact)
            if state is not None:
                yield _unfinished(workspace, fact, state)


def _unfinished(workspace: Workspace, fact: Fact, state: State) -> Finding:
    repair = None if state.is_recoverable else _repair_of(workspace, fact)
    message, when = ("repaired", "recoverable") if repair else (state.value, "recoverable" if state.is_recoverable else "")
    paths = _paths(workspace, fact)
    related = tuple(Related(Location(path), "file") for path in paths if path in workspace.entries)
    return on_path(
        workspace, "FC952", fact.path, fact.span("stage"), about=state.value, message=message, when=when,
        related=((Related(repair.file, "the repair"),) if repair else related),
        task=whole(fact.task_id or "?"), stage=whole(fact.stage or "none"), source=paths[0], target=paths[-1],
    )  # fmt: skip


def _state(workspace: Workspace, fact: Fact) -> State | None:
    """How an operation stands that did not say it ended; None for what records no operation."""
    if isinstance(fact, MergeReceipt):
        held, data = _file(workspace, _review_path(workspace, fact)), _bytes_of(fact)
        return classify_appended(None if held is None else held == data, fact.stage)
    if not isinstance(fact, Receipt | RecoveryObservation):
        return None
    source_key, target_key = ("source_digest", "target_digest") if isinstance(fact, Receipt) else ("content_digest", "content_digest")
    paths = _paths(workspace, fact)
    if len(paths) < 2:
        return State.INDETERMINATE
    source, target = (_holds(workspace, path, fact.text(key)) for path, key in zip(paths, (source_key, target_key), strict=True))
    return classify(source, target, fact.stage)


def _paths(workspace: Workspace, fact: Fact) -> list[str]:
    """The files that an operation speaks of, the source first; those alone that a fact names as it should."""
    if isinstance(fact, MergeReceipt):
        return [_review_path(workspace, fact)]
    keys = ("source_path", "target_path") if isinstance(fact, Receipt) else ("source", "target")
    named = [fact.text(key) for key in keys]
    paths = [workspace.path(path.removeprefix(_PROJECT)) for path in named if path and path.startswith(_PROJECT)]
    return paths or [fact.path]


def _review_path(workspace: Workspace, merge: MergeReceipt) -> str:
    return workspace.path(f"{HOME_FOLDER['REVIEW']}/{merge.text('review_id')}.md")


def _file(workspace: Workspace, path: str) -> bytes | None:
    """The bytes at a path; none where there is no file, nothing that can be compared where it cannot be read."""
    if path not in workspace.entries:
        return None
    return next((document.data for _, document in workspace.read([path])), b"")


def _holds(workspace: Workspace, path: str, digest: str | None) -> bool | None:
    """Whether a file has a digest; None where there is no file."""
    data = _file(workspace, path)
    return None if data is None else digest_of(data) == digest


def _repair_of(workspace: Workspace, fact: Fact) -> Review | None:
    """The REVIEW by which a person decided how an operation is to be taken (F4.9.9)."""
    named = fact.task_id
    for review in workspace.reviews if named else ():
        if review.text("review_kind") == _REPAIR and named in {item.value.text for item in references(review, "subject_ref", "references")}:
            return review
    return None
