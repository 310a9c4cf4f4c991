"""A rule must not care how roles are called, on which day it was, or whether a name has a slug: the codes stay the same."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fcoplint import engine
from fcoplint.findings import Finding
from fcoplint.model.location import Location
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.renaming import RENAMINGS, Renaming, rename_links, rename_tree
from tests.support.rulefile import RULES, Example, load

# The digests of FCoP 4 bind every byte: what is renamed there is another workspace, and made anew (test_v4_lives.py).
FILES = [path for path in sorted(RULES.glob("FC*.md")) if "```bad" in (text := path.read_text("utf-8")) and "\nprotocols: v4\n" not in text]

_TWINS = "the twins differ in the case of QA and qa alone, of which one is a role and the other a slug"
# The renamings that a rule is about: a file that only such an example has, and why the example does not outlive it.
ABOUT = {("FC106", renaming): ("-DEV-qa.md", _TWINS) for renaming in ("roles", "slugs", "slots")}
ABOUT["FC503", "slots"] = ("REPORT-20261001-001-QA-to-PM.md", "a TASK addressed to a slot may be reported by any role but its sender")


def codes(example: Example, rename: Renaming = str) -> Counter[tuple[str, str]]:
    """(code, severity) of all findings of an example: of its state, or of its change where it shows one."""
    shown = example.snapshot()
    after = MemorySnapshot(rename_tree(shown.files, rename), rename_links(shown.links, rename))
    if example.before:
        before = replace(example, files=example.before).snapshot()
        report = engine.check([MemorySnapshot(rename_tree(before.files, rename))], after, Settings())
    else:
        report = engine.audit(after, Settings())
    return Counter((item.rule.code, item.severity) for item in report.findings)


def is_about(example: Example, code: str, renaming: str) -> bool:
    mark, _ = ABOUT.get((code, renaming), (None, ""))
    return mark is not None and any(mark in path for path in (*example.files, *example.links, *example.before))


@pytest.mark.parametrize("renaming", RENAMINGS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_codes_outlive_a_renaming(path: Path, renaming: str) -> None:
    for example in load(path).examples():
        if not is_about(example, path.name[:5], renaming):
            assert codes(example, RENAMINGS[renaming]) == codes(example), [*example.files, *example.links]


@pytest.mark.parametrize(("code", "renaming"), ABOUT)
def test_every_exception_is_still_one(code: str, renaming: str) -> None:
    (path,) = RULES.glob(f"{code}-*.md")
    excepted = [example for example in load(path).examples() if is_about(example, code, renaming)]
    assert excepted
    assert all(codes(example, RENAMINGS[renaming]) != codes(example) for example in excepted), ABOUT[code, renaming]


RENAMED = [
    ("roles", "TASK-20261001-003-PM-to-QA.md", "TASK-20261001-003-LEAD-QA-to-PERF_TESTER.md"),
    ("roles", "by: PM-01", "by: LEAD-QA-01"),
    ("roles", "REVIEW-20261001-001-PM-on-task-20261001-004-pm-to-ops", "REVIEW-20261001-001-LEAD-QA-on-task-20261001-004-lead-qa-to-sre2"),
    ("dates", "'2026-10-01T08:00:00+00:00' 20261002-001 20261399", "'2026-09-28T08:00:00+00:00' 20260929-001 20261399"),
    ("numbers", "TASK-20261001-003 and report-20261001-000", "TASK-20261001-403 and report-20261001-000"),
    ("slugs", "TASK-20261001-003-PM-to-QA.md", "TASK-20261001-003-PM-to-QA-later-on.md"),
    ("slugs", "see ISSUE-20261001-001-QA.", "see ISSUE-20261001-001-QA-later-on."),
    ("slugs", "TASK-20261001-003-PM-to-QA-login.md", "TASK-20261001-003-PM-to-QA-login.md"),
    ("slots", "TASK-20261001-003-PM-to-QA-login.md", "TASK-20261001-003-PM-to-QA.NIGHT-login.md"),
    ("slots", "REPORT-20261001-003-QA-to-PM.md", "REPORT-20261001-003-QA-to-PM.md"),
]  # fmt: skip


@pytest.mark.parametrize(("renaming", "text", "expected"), RENAMED)
def test_a_renaming_reaches_every_form_of_a_name(renaming: str, text: str, expected: str) -> None:
    assert RENAMINGS[renaming](text) == expected


def shifted(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every envelope one line further down, and one line longer."""
    return {
        path: data.replace(b"---\n", b"---\n# a note\n", 1) + b"\n" if path.endswith(".md") and data.startswith(b"---\n") else data
        for path, data in files.items()
    }


def fingerprints(example: Example, *, moved: bool) -> Counter[tuple[str, str]]:
    shown = example.snapshot()
    after = MemorySnapshot(shifted(shown.files) if moved else shown.files, shown.links)
    if example.before:
        before = Example(example.kind, example.before).snapshot().files
        report = engine.check([MemorySnapshot(shifted(before) if moved else before)], after, Settings())
    else:
        report = engine.audit(after, Settings())
    return Counter((item.rule.code, item.finding.fingerprint) for item in report.findings)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_fingerprint_knows_no_line(path: Path) -> None:
    for example in load(path).examples():
        assert fingerprints(example, moved=True) == fingerprints(example, moved=False), [*example.files, *example.links]


def test_a_fingerprint_is_the_same_in_every_release() -> None:
    """Baselines, SARIF and GitLab remember them."""
    finding = Finding("FC120", Location("x.md"), "TASK-20261001-001-PM-to-DEV", "sender=QA", workspace="fcop")
    assert finding.fingerprint == "2f0edb6addcc2ab3a1ab000f"
