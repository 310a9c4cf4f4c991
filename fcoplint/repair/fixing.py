"""`fcoplint fix`: what findings themselves say would put them right, each proved as a change against HEAD first (design.md 10)."""

from __future__ import annotations

import os
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fcoplint import atomic, engine
from fcoplint.findings import Edit, Finding
from fcoplint.model.targets import belongs
from fcoplint.model.workspace import Documents, Workspace, Workspaces
from fcoplint.outcome import Outcome, Plan, Publish, Refusal, Remove, Rewrite, State
from fcoplint.repair import conditions
from fcoplint.repair.editing import apply, overlap
from fcoplint.repair.execution import execute
from fcoplint.repair.scene import Scene, blob_id
from fcoplint.repair.staging import as_committed
from fcoplint.repair.verdict import Judge
from fcoplint.report import Report, Reported
from fcoplint.source.snapshot import Kind, Note, read_one

COMMAND = "fix"
# All that may touch an envelope which HEAD holds already: the byte order mark and line ends.
_OF_BYTES = frozenset({"FC902", "FC903"})
# A fix may make room for the next one; more rounds than this mean that two fight each other.
_ROUNDS = 5


@dataclass
class Fixed:
    """What becomes of the files: new bytes by path (None: gone), what is fixed in each, and what is left and why."""

    contents: dict[str, bytes | None] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    done: list[Finding] = field(default_factory=list)
    refused: dict[str, Refusal] = field(default_factory=dict)
    dropped: list[tuple[Finding, str]] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not fixed, and why: one line a reason and code."""
        counts = Counter((finding.code, why) for finding, why in self.dropped)
        return tuple(
            f"not fixed: {code} in {_first(self.dropped, code, why)}{f' and {count - 1} more' if count > 1 else ''}: {why}"
            for (code, why), count in sorted(counts.items())
        )


Wanted = Callable[[Finding], bool]


def find_fixable(scene: Scene) -> list[Finding]:
    """The findings of the working tree that say how they are put right."""
    report = engine.audit(scene.now, scene.settings)
    return [item.finding for item in report.findings if item.finding.fix]


def plan_fixes(scene: Scene, findings: Iterable[Finding], *, unsafe: bool, again: bool = True) -> Fixed:
    """What the fixes make of the files, without writing any. `again` looks for more in what the first ones leave."""
    fixed = Fixed()
    landed = _landed(scene)
    judge = Judge(scene)
    pending = list(findings)
    for _ in range(_ROUNDS):
        chosen = [finding for finding in pending if _may_fix(scene, fixed, finding, landed, unsafe=unsafe)]
        if not chosen or not _apply_proved(scene, judge, fixed, chosen):
            break
        if not again:
            break
        state = engine.audit(scene.with_changes(fixed.contents), scene.settings)
        wanted = {finding.location.path for finding in pending} | set(fixed.moved.values())
        known = {id(finding) for finding, _ in fixed.dropped}
        pending = [item.finding for item in state.findings if item.finding.fix and item.finding.location.path in wanted]
        pending = [finding for finding in pending if id(finding) not in known and not _is_dropped(fixed, finding)]
    return fixed


def carry_out(scene: Scene, fixed: Fixed) -> list[Outcome]:
    """Write what was planned, each file whole or not at all; and say what was refused."""
    outcomes = [refusal.outcome(COMMAND) for _, refusal in sorted(fixed.refused.items())]
    outcomes += [execute(plan, scene.site(plan.workspace)) for plan in plans(scene, fixed)]
    if not outcomes:
        outcomes = [Outcome(COMMAND, State.NOTHING, "nothing-to-fix", "nothing here can be fixed by a command", notes=fixed.notes)]
    else:
        outcomes[-1] = replace(outcomes[-1], notes=(*outcomes[-1].notes, *fixed.notes))
    return outcomes


def tell(report: Report, fixed: Fixed, outcomes: Sequence[Outcome]) -> Report:
    """The report of a check that also fixed: what was fixed stands there too, and fails, for it is not staged yet."""
    written = [outcome for outcome in outcomes if outcome.state in (State.DONE, State.PENDING) and outcome.plan]
    stopped = [outcome.message for outcome in outcomes if outcome.state in (State.REFUSED, State.UNDECIDED)]
    notes = [
        Note("fixed", "in the working tree, and to be staged: {}", detail=f"{outcome.message}; {_staging(outcome)}") for outcome in written
    ]
    notes += [Note("not-fixed", "{}", detail=why) for why in (*stopped, *fixed.notes)]
    return replace(report, notes=(*report.notes, *notes), fixed=len(written))


def _staging(outcome: Outcome) -> str:
    return shlex.join(("git", "add", "--", outcome.plan.subject if outcome.plan else "."))


def plans(scene: Scene, fixed: Fixed) -> Iterator[Plan]:
    """One plan a file."""
    targets = {target: path for path, target in fixed.moved.items()}
    for path, data in sorted(fixed.contents.items()):
        if data is not None:
            yield _plan(scene, fixed, targets.get(path, path), path, data)


def _plan(scene: Scene, fixed: Fixed, path: str, target: str, data: bytes) -> Plan:
    codes = sorted({finding.code for finding in fixed.done if {path, target} & touched(finding)})
    workspace = _key(scene, path)[0]
    now = atomic.digest(_bytes(scene, path))
    if path == target:
        staging = (f"to stage it: {shlex.join(('git', 'add', '--', path))}",) if path in scene.index else ()
        return Plan(COMMAND, scene.root, path, f"fixed {', '.join(codes)} in {path}", (Rewrite(path, data, now),), {}, staging, workspace)
    mode = stat.S_IMODE(os.lstat(scene.full(path)).st_mode)
    tracking = conditions.look_at_git(scene, path, _bytes(scene, path), include_edits=False)
    staged = {path: None, target: tracking.staged(data)} if isinstance(tracking, conditions.Tracking) and tracking.entry else {}
    summary = f"fixed {', '.join(codes)}: {path} lies in {target} now"
    return Plan(COMMAND, scene.root, path, summary, (Publish(target, data, mode), Remove(path, now)), staged, (), workspace)


def touched(finding: Finding) -> set[str]:
    """The files that a finding's fix changes."""
    fix = finding.fix
    return {edit.path for edit in fix.edits} | {move.path for move in fix.moves} if fix else set()


