"""The vocabularies that envelopes are written in: the published protocol's, and those of runtimes that differ on purpose.

Whoever judges envelopes and their events asks the dialect of the workspace, never its name (field.md 5).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fcoplint.protocol import stages, v4
from fcoplint.protocol.roles import TOOL_ACTORS
from fcoplint.protocol.stages import CLOSERS, EDGES, JUDGES, OPEN_STAGES, STAGES, Edge, Mover, Table

# What an event must say; under "tool" it counts as said by any of the dialect's `tool_keys`.
REQUIRED_KEYS = ("at", "from", "to", "by", "tool")
_OPTIONAL_KEYS = frozenset({"note", "supersedes"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """One vocabulary.

    `tool_keys` name the tool, the dialect's own key first. `event_keys` are all keys an event may have, `note_keys` those
    that give a reason. `tool_actors` are names in `by` that are programs. `old_folders` are folders of v2 that lawfully stand
    beside `_lifecycle/`. `other_names` are further names of an envelope's fields; `unasked` are fields it need not have.
    """

    name: str
    table: Table
    tool_keys: tuple[str, ...]
    event_keys: frozenset[str]
    tool_actors: frozenset[str]
    note_keys: tuple[str, ...] = ("note",)
    old_folders: frozenset[str] = frozenset()
    other_names: Mapping[str, str] = field(default_factory=dict)
    unasked: frozenset[str] = frozenset()


FCOP = Dialect("fcop", stages.FCOP, ("tool",), _OPTIONAL_KEYS | set(REQUIRED_KEYS), TOOL_ACTORS)

# v4 has one vocabulary, and no dialects.
FCOP4 = Dialect("fcop4", v4.TABLE, ("tool",), v4.EVENT_KEYS, frozenset(), note_keys=())

_RUNTIME = (Mover.RUNTIME,)
# LifecycleStateMachine.ts and childTaskArchiveGate.ts of CodeFlowMu-open; the edges of FCoP stay lawful beside them,
# because claims still go through fcop-mcp and older files were written by it.
_CODEFLOWMU_EDGES = (
    *EDGES,
    Edge("inbox", "active", "runtime_dispatch", _RUNTIME, "CodeFlowMu"),
    Edge("active", "inbox", "runtime_restore_failed_dispatch", _RUNTIME, "CodeFlowMu"),
    Edge("inbox", "inbox", "runtime_repair_lifecycle_split", _RUNTIME, "CodeFlowMu"),
    Edge("active", "active", "create_child_task", (Mover.RECIPIENT,)),
    Edge("active", "review", "submit_review", (Mover.RECIPIENT,)),
    Edge("review", "done", "approve_review", JUDGES),
    Edge("review", "active", "reject_review", JUDGES),
    Edge("done", "active", "reopen_task", JUDGES),
    *(Edge(stage, "done", "supersede_for_rework", _RUNTIME, "CodeFlowMu") for stage in OPEN_STAGES),
    *(Edge(stage, "archive", "force_archive_task", CLOSERS) for stage in OPEN_STAGES),
    *(Edge(stage, "archive", "archive_by_parent_mainline", CLOSERS) for stage in STAGES[:-1]),
    *(Edge(stage, "archive", "terminate_by_parent_archive", CLOSERS) for stage in STAGES),
)
CODEFLOWMU = Dialect(
    "codeflowmu",
    Table(_CODEFLOWMU_EDGES),
    ("action", "tool"),
    FCOP.event_keys | {"action", "reason", "report", "decision", "based_on", "child_task", "parent", "parent_task"},
    TOOL_ACTORS | {"CodeFlowMu"},
    note_keys=("note", "reason"),
    old_folders=frozenset({"tasks"}),
    # The TASKs of its own documents name neither protocol nor version; those of its fixtures name the protocol alone.
    other_names={"sender": "from", "recipient": "to", "parent": "parent_task"},
    unasked=frozenset({"protocol", "version"}),
)

DIALECTS = {dialect.name: dialect for dialect in (FCOP, CODEFLOWMU)}


def recognise(keys: Collection[str], current: Dialect) -> Dialect | None:
    """The other dialect that an event with these keys is written in, where the current one finds no tool in it."""
    if not set(keys).isdisjoint(current.tool_keys):
        return None
    return next((dialect for dialect in DIALECTS.values() if not set(keys).isdisjoint(dialect.tool_keys)), None)
