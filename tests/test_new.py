"""New envelopes in real repositories: their numbers, their texts, what the rules forbid, and races for a number."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from tests.support import forked
from tests.support.repository import TEAM, Repo, task_text

DAY = "20261201"
SEND = ("new", "task", "--by", "PM", "--to", "DEV")


def outcome(repo: Repo, *args: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    (only,) = json.loads(forked.run(repo.path, *args, "--format", "json", env=env).out)["outcomes"]
    found: dict[str, Any] = only
    return found


def name(repo: Repo, *args: str) -> str:
    done = outcome(repo, *args)
    assert done["state"] == "done", done
    subject: str = done["plan"]["subject"]
    return subject


@pytest.mark.parametrize(
    "place",
    [
        "fcop/_lifecycle/active/TASK-20261201-007-PM-to-QA.md",
        "fcop/_lifecycle/archive/TASK-20261201-007-PM-to-QA-with-a-slug.md",
        "fcop/history/2026-12-01/TASK-20261201-007-PM-to-QA/TASK-20261201-007-PM-to-QA.md",
        "fcop/log/tasks/TASK-20261201-007-PM-to-QA.md",
        "fcop/shared/TASK-20261201-007-PM-to-QA.md",
    ],
)
def test_the_number_is_free_wherever_an_envelope_may_lie(repo: Repo, place: str) -> None:
    repo.write(place, task_text(recipient="QA"))
    assert name(repo, *SEND) == "TASK-20261201-008-PM-to-DEV"


def test_a_number_that_head_or_the_index_still_knows_is_not_given_again(repo: Repo) -> None:
    path = repo.write("fcop/_lifecycle/inbox/TASK-20261201-003-PM-to-DEV.md", task_text())
    repo.commit("three")
    path.unlink()
    assert name(repo, *SEND) == "TASK-20261201-004-PM-to-DEV"


def test_each_type_counts_by_itself_and_each_day_begins_anew(repo: Repo) -> None:
    assert [name(repo, *SEND), name(repo, *SEND)] == [f"TASK-{DAY}-001-PM-to-DEV", f"TASK-{DAY}-002-PM-to-DEV"]
    assert name(repo, "new", "issue", "--by", "QA", "--severity", "low", "--summary", "Slow") == f"ISSUE-{DAY}-001-QA"
    later = outcome(repo, *SEND, env={"FCOPLINT_NOW": "2026-12-02T00:00:01Z"})
    assert later["plan"]["subject"] == "TASK-20261202-001-PM-to-DEV"


def test_a_task_says_who_sent_it_and_is_staged(repo: Repo) -> None:
    stem = name(repo, *SEND, "--subject", "Login: the form", "--slug", "login", "--priority", "P1", "--reference", "TASK-20261001-001")
    path = f"fcop/_lifecycle/inbox/{stem}.md"
    assert (repo.path / path).read_text() == (
        "---\nprotocol: fcop\nversion: 1\ntype: TASK\ntask_id: TASK-20261201-001\nsender: PM\nrecipient: DEV\npriority: P1\n"
        "subject: 'Login: the form'\nreferences:\n- TASK-20261001-001\ntransitions:\n- at: '2026-12-01T08:00:00+00:00'\n  from: null\n"
        "  to: inbox\n  by: PM\n  tool: create_task\n---\n\n# Login: the form\n"
    )
    assert repo.git("diff", "--cached", "--name-only").split() == [path]


def test_a_report_names_its_task_and_goes_to_who_sent_it(repo: Repo) -> None:
    stem = name(repo, "new", "report", "--by", "DEV", "--task", "TASK-20261001-001", "--body", "Done.")
    assert stem == f"REPORT-{DAY}-001-DEV-to-PM"
    assert "references:\n- TASK-20261001-001\n" in (repo.path / f"fcop/reports/{stem}.md").read_text()


def test_a_number_that_was_given_twice_is_named_in_full(repo: Repo) -> None:
    repo.write("fcop/_lifecycle/inbox/TASK-20261001-001-PM-to-QA.md", task_text(recipient="QA"))
    stem = name(repo, "new", "report", "--by", "DEV", "--task", "TASK-20261001-001-PM-to-DEV")
    assert "- TASK-20261001-001-PM-to-DEV\n" in (repo.path / f"fcop/reports/{stem}.md").read_text()
    assert outcome(repo, "new", "report", "--by", "DEV", "--task", "TASK-20261001-001")["reason"] == "ambiguous-reference"


def test_a_body_comes_from_a_file_as_it_is(repo: Repo) -> None:
    repo.write("body.md", "# Title\n\nText with `---`\n---\nand more\n")
    stem = name(repo, *SEND, "--body-file", "body.md")
    assert (repo.path / f"fcop/_lifecycle/inbox/{stem}.md").read_text().endswith("---\n\n# Title\n\nText with `---`\n---\nand more\n")


def test_in_an_older_layout_a_task_has_no_events(repo: Repo) -> None:
    old = repo.path / "fcop" / "_lifecycle"
    (old / "inbox" / "TASK-20261001-001-PM-to-DEV.md").unlink()
    (old / "inbox").rmdir()
    old.rmdir()
    repo.write("fcop/tasks/TASK-20261001-001-PM-to-DEV.md", task_text().partition("transitions")[0] + "---\n\n# Old\n")
    repo.commit("v2")
    stem = name(repo, *SEND)
    assert "transitions" not in (repo.path / f"fcop/tasks/{stem}.md").read_text()


REFUSED = [
    (("new", "task", "--by", "DEV", "--to", "QA"), 1, "forbidden"),
    (("new", "task", "--by", "PM", "--to", "NOBODY"), 1, "forbidden"),
    (("new", "task", "--by", "PM", "--to", "dev"), 2, "bad-name"),
    (("new", "task", "--by", "PM", "--to", "DEV", "--slug", "Not A Slug"), 2, "bad-name"),
    (("new", "task", "--by", "PM", "--to", "DEV", "--parent", "TASK-20261001-099"), 1, "forbidden"),
    (("new", "report", "--by", "QA", "--task", "TASK-20261001-001"), 1, "forbidden"),
    (("new", "report", "--by", "DEV", "--task", "TASK-20261001-099"), 2, "no-such-task"),
    (("new", "review", "--by", "DEV", "--on", "TASK-20261001-001", "--decision", "approved"), 1, "forbidden"),
    (("new", "review", "--by", "QA", "--on", "TASK-20261001-001", "--decision", "needs_changes"), 1, "forbidden"),
    (("new", "issue", "--by", "QA", "--severity", "low", "--summary", "x", "--workspace", "elsewhere"), 2, "no-workspace"),
]


@pytest.mark.parametrize(("args", "code", "reason"), REFUSED, ids=[" ".join(case[0][1:]) for case in REFUSED])
def test_what_the_rules_forbid_is_not_written(repo: Repo, args: tuple[str, ...], code: int, reason: str) -> None:
    done = outcome(repo, *args)
    assert (done["exit"], done["reason"]) == (code, reason), done
    assert repo.git("status", "--porcelain") == ""


def test_a_v4_workspace_has_operations_of_its_own(repo: Repo) -> None:
    repo.write("fcop/fcop.json", json.dumps({"protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:" + "0" * 32}))
    for args, operation in ((SEND, "create_task"), (("new", "issue", "--by", "QA", "--severity", "low", "--summary", "x"), "write_issue")):
        done = outcome(repo, *args)
        assert (done["exit"], done["reason"]) == (1, "v4")
        assert f"`{operation}`" in done["message"]


def test_several_workspaces_must_be_told_apart(repo: Repo) -> None:
    repo.add_team("part/fcop")
    repo.commit("two")
    assert outcome(repo, *SEND)["reason"] == "which-workspace"
    assert outcome(repo, *SEND, "--workspace", "part/fcop")["state"] == "done"


def _send(arguments: tuple[str, str]) -> int:
    root, to = arguments
    return forked.run(Path(root), "new", "task", "--by", "PM", "--to", to).code


def test_of_many_who_create_at_once_each_gets_a_number_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "fcop" / "_lifecycle" / "inbox").mkdir(parents=True)
    (tmp_path / "fcop" / "fcop.json").write_text(json.dumps(TEAM))
    with multiprocessing.get_context("fork").Pool(8) as pool:
        codes = pool.map(_send, [(str(tmp_path), role) for role in ("DEV", "QA", "OPS") * 6], chunksize=1)
    assert codes == [0] * 18
    numbers = sorted(path.name.split("-")[2] for path in (tmp_path / "fcop" / "_lifecycle" / "inbox").iterdir())
    assert numbers == [f"{number:03d}" for number in range(1, 19)]
