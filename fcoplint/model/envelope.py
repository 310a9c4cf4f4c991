"""One protocol file as it was read: its name, its place, its fields with their positions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fcoplint.model.document import Document
from fcoplint.model.event import Attempt, Event, read_attempts
from fcoplint.model.location import Location
from fcoplint.model.nodes import Mapping, Node, Pair, Scalar, Sequence, Span, in_words
from fcoplint.protocol.names import Name, claimed_kind, parse_name
from fcoplint.protocol.roles import YAML_TRAPS, is_address, split_slot
from fcoplint.source.snapshot import Content, Entry, Unreadable

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace
    from fcoplint.protocol.places import Place


class Envelope:
    """A TASK, REPORT, ISSUE or REVIEW. Its content is read when first asked for; `kind` is what its name claims."""

    def __init__(self, workspace: Workspace, path: str, place: Place, entry: Entry, kind: str) -> None:
        self.workspace = workspace
        self.path = path
        self.place = place
        self.entry = entry
        self.filename = path.rpartition("/")[2]
        self.kind = kind

    @cached_property
    def name(self) -> Name | None:
        """The parts of the file name where it follows the grammar; v4's names have none, whatever they look like."""
        return None if self.workspace.version == 4 else parse_name(self.filename)

    @property
    def stem(self) -> str:
        """The file name without its extension: the envelope's identity wherever it lies."""
        return self.filename.removesuffix(".md")

    @property
    def short_id(self) -> str | None:
        """TYPE-YYYYMMDD-NNN where the name follows the grammar."""
        return self.name.short_id if self.name else None

    @property
    def content(self) -> Content:
        """The bytes, or why there are none."""
        document = self._document
        return document if isinstance(document, Unreadable) else document.data

    @property
    def document(self) -> Document | None:
        """The parsed content, None where it cannot be read."""
        return None if isinstance(self._document, Unreadable) else self._document

    @cached_property
    def fields(self) -> Mapping | None:
        """The front matter's mapping, None where there is none that can be read."""
        return self.document.front.mapping if self.document else None

    @property
    def serial(self) -> tuple[str, str]:
        """The name's date and number, by which envelopes are put in order; blank where the name does not follow the grammar."""
        return (self.name.date, self.name.sequence) if self.name else ("", "")

    @property
    def author(self) -> str | None:
        """The role that wrote it: a REPORT's sender, an ISSUE's reporter, a REVIEW's reviewer; by a field of a role, else the name."""
        key = self.workspace.edition.role_fields[self.kind][0]
        return self._role_in(key) or (self.name.sender if self.name else None) or self.text(key)

    @property
    def authors(self) -> set[str]:
        """The roles that may have written it: where field and name differ (FC120), either may be the one that was meant."""
        return {role for role in (self.author, self.name.sender if self.name else None) if role}

    @property
    def recipient(self) -> str | None:
        """The role it is addressed to, its slot removed; by the field if it holds a role, else the name."""
        said = self._role_in("recipient") or (self.name.recipient if self.name else None) or self.text("recipient")
        return split_slot(said)[0] if said else None

    @property
    def recipients(self) -> set[str]:
        """The roles that it may be addressed to: where field and name differ (FC120), either may be the one that was meant."""
        return {role for role in (self.recipient, self.name.recipient if self.name else None) if role}

    def get(self, key: str) -> Node | None:
        """A field's value, None where the field is absent."""
        pair = self.pair(key)
        return pair.value if pair else None

    def pair(self, key: str) -> Pair | None:
        """A field's key and value, under the protocol's name or the dialect's; None where the field is absent."""
        fields = self.fields
        if fields is None:
            return None
        found = fields.pair(key)
        if found is None:
            other = self.workspace.dialect.other_names.get(key)
            found = fields.pair(other) if other else None
        return found

    def values(self, key: str) -> list[Node]:
        """Every value of a field, several where its key stands twice (FC113): readers differ in which they take."""
        pair = self.pair(key)
        return self.fields.values(pair.key.text) if self.fields and pair else []

    def scalar(self, key: str) -> Scalar | None:
        """A field's value where it is text that says something."""
        value = self.get(key)
        return value if isinstance(value, Scalar) and not value.is_empty else None

    def text(self, key: str) -> str | None:
        """A field's text where it says something."""
        value = self.scalar(key)
        return value.text if value else None

    def said(self, key: str) -> Iterator[tuple[Node, str]]:
        """A field's value and what it says in words; nothing where it is absent or empty, which is FC114's to tell if it matters."""
        value = self.get(key)
        if value is not None and not value.is_empty:
            yield value, in_words(value)

    @property
    def file(self) -> Location:
        """The file itself, where its content is not the point: its name, its folder."""
        return Location(self.path)

    @property
    def top(self) -> Location:
        """Line 1, for what is absent from the file."""
        return Location(self.path, Span(1, 1, 1, 1))

    def at(self, where: Node | Pair | Span) -> Location:
        """The location of a node, of a pair's key, of a span."""
        if isinstance(where, Span):
            return Location(self.path, where)
        return Location(self.path, where.key.span if isinstance(where, Pair) else where.span)

    def _role_in(self, key: str) -> str | None:
        """A field's text where every reader takes it for a role, with or without a slot."""
        value = self.scalar(key)
        if value is None or not is_address(value.text) or (not value.quoted and value.text in YAML_TRAPS):
            return None
        return value.text

    @cached_property
    def _document(self) -> Document | Unreadable:
        return self.workspace.load(self)


class Task(Envelope):
    """A TASK: the directory it lies in is its state, `transitions` the evidence of how it got there."""

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events that are mappings, in the order written; none where `transitions` is no list."""
        return self.document.events(self.workspace.dialect.tool_keys) if self.document else ()

    @cached_property
    def attempts(self) -> list[Attempt]:
        """The attempts at it (FCoP 4), in their order."""
        return read_attempts(self.events)

    @property
    def last_event(self) -> Event | None:
        """The event at the end of the list; None where what stands there is no event."""
        listed = self.get("transitions")
        if not self.events or not isinstance(listed, Sequence) or self.events[-1].number != len(listed.items) - 1:
            return None
        return self.events[-1]


class Report(Envelope):
    """A REPORT: what came of a TASK."""


class Issue(Envelope):
    """An ISSUE: something that hinders the work."""


class Review(Envelope):
    """A REVIEW: a judgement on a piece of work; it moves nothing."""


_TYPES: dict[str, type[Envelope]] = {"TASK": Task, "REPORT": Report, "ISSUE": Issue, "REVIEW": Review}


def make_envelope(workspace: Workspace, path: str, place: Place, entry: Entry) -> Envelope:
    """The envelope at a path, as the type that its name claims; the name must claim one."""
    kind = claimed_kind(path.rpartition("/")[2])
    assert kind is not None, "only files that claim a type are envelopes"
    return _TYPES[kind](workspace, path, place, entry, kind)
