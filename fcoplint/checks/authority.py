"""Authority (FC4): who was allowed to? Roles act, files move: these are findings of governance (protocol.md A.4, A.5, A.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fcoplint.checks.registry import V1_V3, V3, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.authority import WORKER, Authority
from fcoplint.model.change import Change
from fcoplint.model.envelope import Envelope, Issue, Report, Review, Task
from fcoplint.model.event import Event
from fcoplint.model.location import Location
from fcoplint.model.nodes import Scalar
from fcoplint.model.relations import FollowUp
from fcoplint.protocol.authorisation import authorises
from fcoplint.protocol.names import is_calendar_date
from fcoplint.protocol.roles import SYSTEM, TEAM, is_address, looks_like_actor
from fcoplint.protocol.rules_version import SELF_ARCHIVE_FORBIDDEN_SINCE
from fcoplint.protocol.stages import MIGRATION_ACTOR, OPEN_STAGES, TERMINAL, Mover

# (from, to) of the moves that have rules of their own.
_CLAIM, _SUBMIT, _FINISH = ("inbox", "active"), ("active", "review"), ("active", "done")
_APPROVE, _REJECT = ("review", "done"), ("review", "active")


class Act(NamedTuple):
    """An event whose actor can be judged: its `by`, and the role that stands for."""

    event: Event
    by: Scalar
    role: str

    @property
    def move(self) -> tuple[str | None, str | None]:
        """The stages it joins."""
        return self.event.source, self.event.target

    @property
    def identity(self) -> str:
        """What tells this act from the TASK's others, wherever it stands."""
        return f"{self.event.identity} {self.by.text}"


# Archiving (protocol.md A.5)


@rule("FC401", "FC403", "FC404", versions=V3)
def unlawful_archive(task: Task) -> Iterator[Finding]:
    act = _archiving(task)
    if act and task.workspace.authority.forbids_self_archive(task):
        yield from _judge_archiver(task, act)


@rule("FC401", "FC403", "FC404", versions=V3, additive=True)
def archived_under_an_old_date(change: Change) -> Iterator[Finding]:
    """An event's `at` does not say when it was appended: the change's own time does (design.md 7)."""
    if change.after.policy.now < SELF_ARCHIVE_FORBIDDEN_SINCE:
        return
    # The first import of a workspace brings TASKs of any age.
    here = {after.root for before, after in change.workspaces() if before and after}
    landed = [*((pair.before, pair.after) for pair in (*change.pairs(), *change.returned)), *((None, new) for new in change.added())]
    for before, task in landed:
        if not isinstance(task, Task) or task.workspace.root not in here or task.workspace.version != 3:
            continue
        if task.workspace.authority.rules_version is None and not task.workspace.authority.forbids_self_archive(task):
            act = _archiving(task)
            if act and act.event.number >= (len(before.events) if isinstance(before, Task) else 0):
                yield from _judge_archiver(task, act)


def _judge_archiver(task: Task, act: Act) -> Iterator[Finding]:
    authority = task.workspace.authority
    if act.role in authority.chiefs or looks_like_actor(act.by.text):
        return
    if act.role in _programs(task):
        yield _about(task, "FC403", act, message="tool", when="archiver, agent, migration, SYSTEM")
    elif act.role not in authority.declared:
        yield _about(task, "FC403", act, when="with actors configured" if task.workspace.policy.actors else "")
    elif _is_executor(task, act.role):
        yield from _self_archive(task, act)
    elif act.role != authority.sender_of(task) and not authority.governs(act.role):
        yield _about(task, "FC404", act, sender=authority.sender_of(task))


def _self_archive(task: Task, act: Act) -> Iterator[Finding]:
    said = _authorised(task, act.role)
    if said and _written_by_a_chief(task):
        return
    addressed = task.scalar("recipient")
    related = (Related(task.at(addressed), "recipient"),) if addressed else ()
    message = "by-another" if said else "team" if task.workspace.authority.recipient_of(task) == TEAM else "default"
    yield _about(task, "FC401", act, message=message, related=related, sender=task.workspace.authority.sender_of(task))


def _authorised(task: Task, role: str) -> bool:
    """Whether the body says that the executor may archive."""
    authority = task.workspace.authority
    executor = {role, authority.recipient_of(task) or role}
    others = authority.declared - executor
    patterns = task.workspace.policy.authorisation_patterns
    return task.document is not None and authorises(task.document.body, sorted(executor), sorted(others), patterns)


def _written_by_a_chief(task: Task) -> bool:
    """Whether leader or ADMIN wrote the TASK, by its sender and, where it says so, by its creation event."""
    authority = task.workspace.authority
    created = _creation(task)
    authors = {authority.sender_of(task)} | ({created.role} - _programs(task) if created else set())
    return authors <= authority.chiefs


