"""Issue 8's tamper test: in a family that the reference wrote, everything that can be changed is, one thing at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.model.workspace import Documents
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.families import write_family
from tests.support.provable import KINDS, UNPROVABLE, Unprovable, judge, kinds_of
from tests.support.reference import Reference
from tests.support.tampering import Tampering, is_in_reference_form, tamperings

SHOWN = ("error", "warning")
PAGE = Path(__file__).parents[1] / "docs" / "v4.md"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def family(reference: Reference, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Every edge T1 to T7, Branches, a merge, a cold copy, as fcop 4.0.5 writes them."""
    return write_family(reference, shared, tmp_path_factory.mktemp("family") / "project")


@pytest.fixture(scope="module")
def audit() -> Callable[[Files], set[str]]:
    """The codes of errors and warnings in a state; contents that many states share are parsed once."""
    documents, settings = Documents(), Settings(policy=Policy())

    def codes(files: Files) -> set[str]:
        report = engine.audit(MemorySnapshot(files), settings, documents=documents)
        return {item.rule.code for item in report.findings if item.severity in SHOWN}

    return codes


def apply(files: Files, tampering: Tampering) -> Files:
    others = {path: content for path, content in files.items() if path != tampering.path}
    return others if tampering.content is None else {**others, tampering.path: tampering.content}


def test_the_family_is_lawful_and_in_the_reference_s_form(family: Files, audit: Callable[[Files], set[str]]) -> None:
    assert audit(family) == set()
    assert [path for path, content in family.items() if not is_in_reference_form(path, content)] == []
    assert set(kinds_of(family).values()) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_everything_changed_is_reported_or_listed(
    family: Files, audit: Callable[[Files], set[str]], kind: str, record_property: Callable[[str, object], None]
) -> None:
    kinds = kinds_of(family)
    known = min(Path(path).stem for path in family if kinds[path] == "TASK")
    made = [tampering for path, content in family.items() if kinds[path] == kind for tampering in tamperings(path, content, known)]
    caught, listed, missed, surprising = 0, 0, [], []
    for tampering in made:
        expected, found = judge(tampering, kind), audit(apply(family, tampering))
        if isinstance(expected, Unprovable):
            listed += 1
            surprising += [(tampering.what, tampering.how, sorted(found))] if found else []
        elif expected.code in found:
            caught += 1
        else:
            missed.append((tampering.what, tampering.how, expected.code, sorted(found)))
    record_property("tampered", (kind, len(made), caught, listed))
    assert made
    assert Counter(missed_line[:3] for missed_line in missed) == Counter(), missed[:20]
    assert surprising == []
    assert f"| {kind} | {len(made):,} | {caught:,} | {listed:,} |" in PAGE.read_text("utf-8"), "the figures of docs/v4.md"


def test_the_page_gives_every_reason() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    assert [line.reason for line in UNPROVABLE if line.reason not in text] == []
