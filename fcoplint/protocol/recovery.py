"""What became of an operation that was cut off: the five states of F4.9.9 (protocol.md C.6). A pure table."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """How an operation stands, told from its receipt and the two files that it speaks of."""

    NOT_COMMITTED = "not-committed"
    RECOVERABLE_DUPLICATE = "recoverable-duplicate"
    COMMITTED = "committed"
    DIVERGENT_DUPLICATE = "divergent-duplicate"
    INDETERMINATE = "indeterminate"

    @property
    def is_recoverable(self) -> bool:
        """Whether the protocol's own tool can finish or undo it without a person's decision."""
        return self not in (State.DIVERGENT_DUPLICATE, State.INDETERMINATE)


def classify(source: bool | None, target: bool | None, stage: str | None) -> State:
    """The state of an operation. `source` and `target` say whether each file has its digest; None where there is no file."""
    if source is not None and target is not None:
        if not (source and target):
            return State.DIVERGENT_DUPLICATE
        return State.RECOVERABLE_DUPLICATE if stage == "TARGET_DURABLE" else State.INDETERMINATE
    if source and stage in (None, "PREPARED"):
        return State.NOT_COMMITTED
    if target and stage in ("TARGET_DURABLE", "COMMITTED"):
        return State.COMMITTED
    return State.INDETERMINATE


def classify_appended(written: bool | None, stage: str | None) -> State:
    """The same of an operation that adds a file: there is no source, and what is not there yet was not committed."""
    if written is None:
        return State.NOT_COMMITTED if stage in (None, "PREPARED") else State.INDETERMINATE
    return State.COMMITTED if written else State.DIVERGENT_DUPLICATE
