"""The cases of `tests/cases`, in the corpus's format: each broken tree gives its code in its place, each sound one none.

Those that want a link made, or go by a configuration, need the corpus's own runner: test_corpus.py gives it all of them.
"""

from pathlib import Path

import pytest

from tests.support.papers import hold

CASES = sorted(
    case
    for case in (Path(__file__).parent / "cases").glob("*/*")
    if not (case / "workspace/.fcoplint.toml").exists() and "\nmake:" not in (case / "expect.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_case_is_judged_as_it_expects(case: Path) -> None:
    hold(case)
