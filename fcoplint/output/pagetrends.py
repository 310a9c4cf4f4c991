"""How the work went, in few enough points for a chart: open work, how long TASKs stood in each stage, what commits brought in."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import Any

from fcoplint.findings import SEVERITIES
from fcoplint.protocol.stages import OPEN_STAGES, STAGES
from fcoplint.report import Report
from fcoplint.status import OPEN
from fcoplint.trends import Sample, Trends

# A chart has no more points than a screen has room for.
_POINTS = 400
_DAY = datetime.timedelta(days=1)
# The longest time that is told by days, by weeks, by months; what is longer, by years.
_SPANS = ((62 * _DAY, "day"), (730 * _DAY, "week"), (20 * 365 * _DAY, "month"))


def page_trends(report: Report) -> dict[str, Any] | None:
    """The tables of the charts, each row beginning with its time in seconds; None where no history was walked."""
    trends = report.trends() if report.trends else None
    if trends is None:
        return None
    times = [*trends.times.values()]
    unit = _unit(max(times) - min(times)) if times else "day"
    stages = [stage for stage in (OPEN, *OPEN_STAGES) if any(stage in sample.stages for sample in trends.samples)]
    left = [stage for stage in (OPEN, *STAGES) if any(stay.stage == stage for stay in trends.stays)]
    return {
        "unit": unit,
        "commits": len(times),
        "open": {"columns": stages, "rows": [_open(sample, stages) for sample in _thin(trends.samples)]},
        "stays": {"columns": left, "rows": _stays(trends, left, unit)},
        "findings": {"columns": list(reversed(SEVERITIES)), "rows": _findings(report, trends, unit)},
    }


def _open(sample: Sample, stages: Iterable[str]) -> list[float]:
    return [sample.at.timestamp(), *(sample.stages.get(stage, 0) for stage in stages)]


def _thin(samples: tuple[Sample, ...]) -> list[Sample]:
    """The last sample of each of equal stretches of time, and the first of all."""
    if not samples:
        return []
    first, whole = samples[0].at, samples[-1].at - samples[0].at
    by_slot = {int((sample.at - first) / whole * _POINTS) if whole else 0: sample for sample in samples}
    return [samples[0], *(sample for sample in by_slot.values() if sample is not samples[0])]


def _stays(trends: Trends, stages: list[str], unit: str) -> list[list[float | None]]:
    """By period, for each stage the median time (seconds) that the TASKs which left it then had stood in it."""
    found: dict[datetime.datetime, dict[str, list[float]]] = {}
    for stay in trends.stays:
        found.setdefault(_start(stay.left, unit), {}).setdefault(stay.stage, []).append(stay.seconds)
    return [
        [period.timestamp(), *(median(seen[stage]) if stage in seen else None for stage in stages)]
        for period, seen in sorted(found.items())
    ]


def _findings(report: Report, trends: Trends, unit: str) -> list[list[float]]:
    """By period, how many findings of each severity its commits brought in."""
    found: dict[datetime.datetime, Counter[str]] = {}
    for item in report.findings:
        at = trends.times.get(item.commit.oid) if item.commit else None
        if at:
            found.setdefault(_start(at, unit), Counter())[item.severity] += 1
    return [[period.timestamp(), *(seen[severity] for severity in reversed(SEVERITIES))] for period, seen in sorted(found.items())]


def _unit(span: datetime.timedelta) -> str:
    return next((unit for longest, unit in _SPANS if span <= longest), "year")


def _start(moment: datetime.datetime, unit: str) -> datetime.datetime:
    """The first instant (UTC) of the period that a moment lies in."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - day.weekday() * _DAY
    if unit == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit == "year" else day
