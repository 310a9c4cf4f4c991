"""Opening what PATH names: a repository's working tree, a commit of it, a plain folder, or one workspace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fcoplint import config
from fcoplint.cli import common
from fcoplint.language import first_known, of_locale
from fcoplint.model.manifest import Manifest
from fcoplint.protocol.places import MANIFEST_NAMES, is_workspace_folder
from fcoplint.settings import Settings
from fcoplint.source import git, tree, worktree
from fcoplint.source.ground import Disk
from fcoplint.source.snapshot import Snapshot


@dataclass(frozen=True)
class Opened:
    """A folder with its snapshot and settings; `top` is the name under which it may be a workspace itself."""

    root: str
    snapshot: Snapshot
    settings: Settings
    top: str | None
    repository: git.Repository | None

    @property
    def below(self) -> bool:
        """Whether the folder lies below its repository's root."""
        return self.repository is not None and self.repository.top not in ("", self.root)


def open_folder(path: str, options: common.Options | None = None, *, rev: str | None = None, as_workspace: bool = False) -> Opened:
    """Open PATH, or end the program with one line of advice. May raise GitError."""
    root = _folder(path)
    repository = _repository(root)
    settings = _settings(options or common.Options(), root, repository, rev)
    settings = replace(settings, ground=Disk(root if rev is None else None, repository))
    name = "/".join(Path(root).parts[-2:])
    top = "fcop" if as_workspace else name if is_workspace_folder(name) else None
    return Opened(root, _snapshot(root, repository, rev, settings), settings, top, repository)


def enclosing_workspace(root: str) -> str | None:
    """The workspace that a folder lies in, or None."""
    folders = (parent for parent in Path(root).parents if is_workspace_folder(parent.as_posix()))
    return next((str(folder) for folder in folders if (folder / "fcop.json").exists() or (folder / "_lifecycle").is_dir()), None)


def language_here(lang: str | None) -> str:
    """The language of what speaks of no report: the one asked for, else the one a report would have in the working directory."""
    here = os.path.realpath(".")
    try:
        repository = _repository(here)
    except git.GitError:
        repository = None
    top = repository.top if repository and repository.top else here
    return lang or _configured(here, top) or first_known(_declared(here, top)) or of_locale(os.environ)


def _configured(folder: str, top: str) -> str | None:
    try:
        found = config.find_on_disk(folder, top)
        return config.make_settings(found[1], None).lang if found else None
    except config.ConfigError:
        # Whoever looks a rule up is not told of another mistake.
        return None


def _declared(folder: str, top: str) -> Iterator[object]:
    """What the manifests in a folder and in those above it, up to `top`, name as their language."""
    while True:
        for path in (f"{root}{name}" for root in ("", "fcop/", "docs/agents/") for name in MANIFEST_NAMES):
            content = config.read_beside(folder, path)
            if content is not None:
                yield Manifest(path, content).lang
        if folder in (top, os.path.dirname(folder)):
            return
        folder = os.path.dirname(folder)


def _folder(path: str) -> str:
    root = os.path.abspath(path)
    if not os.path.lexists(root):
        common.stop(f"there is no {path}", common.USAGE)
    if not os.path.isdir(root):
        common.stop(f"{path} is a file; give the repository or the workspace that holds it", common.USAGE)
    return os.path.realpath(root)


def _settings(options: common.Options, root: str, repository: git.Repository | None, rev: str | None) -> Settings:
    if repository is None or repository.top or rev is None:
        return common.settings_for_folder(options, root, repository)
    # Without a working tree the configuration, too, is what the commit holds.
    commit = git.require_commit(repository, rev)
    return common.settings_for_change(options, tree.commit_snapshot(repository, commit, rev), repository)


def _repository(root: str) -> git.Repository | None:
    try:
        return git.open_repository(root, os.environ)
    except git.NotARepositoryError:
        return None


def _snapshot(root: str, repository: git.Repository | None, rev: str | None, settings: Settings) -> Snapshot:
    if repository is None:
        if rev is not None:
            common.stop("--rev needs a git repository", common.USAGE)
        return replace(worktree.walk(root), max_bytes=settings.max_bytes)
    repository.blobs.max_bytes = settings.max_bytes
    if rev is not None:
        return tree.commit_snapshot(repository, git.require_commit(repository, rev), rev, below=root)
    if not repository.top:
        common.stop("there is no working tree here; name a commit: fcoplint audit --rev HEAD", common.USAGE)
    return replace(worktree.worktree_snapshot(repository, root), max_bytes=settings.max_bytes)
