"""A change: the state before and the state after, with their envelopes paired by name, never by git's guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fcoplint.model.envelope import Envelope
from fcoplint.model.workspace import Workspace, Workspaces


class EnvelopePair(NamedTuple):
    """One envelope on both sides; `moved` tells whether its path changed."""

    before: Envelope
    after: Envelope

    @property
    def moved(self) -> bool:
        """Whether the envelope lies elsewhere now."""
        return self.before.path != self.after.path


@dataclass(frozen=True)
class Change:
    """The two sides of a change, and the paths whose entries differ between them."""

    before: Workspaces
    after: Workspaces

    @cached_property
    def changed_paths(self) -> frozenset[str]:
        """Paths added, removed, or with other content or kind."""
        old, new = self.before.snapshot.entries, self.after.snapshot.entries
        return frozenset(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))

    def workspaces(self) -> Iterator[tuple[Workspace | None, Workspace | None]]:
        """The workspaces of both sides, paired by their folder."""
        for root in sorted({workspace.root for side in (self.before, self.after) for workspace in side}):
            yield self.before.at(root), self.after.at(root)

    def pairs(self) -> Iterator[EnvelopePair]:
        """Envelopes that both sides hold exactly once, paired by their whole name. Doubles are never guessed at."""
        for before, after in self.workspaces():
            if before is None or after is None:
                continue
            for stem, envelopes in after.by_stem.items():
                old = before.by_stem.get(stem, [])
                if len(old) == len(envelopes) == 1:
                    yield EnvelopePair(old[0], envelopes[0])

    def added(self) -> Iterator[Envelope]:
        """Envelopes whose name only the side after holds."""
        for before, after in self.workspaces():
            for stem, envelopes in after.by_stem.items() if after else ():
                if before is None or stem not in before.by_stem:
                    yield from envelopes

    def removed(self) -> Iterator[Envelope]:
        """Envelopes whose name only the side before holds."""
        for before, after in self.workspaces():
            for stem, envelopes in before.by_stem.items() if before else ():
                if after is None or stem not in after.by_stem:
                    yield from envelopes
