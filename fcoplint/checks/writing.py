"""Writing (FC9): could somebody see it half done? Bytes, leftovers, unsafe YAML, conflicts (protocol.md A.6, E)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.mending import drop_mark, drop_returns
from fcoplint.checks.registry import V1_V4, V3_V4, V4, rule
from fcoplint.findings import Finding, on, on_path
from fcoplint.model.envelope import Envelope
from fcoplint.model.nodes import Span, walk_scalars
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.facts import is_create_lock
from fcoplint.protocol.lookalikes import describe, hidden_characters
from fcoplint.protocol.places import is_temporary
from fcoplint.source.snapshot import Kind

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNSAFE = ("anchor", "alias", "tag", "merge-key", "too-deep")


@rule("FC901", versions=V1_V4)
def not_utf8(envelope: Envelope) -> Iterator[Finding]:
    document = envelope.document
    if document is None or document.decode_fault is None:
        return
    offset, span = document.decode_fault
    message = "utf-16" if document.data[:2] in _UTF16_MARKS else "default"
    yield on(envelope, "FC901", span, about="utf-8", message=message, offset=offset, byte=f"0x{document.data[offset]:02X}")


@rule("FC902", versions=V1_V4)
def byte_order_mark(envelope: Envelope) -> Iterator[Finding]:
    for fault in envelope.document.front.faults if envelope.document else ():
        if fault.kind == "bom":
            yield on(envelope, "FC902", fault.span, about="bom", fix=drop_mark(envelope))


@rule("FC903", versions=V1_V4)
def carriage_return(envelope: Envelope) -> Iterator[Finding]:
    if envelope.document and b"\r" in envelope.document.data:
        line = envelope.document.data.count(b"\n", 0, envelope.document.data.index(b"\r")) + 1
        is_exact = envelope.workspace.edition.is_exact
        when, message = ("v4", "v4") if is_exact else ("", "default")
        span, fix = Span(line, 1, line, 1), None if is_exact else drop_returns(envelope)
        yield on(envelope, "FC903", span, about="carriage return", when=when, message=message, fix=fix)


@rule("FC904", versions=V3_V4)
def leftover_temporary(workspace: Workspace) -> Iterator[Finding]:
    for path in workspace.entries:
        filename = path.rpartition("/")[2]
        if workspace.place(path).kind != "other" and is_temporary(filename) and not _stays(workspace, path):
            yield on_path(workspace, "FC904", path, about="temporary")


def _stays(workspace: Workspace, path: str) -> bool:
    """Whether this is the lock of a v4 creation, which is never deleted (protocol.md C.4)."""
    return workspace.version == 4 and is_create_lock(path.rpartition("/")[2])


@rule("FC904", versions=V3_V4)
def leftover_initialisation(workspace: Workspace) -> Iterator[Finding]:
    for path in workspace.init_leftovers:
        yield on_path(workspace, "FC904", path, about="initialisation", message="initialisation")


@rule("FC905", versions=V1_V4)
def hidden_in_front_matter(envelope: Envelope) -> Iterator[Finding]:
    document = envelope.document
    if document is None or document.front.faults:
        return
    told: set[int] = set()
    for number, line in enumerate(document.lines[: document.body_line - 1], 1):
        found = hidden_characters(line)
        if found:
            told.add(number)
            span = Span(number, found[0][0] + 1, number, found[0][0] + 2)
            yield on(envelope, "FC905", span, about=line, characters=_spell_out(found))
    for scalar in walk_scalars(envelope.fields) if envelope.fields and b"\\" in document.data else ():
        found = hidden_characters(scalar.text)
        if found and scalar.span.line not in told:
            yield on(envelope, "FC905", scalar, about=scalar.text, characters=_spell_out(found))


def _spell_out(found: list[tuple[int, str]]) -> str:
    return ", ".join(dict.fromkeys(describe(char) for _, char in found))


@rule("FC906", versions=V1_V4)
def unsafe_yaml(envelope: Envelope) -> Iterator[Finding]:
    for fault in envelope.document.front.faults if envelope.document else ():
        if fault.kind in _UNSAFE:
            yield on(envelope, "FC906", fault.span, about=fault.kind, message=fault.kind, detail=fault.detail)


@rule("FC907", versions=V1_V4)
def conflict_marker(envelope: Envelope) -> Iterator[Finding]:
    if envelope.entry.kind is Kind.UNMERGED:
        yield on(envelope, "FC907", envelope.file, about="unmerged", message="unmerged")
        return
    if envelope.document is None:
        return
    in_front = next((fault.span for fault in envelope.document.front.faults if fault.kind == "conflict"), None)
    line = envelope.document.conflict_line
    span = in_front or (Span(line, 1, line, 1) if line else None)
    if span:
        yield on(envelope, "FC907", span, about="marker")


@rule("FC907", versions=V4)
def conflict_in_fact(workspace: Workspace) -> Iterator[Finding]:
    for fact in workspace.facts.all:
        line = fact.conflict_line if fact.fault else None
        if line:
            yield on_path(workspace, "FC907", fact.path, Span(line, 1, line, 1), about="marker")
    for path, why in workspace.facts.unreadable.items():
        if why.reason == "unmerged":
            yield on_path(workspace, "FC907", path, about="unmerged", message="unmerged")


@rule("FC907", versions=V1_V4)
def conflict_in_manifest(workspace: Workspace) -> Iterator[Finding]:
    manifest = workspace.manifest
    line = manifest.conflict_line if manifest and manifest.fault else None
    if line:
        yield on_path(workspace, "FC907", workspace.manifest_path, Span(line, 1, line, 1), about="marker")
    entry = workspace.entries.get(workspace.manifest_path)
    if entry and entry.kind is Kind.UNMERGED:
        yield on_path(workspace, "FC907", workspace.manifest_path, about="unmerged", message="unmerged")
