"""Lives of TASKs with all their papers, made up from a dialect's table of moves and acted by a team.

What is lawful is read off the table, never asked of a check: a life walks along edges, its actors are those whom the table
of rights names, its work is reported on and its parts are finished before it is.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from fcoplint.protocol.dialects import FCOP, Dialect
from fcoplint.protocol.stages import MIGRATION_ACTOR, MIGRATION_TOOL, STAGES, TERMINAL, Edge
from tests.support import teams
from tests.support.teams import Cast, Team

START = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
# Later than any life, so that no event is of the future.
NOW = datetime.datetime(2028, 1, 1, tzinfo=datetime.UTC)
_ZONES = (0, 0, 480, -300, 330, 765, -570)
_NOTES = ("Please test the error page too.", "'No: it fails.'", '"测试"', "|\n    Two lines,\n    one note.")
_SLUGS = ("", "", "-fix-login", "-v2", "-a1")
BODY = "# Build the form\n\nAcceptance: the check passes.\n"
PERMISSION = ("The executor may archive on completion.", "做完直接 archive。")


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
    """A TASK with its events, in the stage where it lies; `beside` are the other papers of its work, by path."""

    stem: str
    cast: Cast
    moves: tuple[Move, ...]
    stage: str
    dialect: Dialect
    parent: str | None = None
    body: str = BODY
    beside: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where the file lies."""
        return f"fcop/_lifecycle/{self.stage}/{self.stem}.md"

    @property
    def text(self) -> str:
        """The file, in the words of its dialect."""
        events = "".join(move.text(self.dialect.tool_keys[0]) for move in self.moves)
        said = {"sender": self.cast.sender, "recipient": self.cast.recipient, "parent": self.parent}
        named = {self.dialect.other_names.get(key, key): value for key, value in said.items() if value}
        fields = "".join(f"{key}: {value}\n" for key, value in named.items())
        return f"---\nprotocol: fcop\nversion: 1\n{fields}transitions:\n{events}---\n\n{self.body}"

    @property
    def files(self) -> dict[str, str]:
        """All papers of the work."""
        return {self.path: self.text, **self.beside}

    @property
    def stems(self) -> set[str]:
        """The names of its papers."""
        return {path.rpartition("/")[2].removesuffix(".md") for path in self.files}

    @property
    def now(self) -> str:
        """The stage in which the events end."""
        return self.moves[-1].target

    @property
    def is_over(self) -> bool:
        """Whether the work is done and reported."""
        return self.now in ("done", TERMINAL)

    @property
    def doers(self) -> frozenset[str]:
        """The roles that claimed or submitted, by its events."""
        worked = (move.by for move in self.moves if (move.source, move.target) in (teams.CLAIM, teams.SUBMIT))
        return frozenset(map(teams.unspell, worked)) & self.cast.team.everybody

    def with_move(self, number: int, **changes: object) -> Life:
        """This life with one of its moves told otherwise."""
        move = replace(self.moves[number], **changes)  # type: ignore[arg-type]
        return replace(self, moves=(*self.moves[:number], move, *self.moves[number + 1 :]))

    def writing(self, number: int, **texts: str | None) -> Life:
        """This life with some keys of one event written otherwise; `from_` stands for `from`."""
        named = {key.rstrip("_"): text for key, text in texts.items()}
        return self.with_move(number, written={**self.moves[number].written, **named})


def community(random: Random, count: int, dialect: Dialect = FCOP, team: Team | None = None) -> Iterator[Life]:
    """The lawful lives of one team, some of them parts of others."""
    team = team or random.choice(teams.TEAMS)
    whole: Life | None = None
    for number in range(count):
        life = live(random, number, dialect, team, whole if random.random() < 0.4 else None)
        yield life
        whole = life if teams.may_be_cut(life.cast) else whole


