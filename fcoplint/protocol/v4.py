"""What version 4 of the protocol says: fields, values, and a TASK's life (protocol.md C.1, C.2). What v3 shares stands elsewhere."""

from fcoplint.protocol.stages import Edge, Table

_EVIDENCE = ("evidence_ref", "evidence_digest")
AUTHORITY_KEYS = ("authorization_ref", "authorization_digest")
_ATTEMPT = ("attempt_id",)

# T1 to T7. Nobody's role is asked: authority is a REVIEW's, and a profile that no disk can show.
EDGES = (
    Edge(None, "inbox", "create_task", ()),
    Edge("inbox", "active", "claim_task", (), keys=_ATTEMPT),
    Edge("active", "review", "submit_task", (), keys=_EVIDENCE),
    Edge("review", "done", "approve_task", (), keys=(*_EVIDENCE, *AUTHORITY_KEYS)),
    Edge("review", "active", "reject_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *AUTHORITY_KEYS)),
    Edge("done", "active", "reopen_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *AUTHORITY_KEYS)),
    Edge("done", "archive", "archive_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *AUTHORITY_KEYS)),
)
TABLE = Table(EDGES)
# A Root with Branches says at its archiving which family it closes.
FAMILY_KEY = "family_digest"
EVENT_KEYS = frozenset({"at", "from", "to", "by", "tool", FAMILY_KEY}).union(*(edge.keys for edge in EDGES))
# Each entry to active begins a new attempt.
ENTRY_TOOLS = frozenset(edge.tool for edge in EDGES if edge.target == "active")
# What v3 had and v4 has not (F4.4.4).
LEGACY_EDGE, LEGACY_TOOL = ("active", "done"), "finish_task"

VERSION = "4.0"
MANIFEST_KEYS = ("protocol", "protocol_version", "encoding", "workspace_id", "profiles")
ENCODING = {"name": "fcop-filesystem", "version": "4.0"}

_COMMON = ("protocol", "version", "type")
_ROUTED = ("workspace_id", "sender", "recipient", "created_at")
REQUIRED = {
    "TASK": (*_COMMON, "task_id", *_ROUTED, "subject", "transitions"),
    "REPORT": (*_COMMON, "report_id", *_ROUTED, "subject_ref", "attempt_id", "report_kind", "result"),
    "ISSUE": (*_COMMON, "issue_id", *_ROUTED, "subject_ref", "severity"),
    "REVIEW": (*_COMMON, "review_id", *_ROUTED, "review_kind", "subject_ref", "decision"),
}
# Of these, the ones that any text may fill; what must be a certain text, an id or a time is judged where it is compared.
FREE_TEXTS = ("sender", "recipient", "subject", "result", "severity", "review_kind", "decision")
# What a REVIEW must say beside these where it is nothing but an authorization.
AUTHORIZATION = "authorization"
REQUIRED_OF_AUTHORIZATION = ("operation_kind", "transition", "authorization_scope", "issued_at", "references", "profile_ref")
# Required lists that may hold nothing; a creation that is missing from one is FC308's to tell.
MAY_BE_EMPTY = frozenset({"transitions", "references"})
_OPTIONAL = {
    "TASK": ("parent", "branch_of", "priority", "operation_id", "operation_kind", "normalized_request_digest"),
    "REPORT": (),
    "ISSUE": (),
    "REVIEW": (*REQUIRED_OF_AUTHORIZATION, "attempt_id", "family_digest", "authorization_ref", "expires_at", "issuer_proof"),
}
KNOWN = {kind: frozenset({*REQUIRED[kind], *_OPTIONAL[kind], "references"}) for kind in REQUIRED}
TIME_FIELDS = ("created_at", "issued_at", "expires_at")
ROLE_FIELDS = dict.fromkeys(REQUIRED, ("sender", "recipient"))
# By which an envelope names others: those that must lead to exactly one, and the list that should.
RELATIONS = ("parent", "branch_of", "subject_ref")
WORKSPACE_SUBJECT = "workspace:"

# What no file can show, for the reader of an audit (protocol.md C.7).
NOT_PROVABLE = (
    "whether a profile would have authorized a move, and who really issued a REVIEW",
    "whether the name in an event's `by` is true, and what ADMIN or a leader may do",
    "whether locks were held, and on which kind of file system",
    "whether a creation was run once or replayed",
    "whether another clone of this workspace is worked in elsewhere",
    "whether an authorization was in force by the clock on the wall; only the event's own `at` is known",
    "whether an ISSUE or REVIEW that no event cites was changed before git held it",
)

# What `evidence_ref` holds, by tool: types in their order (protocol.md C.2). The archiving of a Root cites its convergence
# REVIEW and the REPORTs of its Branches.
_EVIDENCE_KINDS = {
    "submit_task": ("REPORT",),
    "approve_task": ("REPORT", "REVIEW"),
    "reject_task": ("REPORT", "REVIEW"),
    "reopen_task": ("REVIEW",),
}
EVIDENCE_WORDS = {tool: " and ".join(f"one {kind}" for kind in kinds) for tool, kinds in _EVIDENCE_KINDS.items()} | {
    "archive_task": "nothing, or one REVIEW and the REPORTs of the Branches"
}
# How a REPORT stands to others of its attempt (F4.3.4).
REPORT_KINDS = ("final", "replacement")
REPORTED_TOOLS = ("submit_task", "approve_task", "reject_task")


def is_evidence(tool: str, kinds: tuple[str | None, ...]) -> bool:
    """Whether an event by this tool may cite envelopes of these types, in this order."""
    if tool in _EVIDENCE_KINDS:
        return kinds == _EVIDENCE_KINDS[tool]
    # F4.4.2 can be read so that an archiving cites again what was accepted (protocol.md D 12).
    return kinds in ((), ("REPORT", "REVIEW")) or (kinds[0] == "REVIEW" and set(kinds[1:]) == {"REPORT"})
