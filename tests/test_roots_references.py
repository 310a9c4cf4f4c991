"""Roots: references and evidence, by every way to write a path, from every folder it may be meant from."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import Form, Identity, Verdict, below, escapes, expand, judge, normalise, parse, resolve_below
from tests.support.roots import REPORT, codes, found, project, report

DOCS = {"docs/login.md": "# Login"}
RELATIVE = [
    ("from the project", "docs/login.md", []),
    ("from the report", "../../docs/login.md", []),
    ("from the workspace", "../docs/login.md", []),
    ("a place in it", "docs/login.md#errors", []),
    ("a line of it", "docs/login.md:12", []),
    ("with backslashes", "docs\\login.md", []),
    ("a folder", "docs/", []),
    ("a name that begins with two dots", "..cache/login.md", []),
    ("an id", "TASK-20261001-001", []),
    ("a TASK's path of an older day", "fcop/_lifecycle/active/TASK-20261001-001-PM-to-DEV.md", []),
    ("a web address", "https://example.org/a/b.md", []),
    ("a ticket", "shop/tracker#12", []),
    ("two words", "and/or", []),
    ("free text", "see the notes in docs/nothing.md", []),
    ("a pattern", "src/*.py", []),
    ("nothing of that name", "docs/nothing.md", [("FC716", "warning")]),
    ("nothing of that name, from the report", "../../docs/nothing.md", [("FC716", "warning")]),
    ("a product", "workspace/shop/index.html", [("FC716", "info")]),
    ("out of the repository", "../../../other/docs/login.md", [("FC711", "error")]),
    ("out of it with backslashes", "..\\..\\..\\other\\docs\\login.md", [("FC711", "error")]),
    ("out and back in by text", "docs/../docs/login.md", []),
    ("a drive", "D:\\other\\docs\\login.md", [("FC710", "info")]),
    ("a drive with slashes", "D:/other/docs/login.md", [("FC710", "info")]),
    ("a share", "\\\\server\\share\\login.md", [("FC710", "info")]),
    ("a file address", "file:///home/me/shop/docs/login.md", [("FC710", "info")]),
    ("somebody's home", "~/shop/docs/login.md", [("FC710", "info")]),
    ("somebody's home on Windows", "%USERPROFILE%\\shop\\login.md", [("FC710", "info")]),
    ("a route", "/login", []),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in RELATIVE], ids=[row[0] for row in RELATIVE])
def test_a_reference(text: str, expected: list[tuple[str, str]]) -> None:
    files = {**project(), **DOCS, "..cache/login.md": "x", **report(text)}
    items = found(files)
    assert codes(items) == expected
    assert all(item.finding.location.span and item.finding.location.span.line == 8 for item in items)


def test_only_reports_must_show_their_evidence() -> None:
    asked = project() | {"docs/a.md": ""}
    path = next(path for path in asked if "TASK" in path)
    asked[path] = asked[path].replace("transitions:", "references:\n- docs/to-be-written.md\ntransitions:")
    assert found(asked) == []


ROOTS = Roots(home=("/srv/shop", "D:\\Work\\Shop"), foreign=("/srv/other", "D:\\Other", "/srv/shop/vendor/other"))
DECLARED = [
    ("/srv/shop/docs/login.md", "warning", "docs/login.md"),
    ("D:\\Work\\Shop\\docs\\login.md", "warning", "docs/login.md"),
    ("d:/work/shop/docs/login.md", "warning", "docs/login.md"),
    ("/srv/shop/docs/nothing.md", "warning", None),
    ("/srv/other/docs/login.md", "error", None),
    ("D:/other/fcop/x.md", "error", None),
    ("/srv/shop/vendor/other/x.md", "error", None),
    ("/srv/Shop/docs/login.md", "info", None),
    ("/srv/shopping/docs/login.md", "info", None),
    ("E:\\Work\\Shop\\docs\\login.md", "info", None),
]


@pytest.mark.parametrize(("text", "severity", "relative"), DECLARED)
def test_whose_root_a_path_lies_under(text: str, severity: str, relative: str | None) -> None:
    (item,) = found({**project(), **DOCS, **report(text)}, roots=ROOTS)
    assert (item.rule.code, item.severity) == ("FC710", severity)
    fix = item.finding.fix
    assert (fix.edits[0].replacement if fix else None) == relative
    assert fix is None or fix.safety == "safe"


def test_a_fix_is_a_text_edit_that_puts_it_right() -> None:
    files = {**project(), "docs/log in: a.md": "x", **report("/srv/shop/docs/log in: a.md")}
    (item,) = found(files, roots=ROOTS)
    assert item.finding.fix is not None
    (edit,) = item.finding.fix.edits
    lines = files[edit.path].split("\n")
    line = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.replacement + line[edit.span.end_column - 1 :]
    assert found({**files, edit.path: "\n".join(lines)}, roots=ROOTS) == []


def test_fields_that_may_speak_of_others() -> None:
    files = {**project(), **report(audit_target="D:\\Other", evidence="D:\\Other\\x.md")}
    assert codes(found(files, roots=ROOTS)) == [("FC710", "error")]
    assert found(files, roots=Roots(foreign=ROOTS.foreign, cross_root_keys=("evidence",))) == []


def test_attachments_are_evidence() -> None:
    files = {**project(), **report()}
    path = f"fcop/reports/{REPORT}.md"
    files[path] = files[path].replace("status: done\n", "status: done\nattachments:\n- name: a\n  local_path: /home/me/a.png\n")
    (item,) = found(files)
    assert (item.rule.code, item.finding.parameters["key"]) == ("FC710", "attachments.local_path")


TWO = {**project("shop"), **project("api"), "api/docs/api.md": "x", "shared/style.md": "x"}
TASK_TWO = "api/fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md"
ACROSS = [
    ("from the top", TASK_TWO, [("FC704", "error")]),
    ("climbing", f"../../../{TASK_TWO}", [("FC704", "error")]),
    ("what both have is one's own", "fcop/_lifecycle/inbox/TASK-20261001-001-PM-to-DEV.md", []),
    ("a paper of the repository", "shared/style.md", []),
    ("a paper of the other project", "../api/docs/api.md", []),
    ("by id, only there", "TASK-20261001-002", [("FC705", "warning")]),
    ("by id, in both", "TASK-20261001-001", []),
    ("by id, nowhere", "TASK-20261001-009", [("FC502", "warning")]),
    ("out of all", "../../../../x/y.md", [("FC711", "error")]),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in ACROSS], ids=[row[0] for row in ACROSS])
def test_a_reference_across_projects(text: str, expected: list[tuple[str, str]]) -> None:
    files = {**TWO, TASK_TWO: "---\nprotocol: fcop\n---\n", **report(text, root="shop/fcop")}
    items = found(files, "FC7", "FC502")
    assert codes(items) == expected


def test_an_id_of_another_identity_is_an_error_and_fixtures_are_asked_for_nothing() -> None:
    mine, theirs = project("shop", workspace_id="urn:uuid:1"), project("api", workspace_id="urn:uuid:2")
    files = {**mine, **theirs, TASK_TWO: "---\nprotocol: fcop\n---\n", **report("TASK-20261001-002", root="shop/fcop")}
    assert codes(found(files, "FC705", "FC502")) == [("FC705", "error")]
    assert codes(found(files, "FC705", "FC502", ignore=("api",))) == [("FC502", "warning")]


LINKS = [
    ("an envelope, out", {"fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md": "../../../../x.md"}, [("FC714", "error")]),
    ("an envelope, absolute", {"fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md": "/srv/x.md"}, [("FC714", "error")]),
    ("an envelope, a drive", {"fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md": "D:\\x.md"}, [("FC714", "error")]),
    ("an envelope, inside", {"fcop/_lifecycle/inbox/TASK-20261001-002-PM-to-QA.md": "../../../x.md"}, [("FC206", "error")]),
    ("a stage, out", {"fcop/_lifecycle/done": "../../../done"}, [("FC714", "error")]),
    ("a stage, inside", {"fcop/_lifecycle/done": "archive"}, [("FC206", "error")]),
    ("out by another link", {"fcop/_lifecycle/done": "../../there/x", "there": "../elsewhere"}, [("FC714", "error")]),
    ("a loop", {"fcop/_lifecycle/done": "review", "fcop/_lifecycle/review": "done"}, [("FC206", "error")] * 2),
    ("reports, out", {"fcop/reports": "../../reports"}, [("FC714", "error")]),
    ("another workspace, out", {"api/fcop": "../../api/fcop"}, [("FC714", "error")]),
    ("another workspace, inside", {"api/fcop": "../fcop"}, []),
    ("of no concern", {"node_modules/a": "/usr/lib/a", "fcop/shared/a.txt": "/x"}, []),
]


@pytest.mark.parametrize(("links", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_links(links: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert codes(found({**project(), "x.md": "x"}, "FC714", "FC206", "FC001", links=links)) == expected


def test_a_link_in_an_older_layout_that_leaves() -> None:
    link = {"docs/agents/tasks/TASK-20261001-002-PM-to-QA.md": "/srv/x.md"}
    files = {"docs/agents/fcop.json": "{}", "docs/agents/tasks/TASK-20261001-001-PM-to-DEV.md": "---\nprotocol: fcop\n---\n"}
    assert codes(found(files, "FC714", "FC206", "FC001", links=link)) == [("FC714", "error")]


def test_evidence_behind_a_link() -> None:
    files = {**project(), **DOCS, **report("evidence/a.md")}
    assert codes(found(files, links={"evidence": "../../evidence"})) == [("FC714", "warning")]
    assert found(files | report("evidence/login.md"), links={"evidence": "docs"}) == []


PATHS = [
    ("D:\\a\\b", Form.DRIVE, "D:/a/b"), ("d:/a/./b", Form.DRIVE, "D:/a/b"), ("\\\\?\\D:\\a", Form.DRIVE, "D:/a"),
    ("\\\\s\\x\\a", Form.UNC, "//s/x/a"), ("\\\\?\\UNC\\s\\x\\a", Form.UNC, "//s/x/a"), ("//s/x/a", Form.UNC, "//s/x/a"),
    ("/a/../b", Form.POSIX, "/b"), ("/", Form.POSIX, "/"), ("D:", Form.DRIVE, "D:"), ("D:a", Form.ROOTED, "D:/a"),
    ("a\\..\\b", Form.RELATIVE, "b"), ("", Form.RELATIVE, "."), ("../a", Form.RELATIVE, "../a"), ("~/a", Form.HOME, "~/a"),
    ("${workspaceFolder}/a", Form.VARIABLE, "${workspaceFolder}/a"), ("%TEMP%\\a", Form.VARIABLE, "%TEMP%/a"),
    ("file:///D:/a%20b", Form.DRIVE, "D:/a b"), ("file:///a", Form.POSIX, "/a"), ("file://s/x/a", Form.UNC, "//s/x/a"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "form", "spelled"), PATHS)
def test_paths_of_any_system(text: str, form: Form, spelled: str) -> None:
    assert (parse(text).form, parse(text).text) == (form, spelled)


def test_case_twins_are_one_only_on_windows() -> None:
    assert below(parse("D:\\WORK\\a"), parse("d:/work")) == ("a",)
    assert below(parse("/work/a"), parse("/Work")) is None


def test_three_results_and_no_more() -> None:
    here, there = Identity("/a", 1, 2), Identity("/b", 1, 3)
    assert judge(here, here) is Verdict.SAME
    assert judge(here, Identity("/link-to-a", 1, 2)) is Verdict.SAME
    assert judge(here, there) is Verdict.DIFFERENT
    assert judge(here, None) is judge(None, there) is judge(None, None) is Verdict.UNKNOWN


def test_variables_are_filled_in_where_they_are_known() -> None:
    assert expand("${A}/%B%/${C:-c}/${D}", {"A": "a", "B": "b"}) == "a/b/c/${D}"


SEGMENTS = st.lists(st.sampled_from(["a", "b", "..", "..cache", ".", "c.md"]), max_size=8)


@given(SEGMENTS)
def test_segments_end_where_the_text_says(parts: list[str]) -> None:
    expected = posixpath.normpath("/".join(parts)) if parts else "."
    assert ("/".join(normalise(tuple(parts))) or ".") == expected
    assert escapes(tuple(parts)) == (expected == ".." or expected.startswith("../"))


@given(SEGMENTS, SEGMENTS)
def test_what_stays_inside_is_found_from_there(folder: list[str], parts: list[str]) -> None:
    inside = "/".join(part for part in folder if part in ("a", "b"))
    led = resolve_below(inside, tuple(parts))
    expected = posixpath.normpath(posixpath.join(inside, *parts) or ".")
    assert led == (None if expected == ".." or expected.startswith("../") else "" if expected == "." else expected)


@given(st.text(max_size=60))
def test_no_text_is_too_odd_for_a_path(text: str) -> None:
    path = parse(text)
    assert isinstance(path.text, str)
    assert path.is_relative != (path.form is not Form.RELATIVE)
    below(path, parse("/srv"))
