"""Many who claim one TASK at the same moment: exactly one gets it, and the others are told who."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import pytest

from fcoplint.cli import main
from fcoplint.model.envelope import Task
from fcoplint.outcome import Plan
from fcoplint.protocol.stages import STAGES
from fcoplint.repair import transition
from fcoplint.repair.conditions import Tracking
from fcoplint.repair.scene import Scene, open_scene
from fcoplint.settings import Settings
from fcoplint.source.machine import this_machine

ROUNDS, TYPED, ANEW = 2000, 50, 5
ROLES = [f"DEV{letter}" for letter in "ABCDEFGH"]


class Told(NamedTuple):
    """How a claim ended for one of them."""

    role: str
    code: int
    said: str


def task(number: int) -> str:
    return f"TASK-20261001-{number % 1000:03d}-PM-to-TEAM"


@pytest.fixture
def team(quick_path: Path) -> Path:
    """A workspace without git, with a TASK that any of eight may claim."""
    root = quick_path
    for stage in STAGES:
        (root / "fcop" / "_lifecycle" / stage).mkdir(parents=True)
    manifest = {"mode": "custom", "team": "racers", "leader": "PM", "roles": ["PM", *ROLES], "version": 1}
    (root / "fcop" / "fcop.json").write_text(json.dumps(manifest))
    return root


def send(root: Path, number: int) -> None:
    (root / "fcop" / "_lifecycle" / "inbox" / f"{task(number)}.md").write_text(
        "---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: TEAM\ntransitions:\n- at: '2026-10-01T08:00:00+00:00'\n"
        "  from: null\n  to: inbox\n  by: PM\n  tool: create_task\n---\n\n# Who comes first\n"
    )


def settle(root: Path, number: int, told: list[Told]) -> str:
    """Hold one round against what is on disk, take the TASK away; the winner."""
    winners = [claim.role for claim in told if claim.code == 0]
    assert len(winners) == 1, told
    losers = [claim for claim in told if claim.code != 0]
    assert [claim for claim in losers if claim.code != 1 or f"by {winners[0]} at " not in claim.said] == []
    assert len(losers) == len(ROLES) - 1
    files = [path for path in (root / "fcop").rglob("*") if path.is_file() and path.name != "fcop.json"]
    assert [path.relative_to(root / "fcop" / "_lifecycle").as_posix() for path in files] == [f"active/{task(number)}.md"]
    text = files[0].read_text()
    assert text.count("tool: claim_task") == 1
    assert f"by: {winners[0]}\n" in text
    files[0].unlink()
    return winners[0]


def claim_by_function(root: Path, role: str, number: int, barrier: Barrier) -> Told:
    """Plan with the others, then execute at the same moment; in every other round without the common lock: the link decides."""
    scene = open_scene(str(root), this_machine(os.environ), None, Settings())
    found = transition.find_task(scene, task(number))
    assert isinstance(found, Task)
    content = found.content
    assert isinstance(content, bytes)
    edge = found.workspace.dialect.table.edge("inbox", "active")
    assert edge
    planned = transition.draft(scene, found, edge, transition.Request(task(number), "active", role), content, Tracking(None, None))
    assert isinstance(planned, Plan)
    barrier.wait()
    outcome = transition.carry_out(_alone(scene, role) if number % 2 else scene, planned)
    return Told(role, outcome.code, outcome.message)


def _alone(scene: Scene, role: str) -> Scene:
    """The scene with a lock that nobody else takes."""
    alone = replace(scene)
    site = scene.site("fcop")
    object.__setattr__(alone, "site", lambda workspace: replace(site, lock=f"{site.lock}.{role}"))
    return alone


def claim_by_command(root: Path, role: str, number: int, barrier: Barrier) -> Told:
    """The command line itself, in a process that has read its code already."""
    os.chdir(root)
    barrier.wait()
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(["move", task(number), "--to", "active", "--by", role], prog_name="fcoplint")
        except SystemExit as end:
            code = int(end.code or 0)
    return Told(role, code, out.getvalue() + err.getvalue())


Claim = Callable[[Path, str, int, Barrier], Told]


@contextlib.contextmanager
def racers(root: Path, claim: Claim) -> Iterator[Callable[[int], list[Told]]]:
    """Eight forked workers, and a function that has them claim the TASK of a round."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(ROLES))
    pipes = [context.Pipe() for _ in ROLES]
    workers = [
        context.Process(target=_work, args=(root, role, claim, barrier, pipe[1]), daemon=True)
        for role, pipe in zip(ROLES, pipes, strict=True)
    ]
    for worker in workers:
        worker.start()

    def race(number: int) -> list[Told]:
        for pipe, _ in pipes:
            pipe.send(number)
        return [pipe.recv() for pipe, _ in pipes]

    try:
        yield race
    finally:
        for pipe, _ in pipes:
            pipe.send(None)
        for worker in workers:
            worker.join()


def _work(root: Path, role: str, claim: Claim, barrier: Barrier, pipe: Connection) -> None:
    while (number := pipe.recv()) is not None:
        try:
            told = claim(root, role, number, barrier)
        except BaseException as error:  # noqa: BLE001 - the others must not wait for it for ever
            told = Told(role, 70, repr(error))
        pipe.send(told)


def test_of_eight_forked_workers_one_wins(team: Path, record_property: Callable[[str, object], None]) -> None:
    won: Counter[str] = Counter()
    with racers(team, claim_by_function) as race:
        for number in range(1, ROUNDS + 1):
            send(team, number)
            won[settle(team, number, race(number))] += 1
    assert won.total() == ROUNDS
    shares = ", ".join(f"{role} {count}" for role, count in sorted(won.items()))
    record_property("figure", f"races, forked workers: {ROUNDS} rounds of {len(ROLES)}, {won.total()} with exactly one winner ({shares})")


def test_of_eight_by_the_command_line_one_wins(team: Path, record_property: Callable[[str, object], None]) -> None:
    won: Counter[str] = Counter()
    with racers(team, claim_by_command) as race:
        for number in range(1, TYPED + 1):
            send(team, number)
            won[settle(team, number, race(number))] += 1
    assert won.total() == TYPED
    record_property("figure", f"races, command line: {TYPED} rounds of {len(ROLES)}, {won.total()} with exactly one winner")


def test_of_eight_programs_started_at_once_one_wins(team: Path, record_property: Callable[[str, object], None]) -> None:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    for number in range(1, ANEW + 1):
        send(team, number)
        command = [sys.executable, "-m", "fcoplint", "move", task(number), "--to", "active", "--by"]
        started = [
            (role, subprocess.Popen([*command, role], cwd=team, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
            for role in ROLES
        ]
        ended = [(role, process.communicate()[0], process.returncode) for role, process in started]
        settle(team, number, [Told(role, code, said) for role, said, code in ended])
    record_property("figure", f"races, programs started anew: {ANEW} rounds of {len(ROLES)}, {ANEW} with exactly one winner")
