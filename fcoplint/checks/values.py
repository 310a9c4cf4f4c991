"""Identity (FC1): do the fields hold what their names promise? The values of front matter (protocol.md A.3)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.mending import SAFE, drop_field, make_list, rewrite
from fcoplint.checks.registry import V1_V3, V1_V4, V3, rule
from fcoplint.findings import Finding, on
from fcoplint.model.envelope import Envelope, Report, Task
from fcoplint.model.nodes import Scalar, Sequence, as_plain
from fcoplint.protocol import fields
from fcoplint.protocol.roles import YAML_TRAPS
from fcoplint.protocol.stages import TERMINAL
from fcoplint.protocol.times import is_rfc3339, parse_time


@rule("FC115", versions=V1_V4)
def wrong_protocol(envelope: Envelope) -> Iterator[Finding]:
    for value, said in envelope.said("protocol"):
        if envelope.workspace.edition.is_exact:
            is_right = said == fields.PROTOCOL
        else:
            is_right = fields.is_protocol(said) or fields.is_protocol_alias(said)
        if not is_right:
            yield on(envelope, "FC115", value, about=said, value=said)


@rule("FC116", versions=V1_V3)
def protocol_alias(envelope: Envelope) -> Iterator[Finding]:
    for value, said in envelope.said("protocol"):
        if fields.is_protocol_alias(said):
            yield on(envelope, "FC116", value, about=said, fix=rewrite(envelope, value, fields.PROTOCOL, SAFE), value=said)


@rule("FC117", versions=V1_V4)
def wrong_version(envelope: Envelope) -> Iterator[Finding]:
    for value, said in envelope.said("version"):
        if envelope.workspace.edition.is_exact:
            if said != "4" or not isinstance(value, Scalar) or value.quoted:
                yield on(envelope, "FC117", value, about=said, message="four", value=said)
            continue
        version = fields.envelope_version(said)
        if version == 3:
            yield on(envelope, "FC117", value, about=said, message="three", when="3", value=said)
        elif version != 1:
            yield on(envelope, "FC117", value, about=said, value=said)


@rule("FC123", versions=V1_V4)
def bad_priority(envelope: Envelope) -> Iterator[Finding]:
    for value, said in envelope.said("priority"):
        canonical = fields.canonical_priority(said)
        if canonical is None or (envelope.workspace.edition.is_exact and said != canonical):
            yield on(envelope, "FC123", value, about=said, value=said)
        elif said != canonical:
            fix = rewrite(envelope, value, canonical, SAFE)
            yield on(envelope, "FC123", value, about=said, message="alias", when="alias", fix=fix, value=said, canonical=canonical)


@rule("FC124", versions=V1_V3)
def bad_status(report: Report) -> Iterator[Finding]:
    for value, said in report.said("status"):
        if said == "accepted":
            yield on(report, "FC124", value, about=said, message=said, when=said)
        elif said not in fields.REPORT_STATUSES:
            yield on(report, "FC124", value, about=said, value=said, statuses=", ".join(fields.REPORT_STATUSES))


@rule("FC125", versions=V1_V3)
def bad_risk_level(envelope: Envelope) -> Iterator[Finding]:
    for value, said in envelope.said("risk_level"):
        if said.strip().lower() not in fields.RISK_LEVELS:
            yield on(envelope, "FC125", value, about=said, value=said, levels=", ".join(fields.RISK_LEVELS))


@rule("FC126", versions=V1_V4)
def bad_timestamp(envelope: Envelope) -> Iterator[Finding]:
    edition = envelope.workspace.edition
    for key in edition.time_fields:
        for value, said in envelope.said(key):
            if edition.is_exact and not is_rfc3339(said):
                yield on(envelope, "FC126", value, about=f"{key}={said}", message="v4", when="v4", key=key, value=said)
            elif parse_time(said) is None:
                yield on(envelope, "FC126", value, about=f"{key}={said}", key=key, value=said)


@rule("FC127", versions=V1_V4)
def bad_references(envelope: Envelope) -> Iterator[Finding]:
    value = envelope.get("references")
    if isinstance(value, Sequence):
        yield from _items(envelope, value)
    elif isinstance(value, Scalar) and (value.is_empty or _is_text(value)):
        if not value.is_empty:
            when, fix = "" if envelope.workspace.edition.is_exact else "one plain string", make_list(envelope, value)
            yield on(envelope, "FC127", value, about=value.text, message="plain", when=when, fix=fix, value=value.text)
    elif value is not None:
        yield on(envelope, "FC127", value, about="no list", message="not-list")


def _items(envelope: Envelope, references: Sequence) -> Iterator[Finding]:
    for item in references.items:
        if isinstance(item, Scalar) and item.is_empty:
            yield on(envelope, "FC127", item, about="empty item", message="empty")
        elif not isinstance(item, Scalar) or not _is_text(item):
            yield on(envelope, "FC127", item, about=f"item {as_plain(item)}")


@rule("FC128", versions=V3)
def stored_custody(envelope: Envelope) -> Iterator[Finding]:
    for key in fields.CUSTODY_FIELDS:
        pair = envelope.pair(key)
        if pair:
            yield on(envelope, "FC128", pair, about=key, fix=drop_field(envelope, pair), key=key)


@rule("FC129", versions=V3)
def status_contradicts_path(task: Task) -> Iterator[Finding]:
    stage = TERMINAL if task.place.is_archived else task.place.stage
    for value, said in task.said("status") if stage else ():
        meant = fields.stages_of_status(said)
        if meant and stage not in meant:
            lies = "history" if task.place.kind == "history" else stage
            yield on(task, "FC129", value, about=f"status={said}", value=said, meant=" or ".join(meant), lies=lies)


def _is_text(value: Scalar) -> bool:
    """Whether YAML reads a scalar as text."""
    return value.quoted or not (value.is_null or value.text in YAML_TRAPS or fields.is_number(value.text))
