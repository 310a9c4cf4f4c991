"""Where a path of a snapshot leads when its symbolic links are followed, inside the snapshot alone. No disk is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fcoplint.protocol.paths import parse

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspaces

# As many as Linux follows; a loop ends there.
_MAX_HOPS = 40


class Way(NamedTuple):
    """Where a path ends: `path` in the snapshot, None where that cannot be told; `leaves_by` is the link that leaves the root."""

    path: str | None
    leaves_by: str | None = None


def follow(state: Workspaces, path: str) -> Way:
    """The end of a path's links. An absolute link leaves the root wherever it is cloned."""
    pending, walked, hops = path.split("/")[::-1], list[str](), 0
    outside, last = 0, ""
    while pending:
        part = pending.pop()
        if part == ".." and not walked:
            outside += 1
            if outside > state.surroundings.ground.above + state.names_above:
                return Way(None, last or None)
        elif part == "..":
            walked.pop()
        elif part not in ("", "."):
            walked.append(part)
        link = "/".join(walked)
        if outside or link not in state.links:
            continue
        hops, last = hops + 1, link
        if hops > _MAX_HOPS:
            return Way(None)
        target = parse(state.links[link])
        if not target.is_relative:
            return Way(None, link)
        walked.pop()
        pending.extend(reversed(target.parts))
    return Way(None if outside else "/".join(walked))
