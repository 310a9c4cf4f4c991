"""How a finding is put right, as edits of the text: nothing else in the file changes (design.md 8, 10)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcoplint.findings import Edit, Fix, Move
from fcoplint.model.document import Document
from fcoplint.model.envelope import Envelope
from fcoplint.model.nodes import Pair, Scalar, Span

# What every YAML reader takes for this text, bare or in either kind of quotes.
_BARE = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_FENCE = re.compile(r"---\r?\n")
SAFE, UNSAFE = "safe", "unsafe"


def rewrite(envelope: Envelope, value: object, text: str, safety: str) -> Fix | None:
    """Another text in place of a value, in the quotes it has; None where that is no matter of one line."""
    if not isinstance(value, Scalar) or not _BARE.fullmatch(text):
        return None
    written = _written(envelope.document, value.span)
    if written is None or written[:1] in "|>&!*":
        return None
    quote = written[0] if written[0] in "'\"" else ""
    return Fix((Edit(envelope.path, value.span, f"{quote}{text}{quote}"),), safety)


def make_list(envelope: Envelope, value: Scalar) -> Fix | None:
    """Brackets around a value that is one text and nothing that a list would take apart."""
    written = _written(envelope.document, value.span)
    if written is None or (not value.quoted and not re.fullmatch(r"[^\[\]{},#&*!|>%@`'\"\s:?-][^\[\]{},#\s:]*", written)):
        return None
    if value.quoted and written[:1] not in "'\"":
        return None
    return Fix((Edit(envelope.path, value.span, f"[{written}]"),), SAFE)


def drop_field(envelope: Envelope, pair: Pair) -> Fix | None:
    """A field of the front matter taken out with its lines; None where it does not stand on lines of its own."""
    document = envelope.document
    if document is None or pair.key.span.column != 1:
        return None
    start, end = pair.key.span.line, pair.value.span.end_line + (pair.value.span.end_column > 1)
    return Fix((Edit(envelope.path, Span(start, 1, max(end, start + 1), 1), ""),), UNSAFE)


def drop_mark(envelope: Envelope) -> Fix:
    """The byte order mark in front of everything taken out."""
    return Fix((Edit(envelope.path, Span(1, 1, 1, 2), ""),), SAFE)


def drop_returns(envelope: Envelope) -> Fix | None:
    """The carriage return taken out of each line end; None where one stands anywhere else, or the text is no UTF-8."""
    document = envelope.document
    if document is None or document.decode_fault is not None or document.text.count("\r") != document.text.count("\r\n"):
        return None
    return Fix(tuple(_returns(envelope.path, document)), SAFE)


def _returns(path: str, document: Document) -> Iterator[Edit]:
    for number, line in enumerate(document.text.split("\n"), 1):
        if line.endswith("\r"):
            yield Edit(path, Span(number, len(line), number, len(line) + 1), "")


def drop_comment(envelope: Envelope, span: Span, word: str | None = None) -> Fix | None:
    """A comment taken out, with its line where nothing else stands on it; of several codes in it only `word`."""
    document = envelope.document
    if document is None:
        return None
    line = document.lines[span.line - 1]
    comment = line[span.column - 1 :]
    words = re.search(r"ignore\[([^\]]*)\]", comment)
    listed = [found.strip() for found in words[1].split(",") if found.strip()] if words else []
    if words and word is not None and len(listed) > 1:
        first = span.column + words.start(1)
        rest = ", ".join(found for found in listed if found != word)
        return Fix((Edit(envelope.path, Span(span.line, first, span.line, first + len(words[1])), rest),), SAFE)
    before = line[: span.column - 1]
    if not before.strip():
        return Fix((Edit(envelope.path, Span(span.line, 1, span.line + 1, 1), ""),), SAFE)
    return Fix((Edit(envelope.path, Span(span.line, len(before.rstrip()) + 1, span.line, len(line) + 1), ""),), SAFE)


def declare_internal(path: str, document: Document) -> Fix | None:
    """A paper's declaration that it is internal, in its front matter, which is made where there is none."""
    if document.decode_fault is not None:
        return None
    fence = _FENCE.match(document.text)
    end = "\r\n" if "\r\n" in document.text else "\n"
    if fence:
        return Fix((Edit(path, Span(2, 1, 2, 1), f"internal_only: true{end}"),), UNSAFE)
    return Fix((Edit(path, Span(1, 1, 1, 1), f"---{end}internal_only: true{end}---{end}{end}"),), UNSAFE)


def move(path: str, target: str) -> Fix:
    """The file put where it belongs, its bytes as they are."""
    return Fix((), UNSAFE, (Move(path, target),))


def _written(document: Document | None, span: Span) -> str | None:
    """What stands at a span of one line, None where there is none or it goes over several."""
    if document is None or span.line != span.end_line:
        return None
    return document.lines[span.line - 1][span.column - 1 : span.end_column - 1] or None
