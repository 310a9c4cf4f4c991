"""Lives of TASKs made up from a dialect's table of moves, and single faults put into them.

What is lawful is read off the table, never asked of a check: a life walks along edges, and a fault is one that the table
shows to be one. Whoever needs other names in `by` gives `live` a cast of its own.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeVar

from fcoplint.protocol.dialects import FCOP, Dialect
from fcoplint.protocol.stages import MIGRATION_ACTOR, MIGRATION_TOOL, STAGES, TERMINAL, Edge, Mover

_Item = TypeVar("_Item")

ROLES = ("PM", "DEV", "QA", "OPS", "LEAD-QA", "DEV_01")
START = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
# Later than any life, so that no event is of the future.
NOW = datetime.datetime(2028, 1, 1, tzinfo=datetime.UTC)
_ZONES = (0, 0, 480, -300, 330, 765, -570)
_NOTES = ("Please test the error page too.", "'No: it fails.'", '"测试"', "|\n    Two lines,\n    one note.")
_SLUGS = ("", "", "-fix-login", "-v2", "-a1")


@dataclass(frozen=True)
class Cast:
    """Who plays in a life. `by` answers who makes a move, as the table has it; override it to have other actors."""

    sender: str
    recipient: str
    leader: str = "PM"

    def by(self, edge: Edge, random: Random) -> str:
        """A lawful actor of an edge."""
        names = {
            Mover.SENDER: self.sender, Mover.RECIPIENT: self.recipient, Mover.LEADER: self.leader,
            Mover.ADMIN: "ADMIN", Mover.GOVERNANCE: "ADMIN", Mover.RUNTIME: edge.default_by or "SYSTEM",
        }  # fmt: skip
        return names[random.choice(edge.movers)]


@dataclass(frozen=True)
class Move:
    """One event: what happened, and how it is written down.

    `written` overrides the text of keys, None leaves one out; `raw` stands in place of the whole item.
    """

    at: datetime.datetime
    source: str | None
    target: str
    by: str
    tool: str
    written: dict[str, str | None] = field(default_factory=dict)
    raw: str = ""

    @property
    def is_migration(self) -> bool:
        """Whether the migration did it."""
        return self.tool == MIGRATION_TOOL and self.source is None

    def text(self, tool_key: str) -> str:
        """The event as YAML."""
        if self.raw:
            return self.raw
        plain = {"at": f"'{self.at.isoformat()}'", "from": self.source or "null", "to": self.target, "by": self.by, "tool": self.tool}
        keys = {key: value for key, value in {**plain, **self.written}.items() if value is not None}
        named = {tool_key if key == "tool" else key: value for key, value in keys.items()}
        return "- " + "\n  ".join(f"{key}: {value}" for key, value in named.items()) + "\n"


@dataclass(frozen=True)
class Life:
    """A TASK with its events, in the stage where it lies."""

    stem: str
    cast: Cast
    moves: tuple[Move, ...]
    stage: str
    dialect: Dialect

    @property
    def path(self) -> str:
        """Where the file lies."""
        return f"fcop/_lifecycle/{self.stage}/{self.stem}.md"

    @property
    def text(self) -> str:
        """The file."""
        events = "".join(move.text(self.dialect.tool_keys[0]) for move in self.moves)
        roles = f"sender: {self.cast.sender}\nrecipient: {self.cast.recipient}\n"
        return f"---\nprotocol: fcop\nversion: 1\n{roles}transitions:\n{events}---\n\n# Build the form\n"

    @property
    def now(self) -> str | None:
        """The stage in which the events end."""
        return self.moves[-1].target

    def with_move(self, number: int, **changes: object) -> Life:
        """This life with one of its moves told otherwise."""
        move = replace(self.moves[number], **changes)  # type: ignore[arg-type]
        return replace(self, moves=(*self.moves[:number], move, *self.moves[number + 1 :]))

    def writing(self, number: int, **texts: str | None) -> Life:
        """This life with some keys of one event written otherwise; `from_` stands for `from`."""
        named = {key.rstrip("_"): text for key, text in texts.items()}
        return self.with_move(number, written={**self.moves[number].written, **named})


@dataclass(frozen=True)
class Mutant:
    """A life with one fault: the code that must be said, and those that may come with it."""

    life: Life
    fault: str
    code: str
    also: frozenset[str] = frozenset()


def live(random: Random, number: int, dialect: Dialect = FCOP, cast: Cast | None = None) -> Life:
    """A lawful life of random length: a creation or a migration, then edges of the table."""
    day = START + datetime.timedelta(days=number // 900)
    cast = cast or Cast(*random.sample(ROLES, 2))
    tail = random.choice(("", "", ".MOBILE")) + random.choice(_SLUGS)
    stem = f"TASK-{day:%Y%m%d}-{number % 900 + 1:03}-{cast.sender}-to-{cast.recipient}{tail}"
    moves: list[Move] = []
    clock = day + datetime.timedelta(minutes=random.randrange(600))
    may_migrate, going_on = True, random.choice((0.5, 0.8, 0.95))
    while not moves or random.random() < going_on:
        stage = moves[-1].target if moves else None
        edges = dialect.table.edges_from(stage)
        if may_migrate and random.random() < 0.1 and stage != TERMINAL:
            may_migrate = False
            moves.append(_migration(random, clock, random.choice(STAGES)))
        elif edges:
            clock += datetime.timedelta(seconds=random.choice((0, 1, 59, 3600, 100_000)), microseconds=random.choice((0, 0, 1)))
            moves.append(_move(random, clock, random.choice(edges), cast))
        else:
            break
    return Life(stem, cast, tuple(moves), moves[-1].target, dialect)


def _move(random: Random, at: datetime.datetime, edge: Edge, cast: Cast) -> Move:
    tool = edge.tool + random.choice(("", "", "", "(skip_review=true)", " (a, b)"))
    written: dict[str, str | None] = {"at": write_time(random, at)}
    if random.random() < 0.3:
        written["note"] = random.choice(_NOTES)
    return Move(at, edge.source, edge.target, cast.by(edge, random), tool, written)


def _migration(random: Random, clock: datetime.datetime, target: str) -> Move:
    at = clock + datetime.timedelta(days=random.randrange(-400, 30))
    return Move(at, None, target, MIGRATION_ACTOR, MIGRATION_TOOL, {"at": write_time(random, at)})


def write_time(random: Random, at: datetime.datetime) -> str:
    """An instant as text: any zone, quoted or bare, with T or a blank."""
    local = at.astimezone(datetime.timezone(datetime.timedelta(minutes=random.choice(_ZONES))))
    text = local.isoformat(sep=random.choice("T "))
    if local.utcoffset() == datetime.timedelta(0) and random.random() < 0.5:
        text = text.removesuffix("+00:00") + "Z"
    return random.choice(("'{}'", '"{}"', "{}")).format(text)


def mutate(random: Random, life: Life) -> Mutant | None:
    """The life with one random fault; None where the one chosen does not fit this life."""
    return random.choice(MUTATIONS)(random, life)


MUTATIONS: list[Callable[[Random, Life], Mutant | None]] = []


def _mutation(make: Callable[[Random, Life], Mutant | None]) -> Callable[[Random, Life], Mutant | None]:
    MUTATIONS.append(make)
    return make


@_mutation
def drop_pick(random: Random, life: Life) -> Mutant | None:
    """An event in the middle is gone, and its neighbours do not join."""
    moves = life.moves
    gaps = (at for at in range(1, len(moves) - 1) if moves[at + 1].source not in (moves[at - 1].target, None))
    at = _pick(random, gaps)
    return None if at is None else Mutant(replace(life, moves=(*moves[:at], *moves[at + 1 :])), "inner event dropped", "FC307")


@_mutation
def drop_first(random: Random, life: Life) -> Mutant | None:
    """The beginning is gone."""
    if len(life.moves) < 2 or life.moves[1].source is None:
        return None
    return Mutant(replace(life, moves=life.moves[1:]), "first event dropped", "FC308")


@_mutation
def swap(random: Random, life: Life) -> Mutant | None:
    """Two neighbours change places, and the one in front does not start where it should."""
    moves = life.moves
    at = _pick(random, (at for at in range(1, len(moves) - 1) if _gap_when_swapped(*moves[at - 1 : at + 2])))
    if at is None:
        return None
    swapped = (*moves[:at], moves[at + 1], moves[at], *moves[at + 2 :])
    return Mutant(replace(life, moves=swapped), "two events swapped", "FC307", frozenset({"FC304", "FC309", "FC310"}))


@_mutation
def wrong_tool(random: Random, life: Life) -> Mutant | None:
    """The move is one of the table, its tool is not."""
    at = _pick(random, (at for at, move in enumerate(life.moves) if not move.is_migration))
    if at is None:
        return None
    right = life.dialect.table.edges_between(life.moves[at].source, life.moves[at].target)
    tools = {edge.tool for edge in life.dialect.table.edges} | {"do_it", *(alias for edge in right for alias in edge.aliases)}
    tool = random.choice(sorted(tools - {edge.tool for edge in right}))
    return Mutant(life.with_move(at, tool=tool), f"{tool} in event {at}", "FC306")


@_mutation
def illegal_edge(random: Random, life: Life) -> Mutant | None:
    """One move more, by a tool of the table, to where no edge leads; the file follows."""
    table = life.dialect.table
    target = _pick(random, (stage for stage in STAGES if table.edge(life.now, stage) is None))
    if life.now == TERMINAL or target is None:
        return None
    return Mutant(_append(life, life.now, target, random.choice(table.edges).tool), f"{life.now} to {target}", "FC305")


@_mutation
def unknown_stage(random: Random, life: Life) -> Mutant | None:
    """A stage that does not exist, at either end of an inner move."""
    at = _pick(random, (at for at, move in enumerate(life.moves) if at and move.source))
    if at is None or life.moves[at].target == TERMINAL:
        return None
    changes = random.choice(({"target": "finished"}, {"source": "Inbox"}))
    return Mutant(life.with_move(at, **changes), f"unknown stage {changes}", "FC305")


@_mutation
def retime(random: Random, life: Life) -> Mutant | None:
    """An event is dated before the one that precedes it."""
    dated = [at for at, move in enumerate(life.moves) if not move.is_migration]
    if len(dated) < 2:
        return None
    place = random.randrange(1, len(dated))
    earlier = life.moves[dated[place - 1]].at - datetime.timedelta(seconds=random.choice((1, 60, 10**6)))
    told = life.writing(dated[place], at=write_time(random, earlier))
    return Mutant(told, f"event {dated[place]} dated back", "FC304")


@_mutation
def malform(random: Random, life: Life) -> Mutant | None:
    """A key of an event is gone, says nothing, or is no text."""
    at, key = random.randrange(len(life.moves)), random.choice(("at", "from_", "to", "by", "tool"))
    nulls = () if key == "from_" else ("null", "~")
    traps = () if key == "at" else ("NO", "on", "12", "1e3")
    text = random.choice((None, "''", "[a]", "{a: b}", *nulls, *traps))
    return Mutant(life.writing(at, **{key: text}), f"{key}: {text} in event {at}", "FC302")


@_mutation
def no_mapping(random: Random, life: Life) -> Mutant | None:
    """An item of the list is no event."""
    at = random.randrange(len(life.moves) + 1)
    words = replace(life.moves[0], raw="- moved by hand\n")
    return Mutant(replace(life, moves=(*life.moves[:at], words, *life.moves[at:])), f"item {at} is text", "FC302")


@_mutation
def after_archive(random: Random, life: Life) -> Mutant | None:
    """One move more behind the end."""
    if life.now != TERMINAL:
        return None
    edges = [edge for edge in life.dialect.table.edges if edge.source != TERMINAL]
    edge = random.choice(edges)
    moved = _append(life, random.choice((edge.source, TERMINAL)), edge.target, edge.tool)
    is_lawful = life.dialect.table.edges_between(moved.moves[-1].source, edge.target) and moved.moves[-1].source == TERMINAL
    return None if is_lawful else Mutant(moved, "event after archive", "FC310")


@_mutation
def elsewhere(random: Random, life: Life) -> Mutant | None:
    """The file lies in another stage than its events end in."""
    stage = random.choice([stage for stage in STAGES if stage != life.now])
    return Mutant(replace(life, stage=stage), f"lies in {stage}", "FC309")


@_mutation
def created_again(random: Random, life: Life) -> Mutant | None:
    """A second creation, as if nothing had been."""
    creation = life.dialect.table.edges_from(None)[0]
    code = "FC310" if life.now == TERMINAL else "FC307"
    return Mutant(_append(life, None, creation.target, creation.tool), "created twice", code)


@_mutation
def migrated_wrongly(random: Random, life: Life) -> Mutant | None:
    """A migration that is the second one, or that a role signed."""
    if life.now == TERMINAL:
        return None
    by = MIGRATION_ACTOR if any(move.is_migration for move in life.moves) else life.cast.recipient
    moved = _append(life, None, random.choice(STAGES), MIGRATION_TOOL)
    return Mutant(moved.with_move(len(life.moves), by=by), "migrated wrongly", "FC308")


@_mutation
def null_in_quotes(random: Random, life: Life) -> Mutant | None:
    """The text "null" is no null."""
    if life.moves[0].is_migration:
        return None
    return Mutant(life.writing(0, from_="'null'"), "quoted null", "FC308")


@_mutation
def unreadable_time(random: Random, life: Life) -> Mutant | None:
    """A time that no reader takes, or that lacks its offset."""
    at = random.randrange(len(life.moves))
    naive = life.moves[at].at.replace(tzinfo=None).isoformat()
    text = random.choice((naive, f"'{naive}'", "yesterday", "2026-13-01T00:00:00Z", "2026-10-01T25:00:00Z", "12", "NO"))
    return Mutant(life.writing(at, at=text), f"at: {text}", "FC303")


@_mutation
def from_the_future(random: Random, life: Life) -> Mutant | None:
    """The last event is dated ahead."""
    ahead = NOW + datetime.timedelta(minutes=random.choice((11, 10**5)))
    return Mutant(life.writing(len(life.moves) - 1, at=write_time(random, ahead)), "dated ahead", "FC312")


@_mutation
def unknown_key(random: Random, life: Life) -> Mutant | None:
    """A key that no event has."""
    return Mutant(life.writing(random.randrange(len(life.moves)), form="inbox"), "unknown key", "FC311")


def _append(life: Life, source: str | None, target: str, tool: str) -> Life:
    last = max(move.at for move in life.moves)
    move = Move(last + datetime.timedelta(hours=1), source, target, life.cast.recipient, tool)
    return replace(life, moves=(*life.moves, move), stage=target)


def _gap_when_swapped(before: Move, first: Move, second: Move) -> bool:
    return None not in (first.source, second.source) and second.source != before.target


def _pick(random: Random, found: Iterable[_Item]) -> _Item | None:
    items = list(found)
    return random.choice(items) if items else None
