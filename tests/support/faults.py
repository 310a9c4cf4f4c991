"""Single faults put into lawful lives. Which one is a fault, and of which code, the tables show; no check is asked."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from fcoplint.protocol.stages import MIGRATION_ACTOR, MIGRATION_TOOL, STAGES, TERMINAL
from tests.support import teams
from tests.support.lives import BODY, NOW, Life, Move, write_time

_Item = TypeVar("_Item")
Make = Callable[[Random, Life], "Mutant | None"]


@dataclass(frozen=True)
class Mutant:
    """A life with one fault: the code that must be said, and those that may come with it."""

    life: Life
    fault: str
    code: str
    also: frozenset[str] = frozenset()


# The faults of events, and those of authority.
OF_EVENTS: list[Make] = []
OF_AUTHORITY: list[Make] = []


def _mutation(make: Make) -> Make:
    OF_EVENTS.append(make)
    return make


def _misdeed(make: Make) -> Make:
    OF_AUTHORITY.append(make)
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
    by = MIGRATION_ACTOR if any(move.is_migration for move in life.moves) else teams.ADMIN
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


@_misdeed
def created_by_another(random: Random, life: Life) -> Mutant | None:
    """The creation is signed by a role that is not the sender; with it goes the permission that only a chief can give."""
    return _acted(random, life, [(None, "inbox")], life.cast.team.everybody - {life.cast.sender}, "FC414", "FC401")


@_misdeed
def claimed_by_another(random: Random, life: Life) -> Mutant | None:
    """Work that was somebody else's is taken; whoever did that and approves it later approves its own."""
    return _acted(random, life, [teams.CLAIM], life.cast.team.everybody - life.cast.addressed, "FC405", "FC402")


@_misdeed
def submitted_by_another(random: Random, life: Life) -> Mutant | None:
    """Work that was somebody else's is handed in."""
    return _acted(random, life, [teams.SUBMIT], life.cast.team.everybody - life.cast.addressed, "FC406", "FC402")


@_misdeed
def finished_by_another(random: Random, life: Life) -> Mutant | None:
    """Work is finished by a role that neither was to do it nor leads."""
    others = life.cast.team.everybody - life.cast.addressed - life.cast.team.chiefs
    return _acted(random, life, [teams.FINISH], others, "FC406")


@_misdeed
def approved_by_its_doer(random: Random, life: Life) -> Mutant | None:
    """Whoever did the work, or was to, approves it; the leader, too."""
    return _acted(random, life, [teams.APPROVE], life.cast.own(life.doers), "FC402")


@_misdeed
def approved_by_a_bystander(random: Random, life: Life) -> Mutant | None:
    """Work is approved by a role that judges nothing."""
    others = life.cast.team.everybody - life.cast.judges - life.cast.own(life.doers)
    return _acted(random, life, [teams.APPROVE], others, "FC407")


@_misdeed
def judged_by_a_bystander(random: Random, life: Life) -> Mutant | None:
    """Work is sent back by a role that judges nothing."""
    return _acted(random, life, [teams.REJECT, teams.REOPEN], life.cast.team.everybody - life.cast.judges, "FC407")


@_misdeed
def archived_by_its_doer(random: Random, life: Life) -> Mutant | None:
    """Whoever was to do the work archives it, and nothing allows that. Governance does no work, unless it took it on."""
    executors = frozenset[str]() if life.cast.may_archive else life.cast.addressed - _closers(life)
    return _archived(random, life, executors, "FC401")


@_misdeed
def archived_by_a_bystander(random: Random, life: Life) -> Mutant | None:
    """Work is archived by a role that has nothing to do with it."""
    others = life.cast.team.members - life.cast.addressed - _closers(life)
    return _archived(random, life, others, "FC404")


@_misdeed
def archived_by_a_stranger(random: Random, life: Life) -> Mutant | None:
    """Nobody knows who archived."""
    return _archived(random, life, frozenset({"STRANGER", "CodeFlow", "the-bot"}), "FC403")


