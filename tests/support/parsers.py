"""A real parser for every format: what a program at the other end makes of a report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token

_CODE = r"FC\d{3}"
# What a log takes for a command: GitHub at the start of a line, its older form and Azure anywhere.
COMMAND = re.compile(r"^\s*::|##\[|##vso\[", re.MULTILINE | re.IGNORECASE)
_MARKDOWN_TYPES = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "code_inline", "text_special",
    "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
    *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """One finding as a format tells it; what it does not tell is None."""

    code: str
    path: str | None
    line: int | None
    text: str


def _log_lines(text: str) -> list[str]:
    """The lines of a log, each harmless."""
    assert COMMAND.search(text) is None, COMMAND.search(text)
    lines = text.split("\n")
    assert lines.pop() == ""
    assert all(line.isprintable() for line in lines)
    return lines


def _text(text: str) -> list[Told]:
    blocks = "\n".join(_log_lines(text)).split("\n\n")[:-1]
    firsts = [block.partition("\n")[0] for block in blocks]
    heads = [re.fullmatch(rf"(?P<where>.*): (?:error|warning|info) (?P<code>{_CODE}) [a-z0-9-]+", line) for line in firsts]
    return [Told(head["code"], *_where(head["where"]), head[0]) for head in heads if head]


def _concise(text: str) -> list[Told]:
    lines = [re.fullmatch(rf"(?P<where>.*?): (?:error|warning|info) (?P<code>{_CODE}) (?P<text>.*)", line) for line in _log_lines(text)]
    return [Told(line["code"], *_where(line["where"]), line["text"]) for line in lines if line]


def _where(where: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(?P<path>.*):(?P<line>\d+):\d+", where)
    return (match["path"], int(match["line"])) if match else (where, None)


def _json(text: str) -> list[Told]:
    assert text.isascii()
    return [_from_json(item) for item in json.loads(text)["findings"]]


def _ndjson(text: str) -> list[Told]:
    assert text.isascii()
    items = [json.loads(line) for line in text.splitlines()]
    assert {item["schema"] for item in items} == {"fcoplint.line/1"}
    assert items[-1]["type"] == "run"
    return [_from_json(item) for item in items if item["type"] == "finding"]


def _from_json(item: dict[str, Any]) -> Told:
    return Told(item["code"], item["path"], item["line"], item["message"])


def _sarif(text: str) -> list[Told]:
    (run,) = json.loads(text)["runs"]
    told = []
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        message = result["message"]["text"]
        assert re.search(r"(?<!\\)\[[^\]\\]*\]\(", message) is None, message
        place = result["locations"][0]["physicalLocation"]
        uri = urlsplit(place["artifactLocation"]["uri"])
        assert (uri.scheme, uri.netloc, uri.query, uri.fragment) == ("", "", "", "")
        path = unquote_to_bytes(uri.path).decode("utf-8", "surrogateescape")
        assert not path.startswith("/")
        if not result["suppressions"]:
            told.append(Told(result["ruleId"], path, place["region"]["startLine"], message))
    return told


def _github(text: str) -> list[Told]:
    """By the runner's own rules: the command ends at `::`, then properties and data are unescaped, `%25` last."""
    told = []
    for line in _all_lines(text):
        command = re.fullmatch(r"::(?P<command>[a-z]+) (?P<properties>.*?)::(?P<data>.*)", line)
        if command is None:
            assert COMMAND.search(line) is None, line
            told += _concise(f"{line}\n")
            continue
        properties = dict(part.split("=", 1) for part in command["properties"].split(","))
        if command["command"] == "notice":
            assert properties == {"title": "fcoplint"}
            continue
        assert command["command"] in ("error", "warning")
        assert set(properties) == {"file", "line", "title"}
        opened = {key: _unescape(value, "%0D\r", "%0A\n", "%3A:", "%2C,", "%25%") for key, value in properties.items()}
        data = _unescape(command["data"], "%0D\r", "%0A\n", "%25%")
        told.append(Told(opened["title"].split()[0], opened["file"], int(opened["line"]), data))
    return told


