"""The files of v4's `operations/`: their names, contracts and keys (protocol.md C.4). Data and pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TypeGuard

from fcoplint.protocol.names import parse_v4_kind
from fcoplint.protocol.v4 import TABLE

CREATE_CONTRACT = "fcop-create-task-v1"
TRANSITION_CONTRACT = "fcop-lifecycle-receipt-v1"
MERGE_CONTRACT = "fcop-convergence-append-v1"
CREATE_KIND, TRANSITION_KIND = "create_task", "lifecycle_transition"

# How far an operation got, in this order; a receipt never goes back (protocol.md G16).
RECEIPT_STAGES = ("PREPARED", "TARGET_DURABLE", "COMMITTED")
COMMITTED = RECEIPT_STAGES[-1]

_LOCK = re.compile(r"create-[0-9a-f]{64}\.lock", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_URN = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_PREFIXES = ("create-", "transition-", "merge-")
_OBSERVED = frozenset({"operation_id", "source", "target", "stage", "content_digest"})


class FactKind(StrEnum):
    """What a file of `operations/` records; UNKNOWN says neither by its contract nor by its name."""

    CREATE = "create"
    TRANSITION = "transition"
    MERGE = "merge"
    OBSERVATION = "observation"
    UNKNOWN = "unknown"


_BY_CONTRACT = {CREATE_CONTRACT: FactKind.CREATE, TRANSITION_CONTRACT: FactKind.TRANSITION, MERGE_CONTRACT: FactKind.MERGE}


def fact_kind(filename: str, values: dict[str, object]) -> FactKind:
    """What a file records, by the contract it names, else by its name, else by its keys."""
    contract = values.get("contract")
    if isinstance(contract, str) and contract in _BY_CONTRACT:
        return _BY_CONTRACT[contract]
    prefix = next((prefix for prefix in _PREFIXES if filename.startswith(prefix)), None)
    if prefix:
        return FactKind(prefix.rstrip("-"))
    return FactKind.OBSERVATION if values.keys() >= _OBSERVED else FactKind.UNKNOWN


def is_fact(filename: str) -> bool:
    """Whether a file of `operations/` is to be read."""
    return filename.endswith(".json") and not filename.startswith(".")


def is_create_lock(filename: str) -> bool:
    """Whether a file name is that of a create's lock, which stays for good (protocol.md C.4)."""
    return _LOCK.fullmatch(filename) is not None


def is_digest(value: object) -> TypeGuard[str]:
    """Whether a value is a SHA-256 as the protocol writes it: 64 hex digits in small letters."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_urn(value: object) -> TypeGuard[str]:
    """Whether a value is a UUID's URN in its canonical form, all in small letters."""
    return isinstance(value, str) and _URN.fullmatch(value) is not None


def hex_of_urn(urn: str) -> str:
    """The 32 hex digits of a UUID's URN, as they stand in a receipt's file name."""
    return urn.removeprefix("urn:uuid:").replace("-", "")


Form = Callable[[object], bool]

_OPERATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
_PATH = re.compile(r"fcop/_lifecycle/(?:inbox|active|review|done|archive)/TASK-[A-Za-z0-9][A-Za-z0-9._-]*\.md", re.ASCII)
_HEX = re.compile(r"(?:[0-9a-f]{2})+", re.ASCII)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _matches(pattern: re.Pattern[str]) -> Form:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _names(kind: str) -> Form:
    return lambda value: isinstance(value, str) and parse_v4_kind(f"{value}.md") == kind


def _or_null(form: Form) -> Form:
    return lambda value: value is None or form(value)


