"""Configuration of MCP servers and editor folders, read tolerantly and located (roots.md 1, rows 2 to 5).

JSON as people write it: comments, trailing commas, a BOM. The library for that is imported only where plain JSON fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from fcoplint.model.frontmatter import BOM, compose
from fcoplint.model.nodes import Mapping, Node, Sequence, Span
from fcoplint.protocol.scalars import whole

MAX_BYTES = 1024 * 1024
_MAX_DEPTH = 32
_TOP = Span(1, 1, 1, 1)
# A text, or a comment: only the latter is blanked, place for place.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SERVER = re.compile(r"fcop[-_.]mcp(?:[-_.]server)?(?:[=@<>~!\[.;].*)?|fcop(?:\.exe|[=@<>~!\[;].*)?", re.IGNORECASE)
# Where in a file the servers stand, by the end of its path.
_SERVER_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (".cursor/mcp.json", ("mcpServers",)),
    (".vscode/mcp.json", ("servers",)),
    (".mcp.json", ("mcpServers",)),
    (".vscode/settings.json", ("mcp", "servers")),
    ("claude_desktop_config.json", ("mcpServers",)),
    (".code-workspace", ("settings", "mcp", "servers")),
)
ROOT_VARIABLES = ("FCOP_PROJECT_DIR", "FCOP_PROJECT_PATH", "FCOP_EVENT_LOG")
DEPRECATED_VARIABLE = "CODEFLOW_PROJECT_DIR"


class Value(NamedTuple):
    """A text of the file with its place; line 1 where the place cannot be told."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Server:
    """One server entry: what it starts, where, and with which environment. Values that are no text are left out."""

    name: str
    span: Span
    command: Value | None
    args: tuple[Value, ...]
    env: dict[str, Value]
    env_keys: dict[str, Span]
    cwd: Value | None

    @property
    def is_fcop(self) -> bool:
        """Whether this entry starts an FCoP server: its command or arguments name one, or only such a one reads its environment."""
        if self.command and _names_server(re.split(r"[\\/]", self.command.text)[-1]):
            return True
        # `./fcop` as an argument is a folder that some other server was given.
        named = any(_names_server(word.text) or re.search(r"fcop[-_]mcp(?:\.exe)?$", word.text, re.IGNORECASE) for word in self.args)
        return named or any(key in self.env for key in (*ROOT_VARIABLES, DEPRECATED_VARIABLE))

    @property
    def root_argument(self) -> Value | None:
        """What `--root X` or `--root=X` says."""
        for number, word in enumerate(self.args):
            if word.text == "--root":
                return self.args[number + 1] if number + 1 < len(self.args) else None
            if word.text.startswith("--root="):
                return Value(word.text.removeprefix("--root="), word.span)
        return None

    def bindings(self) -> Iterator[tuple[str, Value]]:
        """(key, value) of everything in this entry that chooses a root, in the order in which a server looks at them."""
        if self.root_argument:
            yield "args.--root", self.root_argument
        for key in (*ROOT_VARIABLES, DEPRECATED_VARIABLE):
            if key in self.env:
                yield f"env.{key}", self.env[key]
        if self.cwd:
            yield "cwd", self.cwd


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file says nothing: `kind` is not-utf8, json, too-large, too-deep or not-object; its place; a detail."""

    kind: str
    span: Span
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a file configures: servers, and the folders that an editor opens. `fault` says why there is nothing."""

    path: str
    servers: tuple[Server, ...] = ()
    folders: tuple[Value, ...] = ()
    terminal: Value | None = None
    fault: Fault | None = None


def is_configuration(path: str) -> bool:
    """Whether a path is that of a file which this module reads."""
    return _keys(path) is not None