@rule("FC410", versions=V3)
def premature_archive(task: Task) -> Iterator[Finding]:
    act = _archiving(task)
    event = _archive_event(task)
    if not task.place.is_archived or _is_migrated(event):
        return
    for child in task.workspace.relations.children_of(task):
        if child.stem != task.stem and _is_open(child) and not _is_later(child, event):
            related = (Related(child.file, "child"),)
            where = act.by if act else task.top
            yield on(
                task, "FC410", where, about=child.stem, related=related, child=child.stem, child_path=child.path, stage=child.place.stage
            )


@rule("FC411", versions=V3)
def archived_without_report(task: Task) -> Iterator[Finding]:
    authority = task.workspace.authority
    is_archived = task.place.is_archived
    if not (is_archived or task.place.stage == "done") or _has_no_number(task):
        return
    if not authority.admins.isdisjoint(authority.addressees_of(task)):
        return
    relations = task.workspace.relations
    if relations.reports_of(task) or any(_answers(follow_up, task) for follow_up in relations.follow_ups_of(task)):
        return
    # An answer that cannot be read, or lies where nobody can look, has a finding of its own.
    if relations.unread_reports_for(task) or not task.workspace.is_whole:
        return
    when = "solo" if authority.is_solo else "" if is_archived else "done"
    if is_archived and _is_migrated(_archive_event(task)):
        when = "migrated"
    yield on(task, "FC411", task.top, about="report", when=when, place="archived" if is_archived else "done", short_id=task.short_id)


def _has_no_number(task: Task) -> bool:
    """Whether a TASK's own name is wrong, so that nothing can name it (FC101, FC102, FC106)."""
    return task.name is None or not is_calendar_date(task.name.date)


# Approving, claiming, submitting (protocol.md A.4)


@rule("FC402", versions=V3)
def self_approval(task: Task) -> Iterator[Finding]:
    authority = task.workspace.authority
    for act in _acts(task, _APPROVE):
        if _is_own_work(task, act):
            is_leader = act.role == authority.leader
            when = "the leader, a task of its own" if is_leader else ""
            yield _about(task, "FC402", act, message="leader" if is_leader else "default", when=when)


@rule("FC407", versions=V3)
def wrong_judge(task: Task) -> Iterator[Finding]:
    authority = task.workspace.authority
    for act in _acts(task, *_judgements(task)):
        delegated = act.role == authority.sender_of(task) and _is_delegated(task)
        is_own = act.move == _APPROVE and _is_own_work(task, act)
        if not (authority.may_move(task, act.role, *act.move) or delegated or is_own):
            did = "approved" if act.move == _APPROVE else "rejected" if act.move == _REJECT else "reopened"
            yield _about(task, "FC407", act, did=did)
        if act.move == _REJECT and not any(map(act.event.text, task.workspace.dialect.note_keys)):
            yield on(
                task, "FC407", act.event.first_line, about=f"note {act.identity}", message="no-note", when="a rejection without a note",
                actor=act.by.text,
            )  # fmt: skip


@rule("FC405", versions=V3)
def wrong_claimant(task: Task) -> Iterator[Finding]:
    for act in _acts(task, _CLAIM):
        if not task.workspace.authority.may_move(task, act.role, *act.move):
            yield _about(task, "FC405", act)


@rule("FC406", versions=V3)
def wrong_submitter(task: Task) -> Iterator[Finding]:
    for act in _acts(task, _SUBMIT, _FINISH):
        if not task.workspace.authority.may_move(task, act.role, *act.move):
            yield _about(task, "FC406", act, did="finished" if act.move == _FINISH else "submitted")


@rule("FC414", versions=V3)
def wrong_creator(task: Task) -> Iterator[Finding]:
    created = _creation(task)
    sender = task.workspace.authority.sender_of(task)
    if sender is None or not is_address(sender):
        return
    # Where the file name says another sender than the field, FC120 speaks; the creator may be either.
    named = task.workspace.authority.role_of(task.name.sender) if task.name else sender
    if created and created.role not in (sender, named) and not _is_migrated(created.event):
        yield _about(task, "FC414", created, sender=sender)


# Routing (rule 4) and layers (ADR-0020, ADR-0023)


@rule("FC408", "FC409", versions=V1_V3)
def past_the_leader(task: Task) -> Iterator[Finding]:
    authority = task.workspace.authority
    sides = _routing(task)
    if sides is None or authority.is_solo or authority.leader is None or authority.leader in sides:
        return
    members = [role for role in sides if role not in authority.admins]
    if len(members) == len(sides):
        if not _is_delegated(task):
            yield _about_routing(task, "FC408", sides)
    elif members and members[0] not in (TEAM, SYSTEM):
        yield _about_routing(task, "FC409", sides)


