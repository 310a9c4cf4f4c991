"""Authorization (FC45x): by what right was a move of FCoP 4 made? One REVIEW, bound to one move (F4.7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Report, Review, Task
from fcoplint.model.gates import Gate, evidence_named, gates
from fcoplint.model.grounds import Citation
from fcoplint.model.nodes import Mapping, Scalar
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.gates import CARRIERS, CLOSE, JUDGEMENTS, OPERATION_KIND, SINGLE_USE
from fcoplint.protocol.times import Time, parse_time


class _Misfit(NamedTuple):
    """One thing that does not bind: the message, what the REVIEW says, what it should say, and the key that says it."""

    message: str
    said: str
    wanted: str
    key: str


@rule("FC451", versions=V4)
def authorization_missing(task: Task) -> Iterator[Finding]:
    for gate in gates(task):
        if not gate.needs_authority:
            continue
        source, target = gate.move
        if gate.grant is None:
            about = f"{gate.event.number} {source}>{target}"
            yield on(task, "FC451", gate.event.first_line, about=about, source=source, target=target, tool=gate.event.tool or "?")
        elif task.workspace.is_whole and not evidence_named(task.workspace, gate.grant.ref.text):
            yield on(
                task, "FC451", gate.grant.ref, about=gate.grant.ref.text, message="not-here", source=source, target=target,
                review=gate.grant.ref.text,
            )  # fmt: skip


@rule("FC452", versions=V4)
def authorization_invalid(task: Task) -> Iterator[Finding]:
    for gate in gates(task):
        if not gate.needs_authority or gate.grant is None:
            continue
        for found in evidence_named(task.workspace, gate.grant.ref.text):
            misfits = _misfits(gate, found) if isinstance(found, Review) else [_Misfit("not-a-review", found.kind, "REVIEW", "type")]
            yield from (_misfit(gate, gate.grant, found, misfit) for misfit in misfits)


@rule("FC452", versions=V4)
def judged_otherwise(task: Task) -> Iterator[Finding]:
    for gate in gates(task):
        wanted = JUDGEMENTS.get(gate.move, {})
        for cited in gate.reviews if wanted else ():
            for review in evidence_named(task.workspace, cited.ref.text):
                if not isinstance(review, Review):
                    continue
                kind, decision = review.text("review_kind") or "", review.text("decision") or ""
                is_said = gate.is_granted_by(cited.ref.text) and not _carries(gate, review)
                if wanted.get(kind) != decision and not is_said:
                    lawful = " or ".join(f"{kind} {decision}" for kind, decision in wanted.items())
                    yield _misfit(gate, cited, review, _Misfit("judgement", f"{kind} {decision}", lawful, "review_kind"))


@rule("FC453", versions=V4)
def authorization_expired(task: Task) -> Iterator[Finding]:
    for gate in gates(task):
        if not gate.needs_authority or gate.grant is None:
            continue
        for review in evidence_named(task.workspace, gate.grant.ref.text):
            message = _untimely(gate, review)
            if message:
                where = review.get("issued_at" if message == "not-yet" else "expires_at")
                related = (Related(review.at(where), "the REVIEW"),) if where else ()
                yield on(
                    task, "FC453", gate.grant.ref, about=f"{gate.grant.ref.text} {message}", message=message, related=related,
                    review=gate.grant.ref.text, at=gate.event.text("at"),
                    expires=review.text("expires_at"), issued=review.text("issued_at"),
                )  # fmt: skip


@rule("FC454", versions=V4)
def authorization_reused(workspace: Workspace) -> Iterator[Finding]:
    consumed: dict[str, list[_Use]] = {}
    for task in workspace.tasks:
        for gate in gates(task):
            if gate.grant:
                consumed.setdefault(gate.grant.ref.text, []).append(_Use(gate, gate.grant))
    for name, uses in consumed.items():
        first, *later = _distinct(uses)
        related = (Related(first.gate.task.at(first.grant.ref), "the first use"),)
        for gate, grant in later:
            source, target = gate.move
            yield on(
                gate.task, "FC454", grant.ref, about=f"{name} {source}>{target}", related=related, review=name,
                first=first.gate.task.stem, source=source, target=target,
            )  # fmt: skip


class _Use(NamedTuple):
    """One consumption of an authorization."""

    gate: Gate
    grant: Citation


def _distinct(uses: list[_Use]) -> list[_Use]:
    """The uses in the order of time; of copies of one TASK in two stages, one."""
    found = {(use.gate.task.stem, use.gate.event.number, use.gate.event.identity): use for use in reversed(uses)}
    return sorted(found.values(), key=lambda use: (use.gate.event.text("at") or "", use.gate.task.stem, use.gate.event.number))


def _misfits(gate: Gate, review: Review) -> Iterator[_Misfit]:
    """What of a REVIEW does not bind to a move (F4.7.2, F4.7.3), as far as files can show it."""
    kind, decision = review.text("review_kind") or "", review.text("decision") or ""
    source, target = gate.move
    if not _carries(gate, review):
        lawful = (f"{name} {carrier.decision}" for name, carrier in CARRIERS.items() if gate.move in carrier.moves)
        yield _Misfit("kind", f"{kind} {decision}", " or ".join(lawful), "review_kind")
    bound = {
        "subject_ref": gate.task.stem, "operation_kind": OPERATION_KIND, "authorization_scope": SINGLE_USE,
        "family_digest": gate.event.text("family_digest"),
    }  # fmt: skip
    for key, wanted in bound.items():
        said = review.text(key)
        if said != wanted:
            yield _Misfit("binding", f"{key} {said or 'null'}", wanted or "null", key)
    if _move_of(review) != gate.move:
        yield _Misfit(
            "binding", "transition " + " to ".join(part or "null" for part in _move_of(review)), f"{source} to {target}", "transition"
        )
    attempt = review.text("attempt_id")
    if gate.attempt and attempt != gate.attempt and not (attempt is None and gate.move == CLOSE and gate.event.text("family_digest")):
        yield _Misfit("binding", f"attempt_id {attempt or 'null'}", gate.attempt, "attempt_id")
    yield from _profile_misfits(review)


def _profile_misfits(review: Review) -> Iterator[_Misfit]:
    """What is wrong with the profile that a REVIEW names; what the profile says to the proof, no file can show."""
    manifest = review.workspace.manifest
    adopted, profile, proof = manifest.profiles if manifest else None, review.text("profile_ref"), review.get("issuer_proof")
    if adopted == ():
        yield _Misfit("no-profile", profile or "null", "", "profile_ref")
    elif adopted and profile not in adopted:
        yield _Misfit("binding", f"profile_ref {profile or 'null'}", "one of " + ", ".join(adopted), "profile_ref")
    if proof is None or (isinstance(proof, Scalar) and proof.is_null):
        yield _Misfit("binding", "no issuer_proof", "the issuer's proof", "issuer_proof")


def _carries(gate: Gate, review: Review) -> bool:
    """Whether a REVIEW is of a kind and decision that may authorise the move."""
    carrier = CARRIERS.get(review.text("review_kind") or "")
    return carrier is not None and gate.move in carrier.moves and review.text("decision") == carrier.decision


def _move_of(review: Review) -> tuple[str | None, str | None]:
    said = review.get("transition")
    return (said.text("from"), said.text("to")) if isinstance(said, Mapping) else (None, None)


def _untimely(gate: Gate, review: Report | Review) -> str:
    """The message that says how an authorization is outside its time, "" where it is not, or where no times can be read."""
    at, issued, expires = gate.event.time, _time(review, "issued_at"), _time(review, "expires_at")
    if at and expires and expires.moment < at.moment:
        return "default"
    if issued and expires and expires.moment < issued.moment:
        return "range"
    return "not-yet" if at and issued and issued.moment - at.moment > gate.task.workspace.policy.clock_tolerance else ""


def _time(envelope: Report | Review, key: str) -> Time | None:
    said = envelope.text(key)
    return parse_time(said) if said else None


def _misfit(gate: Gate, cited: Citation, found: Report | Review, misfit: _Misfit) -> Finding:
    source, target = gate.move
    where = found.get(misfit.key)
    related = (Related(found.at(where), "the REVIEW"),) if where else ()
    return on(
        gate.task, "FC452", cited.ref, about=f"{cited.ref.text} {gate.event.number} {misfit.said}", message=misfit.message,
        related=related, review=cited.ref.text, task=gate.task.stem, source=source, target=target, said=misfit.said, wanted=misfit.wanted,
    )  # fmt: skip
