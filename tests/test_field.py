"""docs/field-report.md says what the tool says: its tables are those that `make field-report` prints."""

from pathlib import Path

import pytest

from bench import field

REPORT = field.REPORT.read_text("utf-8")


def test_the_tables_of_the_report_are_those_of_the_command(shared: Path) -> None:
    printed = field.tables(shared / "corpus")
    assert field.filled(REPORT, printed) == REPORT, "run: python -m bench.field --write"


def test_every_real_tree_is_in_the_report(shared: Path) -> None:
    folders = {f"{kind}/{tree.name}" for kind in ("real-v1", "real-v2", "real-v3") for tree in (shared / "corpus" / kind).iterdir()}
    folders |= {f"real-misc/{tree.name}" for tree in (shared / "corpus/real-misc").iterdir()}
    assert {"/".join(tree.folder.split("/")[:2]) for tree in field.TREES} == folders


@pytest.mark.parametrize("tree", field.TREES, ids=lambda tree: tree.folder)
def test_the_noise_budget_of_roots(shared: Path, tree: field.Tree) -> None:
    """roots.md 6: an audit takes every REPORT as added, and no rule about roots has a word to say."""
    report = field.audit(tree, shared / "corpus")
    assert [(item.rule.code, item.message) for item in report.findings if item.rule.code.startswith("FC7")] == []


def test_every_kind_of_finding_has_a_verdict() -> None:
    counted, verdicts = REPORT.split("<!-- /counts -->")
    rows = [line.split("|")[1:3] for line in counted.splitlines() if line.startswith(("| error", "| warning", "| info"))]
    told = {rule.split()[0] for _, rule in rows}
    assert told
    assert [code for code in sorted(told) if code not in verdicts] == []
