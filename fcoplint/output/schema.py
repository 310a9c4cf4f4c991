"""The report's JSON Schema, from a pydantic model of what `json.py` writes. Imported only by `fcoplint schema`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["error", "warning", "info"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Tool(_Strict):
    """The program that wrote the report."""

    name: Literal["fcoplint"]
    version: str


class Excused(_Strict):
    """How many findings are excused, listed or not, by what excuses them."""

    inline: int = Field(description="Comments in the envelope.")
    path: int = Field(description="The setting `per-path-ignores`.")
    baseline: int


class Summary(_Strict):
    """How many findings of each severity are listed, how many older ones are not, and how many are excused."""

    error: int
    warning: int
    info: int
    older: int = Field(description="Findings that were there before the change, in what it can affect, and are not listed.")
    suppressed: Excused


class Workspace(_Strict):
    """A workspace that was looked at."""

    root: str
    version: int = Field(ge=0, le=4, description="The protocol version; 0 is one that nobody here knows.")
    envelopes: int


class Note(_Strict):
    """Something that was not looked at, or otherwise than usual."""

    topic: str
    text: str
    path: str | None


class Rule(_Strict):
    """A rule that the findings name."""

    code: str = Field(pattern=r"^FC\d{3}$")
    name: str
    title: str
    contract: str
    protocols: str
    fix: str
    source: str
    why: str
    findings: int = Field(description="How many findings of it are listed.")


class Place(_Strict):
    """A path, with line and column from 1 where there is one; the end lies behind the last character."""

    path: str | None = Field(description="POSIX; null where the finding is about the repository.")
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    path_bytes: str | None = Field(None, description="Base64 of a name that is not UTF-8; `path` then holds U+FFFD.")


class Related(Place):
    """A second place that belongs to a finding."""

    what: str


class Edit(Place):
    """A stretch of a file, and what is to stand there instead."""

    replacement: str


class Move(_Strict):
    """A file that is to lie elsewhere, its bytes as they are."""

    path: str
    target: str


class Fix(_Strict):
    """Edits, or moves, that put a finding right."""

    safety: Literal["safe", "unsafe"]
    edits: list[Edit]
    moves: list[Move]


class Commit(_Strict):
    """A commit: its id, its author as `Name <e-mail>`, the author's date."""

    id: str
    author: str
    date: str


class Finding(Place):
    """One finding."""

    code: str = Field(pattern=r"^FC\d{3}$")
    name: str
    severity: Severity
    contract: str
    message: str
    parameters: dict[str, str | int | bool | None]
    workspace: str
    subject: str
    related: list[Related]
    help: str | None
    next: list[str] = Field(description="The next command to type, as words.")
    fix: Fix | None = Field(description="What would put it right, where that is certain; `fcoplint fix` applies it.")
    source: str
    protocol_error: str | None = Field(description="The stable code that FCoP 4 gives the fault; null in older workspaces.")
    fingerprint: str = Field(pattern=r"^[0-9a-f]{24}$", description="The same fault, wherever it stands.")
    introduced: bool
    commit: Commit | None = Field(description="The commit that brought it in, where commits were judged one by one.")


class Suppression(_Strict):
    """What excuses a finding, the reason that somebody wrote, and the comment's place."""

    kind: Literal["inline", "path", "baseline"]
    reason: str
    path: str | None
    line: int | None


class SuppressedFinding(Finding):
    """A finding that does not count."""

    suppression: Suppression


class Report(_Strict):
    """`fcoplint.report/1`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        title="fcoplint report",
        json_schema_extra={"$id": "urn:fcoplint:report:1", "$schema": "https://json-schema.org/draft/2020-12/schema"},
    )
    schema_: Literal["fcoplint.report/1"] = Field(alias="schema")
    tool: Tool
    command: Literal["audit", "check"]
    exit_code: int
    fail_level: Severity
    lang: str = Field(pattern="^(en|zh)$", description="The language of messages; codes and parameters are the same in each.")
    summary: Summary
    workspaces: list[Workspace]
    notes: list[Note]
    rules: list[Rule]
    findings: list[Finding]
    suppressed: list[SuppressedFinding] = Field(
        description="Excused findings: all of an audit, of a change those that it brings in (with --all, all)."
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    return Report.model_json_schema(by_alias=True)
