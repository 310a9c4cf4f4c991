"""What version 4 of the protocol says of a TASK's life (protocol.md C.2). The words of it that v3 shares stand in `stages`."""

from fcoplint.protocol.stages import Edge, Table

_EVIDENCE = ("evidence_ref", "evidence_digest")
_AUTHORITY = ("authorization_ref", "authorization_digest")
_ATTEMPT = ("attempt_id",)

# T1 to T7. Nobody's role is asked: authority is a REVIEW's, and a profile that no disk can show.
EDGES = (
    Edge(None, "inbox", "create_task", ()),
    Edge("inbox", "active", "claim_task", (), keys=_ATTEMPT),
    Edge("active", "review", "submit_task", (), keys=_EVIDENCE),
    Edge("review", "done", "approve_task", (), keys=(*_EVIDENCE, *_AUTHORITY)),
    Edge("review", "active", "reject_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *_AUTHORITY)),
    Edge("done", "active", "reopen_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *_AUTHORITY)),
    Edge("done", "archive", "archive_task", (), keys=(*_EVIDENCE, *_ATTEMPT, *_AUTHORITY)),
)
TABLE = Table(EDGES)
# A Root with Branches says at its archiving which family it closes.
FAMILY_KEY = "family_digest"
EVENT_KEYS = frozenset({"at", "from", "to", "by", "tool", FAMILY_KEY}).union(*(edge.keys for edge in EDGES))
# Each entry to active begins a new attempt.
ENTRY_TOOLS = frozenset(edge.tool for edge in EDGES if edge.target == "active")
# What v3 had and v4 has not (F4.4.4).
LEGACY_EDGE, LEGACY_TOOL = ("active", "done"), "finish_task"
