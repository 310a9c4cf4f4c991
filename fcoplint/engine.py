"""Runs the rules over snapshots and decides what is shown: selection, severity, introduced-only (design.md 4).

A rule that fails yields one FC000 and the others go on. Nothing here knows a format or a disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcoplint import catalogue
from fcoplint.checks.registry import Registered, all_rules
from fcoplint.findings import Finding
from fcoplint.model.change import Change
from fcoplint.model.envelope import Envelope
from fcoplint.model.location import Location
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.report import Report, Reported, WorkspaceSummary
from fcoplint.settings import Settings
from fcoplint.source.snapshot import Snapshot

# Findings about what could not be looked at are never selected away.
ALWAYS_ON = ("FC000", "FC001")


def audit(snapshot: Snapshot, settings: Settings, top: str | None = None) -> Report:
    """The report of a whole state. `top` names the snapshot's root where that is a workspace itself."""
    state = Workspaces(snapshot, Documents(), top, settings.policy)
    for workspace in state:
        workspace.prefetch(workspace.envelopes)
    findings = _Run(settings).state(state)
    return _report("audit", [(finding, True) for finding in findings], state, settings)


def check(parents: Sequence[Snapshot], after: Snapshot, settings: Settings, *, show_older: bool = False) -> Report:
    """The report of a change: what the state after has that none of its parents had (design.md 4, pitfall 18).

    `parents` are the states before: one for a commit, several for a merge, an empty snapshot for a first commit.
    """
    documents = Documents()
    states_before = [Workspaces(parent, documents, policy=settings.policy) for parent in parents]
    state = Workspaces(after, documents, policy=settings.policy, law=states_before)
    run = _Run(settings)
    changes = [Change(before, state) for before in states_before]
    changed = frozenset[str]().union(*(change.changed_paths for change in changes))
    _prefetch(state, changed)
    findings = run.state(state)
    before = Counter[str]()
    for change in changes:
        _prefetch(change.before, changed)
        before |= Counter(finding.fingerprint for finding in run.state(change.before))
    of_change = [finding for change in changes for finding in run.change(change)]
    new = _excess(findings, before, changed)
    old = [finding for finding in findings if finding not in new]
    # A rule may judge a fault more strictly where the change brought it in: its finding then stands for the state's.
    stricter = {finding.fingerprint for finding in of_change}
    shown = [(finding, True) for finding in (*of_change, *(item for item in new if item.fingerprint not in stricter))]
    shown += [(finding, False) for finding in old if show_older]
    return _report("check", shown, state, settings, older=0 if show_older else len(old))


def _prefetch(state: Workspaces, paths: frozenset[str]) -> None:
    for workspace in state:
        workspace.prefetch(envelope for envelope in workspace.envelopes if envelope.path in paths)


def _excess(findings: list[Finding], before: Counter[str], changed: frozenset[str]) -> list[Finding]:
    """The findings that are more than `before` held: of equal ones, those on changed paths first."""
    left = Counter(before)
    new = []
    for finding in sorted(findings, key=lambda finding: (finding.location.path in changed, finding.sort_key)):
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return new


@dataclass(frozen=True)
class _Run:
    """One run's rules: those of the selection, applied to states and changes."""

    settings: Settings

    def state(self, state: Workspaces) -> list[Finding]:
        found = list(self._apply("workspaces", state, ""))
        for workspace in state:
            found.extend(self._apply("workspace", workspace, workspace.manifest_path))
            for envelope in workspace.envelopes:
                found.extend(self._apply("envelope", envelope, envelope.path))
        return [finding for finding in found if self._is_selected(finding.code)]

    def change(self, change: Change) -> list[Finding]:
        return [finding for finding in self._apply("change", change, "") if self._is_selected(finding.code)]

    def _apply(self, subject: str, looked_at: Workspaces | Workspace | Envelope | Change, path: str) -> Iterator[Finding]:
        for rule in self._rules(subject, looked_at):
            try:
                yield from rule.check(looked_at)
            except Exception as error:  # noqa: BLE001 - whatever a rule does wrong, the others must still run
                yield _internal_error(rule, path, error)

    def _rules(self, subject: str, looked_at: object) -> Iterator[Registered]:
        for rule in all_rules():
            if rule.subject != subject or not any(map(self._is_selected, rule.codes)):
                continue
            if isinstance(looked_at, Envelope):
                if looked_at.kind in rule.kinds and looked_at.workspace.version in rule.versions:
                    yield rule
            elif not isinstance(looked_at, Workspace) or looked_at.version in rule.versions:
                yield rule

    def _is_selected(self, code: str) -> bool:
        if code in ALWAYS_ON:
            return True
        return _longest(self.settings.select, code, everything=not self.settings.select) > _longest(self.settings.ignore, code)


def _longest(prefixes: Iterable[str], code: str, *, everything: bool = False) -> int:
    """The length of the longest prefix that fits, -1 for none: the more exact selector wins."""
    fitting = [len(prefix) for prefix in prefixes if code.startswith(prefix)]
    return max(fitting, default=0 if everything else -1)


def _internal_error(rule: Registered, path: str, error: Exception) -> Finding:
    parameters = {"rule": rule.name, "codes": ", ".join(rule.codes), "error": f"{type(error).__name__}: {error}"}
    return Finding("FC000", Location(path), path, about=rule.name, parameters=parameters)


def _report(command: str, findings: list[tuple[Finding, bool]], state: Workspaces, settings: Settings, older: int = 0) -> Report:
    ordered = sorted(findings, key=lambda pair: pair[0].sort_key)
    return Report(
        command,
        tuple(_reported(finding, introduced, state) for finding, introduced in ordered),
        tuple(WorkspaceSummary(workspace.root, workspace.version, len(workspace.envelopes)) for workspace in state),
        state.notes,
        older,
        settings.fail_level,
    )


def _reported(finding: Finding, introduced: bool, state: Workspaces) -> Reported:
    rule = catalogue.rule(finding.code)
    return Reported(finding, rule, rule.severity[finding.when], introduced, state.source_line(finding.location))
