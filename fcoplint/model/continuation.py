"""What may lawfully follow a landed content: events appended, a human's answer, a closing (protocol.md G01, G06, G07)."""

from __future__ import annotations

from fcoplint.model.comparison import Comparison
from fcoplint.model.document import Document

_CLOSED = frozenset({"closed", "resolved"})
# The reference's fields of a closing, and those that real ISSUEs and the migration write (field.md 2, spec 3.0).
_CLOSING = frozenset({"closed_at", "closed_by", "resolution", "resolved", "resolved_at", "resolved_by"})


def may_follow(content: Comparison, kind: str) -> bool:
    """Whether an envelope of a type may have become the new content from the old one, in a protocol of v1 to v3."""
    if kind == "REVIEW" and is_approval(content):
        return True
    if kind == "ISSUE":
        return content.edited_line is None and all(is_closing(content, key) for key in content.edited_fields)
    return content.is_continued


def is_approval(content: Comparison) -> bool:
    """Whether a REVIEW that asked for a human got the answer, and nothing else changed (protocol.md D 5)."""
    if _text(content.old, "decision") != "needs_human" or _says(content.old, "human_approval"):
        return False
    return content.edited_fields == ("human_approval",) and content.edited_line is None and _says(content.new, "human_approval")


def is_closing(content: Comparison, key: str) -> bool:
    """Whether the new value of an ISSUE's field belongs to its closing (ADR-0004)."""
    old, new = ((_text(side, "status") or "open").lower() in _CLOSED for side in (content.old, content.new))
    if key == "status":
        return new and not old
    return key in _CLOSING and new and not _says(content.old, key)


def _text(document: Document, key: str) -> str | None:
    return document.front.mapping.text(key) if document.front.mapping else None


def _says(document: Document, key: str) -> bool:
    value = document.front.mapping.get(key) if document.front.mapping else None
    return value is not None and not value.is_empty
