"""The facts that v4's tools leave in `operations/`: how TASKs came to be and what moved them (protocol.md C.4).

A fact that breaks its contract is read all the same as far as it goes: each rule types what it needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from fcoplint.model.event import Event
from fcoplint.model.jsonfile import JsonObject
from fcoplint.protocol.facts import COMMITTED, FactKind, fact_kind
from fcoplint.source.snapshot import Unreadable

if TYPE_CHECKING:
    from fcoplint.model.envelope import Task


class Fact(JsonObject):
    """One JSON file of `operations/`. `values` is empty where `fault` says why; nothing in it is typed but by the accessors."""

    strict = True

    @cached_property
    def kind(self) -> FactKind:
        """What it records, by its contract, else by its name."""
        return fact_kind(self.filename, self.values)

    @property
    def filename(self) -> str:
        """The name without its folders."""
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The name without its extension."""
        return self.filename.removesuffix(".json")

    @property
    def is_told_elsewhere(self) -> bool:
        """Whether FC001 or FC907 says why there is no fact here to judge."""
        return self.is_lfs_pointer or (self.fault is not None and self.fault.kind == "too-large") or bool(self.conflict_line)

    @property
    def operation_id(self) -> str | None:
        """The operation that left this fact."""
        return self.text("operation_id")

    @property
    def workspace_id(self) -> str | None:
        """The workspace in which it ran; a merge says so in its payload."""
        return self.text("workspace_id") or self.text("payload", "workspace_id")

    @property
    def task_id(self) -> str | None:
        """The TASK it is about; a merge names its Root."""
        return self.text("task_id") or self.text("payload", "subject_ref")

    @property
    def stage(self) -> str | None:
        """How far the operation got; a create fact has no stage."""
        return self.text("stage")

    @property
    def is_committed(self) -> bool:
        """Whether the operation is over: later ones may have taken its file elsewhere."""
        return self.stage == COMMITTED

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts; None where the value is no list, or holds something else."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return None
        return tuple(value)

    def mapping(self, key: str) -> dict[str, Any]:
        """An object; empty where the value is none."""
        value = self.values.get(key)
        return value if isinstance(value, dict) else {}


class CreateFact(Fact):
    """`create-<key>.json`: `key`, `path` (the TASK's first one), `digest` (of the request), `content_digest` (of the file)."""


class Receipt(Fact):
    """`transition-<hex>.json`: one move, with the event it appended and the digests of the file before and after."""

    @property
    def event(self) -> dict[str, Any]:
        """The event as the receipt has it, under `transition`."""
        return self.mapping("transition")

    def is_of(self, event: Event) -> bool:
        """Whether it records exactly this event of a TASK."""
        return bool(self.event) and self.event == event.values


class MergeReceipt(Fact):
    """`merge-<key>.json`: a convergence REVIEW, with its bytes (`data`, hex), its `payload` and the `branches` it covers."""


class RecoveryObservation(Fact):
    """A compact note of an operation that was cut off: operation_id, source, target, stage, content_digest."""


_TYPES: dict[FactKind, type[Fact]] = {
    FactKind.CREATE: CreateFact,
    FactKind.TRANSITION: Receipt,
    FactKind.MERGE: MergeReceipt,
    FactKind.OBSERVATION: RecoveryObservation,
    FactKind.UNKNOWN: Fact,
}
_Kind = TypeVar("_Kind", bound=Fact)


def make_fact(path: str, data: bytes) -> Fact:
    """The fact that a file's bytes hold, typed by its contract, else by its name."""
    named = _TYPES[fact_kind(path.rpartition("/")[2], {})](path, data)
    found = _TYPES[named.kind]
    # A contract that says otherwise than the name is rare, and read once more.
    return named if type(named) is found else found(path, data)


class Facts:
    """All facts of one workspace, by path; `unreadable` are files that could not be read, and why."""

    def __init__(self, facts: Iterable[Fact], unreadable: dict[str, Unreadable]) -> None:
        self.all = list(facts)
        self.unreadable = unreadable

    @cached_property
    def creates(self) -> list[CreateFact]:
        """The create facts."""
        return [fact for fact in self.all if isinstance(fact, CreateFact)]

    @cached_property
    def receipts(self) -> list[Receipt]:
        """The receipts of moves."""
        return [fact for fact in self.all if isinstance(fact, Receipt)]

    @cached_property
    def is_whole(self) -> bool:
        """Whether every fact could be read: else nothing can be concluded from one that is not here."""
        return not self.unreadable and not any(fact.fault for fact in self.all)

    def creates_of(self, task: Task) -> list[CreateFact]:
        """The create facts that name a TASK, by path."""
        return self._creates.get(task.stem, [])

    def receipts_of(self, task: Task) -> list[Receipt]:
        """The receipts that name a TASK, by path."""
        return self._receipts.get(task.stem, [])

    @cached_property
    def _creates(self) -> dict[str, list[CreateFact]]:
        return _by_task(self.creates)

    @cached_property
    def _receipts(self) -> dict[str, list[Receipt]]:
        return _by_task(self.receipts)


def _by_task(facts: Iterable[_Kind]) -> dict[str, list[_Kind]]:
    found: dict[str, list[_Kind]] = {}
    for fact in facts:
        if fact.task_id is not None:
            found.setdefault(fact.task_id, []).append(fact)
    return found
