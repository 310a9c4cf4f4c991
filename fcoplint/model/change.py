"""A change: the state before and the state after, with their envelopes paired by name, never by git's guess."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from fcoplint.model.comparison import Comparison, body_lines
from fcoplint.model.continuation import may_follow
from fcoplint.model.document import Document
from fcoplint.model.envelope import Envelope, Task
from fcoplint.model.event import Event
from fcoplint.model.pair import EnvelopePair
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol.places import is_envelope
from fcoplint.source.snapshot import OverlaySnapshot, read_one


class Past(NamedTuple):
    """What a commit made of a file: its path there and its bytes."""

    commit: str
    path: str
    data: bytes


class Ancestors(Protocol):
    """The past of a commit: a side before, or another parent of a merge."""

    def __call__(self, folder: str, filename: str) -> Iterable[Past]:
        """What a file name below a folder once held, newest first."""
        ...

    def departed(self, folder: str, filenames: Iterable[str]) -> Collection[str]:
        """Those of the file names that once left a path below a folder; cheaper to ask than what they held."""
        ...


class Author(NamedTuple):
    """Who made a commit, as git has it."""

    name: str
    email: str


class Side(NamedTuple):
    """Another parent of a merge: its state and its past."""

    state: Workspaces
    ancestors: Ancestors


class NoAncestors:
    """The past of a state that has none, or none that could be asked."""

    def __call__(self, folder: str, filename: str) -> Iterable[Past]:
        """See `Ancestors`."""
        return ()

    def departed(self, folder: str, filenames: Iterable[str]) -> Collection[str]:
        """See `Ancestors.departed`."""
        return ()


no_ancestors = NoAncestors()


@dataclass(frozen=True)
class Change:
    """The two sides of a change, and the paths whose entries differ between them.

    `ancestors` is asked for the past of the side before only where something landed was touched; `elsewhere` are the other
    parents of a merge. `author` and `signed` are None where they are not known.
    """

    before: Workspaces
    after: Workspaces
    ancestors: Ancestors = no_ancestors
    elsewhere: tuple[Side, ...] = ()
    author: Author | None = None
    signed: bool | None = None

    @cached_property
    def changed_paths(self) -> frozenset[str]:
        """Paths added, removed, or with other content or kind."""
        old, new = self.before.snapshot.entries, self.after.snapshot.entries
        return frozenset(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))

    @cached_property
    def moved(self) -> dict[str, str]:
        """Where workspaces went: the folder after by the folder before.

        One that vanished while another appeared with the same manifest has moved; of several, the one with most names in
        common (design.md 4).
        """
        gone = [workspace for workspace in self.before if self.after.at(workspace.root) is None]
        come = [workspace for workspace in self.after if self.before.at(workspace.root) is None]
        couples = [(_kinship(old, new), old.root, new.root) for old in gone for new in come if _same_manifest(old, new)]
        found: dict[str, str] = {}
        for _, old, new in sorted(couples, key=lambda couple: (-couple[0], couple[1:])):
            if old not in found and new not in found.values():
                found[old] = new
        return found

    def workspaces(self) -> Iterator[tuple[Workspace | None, Workspace | None]]:
        """The workspaces of both sides, paired by their folder, and across a move."""
        arrived = set(self.moved.values())
        for root in sorted({workspace.root for side in (self.before, self.after) for workspace in side} - arrived):
            yield self.before.at(root), self.after.at(self.moved.get(root, root))

    def pairs(self) -> Iterator[EnvelopePair]:
        """Envelopes that both sides hold and the change touched, paired by their whole name; where there are several, see `_match`."""
        for before, after, stems in self._touched:
            if before is None or after is None:
                continue
            for stem in stems:
                pairs = _match(before.named(stem), after.named(stem))
                yield from (pair for pair in pairs if not pair.is_untouched)

    def dropped(self) -> Iterator[EnvelopePair]:
        """Copies that vanish where others of their name stay and none of those continues them, each with the best of those.

        Else two copies could serve to put one content in the place of the other.
        """
        for before, after, stems in self._touched:
            for stem in stems if before and after else ():
                old, new = before.named(stem) if before else [], after.named(stem) if after else []
                if len(old) > 1 and new:
                    yield from _lost(old, new)

    def added(self) -> Iterator[Envelope]:
        """Envelopes whose name only the side after holds, and that had not been here before."""
        returned = {pair.after.path for pair in self.returned}
        yield from (envelope for envelope in self._fresh if envelope.path not in returned)

    def touched(self) -> Iterator[Envelope]:
        """The envelopes of the side after that the change touched."""
        yield from (pair.after for pair in self.pairs())
        yield from self._fresh

    @cached_property
    def returned(self) -> tuple[EnvelopePair, ...]:
        """Envelopes whose name had left before this change and now comes back, each with what it held when it left.

        What another side of a merge brings never left there.
        """
        known = {pair.after.path for pair in self.renamed}
        found: list[EnvelopePair] = []
        for before, after in self.workspaces():
            home = before or after
            fresh = [new for new in self._fresh if new.workspace is after and new.path not in known and not self._is_brought(new)]
            if home and fresh:
                left = self.ancestors.departed(home.root, {envelope.filename for envelope in fresh})
                landed = _as_landed(home, [past for name in sorted(left) if (past := self._last(home, name))])
                found.extend(EnvelopePair(landed[new.filename], new) for new in fresh if new.filename in landed)
        return tuple(found)

    @cached_property
    def _fresh(self) -> tuple[Envelope, ...]:
        """Envelopes whose name only the side after holds, whether or not they had been here."""
        return tuple(
            envelope
            for before, after, stems in self._touched
            for stem in stems
            if after and not (before and before.named(stem))
            for envelope in after.named(stem)
        )

    def _is_brought(self, envelope: Envelope) -> bool:
        return any(side.state.snapshot.entries.get(envelope.path) == envelope.entry for side in self.elsewhere)

    def _last(self, home: Workspace, filename: str) -> Past | None:
        pasts = self.ancestors(home.root, filename)
        return next((past for past in pasts if is_envelope(home.place(past.path), filename)), None)

    def removed(self) -> Iterator[Envelope]:
        """Envelopes whose name only the side before holds, and whose file is gone."""
        left = self.after.snapshot.entries
        for before, after, stems in self._touched:
            for stem in stems:
                if before and not (after and after.named(stem)):
                    # An outer workspace that appears takes an inner one's files out of every list, but not away (FC701).
                    yield from (item for item in before.named(stem) if left.get(item.path) != item.entry)

    @property
    def touches_workspaces(self) -> bool:
        """Whether anything in a workspace is not the same on both sides; the rest of a repository says nothing new of a state."""
        return any(stems or before is None or after is None for before, after, stems in self._touched)

    @cached_property
    def _touched(self) -> list[tuple[Workspace | None, Workspace | None, list[str]]]:
        """Each pair of workspaces with the names of the files that are not the same on both sides, sorted."""
        return [(before, after, _differing(before, after)) for before, after in self.workspaces()]

    @cached_property
    def renamed(self) -> tuple[EnvelopePair, ...]:
        """Envelopes whose name vanished while a new one took over their number, their creation or their text."""
        left = list(self.removed())
        fresh = dict.fromkeys(self._fresh) if left else {}
        found: list[EnvelopePair] = []
        for trait in (_number, _text):
            bearers: dict[object, list[Envelope]] = {}
            for envelope in fresh:
                bearers.setdefault(trait(envelope), []).append(envelope)
            bearers.pop(None, None)
            for before in left:
                heirs = (item for item in bearers.get(trait(before), ()) if item in fresh and _same_home(before.workspace, item.workspace))
                after = next(heirs, None)
                if after:
                    del fresh[after]
                    found.append(EnvelopePair(before, after))
            gone = {pair.before.path for pair in found}
            left = [envelope for envelope in left if envelope.path not in gone]
        return tuple(found)

    def new_events(self) -> Iterator[tuple[Task, Event]]:
        """The events that the side before does not hold: those appended to landed TASKs, and all of new ones."""
        renamed = {pair.after.path for pair in self.renamed}
        for pair in (*self.pairs(), *self.renamed, *self.returned):
            if isinstance(pair.after, Task):
                yield from ((pair.after, event) for event in pair.appended)
        for envelope in self.added():
            if isinstance(envelope, Task) and envelope.path not in renamed:
                yield from ((envelope, event) for event in envelope.events)

    def restored_from(self, pair: EnvelopePair) -> Past | None:
        """The ancestor that this change brings back exactly, where what lay between was no lawful continuation of it.

        It must itself have come about lawfully: it continues every version before it. Else a forger could land two
        versions once and then change between them as he likes.
        """
        new = pair.after.document
        if new is None:
            return None
        versions = [*self.ancestors(pair.before.workspace.root, pair.after.filename)]
        held = [number for number, past in enumerate(versions) if past.path == pair.after.path and past.data == new.data]
        if not held:
            return None
        old = pair.before.document if pair.before.stem == pair.after.stem else None
        kind = pair.after.kind
        if old and may_follow(Comparison(new, old), kind):
            return None
        older = versions[held[-1] + 1 :]
        return versions[held[-1]] if all(may_follow(Comparison(Document(past.data), new), kind) for past in older) else None

    def is_judged_elsewhere(self, folder: str, before: str, after: str | None) -> bool:
        """Whether what happened to a path happened on another side of this merge, and was judged there.

        That side holds what the merge holds (`after`, or None where the name is gone), and comes from exactly the version
        that this side holds.
        """
        return any(self._holds_result(side, folder, before, after) and self._comes_from(side, folder, before) for side in self.elsewhere)

    def _holds_result(self, side: Side, folder: str, before: str, after: str | None) -> bool:
        if after is not None:
            return read_one(side.state.snapshot, after) == read_one(self.after.snapshot, after)
        start, name = f"{folder}/" if folder else "", before.rpartition("/")[2]
        return not any(path.startswith(start) and path.rpartition("/")[2] == name for path in side.state.snapshot.entries)

    def _comes_from(self, side: Side, folder: str, path: str) -> bool:
        data = read_one(self.before.snapshot, path)
        return any(past.path == path and past.data == data for past in side.ancestors(folder, path.rpartition("/")[2]))


def _differing(before: Workspace | None, after: Workspace | None) -> list[str]:
    """The names of what two workspaces do not have alike; what is not in git may always differ."""
    old, new = (side.entries if side else {} for side in (before, after))
    paths = {path for path in old.keys() | new.keys() if (entry := new.get(path)) is None or entry.oid is None or old.get(path) != entry}
    return sorted({path.rpartition("/")[2].removesuffix(".md") for path in paths})


def _as_landed(home: Workspace, pasts: Iterable[Past]) -> dict[str, Envelope]:
    """Files of the past as envelopes of a workspace, by their names."""
    landed = {past.path: past.data for past in pasts}
    again = Workspaces(OverlaySnapshot(home.snapshot, landed), Documents(), policy=home.policy).at(home.root) if landed else None
    return {envelope.filename: envelope for envelope in again.envelopes if envelope.path in landed} if again else {}


def _match(old: list[Envelope], new: list[Envelope]) -> Iterator[EnvelopePair]:
    """Copies of one name: each with the one at its own path; a single one left over with the copy that it continues best.

    Doubles are never guessed at otherwise: FC203 speaks of them.
    """
    if len(old) == len(new) == 1:
        yield EnvelopePair(old[0], new[0])
        return
    by_path = {envelope.path: envelope for envelope in old}
    for envelope in new:
        if envelope.path in by_path:
            yield EnvelopePair(by_path[envelope.path], envelope)
        elif len(new) == 1 and old:
            yield max((EnvelopePair(copy, envelope) for copy in old), key=_kept)


def _lost(old: list[Envelope], new: list[Envelope]) -> Iterator[EnvelopePair]:
    kept = [*new, *(pair.before for pair in _match(old, new))]
    paths = {copy.path for copy in kept}
    for copy in old:
        # What another copy went on with is judged there.
        if copy.path not in paths and not any(_goes_on(copy, other) for other in kept):
            yield max((EnvelopePair(copy, other) for other in new), key=_kept)


def _goes_on(old: Envelope, new: Envelope) -> bool:
    """Whether one copy of a name holds what another may lawfully become."""
    content = EnvelopePair(old, new).content
    return content is not None and may_follow(content, old.kind)


def _number(envelope: Envelope) -> object:
    """What a number stands for: type, date and sequence; None where the name breaks the grammar."""
    return (envelope.kind, envelope.name.date, envelope.name.sequence) if envelope.name else None


def _text(envelope: Envelope) -> object:
    """The text of an envelope, with a TASK's creation; None where it says nothing."""
    body = tuple(body_lines(envelope.document)) if envelope.document else ()
    created = envelope.events[0].identity if isinstance(envelope, Task) and envelope.events else None
    return (envelope.kind, body, created) if any(body) else None


def _same_home(old: Workspace, new: Workspace) -> bool:
    return old.root == new.root or old.manifest_path not in new.snapshot.entries


def _kept(pair: EnvelopePair) -> tuple[bool, int]:
    if pair.content is None:
        return False, 0
    broken = pair.content.broken_at
    return pair.content.is_continued, len(pair.content.landed) if broken is None else broken


def _same_manifest(old: Workspace, new: Workspace) -> bool:
    if old.manifest is None or new.manifest is None:
        return False
    return old.manifest.data == new.manifest.data or (old.manifest.values == new.manifest.values and bool(old.manifest.values))


def _kinship(old: Workspace, new: Workspace) -> int:
    return len(old.by_stem.keys() & new.by_stem.keys())
