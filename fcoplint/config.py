"""Finds the configuration, checks it, and makes settings of it (design.md 7).

A change is judged by the configuration before it, so the bytes come from a snapshot. What was found valid is remembered
by its digest below the git directory: only that it is valid, never what it says, so that nobody can plant settings there.
"""

from __future__ import annotations

import datetime
import difflib
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fcoplint import __version__, atomic, catalogue
from fcoplint.model.policy import Policy, Roots
from fcoplint.settings import BASELINE, Settings
from fcoplint.source.snapshot import MAX_BYTES, Snapshot

PYPROJECT, OWN_FILE = "pyproject.toml", ".fcoplint.toml"
FILES = (OWN_FILE, PYPROJECT)
_SECTION = "tool.fcoplint"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_ERROR_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class ConfigError(Exception):
    """A configuration that cannot be used: one line a fault, with file, line, key and what was probably meant."""


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration file: its name for people, and its text."""

    name: str
    text: str


def find_in_snapshot(snapshot: Snapshot) -> Source | None:
    """The configuration of a snapshot's root folder. Raises ConfigError where there are two, or one that is no text."""
    present = [name for name in FILES if name in snapshot.entries]
    return _only_one([(name, content) for name, content in snapshot.read(present) if isinstance(content, bytes)])


def find_on_disk(folder: str, top: str) -> tuple[str, Source] | None:
    """(folder, configuration) of the nearest folder from `folder` up to `top` that has one. Raises ConfigError."""
    while True:
        found = _only_one(list(_read_files(folder)))
        if found:
            return folder, Source(os.path.relpath(os.path.join(folder, found.name)), found.text)
        parent = os.path.dirname(folder)
        if folder == top or parent == folder:
            return None
        folder = parent


