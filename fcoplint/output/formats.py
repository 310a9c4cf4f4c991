"""The formats by name: where each is written, and how it wants to be treated. A format is imported when it is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fcoplint.output.text import Paint
    from fcoplint.report import Report

Writer = Callable[["Report", "Paint"], str]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its module in this package, whose `write` makes text of a Report.

    `whole` says that it is a document, which is written even where there was nothing to look at; the others are lines of a
    log, and no line is better than an idle one.
    """

    module: str
    whole: bool
    what: str

    @property
    def write(self) -> Writer:
        """The function from a Report to text."""
        writer: Writer = import_module(f"fcoplint.output.{self.module}").write
        return writer


FORMATS = {
    "text": Format("text", False, "for people: each finding with its line, the reason, the remedy, the next command"),
    "concise": Format("concise", False, "one line a finding"),
    "json": Format("json", True, "one object, `fcoplint.report/1`; for agents and programs"),
    "ndjson": Format("ndjson", True, "one JSON object a line"),
    "sarif": Format("sarif", True, "SARIF 2.1.0, for code scanning"),
    "github": Format("github", False, "annotations of GitHub Actions"),
    "gitlab": Format("gitlab", True, "GitLab's code quality report"),
    "junit": Format("junit", True, "JUnit XML"),
    "azure": Format("azure", False, "log commands of Azure Pipelines"),
    "markdown": Format("markdown", False, "a table, for a step summary or a comment"),
    "html": Format("html", True, "a page for people: board, timelines, findings, trends; one file that asks nobody for anything"),
}


def suggest(name: str) -> str | None:
    """The format that a mistyped name most likely means."""
    return next(iter(difflib.get_close_matches(name.lower(), FORMATS, n=1, cutoff=0.5)), None)
