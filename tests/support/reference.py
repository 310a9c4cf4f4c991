"""The reference library fcop 3.2.5 in an environment of its own, made once and kept in pytest's cache folder."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

VERSION = "3.2.5"
# Reads every file that it is given with the reader of its type; the answer is one JSON object: path to fields, or to a complaint.
_READER = """
import json, sys
from fcop.core.frontmatter import parse_review_frontmatter, parse_task_frontmatter
from fcop.project import Project
root, paths = sys.argv[1], sys.argv[2:]
project = Project(root)
said = {}
for path in paths:
    name = path.rpartition("/")[2]
    text = open(f"{root}/{path}", encoding="utf-8", newline="").read()
    try:
        if name.startswith("TASK"):
            front, _ = parse_task_frontmatter(text)
            said[path] = {"sender": front.sender, "recipient": front.recipient, "events": len(front.extra.get("transitions", []))}
        elif name.startswith("REPORT"):
            report = project.read_report(name)
            said[path] = {"sender": report.reporter, "recipient": report.recipient, "status": report.status}
        elif name.startswith("ISSUE"):
            issue = project.read_issue(name)
            said[path] = {"sender": issue.reporter, "severity": str(getattr(issue.severity, "value", issue.severity))}
        else:
            front, _ = parse_review_frontmatter(text)
            said[path] = {"sender": front["reviewer_role"], "decision": front["decision"]}
    except Exception as error:
        said[path] = {"complaint": f"{type(error).__name__}: {error}"}
print(json.dumps(said))
"""


def build(folder: Path) -> Path:
    """The interpreter of an environment that holds the reference; the test is skipped where it cannot be had, but not in CI."""
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"fcop=={VERSION}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            message = f"the reference library cannot be installed here: {done.stderr.strip().splitlines()[-1:]}"
            pytest.fail(message) if os.environ.get("FCOPLINT_REQUIRE_SHARED") else pytest.skip(message)
        ready.touch()
    return python


def read(python: Path, root: Path, paths: list[str]) -> dict[str, dict[str, Any]]:
    """What the reference reads of these envelopes of a project."""
    done = subprocess.run([str(python), "-c", _READER, str(root), *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return loaded
