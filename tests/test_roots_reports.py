"""Roots: what the prose of REPORTs names."""

import pytest

from fcoplint.model.policy import Roots
from fcoplint.protocol.prose import cited_commits
from tests.support.roots import codes, found, project, report

ROOTS = Roots(home=("/srv/shop", "D:\\Shop"), foreign=("/srv/other", "D:\\Other Project"))
DOCS = {"docs/login.md": "# Login"}
INFO = "info"
PROSE = [
    ("a guard sentence", "`/srv/other/src/app.py` was not touched.", [("FC712", INFO)]),
    ("bare", "Issues were filed in /srv/other/fcop/issues.", [("FC712", INFO)]),
    ("a drive with a blank, in a code span", "See `D:\\Other Project\\docs\\a.md`.", [("FC712", INFO)]),
    ("the root itself", "`D:\\Other Project`: not touched", [("FC712", INFO)]),
    ("twice the same", "`/srv/other/a` and again `/srv/other/a`.", [("FC712", INFO)]),
    ("a file address", "See file:///srv/other/a.md", []),
    ("in fenced code", "```\ncd /srv/other\n```", []),
    ("in a web address", "https://example.org/srv/other/a", []),
    ("another's child by name", "`/srv/others/a.md`", []),
    ("this project", "Look at `/srv/shop/docs/login.md`.", [("FC713", INFO)]),
    ("this project on Windows", "Look at D:\\shop\\docs\\login.md now.", [("FC713", INFO)]),
    ("of an undeclared root", "`/home/me/x/y.md` and C:\\Temp\\z", []),
    ("a link that climbs out", "See [it](../../../other/a.md).", [("FC711", "warning")]),
    ("a link that stays", "See [it](../../docs/login.md) and [that](docs/nothing.md).", []),
    ("a link in fenced code", "```\n[it](../../../other/a.md)\n```", []),
]


@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in PROSE], ids=[row[0] for row in PROSE])
def test_paths_in_prose(body: str, expected: list[tuple[str, str]]) -> None:
    files = {**project(), **DOCS, **report(body=body)}
    assert codes(found(files, roots=ROOTS)) == expected
    assert [item for item in found(files) if item.rule.code in ("FC712", "FC713")] == [], "roots are never guessed"


@pytest.mark.parametrize("fields", [{"audit_target": "D:\\Other Project"}, {"cross_root": "true"}, {"about": "x"}])
def test_a_declared_audit_of_another_project(fields: dict[str, str]) -> None:
    files = {**project(), **DOCS, **report(body="`/srv/other/fcop/fcop.json` has mode solo.", **fields)}
    roots = Roots(foreign=ROOTS.foreign, cross_root_keys=("about",))
    assert found(files, roots=roots) == []


def test_the_fix_of_a_home_path_is_one_a_person_looks_at() -> None:
    files = {**project(), **DOCS, **report(body="Look at `/srv/shop/docs/login.md` and `/srv/shop/docs/nothing.md`.")}
    first, second = found(files, roots=ROOTS)
    assert second.finding.fix is None
    assert first.finding.fix is not None
    (edit,) = first.finding.fix.edits
    line = files[edit.path].split("\n")[edit.span.line - 1]
    assert line[edit.span.column - 1 : edit.span.end_column - 1] == "/srv/shop/docs/login.md"
    assert (edit.replacement, first.finding.fix.safety) == ("docs/login.md", "unsafe")


MODES = [
    ("root", "Built in `workspace/shop/app.py`, `workspace/shop/b.py` and [it](workspace/api/).", 2),
    ("root", "Built in `src/app.py`, in a workspace/ of sorts.", 0),
    ("multi", "Built in `workspace/shop/app.py`.", 0),
]


@pytest.mark.parametrize(("mode", "body", "count"), MODES)
def test_where_the_code_lies(mode: str, body: str, count: int) -> None:
    items = found({**project(workspace_mode=mode), **report(body=body)}, "FC735")
    assert [item.severity for item in items] == [INFO] * count


COMMITS = [
    ("commit a1b2c3d", ["a1b2c3d"]), ("Merged as `0123abc`", ["0123abc"]), ("提交 `0123abc4`", ["0123abc4"]),
    ("sha: 0123456789abcdef0123456789abcdef01234567", ["0123456789abcdef0123456789abcdef01234567"]),
    ("on 20261001", []), ("commit 20261001", []), ("commit defaced", []), ("a1b2c3d", []), ("build a1b2c3d", []),
    ("commit https://example.org/commit/a1b2c3d", []), ("sha256:a1b2c3d", []), ("commit a1b2c3d.txt", ["a1b2c3d"]),
    ("```\ncommit a1b2c3d\n```", []), ("commit #a1b2c3d", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), COMMITS)
def test_what_is_cited_as_a_commit(text: str, expected: list[str]) -> None:
    assert [token.text for token in cited_commits(text.split("\n"), 1)] == expected
