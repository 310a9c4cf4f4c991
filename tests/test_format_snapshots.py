"""One report with every awkward character: what each format made of it, read back by a real parser of that format."""

from __future__ import annotations

import json

import jsonschema
import pytest

from fcoplint.output.formats import FORMATS
from fcoplint.output.neutral import neutral, neutral_path
from fcoplint.output.schema import schema
from tests.support.awkward import AWKWARD, PATH, SNAPSHOTS, report, written
from tests.support.parsers import PARSERS

# Formats that hold true values; what is no UTF-8 becomes U+FFFD in them.
TRUE = ("json", "ndjson")
_REPAIRED = (text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in (PATH, AWKWARD))
TRUE_PATH, TRUE_TEXT = _REPAIRED


def kept(name: str) -> str:
    return (SNAPSHOTS / f"report.{name}").read_bytes().decode()


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_writes_what_it_wrote(name: str) -> None:
    assert written(name) == kept(name), "look at the difference; if it is meant: python -m tests.support.awkward"


@pytest.mark.parametrize("name", FORMATS)
def test_its_parser_reads_every_finding_whole(name: str) -> None:
    told = PARSERS[name](kept(name))
    whole = [PATH if name == "sarif" else TRUE_PATH if name in TRUE else neutral_path(PATH)] * 2
    assert [item.path for item in told] == [*whole, {"text": "(repository)", "concise": "(repository)", "json": None, "ndjson": None}.get(
        name, "(repository)" if name in ("github", "azure") else "."
    )]  # fmt: skip
    assert [item.line or 1 for item in told] == [4, 4, 1]
    if name != "text":
        expected = TRUE_TEXT if name in TRUE else neutral(AWKWARD)
        for item in told:
            assert _squeezed(expected) in _squeezed(item.text), name


def _squeezed(text: str) -> str:
    """What SARIF and Markdown must change: escapes of brackets, the blanks and backticks around code."""
    return "".join(text.replace("\\", "").replace("`", "").split())


def test_what_is_kept_fits_the_schemas(sarif_validator: jsonschema.Draft4Validator) -> None:
    sarif_validator.validate(json.loads(kept("sarif")))
    jsonschema.Draft202012Validator(schema()).validate(json.loads(kept("json")))


def test_every_text_of_the_report_is_awkward() -> None:
    """What is plain could hide a place where nothing is neutralised."""
    texts = [AWKWARD, PATH]
    assert all(character in AWKWARD for character in "\x00\n\r\x1b\x85\u202e\u200b\u2028\udc80\ufffe<>&'\"`|[](){}%:,;#*_\\$~")
    for item in (*report().findings, *report().suppressed):
        finding = item.finding
        assert {finding.subject, finding.workspace, *finding.parameters.values()} <= set(texts)
