"""What lies beside the envelopes: drafts, strays, product folders, internal papers (FC104, FC207, FC213, FC214)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fcoplint.checks.mending import declare_internal
from fcoplint.checks.registry import V1_V3, V3_V4, rule
from fcoplint.findings import Finding, on_path
from fcoplint.model.document import Document
from fcoplint.model.location import Location
from fcoplint.model.nodes import Scalar, Span
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import names, places
from fcoplint.protocol.facts import is_create_lock, is_fact
from fcoplint.protocol.places import HOME_FOLDER
from fcoplint.source.snapshot import Kind

# What lies here is over in the older layouts, and the reference's audit passes it by.
_SET_ASIDE = ("log", "_archive")
_INTERNAL = "internal/"
# The reference looks for the words alone, in the first 4096 characters; ADR-0034's Chinese banner counts as well.
_HEAD = 4096
_DECLARATION = re.compile(r"internal_only:\s*['\"]?(?i:true)|INTERNAL ONLY|内部档案", re.ASCII)


@rule("FC104", versions=V1_V3)
def ghost_prefix(workspace: Workspace) -> Iterator[Finding]:
    for path in workspace.entries:
        place, filename = workspace.place(path), path.rpartition("/")[2]
        if place.kind in _SET_ASIDE or not (place.holds_envelopes or place.kind == "root"):
            continue
        prefix = names.ghost_prefix(filename)
        if prefix:
            yield _on_file(workspace, "FC104", path, about="ghost", prefix=f"{prefix}-")


@rule("FC207", versions=V3_V4)
def stray_file(workspace: Workspace) -> Iterator[Finding]:
    envelopes = {envelope.path for envelope in workspace.envelopes}
    for path, entry in workspace.entries.items():
        if entry.kind is Kind.FILE and path not in envelopes:
            message = _stray_in_v4(workspace, path) if workspace.version == 4 else _stray(workspace, path)
            if message:
                yield _on_file(workspace, "FC207", path, about="stray", message=message)


def _stray(workspace: Workspace, path: str) -> str | None:
    """Which message a file that is no envelope deserves; None where it lies here lawfully, or another rule speaks of it."""
    place, filename = workspace.place(path), path.rpartition("/")[2]
    if filename.startswith(".") or places.is_temporary(filename) or names.ghost_prefix(filename):
        return None
    if (place.holds_envelopes or place.kind == "root") and names.looks_like_envelope(filename):
        return None if place.kind in _SET_ASIDE else "look-alike"
    if place.kind == "root":
        if path == workspace.manifest_path or places.is_document(filename):
            return None
        return "manifest" if filename.lower().endswith(".json") else "root"
    # A sub-folder of a stage may hold papers of its own, with a README (protocol.md V3-W12).
    beside_tasks = place.kind in ("stage", "lifecycle") and place.depth == 0
    return "stage" if beside_tasks and not filename.upper().startswith("README") else None


def _stray_in_v4(workspace: Workspace, path: str) -> str | None:
    """The same of v4, whose buckets hold nothing but envelopes, and `operations/` nothing but facts and their locks."""
    place, filename = workspace.place(path), path.rpartition("/")[2]
    if filename.startswith(".") or places.is_temporary(filename):
        return None
    if place.kind == places.OPERATIONS:
        return None if is_fact(filename) or is_create_lock(filename) or names.parse_v4_kind(filename) else "operations"
    if place.kind == places.COLD:
        return None if names.parse_v4_kind(filename) == "TASK" else "cold"
    if place.kind in ("stage", *HOME_FOLDER.values()):
        return "look-alike" if names.looks_like_envelope(filename) else "bucket"
    return _stray(workspace, path)


@rule("FC207", versions=V3_V4)
def stray_folder(workspace: Workspace) -> Iterator[Finding]:
    folders = {workspace.relative(path).partition("/")[0] for path in workspace.entries if "/" in workspace.relative(path)}
    for folder in sorted(folders - workspace.edition.folders):
        if not folder.startswith("."):
            yield on_path(workspace, "FC207", workspace.path(folder), about=folder, message="folder", folder=folder)


@rule("FC213", versions=V1_V3)
def bad_workspace_slug(workspace: Workspace) -> Iterator[Finding]:
    above = _project_root(workspace)
    if above is None:
        return
    start = f"{above}{places.PRODUCT_FOLDER}/"
    inside = (path[len(start) :] for path in workspace.snapshot.entries if path.startswith(start))
    slugs = {path.partition("/")[0] for path in inside if "/" in path}
    for slug in sorted(slugs):
        if not slug.startswith(".") and not places.is_product_slug(slug):
            message = "reserved" if slug in places.RESERVED_SLUGS else "default"
            said = {"slug": slug, "reserved": ", ".join(sorted(places.RESERVED_SLUGS))}
            yield Finding("FC213", Location(start + slug), start + slug, "slug", message, parameters=said, workspace=workspace.root)


def _project_root(workspace: Workspace) -> str | None:
    """The folder that holds `fcop/` or `docs/agents/`, with its slash; None where the snapshot begins at the workspace itself."""
    if not workspace.root:
        return None
    name = "docs/agents" if workspace.root.endswith("docs/agents") else workspace.root.rpartition("/")[2]
    return workspace.root.removesuffix(name)


@rule("FC214", versions=V1_V3)
def undeclared_internal(workspace: Workspace) -> Iterator[Finding]:
    for path, document in workspace.read(_papers(workspace)):
        internal = workspace.relative(path).startswith(_INTERNAL)
        if internal and not _DECLARATION.search(document.text[:_HEAD]):
            finding = _on_file(workspace, "FC214", path, Span(1, 1, 1, 1), about="undeclared")
            yield replace(finding, fix=declare_internal(path, document))
        declared = None if internal else _declared_internal(document)
        if declared:
            yield _on_file(workspace, "FC214", path, declared.span, about="elsewhere", message="elsewhere")


def _on_file(
    workspace: Workspace, code: str, path: str, span: Span | None = None, *, about: str, message: str = "default", **said: str
) -> Finding:
    """A finding about a file that is no envelope, known by its name: where it is moved to, the fault is an old one."""
    return Finding(code, Location(path, span), path.rpartition("/")[2], about, message, parameters=said, workspace=workspace.root)


def _papers(workspace: Workspace) -> Iterator[str]:
    for path, entry in workspace.entries.items():
        if entry.kind is Kind.FILE and path.lower().endswith(".md"):
            yield path


def _declared_internal(document: Document) -> Scalar | None:
    """The value of `internal_only:` in front matter where it says true; words about it in the body say nothing."""
    if b"internal_only" not in document.data or document.front.mapping is None:
        return None
    value = document.front.mapping.get("internal_only")
    return value if isinstance(value, Scalar) and value.text.lower() == "true" else None
