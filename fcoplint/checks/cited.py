"""Cited evidence (FC552): are REPORTs and REVIEWs the bytes that events cite, and about what is judged? (F4.4.5, F4.6.3)"""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Review, Task
from fcoplint.model.gates import Gate, evidence_named, gates
from fcoplint.model.grounds import Citation
from fcoplint.model.relations import references
from fcoplint.protocol.digests import digest_of
from fcoplint.protocol.gates import ACCEPT, REJECT, REOPEN, SUBMIT


@rule("FC552", versions=V4)
def evidence_changed(task: Task) -> Iterator[Finding]:
    """Of several events that cite the same bytes one finding, at the first."""
    said: dict[tuple[str, str], list[Citation]] = {}
    for gate in gates(task):
        for cited in (*gate.evidence, *([gate.grant] if gate.grant else [])):
            if cited.digest is not None:
                said.setdefault((cited.ref.text, cited.digest.text), []).append(cited)
    for (name, written), (first, *more) in said.items():
        for found in evidence_named(task.workspace, name):
            held = found.document
            # What stands in for a file that is elsewhere (FC001) has no digest of its own.
            if first.digest and held and not held.is_lfs_pointer and digest_of(held.data) != written:
                again = tuple(Related(task.at(cited.digest), "cited again") for cited in more if cited.digest)
                yield on(
                    task, "FC552", first.digest, about=f"{name} {written}", related=(Related(found.file, "the file cited"), *again),
                    name=name, written=written, found=digest_of(held.data),
                )  # fmt: skip


@rule("FC552", versions=V4)
def evidence_gone(task: Task) -> Iterator[Finding]:
    """What an event cites and is not here; of the authorization FC451 speaks."""
    if not task.workspace.is_whole:
        return
    told: set[str] = set()
    for gate in gates(task):
        for cited in gate.evidence:
            if cited.ref.text not in told and not gate.is_granted_by(cited.ref.text) and not evidence_named(task.workspace, cited.ref.text):
                told.add(cited.ref.text)
                yield on(task, "FC552", cited.ref, about=f"{cited.ref.text} gone", message="gone", name=cited.ref.text)


@rule("FC552", versions=V4)
def another_report_judged(task: Task) -> Iterator[Finding]:
    """A judgement is on the REPORT that was submitted, byte for byte (F4.6.3)."""
    submitted: Citation | None = None
    for gate in gates(task):
        if gate.move == SUBMIT:
            submitted = gate.report
        elif gate.move in (ACCEPT, REJECT) and submitted and gate.report and _bytes(gate.report) != _bytes(submitted):
            yield on(
                task, "FC552", gate.report.ref, about=f"{gate.event.number} {gate.report.ref.text}", message="other-report",
                related=(Related(task.at(submitted.ref), "what was submitted"),), name=gate.report.ref.text, submitted=submitted.ref.text,
            )  # fmt: skip


@rule("FC552", versions=V4)
def judgement_of_something_else(task: Task) -> Iterator[Finding]:
    """The REVIEW that a judgement cites speaks of this TASK, this attempt and, but for a reopening, the REPORT it judges (F4.6.3)."""
    for gate in gates(task):
        for cited in gate.reviews if gate.move in (ACCEPT, REJECT, REOPEN) else ():
            for review in evidence_named(task.workspace, cited.ref.text):
                fault = _not_about(gate, review) if isinstance(review, Review) else None
                if fault:
                    key, wanted = fault
                    where = review.get(key)
                    yield on(
                        task, "FC552", cited.ref, about=f"{cited.ref.text} {key}", message="other-subject", name=cited.ref.text, key=key,
                        wanted=wanted, related=(Related(review.at(where), "the REVIEW"),) if where else (),
                    )  # fmt: skip


def _not_about(gate: Gate, review: Review) -> tuple[str, str] | None:
    """(the key that does not fit, what it should say); an authorization's subject and attempt are FC452's."""
    is_grant = gate.is_granted_by(review.stem)
    if not is_grant and review.text("subject_ref") != gate.task.stem:
        return "subject_ref", gate.task.stem
    attempt = review.text("attempt_id")
    if not is_grant and gate.attempt and attempt != gate.attempt and (attempt or gate.move != REOPEN):
        return "attempt_id", gate.attempt
    if gate.report and gate.report.ref.text not in {item.value.text for item in references(review, "references")}:
        return "references", gate.report.ref.text
    return None


def _bytes(cited: Citation) -> tuple[str, str | None]:
    return cited.ref.text, cited.digest.text if cited.digest else None
