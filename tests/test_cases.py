"""The cases of `tests/cases`, in the corpus's format: each broken tree gives its code in its place, each sound one none."""

from pathlib import Path

import pytest

from tests.support.papers import hold

CASES = sorted((Path(__file__).parent / "cases").glob("*/*"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_case_is_judged_as_it_expects(case: Path) -> None:
    hold(case)
