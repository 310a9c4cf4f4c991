"""Judgement (FC6): REVIEWs, ISSUEs, ALERTs, INSPECTIONs (protocol.md A.6, B.3, B.5, B.6).

A TASK in `_lifecycle/review/` waits for approve_task or reject_task and needs no REVIEW; a REVIEW moves nothing. Neither
says anything about the other, and no rule here looks at that stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fcoplint.checks.registry import V1_V3, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Issue, Report, Review, Task
from fcoplint.model.location import Location
from fcoplint.model.nodes import Mapping, Node, Sequence, in_words
from fcoplint.model.sheets import Sheet
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import judgements as words
from fcoplint.protocol.roles import TEAM
from fcoplint.protocol.times import Time, parse_time


@rule("FC601", versions=V1_V3)
def bad_review(review: Review) -> Iterator[Finding]:
    for key, allowed in (("subject_type", words.SUBJECT_TYPES), ("decision", words.DECISIONS)):
        for value, said in review.said(key):
            if said not in allowed:
                meant = _meant(said, allowed)
                yield on(
                    review, "FC601", value, about=f"{key}={said}", message="meant" if meant else "default",
                    key=key, value=said, meant=meant, allowed=", ".join(allowed),
                )  # fmt: skip


@rule("FC602", versions=V1_V3)
def changes_not_listed(review: Review) -> Iterator[Finding]:
    decision = review.scalar("decision")
    if decision and decision.text == words.NEEDS_CHANGES and not _says_anything(review.get("required_changes")):
        yield on(review, "FC602", decision, about="required_changes")


@rule("FC603", versions=V1_V3)
def bad_human_approval(review: Review) -> Iterator[Finding]:
    pair, decision = review.pair("human_approval"), review.text("decision")
    if pair is None or pair.value.is_empty:
        return
    if decision in words.DECISIONS and decision != words.NEEDS_HUMAN:
        yield on(review, "FC603", pair, about="decision", message="not-asked", decision=decision)
    if not isinstance(pair.value, Mapping):
        yield on(review, "FC603", pair.value, about="human_approval", message="no-mapping", keys=", ".join(words.APPROVAL_KEYS))
        return
    missing = _missing(pair.value.get, words.APPROVAL_KEYS)
    if missing:
        yield on(review, "FC603", pair, about="keys", message="keys", missing=missing)
    for key, value, message in _wrong_approval_values(review.workspace, pair.value):
        said, allowed = in_words(value), ", ".join(words.APPROVAL_DECISIONS if key == "decision" else words.CHANNELS)
        yield on(review, "FC603", value, about=f"{key}={said}", message=message, key=key, value=said, allowed=allowed)


@rule("FC604", versions=V1_V3)
def human_gate_open(task: Task) -> Iterator[Finding]:
    if task.place.stage != "done" and not task.place.is_historic:
        return
    reviews = task.workspace.relations.reviews_of(task)
    for review in reviews:
        message = _open_gate(review)
        if message is None or _is_settled(review, reviews):
            continue
        passed = _passed_at(task, review)
        if passed is not None:
            decision = review.get("decision")
            related = (Related(review.at(decision), "REVIEW"),) if decision else ()
            yield on(
                task, "FC604", passed, about=review.stem, message=message, related=related,
                review=review.stem, review_path=review.path,
            )  # fmt: skip


@rule("FC605", versions=V1_V3)
def self_review(review: Review) -> Iterator[Finding]:
    said = review.scalar("reviewer_role")
    if said is None or review.text("decision") in words.NO_JUDGEMENT:
        return
    if review.workspace.authority.is_solo or _is_admin(review.workspace, said.text):
        return
    subjects = [subject for subject in review.workspace.relations.named_by(review, "subject_ref") if isinstance(subject, (Task, Report))]
    if subjects and all(_worked_on(subject, said.text) for subject in subjects):
        subject = subjects[0]
        message = "report" if isinstance(subject, Report) else "task"
        related = (Related(subject.file, subject.kind),)
        yield on(review, "FC605", said, about=subject.stem, message=message, related=related, reviewer=said.text, reviewed=subject.stem)


@rule("FC606", versions=V1_V3)
def risk_without_review(task: Task) -> Iterator[Finding]:
    risk = task.scalar("risk_level")
    if risk is None or risk.text not in words.RISKS_FOR_HUMANS:
        return
    reviews = task.workspace.relations.reviews_of(task)
    if not any(review.text("decision") == words.NEEDS_HUMAN or _is_by_admin(review) for review in reviews):
        yield on(task, "FC606", risk, about="risk_level", risk=risk.text)


@rule("FC611", versions=V1_V3)
def bad_issue(issue: Issue) -> Iterator[Finding]:
    for value, said in issue.said("severity"):
        if not words.is_severity(said):
            yield on(issue, "FC611", value, about=said, value=said, allowed=", ".join(words.SEVERITIES))


@rule("FC612", versions=V1_V3)
def bad_closing(issue: Issue) -> Iterator[Finding]:
    for value, said in issue.said("status"):
        if said not in words.ISSUE_STATUSES:
            yield on(issue, "FC612", value, about=f"status={said}", value=said)
        missing = _missing(issue.get, words.CLOSING_KEYS) if said == "closed" else ""
        if missing:
            yield on(issue, "FC612", value, about="closing", message="keys", missing=missing)


@rule("FC621", "FC622", versions=V1_V3)
def bad_sheet(workspace: Workspace) -> Iterator[Finding]:
    workspace.prefetch(workspace.sheets)
    for sheet in workspace.sheets:
        yield from _check_sheet(sheet)


def _check_sheet(sheet: Sheet) -> Iterator[Finding]:
    code = "FC621" if sheet.kind == "ALERT" else "FC622"
    required, values = (words.ALERT_KEYS, words.ALERT_VALUES) if sheet.kind == "ALERT" else (words.INSPECTION_KEYS, words.INSPECTION_VALUES)
    if sheet.sheet_name is None:
        yield on(sheet, code, sheet.file, about="name", message="name", form=words.SHEET_FORMS[sheet.kind])
        return
    if sheet.fields is None:
        if sheet.document is not None:
            yield on(sheet, code, sheet.top, about="front matter", message="front-matter", keys=", ".join(required))
        return
    missing = _missing(sheet.get, required)
    if missing:
        yield on(sheet, code, sheet.top, about="keys", message="keys", missing=missing)
    for key, value, expected in (*_wrong_values(sheet, values), *_wrong_identity(sheet)):
        yield on(sheet, code, value, about=f"{key}={in_words(value)}", key=key, value=in_words(value), expected=expected)


def _wrong_values(sheet: Sheet, values: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, Node, str]]:
    """(key, value, what it should be) of each field whose value is outside its list."""
    for key, allowed in values.items():
        for value, said in sheet.said(key):
            if said not in allowed:
                yield key, value, "one of " + ", ".join(allowed) if len(allowed) > 1 else f"`{allowed[0]}`"
    for key in words.INSPECTION_COUNTS if sheet.kind == "INSPECTION" else ():
        for value, said in sheet.said(key):
            if not (said.isascii() and said.isdigit()):
                yield key, value, "a number from 0"
    key = "created_at" if sheet.kind == "ALERT" else "inspected_at"
    time = sheet.scalar(key)
    if time and parse_time(time.text) is None:
        yield key, time, "an ISO 8601 time"


def _wrong_identity(sheet: Sheet) -> Iterator[tuple[str, Node, str]]:
    """(key, value, what it should be) where the sheet's id, or an INSPECTION's scope, is another than its name's."""
    name = sheet.sheet_name
    key = "alert_id" if sheet.kind == "ALERT" else "inspection_id"
    value, scope = sheet.scalar(key), sheet.scalar("scope")
    if name and value and value.text not in (name.short_id, sheet.stem):
        yield key, value, f"`{name.short_id}`, as the file name says"
    if name and sheet.kind == "INSPECTION" and scope and scope.text in words.SCOPES and scope.text != name.tail:
        yield "scope", scope, f"`{name.tail}`, as the file name says"


