"""Runs the rules over snapshots and decides what is shown: selection, severity, introduced-only (design.md 4).

A rule that fails yields one FC000 and the others go on. Nothing here knows a format or a disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from fcoplint import catalogue
from fcoplint.checks.registry import ADDITIVE, OPTIONAL, Registered, all_rules
from fcoplint.findings import Finding
from fcoplint.globs import matcher
from fcoplint.model.change import Ancestors, Author, Change, Side, no_ancestors
from fcoplint.model.envelope import Envelope
from fcoplint.model.location import Location
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.report import CommitReference, Report, Reported, WorkspaceSummary
from fcoplint.settings import Settings
from fcoplint.source.history import Step
from fcoplint.source.snapshot import FilteredSnapshot, MemorySnapshot, Snapshot

# Findings about what could not be looked at are never selected away.
ALWAYS_ON = ("FC000", "FC001")


@dataclass(frozen=True, slots=True)
class Focus:
    """A part of a change: its paths, and the state after without that part. What is found there too is not its doing."""

    paths: frozenset[str]
    without: Snapshot

    def holds(self, finding: Finding) -> bool:
        """Whether a finding speaks of one of the paths, or of an envelope that bears the name of one."""
        stems = {path.rpartition("/")[2].removesuffix(".md") for path in self.paths}
        return (
            finding.location.path in self.paths
            or finding.subject in stems
            or any(item.location.path in self.paths for item in finding.related)
        )


def audit(snapshot: Snapshot, settings: Settings, top: str | None = None) -> Report:
    """The report of a whole state. `top` names the snapshot's root where that is a workspace itself."""
    state = _open(snapshot, Documents(), settings, top)
    for workspace in state:
        workspace.prefetch(workspace.envelopes)
    findings = _Run(settings).state(state)
    return _report("audit", [_reported(finding, state, settings) for finding in findings], state, settings)


def check(
    parents: Sequence[Snapshot],
    after: Snapshot,
    settings: Settings,
    *,
    show_older: bool = False,
    focus: Focus | None = None,
    ancestors: Sequence[Ancestors] = (),
    author: Author | None = None,
    signed: bool | None = None,
) -> Report:
    """The report of a change: what the state after has that none of its parents had (design.md 4, pitfall 18).

    `parents` are the states before: one for a commit, several for a merge, an empty snapshot for a first commit.
    `ancestors` tell the past of each parent, `author` and `signed` who made the change, where that is known. Where only a
    part of the change is asked for, `focus` says which.
    """
    documents = Documents()
    pasts = [*ancestors, *[no_ancestors] * (len(parents) - len(ancestors))]
    sides = [Side(_open(parent, documents, settings), past) for parent, past in zip(parents, pasts, strict=True)]
    law = [side.state for side in sides]
    state = _open(after, documents, settings, law=law)
    part = _Part(focus, _open(focus.without, documents, settings, law=law)) if focus else None
    new, old = _judge(_changes(sides, state, author, signed), state, _Run(settings), part)
    shown = [_reported(finding, state, settings) for finding in new]
    shown += [_reported(finding, state, settings, introduced=False) for finding in old if show_older]
    return _report("check", shown, state, settings, older=0 if show_older else len(old))


def check_commits(
    steps: Iterable[Step], settings: Settings, past: Callable[[str], Ancestors], *, whole: bool = True, command: str = "check"
) -> Report:
    """The report of many commits, each judged against its own parents; `past` gives the past of a commit by its id.

    All go by one configuration, so that two commits cannot do what one may not (design.md 7). With `whole` a commit answers
    for every fault it brings in, without only for what it does to what has landed.
    """
    documents, states = Documents(), _States()
    shown: list[Reported] = []
    state = Workspaces(_NOTHING, documents)
    law: list[Workspaces] = []
    for step in steps:
        commit = step.commit
        times = [commit.time, *(known.policy.now for parent in commit.parents if (known := states.get(parent)))]
        timed = replace(settings, policy=replace(settings.policy, now=max(times)))
        befores = [states.get(before.label) or _open(before, documents, timed) for before in step.before]
        law = law or befores if whole else befores
        state = _open(step.after, documents, timed, law=law)
        states.put(commit.oid, state)
        sides = [Side(before, past(parent)) for before, parent in zip(befores, commit.parents, strict=True)]
        sides = sides or [Side(Workspaces(_NOTHING, documents), no_ancestors)]
        changes = _changes(sides, state, Author(commit.author_name, commit.author_email), commit.signed)
        run = _Run(timed)
        new = _judge(changes, state, run)[0] if whole else run.changes(changes)
        reference = CommitReference(commit.oid, f"{commit.author_name} <{commit.author_email}>", commit.authored)
        shown.extend(_reported(finding, state, timed, commit=reference) for finding in new)
    return _report(command, shown, state, settings)