def live(random: Random, number: int, dialect: Dialect, team: Team, whole: Life | None = None) -> Life:
    """A lawful life of random length, with its REPORT; where there is a whole, it is a part of that and over if that is."""
    day = START + datetime.timedelta(days=number // 900)
    cast = teams.cast(random, team, whole.cast if whole else None)
    slot = random.choice(("", "", ".MOBILE")) if cast.recipient in team.members else ""
    stem = f"TASK-{day:%Y%m%d}-{number % 900 + 1:03}-{cast.sender}-to-{cast.recipient}{slot}{random.choice(_SLUGS)}"
    moves = _walk(random, day, dialect, cast)
    while whole and whole.is_over and moves[-1].target not in ("done", TERMINAL):
        moves = _walk(random, day, dialect, cast)
    body = f"{BODY}{random.choice(PERMISSION)}\n" if cast.may_archive else BODY
    named = random.choice((whole.stem, whole.stem[:17])) if whole else None
    life = Life(stem, cast, moves, moves[-1].target, dialect, named, body)
    return replace(life, beside={**_report(random, life), **_review(random, life)})


def _walk(random: Random, day: datetime.datetime, dialect: Dialect, cast: Cast) -> tuple[Move, ...]:
    """A creation or a migration, then edges of the table."""
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
    return tuple(moves)


def _move(random: Random, at: datetime.datetime, edge: Edge, cast: Cast) -> Move:
    tool = edge.tool + random.choice(("", "", "", "(skip_review=true)", " (a, b)"))
    written: dict[str, str | None] = {"at": write_time(random, at)}
    if random.random() < 0.3:
        written["note"] = random.choice(_NOTES)
    by = cast.act(random, (edge.source, edge.target)) or edge.default_by
    assert by, edge
    return Move(at, edge.source, edge.target, by, tool, written)


def _migration(random: Random, clock: datetime.datetime, target: str) -> Move:
    at = clock + datetime.timedelta(days=random.randrange(-400, 30))
    return Move(at, None, target, MIGRATION_ACTOR, MIGRATION_TOOL, {"at": write_time(random, at)})


def _report(random: Random, life: Life) -> dict[str, str]:
    """What came of the work: an answer once it is done, before that word of how it goes."""
    cast, number = life.cast, life.stem[5:17]
    reporter = random.choice(cast.doers)
    asked = cast.sender if cast.sender not in (teams.SYSTEM, reporter) else teams.ADMIN
    to = random.choice((asked, cast.team.leader)) if cast.team.leader != reporter else asked
    status = random.choice(("done", "done", "blocked", "aborted")) if life.is_over else "in_progress"
    if to == reporter:
        to = teams.ADMIN
    fields = {"sender": reporter, "recipient": to, "references": f"[{random.choice((life.stem, life.stem[:17]))}]", "status": status}
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    path = f"fcop/reports/REPORT-{number}-{reporter}-to-{to}.md"
    return {path: f"---\nprotocol: fcop\nversion: 1\n{front}---\n\n# It went well\n"}


def _review(random: Random, life: Life) -> dict[str, str]:
    """Now and then a judgement, by somebody who did not do the work."""
    judges = sorted(life.cast.judges - life.cast.own(frozenset(life.cast.doers)) - {life.cast.sender})
    if not judges or random.random() < 0.8:
        return {}
    judge, number = random.choice(judges), life.stem[5:17]
    stem = f"REVIEW-{number}-{judge}-on-{life.stem[:17].lower()}"
    fields = {
        "type": "REVIEW", "review_id": stem, "sender": judge, "reviewer_role": judge, "subject_type": "task", "subject_ref": life.stem,
        "decision": random.choice(("approved", "rejected", "abstained")), "decided_at": "'2026-10-05T10:00:00'",
    }  # fmt: skip
    front = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return {f"fcop/reviews/{stem}.md": f"---\nprotocol: fcop\nversion: 1\n{front}---\n"}


def write_time(random: Random, at: datetime.datetime) -> str:
    """An instant as text: any zone, quoted or bare, with T or a blank."""
    local = at.astimezone(datetime.timezone(datetime.timedelta(minutes=random.choice(_ZONES))))
    text = local.isoformat(sep=random.choice("T "))
    if local.utcoffset() == datetime.timedelta(0) and random.random() < 0.5:
        text = text.removesuffix("+00:00") + "Z"
    return random.choice(("'{}'", '"{}"', "{}")).format(text)
