"""The operation facts of FCoP 4, `operations/*.json`: create facts, lifecycle and merge receipts (protocol.md C.4)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from fcoplint.model.jsonfile import JsonFile
from fcoplint.model.location import Location
from fcoplint.protocol.digests import CREATE_CONTRACT
from fcoplint.source.snapshot import Kind

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace

FOLDER = "operations"
RECEIPT_CONTRACT = "fcop-lifecycle-receipt-v1"
MERGE_CONTRACT = "fcop-convergence-append-v1"
COMMITTED = "COMMITTED"
_KINDS = {CREATE_CONTRACT: "create", RECEIPT_CONTRACT: "transition", MERGE_CONTRACT: "merge"}


class Fact(JsonFile):
    """One fact; `kind` is create, transition or merge by its contract, else by its name, "" where neither tells."""

    @cached_property
    def kind(self) -> str:
        """What it records."""
        named = self.stem.partition("-")[0]
        contract = self.values.get("contract")
        return _KINDS.get(contract if isinstance(contract, str) else "") or (named if named in _KINDS.values() else "")

    @property
    def stem(self) -> str:
        """The file's name without its extension."""
        return self.path.rpartition("/")[2].removesuffix(".json")

    def text(self, key: str) -> str:
        """A value that is text; "" for anything else."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def part(self, key: str) -> dict[str, object]:
        """A value that is an object; {} for anything else."""
        value = self.values.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def is_committed(self) -> bool:
        """Whether what it records is over."""
        return self.text("stage") == COMMITTED

    def at(self, *path: str | int) -> Location:
        """The place of a value, or of the deepest part of the way to it that is there."""
        return Location(self.path, self.span(*path))


class Facts:
    """The facts of one workspace, by path; those that are no JSON objects are among them, with their fault."""

    def __init__(self, workspace: Workspace) -> None:
        folder = workspace.path(f"{FOLDER}/")
        paths = [
            path
            for path, entry in sorted(workspace.entries.items())
            if path.startswith(folder) and path.endswith(".json") and "/" not in path[len(folder) :] and entry.kind is Kind.FILE
        ]
        self.all = [Fact(path, content) for path, content in workspace.snapshot.read(paths) if isinstance(content, bytes)]

    def of_kind(self, kind: str) -> list[Fact]:
        """The facts of one kind."""
        return [fact for fact in self.all if fact.kind == kind]

    @cached_property
    def creations(self) -> dict[str, list[Fact]]:
        """The create facts by their TASK; lawful is one."""
        return _by(self.of_kind("create"), "task_id")

    @cached_property
    def receipts(self) -> dict[str, list[Fact]]:
        """The lifecycle receipts by their TASK."""
        return _by(self.of_kind("transition"), "task_id")

    @cached_property
    def merges(self) -> dict[str, list[Fact]]:
        """The merge receipts by their REVIEW."""
        return _by(self.of_kind("merge"), "review_id")

    def speak_of(self, task: str) -> bool:
        """Whether a TASK was created or moved by a Toolkit that leaves facts."""
        return task in self.creations or task in self.receipts


def _by(facts: Iterable[Fact], key: str) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.text(key), []).append(fact)
    return found
