"""The strict model of a rule's file, and its examples as snapshots. Read with other means than the tool's own reader."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import frontmatter
from pydantic import BaseModel, ConfigDict, Field, model_validator

from fcoplint.source.snapshot import MemorySnapshot

RULES = Path(__file__).parents[2] / "rules"
Severity = Literal["error", "warning", "info"]

_BLOCK = re.compile(r"^```(?P<kind>bad|good)(?P<options> [^\n]*)?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{2,} .*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\(r|n|t|\\|x[0-9a-f]{2}|u[0-9a-f]{4})")
_MANIFEST = {
    "mode": "preset", "team": "dev-team", "leader": "PM", "roles": ["PM", "DEV", "QA", "OPS"], "lang": "en", "version": 1
}  # fmt: skip
_MANIFEST_V4 = {
    "protocol": "fcop", "protocol_version": "4.0", "workspace_id": "urn:uuid:8c1f5a50-3d0e-4a7b-9e44-0b6f2d1c7a90",
    "encoding": {"name": "fcop-filesystem", "version": "4.0"}, "profiles": ["team-lead"],
}  # fmt: skip
SECTIONS = ("What it checks", "Why it matters", "Example", "How to put it right", "Settings")


class Message(BaseModel):
    """One message's templates."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str = Field(min_length=10, pattern=r"[.!?]$")
    help: str = Field(min_length=10, pattern=r"[.!?]$")
    next: list[str] = Field(default_factory=list)


class RuleFile(BaseModel):
    """The front matter of `rules/FCnnn-name.md` (design.md 5)."""

    model_config = ConfigDict(extra="forbid", strict=True)
    code: str = Field(pattern=r"^FC\d{3}$")
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str = Field(min_length=10, max_length=90)
    contract: Literal["tool", "identity", "path", "events", "authority", "evidence", "judgement", "roots", "history", "writing"]
    protocols: str = Field(pattern=r"^(all|v[1-4](-v[1-4])?)$")
    severity: Severity | dict[str, Severity]
    fix: Literal["none", "safe", "unsafe", "recover", "repair"]
    source: str
    protocol_error: str | dict[str, str] | None = None
    why: str = Field(min_length=20, pattern=r"[.!?]$")
    messages: dict[str, Message] = Field(min_length=1)
    with_: list[str] = Field(default_factory=list, alias="with")
    example: str | None = None
    body: str

    @model_validator(mode="after")
    def _has_sections_and_examples(self) -> "RuleFile":
        headings = [line.removeprefix("## ") for line in self.body.splitlines() if line.startswith("## ")]
        assert headings == list(SECTIONS), f"sections are {headings}"
        kinds = {example.kind for example in self.examples()}
        if self.example:
            assert re.fullmatch(r"tests/\S+\.py::test_\w+", self.example), self.example
        else:
            assert kinds == {"bad", "good"}, f"examples are {kinds}"
        return self

    @property
    def protocol_errors(self) -> dict[str, str]:
        """The protocol's own code by message, "" for all that are not named."""
        said = {"default": self.protocol_error} if isinstance(self.protocol_error, str) else self.protocol_error or {}
        assert set(said) - {"default"} <= set(self.messages), f"{self.code}: errors of messages that are not there"
        return {"" if key == "default" else key: value for key, value in said.items()}

    @property
    def severities(self) -> dict[str, str]:
        """Severity by condition, "" for the ordinary case."""
        if isinstance(self.severity, str):
            return {"": self.severity}
        return {"" if key == "default" else key: value for key, value in self.severity.items()}

    def examples(self) -> "Iterator[Example]":
        """Each example: the blocks of one kind below one heading are one workspace."""
        for section in _HEADING.split(self.body):
            for kind in ("bad", "good"):
                blocks = [match for match in _BLOCK.finditer(section) if match["kind"] == kind]
                if blocks:
                    example = Example(kind, manifest=_MANIFEST_V4 if self.protocols == "v4" else _MANIFEST)
                    for block in blocks:
                        example.add((block["options"] or "").split(), block["text"])
                    yield example


@dataclass
class Example:
    """One workspace, and the state before it where an example shows a change."""

    kind: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    before: dict[str, bytes] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=lambda: _MANIFEST)

    def add(self, options: list[str], text: str) -> None:
        """Add one fenced block."""
        settings = dict(option.partition("=")[::2] for option in options)
        path = _unescape(settings["path"]).decode("utf-8", "surrogateescape")
        if "link" in settings:
            self.links[path] = settings["link"]
            return
        content = _unescape(text) if "escapes" in settings else text.encode()
        (self.before if settings.get("side") == "before" else self.files)[path] = content

    def snapshot(self) -> MemorySnapshot:
        """The state after, with a manifest where the example shows none."""
        return MemorySnapshot(_with_manifest(self.files, self.manifest), self.links)

    def snapshot_before(self) -> MemorySnapshot | None:
        """The state before, with a manifest where it shows none; None where the example shows no change."""
        return MemorySnapshot(_with_manifest(self.before, self.manifest)) if self.before else None


def _with_manifest(files: dict[str, bytes], manifest: dict[str, Any]) -> dict[str, bytes]:
    root = "docs/agents" if any(path.startswith("docs/agents/") for path in files) else "fcop"
    if any(path.endswith(("fcop.json", "codeflow.json")) for path in files) or "" in files:
        return {path: content for path, content in files.items() if path}
    return {f"{root}/fcop.json": json.dumps(manifest).encode(), **files}


def _unescape(text: str) -> bytes:
    plain = {"r": b"\r", "n": b"\n", "t": b"\t", "\\": b"\\"}

    def replace(match: re.Match[str]) -> str:
        code = match[1]
        if code in plain:
            return plain[code].decode()
        number = int(code[1:], 16)
        return chr(number) if code[0] == "u" else bytes([number]).decode("utf-8", "surrogateescape")

    return _ESCAPE.sub(replace, text).encode("utf-8", "surrogateescape")


def load(path: Path) -> RuleFile:
    """A rule's file, read by python-frontmatter and held against the model."""
    post = frontmatter.load(str(path))
    return RuleFile.model_validate({**post.metadata, "body": post.content})