def unborn(command: str, settings: Settings) -> Report:
    """The report of a history that has not begun."""
    return replace(unchecked(command, "unborn", settings), unchecked=False)


def unchecked(command: str, reason: str, settings: Settings, **parameters: object) -> Report:
    """The report of a run that could not look at what it was asked about: one FC003, and exit code 3."""
    finding = Finding("FC003", Location(""), "", about=reason, message=reason, parameters=parameters)
    state = Workspaces(_NOTHING, Documents())
    return replace(_report(command, [_reported(finding, state, settings)], state, settings), unchecked=True)


def join(command: str, reports: Sequence[Report]) -> Report:
    """One report of several: the same finding about the same commit once, each workspace once."""
    shown = {(item.finding.fingerprint, item.finding.location, item.commit): item for report in reports for item in report.findings}
    return Report(
        command,
        tuple(sorted(shown.values(), key=lambda item: item.finding.sort_key)),
        tuple({workspace.root: workspace for report in reports for workspace in report.workspaces}.values()),
        tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        sum(report.older for report in reports),
        reports[0].fail_level if reports else Settings().fail_level,
        any(report.unchecked for report in reports),
    )


_NOTHING = MemorySnapshot(label="nothing")


class _States:
    """The states of the last commits, so that a commit's parent need not be opened again."""

    _KEPT = 32

    def __init__(self) -> None:
        self._by_oid: dict[str, Workspaces] = {}

    def get(self, oid: str) -> Workspaces | None:
        return self._by_oid.get(oid)

    def put(self, oid: str, state: Workspaces) -> None:
        self._by_oid[oid] = state
        if len(self._by_oid) > self._KEPT:
            del self._by_oid[next(iter(self._by_oid))]


def _open(
    snapshot: Snapshot, documents: Documents, settings: Settings, top: str | None = None, law: Iterable[Workspaces] = ()
) -> Workspaces:
    """The workspaces of a snapshot, without what the settings leave out; `law` are the states whose leader and rules bind it."""
    if settings.exclude:
        excluded = matcher(settings.exclude)
        snapshot = FilteredSnapshot(snapshot, lambda path: excluded(settings.prefix + path))
    fits = matcher(settings.workspaces)
    return Workspaces(snapshot, documents, top, settings.policy, lambda root: not settings.workspaces or fits(settings.prefix + root), law)


def _changes(sides: Sequence[Side], state: Workspaces, author: Author | None, signed: bool | None) -> list[Change]:
    """The change against each side before; the other sides of a merge are told to it."""
    return [
        Change(side.state, state, side.ancestors, (*sides[:number], *sides[number + 1 :]), author, signed)
        for number, side in enumerate(sides)
    ]


@dataclass(frozen=True, slots=True)
class _Part:
    """A focus with its state opened."""

    focus: Focus
    without: Workspaces


def _judge(changes: Sequence[Change], state: Workspaces, run: _Run, part: _Part | None = None) -> tuple[list[Finding], list[Finding]]:
    """(findings that the change brings in, findings that were there before) of the state after it."""
    changed = frozenset[str]().union(*(change.changed_paths for change in changes))
    for side in (state, *(change.before for change in changes)):
        _prefetch(side, changed)
    findings = run.state(state)
    before = Counter(finding.fingerprint for finding in run.state(part.without)) if part else Counter[str]()
    for change in changes:
        before |= Counter(_moved_along(finding, change).fingerprint for finding in run.state(change.before))
    # What a state before has already is not brought in, however strictly a rule of the change would judge it.
    of_change = [finding for finding in run.changes(changes) if not before[finding.fingerprint]]
    returned = {(pair.after.workspace.root, pair.after.stem) for change in changes for pair in change.returned if pair.is_same}
    new = [finding for finding in _excess(findings, before, changed) if (finding.workspace, finding.subject) not in returned]
    brought = {id(finding) for finding in new}
    old = [finding for finding in findings if id(finding) not in brought]
    if part:
        of_change = [finding for finding in of_change if part.focus.holds(finding)]
        old = [finding for finding in old if finding.location.path in part.focus.paths]
    return [*of_change, *_unsaid(new, of_change)], old


def _moved_along(finding: Finding, change: Change) -> Finding:
    """A finding of the state before as it would stand after: a workspace that moved takes its faults along."""
    root = change.moved.get(finding.workspace)
    return finding if root is None else replace(finding, workspace=root)


