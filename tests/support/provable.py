"""What each tampering with a v4 workspace must be reported as, and the written list of what no file can show (protocol.md C.7).

Both are written from the clauses, not from what the tool says: the first line that fits decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from tests.support.tampering import BODY, FILE, Tampering, split

# The kinds of files, as the tables below call them.
KINDS = (
    "manifest", "TASK", "REPORT", "replaced REPORT", "grant", "judgement", "loose REVIEW", "ISSUE", "ISSUE of the workspace",
    "cold copy", "create fact", "create lock", "receipt", "merge receipt",
)  # fmt: skip


class Unprovable(NamedTuple):
    """Tamperings that leave a state which might as well have been lawful, and why."""

    kind: str
    what: str
    how: str
    reason: str


_UNCITED = "no event cites its bytes by a digest (F4.4.5): only git shows that an append-only envelope was edited (FC805 to FC807)"
_UNCITED_GONE = "nothing names it, so nothing lacks it: only git shows that an envelope was deleted (FC809)"
_EXPORTED = "an export leaves no record: as far as files say, a TASK without a cold copy was never exported"
_LOCK = "a lock is an aid of one machine (F4.9.6) and no fact: neither that it is there nor what it holds proves anything"
_ALIASES = "the operation ids of a merge are its callers' own words, and no digest covers them"
_UNMERGED = "a convergence REVIEW may lawfully stand without one (4.0.0 wrote none): only git shows that it was deleted (FC815)"
_LOOSE = ("replaced REPORT", "loose REVIEW", "ISSUE", "ISSUE of the workspace")
UNPROVABLE = [
    *(Unprovable(kind, what, "changed", _UNCITED) for kind in _LOOSE for what in ("sender", "recipient", "created_at", BODY)),
    *(Unprovable(kind, what, "*", _UNCITED) for kind in _LOOSE for what in ("references", "references.*")),
    Unprovable("replaced REPORT", "result", "changed", _UNCITED),
    Unprovable("loose REVIEW", "review_kind", "changed", _UNCITED),
    Unprovable("loose REVIEW", "decision", "changed", _UNCITED),
    *(Unprovable(kind, "severity", "changed", _UNCITED) for kind in ("ISSUE", "ISSUE of the workspace")),
    *(Unprovable(kind, FILE, "removed", _UNCITED_GONE) for kind in ("loose REVIEW", "ISSUE", "ISSUE of the workspace")),
    Unprovable("cold copy", FILE, "removed", _EXPORTED),
    Unprovable("create lock", "*", "*", _LOCK),
    Unprovable("merge receipt", "operations.*", "changed", _ALIASES),
    Unprovable("merge receipt", FILE, "removed", _UNMERGED),
]


class Expected(NamedTuple):
    """Tamperings that must be reported under a code."""

    kind: str
    what: str
    how: str
    code: str


_IDENTITY = {"protocol": "FC115", "version": "FC117", "type": "FC118", "workspace_id": "FC706"}
_REQUIRED = {
    "TASK": ("protocol", "version", "type", "task_id", "workspace_id", "sender", "recipient", "created_at", "subject", "transitions"),
    "REPORT": (
        "protocol", "version", "type", "report_id", "workspace_id", "sender", "recipient", "created_at", "subject_ref", "attempt_id",
        "report_kind", "result",
    ),
    "ISSUE": ("protocol", "version", "type", "issue_id", "workspace_id", "sender", "recipient", "created_at", "subject_ref", "severity"),
    "REVIEW": (
        "protocol", "version", "type", "review_id", "workspace_id", "sender", "recipient", "created_at", "review_kind", "subject_ref",
        "decision",
    ),
}  # fmt: skip
_ENVELOPES = {
    "TASK": "TASK", "REPORT": "REPORT", "replaced REPORT": "REPORT", "grant": "REVIEW", "judgement": "REVIEW", "loose REVIEW": "REVIEW",
    "ISSUE": "ISSUE", "ISSUE of the workspace": "ISSUE",
}  # fmt: skip
_ID = {"TASK": "task_id", "REPORT": "report_id", "ISSUE": "issue_id", "REVIEW": "review_id"}

EXPECTED = [
    *(Expected(kind, key, "removed", "FC114") for kind, named in _ENVELOPES.items() for key in _REQUIRED[named]),
    *(Expected(kind, _ID[named], "changed", "FC119") for kind, named in _ENVELOPES.items()),
    *(Expected(kind, key, "changed", code) for kind in _ENVELOPES for key, code in _IDENTITY.items()),
    # F4.8.4: the request, at every stage. An absent value is null or the default there, but other bytes all the same.
    *(Expected("TASK", key, "removed", "FC953") for key in ("priority", "parent", "branch_of", "references")),
    *(
        Expected("TASK", what, "*", "FC555")
        for what in (
            "sender", "recipient", "subject", "priority", "parent", "branch_of", "references", "references.*", "operation_id",
            "operation_kind", "normalized_request_digest", BODY, FILE,
        )
    ),
    # F4.4.5, F4.7.5, F4.6.6: what an event cites; every other change of a TASK breaks its chain (F4.9.4).
    Expected("TASK", "transitions.*.evidence_digest.*", "changed", "FC552"),
    Expected("TASK", "transitions.*.evidence_ref.*", "changed", "FC552"),
    Expected("TASK", "transitions.*.authorization_digest", "changed", "FC552"),
    Expected("TASK", "transitions.*.authorization_ref", "*", "FC451"),
    Expected("TASK", "transitions.*.family_digest", "*", "FC554"),
    Expected("TASK", "*", "*", "FC953"),
    # F4.3.3: what is cited is bound byte for byte.
    Expected("REPORT", "*", "*", "FC552"),
    Expected("grant", FILE, "removed", "FC451"),
    Expected("grant", "*", "*", "FC552"),
    Expected("judgement", "*", "*", "FC552"),
    # F4.3.4: the chain of replacements.
    *(Expected("replaced REPORT", what, "changed", "FC551") for what in ("subject_ref", "attempt_id", "report_kind")),
    Expected("replaced REPORT", FILE, "removed", "FC551"),
    # F4.5.2: a strong relation leads to one TASK here, or an ISSUE's to this workspace.
    *(Expected(kind, "subject_ref", "changed", "FC502") for kind in ("loose REVIEW", "ISSUE")),
    Expected("ISSUE of the workspace", "subject_ref", "changed", "FC706"),
    Expected("cold copy", "*", "*", "FC556"),
    # F4.8.5: the fact by itself and against its TASK; where the chain begins, by the chain.
    Expected("create fact", "content_digest", "changed", "FC953"),
    Expected("create fact", "*", "*", "FC555"),
    # C.4, C.5: a receipt by itself; its digests and its event by the chain; its stage by the five-state table.
    Expected("receipt", "stage", "changed", "FC952"),
    *(Expected("receipt", what, "changed", "FC953") for what in ("source_digest", "target_digest")),
    Expected("receipt", "transition.at", "*", "FC953"),
    Expected("receipt", FILE, "removed", "FC953"),
    Expected("receipt", "*", "*", "FC951"),
    Expected("merge receipt", "stage", "changed", "FC952"),
    Expected("merge receipt", "*", "*", "FC951"),
    # F4.2.
    *(Expected("manifest", what, "changed", "FC004") for what in ("protocol", "protocol_version")),
    Expected("manifest", "workspace_id", "changed", "FC706"),
    Expected("manifest", "profiles.*", "*", "FC452"),
    Expected("manifest", "*", "*", "FC141"),
]  # fmt: skip


def kinds_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """The kind of each file of a workspace; what cites what is read from the TASKs' own events."""
    events = [event for path, data in files.items() if "/_lifecycle/" in path for event in split(data)[0]["transitions"]]
    grants = {event["authorization_ref"] for event in events if "authorization_ref" in event}
    cited = {name for event in events for name in event.get("evidence_ref", [])}
    return {path: _kind(path, files[path], grants, cited) for path in files}


