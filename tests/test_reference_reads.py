"""What fcoplint writes, the reference fcop 3.2.5 still reads: a whole life, envelope by envelope, after every step."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support import forked
from tests.support.reference import VERSION_3, Reference, load_reference, read
from tests.support.repository import T1, TEAM, Repo, task_text

STEM = "TASK-20261201-001-PM-to-DEV"
LIFE: list[tuple[tuple[str, ...], str, dict[str, object]]] = [
    (
        ("new", "task", "--by", "PM", "--to", "DEV", "--subject", "Login: the form", "--risk-level", "low"),
        f"_lifecycle/inbox/{STEM}.md",
        {"sender": "PM", "recipient": "DEV", "events": 1},
    ),
    (("move", STEM, "--to", "active", "--by", "DEV"), f"_lifecycle/active/{STEM}.md", {"sender": "PM", "recipient": "DEV", "events": 2}),
    (
        ("new", "report", "--by", "DEV", "--task", STEM, "--subject", "It's done: all of it"),
        "reports/REPORT-20261201-001-DEV-to-PM.md",
        {"sender": "DEV", "recipient": "PM", "status": "done"},
    ),
    (("move", STEM, "--to", "review", "--by", "DEV"), f"_lifecycle/review/{STEM}.md", {"sender": "PM", "recipient": "DEV", "events": 3}),
    (
        ("new", "review", "--by", "QA", "--on", STEM, "--decision", "needs_changes", "--change", "Test: the empty password"),
        f"reviews/REVIEW-20261201-001-QA-on-{STEM.lower()}.md",
        {"sender": "QA", "decision": "needs_changes"},
    ),
    (
        ("move", STEM, "--to", "active", "--by", "PM", "--note", "see 'QA': #1\nand more"),
        f"_lifecycle/active/{STEM}.md",
        {"sender": "PM", "recipient": "DEV", "events": 4},
    ),
    (("move", STEM, "--to", "review", "--by", "DEV"), f"_lifecycle/review/{STEM}.md", {"sender": "PM", "recipient": "DEV", "events": 5}),
    (("move", STEM, "--to", "done", "--by", "PM"), f"_lifecycle/done/{STEM}.md", {"sender": "PM", "recipient": "DEV", "events": 6}),
    (("move", STEM, "--to", "archive", "--by", "PM"), f"_lifecycle/archive/{STEM}.md", {"sender": "PM", "recipient": "DEV", "events": 7}),
    (
        ("new", "issue", "--by", "QA", "--severity", "high", "--summary", "It's down"),
        "issues/ISSUE-20261201-001-QA.md",
        {"sender": "QA", "severity": "high"},
    ),
]


@pytest.fixture(scope="session")
def fcop(request: pytest.FixtureRequest) -> Reference:
    """The reference of the 3 line."""
    return load_reference(request.config.cache.mkdir("reference"), VERSION_3)


def test_the_reference_reads_a_whole_life(make_repo: Callable[..., Repo], fcop: Reference) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    for stage in ("inbox", "active", "review", "done", "archive"):
        repo.write(f"fcop/_lifecycle/{stage}/.gitkeep", "")
    repo.commit("start")
    for args, path, expected in LIFE:
        done = forked.run(repo.path, *args)
        assert done.code == 0, done
        assert read(fcop, repo.path, [f"fcop/{path}"]) == {f"fcop/{path}": expected}
        found = repo.check(env={"FCOPLINT_NOW": forked.NOW})
        assert [finding["code"] for finding in found.findings if finding["severity"] != "info"] == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_reference_reads_what_was_appended_to(repo: Repo, fcop: Reference, line_end: str) -> None:
    repo.write(T1, task_text(subject="'quoted'  # and a comment").replace("\n", line_end))
    repo.commit("styles")
    assert forked.run(repo.path, "move", T1, "--to", "active", "--by", "DEV").code == 0
    path = T1.replace("inbox", "active")
    assert read(fcop, repo.path, [path]) == {path: {"sender": "PM", "recipient": "DEV", "events": 2}}
