"""What is written: for people with line and caret, for programs as one ASCII object, harmless in both."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fcoplint import engine
from fcoplint.output import concise as as_concise
from fcoplint.output import json as as_json
from fcoplint.output import text as as_text
from fcoplint.output.neutral import neutral, neutral_line
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import INBOX, Repo, task_text

MANIFEST = b'{"mode": "preset", "team": "t", "leader": "PM", "roles": ["PM", "DEV", "QA"]}'
T1 = f"{INBOX}/TASK-20261001-001-PM-to-DEV.md"
PLAIN = as_text.Paint(on=False)


def report_of(content: str, path: str = T1) -> Report:
    return engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, path: content.encode()}), Settings())


def test_text_shows_line_caret_reason_remedy_and_next_command() -> None:
    text = as_text.write(report_of(task_text("QA")), PLAIN)
    lines = text.splitlines()
    assert lines[0] == f"{T1}:4:9: error FC120 routing-mismatch"
    assert lines[1] == "  `sender` is `QA`, but the file name says `PM`."
    assert lines[2:5] == ["    |", "  4 | sender: QA", "    |         ^^"]
    assert [line[:7] for line in lines[5:8]] == ["  why: ", "  help:", "  next:"]
    assert lines[7] == f"  next: git add -- {T1}"
    assert lines[-1] == "1 error in 1 envelope of 1 workspace"


def test_the_caret_stands_below_wide_characters() -> None:
    flow = "---\n{subject: 测试, protocol: fcop, version: 1, sender: QA, recipient: DEV}\n---\n"
    lines = as_text.write(report_of(flow), PLAIN).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  2 |"))
    caret, source = lines[at + 1], lines[at]
    before = source[: source.index("QA")]
    assert caret.index("^") == len(before) + sum(char in "测试" for char in before)


def test_concise_is_one_line_a_finding() -> None:
    text = as_concise.write(report_of(task_text("QA", priority="soon")), PLAIN)
    assert [re.match(r"[^ ]+:\d+:\d+: (error|warning) FC\d{3} ", line) is not None for line in text.splitlines()] == [True, True, False]


def test_json_is_ascii_and_holds_true_values() -> None:
    written = as_json.write(report_of(task_text("QA", priority='"\\u202esoon测\\x1b"')), PLAIN)
    assert written.isascii()
    data = json.loads(written)
    priority = next(item for item in data["findings"] if item["code"] == "FC123")
    assert priority["parameters"]["value"] == "\u202esoon测\x1b"
    always = {
        "code",
        "name",
        "severity",
        "contract",
        "path",
        "line",
        "column",
        "message",
        "workspace",
        "subject",
        "related",
        "help",
        "next",
    }
    assert always <= set(priority)
    assert [rule["code"] for rule in data["rules"]] == sorted({item["code"] for item in data["findings"]})


HOSTILE = ["\x1b[31mred", "a\u202eb", "a\u200bb", "two\nlines", "\r::error::x", "\x00", "\x9b31m", "\udc80", "\u2028"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_nothing_harmful_passes(text: str) -> None:
    safe = neutral_line(text)
    assert safe.isprintable()
    safe.encode()


@pytest.mark.parametrize("line", ["::error file=x::y", "  ::add-mask::x", "##[error]x", "##vso[task.complete]"])
def test_no_line_is_a_ci_command(line: str) -> None:
    assert re.match(r"\s*(::|##)", neutral_line(line)) is None


HOMES = [
    "/home/ann/x", "/Users/ann/x", r"C:\Users\ann\x", "c:/users/ann/x", r"C:\\Users\\ann\\x", "file:///home/ann/x", "/var/home/ann",
    "/mnt/c/Users/ann/x", "/c/Users/ann", r"D:\Documents and Settings\ann\x", "\n/home/ann", "(/home/ann)", "x=/home/ann:y",
]  # fmt: skip


@pytest.mark.parametrize("home", HOMES)
def test_home_folders_are_scrubbed(home: str) -> None:
    assert "ann" not in neutral(f"see {home}")
    assert "~" in neutral(f"see {home}")


@pytest.mark.parametrize("path", ["packages/home/site/x", "workspace/root/x", "src/Users/list.py", "/rooted", "~/root/x", "/users/5"])
def test_what_only_looks_like_a_home_folder_stays(path: str) -> None:
    assert neutral(f"see {path}") == f"see {path}"


def test_hostile_values_never_reach_the_terminal() -> None:
    content = task_text("QA", priority='"P9\\n::error::owned\\e[2J"', subject='"\\u202e"')
    for written in (as_text.write(report_of(content), PLAIN), as_concise.write(report_of(content), PLAIN)):
        assert re.search(r"^\s*::", written, re.MULTILINE) is None
        assert all(line.isprintable() for line in written.splitlines())


COLOURS = [
    ([], {}, False),
    (["--color", "always"], {"NO_COLOR": "1"}, True),
    (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ([], {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ([], {"FORCE_COLOR": "1"}, True),
    ([], {"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
]


@pytest.mark.parametrize(("options", "env", "coloured"), COLOURS)
def test_colour_goes_by_flag_then_no_color_then_force_color(repo: Repo, options: list[str], env: dict[str, str], coloured: bool) -> None:
    repo.write(T1, task_text("QA"))
    assert ("\x1b[" in repo.run("audit", *options, env=env).out) is coloured


def test_colour_on_a_terminal(repo: Repo) -> None:
    repo.write(T1, task_text("QA"))
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "TERM": "xterm"}
    subprocess.run([sys.executable, "-m", "fcoplint", "audit"], cwd=repo.path, env=env, stdout=theirs, check=False)
    os.close(theirs)
    written = os.read(ours, 100_000)
    os.close(ours)
    assert b"\x1b[1;31merror" in written


def test_a_terminal_that_cannot_show_a_character_gets_it_escaped(repo: Repo) -> None:
    repo.write(T1, task_text(priority="测"))
    ran = repo.run("audit", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, "\\u6d4b" in ran.out) == (1, True)


@pytest.mark.parametrize("command", ["audit", "audit --format json", "roots", "status", "rules", "explain FC120", "schema report"])
def test_what_cannot_be_written_is_said_and_what_is_closed_stays_silent(repo: Repo, command: str) -> None:
    repo.write(T1, task_text("QA"))
    line = f'"{sys.executable}" -m fcoplint {command}'
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

    def run(shell: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", shell], cwd=repo.path, env=env, capture_output=True, text=True, check=False)

    full, closed = run(f"{line} > /dev/full"), run(f"{line} >&-")
    assert (full.returncode, full.stderr) == (2, "fcoplint: standard output: No space left on device\n")
    assert (closed.returncode, closed.stderr) == (1 if "audit" in command else 0, "")
    # A report shares its place with no advice.
    assert run(f'"{sys.executable}" -m fcoplint audit nowhere 2>&-').stdout == ""


def test_explain_shows_the_rule_and_lists_all(repo: Repo) -> None:
    by_code, by_name = repo.run("explain", "FC120"), repo.run("explain", "routing-mismatch")
    assert by_code.out == by_name.out
    assert by_code.out.startswith("FC120 routing-mismatch\n")
    # The way out comes before the examples.
    assert -1 < by_code.out.find("## How to put it right") < by_code.out.find("## Example")
    assert by_code.out.count("## ") == 5 + by_code.out.count("### ")
    listed = repo.run("rules").out.splitlines()
    assert len(listed) > 25
    assert repo.run("explain", "FC12O").code == 2
