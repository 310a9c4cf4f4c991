"""A CI runner in small: runs the shell steps of action.yml and of the examples with the environment a runner gives them.

What a `uses:` step of somebody else does is not run; its outputs are given, and that it would run is told.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support.repository import Repo
from tests.support.tool_path import PROJECT

ACTION = PROJECT / "action.yml"
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_COMPARISON = re.compile(r"(\S+) (==|!=) '(.*)'")


@dataclass
class Job:
    """One job on a runner: the checkout, the runner's temporary folder, the event, and what the steps gave so far."""

    repo: Repo
    temp: Path
    event: Mapping[str, str]
    env: Mapping[str, str]
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    used: list[dict[str, Any]] = field(default_factory=list)
    log: str = ""
    code: int = 0

    @property
    def summary(self) -> str:
        """What the steps wrote to the step summary."""
        file = self.temp / "summary"
        return file.read_text("utf-8") if file.exists() else ""

    def run_action(self, action: Path = ACTION, given: Mapping[str, str] | None = None) -> "Job":
        """Run the steps of a composite action, as a runner does: after a failed step only those whose `if` says so."""
        described = yaml.safe_load(action.read_text("utf-8"))
        assert described["runs"]["using"] == "composite"
        unknown = set(given or ()) - set(described["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        self.inputs = {name: entry["default"] for name, entry in described["inputs"].items()} | dict(given or {})
        for step in described["runs"]["steps"]:
            self._step(step, {"GITHUB_ACTION_PATH": str(action.parent)})
        return self

    def run_workflow(self, workflow: Path, action: Path = ACTION) -> "Job":
        """Run the one job of a workflow: its checkout is the repository, and `action` stands for fcoplint's."""
        (job,) = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
        for step in job["steps"]:
            if step["uses"].partition("@")[0].endswith("/fcoplint"):
                self.run_action(action, {key: self._expand(str(value)) for key, value in step.get("with", {}).items()})
            else:
                assert step["uses"].startswith("actions/checkout@")
        return self

    def _step(self, step: Mapping[str, Any], env: Mapping[str, str]) -> None:
        if not self._holds(step["if"]) if "if" in step else self.code != 0:
            return
        if "uses" in step:
            self.used.append({**step, "with": {key: self._expand(str(value)) for key, value in step["with"].items()}})
            return
        assert step["shell"] == "bash"
        self._bash(step, {**env, **{key: self._expand(value) for key, value in step.get("env", {}).items()}})

    def _bash(self, step: Mapping[str, Any], env: Mapping[str, str]) -> None:
        script, output = self.temp / "step.sh", self.temp / "output"
        script.write_text(step["run"])
        output.write_text("")
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self.temp / "summary"), "RUNNER_TEMP": str(self.temp)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.repo.path,
            env={**os.environ, **self.env, **files, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        self.log += done.stdout
        self.code = self.code or done.returncode
        if "id" in step:
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in output.read_text().splitlines())

    def _expand(self, text: str) -> str:
        return _EXPRESSION.sub(lambda match: self._value(match[1].strip()), text)

    def _value(self, expression: str) -> str:
        if " " in expression:
            return str(self._holds(expression)).lower()
        match expression.split("."):
            case ["inputs", name]:
                return self.inputs[name]
            case ["steps", step, "outputs", name]:
                return self.outputs.get(step, {}).get(name, "")
            case ["github", "event", *names]:
                return self.event.get(".".join(names), "")
        raise AssertionError(f"this runner does not know {expression}")

    def _holds(self, condition: str) -> bool:
        """Whether a condition holds: comparisons joined by `&&`; `!cancelled()` always does here."""
        bare = match[1] if (match := _EXPRESSION.fullmatch(condition)) else condition
        return all(self._compare(part.strip()) for part in bare.split("&&"))

    def _compare(self, part: str) -> bool:
        if part == "!cancelled()":
            return True
        if part.endswith(" != true"):
            return self._value(part.removesuffix(" != true")) != "true"
        match = _COMPARISON.fullmatch(part)
        assert match, part
        return (self._value(match[1]) == match[3]) == (match[2] == "==")
