"""The engine: selection, severity, order, and that one failing rule stops nothing."""

from collections.abc import Iterator

import pytest

from fcoplint import engine
from fcoplint.checks import registry
from fcoplint.findings import Finding
from fcoplint.model.envelope import Envelope
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import T1, task_text

MANIFEST = b'{"mode": "preset", "team": "t", "leader": "PM", "roles": ["PM", "DEV"]}'
BAD = {"fcop/fcop.json": MANIFEST, T1: task_text("QA", priority="soon").encode()}


def codes(settings: Settings) -> list[str]:
    return [item.rule.code for item in engine.audit(MemorySnapshot(BAD), settings).findings]


SELECTIONS = [
    ((), (), ["FC120", "FC122", "FC123"]),
    (("FC123",), (), ["FC123"]),
    (("FC1",), ("FC12",), []),
    (("FC1", "FC123"), ("FC12",), ["FC123"]),
    ((), ("FC",), []),
    (("",), ("FC120",), ["FC122", "FC123"]),
    (("FC12",), ("FC12",), []),
]


@pytest.mark.parametrize(("select", "ignore", "expected"), SELECTIONS)
def test_the_longer_selector_wins(select: tuple[str, ...], ignore: tuple[str, ...], expected: list[str]) -> None:
    assert codes(Settings(select=select, ignore=ignore)) == expected


@pytest.mark.parametrize(("fail_level", "exit_code"), [("error", 1), ("warning", 1), ("info", 1)])
def test_the_fail_level_decides(fail_level: str, exit_code: int) -> None:
    assert engine.audit(MemorySnapshot(BAD), Settings(fail_level=fail_level)).exit_code == exit_code


def test_warnings_alone_pass_by_default() -> None:
    only_warning = {"fcop/fcop.json": MANIFEST, T1: task_text(priority="high").encode()}
    report = engine.audit(MemorySnapshot(only_warning), Settings())
    assert ([item.severity for item in report.findings], report.exit_code) == (["warning"], 0)
    assert engine.audit(MemorySnapshot(only_warning), Settings(fail_level="warning")).exit_code == 1


def test_a_rule_that_fails_yields_one_finding_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(envelope: Envelope) -> Iterator[Finding]:
        nothing: dict[str, list[Finding]] = {}
        yield from nothing[envelope.path]

    broken = registry.Registered(breaks, ("FC119",), registry.V1_V3, "envelope", ("TASK",))
    monkeypatch.setattr(engine, "all_rules", lambda: [broken, *registry.all_rules()])
    report = engine.audit(MemorySnapshot(BAD), Settings())
    assert sorted(item.rule.code for item in report.findings) == ["FC000", "FC120", "FC122", "FC123"]
    failed = next(item for item in report.findings if item.rule.code == "FC000")
    assert "breaks" in failed.message
    assert failed.finding.location.path == T1
    assert report.exit_code == 3


def test_what_could_not_be_looked_at_cannot_be_selected_away() -> None:
    pointer = {"fcop/fcop.json": MANIFEST, T1: b"version https://git-lfs.github.com/spec/v1\n"}
    report = engine.audit(MemorySnapshot(pointer), Settings(select=("FC9",), ignore=("FC0",)))
    assert ([item.rule.code for item in report.findings], report.exit_code) == (["FC001"], 3)


def test_findings_are_in_one_total_order() -> None:
    report = engine.audit(MemorySnapshot(BAD), Settings())
    keys = [item.finding.sort_key for item in report.findings]
    assert keys == sorted(keys)


def test_a_fingerprint_does_not_know_lines_or_folders() -> None:
    moved = {"fcop/fcop.json": MANIFEST, T1.replace("inbox", "active"): task_text("QA", priority="soon", subject="x").encode()}
    prints = [
        {item.finding.fingerprint for item in engine.audit(MemorySnapshot(tree), Settings(select=("FC12",))).findings}
        for tree in (BAD, moved)
    ]
    assert prints[0] == prints[1]
