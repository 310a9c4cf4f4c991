"""Paths as somebody wrote them, taken apart by the rules of their own system on every system (roots.md 5a). No disk.

A path of another machine has no identity here: of two paths that are not the same text nothing follows. Three results
only, and text decides none of them: `judge` compares what a disk said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

_DRIVE = re.compile(r"([A-Za-z]):(?=[\\/]|\Z)")
_DRIVE_RELATIVE = re.compile(r"[A-Za-z]:(?=[^\\/])")
_EXTENDED = re.compile(r"[\\/]{2}[?.][\\/](?:UNC[\\/])?", re.IGNORECASE)
_HOME = re.compile(r"~[\w.-]*(?=[\\/]|\Z)")
# ${VAR}, ${VAR:-default}, ${env:VAR}, %VAR%, $env:VAR, $VAR: at the start of a path it stands for a folder.
_VARIABLE = re.compile(r"\$\{([^{}]+)\}|%([A-Za-z_][\w()]*)%|\$env:(\w+)|\$([A-Za-z_]\w*)", re.IGNORECASE)
_URI = re.compile(r"file:", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\\/]+")
# What editors and agent tools replace by the folder that is open, so by the project's root.
PROJECT_PLACEHOLDERS = frozenset({"workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR", "projectRoot", "PWD", "INIT_CWD"})
_HOME_PLACEHOLDERS = frozenset({"HOME", "USERPROFILE", "userHome"})
_SYSTEM_FOLDERS = frozenset(
    {"/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/usr/local", "/var"}
)
_WINDOWS_SYSTEM = frozenset({"windows", "program files", "program files (x86)", "programdata", "users"})


class Form(Enum):
    """What kind of path a text is."""

    RELATIVE = "relative"
    POSIX = "posix"
    DRIVE = "drive"
    UNC = "unc"
    HOME = "home"
    VARIABLE = "variable"
    # `\folder` and `D:folder` depend on what a Windows process has open: nothing can be said of them.
    ROOTED = "rooted"


class Verdict(Enum):
    """What a comparison of two roots yields; nothing else exists, and unknown is no fault."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


class Identity(NamedTuple):
    """What a disk says of an existing folder: its real path, device and inode."""

    real: str
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class WrittenPath:
    """A path taken apart: its form, what it starts from (`/`, `D:`, `//server/share`, `~`, a variable) and its segments.

    `.` is dropped and `..` kept: only a disk knows what lies above a link.
    """

    raw: str
    form: Form
    anchor: str
    parts: tuple[str, ...]

    @property
    def is_relative(self) -> bool:
        """Whether it starts from wherever it is read."""
        return self.form is Form.RELATIVE

    @property
    def is_absolute(self) -> bool:
        """Whether it names one machine's place, were it by way of a home folder."""
        return self.form in (Form.POSIX, Form.DRIVE, Form.UNC, Form.HOME, Form.ROOTED) or self.is_home

    @property
    def is_windows(self) -> bool:
        """Whether it can only be a path of Windows."""
        return self.form in (Form.DRIVE, Form.UNC, Form.ROOTED)

    @property
    def is_home(self) -> bool:
        """Whether it starts from somebody's home folder: `~`, `%USERPROFILE%`, `${HOME}`."""
        return self.form is Form.HOME or (self.form is Form.VARIABLE and self.variable in _HOME_PLACEHOLDERS)

    @property
    def variable(self) -> str | None:
        """The name of the variable it starts with, without its default."""
        if self.form is not Form.VARIABLE:
            return None
        match = _VARIABLE.match(self.anchor)
        name = next(group for group in match.groups() if group is not None) if match else self.anchor
        return name.partition(":-")[0].removeprefix("env:")

    @property
    def is_project(self) -> bool:
        """Whether it starts from what a tool fills in with the open project's root."""
        return self.variable in PROJECT_PLACEHOLDERS

    @property
    def has_variable(self) -> bool:
        """Whether a variable stands anywhere in it, so that its text alone does not say where it leads."""
        return self.form is Form.VARIABLE or any(_VARIABLE.search(part) for part in self.parts)

    @property
    def text(self) -> str:
        """One spelling for all that mean the same by text alone: `/` between segments, `..` taken back where it can be."""
        kept = tuple(normalise(self.parts))
        start = self.anchor if self.form not in (Form.POSIX, Form.RELATIVE) else ""
        if self.form is Form.RELATIVE:
            return "/".join(kept) or "."
        return "/".join((start, *kept)) if kept else start or "/"

    def joined(self, *parts: str) -> WrittenPath:
        """The path of something below it."""
        return replace(self, parts=(*self.parts, *parts))