def _may_fix(scene: Scene, fixed: Fixed, finding: Finding, landed: set[tuple[str, str]], *, unsafe: bool) -> bool:
    """Whether a finding's fix is to be tried; why not is noted."""
    fix = finding.fix
    assert fix is not None
    paths = touched(finding)
    if any(path in fixed.refused for path in paths):
        return False
    why = ""
    if fix.safety != "safe" and not unsafe:
        why = "it changes what is said or where it lies; look at it and use --unsafe"
    elif any((workspace := _workspace_of(scene, path)) and workspace.version >= 4 for path in paths):
        why = "in a v4 workspace only fcop's own operations may write"
    elif finding.code not in _OF_BYTES and fix.edits and any(_key(scene, path) in landed for path in paths):
        why = "HEAD holds this envelope already, and what has landed is not rewritten"
    if why:
        fixed.dropped.append((finding, why))
        return False
    for path in paths:
        refusal = None if path in fixed.contents or path in fixed.moved.values() else _refuse(scene, path)
        if refusal:
            fixed.refused[path] = refusal
            return False
    return True


def _refuse(scene: Scene, path: str) -> Refusal | None:
    """Why a file is not to be touched: it is no plain file, or git's index holds something else than the disk."""
    entry, staged = scene.now.entries.get(path), scene.index.get(path)
    if entry is None or entry.kind is not Kind.FILE:
        return Refusal("no-file", f"{path} is no regular file, and no link is followed", (path,))
    refused = conditions.refuse_source(scene, path)
    if refused or staged is None:
        return refused
    data = _bytes(scene, path)
    held = read_one(scene.head, path) if scene.head else None
    working = as_committed(data, held if isinstance(held, bytes) else None)
    if staged.kind is Kind.FILE and staged.oid in (_oid(working, staged.oid), _oid(data, staged.oid)):
        return None
    message = f"what is staged of {path} is not what stands in it; stage it whole or take the rest back, then fix it"
    return Refusal("partly-staged", message, (path,), ("git", "add", "--", path))


