"""Who is blocked and follows the advice literally gets through: `next` is run as it stands, in a copy of examples/team."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import Repo, run_tool

TEAM = Path(__file__).parents[1] / "examples" / "team"
INBOX, ACTIVE = "fcop/_lifecycle/inbox", "fcop/_lifecycle/active"
DBA = f"{INBOX}/TASK-20261002-001-PM-to-DBA.md"
REPORT = "fcop/reports/REPORT-20261001-001-OPS-to-PM.md"
MISPLACED = f"{INBOX}/REPORT-20261001-002-OPS-to-PM.md"


@pytest.fixture
def team(make_repo: Callable[..., Repo]) -> Repo:
    """The example as a repository of its own, its faults committed, but for one in a TASK that is moved here."""
    made = make_repo("team")
    shutil.copytree(TEAM, made.path, dirs_exist_ok=True)
    made.write(DBA, (made.path / DBA).read_text().replace("priority: soon\n", ""))
    made.commit("start")
    return made


def rename(team: Repo) -> None:
    team.git("mv", DBA, f"{INBOX}/TASK-20261002-002-PM-to-DBA.md")


def delete_report(team: Repo) -> None:
    team.git("rm", "-q", REPORT)


def delete_manifest(team: Repo) -> None:
    team.git("rm", "-q", "fcop/fcop.json")


def misplace(team: Repo) -> None:
    team.write(MISPLACED, (team.path / REPORT).read_bytes())
    team.git("add", "-A")


FAULTS: list[tuple[Callable[[Repo], None], str]] = [
    (rename, "FC808"), (delete_report, "FC809"), (delete_manifest, "FC809"), (misplace, "FC205")
]  # fmt: skip


@pytest.mark.parametrize(("do", "code"), FAULTS)
def test_the_next_command_undoes_the_fault(team: Repo, do: Callable[[Repo], None], code: str) -> None:
    do(team)
    blocked = team.check()
    errors = [item for item in blocked.findings if item["severity"] == "error"]
    assert (blocked.code, [item["code"] for item in errors]) == (1, [code])
    program, *words = errors[0]["next"]
    assert program == "git"
    team.git(*words)
    assert [item["code"] for item in team.check().findings if item["severity"] == "error"] == []


def test_an_event_appended_as_the_page_shows_it_is_taken(team: Repo) -> None:
    stem = "TASK-20261002-001-PM-to-DBA.md"
    team.git("mv", f"{INBOX}/{stem}", f"{ACTIVE}/{stem}")
    [item] = [item for item in team.check().findings if item["severity"] == "error"]
    assert item["code"] == "FC802"
    page = team.run("explain", "FC802").out
    event = re.findall(r"^- at: .*\n  from: inbox\n(?:  .*\n)*", page, re.MULTILINE)[-1]
    text = (team.path / f"{ACTIVE}/{stem}").read_text()
    end = text.index("---\n", 4)
    team.write(f"{ACTIVE}/{stem}", text[:end] + event.replace("by: QA", "by: DBA") + text[end:])
    team.git("add", "-A")
    assert [item["code"] for item in team.check().findings if item["severity"] == "error"] == []


@pytest.mark.parametrize("way", [0, 1], ids=["record", "return"])
def test_the_next_command_shows_two_ways_and_either_ends_the_fault(team: Repo, way: int) -> None:
    stem = "TASK-20261002-001-PM-to-DBA.md"
    team.git("mv", f"{INBOX}/{stem}", f"{ACTIVE}/{stem}")
    [item] = [item for item in team.check().findings if item["severity"] == "error"]
    shown = team.run(*item["next"][1:], "--format", "json")
    chosen = json.loads(shown.out)["outcomes"][0]["evidence"][way].split()
    assert team.run(*chosen[1:]).code == 0
    assert [item["code"] for item in team.check().findings if item["severity"] == "error"] == []


def test_an_audit_of_another_folder_says_what_its_paths_are_relative_to(team: Repo) -> None:
    ran = run_tool("audit", "team", cwd=team.path.parent)
    assert ran.err == "fcoplint: paths are relative to team\n"
    assert run_tool("audit", cwd=team.path).err == ""