def read_file(path: str) -> Source:
    """The configuration that the user names by hand. Raises ConfigError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return Source(path, _text(path, file.read()))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def read_beside(folder: str, path: str) -> bytes | None:
    """The bytes of a file in or below a folder, None where there is none or a link leads to it."""
    full = os.path.join(os.path.realpath(folder), os.path.normpath(path))
    if os.path.realpath(full) != full or not os.path.isfile(full):
        return None
    with open(full, "rb") as file:
        return file.read()


def make_settings(source: Source | None, memory: str | None) -> Settings:
    """The settings of a configuration, the defaults without one. Raises ConfigError.

    `memory` is the folder in which valid configurations are remembered, None for nowhere.
    """
    if source is None:
        return Settings()
    table = _parse(source)
    if _is_remembered(source, memory):
        try:
            return _settings(table)
        except (TypeError, ValueError, KeyError, AttributeError):
            # Somebody planted the mark: the content was never valid.
            pass
    _validate(source, table)
    _remember(source, memory)
    return _settings(table)


def describe(source: Source | None) -> Iterator[tuple[str, object, str]]:
    """(key, value, where it comes from) of every setting."""
    from fcoplint.configmodel import Config

    table = _parse(source) if source else {}
    defaults = Config.model_validate({}).model_dump(by_alias=True)
    for name, field in Config.model_fields.items():
        key = field.alias or name
        if source is not None and key in table:
            yield key, table[key], f"{source.name}:{_line(source, (key,)) or 1}"
        else:
            yield key, defaults[key], "default"


def _only_one(found: list[tuple[str, bytes]]) -> Source | None:
    sources = [Source(name, _text(name, content)) for name, content in found]
    configured = [source for source in sources if source.name == OWN_FILE or _has_section(source)]
    if len(configured) > 1:
        raise ConfigError(f"{OWN_FILE} and [{_SECTION}] in {PYPROJECT} both configure fcoplint; keep one of them")
    return configured[0] if configured else None


def _read_files(folder: str) -> Iterator[tuple[str, bytes]]:
    for name in FILES:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not os.path.islink(path):
            with open(path, "rb") as file:
                yield name, file.read()


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}:{content.count(10, 0, error.start) + 1}: this file is not UTF-8") from error


def _has_section(source: Source) -> bool:
    if "fcoplint" not in source.text:
        return False
    tool = _load(source).get("tool")
    return isinstance(tool, dict) and "fcoplint" in tool


def _load(source: Source) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _ERROR_PLACE.search(str(error))
        line = place[1] if place and place[1] else source.text.count("\n") + 1
        reason = _ERROR_PLACE.sub("", str(error))
        raise ConfigError(f"{source.name}:{line}: this is no TOML: {reason[:1].lower()}{reason[1:]}") from error


def _parse(source: Source) -> dict[str, Any]:
    loaded = _load(source)
    if os.path.basename(source.name) != PYPROJECT:
        return loaded
    tool = loaded.get("tool")
    section = tool.get("fcoplint", {}) if isinstance(tool, dict) else {}
    if not isinstance(section, dict):
        raise ConfigError(f"{source.name}:{_line(source, ('fcoplint',)) or 1}: `{_SECTION}` must be a table")
    return section


def _validate(source: Source, table: dict[str, Any]) -> None:
    from fcoplint import configmodel

    faults = [
        f"{source.name}:{_line(source, path) or 1}: `{_key(path)}`: {_explain(path, reason, configmodel.keys(path[:-1]))}"
        for path, reason in configmodel.validate(table)
    ]
    if faults:
        raise ConfigError("\n".join(faults))


def _key(path: tuple[str, ...]) -> str:
    """`per-path-ignores.a/**[0]`: a key as a person would write it."""
    return "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path).removeprefix(".")


def _explain(path: tuple[str, ...], reason: str, keys: list[str]) -> str:
    if reason != "unknown":
        return reason
    near = difflib.get_close_matches(path[-1].replace("_", "-"), keys, n=1)
    return "there is no such setting" + (f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(keys)}")


def _line(source: Source, path: tuple[str, ...]) -> int | None:
    """The line on which a key stands: the deepest part of `path` that can be found, within the tool's section."""
    table: tuple[str, ...] = ()
    base = ("tool", "fcoplint") if os.path.basename(source.name) == PYPROJECT else ()
    best: tuple[int, int] | None = None
    for number, line in enumerate(source.text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        key = re.match(r"\s*([\w.\"'*/-]+)\s*=", line)
        if header:
            table = _split(header[1])
        here = table if header else (*table, *_split(key[1])) if key else None
        if here is not None and here[: len(base)] == base:
            depth = len(here) - len(base)
            if depth and here[len(base) :] == path[:depth] and (best is None or depth > best[0]):
                best = (depth, number)
    return best[1] if best else None


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", dotted))


def _settings(table: Mapping[str, Any]) -> Settings:
    policy = Policy(
        dialect=table.get("dialect", "fcop"),
        protocol=None if table.get("protocol", "auto") == "auto" else int(table["protocol"][1:]),
        rules_version=table.get("rules-version"),
        leader=table.get("leader"),
        admins=tuple(table.get("admins", ())),
        authorisation_patterns=tuple(table.get("authorisation-patterns", ())),
        clock_tolerance=_duration(table.get("clock-tolerance", "10m")),
        actors={role: tuple(patterns) for role, patterns in table.get("actors", {}).items()},
        require_signed=table.get("require-signed", False),
        roots=_roots(table.get("roots", {})),
    )
    return Settings(
        select=_codes(table.get("select", ())),
        ignore=_codes(table.get("ignore", ())),
        per_path_ignores=tuple((pattern, _codes(codes)) for pattern, codes in table.get("per-path-ignores", {}).items()),
        severity=tuple((_codes([selector])[0], level) for selector, level in table.get("severity", {}).items()),
        fail_level=table.get("fail-level", "error"),
        workspaces=tuple(table.get("workspaces", ())),
        exclude=tuple(table.get("exclude", ())),
        history_from=table.get("history-from"),
        baseline_file=table.get("baseline", BASELINE),
        max_bytes=table.get("max-bytes", MAX_BYTES),
        lang=table.get("lang"),
        roots_ignore=tuple(table.get("roots", {}).get("ignore", ())),
        policy=policy,
    )


def _roots(table: Mapping[str, Any]) -> Roots:
    allowed = table.get("allow-protected", ())
    return Roots(
        home=tuple(table.get("home", ())),
        foreign=tuple(table.get("foreign", ())),
        cross_root_keys=tuple(table.get("cross-root-keys", ())),
        allow_protected=allowed if isinstance(allowed, bool) else tuple(allowed),
    )


def _codes(selectors: Any) -> tuple[str, ...]:
    return tuple(code for selector in selectors if (code := catalogue.resolve(selector)) is not None)


def _duration(text: str) -> datetime.timedelta:
    return datetime.timedelta(**{_UNITS[text[-1]]: int(text[:-1])})


def _mark(source: Source, memory: str) -> str:
    digest = hashlib.blake2b(f"{__version__}\0{source.name}\0{source.text}".encode(), digest_size=16).hexdigest()
    return os.path.join(memory, f"valid-{digest}")


def _is_remembered(source: Source, memory: str | None) -> bool:
    return memory is not None and os.path.exists(_mark(source, memory))


def _remember(source: Source, memory: str | None) -> None:
    if memory is not None:
        atomic.leave_mark(_mark(source, memory))