@rule("FC412", versions=V1_V3)
def worker_reviews_governance(review: Review) -> Iterator[Finding]:
    for subject in _governance_subjects(review):
        where, reviewer = _reviewer(review)
        related = (Related(subject.file, "subject"),)
        authors = ", ".join(_governance_authors(subject))
        yield on(
            review, "FC412", where, about=subject.stem, related=related,
            reviewer=reviewer, subject_id=subject.stem, authors=authors, manifest=review.workspace.manifest_path,
        )  # fmt: skip


@rule("FC413", versions=V1_V3)
def governance_executes(envelope: Envelope) -> Iterator[Finding]:
    authority = envelope.workspace.authority
    if isinstance(envelope, Review):
        yield from _worker_judges(envelope)
        return
    keys = ("sender", "recipient") if isinstance(envelope, Task) else ("sender",) if isinstance(envelope, Report) else ()
    for key in keys:
        said = envelope.scalar(key)
        if said and authority.governs(authority.role_of(said.text)) and not _is_judged_by_a_worker(envelope):
            did = "sends" if key == "sender" else "receives"
            manifest = envelope.workspace.manifest_path
            yield on(envelope, "FC413", said, about=f"{key}={said.text}", role=said.text, did=did, kind=envelope.kind, manifest=manifest)


def _worker_judges(review: Review) -> Iterator[Finding]:
    """A REVIEW by a role that is no governance; where it breaks FC412, that says it all."""
    authority = review.workspace.authority
    where, reviewer = _reviewer(review)
    role = authority.role_of(reviewer)
    if role in authority.chiefs or role not in authority.declared or authority.governs(role) or any(_governance_subjects(review)):
        return
    strict = authority.layers.get(role) == WORKER and any(map(authority.governs, authority.layers))
    yield on(
        review, "FC413", where, about=f"reviewer={reviewer}",
        message="worker" if strict else "no-layer", when="" if strict else "reviewer has no declared layer",
        role=reviewer, manifest=review.workspace.manifest_path,
    )  # fmt: skip


# What the rules above ask


def _about(
    task: Task, code: str, act: Act, *, message: str = "default", when: str = "", related: tuple[Related, ...] = (), **more: Any
) -> Finding:
    """A finding at an event's `by`, with what every finding about a role says: who leads, and where that is declared."""
    authority = task.workspace.authority
    return on(
        task, code, act.by, about=act.identity, message=message, when=when, related=related,
        actor=act.by.text, recipient=authority.recipient_of(task), leader=_leader(authority), manifest=authority.leader_source, **more,
    )  # fmt: skip


def _about_routing(task: Task, code: str, sides: tuple[str, str]) -> Finding:
    sender, recipient = sides
    authority = task.workspace.authority
    return on(
        task, code, task.scalar("sender") or task.file, about=f"{sender}-to-{recipient}",
        sender=sender, recipient=recipient, leader=_leader(authority), manifest=authority.leader_source,
    )  # fmt: skip


def _leader(authority: Authority) -> str:
    return authority.leader or "(none)"


def _acts(task: Task, *moves: tuple[str | None, str | None]) -> Iterator[Act]:
    """The events over these moves by somebody who can be told: no program, and no look-alike (that is FC106).

    SYSTEM is a role of its own, which was given none of these rights.
    """
    nameless = _programs(task) - {SYSTEM}
    for event in task.events:
        act = _act(task, event)
        if act and act.move in moves and act.role not in nameless and not looks_like_actor(act.by.text):
            yield act


def _judgements(task: Task) -> list[tuple[str | None, str | None]]:
    """The moves by which finished work is judged: those that governance may make."""
    return [(edge.source, edge.target) for edge in task.workspace.dialect.table.edges if Mover.GOVERNANCE in edge.movers]


def _programs(task: Task) -> frozenset[str]:
    """The names of programs: whoever acts under one of them cannot be told."""
    return task.workspace.dialect.tool_actors


def _act(task: Task, event: Event) -> Act | None:
    by = event.scalar("by")
    return Act(event, by, task.workspace.authority.role_of(event.by)) if by and event.by else None


def _archiving(task: Task) -> Act | None:
    """Who archived a TASK that lies in the archive or in history; a migration is nobody's act."""
    event = _archive_event(task)
    return _act(task, event) if event and task.place.is_archived and not _is_migrated(event) else None


def _archive_event(task: Task) -> Event | None:
    return next((event for event in reversed(task.events) if event.target == TERMINAL), None)


def _creation(task: Task) -> Act | None:
    first = task.events[0] if task.events else None
    act = _act(task, first) if first and first.source is None and first.names_move else None
    return None if act is None or looks_like_actor(act.by.text) else act


