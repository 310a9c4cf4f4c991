"""What only one machine can use, and what a runtime writes down about roots (roots.md 1, rows 8 to 19). Data and pure functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fcoplint.protocol.paths import Form, Identity, Verdict, escapes, judge, normalise, parse
from fcoplint.protocol.scalars import whole

# (what it is, the line for .gitignore, the pattern) of state that must not be committed.
_STATE: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (what, line, re.compile(pattern))
    for what, line, pattern in (
        ("the record of a running instance", ".codeflowmu/instance.json", r"(?:.*/)?\.codeflowmu/(?:.*/)?instance\.json"),
        ("a registry of projects", "projects-registry.json", r"(?:.*/)?projects-registry\.json"),
        ("the lock of a running writer", ".runtime-writer.lock", r"(?:.*/)?\.runtime-writer\.lock"),
        ("the lock of a running instance", ".codeflowmu/*.lock", r"(?:.*/)?\.codeflowmu/(?:.*/)?[\w.-]+\.lock"),
        ("the leases of running writers", ".codeflowmu/project-write-barrier/", r"(?:.*/)?\.codeflowmu/project-write-barrier/.*"),
        ("the record of a migration", ".codeflowmu/migrations/", r"(?:.*/)?\.codeflowmu/migrations/.*"),
        ("the agents of a running instance", "agents.json", r"(?:.*/)?\.codeflowmu/(?:.*/)?agents\.json"),
        ("the state of sessions", ".codeflowmu/state/", r"(?:.*/)?\.codeflowmu/(?:v\d+/)?state/.*"),
        ("a transcript", ".codeflowmu/", r"(?:.*/)?\.codeflowmu/(?:.*/)?(?:transcripts?|sessions)/.*"),
    )
)
# What a path must hold to be asked about at all.
STATE_NEEDLES = (".codeflowmu/", "projects-registry.json", ".runtime-writer.lock")
_EXAMPLE = re.compile(r"(?:.*/)?(?:[^/]*\.(?:example|sample|template)(?:\.[^/]*)?|\.git(?:keep|ignore)|README(?:\.\w+)?)")
_FIXTURE_FOLDERS = frozenset({"fixtures", "__fixtures__", "testdata"})
BINDING_FILES = (".codeflowmu/instance.json", ".codeflowmu/runtime.lock", "fcop/.runtime-writer.lock", ".codeflowmu/.runtime-writer.lock")
ACTION_LOG = re.compile(r"(?:.*/)?logs/runtime/actions-\d{8}\.jsonl")
LEDGER = re.compile(r"(?:.*/)?_?ledger/(?:tasks|reports|threads)\.jsonl")
_MAX_ROWS = 20_000
# What a recorder may rightly name outside the project: temporary folders and the tools themselves.
_SYSTEM_FOLDERS = frozenset({"tmp", "usr", "bin", "dev", "opt", "var", "windows", "program files", "program files (x86)"})
_TOOL_FOLDERS = frozenset({"temp", "appdata", "nodejs", "site-packages", "node_modules"})


class Row(NamedTuple):
    """One line of a JSONL file that holds an object."""

    line: int
    values: Mapping[str, Any]


class Fault(NamedTuple):
    """Something wrong in what a runtime wrote: `kind` is a message of the rule, then the key, the value, and what it meets."""

    kind: str
    key: str
    value: str
    other: str = ""


def machine_state(path: str) -> tuple[str, str] | None:
    """(what it is, its line for .gitignore) of a path that is one machine's state; None for all others, examples and fixtures."""
    if _EXAMPLE.fullmatch(path) or not _FIXTURE_FOLDERS.isdisjoint(path.split("/")):
        return None
    return next(((what, line) for what, line, pattern in _STATE if pattern.fullmatch(path)), None)


def read_rows(data: bytes) -> Iterator[Row]:
    """The objects of a JSONL file; lines that are none are passed by."""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n")[:_MAX_ROWS], 1):
        if line.lstrip().startswith("{"):
            try:
                values = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(values, dict):
                yield Row(number, {key: whole(value) if isinstance(value, str) else value for key, value in values.items()})


