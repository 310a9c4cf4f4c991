"""Repositories of many commits, made from random lawful lives by one `git fast-import`."""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from fcoplint.protocol.dialects import FCOP
from tests.support.lives import START, Life, live
from tests.support.repository import TEAM, Repo
from tests.support.teams import Team

_TEAM = Team("PM", ("DEV", "QA", "OPS"))
# How often some commits are made on a branch, and how many at a time.
_BRANCHING, _STRETCH = 0.05, (3, 8)


@dataclass(frozen=True)
class Step:
    """One commit: the files it writes and takes away, and the steps it follows, by their numbers."""

    at: datetime.datetime
    message: str
    written: dict[str, bytes]
    removed: frozenset[str] = frozenset()
    parents: tuple[int, ...] = ()


def tell(commits: int, seed: int = 1) -> list[Step]:
    """So many steps or a few more: a workspace, then random lawful lives event by event, now and then on a branch that is merged."""
    random = Random(seed)
    scenes = _scenes(random, commits)
    steps = [Step(START, "found the team", {"fcop/fcop.json": json.dumps(TEAM).encode()})]
    while len(steps) < commits:
        count = random.randint(*_STRETCH) if random.random() < _BRANCHING else 1
        stretch = [scene for _, scene in zip(range(count), scenes, strict=False)]
        fork = len(steps) - 1
        _follow(steps, fork, [step for owner, step in stretch if count == 1 or owner % 2])
        side = [step for owner, step in stretch if count > 1 and not owner % 2]
        if side:
            main = len(steps) - 1
            _follow(steps, fork, side)
            steps.append(_merge(side, (main, len(steps) - 1)))
    return steps


def forge(steps: list[Step], number: int) -> tuple[list[Step], str]:
    """The steps with one more behind a merge past the given number: it rewrites an event of a TASK that is left alone; the TASK."""
    number = next(at for at in range(number, len(steps)) if len(steps[at - 1].parents) > 1)
    gone = {path for step in steps for path in step.removed} | {path for step in steps[number:] for path in step.written}
    landed = {
        path: content
        for step in steps[:number]
        for path, content in step.written.items()
        if "_lifecycle" in path and "/archive/" not in path
    }
    path, content = next((path, content) for path, content in landed.items() if path not in gone and b"note:" not in content)
    forged = content.replace(b"\n  by: ", b"\n  note: as agreed\n  by: ", 1)
    step = Step(steps[number - 1].at, "forge", {path: forged}, frozenset(), (number - 1,))
    shifted = [replace(one, parents=tuple(at if at < number - 1 else at + 1 for at in one.parents)) for one in steps[number:]]
    return [*steps[:number], step, *shifted], path


def write(repo: Repo, steps: Sequence[Step]) -> None:
    """Make commits of the steps in an empty repository; main is the last of them."""
    stream = b"".join(_commit(step, number) for number, step in enumerate(steps, 1))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.path, input=stream + b"done\n", check=True)


def _scenes(random: Random, events: int) -> Iterator[tuple[int, Step]]:
    """(number of the life, what happened) in the order of time; more than so many."""
    lives: list[Life] = []
    while sum(len(life.moves) for life in lives) < events:
        life = live(random, len(lives), FCOP, _TEAM)
        if not any(move.is_migration for move in life.moves):
            lives.append(life)
    order = sorted((move.at, owner, number) for owner, life in enumerate(lives) for number, move in enumerate(life.moves))
    return ((owner, _step(lives[owner], number)) for _, owner, number in order)


def _step(life: Life, number: int) -> Step:
    """One event: the TASK moves, and the other papers of the work come when it is done first, else at the end."""
    passed = [move.target for move in life.moves[:number]]
    now = replace(life, moves=life.moves[: number + 1], stage=life.moves[number].target)
    before = replace(now, stage=passed[-1]).path if passed else now.path
    written = {now.path: now.text.encode()}
    targets = [move.target for move in life.moves]
    if number == (targets.index("done") if "done" in targets else len(targets) - 1):
        written |= {path: text.encode() for path, text in life.beside.items()}
    return Step(life.moves[number].at, f"{life.stem} to {now.stage}", written, frozenset({before} - {now.path}))


def _follow(steps: list[Step], parent: int, added: Sequence[Step]) -> None:
    for step in added:
        steps.append(replace(step, parents=(parent,)))
        parent = len(steps) - 1


def _merge(side: Sequence[Step], parents: tuple[int, int]) -> Step:
    """A merge that takes in what the side did, as git itself would."""
    written: dict[str, bytes] = {}
    removed: set[str] = set()
    for step in side:
        written = {path: content for path, content in written.items() if path not in step.removed} | step.written
        removed = (removed | step.removed) - step.written.keys()
    return Step(side[-1].at, "merge", written, frozenset(removed), parents)


def _commit(step: Step, mark: int) -> bytes:
    who = f"{_TEAM.leader} <pm@example.org> {int(step.at.timestamp())} +0000".encode()
    lines = [b"reset refs/heads/main\n"] if not step.parents else []
    lines += [b"commit refs/heads/main\nmark :%d\nauthor %s\ncommitter %s\n" % (mark, who, who), _data(step.message.encode())]
    lines += [b"%s :%d\n" % (word, parent + 1) for word, parent in zip((b"from", b"merge"), step.parents, strict=False)]
    lines += [b"D %s\n" % path.encode() for path in sorted(step.removed)]
    for path, content in step.written.items():
        lines += [b"M 100644 inline %s\n" % path.encode(), _data(content)]
    return b"".join(lines)


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