def _is_migrated(event: Event | None) -> bool:
    """Whether an event is the migration's own; under another name the tool proves nothing."""
    return event is not None and event.is_migration and event.by == MIGRATION_ACTOR


def _is_open(task: Task) -> bool:
    """Whether a TASK is still being worked on; a copy left behind by a move is FC203."""
    copies = task.workspace.by_stem[task.stem]
    return task.place.stage in OPEN_STAGES and all(copy.place.stage in OPEN_STAGES for copy in copies)


def _is_later(child: Task, event: Event | None) -> bool:
    """Whether a child was created after its parent was archived: a follow-up, which was not open then."""
    created = child.events[0].time if child.events else None
    archived = event.time if event else None
    return created is not None and archived is not None and created.moment > archived.moment


def _answers(follow_up: FollowUp, task: Task) -> bool:
    """Whether a TASK that names another one answers it. A part of the work, sent on by who was to do it, does not (rule 0.a.2)."""
    authority, other = task.workspace.authority, follow_up.task
    sent_on = authority.sender_of(other) == authority.recipient_of(task) and authority.recipient_of(other) != authority.sender_of(task)
    return not (sent_on and follow_up.key == "parent")


def _is_own_work(task: Task, act: Act) -> bool:
    """Whether an approver was to do the TASK, or did it; never so for ADMIN, nor where one role does everything."""
    authority = task.workspace.authority
    if authority.is_solo or act.role in authority.admins:
        return False
    return {act.role} == authority.addressees_of(task) or act.role in _doers(task)


def _is_executor(task: Task, role: str) -> bool:
    """Whether a TASK was a role's to do. Governance does no work (ADR-0023): TEAM means it only where it took the work on."""
    authority = task.workspace.authority
    if not authority.is_addressed(task, role):
        return False
    return role in authority.addressees_of(task) or not authority.governs(role) or role in _doers(task)


def _doers(task: Task) -> set[str]:
    """The roles that claimed or submitted a TASK."""
    return {act.role for act in _acts(task, _CLAIM, _SUBMIT)}


def _is_delegated(task: Task) -> bool:
    """Whether a TASK is a part of one that its sender was to do."""
    authority = task.workspace.authority
    sender = authority.sender_of(task)
    parents = [parent for parent in task.workspace.relations.parents_of(task) if isinstance(parent, Task) and parent.stem != task.stem]
    return sender is not None and any(authority.is_addressed(parent, sender) for parent in parents)


def _routing(task: Task) -> tuple[str, str] | None:
    """Sender and recipient where both are roles and the file name agrees; anything else is FC106, FC114, FC120 or FC121."""
    authority = task.workspace.authority
    said = [task.text(key) for key in ("sender", "recipient")]
    if any(text is not None and not is_address(text) for text in said):
        return None
    sides = (authority.sender_of(task), authority.recipient_of(task))
    if task.name and sides != (authority.role_of(task.name.sender), authority.role_of(task.name.recipient or "")):
        return None
    sender, recipient = sides
    return (sender, recipient) if sender and recipient else None


def _reviewer(review: Review) -> tuple[Scalar | Location, str]:
    """Who judged, and where that stands."""
    said = review.scalar("reviewer_role")
    return (said, said.text) if said else (review.file, review.name.sender if review.name else "")


def _governance_subjects(review: Review) -> list[Envelope]:
    """What a worker judged here although a governance role wrote it or was to do it.

    A role without a layer is a worker (ADR-0020), but not the leader, who judges by office.
    """
    authority = review.workspace.authority
    role = authority.role_of(_reviewer(review)[1])
    is_worker = authority.layers.get(role, "" if role in authority.chiefs else WORKER) == WORKER
    subject = review.text("subject_ref")
    if not is_worker or not subject or not authority.layers or role in authority.admins:
        return []
    return [found for found in review.workspace.relations.resolve(subject) if _governance_authors(found)]


def _is_judged_by_a_worker(subject: Envelope) -> bool:
    """Whether FC412 already speaks of this subject."""
    return any(subject in _governance_subjects(review) for review in subject.workspace.reviews)


def _governance_authors(subject: Envelope) -> list[str]:
    """The governance roles behind an envelope: who wrote it, and who was to do a TASK (a REVIEW judges the work)."""
    authority = subject.workspace.authority
    named = subject.name.sender if subject.name else None
    authors = [
        subject.text("reporter" if isinstance(subject, Issue) else "reviewer_role" if isinstance(subject, Review) else "sender") or named
    ]
    if isinstance(subject, Task):
        authors.append(authority.recipient_of(subject))
    return sorted({role for name in authors if name and authority.governs(role := authority.role_of(name))})
