"""Trees for the tests of the rules about roots: a project with a TASK, REPORTs that refer to things, server configurations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from fcoplint import engine
from fcoplint.model.policy import Policy, Roots
from fcoplint.report import Reported
from fcoplint.settings import Settings
from fcoplint.source.ground import Disk, Ground, Nowhere
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import TEAM, task_text

TASK = "TASK-20261001-001-PM-to-DEV"
REPORT = "REPORT-20261002-001-DEV-to-PM"
Found = list[Reported]


def project(folder: str = "", layout: str = "fcop", **manifest: object) -> dict[str, str]:
    """A workspace with one TASK, in a project's folder."""
    root = f"{folder}/{layout}".lstrip("/")
    return {f"{root}/fcop.json": json.dumps(TEAM | manifest), f"{root}/_lifecycle/inbox/{TASK}.md": task_text()}


def report(*references: str, body: str = "Done.", root: str = "fcop", **fields: str) -> dict[str, str]:
    """A REPORT on that TASK, with further references and fields."""
    listed = "".join(f"- {json.dumps(text)}\n" for text in (TASK, *references))
    more = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
    text = f"---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences:\n{listed}status: done\n{more}---\n\n{body}\n"
    return {f"{root}/reports/{REPORT}.md": text}


def server(env: Mapping[str, str] | None = None, **more: object) -> str:
    """An MCP configuration with one FCoP server."""
    return json.dumps({"mcpServers": {"fcop": {"command": "uvx", "args": ["fcop-mcp"], "env": dict(env or {}), **more}}})


def found(
    files: Mapping[str, str], *codes: str, links: Mapping[str, str] | None = None, roots: Roots | None = None,
    ground: Ground | None = None, ignore: tuple[str, ...] = (),
) -> Found:  # fmt: skip
    """The findings of these codes (all of FC7 where none is named) in a tree."""
    snapshot = MemorySnapshot({path: text.encode() for path, text in files.items()}, dict(links or {}))
    settings = Settings(
        select=codes or ("FC7",), policy=Policy(roots=roots or Roots()), ground=ground or Nowhere(), roots_ignore=ignore
    )  # fmt: skip
    report = engine.audit(snapshot, settings)
    assert "FC000" not in {item.rule.code for item in report.findings}, [item.message for item in report.findings]
    # Every text must have what its template asks for.
    assert all(item.message and item.help and all(item.next) for item in report.findings)
    return list(report.findings)


def on_disk(folder: Path, files: Mapping[str, str]) -> Disk:
    """The same files on the disk, as the ground of a snapshot."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return Disk(str(folder.resolve()))


def codes(items: Found) -> list[tuple[str, str]]:
    """(code, severity) of each finding, in their order."""
    return [(item.rule.code, item.severity) for item in items]