def judge(tampering: Tampering, kind: str) -> Expected | Unprovable:
    """What a tampering must be reported as, or why it cannot be."""
    for table in (UNPROVABLE, EXPECTED):
        for line in table:
            if line.kind == kind and line.how in (tampering.how, "*") and _fits(tampering, line.what):
                return line
    raise LookupError(f"neither table speaks of {kind} {tampering.what} {tampering.how}")


def _fits(tampering: Tampering, what: str) -> bool:
    return what in ("*", tampering.pattern)


def _kind(path: str, data: bytes, grants: set[str], cited: set[str]) -> str:
    folder, _, filename = path.removeprefix("fcop/").rpartition("/")
    stem = filename.rpartition(".")[0]
    if folder == "operations":
        contracts = {"create": "create fact", "transition": "receipt", "merge": "merge receipt"}
        return "create lock" if filename.endswith(".lock") else contracts[stem.partition("-")[0]]
    if folder == "reviews":
        return "grant" if stem in grants else "judgement" if stem in cited else "loose REVIEW"
    if folder == "reports":
        return "REPORT" if stem in cited else "replaced REPORT"
    if folder == "issues" and split(data)[0]["subject_ref"].startswith("workspace:"):
        return "ISSUE of the workspace"
    named = {"": "manifest", "issues": "ISSUE", "cold": "cold copy"}
    assert folder in named or folder.startswith("_lifecycle/"), path
    assert folder or "workspace_id" in json.loads(data)
    return named.get(folder, "TASK")
