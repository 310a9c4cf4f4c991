"""Teams and who may do what in them, written down from the protocol's own table (protocol.md A.4, A.5, rule 4).

No check and no part of the tool is asked: a life acted by these roles is lawful because the table says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

ADMIN, SYSTEM, TEAM = "ADMIN", "SYSTEM", "TEAM"
Move = tuple[str | None, str]
CLAIM, SUBMIT, FINISH = ("inbox", "active"), ("active", "review"), ("active", "done")
APPROVE, REJECT, REOPEN = ("review", "done"), ("review", "active"), ("done", "active")


@dataclass(frozen=True)
class Team:
    """One team: its leader, those who do the work, those who judge it. In solo mode the leader is all of them."""

    leader: str
    workers: tuple[str, ...] = ()
    governance: tuple[str, ...] = ()
    is_solo: bool = False

    @property
    def members(self) -> frozenset[str]:
        """The declared roles."""
        return frozenset({self.leader, *self.workers, *self.governance})

    @property
    def everybody(self) -> frozenset[str]:
        """The declared roles, and ADMIN."""
        return self.members | {ADMIN}

    @property
    def chiefs(self) -> frozenset[str]:
        """Who may do every governance act."""
        return frozenset({self.leader, ADMIN})

    @property
    def manifest(self) -> dict[str, object]:
        """What `fcop.json` says of it."""
        layered = [{"code": role, "layer": "governance"} for role in self.governance]
        mode = "solo" if self.is_solo else "preset"
        return {"mode": mode, "team": "t", "leader": self.leader, "roles": [self.leader, *self.workers, *layered], "version": 1}

    def routes(self) -> list[tuple[str, str]]:
        """Who may send a TASK to whom without a parent: rule 4 lets ADMIN and the team meet at the leader."""
        if self.is_solo:
            return [(ADMIN, self.leader), (self.leader, ADMIN)]
        through = [(self.leader, worker) for worker in self.workers] + [(worker, self.leader) for worker in self.workers]
        return [*through, (ADMIN, self.leader), (self.leader, ADMIN), (SYSTEM, self.leader), (self.leader, TEAM), (ADMIN, TEAM)]


TEAMS = (
    Team("PM", ("DEV", "QA", "OPS", "DEV_01")),
    Team("LEAD-QA", ("DEV", "OPS", "OPS-001"), ("AUDIT",)),
    Team("PM", ("DEV", "QA"), ("AUDIT", "COURT")),
    Team("ME", is_solo=True),
)


class Cast(NamedTuple):
    """Who plays in the life of one TASK.

    `doers` are those who take the work on. `is_child` says that the TASK is a part of one that its sender was to do;
    `may_archive` that its body lets the executor archive, in the words of leader or ADMIN.
    """

    team: Team
    sender: str
    recipient: str
    doers: tuple[str, ...]
    is_child: bool = False
    may_archive: bool = False

    @property
    def addressed(self) -> frozenset[str]:
        """Who may take the work on; TEAM is everybody but the sender."""
        return self.team.everybody - {self.sender} if self.recipient == TEAM else frozenset({self.recipient})

    @property
    def judges(self) -> frozenset[str]:
        """Who may judge the work; of a part also the role that cut it."""
        return self.team.chiefs | {*self.team.governance} | ({self.sender} if self.is_child else set())

    def own(self, doers: frozenset[str]) -> frozenset[str]:
        """Those who would judge work of their own: who was to do it, and who did. ADMIN is above that, and solo knows nobody else."""
        return frozenset() if self.team.is_solo else (doers | {self.recipient}) - {ADMIN, TEAM}

    def may(self, move: Move, doers: frozenset[str]) -> frozenset[str]:
        """Who may make a move, where these did the work; nobody where the table leaves it to a program."""
        if move[0] is None:
            return frozenset({self.sender})
        if move[1] == "archive":
            executors = self.addressed if self.may_archive else frozenset[str]()
            return self.team.chiefs | {*self.team.governance, self.sender} | executors
        if move == APPROVE:
            return self.judges - self.own(doers)
        if move in (REJECT, REOPEN):
            return self.judges
        if move == FINISH:
            return self.addressed | self.team.chiefs
        return self.addressed if move in (CLAIM, SUBMIT, ("active", "active")) else frozenset()

    def act(self, random: Random, move: Move) -> str | None:
        """A lawful actor of a move, as an event may name it; None where a program makes it."""
        doers = frozenset(self.doers)
        lawful = self.may(move, doers)
        if move in (CLAIM, SUBMIT, ("active", "active")):
            lawful &= doers
        if not lawful:
            return None
        program = "archiver" if move == ("done", "archive") else "agent" if move in (CLAIM, SUBMIT, FINISH) else None
        if program and random.random() < 0.1:
            return program
        return spell(random, random.choice(sorted(lawful)))


def cast(random: Random, team: Team, parent: Cast | None = None) -> Cast:
    """A lawful cast, of a TASK of its own or of a part of another one."""
    sender, recipient = _part(random, parent) if parent else random.choice(team.routes())
    alone = Cast(team, sender, recipient, ())
    # Governance does no work, and TEAM is seldom ADMIN.
    able = sorted(alone.addressed - {*team.governance} - ({ADMIN} if recipient == TEAM else set()))
    doers = tuple(random.sample(able, min(len(able), random.choice((1, 1, 2)))))
    may_archive = sender in team.chiefs and random.random() < 0.2
    return Cast(team, sender, recipient, doers, parent is not None, may_archive)


def _part(random: Random, parent: Cast) -> tuple[str, str]:
    """Who cuts a part off a TASK, and who gets it: another worker, and not the role that asked for the whole."""
    sender = random.choice(parent.doers)
    return sender, random.choice(sorted({*parent.team.workers} - {sender, parent.sender}))


def may_be_cut(parent: Cast) -> bool:
    """Whether there is anybody to give a part of a TASK to, and it is nobody's outside the team."""
    others = {*parent.team.workers} - {parent.sender}
    return ADMIN not in parent.doers and bool(parent.doers) and all(others - {doer} for doer in parent.doers)


def spell(random: Random, role: str) -> str:
    """A role as an event may name it: itself, an instance of it, one of its slots."""
    return role + random.choice(("", "", "", "-07", ".MOBILE"))


def unspell(by: str) -> str:
    """The role that a name from `spell` stands for."""
    return by.removesuffix("-07").removesuffix(".MOBILE")
