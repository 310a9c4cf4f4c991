"""What a run found, ready to be written in any format: findings with their severity, texts and rules."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fcoplint import words
from fcoplint.catalogue import Message, Rule
from fcoplint.findings import SEVERITIES, Finding
from fcoplint.language import ENGLISH
from fcoplint.model.location import Location
from fcoplint.source.snapshot import Note

if TYPE_CHECKING:
    from fcoplint.board import Board
    from fcoplint.trends import Trends

# What can excuse a finding: a comment beside it, a path of the configuration, the baseline.
SUPPRESSIONS = ("inline", "path", "baseline")
# The topic of notes that say what no file can show.
NOT_PROVABLE = "not-provable"
NOT_LOOKED_AT = frozenset({"FC000", "FC001"})


@dataclass(frozen=True, slots=True)
class CommitReference:
    """The commit that brought a finding in: its id, its author as `Name <e-mail>`, the author's date (ISO 8601)."""

    oid: str
    author: str
    date: str


@dataclass(frozen=True, slots=True)
class Suppression:
    """What excuses a finding: one of SUPPRESSIONS, the reason somebody wrote, and the comment's place."""

    kind: str
    reason: str = ""
    location: Location | None = None


@dataclass(frozen=True)
class Reported:
    """One finding with its rule: severity decided, texts rendered when asked.

    `source` is the line it points at; `commit` is set where commits were judged one by one, `suppression` where it is excused.
    `version` is the protocol version of the workspace it is about, None where it is about none.
    """

    finding: Finding
    rule: Rule
    severity: str
    introduced: bool
    source: str | None
    commit: CommitReference | None = None
    suppression: Suppression | None = None
    version: int | None = None

    @property
    def protocol_error(self) -> str | None:
        """The stable code that FCoP 4 gives this fault; None in older workspaces, and where the protocol has none."""
        if self.version not in (0, 4):
            return None
        errors = self.rule.protocol_errors
        return errors.get(self.finding.message) or errors.get("")

    @functools.cached_property
    def message(self) -> str:
        """What is wrong, in one sentence."""
        return self._render(self._template.text, words.told(self.rule.lang, self.finding.parameters))

    @functools.cached_property
    def help(self) -> str:
        """How to put it right; "" where the message says all."""
        return self._render(self._template.help, words.told(self.rule.lang, self.finding.parameters))

    @functools.cached_property
    def next(self) -> tuple[str, ...]:
        """The next command to type, as words; empty where there is none."""
        return tuple(self._render(word, self.finding.parameters) for word in self._template.next)

    @property
    def _template(self) -> Message:
        return self.rule.messages[self.finding.message]

    def _render(self, template: str, parameters: Mapping[str, object]) -> str:
        location = self.finding.location
        implied = {"path": location.path, "subject": self.finding.subject, "workspace": self.finding.workspace or "."}
        return template.format_map({**implied, **parameters})


@dataclass(frozen=True)
class WorkspaceSummary:
    """One workspace that was looked at: its folder, protocol version, and how many envelopes it holds."""

    root: str
    version: int
    envelopes: int


@dataclass(frozen=True)
class Report:
    """The outcome of one run.

    `older` counts findings that the change did not bring in and that are not listed; `unchecked` says that something that
    was asked about could not be looked at. `suppressed` are findings that are excused, `older_suppressed` counts those of them
    that are not listed, by what excuses them. `base` leads from the repository's root to what the paths are relative to.
    `fixed` counts files that were put right in the working tree, and stand as they were in what is staged.
    `board` makes the team's work for formats that show it, `trends` how it went where a history was walked.
    `lang` is the language of the messages.
    """

    command: str
    findings: tuple[Reported, ...]
    workspaces: tuple[WorkspaceSummary, ...] = ()
    notes: tuple[Note, ...] = ()
    older: int = 0
    fail_level: str = "error"
    unchecked: bool = False
    suppressed: tuple[Reported, ...] = ()
    older_suppressed: Mapping[str, int] = field(default_factory=dict)
    base: str = ""
    fixed: int = 0
    board: Callable[[], Board] | None = field(default=None, compare=False)
    trends: Callable[[], Trends] | None = field(default=None, compare=False)
    lang: str = ENGLISH

    @property
    def suppressions(self) -> dict[str, int]:
        """How many findings are excused, listed or not, by what excuses them."""
        seen = Counter(item.suppression.kind for item in self.suppressed if item.suppression) + Counter(self.older_suppressed)
        return {kind: seen[kind] for kind in SUPPRESSIONS}

    @property
    def worst_first(self) -> list[Reported]:
        """The findings by severity, and within one in their order."""
        return sorted(self.findings, key=lambda item: -SEVERITIES.index(item.severity))

    @property
    def statistics(self) -> dict[str, int]:
        """How many findings of each rule."""
        return dict(sorted(Counter(item.rule.code for item in self.findings).items()))

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that the findings name, by code."""
        named = {item.rule.code: item.rule for item in (*self.findings, *self.suppressed)}
        return dict(sorted(named.items()))

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity, worst first."""
        seen = Counter(item.severity for item in self.findings)
        return {severity: seen[severity] for severity in reversed(SEVERITIES)}

    @property
    def exit_code(self) -> int:
        """0 nothing at or above the fail level, 1 findings, 3 something could not be looked at (design.md 6)."""
        if self.unchecked or any(item.rule.code in NOT_LOOKED_AT for item in self.findings):
            return 3
        least = SEVERITIES.index(self.fail_level)
        return int(self.fixed > 0 or any(SEVERITIES.index(item.severity) >= least for item in self.findings))
