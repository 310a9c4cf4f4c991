"""Every figure of docs/speed.md, as ratios in one interleaved run: the tool, its floor, and its peers.

`make bench` prints the table; `--write` puts it into the page, between its markers. `--sizes` makes it shorter. Peers run
where their commands are found (`--peers FOLDER`, a virtual environment's bin); what is not there has no row.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bench import workspaces  # noqa: E402
from tests.support.repositories import tell, write  # noqa: E402
from tests.support.repository import Repo  # noqa: E402

PAGE = ROOT / "docs" / "speed.md"
_BETWEEN = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)
ENV = {**os.environ, "PYTHONPATH": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
# A tool that was installed has its byte code beside it; a checkout must be allowed to.
ENV.pop("PYTHONDONTWRITEBYTECODE", None)
TOOL = (sys.executable, "-m", "fcoplint")
FLOOR = (sys.executable, str(ROOT / "bench" / "floor.py"))
# Peers that take seconds for thousands of files are not asked about more.
MOST_FOR_PEERS, MOST_FOR_REFERENCE = 1_000, 4_000
_SCHEMA = '{"type": "object", "required": ["protocol"]}'
_WEIGH = """
import os, resource, sys
quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
os.waitpid(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
# How long one command may take before it is measured once only.
_LONG = 5.0


@dataclass
class Job:
    """One thing to measure: a label, a command in a folder, and what it is compared with (another label)."""

    label: str
    command: Sequence[str]
    folder: Path
    against: str = ""
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def median(self) -> float:
        """The middle of what was measured, in seconds."""
        return statistics.median(self.seconds)

    def run(self) -> None:
        """Measure once; whatever it finds is no failure."""
        start = time.perf_counter()
        subprocess.run(self.command, cwd=self.folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        self.seconds.append(time.perf_counter() - start)

    def weigh(self) -> None:
        """Measure the memory. A small process starts the command: a child begins with the size of its parent."""
        command = (sys.executable, "-S", "-c", _WEIGH, *self.command)
        done = subprocess.run(command, cwd=self.folder, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        self.peak = int(done.stdout)


def main() -> None:
    """Make the workspaces, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, default=ROOT / ".bench" / "bin")
    parser.add_argument("--write", action="store_true", help="put the table into docs/speed.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jobs = [job for size in asked.sizes for job in of_size(Path(folder) / str(size), size, asked.peers)]
        jobs += of_history(Path(folder) / "history", 1_000)
        measure(jobs, asked.rounds)
        table = "\n".join(rows(jobs, asked.rounds))
    print(table)
    if asked.write:
        PAGE.write_text(_BETWEEN.sub(f"{table}\n".replace("\\", r"\\"), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def of_size(folder: Path, size: int, peers: Path) -> Iterator[Job]:
    """What is measured in a workspace of one size."""
    plain = workspaces.commit(folder / "plain", size)
    yield Job(f"floor: hook, {size:,}", (*FLOOR, "hook"), plain)
    yield Job(f"hook, {size:,}", (*TOOL, "check"), plain, f"floor: hook, {size:,}")
    configured = workspaces.commit(folder / "configured", size, {".fcoplint.toml": b'ignore = ["FC713"]\n'})
    yield Job(f"hook, {size:,}, configured", (*TOOL, "check"), configured, f"floor: hook, {size:,}")
    yield Job(f"floor: audit, {size:,}", (*FLOOR, "audit"), plain)
    yield Job(f"audit, {size:,}", (*TOOL, "audit"), plain, f"floor: audit, {size:,}")
    if size <= MOST_FOR_PEERS:
        yield from of_linters(plain, folder / "front", size, peers)
    if size <= MOST_FOR_REFERENCE and (peers / "fcop").exists():
        yield Job(f"fcop validate --json, {size:,}", (str(peers / "fcop"), "validate", "--json"), plain, f"audit, {size:,}")


def of_linters(workspace: Path, folder: Path, size: int, peers: Path) -> Iterator[Job]:
    """YAML's linters on the front matter alone, which they cannot take out of a file themselves."""
    folder.mkdir()
    (folder / "schema.json").write_text(_SCHEMA)
    files: list[str] = []
    for number, path in enumerate(sorted((workspace / "fcop").rglob("*.md"))):
        files.append(f"{number}.yaml")
        (folder / files[-1]).write_bytes(path.read_bytes()[4:].partition(b"\n---\n")[0] + b"\n")
    for label, chosen, against in ((f"{size:,} files", files, f"audit, {size:,}"), ("1 file", files[:1], f"hook, {size:,}, configured")):
        if (peers / "yamllint").exists():
            yield Job(f"yamllint, {label} (beside {size:,})", (str(peers / "yamllint"), "-d", "relaxed", *chosen), folder, against)
        if (peers / "check-jsonschema").exists():
            command = (str(peers / "check-jsonschema"), "--schemafile", "schema.json", *chosen)
            yield Job(f"check-jsonschema, {label} (beside {size:,})", command, folder, against)


def of_history(folder: Path, commits: int) -> list[Job]:
    """The replay of many commits, and the same commits and blobs read by git alone."""
    repo = Repo.create(folder)
    write(repo, tell(commits))
    log = "git log --raw -z --no-renames --no-abbrev --diff-merges=first-parent --format=%H main"
    blobs = "tr '\\0' '\\n' | sed -n 's/^:[0-9]* [0-9]* [0-9a-f]* \\([0-9a-f]*\\) [AM].*/\\1/p' | sort -u | git cat-file --batch"
    floor = Job(f"floor: history, {commits:,} commits", ("sh", "-c", f"{log} | {blobs} >/dev/null"), folder)
    return [floor, Job(f"audit --history, {commits:,} commits", (*TOOL, "audit", "--history", "--rev", "main"), folder, floor.label)]


def measure(jobs: Sequence[Job], rounds: int) -> None:
    """One warm-up, then rounds in which all take turns; what takes long takes part once."""
    for job in jobs:
        job.weigh()
        job.run()
    for _ in range(rounds):
        for job in jobs:
            if job.seconds[0] < _LONG:
                job.run()
    for job in jobs:
        if len(job.seconds) > 1:
            del job.seconds[0]


def rows(jobs: Sequence[Job], rounds: int) -> Iterator[str]:
    """The table in Markdown, with what it was measured on."""
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    yield f"Median of {rounds} interleaved rounds after a warm-up; {os.cpu_count()} cores, {platform.system()} {platform.release()},"
    yield f"Python {platform.python_version()}, git {version}. Ratios are to the row named; memory is the process's peak."
    yield ""
    yield "| work | ms | ratio | to | peak MB |"
    yield "|---|---:|---:|---|---:|"
    by_label = {job.label: job for job in jobs}
    for job in jobs:
        ratio = f"{job.median / by_label[job.against].median:.2f}" if job.against else ""
        yield f"| {job.label} | {job.median * 1000:,.0f} | {ratio} | {job.against} | {job.peak / 1024:,.0f} |"


if __name__ == "__main__":
    main()
