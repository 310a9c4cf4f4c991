"""Roots: which project the configured servers work in; files as people write them."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.model.mcp import read_configuration
from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import parse
from fcoplint.source.ground import Disk, identity_of
from tests.support.roots import codes, found, on_disk, project, server

DIR, PATH, LOG, OLD = "FCOP_PROJECT_DIR", "FCOP_PROJECT_PATH", "FCOP_EVENT_LOG", "CODEFLOW_PROJECT_DIR"
OTHER = {"packages/other/main.py": ""}
ERROR, WARNING = "error", "warning"
HERE = "${workspaceFolder}"

ENTRIES = [
    ("a placeholder", server({DIR: HERE}), []),
    ("Claude's placeholder", server({DIR: "${CLAUDE_PROJECT_DIR:-.}"}), []),
    ("a dot", server({DIR: "."}), []),
    ("another folder of the tree", server({DIR: f"{HERE}/packages/other"}), [("FC720", ERROR)]),
    ("another folder, relative", server({DIR: "./packages/other"}), [("FC720", ERROR)]),
    ("a folder that is not there", server({DIR: f"{HERE}/packages/nothing"}), [("FC720", WARNING)]),
    ("a folder of another machine", server({DIR: "/home/me/shop"}), [("FC720", WARNING)]),
    ("a drive", server({DIR: "D:\\work\\shop"}), [("FC720", WARNING)]),
    ("a share", server({DIR: "\\\\server\\share\\shop"}), [("FC720", WARNING)]),
    ("an unknown variable", server({DIR: "${SHOP_ROOT}"}), []),
    ("a variable within", server({DIR: f"{HERE}/${{NAME}}"}), []),
    ("--root", server(args=["fcop-mcp", "--root", "packages/other"]), [("FC720", ERROR)]),
    ("--root=", server(args=["fcop-mcp", f"--root={HERE}"]), []),
    ("--root and nothing", server(args=["fcop-mcp", "--root"]), []),
    ("cwd alone, elsewhere", server(cwd="packages/other"), [("FC720", ERROR)]),
    ("the path alone, here", server({PATH: "."}), []),
    ("the path alone, elsewhere", server({PATH: "packages/other"}), [("FC720", ERROR)]),
    ("root and cwd apart", server({DIR: HERE}, cwd="packages/other"), [("FC721", ERROR)]),
    ("root and path apart", server({DIR: "packages/other", PATH: HERE}), [("FC721", ERROR)]),
    ("root and log apart", server({DIR: HERE, LOG: "packages/other/../../../log/x.jsonl"}), []),
    ("the log in another folder", server({DIR: "packages/other", LOG: "fcop_events.jsonl"}), [("FC721", ERROR)]),
    ("the log inside", server({DIR: HERE, LOG: "fcop/logs/fcop_events.jsonl"}), []),
    ("one known and one not", server({DIR: HERE, PATH: "${X}"}), []),
    ("relative to cwd", server({DIR: "../.."}, cwd="packages/other"), [("FC721", ERROR)]),
    ("the workspace", server({DIR: f"{HERE}/fcop"}), [("FC723", ERROR)]),
    ("the workspace with a slash", server({DIR: "fcop/"}), [("FC723", ERROR)]),
    ("the old name", server({OLD: HERE}), [("FC722", WARNING)]),
    ("the old name, elsewhere", server({OLD: "packages/other"}), [("FC722", WARNING), ("FC720", ERROR)]),
    ("the old name, overridden", server({DIR: HERE, OLD: "packages/other"}), [("FC722", WARNING)]),
    ("another server", json.dumps({"mcpServers": {"files": {"command": "npx", "args": ["./fcop"], "cwd": "packages/other"}}}), []),
    ("no entries", "{}", []),
    ("an entry that is none", '{"mcpServers": {"fcop": 3}}', []),
    ("values that are none", '{"mcpServers": {"fcop": {"command": "fcop-mcp", "args": 3, "env": [1], "cwd": null}}}', []),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in ENTRIES], ids=[row[0] for row in ENTRIES])
def test_a_server_entry(text: str, expected: list[tuple[str, str]]) -> None:
    assert codes(found({**project(), **OTHER, ".cursor/mcp.json": text})) == expected


ENTRY = server({DIR: "packages/other"})
INNER = json.dumps(json.loads(ENTRY)["mcpServers"])
FILES = [
    (".cursor/mcp.json", ENTRY, True), (".mcp.json", ENTRY, True), (".vscode/mcp.json", f'{{"servers": {INNER}}}', True),
    (".vscode/mcp.json", ENTRY, False), (".vscode/settings.json", f'{{"mcp": {{"servers": {INNER}}}}}', True),
    ("shop.code-workspace", f'{{"settings": {{"mcp": {{"servers": {INNER}}}}}}}', True), ("docs/mcp.json", ENTRY, False),
    (".mcp.json", "\ufeff" + ENTRY, True), (".mcp.json", ENTRY.replace("{", "{ // why\n", 1), True),
    (".mcp.json", ENTRY.replace("{", "{ /* why\n */ ", 1), True), (".mcp.json", ENTRY[:-1] + ",}", True),
    (".mcp.json", ENTRY.replace("packages/other", "packages/other//"), True), ("api/.mcp.json", ENTRY, False),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "told"), FILES)
def test_files_as_people_write_them(path: str, text: str, told: bool) -> None:
    items = found({**project(), **OTHER, path: text})
    assert [item.rule.code for item in items if item.severity == ERROR] == ["FC720"] * told
    for item in items:
        line = (item.finding.location.span or (0,))[0]
        assert '"packages/other' in text.split("\n")[line - 1]


BAD = [
    b"",
    b"[]",
    b"{",
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"mcpServers": ' + b"9" * 10_000 + b"}",
    b'{"a": "\\ud800"}',
    b"x" * 2_000_000,
]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_a_file_that_cannot_be_read(data: bytes) -> None:
    read = read_configuration(".mcp.json", data)
    assert read.servers == ()
    assert read.fault is None or read.fault.kind in ("json", "not-object", "not-utf8", "too-deep", "too-large")


def test_half_a_character_is_written_whole() -> None:
    (server_entry,) = read_configuration(".mcp.json", b'{"mcpServers": {"\\ud800": {"env": {"FCOP_PROJECT_DIR": "\\udfff"}}}}').servers
    assert (server_entry.name, server_entry.env[DIR].text) == ("?", "?")


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    read_configuration("x.code-workspace", data)


def test_folders_of_an_editor() -> None:
    text = b'{"folders": [{"path": "."}, {"path": "../other"}, {"uri": "file:///x"}, 3], "settings": {"terminal.integrated.cwd": "a"}}'
    read = read_configuration("a.code-workspace", text)
    assert [folder.text for folder in read.folders] == [".", "../other", "file:///x"]
    assert read.terminal is not None
    assert read.terminal.text == "a"


HOME = Roots(home=("D:\\work\\shop", "/home/me/shop"), foreign=("D:\\work\\other",))
DECLARED = [
    ({DIR: "D:\\work\\shop"}, []), ({DIR: "d:/work/shop/"}, []), ({DIR: "/home/me/shop"}, []),
    ({DIR: "D:\\work\\other"}, [("FC720", ERROR)]), ({DIR: "E:\\x"}, [("FC720", WARNING)]),
    ({DIR: "D:\\work\\shop\\fcop"}, [("FC723", ERROR)]), ({DIR: ".", PATH: "D:\\work\\other"}, [("FC721", ERROR)]),
    ({DIR: "D:\\work\\shop", PATH: "/home/me/shop"}, []), ({DIR: "D:\\x\\a", PATH: "D:\\x\\b"}, [("FC720", WARNING)] * 2),
]  # fmt: skip


@pytest.mark.parametrize(("env", "expected"), DECLARED)
def test_roots_of_other_machines_are_known_by_declaration_alone(env: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert codes(found({**project(), ".mcp.json": server(env)}, roots=HOME)) == expected


def test_absolute_paths_are_asked_of_the_disk(tmp_path: Path) -> None:
    files = {**project(), ".mcp.json": "{}"}
    ground = on_disk(tmp_path / "shop", files)
    on_disk(tmp_path / "other", project())
    (tmp_path / "alias").symlink_to("shop")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("x")

    def judged(**env: str) -> list[tuple[str, str]]:
        return codes(found({**files, ".mcp.json": server(env)}, ground=ground))

    assert judged(**{DIR: f"{tmp_path}/shop"}) == judged(**{DIR: f"{tmp_path}/alias/"}) == []
    assert judged(**{DIR: f"{tmp_path}/other"}) == judged(**{DIR: "../other"}) == [("FC720", ERROR)]
    assert judged(**{DIR: f"{tmp_path}/alias/fcop"}) == [("FC723", ERROR)]
    for gone in ("gone", "loop", "file", "x" * 5000, "a/\0b"):
        assert judged(**{DIR: f"{tmp_path}/{gone}"}) == [("FC720", WARNING)], gone
    assert judged(**{DIR: ".", PATH: f"{tmp_path}/other"}) == [("FC721", ERROR)]
    assert judged(**{DIR: ".", LOG: f"{tmp_path}/shop/fcop/logs/events.jsonl"}) == []
    assert judged(**{DIR: f"{tmp_path}/shop", LOG: f"{tmp_path}/other/events.jsonl"}) == [("FC721", ERROR)]


def test_a_home_folder_is_filled_in_and_drives_are_unknown_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert identity_of(parse("~")) == identity_of(parse("${HOME}")) != None  # noqa: E711 - three values in one comparison
    assert identity_of(parse("~somebody/x")) is None
    if os.name != "nt":
        assert identity_of(parse("C:\\")) is identity_of(parse("\\\\server\\share")) is None


def test_a_file_above_several_projects_may_bind_any_of_them() -> None:
    files = {**project("shop"), **project("api"), "docs/a.md": ""}
    for folder, expected in (("shop", []), ("api", []), ("docs", [("FC720", ERROR)]), (".", [("FC720", ERROR)])):
        assert codes(found({**files, ".mcp.json": server({DIR: folder})})) == expected, folder
    assert codes(found({**files, "shop/.mcp.json": server({DIR: "../api"})})) == [("FC720", ERROR)]


def test_fixes_put_the_text_right() -> None:
    for text in (server({DIR: f"{HERE}/fcop"}), server({OLD: HERE})):
        (item,) = found({**project(), ".mcp.json": text})
        assert item.finding.fix is not None
        (edit,) = item.finding.fix.edits
        mended = text[: edit.span.column - 1] + edit.replacement + text[edit.span.end_column - 1 :]
        assert found({**project(), ".mcp.json": mended}) == []
    (item,) = found({**project(), ".mcp.json": server({OLD: HERE, DIR: HERE})})
    assert item.finding.fix is None


ENVIRONMENTS = [
    (".env", f"{OLD}=/secret\n", 1), (".env.example", f"# x\nexport {OLD} = .\n", 2), ("api/.env.local", f"{OLD}=.\n", 1),
    (".env", f"# {OLD}=.\n", 0), ("x.environment", f"{OLD}=.\n", 0), (".env", f"{DIR}=.\n", 0),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "line"), ENVIRONMENTS)
def test_names_in_files_of_the_environment(path: str, text: str, line: int) -> None:
    items = found({**project(), path: text})
    assert [item.finding.location.span.line for item in items if item.finding.location.span] == [line] * bool(line)
    assert all("secret" not in item.message for item in items)


def test_nothing_is_read_where_there_is_no_workspace() -> None:
    assert found({".mcp.json": ENTRY, ".env": f"{OLD}=.", ".codeflowmu/instance.json": "{}"}) == []


def test_a_commit_has_no_ground() -> None:
    assert Disk(None).identity(parse("/nowhere/at/all")) is None
    assert Disk(None).above == 0
