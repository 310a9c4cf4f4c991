"""A commit's message, and what its trailers say. Read here, for `git interpret-trailers` may run what a configuration names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fcoplint.model.workspace import Workspaces

_TRAILER = re.compile(r"(?P<key>[A-Za-z0-9-]+)[ \t]*:(?P<value>.*)", re.DOTALL)
_TASK = re.compile(r"\bTASK-[^\s,;()]+", re.IGNORECASE)


@dataclass(frozen=True)
class Message:
    """A commit's message as git hands it to its hook, and the state that the commit will have.

    What begins with `comment` git takes out, and so it does with all below its scissors.
    """

    text: str
    state: Workspaces
    comment: str = "#"

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """The ids that trailers `Task: TASK-…` name, each once, as written; a `Task:` with other words is prose."""
        values = (value for key, value in self.trailers() if key.lower() == "task")
        return tuple(dict.fromkeys(found.rstrip(".") for value in values for found in _TASK.findall(value)))

    def trailers(self) -> Iterator[tuple[str, str]]:
        """Key and value of each trailer, those of several lines joined; the title is none, whatever it looks like."""
        paragraphs = re.split(r"\n\n+", self._said.strip("\n"))
        for line in re.sub(r"\n[ \t]+", " ", paragraphs[-1]).split("\n") if len(paragraphs) > 1 else ():
            match = _TRAILER.fullmatch(line)
            if match:
                yield match["key"], match["value"].strip()

    @property
    def _said(self) -> str:
        """The message without what git takes out of it."""
        lines = self.text.replace("\r\n", "\n").split("\n")
        scissors = f"{self.comment} ------------------------ >8 ------------------------"
        end = lines.index(scissors) if scissors in lines else len(lines)
        return "\n".join(line.rstrip() for line in lines[:end] if not line.startswith(self.comment))