def _azure(text: str) -> list[Told]:
    """By the agent's own rules: the command is found anywhere in a line and ends at the first `]`."""
    told = []
    for line in _all_lines(text):
        start = line.lower().find("##vso[")
        if start < 0:
            assert COMMAND.search(line) is None, line
            told += _concise(f"{line}\n")
            continue
        assert start == 0, line
        command, _, data = line.removeprefix("##vso[").partition("]")
        assert COMMAND.search(data) is None, data
        name, _, listed = command.partition(" ")
        assert name == "task.logissue"
        properties = dict(part.split("=", 1) for part in listed.split(";") if part)
        assert set(properties) == {"type", "sourcepath", "linenumber", "code"}
        opened = {key: _unescape(value, "%3B;", "%0D\r", "%0A\n", "%5D]", "%AZP25%") for key, value in properties.items()}
        assert opened["type"] in ("error", "warning")
        data = _unescape(data, "%0D\r", "%0A\n", "%AZP25%")
        told.append(Told(opened["code"], opened["sourcepath"], int(opened["linenumber"]), data))
    return told


def _all_lines(text: str) -> list[str]:
    lines = text.split("\n")
    assert lines.pop() == ""
    assert all(line.isprintable() for line in lines)
    return lines


def _unescape(text: str, *pairs: str) -> str:
    for pair in pairs:
        text = text.replace(pair[:-1], pair[-1])
    return text


def _gitlab(text: str) -> list[Told]:
    assert text.isascii()
    items = json.loads(text)
    assert len({item["fingerprint"] for item in items}) == len(items)
    assert {item["severity"] for item in items} <= {"info", "minor", "major", "critical", "blocker"}
    return [Told(item["check_name"], item["location"]["path"], item["location"]["lines"]["begin"], item["description"]) for item in items]


def _junit(text: str) -> list[Told]:
    root = ElementTree.fromstring(text)  # noqa: S314 - our own output
    (suite,) = root
    assert {child.tag for child in suite} == {"testcase"}
    assert {grandchild.tag for case in suite for grandchild in case} <= {"failure", "error", "skipped", "system-out"}
    assert int(suite.attrib["tests"]) == int(root.attrib["tests"]) == len(suite)
    told = []
    for case in suite:
        inner = next(iter(case), None)
        if inner is not None and inner.tag != "skipped":
            message = inner.get("message") or inner.text or ""
            told.append(Told(case.attrib["name"].split()[0], case.attrib["file"], int(case.attrib["line"]), message))
    return told


def _markdown(text: str) -> list[Told]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    flat = [token for outer in tokens for token in (outer, *(outer.children or []))]
    assert {token.type for token in flat} <= _MARKDOWN_TYPES, {token.type for token in flat} - _MARKDOWN_TYPES
    assert sum(token.type == "heading_open" for token in flat) == 1
    cells = [_plain(tokens[number + 1]) for number, token in enumerate(tokens) if token.type == "td_open"]
    assert len(cells) % 4 == 0
    rows = [cells[number : number + 4] for number in range(0, len(cells), 4)]
    return [Told(rule.split()[0], where.rpartition(":")[0], int(where.rpartition(":")[2]), what) for _, rule, where, what in rows]


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


class _Elements(HTMLParser):
    """The elements of a page in their order, with their attributes and, of scripts and styles, their text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found[-1:] and self.found[-1][0] == "script" and data.strip():
            self.texts.append(data)


def page_data(text: str) -> dict[str, Any]:
    """What a page holds as data, once its markup is known to be the one that every page has."""
    elements = _Elements()
    elements.feed(text)
    elements.close()
    assert text.isascii()
    assert [attributes for tag, attributes in elements.found if tag == "script"] == [{"type": "application/json", "id": "data"}, {}]
    assert len(elements.found) == _PAGE_ELEMENTS, len(elements.found)
    names = {name for _, attributes in elements.found for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("src", "href", "srcset", "style", "action")}
    data: dict[str, Any] = json.loads(elements.texts[0])
    return data


# What stands in page.html, whatever a report says.
_PAGE_ELEMENTS = 64


def _html(text: str) -> list[Told]:
    data = page_data(text)
    tasks = [f"{data['folders'][card['folder']]}/{card['file'] or card['id'] + '.md'}".lstrip("/") for card in _rows(data["cards"])]
    return [
        Told(
            item["code"],
            item["path"] or tasks[item["card"]],
            item["line"],
            "" if item["message"] is None else data["texts"][item["message"]],
        )
        for item in _rows(data["findings"])
    ]


def _rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


PARSERS: dict[str, Callable[[str], list[Told]]] = {
    "text": _text,
    "concise": _concise,
    "json": _json,
    "ndjson": _ndjson,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "azure": _azure,
    "markdown": _markdown,
    "html": _html,
}
