"""Families (FC551, FC553, FC554): one REPORT head an attempt, Branches of one Root, one convergence (F4.3.4, F4.5, F4.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Report, Review, Task
from fcoplint.model.family import REPLACEMENT, Attempt, Branch, active_spans
from fcoplint.model.gates import Gate, evidence_named, gates
from fcoplint.model.grounds import Citation
from fcoplint.model.nodes import Scalar, Span
from fcoplint.model.relations import references
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.gates import CLOSE, CONVERGENCE, SUBMIT
from fcoplint.protocol.stages import OPEN_STAGES, TERMINAL
from fcoplint.protocol.v4 import REPORT_KINDS


@rule("FC551", versions=V4)
def report_of_no_task(report: Report) -> Iterator[Finding]:
    subject = report.scalar("subject_ref")
    if subject and not subject.text.startswith("TASK-"):
        yield on(report, "FC551", subject, about=subject.text, message="no-task", subject=subject.text)


@rule("FC551", versions=V4)
def report_of_no_kind(report: Report) -> Iterator[Finding]:
    said = report.scalar("report_kind")
    if said and said.text not in REPORT_KINDS:
        yield on(report, "FC551", said, about=said.text, message="kind", kind=said.text, kinds=" or ".join(REPORT_KINDS))


@rule("FC551", versions=V4)
def submitted_without_report(task: Task) -> Iterator[Finding]:
    """A submission stands on the REPORT of its attempt (F4.6.2); one that is named and not here is FC552's."""
    for gate in gates(task):
        if gate.move == SUBMIT and not gate.evidence and task.workspace.is_whole:
            attempt = gate.attempt or "none"
            if (task.stem, attempt) not in task.workspace.families.attempts:
                where, about = gate.event.first_line, f"{gate.event.number} {attempt}"
                yield on(task, "FC551", where, about=about, message="required", task=task.stem, attempt=attempt)


@rule("FC551", versions=V4)
def report_head(workspace: Workspace) -> Iterator[Finding]:
    for attempt in workspace.families.attempts.values():
        if len({report.stem for report in attempt.reports}) < len(attempt.reports):
            continue
        lost = [report for report in attempt.reports if report.text("report_kind") == REPLACEMENT and len(attempt.priors(report)) != 1]
        for report in lost:
            named = ", ".join(prior.value.text for prior in attempt.priors(report)) or "none"
            yield _about_head(report, "references", attempt, "prior", found=named)
        if not attempt.heads:
            yield _about_head(attempt.reports[0], "references", attempt, "none")
        elif not lost:
            first, *others = sorted(attempt.heads, key=lambda report: (report.text("created_at") or "", report.stem))
            for report in others:
                yield _about_head(report, "report_kind", attempt, "default", Related(first.file, "the other head"), other=first.stem)


def _about_head(report: Report, key: str, attempt: Attempt, message: str, *related: Related, found: str = "", other: str = "") -> Finding:
    where = report.get(key) or report.top
    return on(
        report, "FC551", where, about=message, message=message, related=related, task=attempt.subject, attempt=attempt.attempt,
        found=found, other=other,
    )  # fmt: skip


@rule("FC553", versions=V4)
def branch_of_a_branch(task: Task) -> Iterator[Finding]:
    said = task.scalar("branch_of")
    for root in _roots(task):
        above = root.scalar("branch_of")
        if said and above:
            related = (Related(root.at(above), "the Root's own branch_of"),)
            yield on(task, "FC553", said, about=root.stem, related=related, root=root.stem, above=above.text)


@rule("FC553", versions=V4)
def root_not_active(task: Task) -> Iterator[Finding]:
    """A Branch is created while its Root is active (F4.5.4); the clocks of two writers may differ a little."""
    said, created = task.scalar("branch_of"), task.events[0].time if task.events else None
    for root in _roots(task):
        times = [(start.time, end.time if end else None, end is None) for start, end in active_spans(root)]
        if said is None or created is None or any(start is None or (end is None and not is_open) for start, end, is_open in times):
            continue
        margin = task.workspace.policy.clock_tolerance
        during = (
            start.moment - margin <= created.moment and (end is None or created.moment <= end.moment + margin)
            for start, end, _ in times
            if start
        )
        if not any(during):
            at = task.events[0].text("at")
            yield on(
                task, "FC553", said, about=f"{root.stem} not active", message="not-active", when="root not active", root=root.stem, at=at
            )


@rule("FC553", versions=V4)
def branch_not_terminal(root: Task) -> Iterator[Finding]:
    close = _close(root)
    for branch in root.workspace.families.branches(root) if close and root.place.stage == TERMINAL else ():
        stage = branch.task.place.stage
        if close and stage in OPEN_STAGES:
            related = (Related(branch.task.file, "the Branch"),)
            yield on(
                root, "FC553", close.event.first_line, about=f"{branch.task.stem} open", message="not-terminal", related=related,
                branch=branch.task.stem, stage=stage,
            )  # fmt: skip


