"""The vocabularies that events are written in: the published protocol's, and those of runtimes that differ on purpose.

Whoever judges events asks the dialect of the workspace, never its name (field.md 5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcoplint.protocol import stages
from fcoplint.protocol.roles import TOOL_ACTORS
from fcoplint.protocol.stages import EDGES, STAGES, Edge, Mover, Table

# What an event must say; under "tool" it counts as said by any of the dialect's `tool_keys`.
REQUIRED_KEYS = ("at", "from", "to", "by", "tool")
_OPTIONAL_KEYS = frozenset({"note", "supersedes"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """One vocabulary of events.

    `tool_keys` name the tool, the dialect's own key first. `event_keys` are all keys an event may have. `tool_actors`
    are names in `by` that are programs. `old_folders` are folders of v2 that lawfully stand beside `_lifecycle/`.
    """

    name: str
    table: Table
    tool_keys: tuple[str, ...]
    event_keys: frozenset[str]
    tool_actors: frozenset[str]
    old_folders: frozenset[str] = frozenset()


FCOP = Dialect("fcop", stages.FCOP, ("tool",), _OPTIONAL_KEYS | set(REQUIRED_KEYS), TOOL_ACTORS)

_RUNTIME = (Mover.RUNTIME,)
_JUDGES = (Mover.LEADER, Mover.ADMIN, Mover.GOVERNANCE)
_CLOSERS = (Mover.LEADER, Mover.ADMIN)
# LifecycleStateMachine.ts and childTaskArchiveGate.ts of CodeFlowMu-open; the edges of FCoP stay lawful beside them,
# because claims still go through fcop-mcp and older files were written by it.
_CODEFLOWMU_EDGES = (
    *EDGES,
    Edge("inbox", "active", "runtime_dispatch", _RUNTIME, "CodeFlowMu"),
    Edge("active", "inbox", "runtime_restore_failed_dispatch", _RUNTIME, "CodeFlowMu"),
    Edge("inbox", "inbox", "runtime_repair_lifecycle_split", _RUNTIME, "CodeFlowMu"),
    Edge("active", "active", "create_child_task", (Mover.RECIPIENT,)),
    Edge("active", "review", "submit_review", (Mover.RECIPIENT,)),
    Edge("review", "done", "approve_review", _JUDGES),
    Edge("review", "active", "reject_review", _JUDGES),
    Edge("done", "active", "reopen_task", _JUDGES),
    *(Edge(stage, "done", "supersede_for_rework", _RUNTIME, "CodeFlowMu") for stage in ("inbox", "active", "review")),
    *(Edge(stage, "archive", "force_archive_task", _CLOSERS) for stage in ("inbox", "active", "review")),
    *(Edge(stage, "archive", "archive_by_parent_mainline", _CLOSERS) for stage in STAGES[:-1]),
    *(Edge(stage, "archive", "terminate_by_parent_archive", _CLOSERS) for stage in STAGES),
)
CODEFLOWMU = Dialect(
    "codeflowmu",
    Table(_CODEFLOWMU_EDGES),
    ("action", "tool"),
    FCOP.event_keys | {"action", "reason", "report", "decision", "based_on", "child_task", "parent", "parent_task"},
    TOOL_ACTORS | {"CodeFlowMu"},
    frozenset({"tasks"}),
)

DIALECTS = {dialect.name: dialect for dialect in (FCOP, CODEFLOWMU)}


def suggest(used_keys: Iterable[str], current: Dialect) -> Dialect | None:
    """The dialect that events with these keys are most likely written in, where the current one cannot read their tool."""
    used = set(used_keys)
    if used.intersection(current.tool_keys):
        return None
    return next((dialect for dialect in DIALECTS.values() if used.intersection(dialect.tool_keys)), None)
