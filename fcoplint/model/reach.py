"""What a change can affect, told from names and bytes alone, so that a hook need not parse a large workspace.

Only what one side of a change finds and the other does not is ever told. An envelope is judged alike on both sides where
neither it nor anything it speaks of, in any number of steps, was touched: such envelopes are *spared*. Whatever is unusual
is kept: what cannot be read, names outside the grammar, files in another event vocabulary. So are the few by which others are
judged: those with a workspace's first and newest events. Whoever leaves the spared ones out must see to it that their folders
stay.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fcoplint.model.document import Document
from fcoplint.model.envelope import Task
from fcoplint.model.nodes import walk_scalars
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.dialects import DIALECTS
from fcoplint.protocol.names import parse_name, plain_spelling
from fcoplint.protocol.places import MANIFEST_NAMES
from fcoplint.protocol.rules_version import RULE_FILES
from fcoplint.protocol.times import parse_time
from fcoplint.source.snapshot import Kind

# Below so many envelopes nothing is gained.
WORTH_IT = 200
_VERSION = 3
# A number names an envelope whatever its type, slug or slot; an id without one is a key as it stands.
_NUMBER = re.compile(r"\d{8}-\w+")
_ID = re.compile(r"(?:TASK|REPORT|ISSUE|REVIEW)-(?!\d{8}-\w)[^\s;,()'\"\[\]]+", re.IGNORECASE)
_SESSION = re.compile(r"^session_id: *['\"]?([^'\"\n]+)", re.MULTILINE)
_AT = re.compile(r"\bat: *['\"]?(\d{4}-\d\d-\d\d[^'\"\n]*)")
_DAY = len("YYYY-MM-DD")
# Local dates of one instant differ by a day at most.
_ZONES = datetime.timedelta(days=2)

# Front matter of which one look tells that YAML takes it as a mapping, and that its texts stand there as written: keys with
# a plain text, a quoted one without escapes, a block, a flat list, or below a key a list of such texts or of such mappings.
# Nothing is ever tried twice: the time is that of one pass, whatever stands there.
_CONTROL = r"\x00-\x1f\x7f"
_KEY = r"[A-Za-z_][A-Za-z0-9_-]*+"
_QUOTED = rf"'[^'{_CONTROL}]*+'|\"[^\"\\{_CONTROL}]*+\""
_START = r"[^\x00-/:-@\[-`{-\x7f]"
_LISTED = rf"(?:{_QUOTED}|{_START}(?:[^:#,\[\]{{}}{_CONTROL}]|:(?![ \n])|(?<! )#)*+)"
_TEXT = rf"(?:(?:{_QUOTED})(?! *[^ \n])|{_START}(?:[^:#{_CONTROL}]|:(?![ \n])|(?<! )#)*+)"
_VALUE = rf"(?: ++(?:{_TEXT}|\[(?:{_LISTED}(?:, *+{_LISTED})*+)?\]))? *+\n"
_LINE = rf"[^{_CONTROL}]*+\n"


def _block(indent: str) -> str:
    return rf" ++[|>]-?\n{indent}(?! ){_LINE}(?:{indent}{_LINE})*+"


def _items(indent: str) -> str:
    value = f"(?:{_VALUE}|{_block(indent + '    ')})"
    return rf"(?:{indent}- (?:{_KEY}:{value}(?:{indent}  {_KEY}:{value})*+|{_TEXT}\n))++"


@functools.cache
def _plain() -> re.Pattern[str]:
    return re.compile(rf"---\n(?:\n|{_KEY}: *+\n(?:{_items('')}|{_items('  ')})|{_KEY}:(?:{_VALUE}|{_block('  ')}))++---\n")


class _Look(NamedTuple):
    """What a look at one envelope's bytes tells: the keys it speaks of, the times of its events, whether it must be kept."""

    keys: frozenset[str]
    times: tuple[str, ...]
    is_odd: bool


