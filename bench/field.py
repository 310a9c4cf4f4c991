"""The counts of docs/field-report.md: what `fcoplint audit` says of every tree that real teams left behind.

`make field-report` prints the tables; `python -m bench.field --write` puts them into the report, between its markers.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fcoplint import engine
from fcoplint.findings import SEVERITIES
from fcoplint.report import Report, Reported
from fcoplint.settings import Settings
from fcoplint.source import worktree

ROOT = Path(__file__).parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"
REPORT = ROOT / "docs" / "field-report.md"
_BETWEEN = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- /counts -->)", re.DOTALL)


class Tree(NamedTuple):
    """A real tree: its letter in the tables, its folder in the corpus, whether it is a workspace by another name."""

    letter: str
    folder: str
    as_workspace: bool = False


TREES = (
    Tree("A", "real-v2/FCoP-v3.2.5"),
    Tree("B", "real-v1/codeflow-pwa-fcop"),
    Tree("C", "real-v1/codeflow-pwa-docs-agents"),
    Tree("D", "real-v1/FCoP-v1.0.0"),
    Tree("E", "real-v1/FCoP-v0.7.2"),
    Tree("F", "real-v3/CodeFlowMu-open-template"),
    Tree("G", "real-v3/CodeFlowMu-open-samples"),
    Tree("H", "real-misc/FCoP-tetris-evidence/evidence", as_workspace=True),
    Tree("I", "real-misc/FCoP-essay-evidence", as_workspace=True),
    Tree("J", "real-misc/FCoP-examples/examples/workspace-example", as_workspace=True),
)


def audit(tree: Tree, corpus: Path = CORPUS) -> Report:
    """What `fcoplint audit` (with `--as-workspace` where the tree needs it) reports of a tree."""
    snapshot = worktree.walk(str(corpus / tree.folder))
    return engine.audit(snapshot, Settings(), top="fcop" if tree.as_workspace else None, taken=tree.as_workspace)


def tables(corpus: Path = CORPUS) -> str:
    """Both tables in Markdown: findings by tree and severity, then by severity and code in each tree."""
    reports = {tree: audit(tree, corpus) for tree in TREES}
    return "\n".join([*_by_tree(reports), "", *_by_code(reports)]) + "\n"


def _by_tree(reports: dict[Tree, Report]) -> Iterator[str]:
    yield "| | tree | envelopes | errors | warnings | information |"
    yield "|---|---|---:|---:|---:|---:|"
    for tree, report in reports.items():
        envelopes = sum(workspace.envelopes for workspace in report.workspaces)
        counts = " | ".join(str(count) for count in report.counts.values())
        option = " (`--as-workspace`)" if tree.as_workspace else ""
        yield f"| {tree.letter} | {tree.folder}{option} | {envelopes} | {counts} |"


def _by_code(reports: dict[Tree, Report]) -> Iterator[str]:
    seen = {tree: [(item.severity, item.rule.code, item.rule.name) for item in report.findings] for tree, report in reports.items()}
    counted = {tree: Counter(rows) for tree, rows in seen.items()}
    habits = Counter((tree, item.rule.code) for tree, report in reports.items() for item in report.findings for _ in _more(item))
    yield f"| severity | rule | {' | '.join(tree.letter for tree in TREES)} |"
    yield f"|---|---|{'---:|' * len(TREES)}"
    rows = {row for rows in seen.values() for row in rows}
    for severity, code, name in sorted(rows, key=lambda row: (-SEVERITIES.index(row[0]), row[1])):
        cells = (_cell(counted[tree][severity, code, name], habits[tree, code]) for tree in TREES)
        yield f"| {severity} | {code} {name} | {' | '.join(cells)} |"


def _more(item: Reported) -> range:
    """As many as the places that a habit's one finding stands for."""
    return range(len(item.finding.related) if item.finding.message == "habit" else 0)


def _cell(count: int, places: int) -> str:
    return f"{count} for {places}" if count and places else str(count or "")


def main() -> int:
    """Print the tables, or write them into the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {REPORT.relative_to(ROOT)}")
    given = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"the specification's corpus is not at {CORPUS}; a clone of fcoplint alone has none", file=sys.stderr)
        return 2
    if given.write:
        REPORT.write_text(filled(REPORT.read_text("utf-8"), tables()), "utf-8")
    else:
        print(tables(), end="")
    return 0


def filled(text: str, counts: str) -> str:
    """The report's text with these counts between its markers."""
    return _BETWEEN.sub(lambda _: counts, text)


if __name__ == "__main__":
    sys.exit(main())
