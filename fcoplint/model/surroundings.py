"""What is known beside a snapshot, as the rules about roots see it: the disk, and what the owner lets them pass by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fcoplint.source.ground import Ground, Nowhere


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`ground` answers for disk and repository; `ignores` says of which of the snapshot's paths nothing is to be said."""

    ground: Ground = field(default_factory=Nowhere)
    ignores: Callable[[str], bool] = lambda path: False
