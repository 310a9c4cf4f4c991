"""The tool's own findings: what could not be looked at (FC001) and what nobody here knows (FC004)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.registry import ANY, UNKNOWN, V3_V4, rule
from fcoplint.findings import Finding, on, on_path
from fcoplint.model.change import Change
from fcoplint.model.envelope import Envelope
from fcoplint.model.links import follow
from fcoplint.model.location import Location
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.source.snapshot import Kind, Unreadable

# These have codes of their own: FC206 and FC714 for links, FC907 for what a merge left open.
_TOLD_ELSEWHERE = ("link", "unmerged")


@rule("FC001", versions=ANY)
def unreadable_envelope(envelope: Envelope) -> Iterator[Finding]:
    content = envelope.content
    if isinstance(content, Unreadable):
        if content.reason not in _TOLD_ELSEWHERE or (content.reason == "link" and not _is_told_of(envelope)):
            yield on(envelope, "FC001", envelope.file, about=content.reason, message=content.reason, detail=content.detail)
        return
    document = envelope.document
    if document and document.is_lfs_pointer:
        yield on(envelope, "FC001", envelope.top, about="lfs-pointer", message="lfs-pointer")
    for fault in document.front.faults if document else ():
        if fault.kind == "too-large":
            yield on(envelope, "FC001", fault.span, about="front-matter", message="front-matter", limit=fault.detail)


def _is_told_of(link: Envelope) -> bool:
    """Whether another rule speaks of an envelope that is a link: FC206 from v3 on, FC714 where it leaves the root."""
    return link.workspace.version in V3_V4 or follow(link.workspace.state, link.path).leaves_by is not None


@rule("FC001", versions=ANY)
def unreadable_folder(workspace: Workspace) -> Iterator[Finding]:
    for path, why in workspace.unreadable.items():
        yield on_path(workspace, "FC001", path, about=why.reason, message=_folder_message(why), detail=why.detail or why.reason)
    manifest = workspace.manifest_unreadable
    if manifest and manifest.reason not in _TOLD_ELSEWHERE:
        yield on_path(workspace, "FC001", workspace.manifest_path, about=manifest.reason, message=manifest.reason, detail=manifest.detail)
    if workspace.manifest and workspace.manifest.is_lfs_pointer:
        yield on_path(workspace, "FC001", workspace.manifest_path, about="lfs-pointer", message="lfs-pointer")
    if workspace.manifest and workspace.manifest.fault and workspace.manifest.fault.kind == "too-large":
        yield on_path(
            workspace, "FC001", workspace.manifest_path, about="too-large", message="too-large", detail=workspace.manifest.fault.detail
        )
    yield from _unreadable_facts(workspace) if workspace.version == 4 else ()
    for path, entry in workspace.entries.items():
        if entry.kind is Kind.SUBMODULE and workspace.place(f"{path}/").kind != "other":
            yield on_path(workspace, "FC001", path, about="submodule", message="submodule", detail="")


def _unreadable_facts(workspace: Workspace) -> Iterator[Finding]:
    for path, why in workspace.facts.unreadable.items():
        if why.reason not in _TOLD_ELSEWHERE:
            yield on_path(workspace, "FC001", path, about=why.reason, message=why.reason, detail=why.detail)
    for fact in workspace.facts.all:
        if fact.is_lfs_pointer:
            yield on_path(workspace, "FC001", fact.path, about="lfs-pointer", message="lfs-pointer")
        elif fact.fault and fact.fault.kind == "too-large":
            yield on_path(workspace, "FC001", fact.path, about="too-large", message="too-large", detail=fact.fault.detail)


@rule("FC001", versions=ANY)
def unreadable_workspace(workspaces: Workspaces) -> Iterator[Finding]:
    for path, why in workspaces.unreadable.items():
        if why.reason == "link" and follow(workspaces, path).leaves_by:
            continue
        detail = why.detail or why.reason
        yield Finding("FC001", Location(path), path, about=why.reason, message=_folder_message(why), parameters={"detail": detail})


@rule("FC003", versions=ANY)
def history_not_checked(change: Change) -> Iterator[Finding]:
    if not change.before.snapshot.entries and change.after.found:
        yield Finding("FC003", Location(""), "", about="unborn", message="unborn")


@rule("FC004", versions=UNKNOWN)
def unsupported_protocol(workspace: Workspace) -> Iterator[Finding]:
    declared = workspace.protocol.unsupported
    if workspace.manifest and declared:
        key = declared.partition(" ")[0]
        message = "default" if key == "protocol" else "version"
        span = workspace.manifest.span(key)
        yield on_path(workspace, "FC004", workspace.manifest_path, span, about=declared, message=message, declared=declared)


def _folder_message(why: Unreadable) -> str:
    return f"folder-{why.reason}" if why.reason in ("permission", "submodule", "link") else "folder"
