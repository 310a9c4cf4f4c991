"""Evidence (FC5): on what grounds? REPORTs and their TASKs, references, parents, corrections (protocol.md A.6, V3-F13, V3-F15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fcoplint.checks.habits import once
from fcoplint.checks.registry import ANY, V1_V3, V1_V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Envelope, Issue, Report, Review, Task
from fcoplint.model.graph import find_cycles
from fcoplint.model.location import Location
from fcoplint.model.message import Message
from fcoplint.model.nodes import Pair, Scalar
from fcoplint.model.relations import TASK_KEYS, Pairing, Reference, references
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import v4
from fcoplint.protocol.judgements import CLOSING_STATUSES, DONE, ENVELOPE_SUBJECTS
from fcoplint.protocol.references import REFERENCE_KEYS, parse_reference
from fcoplint.protocol.roles import SYSTEM, TEAM

# The one field in which the reference library looks for a REPORT's TASK.
CANONICAL_KEY = TASK_KEYS[0]


@rule("FC501", versions=V1_V3)
def report_without_task(report: Report) -> Iterator[Finding]:
    if report.fields is None:
        return
    if _naming_pair(report) is None:
        likely = next((pairing.task for pairing in report.workspace.relations.tasks_of(report)), None)
        message, task = ("by-number", likely.stem) if likely else ("default", "")
        yield on(report, "FC501", report.top, about="no task", message=message, canonical=CANONICAL_KEY, task=task)


@rule("FC501", versions=V1_V3)
def task_under_another_key(workspace: Workspace) -> Iterator[Finding]:
    named = [(report, pair) for report in workspace.reports if (pair := _naming_pair(report)) and pair.key.text != CANONICAL_KEY]
    found = [
        on(
            report, "FC501", pair, about=pair.key.text, message="key", when="non-canonical key",
            key=pair.key.text, canonical=CANONICAL_KEY,
        )
        for report, pair in named
    ]  # fmt: skip
    keys = Counter(pair.key.text for _, pair in named)
    listed = ", ".join(f"`{key}` ({count})" for key, count in keys.most_common())
    yield from once(workspace, found, "non-canonical key", keys=listed, canonical=CANONICAL_KEY)


@rule("FC502", versions=V1_V4)
def dangling_reference(envelope: Envelope) -> Iterator[Finding]:
    for reference in dangling_references(envelope):
        if not found_elsewhere(envelope, reference):
            about = f"{reference.key}={reference.value.text}"
            message, when = _in_v4(envelope, reference) if envelope.workspace.version == 4 else ("default", "")
            yield on(
                envelope, "FC502", reference.value, about=about, message=message, when=when, key=reference.key, value=reference.value.text
            )


def _in_v4(envelope: Envelope, reference: Reference) -> tuple[str, str]:
    """(message, condition of the severity): what a TASK, a REPORT or a gate rests on must lead somewhere; the rest should."""
    is_relation = reference.key in envelope.workspace.edition.relations
    rests = is_relation or envelope.stem in envelope.workspace.consumed
    return "v4-relation" if is_relation else "v4", "v4, used by a gate" if rests else ""


def dangling_references(envelope: Envelope) -> Iterator[Reference]:
    """The references by id that lead to no envelope of this workspace; none where not all of it could be looked at."""
    if not envelope.workspace.is_whole:
        return
    if envelope.workspace.version == 4:
        yield from _dangling_in_v4(envelope)
        return
    keys = dict.fromkeys((*REFERENCE_KEYS, *TASK_KEYS[:-1])) if isinstance(envelope, Report) else REFERENCE_KEYS
    for reference in references(envelope, *keys):
        if _must_lead_somewhere(envelope, reference) and not envelope.workspace.relations.resolve(reference.value.text):
            yield reference


def _dangling_in_v4(envelope: Envelope) -> Iterator[Reference]:
    """The same of v4, where a reference is an id and nothing else (F4.5.2)."""
    for reference in references(envelope, *envelope.workspace.edition.reference_keys):
        said = reference.value.text
        about_workspace = reference.key == "subject_ref" and said.startswith(v4.WORKSPACE_SUBJECT) and isinstance(envelope, Issue)
        found = envelope.workspace.named(said)
        leads = any(isinstance(other, Task) for other in found) if reference.key in envelope.workspace.edition.parents else bool(found)
        if not about_workspace and not reference.value.is_null and not leads:
            yield reference


def found_elsewhere(envelope: Envelope, reference: Reference) -> list[Envelope]:
    """The envelopes of other workspaces that a reference names; FC705 speaks of those."""
    return [found for sibling in envelope.workspace.siblings for found in sibling.relations.resolve(reference.value.text)]


@rule("FC502", versions=ANY)
def dangling_trailer(message: Message) -> Iterator[Finding]:
    for named in message.tasks:
        found = (envelope for workspace in message.state for envelope in workspace.relations.resolve(named))
        if message.state.found and not any(isinstance(envelope, Task) for envelope in found):
            about, parameters = f"trailer={named}", {"value": named}
            yield Finding("FC502", Location(""), named, about=about, message="trailer", when="trailer of a commit", parameters=parameters)


@rule("FC503", versions=V1_V3)
def wrong_reporter(report: Report) -> Iterator[Finding]:
    said = report.scalar("sender")
    claimed = [pairing.task for pairing in report.workspace.relations.tasks_of(report) if pairing.value]
    if said is None or not _is_filed(report) or any(report.workspace.relations.is_answer(report, task) for task in claimed):
        return
    task = next((task for task in claimed if not _passes_on(report, task)), None)
    if task:
        yield _about_task(report, "FC503", said, task, sender=said.text, recipient=task.recipient or "nobody")


@rule("FC504", versions=V1_V3)
def wrong_report_recipient(report: Report) -> Iterator[Finding]:
    said, answered = report.scalar("recipient"), _answered(report)
    if said is None or not answered:
        return
    entitled = {role for pairing in answered for role in _entitled(report, pairing.task)}
    if TEAM not in report.recipients and entitled.isdisjoint(map(report.workspace.authority.role_of, report.recipients)):
        task = answered[0].task
        yield _about_task(report, "FC504", said, task, recipient=said.text, asked=task.author or "nobody")


@rule("FC505", versions=V1_V3)
def parent_closed_early(report: Report) -> Iterator[Finding]:
    if report.text("status") not in (None, DONE):
        return
    for task in _distinct(pairing.task for pairing in _answered(report)):
        open_children = _distinct(child for child in report.workspace.relations.children_of(task) if _is_unanswered(child, report))
        if open_children:
            where = report.get("status") or report.top
            related = tuple(Related(child.file, "child TASK") for child in open_children)
            names = ", ".join(child.stem for child in open_children)
            yield on(report, "FC505", where, about=task.stem, related=related, task=task.stem, children=names)


@rule("FC506", versions=V1_V4)
def parent_cycle(workspace: Workspace) -> Iterator[Finding]:
    edges = _parent_edges(workspace)
    for cycle in find_cycles(edges):
        steps = [edges[member][following] for member, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True)]
        envelope, value = steps[0]
        related = tuple(Related(other.at(where), "parent") for other, where in steps[1:])
        way = " > ".join((*cycle, cycle[0]))
        yield on(envelope, "FC506", value, about=way, message="default" if related else "self", related=related, way=way)


@rule("FC507", versions=V1_V3)
def duplicate_report(report: Report) -> Iterator[Finding]:
    answered = next(iter(_answered(report)), None)
    if answered is None or not _counts(report):
        return
    others = report.workspace.relations.reports_of(answered.task)
    earlier = (
        other
        for other in others
        if (*other.serial, other.stem) < (*report.serial, report.stem) and _counts(other) and _same_work(other, report, answered.task)
    )
    first = next(earlier, None)
    if first:
        where = answered.value or report.top
        related = (Related(first.file, "earlier REPORT"),)
        yield on(report, "FC507", where, about=answered.task.stem, related=related, task=answered.task.stem, earlier=first.stem)


@rule("FC508", versions=V1_V3)
def bad_supersedes(envelope: Envelope) -> Iterator[Finding]:
    for reference in references(envelope, "supersedes"):
        targets = envelope.workspace.relations.others(envelope, reference.value.text)
        message = _correction_fault(envelope, targets)
        if message:
            target = targets[0]
            related = (Related(target.file, target.kind),) if target.stem != envelope.stem else ()
            yield on(
                envelope, "FC508", reference.value, about=reference.value.text, message=message, related=related,
                value=reference.value.text, kind=envelope.kind, target_kind=target.kind,
            )  # fmt: skip


def _about_task(report: Report, code: str, said: Scalar, task: Task, **more: Any) -> Finding:
    """A finding at a role that a REPORT names, beside the TASK that it answers."""
    addressed = task.get("recipient")
    related = (Related(task.at(addressed) if addressed else task.file, "TASK"),)
    return on(report, code, said, about=task.stem, related=related, task=task.stem, **more)


def _naming_pair(report: Report) -> Pair | None:
    """The first field in which a REPORT names a TASK by id, whether or not that TASK is here."""
    for reference in references(report, *TASK_KEYS):
        target = parse_reference(reference.value.text)
        if target and target.kind == "TASK":
            return report.pair(reference.key)
    return None


def _must_lead_somewhere(envelope: Envelope, reference: Reference) -> bool:
    """Whether a text is an envelope's id. Paths are FC716's, whatever they end in; free text is nobody's.

    `references` may also hold the tickets of another system, so there an id must bear a date.
    """
    target = parse_reference(reference.value.text)
    if target is None:
        return _names_its_subject(envelope, reference)
    return not target.is_path and (target.is_dated or reference.key != "references")


def _names_its_subject(envelope: Envelope, reference: Reference) -> bool:
    """Whether this is the one word by which a REVIEW says which TASK or REPORT it judges."""
    if not isinstance(envelope, Review) or reference.key != "subject_ref" or envelope.text("subject_type") not in ENVELOPE_SUBJECTS:
        return False
    return not any(char.isspace() or char in "/\\:" for char in reference.value.text.strip())


def _is_filed(report: Report) -> bool:
    """Whether a REPORT lies where REPORTs are read. In a stage it answers nothing until it is moved (FC205)."""
    return report.place.kind not in ("stage", "lifecycle") or report.place.stage == "archive"


def _answered(report: Report) -> list[Pairing]:
    """The TASKs a REPORT answers, without those that somebody else was to report on."""
    relations = report.workspace.relations
    pairings = relations.tasks_of(report) if _is_filed(report) else ()
    return [pairing for pairing in pairings if relations.is_answer(report, pairing.task)]


def _passes_on(report: Report, task: Task) -> bool:
    """Whether a REPORT tells somebody else about a TASK that its sender gave away, and that was answered: it cites, it does not answer."""
    authority = report.workspace.authority
    asked, told = authority.sender_of(task), report.text("recipient")
    if asked is None or told is None or asked != authority.role_of(report.author or ""):
        return False
    if authority.role_of(told) in (asked, authority.recipient_of(task)):
        return False
    relations = report.workspace.relations
    return any(relations.is_answer(other, task) for other in relations.reports_of(task))


def _entitled(report: Report, task: Task) -> Iterator[str]:
    """The roles to whom the REPORT on a TASK may go: who asked for it, the leader, and above the leader ADMIN."""
    authority = report.workspace.authority
    asked = authority.sender_of(task)
    yield from authority.leaders | ({asked} if asked else set())
    if asked == SYSTEM or not authority.leaders or authority.role_of(report.author or "") in authority.leaders:
        yield from authority.admins


def _is_unanswered(child: Task, report: Report) -> bool:
    """Whether a child TASK was still unanswered when its parent was reported done, as far as the state can tell.

    A child of a later day follows up on the REPORT; one that lies in archive, history or log is over (FC411 speaks of it).
    """
    if child.place.is_historic or (child.name and report.name and child.name.date > report.name.date):
        return False
    relations = child.workspace.relations
    if any(isinstance(other, Task) for other in relations.superseders_of(child)):
        return False
    answers = (other for other in relations.reports_of(child) if relations.is_answer(other, child))
    return not any((other.text("status") or DONE) in CLOSING_STATUSES for other in answers)


def _parent_edges(workspace: Workspace) -> dict[str, dict[str, tuple[Envelope, Scalar]]]:
    """For each stem the stems that its `parent` names, with where it says so. A number that names several names nobody for sure."""
    edges: dict[str, dict[str, tuple[Envelope, Scalar]]] = {}
    for envelope in workspace.envelopes:
        for reference in references(envelope, *workspace.edition.parents):
            stems = {found.stem for found in workspace.relations.others(envelope, reference.value.text)}
            if len(stems) == 1:
                edges.setdefault(envelope.stem, {}).setdefault(stems.pop(), (envelope, reference.value))
    return edges


def _counts(report: Report) -> bool:
    """Whether a REPORT says done and still stands; one that cannot be read says nothing."""
    return report.fields is not None and report.text("status") in (None, DONE) and not report.workspace.relations.superseders_of(report)


def _same_work(other: Report, report: Report, task: Task) -> bool:
    """Whether another REPORT is the same role's answer to the same TASK, and not only cites it."""
    answered = next(iter(_answered(other)), None)
    return other.author == report.author and answered is not None and answered.task.stem == task.stem


def _correction_fault(envelope: Envelope, targets: list[Envelope]) -> str:
    """self, type or later: why this envelope cannot supersede these; "" where it can, or where there are none (FC502)."""
    if not targets:
        return ""
    if all(target.stem == envelope.stem for target in targets):
        return "self"
    if all(target.kind != envelope.kind for target in targets):
        return "type"
    return "later" if envelope.name and all(target.serial > envelope.serial for target in targets) else ""


def _distinct(tasks: Iterable[Task]) -> list[Task]:
    return list({task.stem: task for task in tasks}.values())
