"""Runs the rules over snapshots and decides what is shown: selection, severity, introduced-only (design.md 4).

A rule that fails yields one FC000 and the others go on. Nothing here knows a format or a disk.
"""

from __future__ import annotations

import datetime
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from fcoplint import catalogue, suppress
from fcoplint.checks.registry import ADDITIVE, OF_CHANGED, OPTIONAL, Registered, all_rules
from fcoplint.findings import Finding, on
from fcoplint.globs import matcher
from fcoplint.language import ENGLISH, first_known
from fcoplint.model.change import Ancestors, Author, Change, Side, no_ancestors
from fcoplint.model.envelope import Envelope
from fcoplint.model.location import Location
from fcoplint.model.message import Message
from fcoplint.model.reach import find_spared
from fcoplint.model.surroundings import Surroundings
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.protocol import v4
from fcoplint.protocol.places import KEEPER
from fcoplint.report import NOT_PROVABLE, CommitReference, Report, Reported, Suppression, WorkspaceSummary
from fcoplint.settings import Settings
from fcoplint.source.history import Step
from fcoplint.source.snapshot import FilteredSnapshot, MemorySnapshot, Note, OverlaySnapshot, Snapshot, Unreadable

if TYPE_CHECKING:
    from fcoplint.board import Board
    from fcoplint.trends import Recorder

# A list of much work, passed on as it is; whoever waits can be told how far it got.
Watch = Callable[[list[Envelope]], Iterable[Envelope]]
_ROOTS = "FC7"
# What a rule of a state looks at; of the others none speaks in an audit.
_STATE_SUBJECTS = ("workspaces", "workspace", "envelope")


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


