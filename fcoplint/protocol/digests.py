"""The digests of FCoP 4, as its Stable text defines them (F4.4.5, F4.6.6, F4.8.4) and the contracts of its receipts (protocol.md C.5).

Everything here is a pure function over plain values; what a digest is compared with is a check's business. A value that no
canonical JSON can hold has the digest "", which equals none that is written.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fcoplint.protocol.facts import CREATE_CONTRACT, CREATE_KIND

FAMILY_CONTRACT = "fcop-family-v1"
TRANSITION_CONTRACT = "fcop-lifecycle-transition-request-v1"
DEFAULT_PRIORITY = "P2"

# The keys of a transition's request, and those that an edge under authorization adds; the receipt calls the last one otherwise.
_REQUEST_KEYS = ("workspace_id", "task_id", "from_stage", "to_stage", "tool", "actor", "report_ref")
_AUTHORIZED_KEYS = {
    "review_ref": "review_ref", "authorization_ref": "authorization_ref", "family_digest": "family_digest",
    "profile_ref": "request_profile_ref",
}  # fmt: skip
_AUTHORIZED_STAGES = ("review", "done")


class BranchEvidence(NamedTuple):
    """A Branch as its family's digest sees it: its current attempt, and the REPORT head of that attempt with its bytes' digest."""

    branch_task_id: str
    attempt_id: str
    report_id: str
    report_digest: str


def digest_of(data: bytes) -> str:
    """The digest of a file's whole bytes: of evidence, of an authorization, of a REPORT, of a TASK in the chain (F4.4.5)."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: object) -> bytes | None:
    """JSON with keys in the order of code points, no blank and no line end, as UTF-8 (F4.6.6, F4.8.4).

    None for what it cannot hold: half characters, NaN, infinities, values nested too deeply.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")
    except (ValueError, RecursionError):
        return None


def normal_text(text: str) -> str:
    """Text in Unicode NFC with LF line ends (F4.8.4)."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def request_digest(fields: Mapping[str, object], body: str) -> str:
    """The `normalized_request_digest` that a TASK must carry (F4.8.4).

    `fields` is its front matter as plain values, of which only the request's own are used: neither path nor events, so the
    digest holds at every stage of the TASK's life. `body` is all that stands behind the front matter: one blank line, which is
    the writer's and not the request's, then the request's own body.
    """
    references = fields.get("references")
    request = {
        "contract": CREATE_CONTRACT,
        "workspace_id": fields.get("workspace_id"),
        "operation_kind": CREATE_KIND,
        "operation_id": fields.get("operation_id"),
        **{key: _normal(fields.get(key)) for key in ("sender", "recipient", "subject", "parent", "branch_of")},
        "body": normal_text(body).removeprefix("\n").rstrip("\n") + "\n",
        "priority": _normal(fields.get("priority")) or DEFAULT_PRIORITY,
        "references": sorted({normal_text(str(item)) for item in references}) if isinstance(references, list) else [],
    }
    return _digest_of_json(request)


def create_key(workspace_id: str, operation_id: str) -> str:
    """The key under which the creation of a TASK is remembered, and the name of its create fact (F4.8.1)."""
    return _digest_of_json({"workspace_id": workspace_id, "operation_kind": CREATE_KIND, "operation_id": operation_id})


def family_digest(root_task_id: str, branches: Iterable[BranchEvidence]) -> str:
    """The digest of a Root's family: its Branches, in whatever order they are given (F4.6.6)."""
    listed = [branch._asdict() for branch in sorted(branches, key=lambda branch: branch.branch_task_id)]
    return _digest_of_json({"contract": FAMILY_CONTRACT, "root_task_id": root_task_id, "branches": listed})


def transition_digest(receipt: Mapping[str, object]) -> str:
    """The `normalized_transition_digest` that a lifecycle receipt must carry, from its other fields (protocol.md C.5)."""
    request = {"contract": TRANSITION_CONTRACT, **{key: receipt.get(key) for key in _REQUEST_KEYS}}
    if receipt.get("from_stage") in _AUTHORIZED_STAGES:
        request |= {key: receipt.get(name) for key, name in _AUTHORIZED_KEYS.items()}
    return _digest_of_json(request)


def merge_request_digest(payload: Mapping[str, object]) -> str:
    """The `request_digest` that a merge receipt must carry, from its payload (protocol.md C.5)."""
    return _digest_of_json(payload)


def merge_key(payload: Mapping[str, object]) -> str:
    """The key of a merge, and the name of its receipt (protocol.md C.5)."""
    return _digest_of_json({key: payload.get(key) for key in ("workspace_id", "subject_ref", "family_digest")})


def _normal(value: object) -> object:
    return normal_text(value) if isinstance(value, str) else value


def _digest_of_json(value: object) -> str:
    data = canonical_json(value)
    return "" if data is None else digest_of(data)