def _unsaid(new: list[Finding], of_change: list[Finding]) -> Iterator[Finding]:
    """The state's new findings without those that a finding of the change stands for.

    A rule may judge a fault more strictly where the change brought it in (the same fingerprint), or say all of it
    (`replaces`).
    """
    stricter = {finding.fingerprint for finding in of_change}
    replaced = {(code, finding.workspace, finding.subject) for finding in of_change for code in finding.replaces}
    for finding in new:
        if finding.fingerprint not in stricter and (finding.code, finding.workspace, finding.subject) not in replaced:
            yield finding


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
    _chosen: dict[tuple[str, str | None, int | None], list[Registered]] = field(default_factory=dict)

    def state(self, state: Workspaces) -> list[Finding]:
        found = list(self._apply("workspaces", state, ""))
        for workspace in state:
            found.extend(self._apply("workspace", workspace, workspace.manifest_path))
            for envelope in workspace.envelopes:
                found.extend(self._apply("envelope", envelope, envelope.path))
        return [finding for finding in found if self._is_wanted(finding)]

    def changes(self, changes: Sequence[Change]) -> list[Finding]:
        """The findings of a change; those of a merge once each, however many parents they stand against."""
        found = [[finding for finding in self._apply("change", change, "") if self._is_wanted(finding)] for change in changes]
        if len(found) == 1:
            return found[0]
        count = Counter(mark for findings in found for mark in {finding.fingerprint for finding in findings})
        once = {finding.fingerprint: finding for findings in reversed(found) for finding in reversed(findings)}
        return [finding for mark, finding in once.items() if finding.code not in ADDITIVE or count[mark] == len(found)]

    def _is_wanted(self, finding: Finding) -> bool:
        if not self._is_selected(finding.code):
            return False
        if finding.code in ALWAYS_ON or not self.settings.per_path_ignores:
            return True
        path = self.settings.prefix + finding.location.path
        return not any(finding.code.startswith(codes) and matcher([pattern])(path) for pattern, codes in self.settings.per_path_ignores)

    def _apply(self, subject: str, looked_at: Workspaces | Workspace | Envelope | Change, path: str) -> Iterator[Finding]:
        for rule in self._rules(subject, looked_at):
            try:
                yield from rule.check(looked_at)
            except Exception as error:  # noqa: BLE001 - whatever a rule does wrong, the others must still run
                yield _internal_error(rule, path, error)

    def _rules(self, subject: str, looked_at: object) -> list[Registered]:
        envelope = looked_at if isinstance(looked_at, Envelope) else None
        workspace = envelope.workspace if envelope else looked_at if isinstance(looked_at, Workspace) else None
        key = (subject, envelope.kind if envelope else None, workspace.version if workspace else None)
        if key not in self._chosen:
            self._chosen[key] = list(self._choose(*key))
        return self._chosen[key]

    def _choose(self, subject: str, kind: str | None, version: int | None) -> Iterator[Registered]:
        """The rules of the selection for one kind of subject, envelope type and protocol version (None: of any)."""
        for rule in all_rules():
            fits = rule.subject == subject and (kind is None or kind in rule.kinds) and (version is None or version in rule.versions)
            if fits and any(map(self._is_selected, rule.codes)):
                yield rule

    def _is_selected(self, code: str) -> bool:
        if code in ALWAYS_ON:
            return True
        if code in OPTIONAL and code not in self.settings.select:
            return False
        return _longest(self.settings.select, code, everything=not self.settings.select) > _longest(self.settings.ignore, code)


def _longest(prefixes: Iterable[str], code: str, *, everything: bool = False) -> int:
    """The length of the longest prefix that fits, -1 for none: the more exact selector wins."""
    fitting = [len(prefix) for prefix in prefixes if code.startswith(prefix)]
    return max(fitting, default=0 if everything else -1)


def _internal_error(rule: Registered, path: str, error: Exception) -> Finding:
    parameters = {"rule": rule.name, "codes": ", ".join(rule.codes), "error": f"{type(error).__name__}: {error}"}
    return Finding("FC000", Location(path), path, about=rule.name, parameters=parameters)


def _report(command: str, shown: Iterable[Reported], state: Workspaces, settings: Settings, older: int = 0) -> Report:
    return Report(
        command,
        tuple(sorted(shown, key=lambda item: item.finding.sort_key)),
        tuple(WorkspaceSummary(workspace.root, workspace.version, len(workspace.envelopes)) for workspace in state),
        state.notes,
        older,
        settings.fail_level,
    )


def _reported(
    finding: Finding, state: Workspaces, settings: Settings, *, introduced: bool = True, commit: CommitReference | None = None
) -> Reported:
    rule = catalogue.rule(finding.code)
    overrides = [(len(code), level) for code, level in settings.severity if finding.code.startswith(code)]
    severity = max(overrides)[1] if overrides else rule.severity[finding.when]
    return Reported(finding, rule, severity, introduced, state.source_line(finding.location), commit)