def read_configuration(path: str, data: bytes) -> Configuration:
    """The servers and folders of a configuration file. Never raises."""
    loaded = read_json(data)
    if isinstance(loaded, Fault):
        return Configuration(path, fault=loaded)
    if not isinstance(loaded.values, dict):
        return Configuration(path, fault=Fault("not-object", _TOP))
    return Configuration(path, tuple(_servers(loaded, _keys(path) or ())), tuple(_folders(loaded)), _terminal(loaded))


@dataclass(frozen=True, slots=True)
class Located:
    """A JSON value with the places of its parts."""

    values: Any
    node: Node | None

    def span(self, *path: str | int) -> Span:
        """The place of a value by its keys and list positions; line 1 where it cannot be told."""
        node = self.node
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
            else:
                return _TOP
        return node.span if node else _TOP

    def key_span(self, *path: str) -> Span:
        """The place of a key."""
        node = self.node
        for step in path[:-1]:
            node = node.get(step) if isinstance(node, Mapping) else None
        pair = node.pair(path[-1]) if isinstance(node, Mapping) else None
        return pair.key.span if pair else _TOP

    def text(self, *path: str | int) -> Value | None:
        """A text by its keys and list positions, None where there is none."""
        value = self.values
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return Value(whole(value), self.span(*path)) if isinstance(value, str) else None

    def mapping(self, *path: str) -> dict[str, Any]:
        """An object by its keys, empty where there is none."""
        value = self.values
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}


def read_json(data: bytes) -> Located | Fault:
    """A JSON value, comments, trailing commas and a BOM allowed, with places. Never raises."""
    if len(data) > MAX_BYTES:
        return Fault("too-large", _TOP, str(len(data)))
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Fault("not-utf8", Span(line, 1, line, 1), str(error.start))
    values = _load(text)
    if isinstance(values, Fault):
        return values
    # Comments become blanks, so that the rest is flow YAML with each part in its place.
    blanked = _COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
    return Located(values, compose(blanked, first_line=1))


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return Fault("too-deep", _TOP)
    except ValueError as error:
        return _load_tolerantly(text, error)


def _load_tolerantly(text: str, strict: ValueError) -> Any:
    import pyjson5

    try:
        return pyjson5.decode(text, _MAX_DEPTH)
    except pyjson5.Json5NestingTooDeep:
        return Fault("too-deep", _TOP)
    except (pyjson5.Json5Exception, ValueError):
        line = getattr(strict, "lineno", 1)
        column = getattr(strict, "colno", 1)
        return Fault("json", Span(line, column, line, column + 1), getattr(strict, "msg", "no number that can be read"))


def _keys(path: str) -> tuple[str, ...] | None:
    for end, keys in _SERVER_KEYS:
        if path == end or path.endswith(f"/{end}") or (end == ".code-workspace" and path.endswith(end)):
            return keys
    return None


def _servers(file: Located, keys: tuple[str, ...]) -> Iterator[Server]:
    for name, entry in file.mapping(*keys).items():
        if not isinstance(entry, dict):
            continue
        here = (*keys, name)
        args = entry.get("args")
        found = (file.text(*here, "args", number) for number in range(len(args) if isinstance(args, list) else 0))
        env = {key: value for key in file.mapping(*here, "env") if (value := file.text(*here, "env", key)) is not None}
        places = {key: file.key_span(*here, "env", key) for key in env}
        yield Server(
            whole(name),
            file.key_span(*here),
            file.text(*here, "command"),
            tuple(value for value in found if value is not None),
            env,
            places,
            file.text(*here, "cwd"),
        )


def _folders(file: Located) -> Iterator[Value]:
    folders = file.values.get("folders")
    for number, folder in enumerate(folders if isinstance(folders, list) else ()):
        for key in ("path", "uri"):
            value = file.text("folders", number, key) if isinstance(folder, dict) else None
            if value is not None:
                yield value


def _terminal(file: Located) -> Value | None:
    return file.text("settings", "terminal.integrated.cwd") or file.text("terminal.integrated.cwd")


def _names_server(word: str) -> bool:
    return _SERVER.fullmatch(word) is not None
