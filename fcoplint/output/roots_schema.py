"""The JSON Schemas of the probe and of the acceptance of a switch. Imported only by `fcoplint schema`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fcoplint.output.schema import Severity

Digest = Field(pattern=r"^[0-9a-f]{12}$", description="Of real path, device and inode: of this machine only.")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Root(_Strict):
    """A root: as it was reached, as the disk has it, and where it comes from."""

    logical: str
    real: str
    digest: str = Digest
    workspace: str | None = Field(description="The workspace below it, `fcop` or `docs/agents`.")
    workspace_id: str | None = Field(description="The portable identity of v4.")
    source: str


class Component(_Strict):
    """One holder of a root."""

    id: str
    origin: str = Field(description="The file, or the place, it was read from.")
    raw: str | None = Field(description="As written.")
    logical: str | None = Field(description="Absolute by text alone.")
    real: str | None = Field(description="What the disk says.")
    digest: str | None
    root_digest: str | None = Field(description="Of the root that it speaks for: the folder itself, or the project that owns it.")
    state: Literal["ok", "different", "missing", "unresolvable", "unknown", "absent", "stale"]
    why: str | None
    independent: bool = Field(description="False where it is derived from the expected root itself.")
    compared: bool = Field(description="False where it names something that need not be the root.")
    rule: str | None


class Finding(_Strict):
    """What is wrong, with which components, and what to do."""

    rule: str | None
    severity: Severity
    components: list[str]
    message: str
    next: str


class Snapshot(_Strict):
    """What was looked at, twice."""

    head: str | None
    index_tree: str | None
    manifest_sha256: str | None
    at: str


class Roots(_Strict):
    """`fcoplint.roots/1`."""

    model_config = ConfigDict(
        extra="forbid", strict=True, title="fcoplint root probe", json_schema_extra={"$id": "urn:fcoplint:roots:1", "$schema": _DIALECT}
    )
    schema_: Literal["fcoplint.roots/1"] = Field(alias="schema")
    tool: str
    verdict: Literal["CONSISTENT", "MISMATCH", "INDETERMINATE", "UNREADABLE", "CHANGED-DURING-PROBE"]
    exit: Literal[0, 1, 3]
    strict: bool
    expected: Root
    components: list[Component]
    findings: list[Finding]
    not_proved: list[str]
    snapshot: Snapshot


class Item(_Strict):
    """One thing that has to hold in a switch."""

    id: str
    result: Literal["clean", "warning", "refused", "unreadable", "open", "yes", "no", "none"]
    text: str
    evidence: list[str]
    do: str | None


class Switch(_Strict):
    """`fcoplint.switch/1`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        title="fcoplint acceptance of a switch",
        json_schema_extra={"$id": "urn:fcoplint:switch:1", "$schema": _DIALECT},
    )
    schema_: Literal["fcoplint.switch/1"] = Field(alias="schema")
    tool: str
    verdict: Literal["ACCEPTED", "REFUSED", "OPEN", "NO-OP", "UNREADABLE", "CHANGED-DURING-PROBE"]
    exit: Literal[0, 1, 3]
    strict: bool
    phase: Literal["before", "during", "after"]
    from_: Root | None = Field(alias="from")
    to: Root | None
    proved: list[Item]
    asked: list[Item]
    unchecked: list[Item]
    not_proved: list[str]


def roots_schema() -> dict[str, Any]:
    """The JSON Schema of a probe."""
    return Roots.model_json_schema(by_alias=True)


def switch_schema() -> dict[str, Any]:
    """The JSON Schema of an acceptance."""
    return Switch.model_json_schema(by_alias=True)
