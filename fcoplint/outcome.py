"""What a writing command is about to do, and what came of it: plain values, for people and programs (design.md 6, 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from fcoplint import atomic

PLAN_SCHEMA = "fcoplint.plan/1"


class State(Enum):
    """How a writing command ended; the value is its word in JSON, `code` its exit code (design.md 6)."""

    DONE = "done"
    NOTHING = "nothing-to-do"
    PLANNED = "planned"
    REFUSED = "refused"
    MISUSED = "wrong-usage"
    UNDECIDED = "cannot-decide"
    PENDING = "clean-up-pending"

    @property
    def code(self) -> int:
        """0 done, nothing to do or only planned; 1 refused; 2 wrong usage; 3 cannot decide; 4 moved, clean-up pending."""
        return {State.REFUSED: 1, State.MISUSED: 2, State.UNDECIDED: 3, State.PENDING: 4}.get(self, 0)


class Publish(NamedTuple):
    """A new file is to appear whole under a name that is free."""

    path: str
    data: bytes
    mode: int = 0o644

    def describe(self) -> dict[str, str]:
        """This step in a plan's JSON."""
        return {"do": "publish", "path": self.path, "sha256": atomic.digest(self.data)}


class Rewrite(NamedTuple):
    """A file's bytes are to be replaced where they still are those with the digest `expected`; its mode is kept."""

    path: str
    data: bytes
    expected: str

    def describe(self) -> dict[str, str]:
        """This step in a plan's JSON."""
        return {"do": "rewrite", "path": self.path, "before": self.expected, "sha256": atomic.digest(self.data)}


class Remove(NamedTuple):
    """A file is to go where its bytes still are those with the digest `expected`."""

    path: str
    expected: str

    def describe(self) -> dict[str, str]:
        """This step in a plan's JSON."""
        return {"do": "remove", "path": self.path, "sha256": self.expected}


class Rename(NamedTuple):
    """A folder is to get another name that is free."""

    path: str
    target: str

    def describe(self) -> dict[str, str]:
        """This step in a plan's JSON."""
        return {"do": "rename", "path": self.path, "target": self.target}


class RemoveFolder(NamedTuple):
    """A folder in which nothing is left is to go."""

    path: str

    def describe(self) -> dict[str, str]:
        """This step in a plan's JSON."""
        return {"do": "remove-folder", "path": self.path}


Step = Publish | Rewrite | Remove | Rename | RemoveFolder


class Blob(NamedTuple):
    """What the index is to hold at a path: the bytes, and whether they can be executed."""

    data: bytes
    executable: bool = False


class Held(NamedTuple):
    """What the index is to hold at a path, where git has the object already: mode (octal text) and object id."""

    mode: str
    oid: str


Staging = Mapping[str, Blob | Held | None]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a command will do, decided before anything is touched. Nothing is written that is not in it.

    Paths are POSIX, relative to `root` (absolute). The first step is the commit point: before it an error means that nothing
    has changed, after it that clean-up is pending. `staged` are the paths for git's index (None takes one out), `summary` one
    line for people, `notes` what they should know beside it. `workspace` is the folder of the workspace that it is about.
    `reserved` are beginnings of paths that nothing may bear yet: a number that is to be given once.
    """

    command: str
    root: str
    subject: str
    summary: str
    steps: tuple[Step, ...]
    staged: Staging = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    workspace: str = ""
    reserved: tuple[str, ...] = ()

    def describe(self) -> dict[str, object]:
        """The plan as JSON: steps with digests, never contents."""
        return {
            "schema": PLAN_SCHEMA,
            "command": self.command,
            "workspace": self.workspace or ".",
            "subject": self.subject,
            "summary": self.summary,
            "steps": [step.describe() for step in self.steps],
            "stage": sorted(self.staged),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: `reason` is one word for programs, `message` a sentence, `evidence` what it rests on.

    `next` is the command to type next, as words.
    """

    command: str
    state: State
    reason: str
    message: str
    evidence: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    plan: Plan | None = None
    pending: tuple[atomic.Pending, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The exit code."""
        return self.state.code


class Refusal(NamedTuple):
    """Why nothing is done: a word, a sentence, what it rests on, the next command."""

    reason: str
    message: str
    evidence: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    state: State = State.REFUSED

    def outcome(self, command: str, plan: Plan | None = None) -> Outcome:
        """The refusal as how a command ended."""
        return Outcome(command, self.state, self.reason, self.message, self.evidence, self.next, plan)
