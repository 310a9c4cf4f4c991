"""docs/field-report.md says what the tool says: its tables are those that `make field-report` prints."""

from pathlib import Path

from bench import field

REPORT = field.REPORT.read_text("utf-8")


def test_the_tables_of_the_report_are_those_of_the_command(shared: Path) -> None:
    printed = field.tables(shared / "corpus")
    assert field.filled(REPORT, printed) == REPORT, "run: python -m bench.field --write"


def test_every_real_tree_is_in_the_report(shared: Path) -> None:
    folders = {f"{kind}/{tree.name}" for kind in ("real-v1", "real-v2", "real-v3") for tree in (shared / "corpus" / kind).iterdir()}
    folders |= {f"real-misc/{tree.name}" for tree in (shared / "corpus/real-misc").iterdir()}
    assert {"/".join(tree.folder.split("/")[:2]) for tree in field.TREES} == folders


def test_every_kind_of_finding_has_a_verdict() -> None:
    counted, verdicts = REPORT.split("<!-- /counts -->")
    rows = [line.split("|")[1:3] for line in counted.splitlines() if line.startswith(("| error", "| warning", "| info"))]
    # What the roots of a project come to is judged elsewhere.
    told = {rule.split()[0] for _, rule in rows if not rule.strip().startswith("FC7")}
    assert told
    assert [code for code in sorted(told) if code not in verdicts] == []
