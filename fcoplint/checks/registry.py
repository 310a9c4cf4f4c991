"""The decorator that makes a generator a rule, and the list of all rules by what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fcoplint.findings import Finding

Check = Callable[..., Iterator[Finding]]

# 0 stands for a protocol that nobody here knows.
UNKNOWN = frozenset({0})
V1_V3 = frozenset({1, 2, 3})
V1_V2 = frozenset({1, 2})
V2_V3 = frozenset({2, 3})
V1_V4 = frozenset({1, 2, 3, 4})
V3 = frozenset({3})
V3_V4 = frozenset({3, 4})
V4 = frozenset({4})
ANY = UNKNOWN | V1_V3 | V4

_MODULES = (
    "reading", "identity", "values", "clashes", "manifest", "path", "archive", "strays", "events", "attempts", "authority",
    "authorization", "evidence", "cited", "creation", "families", "judgement", "roots", "roots_references", "roots_reports",
    "roots_bindings", "roots_machine", "history", "landing", "actors", "repository", "writing", "chain", "facts", "workspace_ids",
    "records",
)  # fmt: skip
# What a check may look at, by the name of its parameter's type: the signature is the kind (design.md 4).
_ENVELOPES = {
    "Envelope": ("TASK", "REPORT", "ISSUE", "REVIEW"),
    "Task": ("TASK",),
    "Report": ("REPORT",),
    "Issue": ("ISSUE",),
    "Review": ("REVIEW",),
}


@dataclass(frozen=True, slots=True)
class Registered:
    """A check with the codes it may yield, the protocol versions it speaks for, and what it looks at.

    `kinds` are the envelope types it is called with; `subject` is "envelope", "workspace", "workspaces" (all of a snapshot),
    "change" or "message" (a commit's).
    """

    check: Check
    codes: tuple[str, ...]
    versions: frozenset[int]
    subject: str
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        """The generator's own name, for the report of a rule that failed."""
        return f"{self.check.__module__.rpartition('.')[2]}.{self.check.__name__}"


_registered: list[Registered] = []
# Codes that stay silent unless a selector names them whole.
OPTIONAL: set[str] = set()
# Codes about what a change newly brings: in a merge they count only where they hold against every parent, while what has
# landed must outlast the comparison with each.
ADDITIVE: set[str] = set()


# Codes about what files say of other things: a change answers for them only in the files that it touches, not for what it
# does to what they speak of. Those that land must not be edited.
OF_CHANGED: set[str] = set()
# Codes whose files lie outside every snapshot: only the probe speaks of them.
PROBED = frozenset({"FC732"})


def rule(
    *codes: str, versions: frozenset[int] = V1_V3, default: bool = True, additive: bool = False, of_changed: bool = False
) -> Callable[[Check], Check]:
    """Register a check that yields findings of `codes` in workspaces of these protocol `versions`.

    A rule of a change is called for every change, and looks at the versions itself.
    """
    OPTIONAL.update(() if default else codes)
    ADDITIVE.update(codes if additive else ())
    OF_CHANGED.update(codes if of_changed else ())

    def register(check: Check) -> Check:
        looked_at: Any = next(iter(check.__annotations__.values()))
        subject = "envelope" if looked_at in _ENVELOPES else looked_at.lower()
        _registered.append(Registered(check, codes, versions, subject, _ENVELOPES.get(looked_at, ())))
        return check

    return register


def all_rules() -> list[Registered]:
    """Every rule, in the order of the modules and of their lines."""
    for module in _MODULES:
        import_module(f"fcoplint.checks.{module}")
    return _registered
