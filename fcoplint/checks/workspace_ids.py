"""Roots (FC70x) of v4: one id for one workspace, in its manifest, in all its files, and for ever (F4.2.2 to F4.2.4)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on, on_path
from fcoplint.model.change import Change
from fcoplint.model.envelope import Envelope, Issue
from fcoplint.model.location import Location
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.facts import is_urn
from fcoplint.protocol.scalars import whole
from fcoplint.protocol.v4 import WORKSPACE_SUBJECT


@rule("FC706", versions=V4)
def workspace_id_mismatch(envelope: Envelope) -> Iterator[Finding]:
    declared = _declared(envelope.workspace)
    for key in ("workspace_id", "subject_ref") if declared else ():
        value = envelope.scalar(key)
        prefix = WORKSPACE_SUBJECT if key == "subject_ref" else ""
        if value is None or not value.text.startswith(prefix) or (prefix and not isinstance(envelope, Issue)):
            continue
        if value.text != f"{prefix}{declared}":
            yield on(envelope, "FC706", value, about=f"{key}={value.text}", key=key, value=value.text, declared=declared)


@rule("FC706", versions=V4)
def fact_of_another_workspace(workspace: Workspace) -> Iterator[Finding]:
    declared = _declared(workspace)
    for fact in workspace.facts.all:
        said = fact.workspace_id
        if declared and said and said != declared:
            way = ("workspace_id",) if "workspace_id" in fact.values else ("payload", "workspace_id")
            yield on_path(
                workspace,
                "FC706",
                fact.path,
                fact.span(*way),
                about=said,
                message="fact",
                key=".".join(way),
                value=whole(said),
                declared=declared,
            )


def _declared(workspace: Workspace) -> str | None:
    """The manifest's id where it is one; anything else is FC141's."""
    return workspace.workspace_id if is_urn(workspace.workspace_id) else None


@rule("FC707", versions=V4)
def workspace_id_clone(workspaces: Workspaces) -> Iterator[Finding]:
    first: dict[str, Workspace] = {}
    for workspace in workspaces:
        declared = _declared(workspace) if workspace.version == 4 else None
        if declared is None or workspace.manifest is None or workspaces.surroundings.ignores(workspace.root):
            continue
        other = first.setdefault(declared, workspace)
        if other is not workspace:
            related = (Related(Location(other.manifest_path), "the other manifest"),)
            yield on_path(
                workspace, "FC707", workspace.manifest_path, workspace.manifest.span("workspace_id"), about=declared, related=related,
                value=declared, other=other.manifest_path,
            )  # fmt: skip


@rule("FC708", versions=V4)
def workspace_id_changed(change: Change) -> Iterator[Finding]:
    for before, after in change.workspaces():
        old = before.workspace_id if before and before.version == 4 else None
        if old is None or after is None or after.manifest is None or after.manifest.fault or after.workspace_id == old:
            continue
        if before and change.is_judged_elsewhere(before.root, before.manifest_path, after.manifest_path):
            continue
        new = whole(str(after.manifest.values.get("workspace_id") or "nothing"))
        yield on_path(
            after, "FC708", after.manifest_path, after.manifest.span("workspace_id"), about=f"{old}>{new}", old=whole(old), new=new
        )
