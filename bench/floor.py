"""What no checker of this kind can avoid, and nothing else: start, ask git, read, split, parse. No rules, no report.

`python bench/floor.py hook` lists the staged changes and parses the staged envelopes; `… audit` reads and parses every
envelope of the index. It imports nothing of the tool.
"""

import subprocess
import sys

from yaml._yaml import CParser

FENCE = b"\n---\n"


def main() -> None:
    """Print how many events libyaml gave."""
    listing = {
        "hook": ["git", "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "HEAD"],
        "audit": ["git", "ls-files", "-s", "-z"],
    }[sys.argv[1]]
    said = subprocess.run(listing, capture_output=True, check=True).stdout
    if sys.argv[1] == "hook":
        fields = said.split(b"\0")
        ids = [line.split()[3] for line, path in zip(fields[::2], fields[1::2], strict=False) if path.endswith(b".md")]
    else:
        rows = (line.partition(b"\t") for line in said.split(b"\0") if line)
        ids = [mode.split()[1] for mode, _, path in rows if path.endswith(b".md")]
    command = ["git", "cat-file", "--batch", "--buffer"]
    stream = subprocess.run(command, input=b"\n".join(ids) + b"\n", capture_output=True, check=True).stdout
    print(sum(map(count_events, contents(stream))))


def contents(stream: bytes) -> list[bytes]:
    """The blobs of a `cat-file --batch` stream."""
    found, at = [], 0
    while at < len(stream):
        end = stream.index(b"\n", at)
        size = int(stream[at:end].split()[2])
        found.append(stream[end + 1 : end + 1 + size])
        at = end + 2 + size
    return found


def count_events(data: bytes) -> int:
    """The events of a file's front matter."""
    parser = CParser(data[4 : data.find(FENCE, 4) + 1])
    count = 0
    while parser.get_event() is not None:
        count += 1
    return count


if __name__ == "__main__":
    main()