def audit(
    snapshot: Snapshot,
    settings: Settings,
    top: str | None = None,
    *,
    taken: bool = False,
    watch: Watch = iter,
    documents: Documents | None = None,
) -> Report:
    """The report of a whole state. `top` names the snapshot's root where that may be a workspace itself, `taken` where it is.

    Who audits many states hands in their common `documents`: what two states share is parsed once.
    """
    state = _open(snapshot, documents or Documents(), settings, top, taken=taken)
    for workspace in state:
        workspace.prefetch(workspace.envelopes)
    run = _Run(settings, watch)
    excuses = run.excuses(state)
    split = excuses.split_state(run.state(state))
    allowance = suppress.Allowance(settings)
    judged = _accept(_Judged(split.open, [], [_Excused(*excused, True) for excused in split.excused]), allowance)
    is_whole = run.is_judged("FC002") and not _is_partial(settings, split.all)
    idle = [*excuses.idle_paths(), *allowance.idle(state, run.is_judged)] if is_whole else []
    report = _report("audit", _Judged([*judged.new, *idle], [], judged.excused), state, settings)
    return replace(report, notes=(*report.notes, *_not_provable(state)))


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
    part of the change is asked for, `focus` says which. In a large workspace only what the change can affect is read, and
    older findings are counted there alone; with `show_older` all is read.
    """
    documents = Documents()
    pasts = [*ancestors, *[no_ancestors] * (len(parents) - len(ancestors))]
    wholes = [_open(snapshot, documents, settings) for snapshot in (*parents, *([focus.without] if focus else []), after)]
    spared = frozenset[str]() if show_older else find_spared(wholes)
    befores = [_open(_leave_out(parent, spared), documents, settings) for parent in parents] if spared else wholes[: len(parents)]
    sides = [Side(before, past) for before, past in zip(befores, pasts, strict=True)]
    law = [side.state for side in sides]
    state = _open(_leave_out(after, spared), documents, settings, law=law)
    part = _Part(focus, _open(_leave_out(focus.without, spared), documents, settings, law=law)) if focus else None
    judged = _judge(_changes(sides, state, author, signed), state, _Run(settings), part)
    report = _report("check", _accept(judged, suppress.Allowance(settings)), state, settings, show_older=show_older)
    whole = wholes[-1]
    return replace(report, workspaces=_summaries(whole), notes=(*report.notes, *_unread(spared)), board=functools.partial(_board, whole))


def _unread(spared: frozenset[str]) -> Iterator[Note]:
    if spared:
        yield Note("spared", "envelopes that this change cannot affect, not judged anew: {} (--all judges all)", detail=str(len(spared)))


def _leave_out(snapshot: Snapshot, spared: frozenset[str]) -> Snapshot:
    """A state without the spared envelopes; their folders stay, kept as people keep an empty folder in git."""
    if not spared:
        return snapshot
    kept = {f"{path.rpartition('/')[0]}/{KEEPER}" for path in spared} - snapshot.entries.keys()
    return OverlaySnapshot(snapshot, {**dict.fromkeys(spared), **dict.fromkeys(kept, b"")})


def check_commits(
    steps: Iterable[Step],
    settings: Settings,
    past: Callable[[str], Ancestors],
    *,
    start: Snapshot | None = None,
    command: str = "check",
    recorder: Recorder | None = None,
) -> Report:
    """The report of many commits, each judged against its own parents; `past` gives the past of a commit by its id.

    With `start`, the state before them all, a commit answers for every fault it brings in, and all go by the leader and the
    rules of that state, so that two commits cannot do what one may not (design.md 7). Without, each goes by its own parents,
    and answers only for what it does to what has landed. `recorder` is told of each commit.
    """
    documents, states, run = Documents(), _States(), _Run(settings)
    law = [_open(start, documents, settings)] if start else []
    shown: list[Reported] = []
    suppressed: list[Reported] = []
    allowance = suppress.Allowance(settings)
    state = Workspaces(_NOTHING, documents)
    for step in steps:
        commit = step.commit
        times = [commit.time, *(known.policy.now for parent in commit.parents if (known := states.get(parent)))]
        run = run.at(max(times))
        befores = [states.get(before.label) or _open(before, documents, run.settings) for before in step.before]
        state = _open(step.after, documents, run.settings, law=law or befores)
        if start and any(workspace.law is None and workspace.declared_roles for workspace in state):
            # The first word on a workspace that was not there at the start binds those that come after it.
            law = [*law, state]
        states.put(commit.oid, state)
        if recorder:
            recorder.see(commit, befores[0] if befores else None, state)
        sides = [Side(before, past(parent)) for before, parent in zip(befores, commit.parents, strict=True)]
        sides = sides or [Side(Workspaces(_NOTHING, documents), no_ancestors)]
        author = None if commit.is_squashed else Author(commit.author_name, commit.author_email)
        changes = _changes(sides, state, author, commit.signed)
        judged = _judge_commit(changes, state, run, allowance, whole=start is not None)
        reference = CommitReference(commit.oid, f"{commit.author_name} <{commit.author_email}>", commit.authored)
        shown.extend(_reported(finding, state, run.settings, commit=reference) for finding in judged.new)
        suppressed.extend(
            _reported(item.finding, state, run.settings, commit=reference, suppression=item.suppression)
            for item in judged.excused
            if item.introduced
        )
    report = _report(command, _Judged(), state, settings)
    told = recorder.trends if recorder else None
    whole = replace(report, findings=_in_order(shown), suppressed=_in_order(suppressed), trends=told)
    return _in_language(whole, report.lang)


def _judge_commit(changes: Sequence[Change], state: Workspaces, run: _Run, allowance: suppress.Allowance, *, whole: bool) -> _Judged:
    """What a commit brings in; without `whole` what the change alone does. That a first commit has no past is no finding."""
    if whole and all(change.touches_workspaces for change in changes):
        # A state holds all that was accepted; of the past, each commit brings its own.
        judged = _accept(_judge(changes, state, run), suppress.Allowance(run.settings))
    else:
        _prefetch(state, changes)
        judged = run.history(changes, state, allowance)
        judged.new.extend(_missing(changes))
    return replace(judged, new=[finding for finding in judged.new if finding.code != "FC003"])


def _missing(changes: Sequence[Change]) -> Iterator[Finding]:
    """What the change brought and git does not have: whatever was asked of it, it was not looked at."""
    touched = {envelope.path: envelope for change in changes for envelope in change.touched()}
    for envelope in touched.values():
        content = envelope.content
        if isinstance(content, Unreadable) and content.reason == _LOST:
            yield on(envelope, "FC001", envelope.file, about=_LOST, message=_LOST, detail=content.detail)


def check_message(text: str, snapshot: Snapshot, settings: Settings, *, comment: str) -> Report:
    """The report of a commit's message; the snapshot is what will be committed."""
    state = _open(snapshot, Documents(), settings)
    return _report("check", _Judged(_Run(settings).message(Message(text, state, comment))), state, settings)


