"""What a change does to its surroundings: the manifest's powers, the linter's own configuration, work without a record."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Finding, on_path
from fcoplint.model.change import Change
from fcoplint.model.location import Location
from fcoplint.model.manifest import Manifest
from fcoplint.model.workspace import Workspaces
from fcoplint.settings import BASELINE
from fcoplint.source.snapshot import Snapshot, read_one

CONFIGURATION = ".fcoplint.toml"
_PROJECT = "pyproject.toml"
_LISTED = 3


@rule("FC813", versions=ANY, additive=True)
def manifest_changed(change: Change) -> Iterator[Finding]:
    for before, after in change.workspaces():
        if before is None or after is None or before.manifest is None or after.manifest is None:
            continue
        if before.manifest.fault or after.manifest.fault:
            continue
        old, new = _powers(before.manifest), _powers(after.manifest)
        for key, value in new.items():
            if key in old and old[key] != value:
                span = after.manifest.span(*_place(after.manifest, key))
                yield on_path(after, "FC813", after.manifest_path, span, about=f"{key}={value}", key=key, old=old[key], new=value)


@rule("FC816", versions=ANY, default=False, additive=True)
def untracked_work(change: Change) -> Iterator[Finding]:
    roots = [workspace.root for side in (change.before, change.after) for workspace in side]
    inside = {path for path in change.changed_paths for root in roots if not root or path.startswith(f"{root}/")}
    product = sorted(change.changed_paths - inside)
    if roots and product and not inside:
        listed = ", ".join(product[:_LISTED]) + (", …" if len(product) > _LISTED else "")
        yield Finding("FC816", Location(product[0]), product[0], about="product", parameters={"count": len(product), "files": listed})


@rule("FC817", versions=ANY, additive=True)
def configuration_changed(change: Change) -> Iterator[Finding]:
    if not change.before.found:
        # Nothing was judged before there was a workspace.
        return
    baselines = _baselines(change.before) | _baselines(change.after) if change.changed_paths else set()
    for path in sorted(change.changed_paths):
        name = path.rpartition("/")[2]
        if name in (CONFIGURATION, BASELINE) or path in baselines:
            message = "default" if name == CONFIGURATION else "baseline"
        elif name == _PROJECT and len({repr(_table(name, _read(side.snapshot, path))) for side in (change.before, change.after)}) > 1:
            message = "project"
        else:
            continue
        yield Finding("FC817", Location(path), path, about=message, message=message)


def _powers(manifest: Manifest) -> dict[str, str]:
    """What the manifest decides about who may do what, each as text; a role's layer only where the role is declared."""
    values = manifest.values
    mode = values.get("mode")
    decided = {
        "mode": "preset" if mode in (None, "team") else _shown(mode),
        "leader": _shown(values.get("leader")),
        "roles": ", ".join(sorted(manifest.roles)),
        "profiles": _shown(values.get("profiles")),
    }
    return decided | {f"layer of {code}": _shown(entry.get("layer", "worker")) for code, entry in manifest.role_entries if code}


def _place(manifest: Manifest, key: str) -> tuple[str | int, ...]:
    if not key.startswith("layer of "):
        return (key,)
    return ("roles", [code for code, _ in manifest.role_entries].index(key.removeprefix("layer of ")))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else "nothing" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _baselines(state: Workspaces) -> set[str]:
    """The baseline files that the configurations above a workspace name, relative to the folder of each."""
    found = set()
    for folder in {folder for workspace in state for folder in _above(workspace.root)}:
        for name in (CONFIGURATION, _PROJECT):
            content = _read(state.snapshot, f"{folder}{name}")
            table = _table(name, content) if content and b"baseline" in content else None
            baseline = table.get("baseline") if isinstance(table, dict) else None
            if isinstance(baseline, str):
                found.add(folder + baseline)
    return found


def _above(root: str) -> Iterator[str]:
    """The folders above a workspace, each with its slash; "" is the repository's root."""
    while root:
        root = root.rpartition("/")[0]
        yield f"{root}/" if root else ""


def _read(snapshot: Snapshot, path: str) -> bytes | None:
    content = read_one(snapshot, path)
    return content if isinstance(content, bytes) else None


def _table(name: str, content: bytes | None) -> object:
    """fcoplint's own table of a configuration file, None where it has none; the bytes where they are no TOML."""
    if content is None or (name == _PROJECT and b"fcoplint" not in content):
        return None
    # Only here: start-up must not pay for what few commits touch.
    import tomllib

    try:
        loaded = tomllib.loads(content.decode("utf-8"))
    except ValueError:
        return content
    return loaded if name == CONFIGURATION else loaded.get("tool", {}).get("fcoplint")
