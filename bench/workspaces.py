"""Workspaces of any size for the measurements: random lawful lives, and a few faults so that something is found."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random

from tests.support.lives import community
from tests.support.repository import T1, TEAM, task_text
from tests.support.teams import Team

_TEAM = Team("PM", ("DEV", "QA", "OPS"))
_ISSUE = """---
protocol: fcop
version: 1
reporter: DEV
severity: low
summary: The form forgets the time zone.
---

# The form forgets the time zone
"""
# One TASK in so many stands where its events do not say.
_FAULTY = 500
# Its number is above those of the lives, which end at 900 a day.
STAGED = T1.replace("-001-", "-999-")


def files(envelopes: int, seed: int = 1) -> Iterator[tuple[str, bytes]]:
    """So many envelopes of all types, by path, after their manifest."""
    yield "fcop/fcop.json", json.dumps(TEAM).encode()
    yield from islice(_papers(envelopes, Random(seed)), envelopes)


def _papers(envelopes: int, random: Random) -> Iterator[tuple[str, bytes]]:
    for number, life in enumerate(community(random, envelopes, team=_TEAM)):
        for path, text in life.files.items():
            is_faulty = number % _FAULTY == _FAULTY - 1 and "_lifecycle" in path and "/archive/" not in path
            yield path.replace(f"/{life.stage}/", "/archive/") if is_faulty else path, text.encode()
        if number % 20 == 0:
            yield f"fcop/issues/ISSUE-{life.stem[5:17]}-DEV.md", _ISSUE.encode()


def commit(folder: Path, envelopes: int, beside: Mapping[str, bytes] | None = None) -> Path:
    """A repository whose one commit holds so many envelopes and files beside them, checked out, with one lawful envelope more staged."""
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    stream = [b"commit refs/heads/main\ncommitter PM <pm@example.org> 1790000000 +0000\n", _data(b"found the team")]
    held = [*files(envelopes), *(beside or {}).items()]
    stream += [b"M 100644 inline %s\n%s" % (path.encode(), _data(content)) for path, content in held]
    _git(folder, "fast-import", "--quiet", given=b"".join(stream) + b"done\n")
    _git(folder, "repack", "-adq")
    _git(folder, "reset", "--quiet", "--hard")
    staged = folder / STAGED
    staged.parent.mkdir(parents=True, exist_ok=True)
    staged.write_text(task_text())
    _git(folder, "add", "--", STAGED)
    return folder


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _git(folder: Path, *words: str, given: bytes | None = None) -> None:
    subprocess.run(["git", "-c", "gc.auto=0", *words], cwd=folder, input=given, check=True)
