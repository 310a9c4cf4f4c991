"""Roots (FC7): what the prose of REPORTs names: other projects' folders, this one's absolute path, commits, product folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcoplint.checks.registry import ANY, rule
from fcoplint.checks.roots_references import in_project, whose
from fcoplint.findings import Edit, Finding, Fix, on
from fcoplint.model.envelope import Report
from fcoplint.model.nodes import Span
from fcoplint.model.relations import references
from fcoplint.model.targets import speaks_of_others
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.paths import parse
from fcoplint.protocol.places import PRODUCT_FOLDER
from fcoplint.protocol.prose import Token, absolute_paths, cited_commits, code_spans_and_links, is_object_id

_COMMIT_KEYS = ("commit", "commits", "base_commit", "head_commit", "merge_commit", "git_commit", "fix_commit", "sha")


@rule("FC712", "FC713", versions=ANY, of_changed=True)
def root_in_report(report: Report) -> Iterator[Finding]:
    roots = report.workspace.policy.roots
    if not (roots.home or roots.foreign) or report.document is None:
        return
    told: set[str] = set()
    for token in absolute_paths(_body(report), report.document.body_line):
        owner, root = whose(report.workspace, parse(token.text))
        if root is None or token.text in told or (owner == "foreign" and speaks_of_others(report)):
            continue
        told.add(token.text)
        code = "FC712" if owner == "foreign" else "FC713"
        inner = in_project(report, parse(token.text), root) if owner == "home" else None
        finding = on(
            report, code, _span(token), about=token.text, value=token.text, root=root.raw, relative=inner or "relative to the project"
        )
        yield replace(finding, fix=Fix((Edit(report.path, _span(token), inner),), "unsafe")) if inner else finding


@rule("FC715", versions=ANY, of_changed=True)
def unknown_commit_cited(workspace: Workspace) -> Iterator[Finding]:
    cited = {(report.path, token.text): (report, token) for report in workspace.reports for token in _commits(report)}
    known = workspace.state.surroundings.ground.know_commits(token.text for _, token in cited.values()) if cited else {}
    for report, token in cited.values():
        # None: a shallow clone, or no repository at all.
        if known[token.text] is False:
            yield on(report, "FC715", _span(token), about=token.text, value=token.text)


@rule("FC735", versions=ANY, of_changed=True)
def code_root_mode(report: Report) -> Iterator[Finding]:
    manifest = report.workspace.manifest
    if report.document is None or manifest is None or manifest.values.get("workspace_mode") != "root":
        return
    if f"{PRODUCT_FOLDER}/" not in report.document.body:
        return
    told: set[str] = set()
    for token in code_spans_and_links(_body(report), report.document.body_line):
        parts = parse(token.text).parts
        if len(parts) > 1 and parts[0] == PRODUCT_FOLDER and parse(token.text).is_relative and parts[1] not in told:
            told.add(parts[1])
            yield on(report, "FC735", _span(token), about=parts[1], value=token.text, slug=parts[1])


def _commits(report: Report) -> Iterator[Token]:
    for reference in references(report, *_COMMIT_KEYS):
        if is_object_id(reference.value.text):
            span = reference.value.span
            yield Token(reference.value.text.strip(), span.line, span.column)
    if report.document:
        yield from cited_commits(_body(report), report.document.body_line)


def _body(report: Report) -> list[str]:
    return [line.removesuffix("\r") for line in report.document.body.split("\n")] if report.document else []


def _span(token: Token) -> Span:
    return Span(token.line, token.column, token.line, token.column + len(token.text))
