"""The workspace's manifest, `fcop.json` or `codeflow.json`: what it declares, with places (protocol.md B.2, C.1)."""

import json
from functools import cached_property
from typing import Any

from fcoplint.model.jsonfile import JsonObject
from fcoplint.protocol.versions import Declared


class Manifest(JsonObject):
    """A manifest's values; `fault` says why there are none. Keys that stand twice are in `duplicates`."""

    @property
    def workspace_id(self) -> str | None:
        """The id that a v4 workspace has for life."""
        return self.text("workspace_id")

    @property
    def profiles(self) -> tuple[str, ...]:
        """The profiles that a v4 workspace adopted; entries of a wrong type are left out."""
        declared = self.values.get("profiles")
        return tuple(item for item in declared if isinstance(item, str)) if isinstance(declared, list) else ()

    @cached_property
    def roles(self) -> frozenset[str]:
        """The declared role codes; entries of a wrong type are left out."""
        return frozenset(code for code, _ in self.role_entries if code is not None)

    @cached_property
    def role_entries(self) -> list[tuple[str | None, dict[str, Any]]]:
        """(code, the entry's other keys) of each declared role; the code is None where it is no text."""
        declared = self.values.get("roles")
        entries: list[tuple[str | None, dict[str, Any]]] = []
        for item in declared if isinstance(declared, list) else []:
            code = item.get("code") if isinstance(item, dict) else item
            entries.append((code if isinstance(code, str) else None, item if isinstance(item, dict) else {}))
        return entries

    @property
    def leader(self) -> str | None:
        """The declared leader's role code."""
        leader = self.values.get("leader")
        return leader if isinstance(leader, str) and leader.strip() else None

    @property
    def lang(self) -> object:
        """The language that the team declares, whatever stands there; None where nothing does."""
        return self.values.get("lang")

    @property
    def is_solo(self) -> bool:
        """Whether one role does everything: mode solo, or a single declared role."""
        return self.values.get("mode") == "solo"

    def declared(self) -> Declared:
        """What the version detection needs (protocol.md 0)."""
        return Declared(*(_as_declared(self.values.get(key)) for key in ("protocol", "protocol_version", "version")))


def _as_declared(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if value in (1, 2, 3) and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return f"{json.dumps(value)[:40]} (not text)"