def _oid(data: bytes, like: str | None) -> str:
    return blob_id(data, "sha256" if like and len(like) == 64 else "sha1")


def _apply_proved(scene: Scene, judge: Judge, fixed: Fixed, chosen: Sequence[Finding]) -> bool:
    """Take in as many of the fixes as bring in nothing new: all at once if that goes, else one by one. Whether any was taken."""
    attempt = _attempt(scene, fixed, chosen)
    if attempt and not _harm(scene, judge, attempt[0]):
        _take(fixed, attempt, chosen)
        return True
    taken = False
    for finding in chosen:
        attempt = _attempt(scene, fixed, [finding])
        harm = _harm(scene, judge, attempt[0]) if attempt else ["two fixes touch the same place"]
        if attempt and not harm:
            _take(fixed, attempt, [finding])
            taken = True
        else:
            fixed.dropped.append((finding, f"it would bring in {harm[0]}" if attempt else harm[0]))
    return taken


Attempt = tuple[dict[str, bytes | None], dict[str, str]]


def _attempt(scene: Scene, fixed: Fixed, findings: Sequence[Finding]) -> Attempt | None:
    """(contents, moves) with these fixes too; None where they do not go together, or change nothing."""
    contents, moved = dict(fixed.contents), dict(fixed.moved)
    edits: dict[str, list[Edit]] = {}
    for finding in findings:
        assert finding.fix
        if any(overlap(finding.fix.edits, taken) for taken in edits.values()):
            return None
        for edit in finding.fix.edits:
            edits.setdefault(edit.path, []).append(edit)
    for path, placed in edits.items():
        data = contents.get(path) if path in contents else _bytes(scene, path)
        new = apply(data, placed) if data is not None else None
        if new is None or new == data:
            return None
        contents[path] = new
    for finding in findings:
        for move in finding.fix.moves if finding.fix else ():
            data = contents.get(move.path) if move.path in contents else _bytes(scene, move.path)
            if data is None or move.target in contents or conditions.refuse_target(scene, move.target):
                return None
            contents[move.path], contents[move.target], moved[move.path] = None, data, move.target
    return contents, moved


def _harm(scene: Scene, judge: Judge, contents: Mapping[str, bytes | None]) -> list[str]:
    """What a state with these contents has and the present one has not."""
    return [f"{item.rule.code}: {item.message}" for item in judge.brought_in(scene.with_changes(contents)) if _counts(item)]


def _counts(item: Reported) -> bool:
    # That the working tree differs from what is staged is the point of a fix.
    return item.rule.code != "FC816"


def _take(fixed: Fixed, attempt: Attempt, findings: Sequence[Finding]) -> None:
    fixed.contents, fixed.moved = attempt
    fixed.done.extend(findings)


def _is_dropped(fixed: Fixed, finding: Finding) -> bool:
    return any(dropped.fingerprint == finding.fingerprint and dropped.location == finding.location for dropped, _ in fixed.dropped)


def _first(dropped: Iterable[tuple[Finding, str]], code: str, why: str) -> str:
    return next(finding.location.path for finding, said in dropped if finding.code == code and said == why)


def _bytes(scene: Scene, path: str) -> bytes:
    content = read_one(scene.now, path)
    return content if isinstance(content, bytes) else b""


def _workspace_of(scene: Scene, path: str) -> Workspace | None:
    return next((workspace for workspace in scene.state if belongs(path, workspace.root)), None)


def _landed(scene: Scene) -> set[tuple[str, str]]:
    """(workspace, stem) of every envelope that HEAD holds."""
    if scene.head is None:
        return set()
    held = Workspaces(scene.head, Documents(), None, scene.settings.policy)
    return {(workspace.root, envelope.stem) for workspace in held for envelope in workspace.envelopes}


def _key(scene: Scene, path: str) -> tuple[str, str]:
    workspace = _workspace_of(scene, path)
    return workspace.root if workspace else "", path.rpartition("/")[2].removesuffix(".md")
