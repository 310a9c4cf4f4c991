"""What `audit --history` costs beside git alone: the same commits and the same blobs, once read by git, once judged.

Run it from the root of the project: `make bench-history`. The repository is made anew from random lawful lives.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.repositories import tell, write  # noqa: E402
from tests.support.repository import Repo  # noqa: E402

COMMITS, ROUNDS = (1000, 2000), 3
ENV = {**os.environ, "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git_alone(path: Path) -> None:
    """One `git log --raw`, one stream of every blob that it names."""
    command = ["git", "log", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-merges=first-parent", "--format=%H", "main"]
    listing = subprocess.run(command, cwd=path, env=ENV, capture_output=True, check=True).stdout
    lines = (field.split(b" ") for field in listing.split(b"\0") if field.startswith(b":"))
    blobs = {words[3] for words in lines if words[1] != b"000000"}
    subprocess.run(["git", "cat-file", "--batch"], cwd=path, env=ENV, input=b"\n".join(blobs) + b"\n", capture_output=True, check=True)


def audit(path: Path) -> None:
    """The tool, as a user calls it."""
    command = [sys.executable, "-m", "fcoplint", "audit", "--history", "--rev", "main"]
    subprocess.run(command, cwd=path, env=ENV, capture_output=True, check=True)


def clock(job: Callable[[Path], None], path: Path) -> float:
    """The seconds a job takes."""
    start = time.perf_counter()
    job(path)
    return time.perf_counter() - start


def main() -> None:
    """Medians of rounds in which both take turns."""
    for commits in COMMITS:
        with tempfile.TemporaryDirectory() as folder:
            repo = Repo.create(Path(folder) / "repo")
            write(repo, tell(commits))
            rounds = [(clock(git_alone, repo.path), clock(audit, repo.path)) for _ in range(ROUNDS)]
        floor, tool = (statistics.median(times) * 1000 / commits for times in zip(*rounds, strict=True))
        print(f"{commits} commits, per 1,000: git alone {floor:.3f} s, audit --history {tool:.2f} s, ratio {tool / floor:.1f}")


if __name__ == "__main__":
    main()
