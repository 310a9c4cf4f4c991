"""The stages of a TASK and the moves between them, as data that checks, movers and messages all read (protocol.md B.5)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

STAGES = ("inbox", "active", "review", "done", "archive")
# Where a TASK's life ends.
TERMINAL = "archive"


class Mover(StrEnum):
    """Who may make a move, seen from the TASK (protocol.md A.4); RUNTIME is a program that speaks for no role."""

    SENDER = "sender"
    RECIPIENT = "recipient"
    LEADER = "leader"
    ADMIN = "ADMIN"
    GOVERNANCE = "governance"
    RUNTIME = "runtime"


CLOSERS = (Mover.LEADER, Mover.ADMIN)
JUDGES = (*CLOSERS, Mover.GOVERNANCE)


class Edge(NamedTuple):
    """One lawful move: from a stage (None: nothing yet) to a stage, by a tool.

    `movers` may make it; `default_by` is what the reference writes in `by` when the caller names nobody (None: it demands
    a name); `aliases` are tools that are taken for the right one with a warning. `keys` are what v4 asks of its event beside
    the five keys of every event.
    """

    source: str | None
    target: str
    tool: str
    movers: tuple[Mover, ...]
    default_by: str | None = None
    aliases: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tool} ({self.source or 'null'} to {self.target})"


EDGES = (
    Edge(None, "inbox", "create_task", (Mover.SENDER,), aliases=("write_task",)),
    Edge("inbox", "active", "claim_task", (Mover.RECIPIENT,), "agent"),
    Edge("active", "review", "submit_task", (Mover.RECIPIENT,), "agent"),
    Edge("active", "done", "finish_task", (Mover.RECIPIENT, *CLOSERS), "agent"),
    Edge("review", "done", "approve_task", JUDGES, "ADMIN"),
    Edge("review", "active", "reject_task", JUDGES, "ADMIN"),
    Edge("done", "archive", "archive_task", CLOSERS, "archiver"),
)

# The one event beside the edges: the v2-to-v3 migration puts a file into any stage, from nothing, once.
MIGRATION_TOOL = "fcop_migrate_v3"
MIGRATION_ACTOR = "migration"


# Where a TASK is being worked on; behind these its work is over.
OPEN_STAGES = ("inbox", "active", "review")


def stage_order(stage: str) -> int:
    """Where a stage stands in a TASK's life; unknown stages come last."""
    return STAGES.index(stage) if stage in STAGES else len(STAGES)


def tool_name(written: str) -> str:
    """The tool in what an event says: `finish_task(skip_review=true)` is finish_task (protocol.md V3-T07)."""
    return written.partition("(")[0].strip()


def is_migration(source: str | None, target: str | None, tool: str | None) -> bool:
    """Whether a move is the migration's: from nothing into any stage (protocol.md V3-T06)."""
    return tool == MIGRATION_TOOL and source is None and target in STAGES


class Table:
    """All lawful moves of one vocabulary. Several edges may join two stages, each by a tool of its own."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self.edges = tuple(edges)
        self._between: dict[tuple[str | None, str | None], tuple[Edge, ...]] = {}
        for edge in self.edges:
            move = (edge.source, edge.target)
            self._between[move] = (*self._between.get(move, ()), edge)

    def edges_between(self, source: str | None, target: str | None) -> tuple[Edge, ...]:
        """The edges from one stage to another, the ordinary one first; none where the move is unlawful."""
        return self._between.get((source, target), ())

    def edge(self, source: str | None, target: str | None) -> Edge | None:
        """The ordinary edge from one stage to another, None where the move is unlawful."""
        return next(iter(self.edges_between(source, target)), None)

    def edges_from(self, source: str | None) -> tuple[Edge, ...]:
        """The edges that leave a stage; those of None create a TASK."""
        return tuple(edge for edge in self.edges if edge.source == source)

    def edges_by(self, tool: str) -> tuple[Edge, ...]:
        """The edges that a tool makes."""
        return tuple(edge for edge in self.edges if edge.tool == tool)

    def path(self, source: str | None, target: str) -> tuple[Edge, ...] | None:
        """The shortest lawful way from one stage to another, () where they are one, None where there is none."""
        ways: dict[str | None, tuple[Edge, ...]] = {source: ()}
        pending = [source]
        while pending:
            stage = pending.pop(0)
            for edge in self.edges_from(stage):
                if edge.target not in ways:
                    ways[edge.target] = (*ways[stage], edge)
                    pending.append(edge.target)
        return ways.get(target)


FCOP = Table(EDGES)
