"""Small v4 workspaces, what is changed in them, and what is said of that."""

from __future__ import annotations

from collections.abc import Callable

from fcoplint import engine
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.workspace4 import Workspace4

Files = dict[str, bytes]
Edit = Callable[[Files], Files]


def small(*, facts: bool = False, to: str = "review") -> Files:
    """One TASK with the ordinary life up to a stage, its REPORT, and an ISSUE; without facts, so that nothing binds its bytes."""
    made = Workspace4(facts=facts)
    task = made.task()
    if to != "inbox":
        attempt = made.claim(task)
        if to == "review":
            made.submit(task, made.report(task, attempt))
        elif to in ("done", "archive"):
            made.to_done(task, attempt)
        if to == "archive":
            made.archive(task, attempt)
    made._write("ISSUE", "QA", "PM", {"subject_ref": task, "severity": "low", "references": []})
    return made.files


def path_of(files: Files, kind: str) -> str:
    """The path of the only file of a kind: TASK, REPORT, ISSUE, create, transition."""
    (found,) = (path for path in files if path.rpartition("/")[2].startswith(f"{kind}-") and not path.endswith(".lock"))
    return found


def stem_of(files: Files, kind: str) -> str:
    """The id of the only envelope of a kind."""
    return path_of(files, kind).rpartition("/")[2].removesuffix(".md")


def swap(kind: str, old: str, new: str) -> Edit:
    """An edit that puts other text in place of some, once, in the only file of a kind."""

    def edit(files: Files) -> Files:
        path = path_of(files, kind)
        text = files[path].decode()
        assert old in text, f"{old!r} is not in {path}"
        return {**files, path: text.replace(old, new, 1).encode()}

    return edit


def swap_bytes(kind: str, change: Callable[[bytes], bytes]) -> Edit:
    """An edit of the bytes of the only file of a kind."""
    return lambda files: {**files, path_of(files, kind): change(files[path_of(files, kind)])}


def move(kind: str, target: Callable[[str], str]) -> Edit:
    """An edit that moves the only file of a kind to what `target` makes of its path."""

    def edit(files: Files) -> Files:
        path = path_of(files, kind)
        return {**{other: data for other, data in files.items() if other != path}, target(path): files[path]}

    return edit


def report_on(files: Files, links: dict[str, str] | None = None) -> Report:
    """The audit of a state."""
    return engine.audit(MemorySnapshot(files, links or {}), Settings())


def said(files: Files, links: dict[str, str] | None = None) -> set[tuple[str, str]]:
    """(code, severity) of all that an audit says above information, and of what is read by nobody."""
    found = report_on(files, links).findings
    return {(item.rule.code, item.severity) for item in found if item.severity != "info"}


def change(before: Files, after: Files) -> set[tuple[str, str]]:
    """(code, severity) of all that a change brings in."""
    found = engine.check([MemorySnapshot(before)], MemorySnapshot(after), Settings()).findings
    return {(item.rule.code, item.severity) for item in found if item.severity != "info"}
