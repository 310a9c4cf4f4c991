"""What a whole team did under v1 or v2 is said once, not once a file (docs/field-report.md).

There it is a warning at most and has landed long ago: dozens of equal lines would hide those that are worth reading. In v3
every envelope is told.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from fcoplint.checks.registry import V1_V2
from fcoplint.findings import Finding, Related, on_path
from fcoplint.model.workspace import Workspace

# Fewer than these are told one by one: they are slips, and no habit.
MANY = 5


def once(workspace: Workspace, found: list[Finding], about: str, **parameters: object) -> Iterator[Finding]:
    """Findings of one kind, in the order in which they are listed: each for itself, or a habit's one finding for all of them.

    It is about the workspace and stands at the folder that holds them all, so that one more of the kind makes no new
    finding. Its message is the rule's `habit`.
    """
    if workspace.version not in V1_V2 or len(found) < MANY:
        yield from found
        return
    places = [finding.location for finding in found]
    folder = posixpath.commonpath([place.path for place in places]) or workspace.manifest_path
    related = tuple(Related(place, "one of them") for place in places)
    whole = on_path(workspace, found[0].code, folder, about=about, message="habit", when=found[0].when, related=related)
    subject = workspace.relative(workspace.manifest_path)
    yield replace(whole, subject=subject, parameters={"count": len(found), **parameters})
