"""CI: the action's own steps run as a runner runs them, the examples of other CI systems run, and all of them pass the linters."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.actionlint import actionlint
from tests.support.pages import PAGES
from tests.support.repository import INBOX, T1, Repo, task_text
from tests.support.runner import ACTION, Job
from tests.support.tool_path import PROJECT, tool_path

EXAMPLES = PROJECT / "examples" / "ci"
T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
T3 = f"{INBOX}/TASK-20261001-003-PM-to-OPS.md"
GOOD = task_text("PM", "QA")
BAD = GOOD.replace("sender: PM", "sender: OPS")
PULL_REQUEST = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main", "GITHUB_REF_NAME": "1/merge"}
PUSH = {"GITHUB_EVENT_NAME": "push", "GITHUB_REF_NAME": "main"}
_SHA = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")


@pytest.fixture
def start(repo: Repo, tmp_path: Path, installed: Path) -> Callable[..., Job]:
    """Starts a job in which fcoplint is installed already: what `Install fcoplint` does has a test of its own."""

    def make(env: dict[str, str], event: dict[str, str] | None = None, *, ready: bool = True) -> Job:
        temp = tmp_path / "runner"
        temp.mkdir()
        if ready:
            os.symlink(installed.parent, temp / "fcoplint")
        given = {"repository.default_branch": "main", **(event or {})}
        return Job(repo, temp, given, env, outputs={"python": {"python-path": sys.executable}})

    return make


@pytest.fixture
def action(tmp_path: Path) -> Path:
    """action.yml without the step that installs."""
    described = yaml.safe_load(ACTION.read_text("utf-8"))
    described["runs"]["steps"] = [step for step in described["runs"]["steps"] if step["name"] != "Install fcoplint"]
    copy = tmp_path / "action" / "action.yml"
    (copy.parent / "examples").mkdir(parents=True)
    shutil.copytree(EXAMPLES, copy.parent / "examples" / "ci")
    copy.write_text(yaml.safe_dump(described, sort_keys=False))
    return copy


def branch(repo: Repo, *versions: str) -> str:
    """A branch with a commit for each version of a second TASK, ahead of origin/main; the commit that it left."""
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-ref", "refs/remotes/origin/main", base)
    repo.git("checkout", "-q", "-b", "work")
    for version in versions:
        repo.write(T2, version)
        repo.commit()
    return base


def test_all_of_its_steps_run_as_written(repo: Repo, start: Callable[..., Job]) -> None:
    branch(repo, BAD)
    job = start(PULL_REQUEST, ready=False).run_action()
    assert job.code == 1
    assert "fcoplint check --range origin/main..HEAD" in job.log
    assert f"::error file={T2},line=4,title=FC120 routing-mismatch::" in job.log
    assert job.summary.startswith("## fcoplint\n")
    assert "| error | FC120" in job.summary
    assert job.outputs["check"] == {"exit-code": "1", "sarif": str(job.temp / "fcoplint.sarif")}
    (result,) = json.loads((job.temp / "fcoplint.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "FC120"


@pytest.mark.parametrize(
    ("env", "event", "inputs", "versions", "code", "ran"),
    [
        (PULL_REQUEST, {}, {}, [GOOD], 0, "check --range origin/main..HEAD"),
        (PULL_REQUEST, {}, {}, [BAD, GOOD], 0, "check --range origin/main..HEAD"),
        (PULL_REQUEST, {}, {"each-commit": "true"}, [BAD, GOOD], 1, "check --range origin/main..HEAD --each-commit"),
        (PULL_REQUEST, {}, {"range": "HEAD~1..HEAD"}, [GOOD, BAD], 1, "check --range HEAD~1..HEAD"),
        ({"GITHUB_EVENT_NAME": "merge_group"}, {"merge_group.base_sha": "{base}"}, {}, [BAD], 1, "check --range {base}..HEAD"),
        (PUSH, {"before": "{base}"}, {}, [GOOD, BAD], 1, "check --range {base}..HEAD"),
        (PUSH, {"before": "{base}"}, {}, [GOOD], 0, "check --range {base}..HEAD"),
        (PUSH, {"before": "0" * 40}, {}, [BAD], 1, "audit"),
        ({**PUSH, "GITHUB_REF_NAME": "work"}, {"before": "0" * 40}, {}, [BAD], 1, "check --range origin/main..HEAD"),
        ({**PUSH, "GITHUB_REF_NAME": "work"}, {"before": "12" * 20}, {}, [BAD], 1, "check --range origin/main..HEAD"),
        ({"GITHUB_EVENT_NAME": "schedule"}, {}, {}, [BAD], 1, "audit"),
        ({"GITHUB_EVENT_NAME": "workflow_dispatch"}, {}, {}, [GOOD], 0, "audit"),
        (PULL_REQUEST, {}, {"fail-level": "info"}, [GOOD.replace("version: 1\n", "version: 1\npriority: urgent\n")], 1, "check"),
        (PULL_REQUEST, {}, {"range": "nowhere..HEAD"}, [GOOD], 2, "check --range nowhere..HEAD"),
        (PULL_REQUEST, {}, {"fail-level": "loud"}, [GOOD], 2, "check"),
        (PULL_REQUEST, {}, {"format": "pretty"}, [GOOD], 2, "check"),
        (PULL_REQUEST, {}, {"range": "$(touch stolen)`touch stolen`;touch stolen"}, [GOOD], 2, "check"),
        (PULL_REQUEST, {}, {"format": '"; touch stolen; "'}, [GOOD], 2, "check"),
    ],
)
def test_an_event_is_checked_for_what_it_brings_in(
    repo: Repo, start: Callable[..., Job], action: Path, env: dict[str, str], event: dict[str, str], inputs: dict[str, str],
    versions: list[str], code: int, ran: str,
) -> None:  # fmt: skip
    base = branch(repo, *versions)
    job = start(env, {key: value.format(base=base) for key, value in event.items()}).run_action(action, inputs)
    assert job.code == code, job.log
    assert f"fcoplint {ran.format(base=base)}" in job.log
    assert job.outputs["check"]["exit-code"] == str(code)
    assert ("sarif" in job.outputs["check"]) == (code != 2)
    assert not (repo.path / "stolen").exists()


def test_a_shallow_checkout_does_not_pass(repo: Repo, start: Callable[..., Job], action: Path, tmp_path: Path) -> None:
    base = branch(repo, BAD, GOOD)
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.path}", tmp_path / "shallow"], check=True)
    job = start(PUSH, {"before": base})
    job.repo = Repo.at(tmp_path / "shallow")
    assert job.run_action(action, {"range": f"{base}..HEAD"}).code in {2, 3}
    assert job.log.count("fcoplint: ") == 1


@pytest.mark.parametrize(
    ("inputs", "versions", "uploads"),
    [({}, [BAD], 0), ({"upload-sarif": "true"}, [BAD], 1), ({"upload-sarif": "true"}, [GOOD], 1),
     ({"upload-sarif": "true", "range": "nowhere..HEAD"}, [GOOD], 0)],
)  # fmt: skip
def test_sarif_is_uploaded_where_it_is_wanted_and_there_is_some(
    repo: Repo, start: Callable[..., Job], action: Path, inputs: dict[str, str], versions: list[str], uploads: int
) -> None:
    branch(repo, *versions)
    job = start(PULL_REQUEST).run_action(action, inputs)
    uploaded = [step["with"]["sarif_file"] for step in job.used if "upload-sarif" in step["uses"]]
    assert uploaded == [str(job.temp / "fcoplint.sarif")] * uploads


def test_the_problem_matcher_reads_every_finding_of_the_concise_format(repo: Repo, start: Callable[..., Job], action: Path) -> None:
    branch(repo, BAD)
    repo.write("fcop/_lifecycle/inbox/TASK-20261001-004-PM-to-DEV: 1:2: x.md", GOOD)
    repo.write(T3, task_text("PM", "OPS", priority="urgent"))
    repo.commit()
    job = start(PULL_REQUEST).run_action(action, {"format": "concise", "fail-level": "warning"})
    registered = next(line for line in job.log.splitlines() if line.startswith("::add-matcher::"))
    (matcher,) = json.loads(Path(registered.removeprefix("::add-matcher::")).read_text())["problemMatcher"]
    (pattern,) = matcher["pattern"]
    found = [match for line in job.log.splitlines() if (match := re.match(pattern["regexp"], line))]
    seen = {(m[pattern["file"]], m[pattern["line"]], m[pattern["severity"]], m[pattern["code"]]) for m in found}
    results = json.loads((job.temp / "fcoplint.sarif").read_text())["runs"][0]["results"]
    assert {code for *_, code in seen} >= {"FC120", "FC123"}
    assert len(found) == sum(result["level"] in {"error", "warning"} for result in results) == 3
    assert (T2, "4", "error", "FC120") in seen


def _uses(file: Path) -> Iterator[str]:
    def walk(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("uses"), str):
                yield node["uses"]
            for value in node.values():
                yield from walk(value)
        elif isinstance(node, list):
            for value in node:
                yield from walk(value)

    return walk(yaml.safe_load(file.read_text("utf-8")))


def test_every_action_is_pinned_to_a_commit() -> None:
    used = [name for file in (ACTION, *sorted(EXAMPLES.glob("github*.yml"))) for name in _uses(file)]
    assert len(used) >= 6
    assert [name for name in used if not _SHA.fullmatch(name)] == []


def test_no_expression_stands_in_a_script() -> None:
    steps = yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]
    assert [step["name"] for step in steps if "${{" in step.get("run", "")] == []
    shown = [line for page in PAGES for line in page.read_text("utf-8").splitlines() if re.match(r"\s*-? *run:.*\$\{\{", line)]
    assert shown == []


def test_the_action_and_the_workflows_pass_zizmor() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    files = [str(file) for file in (ACTION, *EXAMPLES.glob("github*.yml"))]
    command = [str(zizmor), "--offline", "--no-progress", "--persona=auditor", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("completed")) == (0, 3), done.stdout + done.stderr


def test_the_workflows_pass_actionlint(request: pytest.FixtureRequest) -> None:
    command = [*actionlint(request.config.cache.mkdir("actionlint")), "github*.yml"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Checking 2 workflow file(s)" in done.stdout


def test_actionlint_is_not_blind(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    text = (EXAMPLES / "github.yml").read_text("utf-8")
    (tmp_path / "bad.yml").write_text(text.replace("github.ref }}", "github.reff }}"))
    command = [*actionlint(request.config.cache.mkdir("actionlint")), "*.yml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "reff" in done.stdout) == (1, True)


@pytest.mark.parametrize(("version", "code"), [(BAD, 1), (GOOD, 0)])
@pytest.mark.parametrize("name", ["github.yml", "github-code-scanning.yml"])
def test_the_workflows_fail_on_a_bad_range_and_pass_on_a_good_one(
    repo: Repo, start: Callable[..., Job], action: Path, name: str, version: str, code: int
) -> None:
    branch(repo, version)
    job = start(PULL_REQUEST, {"pull_request.head.repo.fork": "false"})
    assert job.run_workflow(EXAMPLES / name, action).code == code, job.log
    assert bool(job.used[1:]) == (name == "github-code-scanning.yml")


def _gitlab() -> str:
    return "\n".join(yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text("utf-8"))["fcoplint"]["script"])


def _azure() -> str:
    steps = yaml.safe_load((EXAMPLES / "azure-pipelines.yml").read_text("utf-8"))["steps"]
    return next(str(step["bash"]) for step in steps if "fcoplint " in step.get("bash", ""))


@pytest.mark.parametrize(("version", "code"), [(BAD, 1), (GOOD, 0)])
@pytest.mark.parametrize(
    ("script", "env", "files"),
    [
        (_gitlab(), {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "{base}", "CI_COMMIT_BEFORE_SHA": "0" * 40}, 2),
        (_gitlab(), {"CI_COMMIT_BEFORE_SHA": "{base}"}, 2),
        (_gitlab(), {"CI_COMMIT_BEFORE_SHA": "0" * 40}, 2),
        (_azure(), {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}, 1),
        (_azure(), {}, 1),
        (f"exec '{EXAMPLES / 'plain.sh'}' origin/main", {}, 1),
    ],
)
def test_the_scripts_of_other_ci_systems_fail_and_pass(
    repo: Repo, tmp_path: Path, script: str, env: dict[str, str], files: int, version: str, code: int
) -> None:
    base = branch(repo, version)
    environ = {**os.environ, **tool_path(tmp_path / "bin"), **{key: value.format(base=base) for key, value in env.items()}}
    done = subprocess.run(["sh", "-c", script], cwd=repo.path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("FC120" in done.stdout) == (code == 1)
    assert sum((repo.path / name).exists() for name in ("gl-code-quality-report.json", "fcoplint.xml")) == files


def test_azure_takes_the_first_commit_of_all(tmp_path: Path) -> None:
    fresh = Repo.create(tmp_path / "fresh")
    fresh.add_team()
    fresh.write(T1, task_text().replace("sender: PM", "sender: OPS"))
    fresh.commit()
    environ = {**os.environ, **tool_path(tmp_path / "bin")}
    done = subprocess.run(["bash", "-c", _azure()], cwd=fresh.path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