def is_selected(settings: Settings, code: str) -> bool:
    """Whether a rule's findings are wanted."""
    return _Run(settings).selects(code)


def is_judged(settings: Settings, code: str, *, history: bool) -> bool:
    """Whether a run finds all that a rule has to say: of the state, and with `history` of the changes that led to it."""
    run = _Run(settings)
    return code not in catalogue.rule_files() or run.is_judged(code) or (history and run.selects(code))


def unborn(command: str, settings: Settings) -> Report:
    """The report of a history that has not begun."""
    return replace(unchecked(command, "unborn", settings), unchecked=False)


def unchecked(command: str, reason: str, settings: Settings, **parameters: object) -> Report:
    """The report of a run that could not look at what it was asked about: one FC003, and exit code 3."""
    finding = Finding("FC003", Location(""), "", about=reason, message=reason, parameters=parameters)
    state = Workspaces(_NOTHING, Documents())
    return replace(_report(command, _Judged([finding]), state, settings), unchecked=True)


def join(command: str, reports: Sequence[Report]) -> Report:
    """One report of several: the same finding about the same commit once, each workspace once."""
    joined = Report(
        command,
        _once(item for report in reports for item in report.findings),
        tuple({workspace.root: workspace for report in reports for workspace in report.workspaces}.values()),
        tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        sum(report.older for report in reports),
        reports[0].fail_level if reports else Settings().fail_level,
        any(report.unchecked for report in reports),
        _once(item for report in reports for item in report.suppressed),
        sum((Counter(report.older_suppressed) for report in reports), Counter[str]()),
        board=next((report.board for report in reports if report.workspaces), None),
        trends=next((report.trends for report in reports if report.trends), None),
    )
    return _in_language(joined, reports[0].lang if reports else ENGLISH)


def _once(items: Iterable[Reported]) -> tuple[Reported, ...]:
    return _in_order({(item.finding.fingerprint, item.finding.location, item.commit): item for item in items}.values())


_NOTHING = MemorySnapshot(label="nothing")
_LOST = "missing-object"


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
    snapshot: Snapshot,
    documents: Documents,
    settings: Settings,
    top: str | None = None,
    law: Iterable[Workspaces] = (),
    *,
    taken: bool = False,
) -> Workspaces:
    """The workspaces of a snapshot, without what the settings leave out; `law` are the states whose leader and rules bind it."""
    if settings.exclude:
        excluded = matcher(settings.exclude)
        snapshot = FilteredSnapshot(snapshot, lambda path: excluded(settings.prefix + path))
    fits = matcher(settings.workspaces)

    def is_wanted(root: str) -> bool:
        return not settings.workspaces or fits(settings.prefix + root)

    passed_by = matcher(settings.roots_ignore)
    surroundings = Surroundings(settings.ground, lambda path: passed_by(settings.prefix + path))
    return Workspaces(snapshot, documents, top, settings.policy, is_wanted, law, surroundings, taken=taken)


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


@dataclass(frozen=True, slots=True)
class _Excused:
    """A finding that does not count, what excuses it, and whether the change brought it in."""

    finding: Finding
    suppression: Suppression
    introduced: bool


@dataclass(frozen=True, slots=True)
class _Judged:
    """Findings that the change brings in, findings that were there before, and those that are excused."""

    new: list[Finding] = field(default_factory=list)
    old: list[Finding] = field(default_factory=list)
    excused: list[_Excused] = field(default_factory=list)


