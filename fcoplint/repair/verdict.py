"""Whether a planned write would bring in what the rules forbid: the rules' own word, and no second set of them (design.md 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fcoplint import engine
from fcoplint.model.change import Author
from fcoplint.outcome import Refusal
from fcoplint.repair.scene import Scene
from fcoplint.report import Report, Reported
from fcoplint.source import git
from fcoplint.source.snapshot import MemorySnapshot, Snapshot

# What only a later envelope can answer.
_ANSWERED_LATER = frozenset({"FC606"})
# A root that cannot be told: nothing is written there (roots.md 5d, 1).
_ROOT_CODES = ("FC701", "FC702", "FC726")


class Judge:
    """The findings of a project as it is, to hold those of a planned state against."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._before: Snapshot = scene.head or (scene.now if scene.repository is None else MemorySnapshot(label="nothing"))
        self.report = self._check(scene.now)

    def unsafe_root(self, workspace: str) -> Refusal | None:
        """Why nothing may be written in a workspace because the project's root cannot be told."""
        found = [item for item in self.report.findings if item.rule.code in _ROOT_CODES and item.severity == "error"]
        found = [item for item in found if item.finding.workspace in ("", workspace) or item.rule.code == "FC726"]
        return refuse("ambiguous-root", found) if found else None

    def faults_of(self, subjects: Iterable[str], contracts: frozenset[str]) -> list[Reported]:
        """The errors that are there already about some envelopes, of some of the contracts."""
        wanted = set(subjects)
        errors = (item for item in self.report.worst_first if item.severity == "error")
        return [item for item in errors if item.finding.subject in wanted and item.rule.contract in contracts]

    def brought_in(self, after: Snapshot, moved: Mapping[str, str] | None = None) -> list[Reported]:
        """What a planned state has and the present one has not; `moved` says where workspaces went, which take their faults along."""
        left = Counter(_mark(item, moved or {}) for item in self.report.findings)
        fresh = []
        for item in self._check(after).worst_first:
            if left[_mark(item)] > 0:
                left[_mark(item)] -= 1
            else:
                fresh.append(item)
        return fresh

    def _check(self, after: Snapshot) -> Report:
        return engine.check([self._before], after, self._scene.settings, show_older=True, author=self._author)

    @property
    def _author(self) -> Author | None:
        """Who will commit it; asked only where somebody is bound by it."""
        repository = self._scene.repository
        if repository is None or not self._scene.settings.policy.actors:
            return None
        said = git.author_of_next_commit(repository)
        return Author(*said) if said else None


def forbidden(found: Iterable[Reported], subject: str) -> list[Reported]:
    """Of new findings those that forbid the write: every error, and warnings about the envelope that is written."""
    return [item for item in found if item.severity == "error" or (item.severity == "warning" and _forbids(item, subject))]


def _forbids(item: Reported, subject: str) -> bool:
    return item.finding.subject == subject and item.rule.code not in _ANSWERED_LATER


def refuse(reason: str, found: list[Reported]) -> Refusal:
    """A refusal in the words of the rules that forbid it."""
    first = found[0]
    help_first = (first.help,) if first.help else ()
    further = tuple(f"{item.rule.code}: {item.message}" for item in found[1:])
    return Refusal(reason, f"{first.rule.code}: {first.message}", (*help_first, *further), ("fcoplint", "explain", first.rule.code))


def remarks(found: Iterable[Reported]) -> Iterator[str]:
    """What a write brings in and may bring in."""
    return (f"{item.rule.code} ({item.severity}): {item.message}" for item in found)


def _mark(item: Reported, moved: Mapping[str, str] | None = None) -> tuple[str, str]:
    finding = item.finding
    root = (moved or {}).get(finding.workspace)
    return (finding if root is None else replace(finding, workspace=root)).fingerprint, item.severity
