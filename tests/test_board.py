"""What the page is made of: the board of a state, and the past of a main line, held against the files and commits they come from."""

from __future__ import annotations

import datetime
import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fcoplint.board import Board, Card
from fcoplint.cli import ranges
from fcoplint.output.pagedata import page_data
from fcoplint.output.pagetrends import page_trends
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source import git
from fcoplint.trends import Recorder, Sample, Stay, Trends
from tests.support import repositories, towns
from tests.support.papers import Tree, issue, report, review, task
from tests.support.repositories import Step
from tests.support.repository import Repo, task_text

T1, T2, T3 = (f"TASK-20261001-00{number}-PM-to-DEV" for number in (1, 2, 3))
R1 = "REPORT-20261002-001-DEV-to-PM"
V1 = "REVIEW-20261002-001-QA-on-report-20261002-001"


def board_of(*trees: Tree) -> Board:
    told = towns.report_of({path: text for tree in trees for path, text in tree.items()})
    assert told.board
    return told.board()


def card_of(name: str, *trees: Tree) -> Card:
    (team,) = board_of(*trees).teams
    return next(card for card in team.cards if card.work.task == name)


def test_a_card_carries_events_papers_and_family() -> None:
    trees = [
        task(T1, "review", subject="Ship it"), task(T2, parent=T1), task(T3, parent=T1),
        report(R1, T1, reported_at="2026-10-01T16:30:00+00:00"), review(V1, R1, "rejected"),
    ]  # fmt: skip
    card = card_of(T1, *trees)
    assert (card.title, card.recipient, card.work.stage, card.work.holder) == ("Ship it", "DEV", "review", "PM")
    assert [(event.source, event.target, event.by, event.at.hour if event.at else None) for event in card.events] == [
        (None, "inbox", "PM", 8), ("inbox", "active", "DEV", 9), ("active", "review", "DEV", 15)
    ]  # fmt: skip
    assert [(paper.name, paper.author, paper.verdict, paper.at and paper.at.hour, paper.is_dated) for paper in card.papers] == [
        (R1, "DEV", "done", 16, False), (V1, "QA", "rejected", 10, False)
    ]  # fmt: skip
    assert card.work.children == (T2, T3)
    assert card_of(T2, *trees).parents == (T1,)


def test_a_paper_without_a_time_has_the_day_of_its_name() -> None:
    (paper,) = card_of(T1, task(T1), report(R1, T1)).papers
    assert (paper.at, paper.is_dated) == (datetime.datetime(2026, 10, 2, tzinfo=datetime.UTC), True)


def test_a_title_is_the_subject_or_the_first_heading() -> None:
    assert card_of(T1, task(T1)).title == "Text"
    assert card_of(T1, {f"fcop/_lifecycle/inbox/{T1}.md": "no front matter"}).title is None


def test_events_that_say_no_time_keep_what_they_say() -> None:
    (event,) = card_of(
        T1, task(T1, transitions=[{"at": "yesterday", "from": None, "to": "active", "by": "DEV", "tool": "claim_task"}])
    ).events
    assert (event.at, event.said, event.target) == (None, "yesterday", "active")


def test_open_issues_stand_on_the_board() -> None:
    (team,) = board_of(issue(), {}).teams
    assert [(item.reporter, item.severity) for item in team.issues] == [("QA", "high")]
    (team,) = board_of(issue(status="closed")).teams
    assert team.issues == ()


def test_older_layouts_have_columns_of_their_own() -> None:
    trees = [
        {f"fcop/tasks/{T1}.md": task_text(), f"fcop/tasks/{T2}.md": task_text(), f"fcop/log/{T3}.md": task_text()}, report(R1, T1)
    ]  # fmt: skip
    data = page_data(towns.report_of({path: text for tree in trees for path, text in tree.items()}))
    assert data["stages"] == ["open", "reported", "archive"]
    column = data["cards"]["columns"].index("stage")
    assert sorted(data["texts"][row[column]] for row in data["cards"]["rows"]) == ["archive", "open", "reported"]


def test_a_finding_belongs_to_the_task_it_speaks_of_and_to_that_of_its_paper() -> None:
    trees = [task(T1, priority="soon"), task(T2), report(R1, T2, status="finished")]
    data = page_data(towns.report_of({path: text for tree in trees for path, text in tree.items()}))
    rows = [dict(zip(data["findings"]["columns"], row, strict=True)) for row in data["findings"]["rows"]]
    ids = [dict(zip(data["cards"]["columns"], row, strict=True))["id"] for row in data["cards"]["rows"]]
    assert {row["code"]: ids[row["card"]] for row in rows if row["code"] in ("FC123", "FC124")} == {"FC123": T1, "FC124": T2}


def test_nobody_pays_for_a_board_that_is_not_shown(repo: Repo) -> None:
    probe = (
        "import sys\nfrom fcoplint.cli import main\ntry:\n    main(['audit', '--format', 'json:x.json'])\nfinally:\n    print(*sys.modules)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", probe], cwd=repo.path, env=env, capture_output=True, text=True, check=True)
    assert "fcoplint.engine" in done.stdout.split()
    assert not {"fcoplint.board", "fcoplint.output.html", "jinja2"} & set(done.stdout.split())


