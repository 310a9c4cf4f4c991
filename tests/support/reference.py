"""The reference library fcop in an environment of its own, fetched once by pip: it writes and reads for us, and is never imported here."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

VERSION = "4.0.5"
# The last of the 3 line, which v3 workspaces are written by.
VERSION_3 = "3.2.5"
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


class Reference:
    """The installed reference; `folder` holds it and all it needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, script: str, *arguments: str | Path, beside: Path | None = None, text: str = "") -> str:
        """What a Python script prints that runs with the reference, and with the modules of the folder `beside`; `text` is its input."""
        path = os.pathsep.join(str(folder) for folder in (self.folder, beside) if folder)
        env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", script, *map(str, arguments)]
        done = subprocess.run(command, env=env, input=text, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def load_reference(cache: Path, version: str = VERSION) -> Reference:
    """The reference, installed below `cache` unless it is there; tests that run beside each other install it once."""
    kept = cache / f"fcop-{version}"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _install(kept, version)
    return Reference(kept)


def read(reference: Reference, root: Path, paths: list[str]) -> dict[str, dict[str, Any]]:
    """What the reference reads of these envelopes of a project."""
    loaded: dict[str, dict[str, Any]] = json.loads(reference.run(_READER, root, *paths))
    return loaded


def _install(kept: Path, version: str) -> None:
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        target = Path(folder) / "installed"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(target)]
        done = subprocess.run([*command, f"fcop=={version}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
                pytest.fail(f"CI needs the reference library: {done.stderr}")
            pytest.skip("the reference library cannot be installed here")
        target.rename(kept)
