"""`check --commit-msg FILE`: the TASK that a commit's message names must be one of this repository."""

from __future__ import annotations

import os
import re

from fcoplint.cli import common
from fcoplint.model.workspace import Documents, Workspaces
from fcoplint.source import git, tree

_TRAILER = re.compile(r"task:[ \t]*(TASK-\S+)[ \t]*", re.IGNORECASE)
# What `git commit --verbose` adds begins with this line, after the comment character.
_SCISSORS = "------------------------ >8 ------------------------"


def check_message(repository: git.Repository, file: str) -> None:
    """End with 1 where a trailer `Task: TASK-…` names no TASK of what is being committed; other trailers say nothing to us."""
    try:
        with open(file, "rb") as opened:
            text = opened.read().decode("utf-8", "replace")
    except OSError as error:
        common.stop(f"{file}: {error.strerror}", common.USAGE)
    named = trailers(text)
    if not named:
        return
    parents = tree.parents_of_next_commit(repository, os.environ)
    _, after = tree.index_and_parents(repository, parents)
    workspaces = list(Workspaces(after, Documents()))
    lost = [
        task for task in named if not any(found.kind == "TASK" for workspace in workspaces for found in workspace.relations.resolve(task))
    ]
    if workspaces and lost:
        common.stop(
            "\n".join(
                f"the message says `Task: {task}`, and no TASK of this repository bears that id; correct the trailer or leave it out"
                for task in lost
            ),
            1,
        )


def trailers(message: str) -> list[str]:
    """The TASKs that the last paragraph of a message names by `Task:`, each once; comments do not count."""
    lines = []
    for line in message.splitlines():
        if line.endswith(_SCISSORS):
            break
        if not line.startswith("#"):
            lines.append(line.rstrip())
    last = "\n".join(lines).strip().rpartition("\n\n")[2]
    return list(dict.fromkeys(match[1] for line in last.splitlines() if (match := _TRAILER.fullmatch(line))))