def _judge(changes: Sequence[Change], state: Workspaces, run: _Run, part: _Part | None = None) -> _Judged:
    """What a change makes of the state after it."""
    changed = frozenset[str]().union(*(change.changed_paths for change in changes))
    for side in (state, *([part.without] if part else []), *(change.before for change in changes)):
        for workspace in side:
            workspace.prefetch(workspace.envelopes)
    split = run.split(state)
    before = _Before()
    if part:
        before.add(run.split(part.without))
    for change in changes:
        before.add(run.split(change.before), change)
    # What a state before has already is not brought in, however strictly a rule of the change would judge it.
    of_change = run.excuses(state).split(finding for finding in run.changes(changes) if not before.open[finding.fingerprint])
    new, old = _excess(split.open, before.open, changed)
    # What comes back as it had left brings in nothing that was not there when it left.
    returned = {(pair.after.workspace.root, pair.after.stem) for change in changes for pair in change.returned if pair.is_same}
    back = {id(item) for item in split.all if (item.workspace, item.subject) in returned and not _is_of_this_run(item)}
    old += [finding for finding in new if id(finding) in back]
    new = [finding for finding in new if id(finding) not in back]
    # What was excused before and is no more is new; what is excused now is new only where it was not there at all.
    new_excused, _ = _excess([finding for finding, _ in split.excused], before.all, changed)
    fresh = {id(finding) for finding in new_excused} - back
    excused = [_Excused(finding, why, introduced=id(finding) in fresh) for finding, why in split.excused]
    excused += [_Excused(finding, why, introduced=True) for finding, why in of_change.excused]
    brought = of_change.open
    if part:
        brought = [finding for finding in brought if part.focus.holds(finding)]
        old = [finding for finding in old if finding.location.path in part.focus.paths]
        excused = [item for item in excused if part.focus.holds(item.finding)]
    return _Judged([*brought, *_unsaid(new, brought)], old, excused)


class _Before:
    """How often each fault was there before: of several states before, as often as in the one that has most."""

    def __init__(self) -> None:
        self.open = Counter[str]()
        self.all = Counter[str]()

    def add(self, split: suppress.Split, change: Change | None = None) -> None:
        """Add a state before; where it is a change's, a workspace that moved takes its faults along."""
        self.open |= Counter(_moved_along(finding, change).fingerprint for finding in split.open)
        self.all |= Counter(_moved_along(finding, change).fingerprint for finding in split.all)


def _accept(judged: _Judged, allowance: suppress.Allowance) -> _Judged:
    """What is left once the baseline has accepted what it accepts, older findings first: a second equal fault is new."""
    kept = _Judged(excused=list(judged.excused))
    for findings, rest, introduced in ((judged.old, kept.old, False), (judged.new, kept.new, True)):
        for finding in findings:
            suppression = allowance.take(finding)
            if suppression:
                kept.excused.append(_Excused(finding, suppression, introduced))
            else:
                rest.append(finding)
    return kept


def _is_partial(settings: Settings, findings: Iterable[Finding]) -> bool:
    """Whether less was looked at than the settings speak of, so that none of them can be called unused."""
    prefix = settings.prefix or (settings.baseline.prefix if settings.baseline else "")
    return bool(prefix or settings.workspaces) or any(finding.code in suppress.ALWAYS_ON for finding in findings)


def _moved_along(finding: Finding, change: Change | None) -> Finding:
    """A finding of the state before as it would stand after."""
    root = change.moved.get(finding.workspace) if change else None
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


def _prefetch(state: Workspaces, changes: Sequence[Change]) -> None:
    """Read in one stream what each side of a change has and another has not."""
    paths = frozenset[str]().union(*(change.changed_paths for change in changes))
    stems = {path.rpartition("/")[2].removesuffix(".md") for path in paths}
    for side in (state, *(change.before for change in changes)):
        for workspace in side:
            workspace.prefetch(envelope for stem in stems for envelope in workspace.named(stem) if envelope.path in paths)


