"""Real git repositories with FCoP workspaces in them, and the tool run in them as a user runs it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import git
import jsonschema

from fcoplint.output.schema import schema

TEAM = {"mode": "preset", "team": "dev-team", "leader": "PM", "roles": ["PM", "DEV", "QA", "OPS"], "lang": "en", "version": 1}
INBOX = "fcop/_lifecycle/inbox"
T1 = f"{INBOX}/TASK-20261001-001-PM-to-DEV.md"
_SCHEMA = jsonschema.Draft202012Validator(schema())
IDENTITY = {
    "GIT_AUTHOR_NAME": "PM", "GIT_AUTHOR_EMAIL": "pm@example.org", "GIT_COMMITTER_NAME": "PM", "GIT_COMMITTER_EMAIL": "pm@example.org"
}  # fmt: skip


def task_text(sender: str = "PM", recipient: str = "DEV", **fields: str) -> str:
    """A lawful TASK in inbox, its roles those of the usual name; further fields go before the events."""
    extra = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return (
        f"---\nprotocol: fcop\nversion: 1\nsender: {sender}\nrecipient: {recipient}\n{extra}transitions:\n"
        f"- at: '2026-10-01T08:00:00+00:00'\n  from: null\n  to: inbox\n  by: {sender}\n  tool: create_task\n"
        "---\n\n# Build the form\n\nAcceptance: the check passes.\n"
    )


@dataclass(frozen=True)
class Ran:
    """What a run of the tool gave."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report on standard output, held against its schema."""
        loaded: dict[str, Any] = json.loads(self.out)
        _SCHEMA.validate(loaded)
        return loaded

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings of the JSON report."""
        found: list[dict[str, Any]] = self.report["findings"]
        return found

    @property
    def codes(self) -> list[str]:
        """The codes of the findings, in their order."""
        return [finding["code"] for finding in self.findings]


def run_tool(*args: str, cwd: str | Path, env: dict[str, str] | None = None, user: int | None = None) -> Ran:
    """Run fcoplint as its own process."""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(env or {})}
    done = subprocess.run([sys.executable, "-m", "fcoplint", *args], cwd=cwd, env=environ, capture_output=True, check=False, user=user)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Repo:
    """A git repository in a temporary folder."""

    def __init__(self, repo: git.Repo, path: Path) -> None:
        self._repo = repo
        self.path = path

    @classmethod
    def create(cls, path: Path, **options: Any) -> "Repo":
        """A new repository with branch main; `options` go to `git init`."""
        return cls(git.Repo.init(path, initial_branch="main", **options), path)

    @classmethod
    def at(cls, path: Path) -> "Repo":
        """A repository that is there already."""
        return cls(git.Repo(path), path)

    def git(self, *args: str, env: dict[str, str] | None = None) -> str:
        """Run git here; its output."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, env={**os.environ, **IDENTITY, **(env or {})}, capture_output=True, check=False
        )
        if done.returncode != 0:
            raise AssertionError(f"git {args}: {done.stderr.decode()}{done.stdout.decode()}")
        return os.fsdecode(done.stdout)

    def try_git(self, *args: str, env: dict[str, str] | None = None) -> Ran:
        """Run git here where it may fail."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, env={**os.environ, **IDENTITY, **(env or {})}, capture_output=True, check=False
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the working tree."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def add_team(self, root: str = "fcop") -> None:
        """A v3 workspace with one TASK in its inbox."""
        self.write(f"{root}/fcop.json", json.dumps(TEAM, indent=2) + "\n")
        self.write(f"{root}/_lifecycle/inbox/TASK-20261001-001-PM-to-DEV.md", task_text())

    def commit(self, message: str = "work") -> None:
        """Stage all and commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def run(self, *args: str, env: dict[str, str] | None = None) -> Ran:
        """Run fcoplint here."""
        return run_tool(*args, cwd=self.path, env=env)

    def check(self, *args: str, env: dict[str, str] | None = None) -> Ran:
        """`fcoplint check` with a JSON report."""
        return self.run("check", "--format", "json", *args, env=env)

    def audit(self, *args: str, env: dict[str, str] | None = None) -> Ran:
        """`fcoplint audit` with a JSON report."""
        return self.run("audit", "--format", "json", *args, env=env)
