"""One envelope on both sides of a change: what became of its content and of its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fcoplint.model.comparison import Comparison
from fcoplint.model.document import Document
from fcoplint.model.envelope import Envelope
from fcoplint.model.event import Event, read_events
from fcoplint.protocol.places import Place
from fcoplint.source.snapshot import Kind

# What a place outside the stages says of a TASK: in the older layouts open or over, in history over.
_IMPLIED_STAGE = {"tasks": "inbox", "log": "archive", "history": "archive"}


@dataclass(frozen=True)
class EnvelopePair:
    """One envelope before and after; `moved` tells whether its path changed."""

    before: Envelope
    after: Envelope

    @property
    def moved(self) -> bool:
        """Whether the envelope lies elsewhere now."""
        return self.before.path != self.after.path

    @property
    def is_untouched(self) -> bool:
        """Whether neither the path nor git's object changed; equal bytes that are not in git are told by their content."""
        return not self.moved and self.before.entry == self.after.entry and self.after.entry.oid is not None

    @property
    def is_same(self) -> bool:
        """Whether the same bytes lie at the same path."""
        return not self.moved and self.content is not None and self.content.old.data == self.content.new.data

    @cached_property
    def content(self) -> Comparison | None:
        """The two contents compared; None where one of them cannot be read, or is not the envelope's own."""
        old, new = _own_content(self.before), _own_content(self.after)
        return Comparison(old, new) if old and new else None

    @property
    def is_replaced_unread(self) -> bool:
        """Whether other bytes stand where nobody can read them, and nothing else in this change says so.

        What became unreadable is a finding of the state after; what was a link, a conflict or a pointer is repaired.
        """
        old, new = self.before, self.after
        if self.content or Kind.UNMERGED in (old.entry.kind, new.entry.kind):
            return False
        if _own_content(new):
            return old.document is None and old.entry.kind is Kind.FILE
        return _own_content(old) is None and _identity(old) != _identity(new)

    @cached_property
    def stages(self) -> tuple[str | None, str | None]:
        """The stage before and the stage after, by the paths; None where the path names none."""
        return stage_of(self.before.place), stage_of(self.after.place)

    @cached_property
    def landed(self) -> tuple[Event, ...]:
        """The events that the side before holds, those that are mappings."""
        return read_events(self.content.landed, self.before.workspace.dialect.tool_keys) if self.content else ()

    @cached_property
    def appended(self) -> tuple[Event, ...]:
        """The events that the side after holds behind the landed ones; none where those did not stay."""
        if self.content is None or self.content.broken_at is not None:
            return ()
        return read_events(self.content.appended, self.after.workspace.dialect.tool_keys, len(self.content.landed))

    @property
    def is_led(self) -> bool:
        """Whether the appended events lead to where the envelope lies, from where it lay or from where its events had ended.

        So a change is lawful, too, that makes path and events agree again; a list that was never there may be supplied.
        """
        start, end = self.stages
        ended = self.landed[-1].target if self.landed else start
        if not self.appended:
            return end in (start, ended)
        positions = trail(self.appended)
        if positions is None or positions[-1] != end:
            return False
        if not self.landed or self.before.place.kind != "stage":
            return self._passes(positions)
        return positions[0] in (start, ended) or self.appended[0].is_correction

    def _passes(self, positions: Sequence[str | None]) -> bool:
        """Whether a trail without landed events passes where the envelope lay; what an older layout held may begin anew."""
        return self.stages[0] in positions or (self.before.place.kind != "stage" and positions[0] is None)

    @property
    def is_repaired(self) -> bool:
        """Whether the last event disagreed with the path before and agrees now, and nothing landed was touched."""
        if not self.landed or self.content is None or not self.content.is_continued:
            return False
        last = self.appended[-1] if self.appended else self.landed[-1]
        return self.landed[-1].target != self.stages[0] and last.target == self.stages[1]


def _own_content(envelope: Envelope) -> Document | None:
    document = envelope.document
    if (
        document is None
        or document.is_lfs_pointer
        or document.conflict_line
        or any(fault.kind == "conflict" for fault in document.front.faults)
    ):
        return None
    return document


def _identity(envelope: Envelope) -> object:
    return envelope.entry if envelope.entry.oid else envelope.content


def stage_of(place: Place) -> str | None:
    """The stage that a place means for a TASK: its own, archive in `history/`, inbox in the old `tasks/`."""
    return place.stage or _IMPLIED_STAGE.get(place.kind)


def trail(events: Sequence[Event]) -> list[str | None] | None:
    """The stages that events pass, the first one's source included; None where one does not begin where the last ended.

    An event with `supersedes` corrects an earlier one and need not continue it (protocol.md V3-T08).
    """
    positions: list[str | None] = [events[0].source] if events else []
    for event in events:
        if event.source != positions[-1] and not event.is_correction:
            return None
        positions.append(event.target)
    return positions
