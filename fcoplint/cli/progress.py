"""How far long work has got: one line on a terminal's standard error, gone when the work is done. Silence anywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

# Short work says nothing; long work speaks no faster than an eye can follow.
_PATIENCE, _PACE = 1.0, 0.1


def track(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items as they are; while they take long, a terminal is told how many there have been."""
    if not (sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"):
        yield from items
        return
    due = time.monotonic() + _PATIENCE
    shown = False
    try:
        for number, item in enumerate(items):
            if time.monotonic() >= due:
                sys.stderr.write(f"\r\x1b[Kfcoplint: {number:,} of {total:,} {what}")
                sys.stderr.flush()
                shown, due = True, time.monotonic() + _PACE
            yield item
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
