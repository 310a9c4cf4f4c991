"""Laws about whole lives: each one that the tables allow is silent, each single fault gives its own code."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.protocol.dialects import DIALECTS, Dialect
from fcoplint.report import Reported
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support import faults
from tests.support.faults import Mutant
from tests.support.lives import NOW, Life, community
from tests.support.teams import TEAMS, Team

A_RUN = 80
DIALECT = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS.keys())
MANY = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**40)
CONTRACTS = ("FC1", "FC2", "FC3", "FC4", "FC5", "FC6")


def judge(lives: Iterable[Life], dialect: Dialect, team: Team) -> dict[str, list[Reported]]:
    """What is said of each paper of many lives in one workspace, by stem; information about folders is left out."""
    files = {path: text.encode() for life in lives for path, text in life.files.items()}
    report = engine.audit(
        MemorySnapshot({"fcop/fcop.json": json.dumps(team.manifest).encode(), **files}),
        Settings(select=CONTRACTS, policy=Policy(now=NOW, dialect=dialect.name, rules_version="3.2.5")),
    )
    found: dict[str, list[Reported]] = {}
    for item in report.findings:
        found.setdefault(item.finding.subject, []).append(item)
    return found


def said_of(life: Life, found: dict[str, list[Reported]]) -> list[Reported]:
    return [item for stem in life.stems for item in found.get(stem, [])]


@DIALECT
@MANY
@given(seed=SEEDS)
def test_every_life_that_the_tables_allow_is_silent(dialect: Dialect, seed: int) -> None:
    random = Random(seed)
    team = random.choice(TEAMS)
    lives = list(community(random, A_RUN, dialect, team))
    found = judge(lives, dialect, team)
    loud = [item for items in found.values() for item in items if item.severity != "info"]
    assert not loud, _told(loud, lives)


@DIALECT
@MANY
@given(seed=SEEDS)
def test_one_fault_of_the_events_gives_its_own_code_and_no_other(dialect: Dialect, seed: int) -> None:
    for mutant, said in _mutants(Random(seed), dialect, faults.OF_EVENTS):
        codes = {item.rule.code for item in said if item.rule.code.startswith("FC3") or item.severity == "error"}
        assert mutant.code in codes, f"{mutant.fault}: {mutant.code} expected\n{_told(said, [mutant.life])}"
        assert codes <= {mutant.code, *mutant.also}, f"{mutant.fault}\n{_told(said, [mutant.life])}"


@DIALECT
@MANY
@given(seed=SEEDS)
def test_one_act_by_a_wrong_role_gives_its_own_code_and_no_other(dialect: Dialect, seed: int) -> None:
    for mutant, said in _mutants(Random(seed), dialect, faults.OF_AUTHORITY):
        codes = {item.rule.code for item in said if item.severity != "info"}
        assert mutant.code in codes, f"{mutant.fault}: {mutant.code} expected\n{_told(said, [mutant.life])}"
        assert codes <= {mutant.code, *mutant.also}, f"{mutant.fault}\n{_told(said, [mutant.life])}"


@pytest.mark.parametrize("make", [*faults.OF_EVENTS, *faults.OF_AUTHORITY], ids=lambda make: make.__name__)
def test_every_kind_of_fault_is_met(make: faults.Make) -> None:
    random = Random(1)
    lives = (life for team in TEAMS[:3] * 20 for life in community(random, 20, team=team))
    assert any(make(random, life) for life in islice(lives, 1200))


def test_lives_are_of_every_kind() -> None:
    lives = [life for seed, team in enumerate(TEAMS) for life in community(Random(seed), 150, team=team)]
    assert {life.stage for life in lives} == {"inbox", "active", "review", "done", "archive"}
    met = Counter(
        (
            "part" if life.parent else "whole",
            "TEAM" if life.cast.recipient == "TEAM" else "slot" if ".MOBILE" in life.stem else "role",
            "permitted" if life.cast.may_archive else "",
        )
        for life in lives
    )
    assert len(met) == 2 * 2 * 3 - 2, met
    assert any("/reviews/" in path for life in lives for path in life.files)


def _mutants(random: Random, dialect: Dialect, kinds: list[faults.Make]) -> Iterable[tuple[Mutant, list[Reported]]]:
    """Lives with one fault each, and what is said of them. A whole is left alone: what its parts lack is told of it."""
    team = random.choice(TEAMS)
    lives = list(community(random, A_RUN, dialect, team))
    wholes = {life.parent[:17] for life in lives if life.parent}
    tried = {life.stem: random.choice(kinds)(random, life) for life in lives if life.stem[:17] not in wholes}
    mutants = {stem: mutant for stem, mutant in tried.items() if mutant}
    found = judge([mutants[life.stem].life if life.stem in mutants else life for life in lives], dialect, team)
    return [(mutant, said_of(mutant.life, found)) for mutant in mutants.values()]


def _told(said: Iterable[Reported], lives: Iterable[Life]) -> str:
    """The first life of which something is said, with that and all its papers."""
    said = list(said)
    subjects = {item.finding.subject for item in said}
    life = next((life for life in lives if life.stems & subjects), None)
    told = [f"{item.rule.code} {item.finding.subject}: {item.message}" for item in said if not life or item.finding.subject in life.stems]
    return "\n".join([*told, *(f"== {path}\n{text}" for path, text in (life.files if life else {}).items())])
