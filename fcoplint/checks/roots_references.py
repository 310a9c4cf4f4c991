"""Roots (FC7): do references and evidence lie in the envelope's own project? Fields of front matter, and links on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from fcoplint.checks.evidence import dangling_references, found_elsewhere
from fcoplint.checks.path import links_that_matter
from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Edit, Finding, Fix, Related, on, on_path
from fcoplint.model.envelope import Envelope, Report, Task
from fcoplint.model.links import follow
from fcoplint.model.location import Location
from fcoplint.model.nodes import Scalar, Span
from fcoplint.model.targets import Cited, as_path, bases, belongs, cited_paths, lead
from fcoplint.model.workspace import Workspace, Workspaces
from fcoplint.protocol.paths import WrittenPath, below, parse, resolve_below
from fcoplint.protocol.places import PRODUCT_FOLDER, is_workspace_folder
from fcoplint.protocol.prose import links
from fcoplint.source.snapshot import Kind

_PLAIN_YAML = re.compile(r"[A-Za-z0-9_./][\w./@+-]*", re.ASCII)


@rule("FC704", "FC711", "FC714", "FC716", versions=ANY, of_changed=True)
def evidence_path(envelope: Envelope) -> Iterator[Finding]:
    for cited in cited_paths(envelope):
        if cited.path.is_relative:
            yield from _judge_relative(envelope, cited)


@rule("FC705", versions=ANY, of_changed=True)
def reference_in_other_workspace(envelope: Envelope) -> Iterator[Finding]:
    for reference in dangling_references(envelope):
        found = found_elsewhere(envelope, reference)
        if found:
            there = found[0]
            when = "workspace_id differs" if _ids_differ(envelope.workspace, there.workspace) else ""
            yield on(
                envelope, "FC705", reference.value, about=f"{reference.key}={reference.value.text}", when=when,
                related=(Related(there.file, there.kind),), key=reference.key, value=reference.value.text, other=there.path,
            )  # fmt: skip


@rule("FC710", versions=ANY, of_changed=True)
def absolute_evidence_path(envelope: Envelope) -> Iterator[Finding]:
    for cited in cited_paths(envelope):
        if cited.path.is_absolute:
            owner, root = whose(envelope.workspace, cited.path)
            inner = in_project(envelope, cited.path, root) if owner == "home" and root else None
            finding = on(
                envelope, "FC710", cited.value, about=f"{cited.key}={cited.value.text}", message=owner, when=f"{_OWNERS[owner]}",
                key=cited.key, value=cited.value.text, root=root.raw if root else "", relative=inner or "a path relative to the project",
            )  # fmt: skip
            yield replace(finding, fix=_relative(envelope, cited.value, inner) if inner else None)


@rule("FC711", versions=ANY, of_changed=True)
def link_climbs_out(report: Report) -> Iterator[Finding]:
    if not report.document or "](" not in report.document.body:
        return
    told: set[str] = set()
    for token in links(report.document.body.split("\n"), report.document.body_line):
        path = as_path(report, token.text) if token.text.startswith("..") else None
        if path and path.is_relative and token.text not in told:
            where = lead(report, path)
            if where.path is None and not where.inside and not where.leaves_by:
                told.add(token.text)
                span = Span(token.line, token.column, token.line, token.column + len(token.text))
                yield on(report, "FC711", span, about=f"link {token.text}", message="link", when="body link", value=token.text)


@rule("FC714", versions=ANY)
def link_leaves_root(workspace: Workspace) -> Iterator[Finding]:
    for path in links_that_matter(workspace):
        if follow(workspace.state, path).leaves_by:
            yield on_path(workspace, "FC714", path, about="link", target=workspace.link_target(path))


@rule("FC714", versions=ANY)
def workspace_leaves_root(workspaces: Workspaces) -> Iterator[Finding]:
    # A link inside a workspace is judged with that.
    found = (path for path, entry in workspaces.snapshot.entries.items() if entry.kind is Kind.LINK and is_workspace_folder(path))
    for path in found:
        if not any(belongs(path, workspace.root) for workspace in workspaces) and follow(workspaces, path).leaves_by:
            target = workspaces.links[path]
            yield Finding("FC714", Location(path), path, about="link", message="workspace", parameters={"target": target})


_OWNERS = {"home": "declared home", "foreign": "declared foreign", "unknown": "unknown root"}


def whose(workspace: Workspace, path: WrittenPath) -> tuple[str, WrittenPath | None]:
    """Whose root an absolute path lies under: home, foreign or unknown, and that root; of several the innermost decides."""
    roots = workspace.policy.roots
    declared = [("home", parse(text)) for text in roots.home] + [("foreign", parse(text)) for text in roots.foreign]
    fitting = [(len(root.parts), owner, root) for owner, root in declared if below(path, root) is not None]
    if not fitting:
        return "unknown", None
    _, owner, root = max(fitting, key=lambda item: item[0])
    return owner, root


def in_project(envelope: Envelope, path: WrittenPath, root: WrittenPath) -> str | None:
    """A path below a home root as one relative to the project, where that leads to something here."""
    rest = below(path, root)
    if not rest:
        return None
    inside = resolve_below(envelope.workspace.project, rest)
    return "/".join(rest) if inside is not None and envelope.workspace.state.holds(inside) else None


def _judge_relative(envelope: Envelope, cited: Cited) -> Iterator[Finding]:
    where = lead(envelope, cited.path)
    about, key, value = f"{cited.key}={cited.value.text}", cited.key, cited.value.text
    if where.path is not None and not _is_foreign(envelope, where.path):
        return
    if where.path is not None:
        related = (Related(Location(where.path), "target"),)
        yield on(envelope, "FC704", cited.value, about=about, related=related, key=key, value=value, other=where.path)
    elif where.leaves_by:
        target = envelope.workspace.state.links[where.leaves_by]
        yield on(
            envelope, "FC714", cited.value, about=about, message="evidence", when="cited evidence",
            key=key, value=value, link=where.leaves_by, target=target,
        )  # fmt: skip
    elif not where.inside:
        yield on(envelope, "FC711", cited.value, about=about, when="front matter", key=key, value=value)
    elif _should_be_here(envelope, cited):
        yield _not_found(envelope, cited)


def _should_be_here(envelope: Envelope, cited: Cited) -> bool:
    """Whether a path that leads to nothing is a fault.

    A TASK may name what it asks for. An envelope goes from folder to folder, and a path that ends in its id leads to it
    wherever it lies now. Of a workspace that was taken out of its repository nobody can tell what lay beside it.
    """
    state = envelope.workspace.state
    return not isinstance(envelope, Task) and not envelope.workspace.relations.resolve(cited.value.text) and not state.is_extract


def _not_found(envelope: Envelope, cited: Cited) -> Finding:
    product = PRODUCT_FOLDER in cited.path.parts[:2]
    ignored = product or _is_ignored(envelope, cited.path)
    return on(
        envelope, "FC716", cited.value, about=f"{cited.key}={cited.value.text}", when="git-ignored, workspace/" if ignored else "",
        message="product" if product else "ignored" if ignored else "default", key=cited.key, value=cited.value.text,
    )  # fmt: skip


def _is_ignored(envelope: Envelope, path: WrittenPath) -> bool:
    candidates = [found for base in bases(envelope) if (found := resolve_below(base, path.parts))]
    return bool(envelope.workspace.state.surroundings.ground.are_ignored(candidates))


def _is_foreign(envelope: Envelope, path: str) -> bool:
    """Whether a path lies in another workspace."""
    workspace = envelope.workspace
    return not belongs(path, workspace.root) and any(belongs(path, sibling.root) for sibling in workspace.siblings)


def _ids_differ(one: Workspace, other: Workspace) -> bool:
    mine, theirs = (side.manifest.values.get("workspace_id") if side.manifest else None for side in (one, other))
    return mine is not None and theirs is not None and mine != theirs


def _relative(envelope: Envelope, value: Scalar, relative: str) -> Fix | None:
    """The edit that writes a path relative; none where the value goes over several lines."""
    if value.span.line != value.span.end_line:
        return None
    text = relative if _PLAIN_YAML.fullmatch(relative) else json.dumps(relative, ensure_ascii=False)
    return Fix((Edit(envelope.path, value.span, text),), "safe")
