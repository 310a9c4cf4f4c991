"""What an audit of FCoP 4 costs: 150, 500 and 5,000 envelopes, and the reference's own validator on the 150 in the same run.

Run it from the root of the project: `make bench-v4`. The workspaces are made anew; `--write` puts the figures into docs/v4.md.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.reference import Reference, load_reference  # noqa: E402
from tests.support.workspace4 import Workspace4  # noqa: E402

SIZES, ROUNDS = (150, 500, 5000), 3
PAGE = ROOT / "docs" / "v4.md"
_BETWEEN = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- /bench -->)", re.DOTALL)
_VALIDATE = "import sys; from fcop.cli._main import main; sys.exit(main(['validate', '--root', sys.argv[1], '--json']))"


def make(envelopes: int) -> Workspace4:
    """A workspace of so many envelopes: families of a Root with two Branches, lives up to done, TASKs that wait."""
    workspace = Workspace4(f"bench {envelopes}")
    while len(workspace.fields) + 14 <= envelopes:
        root = workspace.task("Root", recipient="PM")
        attempt = workspace.claim(root, "PM")
        for _ in range(2):
            workspace.to_done(workspace.task("Branch", branch_of=root))
        workspace.to_done(root, attempt)
        workspace.archive(root, attempt, convergence=workspace.converge(root))
        workspace.to_done(workspace.task("Alone"))
    while len(workspace.fields) < envelopes:
        workspace.task("Waiting")
    return workspace


def clock(command: list[str], env: dict[str, str]) -> float:
    """The seconds of processor time a command takes, whatever else the machine does; it must find nothing wrong."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd="/", env={**os.environ, **env}, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command} found fault with a lawful workspace: {done.stdout[:2000]}{done.stderr[:2000]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def audit(folder: Path) -> float:
    """The tool, as a user calls it: the median of some rounds."""
    command = [sys.executable, "-m", "fcoplint", "audit", str(folder), "--format", "json"]
    return statistics.median(clock(command, {"PYTHONPATH": str(ROOT)}) for _ in range(ROUNDS))


def figures(reference: Reference) -> list[str]:
    """A table in Markdown: a row for each size, the reference's row for the first."""
    rows = ["| envelopes | command | seconds | per 1,000 envelopes |", "|---|---|---|---|"]
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            make(size).write(Path(name))
            seconds = audit(Path(name))
            rows.append(f"| {size:,} | `fcoplint audit` | {seconds:.2f} | {seconds * 1000 / size:.2f} |")
            if size == SIZES[0]:
                theirs = clock([sys.executable, "-c", _VALIDATE, name], {"PYTHONPATH": str(reference.folder)})
                times, each = theirs / seconds, theirs * 1000 / size
                rows.append(f"| {size:,} | `fcop validate --json` 4.0.5 | {theirs:.2f} ({times:.0f} times) | {each:.0f} |")
    return rows


def main() -> None:
    """Print the figures, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/v4.md, between its markers")
    cache = ROOT / ".pytest_cache" / "d" / "reference"
    cache.mkdir(parents=True, exist_ok=True)
    wanted = parser.parse_args()
    table = "\n".join(figures(load_reference(cache))) + "\n"
    print(table, end="")
    if wanted.write:
        PAGE.write_text(_BETWEEN.sub(lambda _: table, PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