def parse(raw: str) -> WrittenPath:
    """A path as written, on any system: drives, UNC, POSIX, `~`, `%VAR%`, `${VAR}`, file: URIs."""
    text = raw.strip()
    if _URI.match(text):
        text = _from_uri(text)
    text = _EXTENDED.sub(lambda match: "\\\\" if "unc" in match[0].lower() else "", text, count=1) if _EXTENDED.match(text) else text
    drive = _DRIVE.match(text)
    if drive:
        return WrittenPath(raw, Form.DRIVE, f"{drive[1].upper()}:", _segments(text[drive.end() :], windows=True))
    if _DRIVE_RELATIVE.match(text):
        return WrittenPath(raw, Form.ROOTED, f"{text[0].upper()}:", _segments(text[2:], windows=True))
    if text.startswith("\\\\") or re.match(r"//[^/]", text):
        server, *rest = _segments(text, windows=True) or ("",)
        return WrittenPath(raw, Form.UNC, "//" + "/".join((server, *rest[:1])), tuple(rest[1:]))
    if text.startswith("\\"):
        return WrittenPath(raw, Form.ROOTED, "\\", _segments(text, windows=True))
    if text.startswith("/"):
        return WrittenPath(raw, Form.POSIX, "/", _segments(text, windows=False))
    for form, pattern in ((Form.HOME, _HOME), (Form.VARIABLE, _VARIABLE)):
        match = pattern.match(text)
        if match:
            return WrittenPath(raw, form, match[0], _segments(text[match.end() :], windows="\\" in text))
    return WrittenPath(raw, Form.RELATIVE, "", _segments(text, windows="/" not in text or "\\" in text))


def expand(raw: str, lookup: Callable[[str], str | None] | Mapping[str, str]) -> str:
    """The text with each variable's value where it is known, else with its own default, else as it stands."""
    find = lookup.get if isinstance(lookup, Mapping) else lookup

    def value(match: re.Match[str]) -> str:
        name = next(group for group in match.groups() if group is not None)
        name, _, default = name.partition(":-")
        found = find(name.removeprefix("env:"))
        return found if found is not None else default or match[0]

    return _VARIABLE.sub(value, raw)


def normalise(parts: tuple[str, ...]) -> list[str]:
    """Segments with each `..` taken back by text; those that climb above the start stay in front."""
    kept: list[str] = []
    for part in parts:
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return kept


def escapes(parts: tuple[str, ...]) -> bool:
    """Whether segments end above where they start; told by whole segments, so `..cache` is no escape."""
    return normalise(parts)[:1] == [".."]


def resolve_below(folder: str, parts: tuple[str, ...]) -> str | None:
    """Where segments lead from a folder of a tree ("" is its root), None where that is outside of it."""
    kept = normalise((*(folder.split("/") if folder else ()), *parts))
    return None if kept[:1] == [".."] else "/".join(kept)


def below(path: WrittenPath, root: WrittenPath) -> tuple[str, ...] | None:
    """The segments of a path below a root, by text alone; () for the root itself, None where it does not lie there."""
    if path.form is not root.form or not _same_text(path, (path.anchor,), (root.anchor,)):
        return None
    mine, base = normalise(path.parts), normalise(root.parts)
    if mine[:1] == [".."] or not _same_text(path, tuple(mine[: len(base)]), tuple(base)):
        return None
    return tuple(mine[len(base) :])


def judge(one: Identity | None, other: Identity | None) -> Verdict:
    """Whether two folders are one, by what a disk says of both; unknown where one of them is not there."""
    if one is None or other is None:
        return Verdict.UNKNOWN
    same = one.real == other.real or ((one.device, one.inode) == (other.device, other.inode) and one.inode != 0)
    return Verdict.SAME if same else Verdict.DIFFERENT


def is_protected(path: WrittenPath, homes: tuple[str, ...] = ()) -> bool:
    """Whether nobody's project root can lie here: `/`, a drive, a system folder, a home folder or what holds home folders."""
    parts = tuple(normalise(path.parts))
    if path.is_home:
        return not parts
    if path.form is Form.UNC:
        return not parts
    if path.form is Form.DRIVE:
        lowered = tuple(part.lower() for part in parts)
        return not parts or (len(parts) == 1 and lowered[0] in _WINDOWS_SYSTEM) or (len(parts) == 2 and lowered[0] == "users")
    if path.form is not Form.POSIX:
        return False
    text = "/" + "/".join(parts)
    around = {folder for home in homes for folder in (home.rstrip("/"), home.rstrip("/").rpartition("/")[0]) if folder}
    return text == "/" or text in _SYSTEM_FOLDERS or text in around or text in ("/home", "/Users")


def _same_text(path: WrittenPath, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    # Windows' names are one in either case; whether a POSIX disk folds it, only the disk knows.
    return one == other if not path.is_windows else [part.lower() for part in one] == [part.lower() for part in other]


def _segments(text: str, *, windows: bool) -> tuple[str, ...]:
    return tuple(part for part in (_SEPARATORS.split(text) if windows else text.split("/")) if part not in ("", "."))


def _from_uri(text: str) -> str:
    from urllib.parse import unquote

    rest = unquote(text[5:].partition("?")[0].partition("#")[0])
    if not rest.startswith("//"):
        return rest
    host, slash, path = rest[2:].partition("/")
    if host.lower() not in ("", "localhost"):
        return f"//{host}{slash}{path}"
    return path if _DRIVE.match(path) else f"/{path}"
