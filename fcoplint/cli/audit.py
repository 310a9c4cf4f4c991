"""`fcoplint audit`: the whole state of a repository or folder."""

from __future__ import annotations

import os
from pathlib import Path

import click

from fcoplint import engine
from fcoplint.cli import common
from fcoplint.protocol.places import is_workspace_folder
from fcoplint.source import git, worktree
from fcoplint.source.snapshot import Snapshot


@click.command("audit")
@click.argument("path", default=".", type=click.Path())
@common.report_options
def command(path: str, select: tuple[str, ...], ignore: tuple[str, ...], style: str, color: str) -> None:
    """Check everything that stands in PATH now: a repository, a folder, or one workspace.

    In a git repository: tracked files, and untracked ones that git does not ignore.
    """
    settings = common.make_settings(select, ignore)
    root = _folder(path)
    try:
        snapshot = _snapshot(root)
    except git.GitError as error:
        common.stop_for_git(error)
    report = engine.audit(snapshot, settings, top=_top(root))
    if not report.workspaces and not report.findings:
        outer = _enclosing_workspace(root)
        if outer:
            common.stop(f"{path} lies inside a workspace; audit that: fcoplint audit {outer}", common.USAGE)
        click.echo(f"fcoplint: no FCoP workspace (a folder `fcop` or `docs/agents`) in {path}; nothing to check", err=True)
        if style != "json":
            return
    common.finish(report, style, color)


def _folder(path: str) -> str:
    root = os.path.abspath(path)
    if not os.path.lexists(root):
        common.stop(f"there is no {path}", common.USAGE)
    if not os.path.isdir(root):
        common.stop(f"{path} is a file; give the repository or the workspace that holds it", common.USAGE)
    return os.path.realpath(root)


def _snapshot(root: str) -> Snapshot:
    try:
        repository = git.open_repository(root, os.environ)
    except git.NotARepositoryError:
        return worktree.walk(root)
    if not repository.top:
        common.stop("this is a bare repository or a git directory; audit a working tree", common.USAGE)
    return worktree.worktree_snapshot(repository, root)


def _top(root: str) -> str | None:
    """The name under which `root` itself may be a workspace, or None."""
    name = "/".join(Path(root).parts[-2:])
    return name if is_workspace_folder(name) else None


def _enclosing_workspace(root: str) -> str | None:
    folders = (parent for parent in Path(root).parents if is_workspace_folder(parent.as_posix()))
    return next((str(folder) for folder in folders if (folder / "fcop.json").exists() or (folder / "_lifecycle").is_dir()), None)