@rule("FC554", versions=V4)
def family_convergence(root: Task) -> Iterator[Finding]:
    close = _close(root)
    if close is None:
        return
    branches, said = root.workspace.families.branches(root), close.event.scalar("family_digest")
    if not branches:
        convergence = next(_convergences(close), None)
        where = said if said and not said.is_empty else convergence.ref if convergence else None
        if where and root.workspace.is_whole:
            yield _of_family(close, where, "no-branches", "no Branch")
        return
    if said is None or said.is_empty:
        yield _of_family(close, close.event.first_line, "missing", "digest", count=len(branches))
        return
    fault = _digest_fault(close, branches, said)
    if fault:
        yield fault
    # Where the family is another one, what its REPORTs should have been is not known.
    heads = [branch.evidence.report_id for branch in branches if branch.evidence] if fault is None else None
    yield from _convergence(close, said.text, heads, len(branches))


def _digest_fault(close: Gate, branches: list[Branch], said: Scalar) -> Finding | None:
    """What is wrong with the digest on which a Root was archived: it must hold forever (F4.6.6)."""
    loose = [branch.task.stem for branch in branches if branch.evidence is None]
    found = close.task.workspace.families.digest(close.task)
    if loose:
        return _of_family(close, said, "no-head", "no head", branches=", ".join(loose))
    return _of_family(close, said, "default", "digest", written=said.text, found=found) if found != said.text else None


def _convergence(close: Gate, digest: str, heads: list[str] | None, count: int) -> Iterator[Finding]:
    """What is wrong with the convergence REVIEW that an archived Root stands on, and with the REPORTs cited beside it."""
    cited = next(_convergences(close), None) or next(close.reviews, None)
    if cited is None:
        yield _of_family(close, close.event.first_line, "missing", "review", count=count)
        return
    lawful = [] if heads is None else [set(heads), {*heads, *_root_head(close.task)}]
    for review in evidence_named(close.task.workspace, cited.ref.text):
        misfit = next(_misfits(close, review, digest, lawful), None) if isinstance(review, Review) else None
        if misfit:
            key, reported, wanted = misfit
            where = review.get(key)
            related = (Related(review.at(where), "the REVIEW"),) if where else ()
            yield _of_family(close, cited.ref, "review", key, *related, review=cited.ref.text, key=key, said=reported, wanted=wanted)
    reports = {item.ref.text for item in close.evidence if item.ref.text.startswith("REPORT-")}
    if lawful and reports not in lawful:
        yield _of_family(close, cited.ref, "evidence", "evidence", said=_listed(reports), wanted=_listed(lawful[0]))


def _convergences(close: Gate) -> Iterator[Citation]:
    """The convergence REVIEWs that an archive event cites; it may cite again what the TASK was accepted on (F4.4.2)."""
    for cited in close.reviews:
        if any(review.text("review_kind") == CONVERGENCE[0] for review in evidence_named(close.task.workspace, cited.ref.text)):
            yield cited


def _misfits(close: Gate, review: Review, digest: str, lawful: list[set[str]]) -> Iterator[tuple[str, str, str]]:
    """(key, what it says, what it should say) of each part of a convergence REVIEW that does not fit (F4.6.5, F4.6.7)."""
    kind, decision = CONVERGENCE
    for key, wanted in (("review_kind", kind), ("decision", decision), ("subject_ref", close.task.stem), ("family_digest", digest)):
        said = review.text(key)
        if said != wanted:
            yield key, said or "null", wanted
    named = [item.value.text for item in references(review, "references")]
    if lawful and (set(named) not in lawful or len(set(named)) < len(named)):
        yield "references", ", ".join(named) or "none", _listed(lawful[0])


@rule("FC554", versions=V4)
def stale_convergence(review: Review) -> Iterator[Finding]:
    """A convergence that no archived Root stands on, and that its family has outgrown: it can no longer be used (F4.6.8)."""
    said = review.scalar("family_digest")
    if review.text("review_kind") != CONVERGENCE[0] or said is None:
        return
    for root in review.workspace.by_stem.get(review.text("subject_ref") or "", ()):
        found = review.workspace.families.digest(root) if isinstance(root, Task) and _close(root) is None else said.text
        if found != said.text:
            yield on(review, "FC554", said, about=root.stem, message="stale", when="stale, not used", root=root.stem, written=said.text)


def _roots(task: Task) -> list[Task]:
    """The Root that a Branch names, if it is here and lies in one place."""
    named = task.text("branch_of")
    found = [root for root in task.workspace.by_stem.get(named, ()) if isinstance(root, Task)] if named else []
    return found if len(found) == 1 else []


def _close(task: Task) -> Gate | None:
    """The event that archived a TASK."""
    return next((gate for gate in gates(task) if gate.move == CLOSE), None)


def _root_head(root: Task) -> list[str]:
    head = root.workspace.families.head(root)
    return [head.stem] if head else []


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _of_family(close: Gate, where: Scalar | Span, message: str, about: str, *related: Related, **parameters: Any) -> Finding:
    return on(
        close.task, "FC554", where, about=about, message=message, when="archived", related=related, root=close.task.stem, **parameters
    )
