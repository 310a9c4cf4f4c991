"""Identity (FC1): what is this? File names, front matter, ids, routing and roles (protocol.md A.2, A.3)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.mending import UNSAFE, rewrite
from fcoplint.checks.registry import V1_V3, V1_V4, V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Envelope, Report, Review, Task
from fcoplint.model.frontmatter import Fault, plain_value
from fcoplint.model.nodes import Scalar, Sequence, Span, in_words, walk_mappings
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import fields, names, roles, v4
from fcoplint.protocol.lookalikes import skeleton


@rule("FC101", versions=V1_V3)
def bad_filename(envelope: Envelope) -> Iterator[Finding]:
    if envelope.name or _is_confusable(envelope):
        return
    fault = names.find_name_fault(envelope.filename)
    yield on(
        envelope, "FC101", envelope.file, about="name",
        segment=fault.segment, found=fault.found, expected=fault.expected, form=names.FORMS[envelope.kind],
    )  # fmt: skip


@rule("FC102", versions=V1_V3)
def impossible_date(envelope: Envelope) -> Iterator[Finding]:
    if envelope.name and not names.is_calendar_date(envelope.name.date):
        yield on(envelope, "FC102", envelope.file, about="date", date=envelope.name.date)


@rule("FC103", versions=V1_V3)
def bad_sequence(envelope: Envelope) -> Iterator[Finding]:
    if envelope.name and envelope.name.sequence == "000":
        yield on(envelope, "FC103", envelope.file, about="sequence")


@rule("FC106", versions=V1_V4)
def confusable_name(envelope: Envelope) -> Iterator[Finding]:
    if _is_confusable(envelope):
        yield on(envelope, "FC106", envelope.file, about="name", plain=names.plain_spelling(envelope.filename))
    for key, value in _role_values(envelope):
        if roles.is_address(skeleton(value.text)) and not roles.is_address(value.text):
            yield _look_alike(envelope, value, f"{key}={value.text}", key)
    for pair in envelope.fields.pairs if envelope.fields else ():
        if pair.key.text != skeleton(pair.key.text) and skeleton(pair.key.text) in envelope.workspace.edition.known[envelope.kind]:
            yield on(envelope, "FC106", pair, about=pair.key.text, message="key", key=pair.key.text, plain=skeleton(pair.key.text))


@rule("FC106", versions=V1_V4)
def confusable_actor(task: Task) -> Iterator[Finding]:
    for event in task.events:
        actor = event.scalar("by")
        if actor and roles.looks_like_actor(actor.text):
            yield _look_alike(task, actor, f"{event.identity} by={actor.text}", "by")


def _look_alike(envelope: Envelope, value: Scalar, about: str, key: str) -> Finding:
    return on(envelope, "FC106", value, about=about, message="role", key=key, value=value.text, plain=skeleton(value.text))


@rule("FC106", versions=V1_V4)
def twin_names(workspace: Workspace) -> Iterator[Finding]:
    first: dict[str, Envelope] = {}
    for envelope in workspace.envelopes:
        if _is_confusable(envelope):
            continue
        twin = first.setdefault(envelope.filename.casefold(), envelope)
        if twin.filename != envelope.filename:
            related = (Related(twin.file, "twin"),)
            yield on(envelope, "FC106", envelope.file, about="twin", message="twin", related=related, twin=twin.filename)


@rule("FC111", versions=V1_V4)
def missing_front_matter(envelope: Envelope) -> Iterator[Finding]:
    if envelope.document is None or envelope.document.is_lfs_pointer:
        return
    for fault in envelope.document.front.faults:
        if fault.kind in ("missing", "loose-opening") and envelope.document.decode_fault is None:
            message = "empty" if not envelope.document.data.strip() else "default" if fault.kind == "missing" else fault.kind
            yield on(envelope, "FC111", fault.span, about=fault.kind, message=message)


@rule("FC112", versions=V1_V4)
def malformed_front_matter(envelope: Envelope) -> Iterator[Finding]:
    for fault in _faults(envelope, "unterminated", "yaml", "not-mapping"):
        message = "loose-closing" if fault.kind == "unterminated" and fault.detail else fault.kind
        yield on(envelope, "FC112", fault.span, about=fault.kind, message=message, detail=fault.detail)


@rule("FC112", versions=V4)
def early_fence(envelope: Envelope) -> Iterator[Finding]:
    # v4's reader ends the block at the first line that ends in three hyphens (protocol.md C.1).
    for number, line in (
        enumerate(envelope.document.lines[1 : envelope.document.body_line - 2], 2) if envelope.fields and envelope.document else ()
    ):
        if line.endswith("---"):
            yield on(envelope, "FC112", Span(number, 1, number, len(line) + 1), about=line, message="early-fence")


@rule("FC113", versions=V1_V4)
def duplicate_key(envelope: Envelope) -> Iterator[Finding]:
    for mapping in walk_mappings(envelope.fields) if envelope.fields else ():
        first: dict[str, Scalar] = {}
        for pair in mapping.pairs:
            earlier = first.setdefault(pair.key.text, pair.key)
            if earlier is not pair.key:
                related = (Related(envelope.at(earlier), "first"),)
                yield on(envelope, "FC113", pair, about=pair.key.text, related=related, key=pair.key.text, first_line=earlier.span.line)


@rule("FC114", versions=V1_V4)
def missing_field(envelope: Envelope) -> Iterator[Finding]:
    if envelope.fields is None:
        return
    edition = envelope.workspace.edition
    optional = edition.expected_only.get(envelope.kind, frozenset())
    for key in _required(envelope):
        pair = envelope.pair(key)
        if pair is None and key in envelope.workspace.dialect.unasked:
            continue
        when = "sender of a REVIEW" if key in optional else ""
        if pair is None:
            yield on(envelope, "FC114", envelope.top, about=key, when=when, key=key, kind=envelope.kind)
        elif pair.value.is_empty and not (key in edition.may_be_empty and isinstance(pair.value, Sequence)):
            yield on(envelope, "FC114", pair, about=key, message="empty", when=when, key=key, kind=envelope.kind)


@rule("FC114", versions=V4)
def no_text(envelope: Envelope) -> Iterator[Finding]:
    for key in v4.FREE_TEXTS if envelope.fields else ():
        value = envelope.get(key)
        if value is None or value.is_empty or key not in envelope.workspace.edition.required[envelope.kind]:
            continue
        if not isinstance(value, Scalar) or (not value.quoted and not isinstance(plain_value(value.text), str)):
            yield on(envelope, "FC114", value, about=key, message="not-text", key=key, kind=envelope.kind, value=in_words(value))


def _required(envelope: Envelope) -> tuple[str, ...]:
    """The keys that an envelope must have; one that is nothing but an authorization must say what it authorizes."""
    more = v4.REQUIRED_OF_AUTHORIZATION if envelope.workspace.version == 4 and envelope.text("review_kind") == v4.AUTHORIZATION else ()
    return (*envelope.workspace.edition.required[envelope.kind], *more)


@rule("FC118", versions=V1_V4)
def type_mismatch(envelope: Envelope) -> Iterator[Finding]:
    for key in ("type", "kind"):
        for value, said in envelope.said(key):
            if (said if envelope.workspace.edition.is_exact else said.strip().upper()) != envelope.kind:
                wanted = envelope.kind.lower() if said.islower() and not envelope.workspace.edition.is_exact else envelope.kind
                fix = rewrite(envelope, value, wanted, UNSAFE)
                yield on(envelope, "FC118", value, about=f"{key}={said}", fix=fix, key=key, value=said, kind=envelope.kind)


@rule("FC119", versions=V4)
def exact_id(envelope: Envelope) -> Iterator[Finding]:
    if not envelope.workspace.edition.is_name(envelope.filename) and not _is_confusable(envelope):
        yield on(envelope, "FC119", envelope.file, about="name", message="no-id", when="v4", kind=envelope.kind)
    key = fields.ID_FIELD[envelope.kind]
    for value, said in envelope.said(key):
        if said != envelope.stem:
            yield on(envelope, "FC119", value, about=f"{key}={said}", message="exact", when="v4", key=key, value=said)


@rule("FC119", versions=V1_V3)
def id_mismatch(envelope: Envelope) -> Iterator[Finding]:
    key, names = fields.ID_FIELD[envelope.kind], (envelope.stem, envelope.short_id)
    for value, said in envelope.said(key) if envelope.name else ():
        if said not in names:
            when, message = ("REVIEW", "review") if envelope.kind == "REVIEW" else ("", "default")
            yield on(
                envelope, "FC119", value, about=f"{key}={said}", when=when, message=message,
                fix=rewrite(envelope, value, envelope.short_id or "", UNSAFE), key=key, value=said, short_id=envelope.short_id,
            )  # fmt: skip


@rule("FC120", versions=V1_V3)
def routing_mismatch(envelope: Envelope) -> Iterator[Finding]:
    for key, value in _role_values(envelope):
        named = _named_role(envelope, key)
        if named is None or not _is_lawful(envelope, key, value):
            continue
        role, slot = roles.split_slot(value.text)
        named_slot = envelope.name.slot if envelope.name and key == "recipient" else None
        if role != named or (slot and named_slot and slot != named_slot):
            expected = f"{named}.{named_slot}" if slot and named_slot else named
            fix = rewrite(envelope, value, expected, UNSAFE)
            yield on(envelope, "FC120", value, about=f"{key}={value.text}", fix=fix, key=key, value=value.text, expected=expected)


@rule("FC121", versions=V1_V3)
def bad_role(envelope: Envelope) -> Iterator[Finding]:
    for key in envelope.workspace.edition.role_fields[envelope.kind]:
        value = envelope.get(key)
        if value is None or value.is_empty:
            continue
        if not isinstance(value, Scalar):
            yield on(envelope, "FC121", value, about=key, message="not-text", key=key)
        elif not value.quoted and value.text in roles.YAML_TRAPS:
            yield on(envelope, "FC121", value, about=f"{key}={value.text}", message="trap", key=key, value=value.text)
        elif not _is_lawful(envelope, key, value) and not _only_looks_right(value):
            yield on(envelope, "FC121", value, about=f"{key}={value.text}", key=key, value=value.text)


@rule("FC122", versions=V1_V3)
def undeclared_role(envelope: Envelope) -> Iterator[Finding]:
    declared = envelope.workspace.declared_roles
    if not declared:
        return
    for key, value in _role_values(envelope):
        role = roles.base_role(roles.split_slot(value.text)[0], declared)
        known = declared | roles.ADDRESSABLE
        if _is_lawful(envelope, key, value) and role not in known:
            when = "archived or historic" if _is_over(envelope) else ""
            yield on(
                envelope, "FC122", value, about=f"{key}={value.text}", when=when,
                key=key, value=value.text, declared=", ".join(sorted(declared)), manifest=envelope.workspace.manifest_path,
            )  # fmt: skip


def _is_over(envelope: Envelope) -> bool:
    """Whether an envelope, or all the work that it speaks of, is archived or historic: its role may be one that was there then."""
    relations = envelope.workspace.relations
    spoken_of: list[Envelope] = []
    if isinstance(envelope, Report):
        spoken_of = [pairing.task for pairing in relations.tasks_of(envelope)]
    elif isinstance(envelope, Review):
        spoken_of = relations.named_by(envelope, "subject_ref")
    return envelope.place.is_historic or (bool(spoken_of) and all(found.place.is_historic for found in spoken_of))


def _is_confusable(envelope: Envelope) -> bool:
    return names.looks_confusable(envelope.filename, envelope.workspace.edition.is_name)


def _faults(envelope: Envelope, *kinds: str) -> list[Fault]:
    return [fault for fault in envelope.document.front.faults if fault.kind in kinds] if envelope.document else []


def _role_values(envelope: Envelope) -> Iterator[tuple[str, Scalar]]:
    """The fields that name a role, where they hold text."""
    for key in envelope.workspace.edition.role_fields[envelope.kind]:
        value = envelope.scalar(key)
        if value:
            yield key, value


def _is_lawful(envelope: Envelope, key: str, value: Scalar) -> bool:
    """Whether a role field holds a role; only a TASK's recipient may carry a slot, and YAML must read it as text."""
    if not value.quoted and value.text in roles.YAML_TRAPS:
        return False
    return roles.is_address(value.text) if envelope.kind == "TASK" and key == "recipient" else roles.is_role(value.text)


def _only_looks_right(value: Scalar) -> bool:
    return value.text != skeleton(value.text) and roles.is_address(skeleton(value.text))


def _named_role(envelope: Envelope, key: str) -> str | None:
    """The role that the file name gives for a field."""
    if envelope.name is None:
        return None
    return envelope.name.recipient if key == "recipient" else envelope.name.sender
