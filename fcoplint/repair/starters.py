"""What `init` writes: the files that protect a repository, each with what is appended to one that is there."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from fcoplint.repair.setup import Paper

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PLACEHOLDER = "your-org/fcoplint@" + "0" * 40
_URL = re.compile(r"(?:https?|ssh|git)://[\w.@:~+/-]+|[\w.-]+@[\w.-]+:[\w.~+/-]+", re.ASCII)
_PASSWORD = re.compile(r"://[^/@]*:[^/]*@")
_REVISION = re.compile(r"[A-Za-z0-9_][\w./+-]*", re.ASCII)
_REPOSITORY = re.compile(r".*[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
_TOP_LEVEL = re.compile(r"[^\s#-][^\n]*")
_ITEM = re.compile(r"( *)- +repo *:.*")

_CONFIG = """\
# What fcoplint does; nothing of it is needed. `fcoplint audit --show-settings` shows every key, `fcoplint schema config` describes them.
# A change is judged by the configuration before it: commit an edit of this file by itself.

# The least severity that makes a run fail: error, warning or info.
fail-level = "error"

# Paths that are not looked at, as in a .gitignore.
exclude = []

# In an old repository: `fcoplint audit --history` judges only commits after this one.
# history-from = "<a commit or tag>"
"""
_FROM_SOURCE = """\
- repo: {url}
  rev: {revision}
  hooks:
  - id: fcoplint
  - id: fcoplint-push
"""
_FROM_PATH = """\
- repo: local
  hooks:
  - id: fcoplint
    name: fcoplint
    entry: fcoplint check
    language: system
    always_run: true
    pass_filenames: false
    stages: [pre-commit, pre-merge-commit]
  - id: fcoplint-push
    name: fcoplint (every commit that is pushed)
    entry: fcoplint check --pre-push
    language: system
    always_run: true
    pass_filenames: false
    stages: [pre-push]
"""
_HOOK_TYPES = "default_install_hook_types: [pre-commit, pre-merge-commit, pre-push]\n"
_ATTRIBUTES = "# Envelopes keep their bytes on every machine: {why}.\n{lines}"


class Source(NamedTuple):
    """Where a team has fcoplint: the URL of its git repository, and a revision of it."""

    url: str
    revision: str


# For what is only taken away: whose action a workflow names does not matter then.
NOWHERE = Source("https://example.org/your-org/fcoplint", "0" * 40)


def source_fault(source: Source) -> str | None:
    """Why a source cannot be written into a file, or None."""
    if _PASSWORD.search(source.url):
        return "the URL holds a password, and what it is written into is committed"
    if not _URL.fullmatch(source.url) or not _REPOSITORY.fullmatch(source.url):
        return f"{source.url} is no URL of a git repository"
    return None if _REVISION.fullmatch(source.revision) else f"{source.revision} is no commit or tag"


def config() -> Paper:
    """`.fcoplint.toml`, with what most teams change first."""
    return Paper(".fcoplint.toml", _CONFIG.encode(), b"", _CONFIG.encode())


def pre_commit(source: Source | None) -> Paper:
    """The entry for pre-commit: from a source, else the fcoplint that is on PATH."""
    items = _FROM_SOURCE.format(url=source.url, revision=source.revision) if source else _FROM_PATH
    whole = f"{_HOOK_TYPES}repos:\n{items}".encode()
    return Paper(".pre-commit-config.yaml", whole, b"fcoplint", items.encode(), lambda content: _join_repos(content, items))


def workflow(source: Source) -> Paper:
    """The GitHub workflow of examples/ci, with the action of this source."""
    text = _shipped("ci", "github.yml").replace(_PLACEHOLDER, f"{_owner_and_name(source)}@{source.revision}").encode()
    return Paper(".github/workflows/fcoplint.yml", text, b"fcoplint", text)


def attributes(workspaces: Sequence[tuple[str, int]]) -> Paper:
    """Lines of `.gitattributes` for each workspace: (its folder, its protocol version). Protocols 1 to 3 compare text, 4 bytes."""
    lines = "".join(f"{_pattern(root)} {'text=auto eol=lf' if version in (1, 2, 3) else '-text'}\n" for root, version in workspaces)
    why = "what is signed or compared is what was written"
    block = _ATTRIBUTES.format(why=why, lines=lines).encode()
    return Paper(".gitattributes", block, b"fcop", block, lambda content: block if content.endswith(b"\n") else None)


def claude() -> tuple[Paper, Paper]:
    """Claude Code's hook, and the settings that call it."""
    script, settings = _shipped("agents", "claude-code.py").encode(), _shipped("agents", "claude-settings.json").encode()
    return (
        Paper(".claude/hooks/fcoplint.py", script, b"fcoplint", script, sealed=False),
        Paper(".claude/settings.json", settings, b"fcoplint", settings, sealed=False),
    )


def cursor() -> Paper:
    """Cursor's rule."""
    rule = _shipped("agents", "fcoplint.mdc").encode()
    return Paper(".cursor/rules/fcoplint.mdc", rule, b"fcoplint", rule, sealed=False)


def _owner_and_name(source: Source) -> str:
    """`OWNER/NAME`, as GitHub names a repository."""
    found = _REPOSITORY.fullmatch(source.url)
    assert found, source
    return found[1]


def _join_repos(content: bytes, items: str) -> bytes | None:
    """The items as a continuation of `repos:`, where that is a plain list at the very end of the file; else None."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    keys = [line for line in text.splitlines() if _TOP_LEVEL.fullmatch(line)]
    if not text.endswith("\n") or "\r" in text or "\t" in text or not keys or keys[-1].rstrip() != "repos:":
        return None
    below = text.rpartition("repos:")[2].splitlines()
    written = [line for line in below if line.strip() and not line.lstrip().startswith("#")]
    first = _ITEM.fullmatch(written[0]) if written else None
    if first is None or any(_indent(line) < len(first[1]) or line.lstrip()[0] in "[]{}" for line in written):
        return None
    if any(_indent(line) == len(first[1]) and not _ITEM.fullmatch(line) for line in written):
        return None
    return "".join(f"{first[1]}{line}\n" for line in items.splitlines()).encode()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _pattern(root: str) -> str:
    """A pattern of .gitattributes for all below a folder; what means something else there fits any letter, what is no letter any run."""
    plain = "".join("?" if letter in ' *?[]\\"' else letter if letter.isprintable() else "*" for letter in root)
    return f"/{plain}/**" if plain else "/**"


def _shipped(folder: str, name: str) -> str:
    """A file that is shipped: in the wheel, or in a checkout."""
    beside = {"ci": ("examples", "ci"), "agents": ("hooks", "agents")}[folder]
    inside = {"ci": ("_ci",), "agents": ("_hooks", "agents")}[folder]
    wheel = os.path.join(_PACKAGE, *inside, name)
    path = wheel if os.path.exists(wheel) else os.path.join(os.path.dirname(_PACKAGE), *beside, name)
    with open(path, encoding="utf-8") as file:
        return file.read()