def _excess(findings: list[Finding], before: Counter[str], changed: frozenset[str]) -> tuple[list[Finding], list[Finding]]:
    """(findings that are more than `before` held, the others): of equal ones, those on changed paths are the newer."""
    left = Counter(before)
    new, old = [], []
    for finding in sorted(findings, key=lambda finding: (finding.location.path in changed, finding.sort_key)):
        if left[finding.fingerprint] > 0 and not _is_of_this_run(finding):
            left[finding.fingerprint] -= 1
            old.append(finding)
        elif finding.code in OF_CHANGED and finding.location.path not in changed:
            old.append(finding)
        else:
            new.append(finding)
    return new, old


def _is_of_this_run(finding: Finding) -> bool:
    """Whether a finding tells what could not be done here and now: that was so before, too, and still nobody looked."""
    return finding.code == "FC000" or (finding.code == "FC001" and finding.message == _LOST)


@dataclass(frozen=True)
class _Run:
    """One run's rules: those of the selection, applied to states and changes."""

    settings: Settings
    watch: Watch = iter
    _chosen: dict[tuple[str, str | None, int | None], list[Registered]] = field(default_factory=dict)
    _found: WeakKeyDictionary[Workspaces, list[Finding]] = field(default_factory=WeakKeyDictionary)

    def at(self, now: datetime.datetime) -> _Run:
        """This run at another moment."""
        return replace(self, settings=replace(self.settings, policy=replace(self.settings.policy, now=now)))

    def state(self, state: Workspaces) -> list[Finding]:
        """The findings of a state; what stands after one commit stands before the next, and is judged once."""
        if state not in self._found:
            self._found[state] = self._judge(state)
        return self._found[state]

    def _judge(self, state: Workspaces) -> list[Finding]:
        found = list(self._apply("workspaces", state, ""))
        for workspace in state:
            found.extend(self._apply("workspace", workspace, workspace.manifest_path))
            for envelope in self.watch(workspace.envelopes):
                found.extend(self._apply("envelope", envelope, envelope.path))
        return [finding for finding in found if self._is_wanted(finding)]

    def excuses(self, state: Workspaces) -> suppress.Excuses:
        """What excuses findings in a state."""
        return suppress.Excuses(state, self.settings, self.is_judged)

    def split(self, state: Workspaces) -> suppress.Split:
        """The findings of a state, with those that are excused there apart."""
        return self.excuses(state).split_state(self.state(state))

    def history(self, changes: Sequence[Change], state: Workspaces, allowance: suppress.Allowance) -> _Judged:
        """The findings of a change alone, as the settings and the baseline let them stand."""
        split = self.excuses(state).split(self.changes(changes))
        return _accept(_Judged(split.open, [], [_Excused(*excused, introduced=True) for excused in split.excused]), allowance)

    def is_judged(self, selector: str) -> bool:
        """Whether this run looks for every code of a selector in a state; what only a change can show is not."""
        codes = [code for code in catalogue.rule_files() if code.startswith(selector) and code not in OPTIONAL | set(suppress.ALWAYS_ON)]
        return bool(codes) and all(self.selects(code) and (code == "FC002" or code in self._of_states) for code in codes)

    @functools.cached_property
    def _of_states(self) -> frozenset[str]:
        return frozenset(code for rule in all_rules() if rule.subject in _STATE_SUBJECTS for code in rule.codes)

    def message(self, message: Message) -> list[Finding]:
        """The findings of a commit's message."""
        return [finding for finding in self._apply("message", message, "") if self._is_wanted(finding)]

    def changes(self, changes: Sequence[Change]) -> list[Finding]:
        """The findings of a change; those of a merge once each, however many parents they stand against."""
        found = [[finding for finding in self._apply("change", change, "") if self._is_wanted(finding)] for change in changes]
        if len(found) == 1:
            return found[0]
        count = Counter(mark for findings in found for mark in {finding.fingerprint for finding in findings})
        once = {finding.fingerprint: finding for findings in reversed(found) for finding in reversed(findings)}
        return [finding for mark, finding in once.items() if finding.code not in ADDITIVE or count[mark] == len(found)]

    def _is_wanted(self, finding: Finding) -> bool:
        if not self.selects(finding.code):
            return False
        ignored = self.settings.roots_ignore if finding.code.startswith(_ROOTS) else ()
        return not ignored or not matcher(ignored)(self.settings.prefix + finding.location.path)

    def _apply(self, subject: str, looked_at: Workspaces | Workspace | Envelope | Change | Message, path: str) -> Iterator[Finding]:
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
            if fits and any(map(self.selects, rule.codes)):
                yield rule

    def selects(self, code: str) -> bool:
        """Whether a rule's findings are wanted; of two selectors that fit, the longer wins."""
        if code in suppress.ALWAYS_ON:
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