# The past.


def trends_of(repo: Repo, since: str | None = None) -> Trends:
    """The past as `audit --history` walks it."""
    repository = git.open_repository(str(repo.path), os.environ)
    told = ranges.replay(repository, Settings(), "HEAD", since).trends
    assert told
    return told()


def _line(steps: list[Step]) -> list[Step]:
    """The steps of the main line, by first parents."""
    line = [len(steps) - 1]
    while steps[line[-1]].parents:
        line.append(steps[line[-1]].parents[0])
    return [steps[number] for number in reversed(line)]


def _stages(steps: list[Step]) -> list[tuple[datetime.datetime, dict[str, str]]]:
    """After each step of the main line the stage of each TASK, told by all files that stand then."""
    files: set[str] = set()
    told = []
    clock = steps[0].at
    for step in _line(steps):
        files = (files - step.removed) | step.written.keys()
        where = [path.split("/") for path in files if "/_lifecycle/" in path]
        # git keeps no fractions of a second, and no merge is made before what it merges.
        clock = max(clock, step.at.replace(microsecond=0))
        told.append((clock, {parts[3]: parts[2] for parts in where}))
    return told


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_past_is_that_of_the_main_line(make_repo: Callable[..., Repo], seed: int) -> None:
    steps = repositories.tell(60, seed)
    repo = make_repo()
    repositories.write(repo, steps)
    told, trends = _stages(steps), trends_of(repo)
    changed = [told[0], *(now for before, now in itertools.pairwise(told) if now[1] != before[1])]
    assert [sample.stages for sample in trends.samples if sample.stages] == [Counter(stages.values()) for _, stages in changed if stages]
    expected = []
    for task_name in {name for _, stages in told for name in stages}:
        lives = [(at, stages.get(task_name)) for at, stages in told]
        entered = [(at, now) for (_, before), (at, now) in zip([(None, None), *lives], lives, strict=False) if now != before]
        expected += [(left, stage, (left - at).total_seconds()) for (at, stage), (left, _) in itertools.pairwise(entered)]
    assert sorted((stay.left, stay.stage, stay.seconds) for stay in trends.stays) == sorted(expected)
    assert len(trends.times) == len(steps)


def test_what_stood_before_the_walk_began_has_no_beginning(make_repo: Callable[..., Repo]) -> None:
    steps = repositories.tell(40)
    repo = make_repo()
    repositories.write(repo, steps)
    half = _line(steps)[20].at
    whole, later = trends_of(repo), trends_of(repo, f"@{int(half.timestamp())}")
    assert later.samples[-1] == whole.samples[-1]
    assert 0 < len(later.times) < len(whole.times)
    assert {(stay.left, stay.stage, stay.seconds) for stay in later.stays} < {(stay.left, stay.stage, stay.seconds) for stay in whole.stays}


DAY = datetime.timedelta(days=1)
BEGIN = datetime.datetime(2026, 1, 7, 15, 30, tzinfo=datetime.UTC)


def shown(*stays: Stay, span: datetime.timedelta = DAY, samples: int = 2) -> dict[str, object]:
    times = [BEGIN + span * number / (samples - 1) for number in range(samples)]
    points = tuple(Sample(at, {"inbox": number}) for number, at in enumerate(times))
    trends = Trends(points, stays, {str(number): at for number, at in enumerate(times)})
    told = page_trends(replace(Report("audit", ()), trends=lambda: trends))
    assert told
    return told


@pytest.mark.parametrize(
    ("span", "unit", "start"),
    [
        (30 * DAY, "day", "2026-01-07"),
        (200 * DAY, "week", "2026-01-05"),
        (900 * DAY, "month", "2026-01-01"),
        (9000 * DAY, "year", "2026-01-01"),
    ],
)
def test_long_pasts_are_told_by_longer_periods(span: datetime.timedelta, unit: str, start: str) -> None:
    stays = [Stay(BEGIN + DAY / 24 * hour, "inbox", hour) for hour in (1, 2, 6)]
    told = shown(*stays, span=span)
    assert told["unit"] == unit
    assert told["stays"] == {"columns": ["inbox"], "rows": [[datetime.datetime.fromisoformat(f"{start}T00:00+00:00").timestamp(), 2]]}


def test_a_chart_has_few_points_and_the_last_one_is_true() -> None:
    told = shown(samples=5000)
    rows = told["open"]["rows"]  # type: ignore[index]
    assert 300 < len(rows) <= 402
    assert (rows[0][1], rows[-1]) == (0, [(BEGIN + DAY).timestamp(), 4999])


def test_without_a_history_there_is_none() -> None:
    assert page_trends(Report("audit", ())) is None


def test_a_history_without_commits_has_nothing_to_draw() -> None:
    told = page_trends(replace(Report("audit", ()), trends=Recorder().trends))
    assert told
    assert [told[chart]["rows"] for chart in ("open", "stays", "findings")] == [[], [], []]
