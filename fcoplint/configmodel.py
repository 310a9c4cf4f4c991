"""The configuration's model: keys, types and what they mean. Imported only where a configuration has to be validated.

Validated content is remembered (`config.py`), so that the hook need not import pydantic (design.md 7).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from fcoplint import catalogue
from fcoplint.protocol.paths import parse
from fcoplint.protocol.roles import is_role
from fcoplint.settings import BASELINE

_DURATION = re.compile(r"\d{1,6}[smhd]")
# Within these bounds no pattern can take more than polynomial time on one line of a TASK.
_RISKY = re.compile(r"\)[*+{]|\\[1-9]|\(\?P=|\(\?[<=!(]")


def _selector(text: str) -> str:
    if catalogue.resolve(text) is None:
        near = catalogue.suggest(text)
        raise ValueError(f"no rule is called `{text}`" + (f"; did you mean `{near}`?" if near else ""))
    return text


def _role(text: str) -> str:
    if not is_role(text):
        raise ValueError(f"`{text}` is no role: capitals, digits, `_` and `-`")
    return text


def _pattern(text: str) -> str:
    if len(text) > 200 or _RISKY.search(text):
        raise ValueError("a pattern is at most 200 characters, without repeated groups, look-around and back references")
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"this is no regular expression: {error}") from error
    return text


def _file(text: str) -> str:
    if not text or text.startswith(("/", "\\")) or ":" in text or ".." in re.split(r"[/\\]", text):
        raise ValueError("name a file in the configuration's folder or below it")
    return text


def _duration(text: str) -> str:
    if not _DURATION.fullmatch(text):
        raise ValueError("write a number and s, m, h or d: `10m`")
    return text


def _root(text: str) -> str:
    if not parse(text).is_absolute:
        raise ValueError(f"`{text}` is no absolute path; write it as it stands on the machine: `/home/me/shop`, `D:\\\\work\\\\shop`")
    return text


Root = Annotated[str, AfterValidator(_root)]
Selector = Annotated[str, AfterValidator(_selector)]
Role = Annotated[str, AfterValidator(_role)]
Severity = Literal["error", "warning", "info"]


class RootsTable(BaseModel):
    """`[roots]`: which paths are this project, and which are others (roots.md 5a)."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=lambda name: name.replace("_", "-"))

    home: list[Root] = Field([], description="Absolute paths under which this project lies on the team's machines.")
    foreign: list[Root] = Field([], description="Absolute paths of other projects.")
    ignore: list[str] = Field([], description="Paths that the rules about roots pass by: fixtures, templates.")
    cross_root_keys: list[str] = Field([], description="Fields of front matter that may speak of other projects, beside `audit_target`.")
    allow_protected: bool | list[Root] = Field(
        [], description="Folders that may be a project's root although they are a home or the system's."
    )


class Config(BaseModel):
    """`[tool.fcoplint]` in pyproject.toml, or all of `.fcoplint.toml`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        alias_generator=lambda name: name.replace("_", "-"),
        json_schema_extra={"$id": "urn:fcoplint:config:1", "$schema": "https://json-schema.org/draft/2020-12/schema"},
        title="fcoplint configuration",
    )

    select: list[Selector] = Field([], description="Only these rules: codes, prefixes of codes, names.")
    ignore: list[Selector] = Field([], description="Not these rules; of two selectors that fit, the longer wins.")
    per_path_ignores: dict[str, list[Selector]] = Field({}, description="Rules that do not speak of paths that fit a pattern.")
    severity: dict[Selector, Severity] = Field({}, description="Another severity for the findings of these rules.")
    fail_level: Severity = Field("error", description="The least severity that makes the run fail.")
    protocol: Literal["auto", "v1", "v2", "v3", "v4"] = Field(
        "auto", description="The protocol version of every workspace; `auto`: what its files tell."
    )
    dialect: Literal["fcop", "codeflowmu"] = Field("fcop", description="The vocabulary of events.")
    workspaces: list[str] = Field([], description="Only workspaces whose folder fits one of these patterns.")
    exclude: list[str] = Field([], description="Paths that are not looked at: fixtures, templates.")
    history_from: str | None = Field(None, pattern=r"^[^-]", description="The commit from which on the past is judged.")
    rules_version: str | None = Field(
        None,
        pattern=r"^\d+(\.\d+){0,2}$",
        description="The version of the FCoP rules in force, instead of what the rules files in the repository say.",
    )
    authorisation_patterns: list[Annotated[str, AfterValidator(_pattern)]] = Field(
        [], description="Further sentences, as regular expressions, by which a TASK lets its executor archive it."
    )
    leader: Role | None = Field(None, description="The leader, instead of the one that the manifest names.")
    admins: list[Role] = Field([], description="Roles that have ADMIN's rights.")
    actors: dict[Role, list[str]] = Field({}, description="Author e-mail patterns that may sign for a role.")
    require_signed: bool = Field(False, description="Whether commits that sign for a role must carry a good signature.")
    baseline: Annotated[str, AfterValidator(_file)] = Field(BASELINE, description="The file of accepted findings.")
    roots: RootsTable = Field(RootsTable.model_validate({}), description="Which roots are this project's, and which are not.")
    clock_tolerance: Annotated[str, AfterValidator(_duration)] = Field("10m", description="How far clocks may differ.")
    lang: Literal["en", "zh"] | None = Field(None, description="The language of messages, whatever the manifest and the locale say.")
    max_bytes: int = Field(16 * 1024 * 1024, ge=1024, description="The largest file that is read.")


def validate(table: dict[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """What is wrong with a configuration: (path of the key, reason) of each fault; empty where it is sound."""
    from pydantic import ValidationError

    try:
        Config.model_validate(table)
    except ValidationError as error:
        return [(tuple(map(str, fault["loc"])), _reason(fault)) for fault in error.errors(include_url=False)]
    return []


def keys(table: tuple[str, ...] = ()) -> list[str]:
    """The keys of a configuration, or of one of its tables."""
    model = RootsTable if table == ("roots",) else Config
    return [field.alias or name for name, field in model.model_fields.items()]


def schema() -> dict[str, Any]:
    """The JSON Schema of a configuration."""
    return Config.model_json_schema()


def _reason(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return "unknown"
    message = str(fault["msg"]).removeprefix("Value error, ")
    return message[0].lower() + message[1:]
