"""A JSON object of a repository, read with the place of every value. Why one could not be read is a value, too."""

import json
from functools import cached_property
from typing import Any, NamedTuple

from fcoplint.model.document import is_lfs_pointer
from fcoplint.model.frontmatter import BOM, compose, find_conflict
from fcoplint.model.nodes import Mapping, Node, Sequence, Span, walk_mappings

MAX_JSON_BYTES = 1024 * 1024
# No object of the protocol is nested more than three deep.
MAX_JSON_DEPTH = 16
_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
_TOP = Span(1, 1, 1, 1)
_LARGEST = 2**53


class JsonFault(NamedTuple):
    """Why bytes could not be taken as a JSON object: `kind` is too-large, not-utf8, json or not-object.

    A strict reader also refuses what no other program reads alike: bom, too-deep, number (a fraction, NaN, one beyond 2^53)
    and surrogate (half a character, which JSON can spell but nothing can write).
    """

    kind: str
    span: Span
    detail: str = ""


class JsonObject:
    """The values of a JSON file; `fault` says why there are none. `duplicates` are keys that stand twice in one object."""

    strict = False

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
        """The line of a conflict marker in a file that is no JSON, or None."""
        return find_conflict(self.data)

    def text(self, *path: str) -> str | None:
        """The value at a way of keys, where it is a text that says something."""
        found: object = self.values
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, str) and found.strip() else None

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
        """The places of a key in the objects in which it stands twice or more."""
        objects = walk_mappings(self._located) if self._located else ()
        found = ([pair.key.span for pair in mapping.pairs if pair.key.text == key] for mapping in objects)
        return [span for spans in found if len(spans) > 1 for span in spans]

    @cached_property
    def _located(self) -> Node | None:
        # JSON is flow YAML but for rare escapes; where libyaml refuses one, places fall back to line 1.
        return compose(self._text, first_line=1)

    def _read(self, data: bytes) -> JsonFault | None:
        if len(data) > MAX_JSON_BYTES:
            return JsonFault("too-large", _TOP, str(len(data)))
        if self.strict and data.startswith(BOM):
            return JsonFault("bom", _TOP)
        try:
            self._text = data.removeprefix(BOM).decode("utf-8")
            loaded = json.loads(self._text, object_pairs_hook=self._collect)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            return JsonFault("not-utf8", Span(line, 1, line, 1), str(error.start))
        except json.JSONDecodeError as error:
            return JsonFault("json", Span(error.lineno, error.colno, error.lineno, error.colno + 1), error.msg)
        except (RecursionError, ValueError) as error:
            # ValueError: a number of thousands of digits, which Python refuses to convert.
            return JsonFault("json", _TOP, "nested too deeply" if isinstance(error, RecursionError) else "a number too large to read")
        if not isinstance(loaded, dict):
            return JsonFault("not-object", _TOP, _NAMES.get(type(loaded), "a number"))
        fault = _oddity(loaded) if self.strict else None
        self.values = {} if fault else loaded
        return fault

    def _collect(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            self.duplicates.extend(sorted({key for key in keys if keys.count(key) > 1} - set(self.duplicates)))
        return dict(pairs)


def _oddity(loaded: object) -> JsonFault | None:
    """What a strict reader refuses in parsed JSON."""
    pending: list[tuple[object, int]] = [(loaded, 1)]
    while pending:
        value, depth = pending.pop()
        if depth > MAX_JSON_DEPTH:
            return JsonFault("too-deep", _TOP, str(MAX_JSON_DEPTH))
        if isinstance(value, dict):
            pending.extend((item, depth + 1) for pair in value.items() for item in pair)
        elif isinstance(value, list):
            pending.extend((item, depth + 1) for item in value)
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > _LARGEST):
            return JsonFault("number", _TOP, str(value)[:40])
        elif isinstance(value, str) and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            return JsonFault("surrogate", _TOP)
    return None
