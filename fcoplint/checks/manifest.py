"""Identity of the workspace (FC14x): what the manifest declares of mode, team, leader, roles and their layers (protocol.md A.1, B.2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from fcoplint.checks.registry import V1_V3, V1_V4, V4, rule
from fcoplint.findings import Finding, on_path
from fcoplint.model.location import Location
from fcoplint.model.manifest import Manifest
from fcoplint.model.nodes import Span
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import roles, v4
from fcoplint.protocol.facts import is_urn
from fcoplint.protocol.fields import PROTOCOL
from fcoplint.protocol.scalars import whole

_SHOWN = 80
_MODES = ("solo", "preset", "custom", "team")


@rule("FC141", versions=V1_V4)
def missing_manifest(workspace: Workspace) -> Iterator[Finding]:
    if workspace.manifest_path not in workspace.entries:
        when = "" if workspace.version >= 3 else "missing in v1 or v2"
        yield on_path(workspace, "FC141", workspace.manifest_path, about="missing", message="missing", when=when)


@rule("FC141", versions=V1_V4)
def unreadable_manifest(workspace: Workspace) -> Iterator[Finding]:
    manifest = workspace.manifest
    if manifest and manifest.fault and manifest.fault.kind != "too-large" and not manifest.is_lfs_pointer and not manifest.conflict_line:
        fault = manifest.fault
        yield on_path(workspace, "FC141", manifest.path, fault.span, about=fault.kind, message=fault.kind, detail=fault.detail)
    for key in manifest.duplicates if manifest else ():
        spans = manifest.duplicate_spans(key) if manifest else []
        span = spans[-1] if spans else Span(1, 1, 1, 1)
        when = "" if workspace.version == 4 else "duplicate key"
        yield on_path(
            workspace, "FC141", workspace.manifest_path, span, about=f"duplicate {key}", message="duplicate", when=when, key=whole(key)
        )


@rule("FC141", versions=V1_V3)
def bad_manifest_values(workspace: Workspace) -> Iterator[Finding]:
    manifest = workspace.manifest
    if manifest is None or manifest.fault:
        return
    yield from _mode(workspace, manifest)
    yield from _team_and_leader(workspace, manifest)
    yield from _roles(workspace, manifest)
    yield from _version(workspace, manifest)


@rule("FC141", versions=V4)
def bad_v4_manifest_values(workspace: Workspace) -> Iterator[Finding]:
    manifest = workspace.manifest
    if manifest is None or manifest.fault:
        return
    for key in v4.MANIFEST_KEYS:
        value = manifest.values.get(key)
        if value is None:
            yield on_path(workspace, "FC141", manifest.path, Span(1, 1, 1, 1), about=key, message="v4-absent", key=key)
        elif not _V4_VALUES[key](value):
            said = whole(json.dumps(value, ensure_ascii=False))[:_SHOWN]
            yield on_path(workspace, "FC141", manifest.path, manifest.span(key), about=f"{key}={said}", message=f"v4-{key}", value=said)


_V4_VALUES: dict[str, Callable[[object], bool]] = {
    "protocol": lambda value: value == PROTOCOL,
    "protocol_version": lambda value: value == v4.VERSION,
    "encoding": lambda value: value == v4.ENCODING,
    "workspace_id": is_urn,
    "profiles": lambda value: _are_profiles(value),
}


def _are_profiles(value: object) -> bool:
    """Whether a value is a list of texts that say something, each once."""
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        return False
    return len(set(value)) == len(value)


def _mode(workspace: Workspace, manifest: Manifest) -> Iterator[Finding]:
    mode = manifest.values.get("mode")
    if mode is None:
        yield on_path(workspace, "FC141", manifest.path, Span(1, 1, 1, 1), about="mode", message="mode-absent", when="mode absent")
    elif mode not in _MODES:
        yield on_path(workspace, "FC141", manifest.path, manifest.span("mode"), about=f"mode={mode}", message="mode", value=mode)


def _team_and_leader(workspace: Workspace, manifest: Manifest) -> Iterator[Finding]:
    for key in ("team", "leader"):
        value = manifest.values.get(key)
        if value is None:
            yield on_path(workspace, "FC141", manifest.path, Span(1, 1, 1, 1), about=key, message="absent", key=key)
        elif not isinstance(value, str) or not value.strip():
            yield on_path(workspace, "FC141", manifest.path, manifest.span(key), about=f"{key}={value}", message="not-text", key=key)
    leader = manifest.leader
    if leader and manifest.roles and leader not in manifest.roles:
        span = manifest.span("leader")
        yield on_path(
            workspace,
            "FC141",
            manifest.path,
            span,
            about=f"leader={leader}",
            message="leader",
            value=leader,
            roles=", ".join(sorted(manifest.roles)),
        )


def _roles(workspace: Workspace, manifest: Manifest) -> Iterator[Finding]:
    declared = manifest.values.get("roles")
    if declared is None:
        yield on_path(workspace, "FC141", manifest.path, Span(1, 1, 1, 1), about="roles", message="absent", key="roles")
        return
    if not isinstance(declared, list) or not declared:
        yield on_path(workspace, "FC141", manifest.path, manifest.span("roles"), about="roles", message="roles")
        return
    seen: set[str] = set()
    for number, (code, _) in enumerate(manifest.role_entries):
        span = manifest.span("roles", number)
        if code is None or not roles.is_role(code):
            said = "(not text)" if code is None else code
            yield on_path(workspace, "FC141", manifest.path, span, about=f"role {said}", message="role", value=said)
        elif code in seen:
            yield on_path(workspace, "FC141", manifest.path, span, about=f"twice {code}", message="role-twice", value=code)
        elif code == roles.TEAM:
            yield on_path(workspace, "FC141", manifest.path, span, about="TEAM", message="role-team", when="role TEAM")
        seen.add(code or "")


def _version(workspace: Workspace, manifest: Manifest) -> Iterator[Finding]:
    value = manifest.values.get("version")
    if value is None:
        return
    span = manifest.span("version")
    if isinstance(value, str):
        yield on_path(
            workspace, "FC141", manifest.path, span, about=f"version={value}", message="version-text", when="version a string", value=value
        )
    elif not isinstance(value, int) or isinstance(value, bool) or value < 1:
        yield on_path(workspace, "FC141", manifest.path, span, about=f"version={value}", message="version", value=value)


@rule("FC142", versions=V1_V3)
def reserved_role(workspace: Workspace) -> Iterator[Finding]:
    for number, code, keys in _role_entries(workspace):
        if code in roles.RESERVED:
            yield _on_role(workspace, "FC142", number, about=code, role=code)
        elif _layer(keys) == roles.ADMIN_LAYER:
            yield _on_role(workspace, "FC142", number, "layer", about=f"{code} layer", message="layer", role=code)


@rule("FC143", versions=V1_V3)
def authority_word_role(workspace: Workspace) -> Iterator[Finding]:
    for number, code, _ in _role_entries(workspace):
        if code in roles.AUTHORITY_WORDS:
            yield _on_role(workspace, "FC143", number, about=code, role=code)


@rule("FC144", versions=V1_V3)
def bad_layer(workspace: Workspace) -> Iterator[Finding]:
    for number, code, keys in _role_entries(workspace):
        layer = _layer(keys)
        if code in roles.RESERVED or layer == roles.ADMIN_LAYER:
            continue
        if layer is not None and layer not in roles.LAYERS:
            said = str(keys["layer"])
            yield _on_role(
                workspace, "FC144", number, "layer", about=f"{code} layer={said}",
                role=code, value=said, layers=" or ".join(roles.LAYERS),
            )  # fmt: skip
        for key in ("can", "cannot"):
            yield from _capabilities(workspace, number, code, key, keys.get(key))


def _capabilities(workspace: Workspace, number: int, role: str, key: str, said: object) -> Iterator[Finding]:
    """What a role may or may not do, held against the ten words of ADR-0020; one text stands for a list of one."""
    tokens = said if isinstance(said, list) else [] if said is None else [said]
    for place, token in enumerate(tokens):
        if token not in roles.CAPABILITIES:
            yield _on_role(
                workspace, "FC144", number, key, place, about=f"{role} {key}={token}", message="capability", when="capability token",
                role=role, key=key, value=str(token), known=", ".join(sorted(roles.CAPABILITIES)),
            )  # fmt: skip


def _role_entries(workspace: Workspace) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(place in the list, code, other keys) of each declared role that has a code; what is amiss with the rest is FC141's."""
    for number, (code, keys) in enumerate(workspace.manifest.role_entries if workspace.manifest else ()):
        if code is not None:
            yield number, code, keys


def _layer(keys: dict[str, Any]) -> str | None:
    """The layer a role declares, `admin` in any case; None for none, which means worker."""
    said = keys.get("layer")
    if said in (None, ""):
        return None
    return roles.ADMIN_LAYER if str(said).strip().lower() == roles.ADMIN_LAYER else str(said)


def _on_role(
    workspace: Workspace, code: str, number: int, *inside: str | int, about: str, message: str = "default", when: str = "", **said: str
) -> Finding:
    """A finding at a role of the manifest, or at a place inside its entry."""
    span = workspace.manifest.span("roles", number, *inside) if workspace.manifest else None
    return Finding(
        code, Location(workspace.manifest_path, span), workspace.relative(workspace.manifest_path), about, message, when, said,
        workspace=workspace.root,
    )  # fmt: skip
