"""Two real projects on a real disk, the probe and the switch run over them, and their JSON held against its schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema

from fcoplint.model.policy import Roots
from fcoplint.output.roots import probe_json, switch_json
from fcoplint.output.roots_schema import roots_schema, switch_schema
from fcoplint.roots import gather
from fcoplint.roots.acceptance import Acceptance, Request, accept
from fcoplint.roots.gather import Asked
from fcoplint.roots.probe import Probe, probe
from fcoplint.roots.stamp import Stamp
from fcoplint.source.machine import Machine
from tests.support.repository import Ran, Repo, run_tool, task_text

_ROOTS = jsonschema.Draft202012Validator(roots_schema())
_SWITCH = jsonschema.Draft202012Validator(switch_schema())
V4 = {"protocol": "fcop", "protocol_version": "4.0", "encoding": {"name": "fcop-filesystem", "version": "4.0"}, "profiles": []}
REPORT = "---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nreferences: [{task}]\n---\n\n# Done\n\nThe form is built.\n"


def machine_at(cwd: Path, env: dict[str, str] | None = None, home: Path | None = None) -> Machine:
    """This machine, as a process in `cwd` with these variables sees it."""
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **(env or {})}
    return Machine(environ, str(cwd), str(home or "/nobody"))


def look(
    project: Path, *, env: dict[str, str] | None = None, root: str | None = None, cwd: Path | None = None, strict: bool = False,
    declared: Roots | None = None, home: Path | None = None, **asked: Any,
) -> Probe:  # fmt: skip
    """The probe of a project, its JSON held against the schema."""
    machine = machine_at(cwd or project, env, home)
    expected = gather.find_expected(machine, root, declared or Roots())
    assert expected is not None
    result = probe(machine, expected, declared or Roots(), Asked(**asked), strict=strict)
    _ROOTS.validate(json.loads(probe_json(result, homes=False)))
    return result


def state(result: Probe, name: str) -> tuple[str, str]:
    """(state, rule) of a component."""
    found = [component for component in result.components if component.id == name]
    assert len(found) == 1, (name, [component.id for component in result.components])
    return str(found[0].state), found[0].rule


def why(result: Probe, name: str) -> str:
    """The reason that a component gives."""
    return next(component.why for component in result.components if component.id == name)


def rules(result: Probe) -> list[str]:
    """The codes of the findings."""
    return [finding.rule for finding in result.findings]


def run_json(*args: str, cwd: Path, env: dict[str, str] | None = None) -> tuple[Ran, dict[str, Any]]:
    """`fcoplint roots --format json` as its own process, and its JSON held against the schema."""
    ran = run_tool("roots", "--format", "json", *args, cwd=cwd, env=env)
    data: dict[str, Any] = json.loads(ran.out)
    (_ROOTS if data["schema"] == "fcoplint.roots/1" else _SWITCH).validate(data)
    return ran, data


def switch(source: Repo | Path, target: Repo | Path, phase: str = "before", *, strict: bool = False, **given: Any) -> Acceptance:
    """One phase of a switch, its JSON held against the schema. Run from the new project where that is there."""
    old, new = (side.path if isinstance(side, Repo) else side for side in (source, target))
    env, home = given.pop("env", None), given.pop("home", None)
    machine = machine_at(given.pop("cwd", new if os.path.isdir(new) else Path("/")), env, home)
    request = Request(str(old), str(new), phase, time.time_ns(), **given)
    result = accept(machine, request, Roots(), strict=strict)
    _SWITCH.validate(json.loads(switch_json(result, homes=False)))
    return result


def item(result: Acceptance, name: str) -> tuple[str, str]:
    """(list, result) of an item."""
    found = [item for item in result.items if item.id == name]
    assert len(found) == 1, (name, [item.id for item in result.items])
    return str(found[0].kind), str(found[0].result)


def evidence(result: Acceptance, name: str) -> str:
    """What an item says and shows."""
    found = next(item for item in result.items if item.id == name)
    return "\n".join((found.text, *found.evidence, found.todo))


def say_yes(result: Acceptance) -> Acceptance:
    """All questions answered with yes."""
    return result.answered(lambda _: True)


def stamp_of(source: Repo, target: Repo) -> Stamp:
    """A stamp as the phase before makes it."""
    made = switch(source, target).stamp
    assert made is not None
    return made


def make_project(path: Path, *, workspace_id: str | None = None, remote: bool = True) -> Repo:
    """A committed project with a workspace; with `remote`, pushed to one."""
    repo = Repo.create(path)
    repo.add_team()
    if workspace_id:
        repo.write("fcop/fcop.json", json.dumps({**V4, "workspace_id": workspace_id}))
    repo.write("src/app.py", "print('hello')\n")
    repo.commit("start")
    if remote:
        bare = path.parent / f"{path.name}-remote.git"
        repo.git("init", "-q", "--bare", str(bare))
        repo.git("remote", "add", "origin", str(bare))
        repo.git("push", "-q", "origin", "main")
    return repo


def move_first_task(repo: Repo, stage: str) -> None:
    """Put the project's TASK into another stage."""
    name = "TASK-20261001-001-PM-to-DEV.md"
    repo.write(f"fcop/_lifecycle/{stage}/{name}", task_text())
    (repo.path / "fcop/_lifecycle/inbox" / name).unlink()


def do_canary(repo: Repo, number: str = "009", *, code: bool = True, report: bool = True) -> str:
    """One TASK, one code change and one REPORT, committed; the TASK's id."""
    stem = f"TASK-20261002-{number}-PM-to-DEV"
    repo.write(f"fcop/_lifecycle/inbox/{stem}.md", task_text())
    if code:
        repo.write("src/app.py", f"print('canary {number}')\n")
    if report:
        repo.write(f"fcop/reports/REPORT-20261002-{number}-DEV-to-PM.md", REPORT.format(task=stem))
    repo.commit("canary")
    return stem


@contextmanager
def running(cwd: Path) -> Iterator[int]:
    """A process of this user in a folder; its number."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; print(); sys.stdout.flush(); sys.stdin.read()"],
                               cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process.pid
    finally:
        process.communicate()


def dead_pid() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def tree_of(path: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder with times, sizes and bytes: what a reader must leave as it was."""
    found = {}
    for file in sorted(path.rglob("*")):
        status = file.lstat()
        found[str(file.relative_to(path))] = (status.st_mtime_ns, status.st_size, file.read_bytes() if file.is_file() else b"")
    return found