def find_spared(sides: Sequence[Workspaces]) -> frozenset[str]:
    """The paths of envelopes that no rule need read to judge the change between these states; none where that gains nothing.

    `sides` are the states before, and last the state after.
    """
    changed = _changed_paths(sides)
    ordinary = [workspace for side in sides for workspace in side if _is_ordinary(workspace)]
    paths = {path for workspace in ordinary for path in workspace.envelope_paths}
    if len(paths) < WORTH_IT or _bind_all(changed, sides):
        return frozenset()
    sights = _Sights()
    for workspace in ordinary:
        sights.add(workspace)
    if sights.odd & changed:
        # What cannot be read may be the answer to anything.
        return frozenset()
    ends = set[str]().union(*map(sights.ends, ordinary))
    return frozenset(paths - sights.reached_from(changed | ends | sights.odd))


class _Sights:
    """What the envelopes of several states look like; what states have in common is looked at once."""

    def __init__(self) -> None:
        self._by_oid: dict[str, _Look] = {}
        self._by_path: dict[str, dict[str, _Look]] = {}
        self.odd: set[str] = set()

    def add(self, workspace: Workspace) -> None:
        """Look at a workspace's envelopes, all in one stream."""
        # What git does not hold is seen here only.
        oids = {path: workspace.entries[path].oid or f"{workspace.snapshot.label} {path}" for path in workspace.envelope_paths}
        unseen = {oid: path for path, oid in oids.items() if oid not in self._by_oid}
        tools = workspace.dialect.tool_keys
        foreign = tuple({key for dialect in DIALECTS.values() for key in dialect.tool_keys} - set(tools))
        for path, content in workspace.snapshot.read(unseen.values()):
            self._by_oid[oids[path]] = _look(content, tools, foreign) if isinstance(content, bytes) else _UNREADABLE
        for path, oid in oids.items():
            look = self._by_oid[oid]
            self._by_path.setdefault(path, {})[oid] = look
            is_file = workspace.entries[path].kind is Kind.FILE
            if look.is_odd or not is_file or parse_name(path.rpartition("/")[2]) is None:
                self.odd.add(path)

    def reached_from(self, changed: Iterable[str]) -> set[str]:
        """The paths that speak of a changed one, or are spoken of by it, in any number of steps."""
        speakers: dict[str, list[str]] = {}
        for path in self._by_path:
            for key in self._keys(path):
                speakers.setdefault(key, []).append(path)
        reached = set(changed)
        pending, followed = list(reached), set[str]()
        while pending:
            for key in self._keys(pending.pop()) - followed:
                followed.add(key)
                fresh = [path for path in speakers.get(key, ()) if path not in reached]
                reached.update(fresh)
                pending.extend(fresh)
        return reached

    def ends(self, workspace: Workspace) -> set[str]:
        """The TASKs by whose events, the first and the last of a workspace, others are judged, and those that have none."""
        looks = [(path, look) for path in workspace.envelope_paths for look in self._by_path[path].values()]
        told = {path: look.times for path, look in looks if look.times}
        found = _ends(workspace, told, workspace.policy.now + workspace.policy.clock_tolerance)
        # A TASK without events is judged by which event was the first of all.
        bare = {path for path, look in looks if not look.times and path.rpartition("/")[2].startswith("TASK")}
        return found | bare | (_start(workspace, told) if bare else set())

    def _keys(self, path: str) -> set[str]:
        filename = path.rpartition("/")[2]
        found = _find_keys(filename if parse_name(filename) else f"{filename} {plain_spelling(filename)}")
        return found.union(*(look.keys for look in self._by_path.get(path, {}).values()))


_UNREADABLE = _Look(frozenset(), (), is_odd=True)


def _look(data: bytes, tools: tuple[str, ...], foreign: tuple[str, ...]) -> _Look:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _UNREADABLE
    plain = _plain().match(text)
    if plain is None or ":" not in plain[0] or not (text.isascii() or plain[0].replace("\n", "").isprintable()):
        return _read(Document(data), tools, foreign)
    front = plain[0]
    return _Look(
        frozenset(_find_keys(front) | {f"session {name.strip()}" for name in _SESSION.findall(front)}),
        tuple(_AT.findall(front)),
        is_odd=any(f" {key}:" in front for key in foreign),
    )


