"""Laws about whole lives: each one that the table of moves allows is silent, each single fault gives its own code."""

import json
from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.protocol.dialects import DIALECTS, Dialect
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.lives import MUTATIONS, NOW, Life, Mutant, live, mutate
from tests.support.repository import TEAM

MANIFEST = json.dumps(TEAM).encode()
A_RUN = 100
DIALECT = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS.keys())
MANY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**40)


def judge(lives: Iterable[Life], dialect: Dialect) -> dict[str, set[str]]:
    """The codes of the events' contract for each of many TASKs in one workspace, by stem."""
    files = {life.path: life.text.encode() for life in lives}
    report = engine.audit(
        MemorySnapshot({"fcop/fcop.json": MANIFEST, **files}),
        Settings(select=("FC3",), policy=Policy(now=NOW, dialect=dialect.name)),
    )
    found: dict[str, set[str]] = {}
    for item in report.findings:
        found.setdefault(item.finding.subject, set()).add(item.rule.code)
    return found


@DIALECT
@MANY
@given(seed=SEEDS)
def test_every_life_that_the_table_allows_is_silent(dialect: Dialect, seed: int) -> None:
    random = Random(seed)
    lives = [live(random, number, dialect) for number in range(A_RUN)]
    found = judge(lives, dialect)
    loud = [(found[life.stem], life.text) for life in lives if life.stem in found]
    assert not loud, f"{loud[0][0]}\n{loud[0][1]}"


@DIALECT
@MANY
@given(seed=SEEDS)
def test_one_fault_gives_its_own_code_and_no_other(dialect: Dialect, seed: int) -> None:
    random = Random(seed)
    tried = (mutate(random, live(random, number, dialect)) for number in range(A_RUN))
    mutants = [mutant for mutant in tried if mutant]
    found = judge((mutant.life for mutant in mutants), dialect)
    for mutant in mutants:
        said = found.get(mutant.life.stem, set())
        assert mutant.code in said, _told(mutant, said)
        assert said <= {mutant.code, *mutant.also}, _told(mutant, said)


def test_every_kind_of_fault_is_met() -> None:
    random = Random(1)
    met = Counter(make.__name__ for make in MUTATIONS for number in range(60) if make(random, live(random, number)))
    assert set(met) == {make.__name__ for make in MUTATIONS}, met


def _told(mutant: Mutant, said: set[str]) -> str:
    return f"{mutant.fault}: {mutant.code} expected, {sorted(said)} said\n{mutant.life.text}"