@_misdeed
def permission_taken_back(random: Random, life: Life) -> Mutant | None:
    """The words that let an executor archive are not there, or say the contrary."""
    at = _last_archiving(life)
    if at is None or not life.cast.may_archive or teams.unspell(life.moves[at].by) not in life.cast.addressed - _closers(life):
        return None
    denied = random.choice(("", "The executor may not archive on completion.\n", "做完不要 archive。\n"))
    return Mutant(replace(life, body=BODY + denied), "permission taken back", "FC401")


@_misdeed
def cut_off(random: Random, life: Life) -> Mutant | None:
    """A part names no whole: between two workers that is a TASK past the leader, and gives its sender nothing to judge."""
    if life.parent is None or {life.cast.sender, life.cast.recipient} & {teams.ADMIN, life.cast.team.leader}:
        return None
    return Mutant(replace(life, parent=None), "without its parent", "FC408", frozenset({"FC407"}))


@_misdeed
def unreported(random: Random, life: Life) -> Mutant | None:
    """The work is over, and nobody said what came of it."""
    if not life.is_over or life.cast.recipient == teams.ADMIN:
        return None
    left = {path: text for path, text in life.beside.items() if "/reports/" not in path}
    return Mutant(replace(life, beside=left), "without its REPORT", "FC411")


@_misdeed
def part_left_open(random: Random, life: Life) -> Mutant | None:
    """The work is archived, and a part of it is not done."""
    at = _last_archiving(life)
    if at is None or not teams.may_be_cut(life.cast):
        return None
    cast = teams.cast(random, life.cast.team, life.cast)
    created = Move(life.moves[at].at, None, "inbox", cast.sender, "create_task")
    stem = f"TASK-20260930-{life.stem[14:17]}-{cast.sender}-to-{cast.recipient}"
    part = Life(stem, cast, (created,), "inbox", life.dialect, life.stem)
    return Mutant(replace(life, beside={**life.beside, part.path: part.text}), "a part left open", "FC410", frozenset({"FC505"}))


def _closers(life: Life) -> frozenset[str]:
    """Who may archive by office."""
    return life.cast._replace(may_archive=False).may(("done", TERMINAL), frozenset())


def _acted(random: Random, life: Life, moves: list[teams.Move], others: frozenset[str], code: str, *also: str) -> Mutant | None:
    """One of these moves is made by one of these roles."""
    at = _pick(random, (at for at, move in enumerate(life.moves) if (move.source, move.target) in moves and not move.is_migration))
    if at is None or not others:
        return None
    by = teams.spell(random, random.choice(sorted(others)))
    return Mutant(life.with_move(at, by=by), f"event {at} by {by}", code, frozenset(also))


def _archived(random: Random, life: Life, others: frozenset[str], code: str) -> Mutant | None:
    """The archiving that counts, the last one, is made by one of these roles."""
    at = _last_archiving(life)
    if at is None or not others:
        return None
    by = random.choice(sorted(others))
    by = by if code == "FC403" else teams.spell(random, by)
    return Mutant(life.with_move(at, by=by), f"archived by {by}", code)


def _last_archiving(life: Life) -> int | None:
    """The number of the event that archived the TASK, None where none did or the migration."""
    last = max((at for at, move in enumerate(life.moves) if move.target == TERMINAL), default=None)
    return None if last is None or life.now != TERMINAL or life.moves[last].is_migration else last


def _append(life: Life, source: str | None, target: str, tool: str) -> Life:
    last = max(move.at for move in life.moves)
    move = Move(last + datetime.timedelta(hours=1), source, target, teams.ADMIN, tool)
    return replace(life, moves=(*life.moves, move), stage=target)


def _gap_when_swapped(before: Move, first: Move, second: Move) -> bool:
    return None not in (first.source, second.source) and second.source != before.target


def _pick(random: Random, found: Iterable[_Item]) -> _Item | None:
    items = list(found)
    return random.choice(items) if items else None