def _missing(get: Callable[[str], Node | None], keys: Iterable[str]) -> str:
    """Those of the keys that are not there or say nothing, as a list to read."""
    found = ((key, get(key)) for key in keys)
    return ", ".join(key for key, value in found if value is None or value.is_empty)


def _says_anything(value: Node | None) -> bool:
    """Whether there is an item that is not blank. The reference takes one plain text for a list of one."""
    if isinstance(value, Sequence):
        return any(not item.is_empty for item in value.items)
    return value is not None and not value.is_empty


def _meant(said: str, allowed: Iterable[str]) -> str:
    """The allowed word that was most likely meant, "" where none is."""
    word = said.strip().lower()
    return word if word in allowed else words.MEANT_DECISIONS.get(word, "") if words.APPROVED in allowed else ""


def _wrong_approval_values(workspace: Workspace, approval: Mapping) -> Iterator[tuple[str, Node, str]]:
    """(key, value, message) of each value of a human_approval that is there and wrong."""
    for key in words.APPROVAL_KEYS:
        value = approval.get(key)
        if value is None or value.is_empty:
            continue
        said = in_words(value)
        if key == "approver" and not _is_admin(workspace, said):
            yield key, value, "approver"
        elif key == "approved_at" and parse_time(said) is None:
            yield key, value, "time"
        elif (key == "decision" and said not in words.APPROVAL_DECISIONS) or (key == "channel" and said not in words.CHANNELS):
            yield key, value, "value"


