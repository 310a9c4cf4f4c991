"""Marks what `init` wrote, so that it is taken away again only while nobody has changed it.

The mark is a comment line before the block, with a digest of all that follows it.
"""

from __future__ import annotations

import hashlib
import re

_TEXT = b"# `fcoplint init` wrote what follows, and takes it away again with --undo while it is unchanged"
_LINE = re.compile(rb"^" + re.escape(_TEXT) + rb" \[([0-9a-f]{16})\]\n", re.MULTILINE)


def seal(block: bytes) -> bytes:
    """The block behind its mark."""
    return _TEXT + b" [" + _digest(block) + b"]\n" + block


def find(content: bytes) -> tuple[bytes, bool] | None:
    """What stands before the last mark, and whether what follows it is as it was written; None where there is no mark."""
    found = list(_LINE.finditer(content))
    if not found:
        return None
    return content[: found[-1].start()], _digest(content[found[-1].end() :]) == found[-1][1]


def _digest(block: bytes) -> bytes:
    return hashlib.sha256(block).hexdigest()[:16].encode()
