"""What the page is tried on: the shipped example, awkward teams, and teams of any size."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from random import Random

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.output import html
from fcoplint.output.text import Paint
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support import repositories, teams
from tests.support.lives import community
from tests.support.repository import TEAM, Repo, run_tool

EXAMPLE = Path(__file__).parents[2] / "examples" / "team"
NOW = datetime.datetime(2026, 10, 12, 8, tzinfo=datetime.UTC)


def report_of(files: dict[str, str], rules: tuple[str, ...] = ()) -> Report:
    """The audit of a workspace `fcop` in memory, by all rules or some."""
    manifest = {"fcop/fcop.json": json.dumps(TEAM)} if files else {}
    contents = {path: text.encode() for path, text in {**manifest, **files}.items()}
    return engine.audit(MemorySnapshot(contents), Settings(policy=Policy(now=NOW), select=rules))


def page_of(files: dict[str, str], rules: tuple[str, ...] = ()) -> str:
    """The page of a workspace `fcop` in memory."""
    return html.write(report_of(files, rules), Paint(on=False))


def example() -> str:
    """The page of the shipped example, as its own folder shows it."""
    ran = run_tool("audit", "--format", "html", cwd=EXAMPLE, env={"FCOPLINT_NOW": NOW.isoformat()})
    return ran.out


def storied(folder: Path) -> str:
    """The page of a repository with a past, in which an event was rewritten."""
    repo = Repo.create(folder / "repo")
    steps, _ = repositories.forge(repositories.tell(150, 4), 60)
    repositories.write(repo, steps)
    return repo.run("audit", "--rev", "main", "--history", "--format", "html", env={"FCOPLINT_NOW": NOW.isoformat()}).out


def town(envelopes: int) -> dict[str, str]:
    """Lawful TASKs of one team with their REPORTs and REVIEWs, as many as make so many envelopes; some wear a fault."""
    random = Random(7)
    files: dict[str, str] = {}
    for life in community(random, envelopes, team=teams.TEAMS[0]):
        for path, text in life.files.items():
            if len(files) < envelopes:
                files[path] = text.replace("version: 1", "version: 1\npriority: soon") if random.random() < 0.2 else text
    return files
