"""A finding: code, place and parameters. Its text is rendered last, from the rule's own templates (design.md 2, 8)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fcoplint.model.location import Location

if TYPE_CHECKING:
    from fcoplint.model.envelope import Envelope
    from fcoplint.model.nodes import Node, Pair, Span
    from fcoplint.model.workspace import Workspace

SEVERITIES = ("info", "warning", "error")


class Edit(NamedTuple):
    """A stretch of a file, and what is to stand there instead."""

    path: str
    span: Span
    replacement: str


class Move(NamedTuple):
    """A file that is to lie elsewhere, its bytes as they are."""

    path: str
    target: str


class Fix(NamedTuple):
    """Edits, or moves, that put a finding right; `safety` is safe or unsafe (a person should look at it first)."""

    edits: tuple[Edit, ...]
    safety: str
    moves: tuple[Move, ...] = ()


class Related(NamedTuple):
    """A second place that belongs to a finding, and what it is: the first key, the other copy, the TASK."""

    location: Location
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule yields. `message` picks the template, `when` the severity's condition, in the rule's own file.

    `about` is what tells two faults of one rule in one envelope apart, across moves and edits elsewhere: a field and its
    value, never a line. `parameters` fill the templates and stand in the JSON report. `replaces` names the codes that would
    only repeat, of the same subject's state after, what this finding of a change says. `fix` mends it, where that is certain.
    """

    code: str
    location: Location
    subject: str
    about: str = ""
    message: str = "default"
    when: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()
    workspace: str = ""
    replaces: tuple[str, ...] = ()
    fix: Fix | None = None

    @property
    def fingerprint(self) -> str:
        """24 hex digits over code, workspace, subject and `about`: the same fault, wherever it stands (design.md 8)."""
        parts = "\0".join((self.code, self.workspace, self.subject, self.about))
        return hashlib.blake2b(parts.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()

    @property
    def sort_key(self) -> tuple[str, int, int, str, str, str]:
        """The one total order of findings: path, line, column, code, then what they are about."""
        span = self.location.span
        line, column = (span.line, span.column) if span else (0, 0)
        return (self.location.path, line, column, self.code, self.message, self.about)


def on(
    envelope: Envelope,
    code: str,
    where: Node | Pair | Span | Location,
    *,
    about: str = "",
    message: str = "default",
    when: str = "",
    related: tuple[Related, ...] = (),
    fix: Fix | None = None,
    **parameters: object,
) -> Finding:
    """A finding about an envelope, at a node, a pair's key, a span, or a location of its own."""
    location = where if isinstance(where, Location) else envelope.at(where)
    return Finding(code, location, envelope.stem, about, message, when, parameters, related, envelope.workspace.root, fix=fix)


def on_path(
    workspace: Workspace,
    code: str,
    path: str,
    span: Span | None = None,
    *,
    about: str = "",
    message: str = "default",
    when: str = "",
    related: tuple[Related, ...] = (),
    **parameters: object,
) -> Finding:
    """A finding about a path of a workspace that is no envelope: a folder, a link, the manifest, a stray file."""
    return Finding(code, Location(path, span), workspace.relative(path), about, message, when, parameters, related, workspace.root)
