"""What the page is tried on: the shipped example, awkward teams, and teams of any size."""

from __future__ import annotations

import datetime
import json
from random import Random

from fcoplint import engine
from fcoplint.model.policy import Policy
from fcoplint.output import html
from fcoplint.output.text import Paint
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support import teams
from tests.support.lives import community
from tests.support.repository import TEAM

NOW = datetime.datetime(2026, 10, 12, 8, tzinfo=datetime.UTC)


def report_of(files: dict[str, str], now: datetime.datetime = NOW) -> Report:
    """The audit of a workspace `fcop` in memory."""
    manifest = {"fcop/fcop.json": json.dumps(TEAM)} if files else {}
    return engine.audit(
        MemorySnapshot({path: text.encode() for path, text in {**manifest, **files}.items()}), Settings(policy=Policy(now=now))
    )


def page_of(files: dict[str, str], now: datetime.datetime = NOW) -> str:
    """The page of a workspace `fcop` in memory."""
    return html.write(report_of(files, now), Paint(on=False))


def town(envelopes: int) -> dict[str, str]:
    """Lawful TASKs of one team with their REPORTs and REVIEWs, as many as make so many envelopes; some wear a fault."""
    random = Random(7)
    files: dict[str, str] = {}
    for life in community(random, envelopes, team=teams.TEAMS[0]):
        for path, text in life.files.items():
            if len(files) < envelopes:
                files[path] = text.replace("version: 1", "version: 1\npriority: soon") if random.random() < 0.2 else text
    return files