def binding_fault(values: Mapping[str, Any], root: Identity | None, identify: Callable[[str], Identity | None]) -> Fault | None:
    """FC731: an instance's or a lock's `project_root` that is not this project's. `identify` asks the disk; unknown is no fault."""
    said = values.get("project_root")
    if not isinstance(said, str) or judge(identify(said), root) is not Verdict.DIFFERENT:
        return None
    return Fault("default", "project_root", whole(said), root.real if root else "")


def registry_faults(
    values: Mapping[str, Any],
    root: Identity | None,
    identify: Callable[[str], Identity | None],
    holds_workspace_above: Callable[[str], str | None] = lambda path: None,
) -> Iterator[Fault]:
    """FC732: what is wrong with a registry of projects. A root that this machine cannot look at is no fault.

    `holds_workspace_above` gives the workspace of another project in which a root lies.
    """
    listed = values.get("projects")
    projects = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    roots = {whole(str(item.get("id"))): whole(item["root"]) for item in projects if isinstance(item.get("root"), str)}
    said = values.get("activeProjectId")
    active = whole(said) if isinstance(said, str) else None
    if active is not None and active not in roots:
        yield Fault("not-listed", "activeProjectId", active)
    known: dict[str, tuple[str, Identity]] = {}
    for name, written in roots.items():
        found = identify(written)
        if found is None:
            if name == active and parse(written).form is Form.POSIX:
                yield Fault("missing", f"projects.{name}.root", written)
            continue
        twin = next((other for other, (_, seen) in known.items() if judge(seen, found) is Verdict.SAME), None)
        if twin is not None:
            yield Fault("twice", f"projects.{name}.root", written, twin)
        known[name] = (written, found)
        around = holds_workspace_above(written)
        if around:
            yield Fault("inside", f"projects.{name}.root", written, around)
        if name == active and judge(found, root) is Verdict.DIFFERENT:
            yield Fault("default", f"projects.{name}.root", written, root.real if root else "")


def log_faults(
    rows: Iterable[Row], root: Identity | None, identify: Callable[[str], Identity | None], is_here: Callable[[str], bool]
) -> Iterator[tuple[Row, Fault]]:
    """FC740: rows of an action log that tell of work outside the project; each fault once."""
    told: set[Fault] = set()
    for row in rows:
        for fault in _row_faults(row.values, root, identify, is_here):
            if fault not in told:
                told.add(fault)
                yield row, fault


def ledger_faults(rows: Iterable[Row]) -> Iterator[tuple[Row, Fault]]:
    """FC742: paths of a ledger that do not stay in the workspace; each once."""
    told: set[str] = set()
    for row in rows:
        for key in ("path", "lifecycle_path"):
            said = row.values.get(key)
            if isinstance(said, str) and said and said not in told and _leaves(said):
                told.add(said)
                yield row, Fault("default", key, said)


def _row_faults(
    values: Mapping[str, Any], root: Identity | None, identify: Callable[[str], Identity | None], is_here: Callable[[str], bool]
) -> Iterator[Fault]:
    path, cwd = values.get("path"), values.get("cwd")
    # The recorder leaves `../` or a drive in a path exactly where it lies outside.
    if isinstance(path, str) and _leaves(path) and not _is_tool(path):
        yield Fault("default", "path", path)
    if isinstance(cwd, str) and cwd and not _is_tool(cwd) and _is_outside(cwd, root, identify):
        yield Fault("default", "cwd", cwd)
    for key in ("task_id", "report_id"):
        said = values.get(key)
        if isinstance(said, str) and said and not is_here(said):
            yield Fault("id", key, said)


def _is_outside(cwd: str, root: Identity | None, identify: Callable[[str], Identity | None]) -> bool:
    """Whether a folder is known to lie outside of the root; what cannot be looked at is not."""
    path = parse(cwd)
    if path.is_relative:
        return escapes(path.parts)
    found = identify(cwd)
    if found is None or root is None:
        return False
    return found.real != root.real and not found.real.startswith(root.real.rstrip("/\\") + ("\\" if "\\" in root.real else "/"))


def _leaves(text: str) -> bool:
    path = parse(text)
    return path.is_absolute or (path.is_relative and escapes(path.parts))


def _is_tool(text: str) -> bool:
    path = parse(text)
    parts = [part.lower() for part in normalise(path.parts)]
    return path.is_absolute and (not _SYSTEM_FOLDERS.isdisjoint(parts[:1]) or not _TOOL_FOLDERS.isdisjoint(parts))
