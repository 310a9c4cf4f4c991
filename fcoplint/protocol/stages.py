"""The stages of a TASK and the edges between them, as data (protocol.md B.5)."""

from typing import NamedTuple

STAGES = ("inbox", "active", "review", "done", "archive")


class Edge(NamedTuple):
    """One lawful move: from a stage (None: nothing yet) to a stage, by a tool."""

    source: str | None
    target: str
    tool: str


EDGES = (
    Edge(None, "inbox", "create_task"),
    Edge("inbox", "active", "claim_task"),
    Edge("active", "review", "submit_task"),
    Edge("active", "done", "finish_task"),
    Edge("review", "done", "approve_task"),
    Edge("review", "active", "reject_task"),
    Edge("done", "archive", "archive_task"),
)


def stage_order(stage: str) -> int:
    """Where a stage stands in a TASK's life; unknown stages come last."""
    return STAGES.index(stage) if stage in STAGES else len(STAGES)
