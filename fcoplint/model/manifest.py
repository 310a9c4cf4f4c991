"""The workspace's manifest, `fcop.json` or `codeflow.json`: what it declares, with places (protocol.md B.2)."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fcoplint.model.document import is_lfs_pointer
from fcoplint.model.frontmatter import BOM, compose, find_conflict
from fcoplint.model.nodes import Mapping, Node, Sequence, Span
from fcoplint.protocol.versions import Declared

MAX_MANIFEST_BYTES = 1024 * 1024
_JSON_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
_TOP = Span(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class ManifestFault:
    """Why a manifest could not be taken as a JSON object: `kind` is too-large, not-utf8, json or not-object."""

    kind: str
    span: Span
    detail: str = ""


class Manifest:
    """A manifest's values; `fault` says why there are none. Keys that stand twice are in `duplicates`."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.duplicates: list[str] = []
        self.values: dict[str, Any] = {}
        self._text = ""
        self.fault = self._read(data)

    @property
    def is_lfs_pointer(self) -> bool:
        """Whether the bytes are a Git LFS pointer in place of the file."""
        return is_lfs_pointer(self.data)

    @property
    def conflict_line(self) -> int | None:
        """The line of a conflict marker in a manifest that is no JSON, or None."""
        return find_conflict(self.data)

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

    def span(self, *path: str | int) -> Span:
        """The place of a value by its keys and list positions; of the deepest part that is there."""
        node: Node | None = self._located
        found = _TOP
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                node = node.items[step]
            else:
                break
            if node is None:
                break
            found = node.span
        return found

    def duplicate_spans(self, key: str) -> list[Span]:
        """The places of a key that stands twice or more at the top level."""
        located = self._located
        return [pair.key.span for pair in located.pairs if pair.key.text == key] if isinstance(located, Mapping) else []

    @cached_property
    def _located(self) -> Node | None:
        # JSON is flow YAML but for rare escapes; where libyaml refuses one, places fall back to line 1.
        return compose(self._text, first_line=1)

    def _read(self, data: bytes) -> ManifestFault | None:
        if len(data) > MAX_MANIFEST_BYTES:
            return ManifestFault("too-large", _TOP, str(len(data)))
        try:
            self._text = data.removeprefix(BOM).decode("utf-8")
            loaded = json.loads(self._text, object_pairs_hook=self._collect)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            return ManifestFault("not-utf8", Span(line, 1, line, 1), str(error.start))
        except json.JSONDecodeError as error:
            return ManifestFault("json", Span(error.lineno, error.colno, error.lineno, error.colno + 1), error.msg)
        except (RecursionError, ValueError) as error:
            # ValueError: a number of thousands of digits, which Python refuses to convert.
            return ManifestFault("json", _TOP, "nested too deeply" if isinstance(error, RecursionError) else "a number too large to read")
        if not isinstance(loaded, dict):
            return ManifestFault("not-object", _TOP, _JSON_NAMES.get(type(loaded), "a number"))
        self.values = loaded
        return None

    def _collect(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            self.duplicates.extend(sorted({key for key in keys if keys.count(key) > 1}))
        return dict(pairs)


def _as_declared(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if value in (1, 2, 3) and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return f"{json.dumps(value)[:40]} (not text)"
