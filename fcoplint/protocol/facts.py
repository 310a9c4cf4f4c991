"""The files of v4's `operations/`: their names, contracts and keys (protocol.md C.4). Data and pure functions."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeGuard

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