def _read(document: Document, tools: tuple[str, ...], foreign: tuple[str, ...]) -> _Look:
    """The same of an envelope whose front matter must be parsed to be understood."""
    fields = document.front.mapping
    if fields is None or document.front.faults:
        return _UNREADABLE
    keys = set[str]()
    for scalar in walk_scalars(fields):
        keys |= _find_keys(scalar.text)
    session = fields.text("session_id")
    events = document.events(tools)
    return _Look(
        frozenset(keys | ({f"session {session.strip()}"} if session else set())),
        tuple(event.time.moment.isoformat() for event in events if event.time),
        is_odd=any(key in foreign for event in events for key in event.keys),
    )


def _find_keys(text: str) -> set[str]:
    return {*_NUMBER.findall(text), *(found.upper().removesuffix(".MD") for found in _ID.findall(text))}


def _changed_paths(sides: Sequence[Workspaces]) -> set[str]:
    *before, after = (side.snapshot.entries for side in sides)
    return {path for old in before for path in old.keys() | after.keys() if old.get(path) != after.get(path)}


def _bind_all(changed: Iterable[str], sides: Sequence[Workspaces]) -> bool:
    """Whether one of these changes can bear on every envelope: a manifest, the rules, a link, a workspace that comes or goes."""
    if len({tuple(workspace.root for workspace in side) for side in sides}) > 1:
        return True
    for path in changed:
        if path.endswith((*MANIFEST_NAMES, *RULE_FILES)):
            return True
        if any(entry.kind is not Kind.FILE for side in sides if (entry := side.snapshot.entries.get(path))):
            return True
    return False


def _is_ordinary(workspace: Workspace) -> bool:
    """Whether a workspace's rules depend on related envelopes alone.

    Under v1 and v2 habits are told for the whole workspace; without a declared leader the names of all TASKs tell who leads.
    """
    manifest = workspace.manifest
    if workspace.version != _VERSION or workspace.protocol.mixed or manifest is None or manifest.fault is not None:
        return False
    leader = manifest.leader
    return bool(workspace.policy.leader) or (leader is not None and (not manifest.roles or leader in manifest.roles))


def _ends(workspace: Workspace, told: Mapping[str, Sequence[str]], latest: datetime.datetime) -> set[str]:
    """The TASKs with the last event, and with the last that does not lie in the future, `told` the times that each names."""
    last = max((max(times)[:_DAY] for times in told.values()), default="")
    future = {path for path, times in told.items() if max(times)[:_DAY] > _day(latest)}
    if future:
        last = max((max(times)[:_DAY] for path, times in told.items() if path not in future), default="")
    near = [path for path, times in told.items() if path not in future and max(times)[:_DAY] >= _shifted(last, -_ZONES)]
    times = {path: [moment for moment in _moments_in(told[path]) if moment <= latest] for path in near}
    ordered = sorted(((max(moments), path) for path, moments in times.items() if moments), reverse=True)
    found = future | {path for path in near if any(moment > latest for moment in _moments_in(told[path]))}
    best: datetime.datetime | None = None
    for said, path in ordered:
        if best and said <= best:
            break
        found.add(path)
        best = max(filter(None, (best, *(moment for moment in _moments(workspace, path) if moment <= latest))), default=None)
    return found


def _start(workspace: Workspace, told: Mapping[str, Sequence[str]]) -> set[str]:
    """The TASK with the first event that is no migration's."""
    best: tuple[datetime.datetime, str] | None = None
    for day, path in sorted((min(times)[:_DAY], path) for path, times in told.items()):
        if best and day > _day(best[0] + _ZONES):
            break
        best = min(filter(None, (best, *((moment, path) for moment in _moments(workspace, path, migrated=False)))), default=None)
    return {best[1]} if best else set()


def _day(moment: datetime.datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _shifted(day: str, by: datetime.timedelta) -> str:
    return _day(moment.moment + by) if (moment := parse_time(day)) else day


def _moments_in(times: Iterable[str]) -> list[datetime.datetime]:
    return [time.moment for text in times if (time := parse_time(text.strip()))]


def _moments(workspace: Workspace, path: str, *, migrated: bool = True) -> Iterator[datetime.datetime]:
    envelope = workspace.envelope(path)
    for event in envelope.events if isinstance(envelope, Task) else ():
        if event.time and (migrated or not event.is_migration):
            yield event.time.moment
