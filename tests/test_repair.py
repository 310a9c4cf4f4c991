"""`fcoplint repair`: the event is recorded, or the file goes back; which of the two, only a person can say."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.repository import INBOX, T1, Repo, task_text

STEM = "TASK-20261001-001-PM-to-DEV"
ACTIVE, REVIEW, DONE = (f"fcop/_lifecycle/{stage}/{STEM}.md" for stage in ("active", "review", "done"))


def moved_by_hand(make_repo: Callable[..., Repo], target: str = ACTIVE, *, landed: bool = False) -> Repo:
    """A project in which a TASK of the inbox was moved with `git mv` alone."""
    repo = make_repo()
    repo.add_team()
    repo.commit("start")
    (repo.path / target).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", T1, target)
    if landed:
        repo.commit("moved")
    return repo


def errors(repo: Repo) -> list[str]:
    return [finding["code"] for finding in repo.check().findings if finding["severity"] != "info"]


@pytest.mark.parametrize("landed", [False, True])
def test_the_missing_event_is_recorded_and_says_so(landed: bool, make_repo: Callable[..., Repo]) -> None:
    repo = moved_by_hand(make_repo, landed=landed)
    ran = repo.run("repair", STEM, "--record", "--by", "DEV", "--note", "I forgot")
    assert ran.code == 0, ran
    text = (repo.path / ACTIVE).read_text()
    assert text.startswith(task_text().partition("---\n\n")[0])
    assert text.count("\n- at: ") == 2
    assert "  from: inbox\n  to: active\n  by: DEV\n  tool: claim_task\n  note: 'recorded afterwards: " in text
    assert text.endswith("; I forgot'\n---\n\n# Build the form\n\nAcceptance: the check passes.\n")
    assert repo.git("show", f":{ACTIVE}") == text
    assert errors(repo) == []
    repo.commit("recorded")
    assert [finding for finding in repo.audit().findings if finding["severity"] == "error"] == []


@pytest.mark.parametrize("landed", [False, True])
def test_the_file_goes_back_where_its_events_say(landed: bool, make_repo: Callable[..., Repo]) -> None:
    repo = moved_by_hand(make_repo, landed=landed)
    assert repo.run("repair", STEM, "--return", "--by", "PM").code == 0
    assert (repo.path / T1).read_text() == task_text()
    assert not (repo.path / ACTIVE).exists()
    assert errors(repo) == []
    assert repo.git("status", "--short") == (f"R  {ACTIVE} -> {T1}\n" if landed else "")


def test_nothing_is_chosen_for_anybody(make_repo: Callable[..., Repo]) -> None:
    repo = moved_by_hand(make_repo)
    ran = repo.run("repair", STEM, "--by", "DEV", "--format", "json")
    outcome = json.loads(ran.out)["outcomes"][0]
    assert (ran.code, outcome["reason"]) == (1, "not-chosen")
    assert outcome["evidence"] == [f"fcoplint repair {STEM} {way} --by DEV" for way in ("--record", "--return")]
    assert (repo.path / ACTIVE).read_text() == task_text()


def test_what_agrees_needs_no_repair(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.add_team()
    repo.commit()
    assert repo.run("repair", STEM, "--record", "--by", "DEV").code == 0
    assert repo.git("status", "--short") == ""


def leave_a_copy(repo: Repo) -> None:
    repo.write(T1, task_text())


def drop_the_events(repo: Repo) -> None:
    repo.write(ACTIVE, "---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: DEV\n---\n\n# Build the form\n")


def edit_it(repo: Repo) -> None:
    repo.write(ACTIVE, task_text() + "More.\n")


REFUSED = {
    "by a role that nobody knows": (None, ("--record", "--by", "BOSS"), "no-role"),
    "by a role that may not": (None, ("--record", "--by", "QA"), "forbidden"),
    "twins": (leave_a_copy, ("--return", "--by", "PM"), "twins"),
    "no events": (drop_the_events, ("--record", "--by", "DEV"), "no-events"),
    "edits that are not staged": (edit_it, ("--record", "--by", "DEV"), "partly-staged"),
    "both ways": (None, ("--record", "--return", "--by", "DEV"), ""),
}


@pytest.mark.parametrize(("trouble", "args", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_changes_nothing(
    trouble: Callable[[Repo], None] | None, args: tuple[str, ...], reason: str, make_repo: Callable[..., Repo]
) -> None:
    repo = moved_by_hand(make_repo)
    if trouble:
        trouble(repo)
    before = (repo.path / ACTIVE).read_bytes(), repo.git("status", "--short")
    ran = repo.run("repair", STEM, *args, "--format", "json")
    assert ran.code in (1, 2), ran
    if reason:
        assert json.loads(ran.out)["outcomes"][0]["reason"] == reason
    assert ((repo.path / ACTIVE).read_bytes(), repo.git("status", "--short")) == before


def test_no_event_is_invented_where_no_single_move_leads(make_repo: Callable[..., Repo]) -> None:
    repo = moved_by_hand(make_repo, DONE)
    ran = repo.run("repair", STEM, "--record", "--by", "DEV", "--format", "json")
    outcome = json.loads(ran.out)["outcomes"][0]
    assert (ran.code, outcome["reason"]) == (1, "no-edge")
    assert outcome["next"] == ["fcoplint", "repair", STEM, "--return", "--by", "DEV"]
    assert repo.run(*outcome["next"][1:]).code == 0
    assert (repo.path / f"{INBOX}/{STEM}.md").is_file()


def test_a_dry_run_writes_nothing(make_repo: Callable[..., Repo]) -> None:
    repo = moved_by_hand(make_repo)
    before = repo.git("status", "--short")
    assert "would do" in repo.run("repair", STEM, "--record", "--by", "DEV", "--dry-run").out
    assert (repo.git("status", "--short"), (repo.path / ACTIVE).read_text()) == (before, task_text())
