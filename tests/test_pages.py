"""How README and docs are read for what is to be run (the convention at the top of test_docs.py)."""

from pathlib import Path

import pytest

from tests.support.pages import Command, sessions

EITHER = frozenset({0, 1})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n$ a\nout\n$ b  # c\n```\n", [("team", None, [[Command("a", EITHER, None), Command("b  # c", EITHER, None)]])]),
        ("```console\n$ a\none\ntwo\n```\n", [("team", None, [[Command("a", EITHER, "one\ntwo\n")]])]),
        ("```console\n$ a\n```\n", [("team", None, [[Command("a", EITHER, "")]])]),
        ("```\n$ a  # exit code 3, not 2\n```\n", [("team", None, [[Command("a  # exit code 3, not 2", frozenset({3}), None)]])]),
        ("```sh\n$ a\n```\n```toml\n$ = 1\n```\n```\nmake a\n```\n", []),
        ("<!-- run: empty -->\n```\n$ a\n```\n```\n$ b\n```\n",
         [("empty", None, [[Command("a", EITHER, None)]]), ("empty", None, [[Command("b", EITHER, None)]])]),
        ("<!-- run: empty, in one folder -->\n```\n$ a\n```\ntext\n```\n$ b\n```\n<!-- run: team -->\n```\n$ c\n```\n",
         [("empty", None, [[Command("a", EITHER, None)], [Command("b", EITHER, None)]]), ("team", None, [[Command("c", EITHER, None)]])]),
        ("<!-- run: by tests/test_x.py -->\n```\n$ a\n```\n",
         [("by tests/test_x.py", "tests/test_x.py", [[Command("a", EITHER, None)]])]),
    ],
)  # fmt: skip
def test_what_is_run_of_a_page(tmp_path: Path, text: str, found: list[tuple[str, str | None, list[list[Command]]]]) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert [(item.stage, item.test, [list(block) for block in item.blocks]) for item in sessions(page)] == found
