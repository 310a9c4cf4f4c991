"""`fcoplint init`: protects a repository. What is there already is never overwritten, and each step can be undone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from fcoplint import config
from fcoplint.cli import common
from fcoplint.cli.folder import open_folder
from fcoplint.model.workspace import Documents, Workspaces
from fcoplint.output.neutral import neutral
from fcoplint.repair import hooks, setup, starters
from fcoplint.source import git

_FRAMEWORK = ".pre-commit-config.yaml"
_SAID = {
    "installed": "installed {path}",
    "chained": "installed {path}; the hook that was there runs first, as {detail}",
    "written": "wrote {path}",
    "appended": "wrote to the end of {path}; what was there is as it was",
    "present": "{path} is in place already",
    "configured": "{path} configures fcoplint already",
    "paste": "left {path} as it is; put this into it by hand:",
    "removed": "removed {path}",
    "restored": "removed {path}, and gave the hook that was there before its name back",
    "cut": "took out of {path} what fcoplint wrote there",
    "changed": "{path} was changed since fcoplint wrote it; left alone, take it out by hand",
    "absent": "{path} is none of ours; left alone",
    "failed": "could not change {path}: {detail}",
}


@dataclass(frozen=True)
class _Scene:
    """The repository that is set up, and where its team has fcoplint."""

    repository: git.Repository
    source: starters.Source | None

    @property
    def top(self) -> str:
        return self.repository.top

    def has(self, path: str) -> bool:
        """Whether a path below the root is there."""
        return os.path.lexists(os.path.join(self.top, path))


@dataclass(frozen=True)
class _Part:
    """A part of a set-up: what is asked, and whether the answer is yes where nobody is asked."""

    question: str
    wanted: Callable[[_Scene], bool]


_PARTS = {
    "config": _Part("Write .fcoplint.toml?", lambda scene: True),
    "pre_commit": _Part("Check commits by the pre-commit framework (.pre-commit-config.yaml)?", lambda scene: _is_framework(scene)),
    "hooks": _Part("Check commits and pushes by plain git hooks?", lambda scene: not _is_framework(scene)),
    "workflow": _Part("Check pull requests by a GitHub workflow?", lambda scene: scene.source is not None and scene.has(".github")),
    "attributes": _Part("Keep the bytes of envelopes on every machine (.gitattributes)?", lambda scene: True),
    "claude": _Part("Let Claude Code check each envelope it writes (.claude/)?", lambda scene: scene.has(".claude")),
    "cursor": _Part("Tell Cursor to check each envelope it writes (.cursor/rules/)?", lambda scene: scene.has(".cursor")),
}


@click.command("init")
@click.option("--config", "config_", is_flag=True, help="Write .fcoplint.toml.")
@click.option("--pre-commit", is_flag=True, help="Write .pre-commit-config.yaml, or append to it.")
@click.option("--hooks", is_flag=True, help="Install git hooks: pre-commit, pre-merge-commit, commit-msg, pre-push.")
@click.option("--workflow", is_flag=True, help="Write .github/workflows/fcoplint.yml; needs --source.")
@click.option("--attributes", is_flag=True, help="Write .gitattributes for each workspace, or append to it.")
@click.option("--claude", is_flag=True, help="Write Claude Code's hook and settings.")
@click.option("--cursor", is_flag=True, help="Write Cursor's rule.")
@click.option("--server", is_flag=True, help="Install the server's hook instead: pre-receive.")
@click.option("--yes", is_flag=True, help="Do what the questions offer, without asking.")
@click.option("--source", metavar="URL", help="The git repository where you have fcoplint; default: where this one was installed from.")
@click.option("--rev", metavar="COMMIT", help="The commit or tag of it to use.")
@click.option("--undo", is_flag=True, help="Take away again what the same options, or without any all of them, put in place.")
def command(*, server: bool, yes: bool, source: str | None, rev: str | None, undo: bool, **flags: bool) -> None:
    """Protect this repository: hooks, configuration, CI. Asks on a terminal. Nothing is ever overwritten."""
    chosen = [name for name, given in ((name.rstrip("_"), given) for name, given in flags.items()) if given]
    try:
        scene = _Scene(git.open_repository(os.getcwd(), os.environ), _source(source, rev))
        if server:
            _tell(list(_hooks(scene, hooks.SERVER, undo=undo)), "--server", scene.top)
        chosen = chosen or (list(_PARTS) if undo else _choose(scene, yes=yes))
        _refuse(scene, chosen, undo=undo)
        done = [item for name in chosen for item in _carry_out(scene, name, undo=undo)]
    except git.GitError as error:
        common.stop_for_git(error, common.Options(), "init")
    _tell(done, " ".join(f"--{name.replace('_', '-')}" for name in chosen), scene.top)


def _source(url: str | None, revision: str | None) -> starters.Source | None:
    """Where the team has fcoplint: as given, else where pip says that this one came from."""
    if (url is None) != (revision is None):
        common.stop("--source and --rev go together: the repository, and the commit or tag of it", common.USAGE)
    source = starters.Source(url, revision) if url and revision else _origin()
    fault = starters.source_fault(source) if source else None
    if fault and url:
        common.stop(fault, common.USAGE)
    return None if fault else source


def _origin() -> starters.Source | None:
    """The repository and commit that pip installed this fcoplint from; None where it came another way."""
    import json
    from importlib import metadata

    try:
        told: dict[str, Any] = json.loads(metadata.distribution("fcoplint").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return None
    commit = told.get("vcs_info", {}).get("commit_id")
    return starters.Source(told["url"], commit) if commit and told.get("url") else None


def _choose(scene: _Scene, *, yes: bool) -> list[str]:
    """The parts that the person wants, or that are offered where nobody is to be asked."""
    if yes:
        return [name for name, part in _PARTS.items() if part.wanted(scene)]
    if not sys.stdin.isatty():
        common.stop("say what to set up: fcoplint init --yes, or single parts as fcoplint init --hooks; --help lists them", common.USAGE)
    chosen: list[str] = []
    for name, part in _PARTS.items():
        if name == "workflow" and scene.source is None:
            common.print_out("(A GitHub workflow needs to know where you have fcoplint: --source URL --rev COMMIT)\n")
        elif click.confirm(part.question, default=part.wanted(scene) and not (name == "hooks" and "pre_commit" in chosen)):
            chosen.append(name)
    return chosen


def _refuse(scene: _Scene, chosen: Iterable[str], *, undo: bool) -> None:
    """End where a part cannot be done, before anything is."""
    if not scene.top and set(chosen) - {"hooks"}:
        common.stop("there is no working tree here; on a server: fcoplint init --server", common.USAGE)
    if "workflow" in chosen and scene.source is None and not undo:
        common.stop("say where the workflow gets fcoplint from: --source URL --rev COMMIT", common.USAGE)


def _carry_out(scene: _Scene, name: str, *, undo: bool) -> Iterator[setup.Done | hooks.Done]:
    if name == "hooks":
        yield from _hooks(scene, hooks.CLIENT, undo=undo)
    elif name == "config" and not undo and (found := _configured(scene.top)):
        yield setup.Done("configured", found)
    else:
        change = setup.take_back if undo else setup.put
        yield from (change(scene.top, paper) for paper in _papers(scene, name, undo=undo))


def _hooks(scene: _Scene, names: tuple[str, ...], *, undo: bool) -> Iterator[hooks.Done]:
    return hooks.undo(scene.repository, names) if undo else hooks.install(scene.repository, names)


def _papers(scene: _Scene, name: str, *, undo: bool) -> tuple[setup.Paper, ...]:
    """The files of a part. For what is only taken away it does not matter what it would say."""
    match name:
        case "config":
            return (starters.config(),)
        case "pre_commit":
            return (starters.pre_commit(scene.source),)
        case "workflow":
            return (starters.workflow(scene.source or starters.NOWHERE),)
        case "attributes":
            return (starters.attributes([] if undo else _workspaces(scene)),)
        case "claude":
            return starters.claude()
        case _:
            return (starters.cursor(),)


def _workspaces(scene: _Scene) -> list[tuple[str, int]]:
    """(folder, protocol version) of each workspace; where there is none yet, of the one that will be."""
    opened = open_folder(scene.top)
    found = Workspaces(opened.snapshot, Documents(), opened.top, opened.settings.policy)
    return [(workspace.root, workspace.version) for workspace in found] or [("fcop", 3)]


def _configured(top: str) -> str | None:
    """The file that configures fcoplint in this repository, or None."""
    try:
        found = config.find_on_disk(top, top)
    except config.ConfigError as error:
        common.stop(str(error), common.USAGE)
    return found[1].name if found else None


def _is_framework(scene: _Scene) -> bool:
    return scene.has(_FRAMEWORK)


def _tell(done: Sequence[setup.Done | hooks.Done], options: str, top: str) -> None:
    """Say what was done, how to undo it and what comes next; end with 1 where something could not be done."""
    for item in done:
        shown = _SAID[item.kind].format(path=neutral(item.path), detail=neutral(item.detail))
        pasted = "".join(f"    {line}\n" for line in item.detail.splitlines()) if item.kind == "paste" else ""
        common.print_out(f"{shown}\n{pasted}")
    written = [item.path for item in done if item.kind in ("written", "appended")]
    if written or any(item.kind in ("installed", "chained") for item in done):
        common.print_out(f"to undo: fcoplint init {options} --undo\n")
    if any(item.path == _FRAMEWORK and item.kind in ("written", "appended", "paste") for item in done):
        common.print_out("next: pre-commit install -t pre-commit -t pre-merge-commit -t pre-push\n")
    if written:
        common.print_out(f"next: git add -- {' '.join(os.path.relpath(os.path.join(top, path)) for path in written)}\n")
    sys.exit(1 if any(item.kind == "failed" for item in done) else 0)
