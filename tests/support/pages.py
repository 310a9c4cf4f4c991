"""README and docs as tests read them: the blocks that are to be run, and in which folder."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.stages import DEFAULT
from tests.support.tool_path import PROJECT

PAGES = [*sorted(PROJECT.glob("README*.md")), PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").rglob("*.md"))]
_PART = re.compile(
    r"^<!-- run: (?P<stage>[a-z]+|by (?P<test>tests/\w+\.py))(?P<one>, in one folder)? -->$|^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_EXIT_CODE = re.compile(r"#.*\bexit code (\d)")
_RUN = ("", "console")


@dataclass(frozen=True)
class Command:
    """One command, the exit codes it may end with, and what the page shows of its output (None: nothing is said of it)."""

    line: str
    codes: frozenset[int]
    output: str | None


@dataclass(frozen=True)
class Session:
    """Blocks that are run one after the other in one fresh folder; `test` names the test that does so in place of test_docs.py."""

    page: Path
    stage: str
    blocks: tuple[tuple[Command, ...], ...]
    test: str | None = None

    @property
    def name(self) -> str:
        """The page and the first command."""
        return f"{self.page.relative_to(PROJECT)}: {self.blocks[0][0].line.split('  ')[0]}"


def fences(page: Path, language: str) -> list[str]:
    """The text of each fenced block of a language."""
    found = _PART.finditer(page.read_text("utf-8"))
    return [part["text"] for part in found if part["text"] is not None and part["language"] == language]


def sessions(page: Path) -> Iterator[Session]:
    """What is to be run of a page, in its order."""
    stage, test = DEFAULT, None
    shared: list[tuple[Command, ...]] | None = None
    for part in _PART.finditer(page.read_text("utf-8")):
        if part["stage"]:
            if shared:
                yield Session(page, stage, tuple(shared))
            stage, test, shared = part["stage"], part["test"], [] if part["one"] else None
        elif part["language"] in _RUN and (block := tuple(_commands(part["text"], held=part["language"] == "console"))):
            if shared is None:
                yield Session(page, stage, (block,), test)
            else:
                shared.append(block)
    if shared:
        yield Session(page, stage, tuple(shared))


def _commands(text: str, *, held: bool) -> Iterator[Command]:
    for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
        if part.startswith("$ "):
            line, _, output = part.removeprefix("$ ").partition("\n")
            demanded = _EXIT_CODE.search(line)
            codes = frozenset({int(demanded[1])}) if demanded else frozenset({0, 1})
            yield Command(line, codes, output if held else None)
