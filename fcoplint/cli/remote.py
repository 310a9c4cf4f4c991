"""`fcoplint audit URL`: a repository from elsewhere, cloned into a temporary folder and taken away again."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from collections.abc import Iterator

import click
import git as gitpython

from fcoplint.source import git

_ENV = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "LC_ALL": "C"}
_URL = re.compile(r"(https?|ssh|git|file)://.+|[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:.+")


class _Progress(gitpython.RemoteProgress):
    """One line on a terminal that tells how far git has come."""

    def update(self, op_code: int, cur_count: str | float, max_count: str | float | None = None, message: str = "") -> None:
        if max_count:
            click.echo(f"\r\x1b[Kcloning: {float(cur_count) / float(max_count):.0%}", nl=False, err=True)


def is_url(path: str) -> bool:
    """Whether PATH names a repository that must be fetched."""
    return _URL.fullmatch(path) is not None


@contextlib.contextmanager
def cloned(url: str) -> Iterator[str]:
    """The folder of a bare clone, gone when the block ends. Raises GitError where git could not get it."""
    shown = sys.stderr.isatty()
    with tempfile.TemporaryDirectory(prefix="fcoplint-") as folder:
        try:
            # A bare clone checks nothing out, so no hook and no filter of either side is run.
            gitpython.Repo.clone_from(url, folder, _Progress() if shown else None, _ENV, bare=True).close()  # type: ignore[arg-type]
        except gitpython.GitCommandError as error:
            said = [line.strip() for line in str(error.stderr).strip(" '\n").removeprefix("stderr: '").splitlines() if "fatal: " in line]
            reason = said[0].partition("fatal: ")[2] if said else "git gave no reason"
            raise git.GitError(f"{url} could not be cloned: {reason}") from error
        finally:
            if shown:
                click.echo("\r\x1b[K", nl=False, err=True)
        yield folder