def _list_of(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def _one_of(*values: object) -> Form:
    # True is 1 to Python, and to nobody else.
    return lambda value: not isinstance(value, bool) and value in values


# What a value must look like, by its key: the same in every contract.
_FORMS: dict[str, Form] = {
    "version": _one_of(1),
    "operation_id": _matches(_OPERATION),
    "workspace_id": is_urn,
    "task_id": _names("TASK"),
    "from_stage": _one_of("inbox", "active", "review", "done"),
    "to_stage": _one_of("active", "review", "done", "archive"),
    "tool": _is_text,
    "actor": _is_text,
    "report_ref": _or_null(_names("REPORT")),
    "review_ref": _or_null(_names("REVIEW")),
    "review_id": _names("REVIEW"),
    "authorization_ref": _names("REVIEW"),
    "profile_ref": _is_text,
    "request_profile_ref": _or_null(_is_text),
    "path": _matches(_PATH),
    "source_path": _matches(_PATH),
    "target_path": _matches(_PATH),
    "evidence_ref": _list_of(_is_text),
    "evidence_digest": _list_of(is_digest),
    "attempt_id": is_urn,
    "source_attempt_id": is_urn,
    "target_attempt_id": is_urn,
    "family_digest": _or_null(is_digest),
    "transition": _is_object,
    "payload": _is_object,
    "branches": _list_of(_is_object),
    "operations": lambda value: bool(value) and _list_of(_matches(_OPERATION))(value),
    "data": _matches(_HEX),
    "stage": _one_of(*RECEIPT_STAGES),
    **dict.fromkeys(("key", "digest", "content_digest", "request_digest"), is_digest),
    **dict.fromkeys(("source_digest", "target_digest", "normalized_transition_digest", "authorization_digest"), is_digest),
}
_BASE = ("contract", "operation_id", "workspace_id", "operation_kind", "task_id")
_CREATE_KEYS = (*_BASE, "key", "path", "digest", "content_digest")
_MERGE_KEYS = ("contract", "payload", "request_digest", "operations", "review_id", "data", "content_digest", "stage", "branches")
_MOVE_KEYS = (
    *_BASE, "version", "from_stage", "to_stage", "tool", "actor", "report_ref", "source_path", "target_path", "source_digest",
    "target_digest", "normalized_transition_digest", "evidence_ref", "evidence_digest", "attempt_id", "transition", "stage",
)  # fmt: skip
_JUDGED_KEYS = (
    "review_ref", "authorization_ref", "authorization_digest", "profile_ref", "request_profile_ref", "source_attempt_id",
    "target_attempt_id", "family_digest",
)  # fmt: skip
_CONTRACTS = {FactKind.CREATE: CREATE_CONTRACT, FactKind.TRANSITION: TRANSITION_CONTRACT, FactKind.MERGE: MERGE_CONTRACT}
_OPERATION_KINDS = {FactKind.CREATE: CREATE_KIND, FactKind.TRANSITION: TRANSITION_KIND}
# What may change in a landed fact: how far it got, and who repeated a merge (protocol.md G16).
GROWING_KEYS = {FactKind.TRANSITION: ("stage",), FactKind.MERGE: ("stage", "operations"), FactKind.OBSERVATION: ("stage",)}


def keys_of(kind: FactKind, values: Mapping[str, object]) -> tuple[str, ...]:
    """The keys that a fact must have, and no others; () for what has no contract."""
    if kind is FactKind.TRANSITION:
        return (*_MOVE_KEYS, *_JUDGED_KEYS) if values.get("from_stage") in ("review", "done") else _MOVE_KEYS
    return {FactKind.CREATE: _CREATE_KEYS, FactKind.MERGE: _MERGE_KEYS}.get(kind, ())


def has_right_form(kind: FactKind, key: str, value: object) -> bool:
    """Whether the value of a fact's key looks as its contract says."""
    if key == "contract":
        return value == _CONTRACTS.get(kind)
    if key == "operation_kind":
        return value == _OPERATION_KINDS.get(kind)
    return _FORMS[key](value) if key in _FORMS else True


def receipt_name(operation_id: str) -> str:
    """The file name of a move's receipt."""
    return f"transition-{hex_of_urn(operation_id)}.json" if is_urn(operation_id) else f"{operation_id}.json"


def task_path(stage: object, task_id: object) -> str:
    """Where a TASK in a stage lies, as facts write it: from the project's folder on."""
    return f"fcop/_lifecycle/{stage}/{task_id}.md"


def implied(values: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    """(the way to a value, what it must be) of all in a move's receipt that follows from the rest of it (protocol.md C.2, C.4)."""
    source, target, task = (values.get(key) for key in ("from_stage", "to_stage", "task_id"))
    yield ("source_path",), task_path(source, task)
    yield ("target_path",), task_path(target, task)
    event = values.get("transition")
    for key, twin in (("from", "from_stage"), ("to", "to_stage"), ("tool", "tool"), ("by", "actor")):
        yield ("transition", key), values.get(twin)
    edge = TABLE.edge(source, target) if isinstance(source, str) and isinstance(target, str) else None
    for key in edge.keys if edge and isinstance(event, dict) else ():
        yield ("transition", key), values.get(key)
    for key in ("evidence_ref", "evidence_digest") if edge and "evidence_ref" not in edge.keys else ():
        yield (key,), []
    if "target_attempt_id" in values:
        yield ("target_attempt_id",), values.get("attempt_id")
        if target != "active":
            yield ("source_attempt_id",), values.get("attempt_id")
    if values.get("family_digest") is not None:
        yield ("transition", "family_digest"), values.get("family_digest")
    refs = values.get("evidence_ref")
    if source == "active" and isinstance(refs, list) and values.get("report_ref") is not None:
        yield ("report_ref",), refs[0] if refs else None
