"""The rules as people read them: `rules/CODE-name.md`, read only when a finding or the user asks (design.md 5).

A translation lies below `rules/zh/` under the same name. It is a whole file: what is no prose in it is a copy of the English
one, which a test holds it to, so that reading either needs nothing of the other.

The files are ours, but they are read with the envelopes' own reader: the hook must report a finding without importing
pydantic or python-frontmatter. The tests hold each file against a strict pydantic model and python-frontmatter.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fcoplint.language import ENGLISH
from fcoplint.model.document import Document
from fcoplint.model.nodes import Mapping as Fields
from fcoplint.model.nodes import Node, Scalar, Sequence

_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE / "_rules", _PACKAGE.parent / "rules")
_FILE = re.compile(r"(FC\d{3})-([a-z0-9-]+)\.md")
_LETTERS_FOR_DIGITS = str.maketrans("OIL", "011")
_SELECTOR = re.compile(r"FC\d{0,3}|ALL")


@dataclass(frozen=True, slots=True)
class Message:
    """The templates of one message: what is wrong, how to put it right, the next command as words ("" and () if none)."""

    text: str
    help: str
    next: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule's file. `severity` maps a condition ("" for the ordinary case) to error, warning or info.

    `protocol_errors` maps a message ("" for all others) to the stable code that v4 gives the fault; none where it has none.
    `lang` is the language asked for.
    """

    code: str
    name: str
    title: str
    contract: str
    protocols: str
    severity: Mapping[str, str]
    fix: str
    source: str
    why: str
    messages: Mapping[str, Message]
    body: str
    protocol_errors: Mapping[str, str]
    lang: str = ENGLISH


def rule_folder() -> Path:
    """The folder of the rule files: inside the wheel, or beside the package in a checkout."""
    return next(folder for folder in _FOLDERS if folder.is_dir())


@cache
def rule_files() -> dict[str, Path]:
    """The file of each code, in the order of codes."""
    found = {match[1]: path for path in sorted(rule_folder().iterdir()) if (match := _FILE.fullmatch(path.name))}
    return dict(sorted(found.items()))


@cache
def names() -> dict[str, str]:
    """The code of each kebab name."""
    return {path.stem.partition("-")[2]: code for code, path in rule_files().items()}


def rule_file(code: str, lang: str = ENGLISH) -> Path:
    """The file of a code in a language; the English one where nobody has translated it yet. Raises KeyError as `rule` does."""
    path = rule_files()[code]
    translated = path.parent / lang / path.name
    return translated if lang != ENGLISH and translated.is_file() else path


@cache
def rule(code: str, lang: str = ENGLISH) -> Rule:
    """The rule of a code, in a language. Raises KeyError for a code that no file describes."""
    path = rule_file(code, lang)
    document = Document(path.read_bytes())
    fields = document.front.mapping
    if fields is None:
        raise ValueError(f"{path}: {document.front.faults}")
    return _make_rule(fields, document.body.strip("\n"), lang)


def resolve(selector: str) -> str | None:
    """A selector as a prefix of codes: `FC3`, `FC305`, `illegal-edge`, `ALL`; None where it selects nothing."""
    code = names().get(selector.lower(), selector.upper())
    if code == "ALL":
        return ""
    return code if _SELECTOR.fullmatch(code) and any(known.startswith(code) for known in rule_files()) else None


def suggest(selector: str) -> str | None:
    """The code or name that a mistyped selector most likely means."""
    digits = selector.upper().translate(_LETTERS_FOR_DIGITS)
    if digits in rule_files():
        return digits
    return next(iter(difflib.get_close_matches(selector, [*rule_files(), *names()], n=1, cutoff=0.6)), None)


def _make_rule(fields: Fields, body: str, lang: str) -> Rule:
    severity, messages = fields.get("severity"), fields.get("messages")
    assert isinstance(messages, Fields)
    return Rule(
        code=_text(fields.get("code")),
        name=_text(fields.get("name")),
        title=_text(fields.get("title")),
        contract=_text(fields.get("contract")),
        protocols=_text(fields.get("protocols")),
        severity=_by_condition(severity),
        fix=_text(fields.get("fix")),
        source=_text(fields.get("source")),
        why=_text(fields.get("why")),
        messages={pair.key.text: _make_message(pair.value) for pair in messages.pairs},
        body=body,
        protocol_errors=_by_condition(fields.get("protocol_error")),
        lang=lang,
    )


def _by_condition(node: Node | None) -> dict[str, str]:
    """One value for all, or a value for each condition and one under `default` for the others; "" stands for that."""
    if node is None:
        return {}
    if isinstance(node, Scalar):
        return {"": node.text}
    assert isinstance(node, Fields)
    return {"" if pair.key.text == "default" else pair.key.text: _text(pair.value) for pair in node.pairs}


def _make_message(node: Node) -> Message:
    assert isinstance(node, Fields)
    words = node.get("next")
    return Message(
        text=_text(node.get("text")),
        help=_text(node.get("help")),
        next=tuple(_text(word) for word in words.items) if isinstance(words, Sequence) else (),
    )


def _text(node: Node | None) -> str:
    return " ".join(node.text.split()) if isinstance(node, Scalar) else ""