def _report(command: str, judged: _Judged, state: Workspaces, settings: Settings, *, show_older: bool = False) -> Report:
    shown = [_reported(finding, state, settings) for finding in judged.new]
    shown += [_reported(finding, state, settings, introduced=False) for finding in judged.old if show_older]
    listed = [item for item in judged.excused if item.introduced or show_older]
    hidden = Counter(item.suppression.kind for item in judged.excused if not (item.introduced or show_older))
    report = Report(
        command,
        _in_order(shown),
        _summaries(state),
        (*state.notes, *_told_to_pass(settings)),
        0 if show_older else len(judged.old),
        settings.fail_level,
        suppressed=_in_order(
            _reported(item.finding, state, settings, introduced=item.introduced, suppression=item.suppression) for item in listed
        ),
        older_suppressed=hidden,
        board=functools.partial(_board, state),
    )
    return _in_language(report, _language(settings, state))


def _language(settings: Settings, state: Workspaces) -> str:
    """The language asked for; else that of the first manifest that names one of ours, else that of the locale."""
    manifests = (workspace.manifest for workspace in state)
    return settings.lang or first_known(manifest.lang for manifest in manifests if manifest) or settings.locale


def _in_language(report: Report, lang: str) -> Report:
    """The report with all it says in one language: rules are judged by in English and told of last."""

    def told(items: Iterable[Reported]) -> tuple[Reported, ...]:
        return tuple(replace(item, rule=catalogue.rule(item.rule.code, lang)) for item in items)

    return replace(report, findings=told(report.findings), suppressed=told(report.suppressed), lang=lang)


def _not_provable(state: Workspaces) -> Iterator[Note]:
    """What files of v4 cannot show, whatever the rules say: it is never passed, it is not judged (protocol.md C.7)."""
    if any(workspace.version == 4 for workspace in state):
        yield from (Note(NOT_PROVABLE, item) for item in v4.NOT_PROVABLE)


def _board(state: Workspaces) -> Board:
    # Only here: most formats show no work, and the hook must not pay for it.
    from fcoplint.board import make_board

    return make_board(state)


def _summaries(state: Workspaces) -> tuple[WorkspaceSummary, ...]:
    return tuple(WorkspaceSummary(workspace.root, workspace.version, len(workspace.envelope_paths)) for workspace in state)


def _told_to_pass(settings: Settings) -> Iterator[Note]:
    """What the settings leave unsaid: silence must not be taken for soundness."""
    if settings.select and "" not in settings.select:
        yield Note("rules-off", "only these rules ran: {}", detail=", ".join(settings.select))
    if settings.ignore:
        yield Note("rules-off", "these rules did not run: {}", detail=", ".join(code or "all" for code in settings.ignore))
    if settings.roots_ignore:
        passed = ", ".join(settings.roots_ignore)
        yield Note("roots-ignored", "the rules about roots passed by {} (the setting `roots.ignore`)", detail=passed)


def _in_order(items: Iterable[Reported]) -> tuple[Reported, ...]:
    return tuple(sorted(items, key=lambda item: item.finding.sort_key))


def _reported(
    finding: Finding,
    state: Workspaces,
    settings: Settings,
    *,
    introduced: bool = True,
    commit: CommitReference | None = None,
    suppression: Suppression | None = None,
) -> Reported:
    rule = catalogue.rule(finding.code)
    overrides = [(len(code), level) for code, level in settings.severity if finding.code.startswith(code)]
    severity = max(overrides)[1] if overrides else rule.severity[finding.when]
    version = workspace.version if (workspace := state.at(finding.workspace)) else None
    return Reported(finding, rule, severity, introduced, state.source_line(finding.location), commit, suppression, version)