def _answer(review: Review) -> str | None:
    """What the human said to a REVIEW that asked: approve, reject, another word (FC603), or None for no answer."""
    approval = review.get("human_approval")
    if isinstance(approval, Mapping):
        return approval.text("decision")
    return None if approval is None or approval.is_empty else ""


def _open_gate(review: Review) -> str | None:
    """unanswered or rejected, where a REVIEW asked for a human and got no approval; None where it asks for nothing."""
    if review.text("decision") != words.NEEDS_HUMAN:
        return None
    answer = _answer(review)
    return "default" if answer is None else "rejected" if answer == words.REJECT else None


def _is_settled(review: Review, reviews: list[Review]) -> bool:
    """Whether another REVIEW took this one's place, or a human approved the same TASK in a later one."""
    if any(isinstance(later, Review) for later in review.workspace.relations.superseders_of(review)):
        return True
    return any(_is_human_approval(later) and later.serial > review.serial for later in reviews)


def _is_human_approval(review: Review) -> bool:
    decision = review.text("decision")
    if decision == words.NEEDS_HUMAN:
        return _answer(review) == words.APPROVE
    return decision == words.APPROVED and _is_by_admin(review)


def _passed_at(task: Task, review: Review) -> Node | Location | None:
    """Where a TASK went on past a REVIEW: the first event to done, else to archive, that is not older than it.

    The file's first line where no event is listed at all; None where the REVIEW came after all of them.
    """
    if not task.events:
        return task.top
    asked = parse_time(review.text("decided_at") or "")
    for stage in ("done", "archive"):
        for event in task.events:
            target = event.scalar("to")
            if target and target.text == stage and not _is_before(event.time, asked):
                return target
    return None


def _is_before(event: Time | None, asked: Time | None) -> bool:
    """Whether an event is older than the question for sure: a time without an offset may be of any zone."""
    return event is not None and asked is not None and asked.moment - event.moment > max(event.margin, asked.margin)


def _worked_on(subject: Task | Report, reviewer: str) -> bool:
    """Whether the reviewer did the work: sent the REPORT, or is who the TASK is addressed to. TEAM is nobody in particular."""
    authority = subject.workspace.authority
    worker = subject.author if isinstance(subject, Report) else subject.recipient
    return worker not in (None, TEAM) and authority.role_of(worker or "") == authority.role_of(reviewer)


def _is_by_admin(review: Review) -> bool:
    return _is_admin(review.workspace, review.text("reviewer_role") or "")


def _is_admin(workspace: Workspace, role: str) -> bool:
    """Whether a role is ADMIN, an instance of it (the specification's own example is ADMIN-01), or one of the owner's admins."""
    return workspace.authority.role_of(role) in workspace.authority.admins
