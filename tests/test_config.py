"""The configuration: what it does, what is said where it is wrong, and that a change cannot excuse itself."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from fcoplint.configmodel import keys
from fcoplint.globs import matcher
from tests.support.repository import INBOX, T1, Repo, task_text

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("OPS", "QA")

WRONG = [
    ('select = "FC1"', 1, "select", "list"),
    ("ignore = ['FC12O']", 1, "ignore[0]", "did you mean `FC120`"),
    ("\nfail_level = 'error'", 2, "fail_level", "did you mean `fail-level`"),
    ("fail-levle = 'error'", 1, "fail-levle", "did you mean `fail-level`"),
    ("fail-level = 'fatal'", 1, "fail-level", "'error', 'warning' or 'info'"),
    ("[severity]\nFC120 = 'off'", 2, "severity.FC120", "'error'"),
    ("[per-path-ignores]\n'a/**' = ['nothing-like-it']", 2, "per-path-ignores.a/**[0]", "no rule is called"),
    ("leader = 'pm'", 1, "leader", "no role"),
    ("max-bytes = true", 1, "max-bytes", "integer"),
    ("clock-tolerance = '10 minutes'", 1, "clock-tolerance", "10m"),
    ("authorisation-patterns = ['(a+)+b']", 1, "authorisation-patterns[0]", "repeated groups"),
    ("authorisation-patterns = ['(']", 1, "authorisation-patterns[0]", "regular expression"),
    ("protocol = 3", 1, "protocol", "'auto'"),
    ("what = 1", 1, "what", "there is no such setting"),
    ("select = [", 1, "", "no TOML"),
    ("a = 1\nb = = 2", 2, "", "no TOML"),
]


@pytest.mark.parametrize(("text", "line", "key", "said"), WRONG, ids=[row[0][:30] for row in WRONG])
def test_what_is_wrong_is_said_with_file_line_and_key(repo: Repo, text: str, line: int, key: str, said: str) -> None:
    repo.write(".fcoplint.toml", text)
    ran = repo.run("audit")
    assert (ran.code, ran.out) == (2, "")
    assert f".fcoplint.toml:{line}: " in ran.err
    assert f"`{key}`" in ran.err or not key
    assert said in ran.err


def test_the_line_is_right_inside_pyproject_toml(repo: Repo) -> None:
    repo.write("pyproject.toml", "[project]\nname = 'x'\nselect = 1\n\n[tool.fcoplint]\nleader = 'PM'\nselect = 1\n")
    assert "pyproject.toml:7: `select`" in repo.run("audit").err


def test_two_files_at_once_are_refused(repo: Repo) -> None:
    repo.write("pyproject.toml", "[tool.fcoplint]\n")
    repo.write(".fcoplint.toml", "")
    ran = repo.run("audit")
    assert (ran.code, "keep one of them" in ran.err) == (2, True)


def test_a_pyproject_that_only_names_fcoplint_configures_nothing(repo: Repo) -> None:
    repo.write("pyproject.toml", "[project]\nname = 'x'\ndependencies = ['fcoplint']\n")
    assert repo.audit().code == 0


EFFECTS = [
    ("ignore = ['routing-mismatch']", []),
    ("select = ['FC9']", []),
    ("[per-path-ignores]\n'fcop/_lifecycle/inbox/**' = ['FC120']", []),
    ("[per-path-ignores]\n'fcop/reports/**' = ['FC120']", ["FC002 warning", "FC120 error"]),
    ("[severity]\nFC1 = 'warning'\nFC120 = 'info'", ["FC120 info"]),
    ("exclude = ['fcop/_lifecycle/**']", []),
    ("workspaces = ['packages/**']", []),
    ("workspaces = ['fcop']", ["FC120 error"]),
]


@pytest.mark.parametrize(("text", "expected"), EFFECTS, ids=[row[0][:40] for row in EFFECTS])
def test_settings_work(repo: Repo, text: str, expected: list[str]) -> None:
    repo.write(T2, BAD)
    repo.write(".fcoplint.toml", text)
    assert [f"{item['code']} {item['severity']}" for item in repo.audit().findings] == expected


def test_the_fail_level_and_its_option(repo: Repo) -> None:
    repo.write(T1, task_text(priority="high"))
    assert repo.audit().code == 0
    repo.write(".fcoplint.toml", "fail-level = 'warning'\n")
    assert repo.audit().code == 1
    assert repo.audit("--fail-level", "error").code == 0
    assert repo.audit("--exit-zero").code == 0


def test_a_file_past_max_bytes_is_said(repo: Repo) -> None:
    repo.write(T1, task_text() + "x" * 5000)
    repo.write(".fcoplint.toml", "max-bytes = 4096\n")
    assert (repo.audit().code, repo.audit().codes) == (3, ["FC001"])


def test_patterns_are_relative_to_the_file_also_below_it(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.write(".fcoplint.toml", "[per-path-ignores]\n'fcop/_lifecycle/inbox/*' = ['FC120']\n")
    assert repo.audit("fcop").findings == []


def test_a_change_is_judged_by_the_configuration_before_it(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.write(".fcoplint.toml", "ignore = ['FC120']\n")
    repo.git("add", "-A")
    assert "FC120" in repo.check().codes
    repo.git("commit", "-q", "-n", "-m", "landed")
    repo.write(T2.replace("002", "003"), BAD)
    repo.git("add", "-A")
    assert "FC120" not in repo.check().codes


def test_a_configuration_named_by_hand_wins(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("ignore = ['FC120']\n")
    repo.write(T2, BAD)
    repo.git("add", "-A")
    assert repo.check("--config", str(tmp_path / "mine.toml")).findings == []
    assert repo.check("--config", str(tmp_path / "none.toml")).code == 2


def test_the_options_add_to_the_file(repo: Repo) -> None:
    repo.write(T2, task_text("OPS", "QA", priority="soon"))
    repo.write(".fcoplint.toml", "select = ['FC120']\n")
    assert repo.audit().codes == ["FC120"]
    assert repo.audit("--extend-select", "FC123").codes == ["FC120", "FC123"]
    assert repo.audit("--ignore", "FC120").codes == []
    assert repo.audit("--select", "FC123").codes == ["FC123"]


def test_show_settings_tells_where_each_comes_from(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "\nfail-level = 'warning'\n")
    lines = repo.run("audit", "--show-settings").out.splitlines()
    assert [line.split(" = ")[0] for line in lines] == keys()
    assert 'fail-level = "warning"  # ' in "\n".join(lines)
    assert next(line for line in lines if line.startswith("fail-level")).endswith(".fcoplint.toml:2")
    assert next(line for line in lines if line.startswith("select")).endswith("# default")


def test_a_validated_configuration_is_remembered_and_nothing_can_be_planted(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "fail-level = 'warning'\n")
    repo.commit()
    assert repo.check().code == 0
    marks = os.listdir(repo.path / ".git/fcoplint")
    assert len(marks) == 1
    assert (repo.path / ".git/fcoplint" / marks[0]).read_bytes() == b""
    # A mark for a configuration that was never valid: its content is refused all the same.
    repo.write(".fcoplint.toml", "select = 5\n")
    repo.commit()
    ran = repo.run("check")
    assert ran.code == 2
    assert len(os.listdir(repo.path / ".git/fcoplint")) == 1


def test_a_memory_that_cannot_be_written_costs_only_time(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "fail-level = 'warning'\n")
    repo.commit()
    (repo.path / ".git/fcoplint").write_text("a file in its place")
    assert repo.check().code == 0


def test_a_configuration_that_is_a_link_is_not_read(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text("ignore = ['FC1']\n")
    (repo.path / ".fcoplint.toml").symlink_to(tmp_path / "outside.toml")
    repo.write(T2, BAD)
    assert "FC120" in repo.audit().codes


def test_the_schema_of_the_configuration_is_one_and_names_every_key(repo: Repo) -> None:
    schema = json.loads(repo.run("schema", "config").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(keys())
    assert schema["$id"].startswith("urn:")


def test_the_schema_of_the_report_is_one(repo: Repo) -> None:
    schema = json.loads(repo.run("schema", "report").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**repo.audit().report, "more": 1}, schema)


GLOBS = [
    ("*.md", "a/b.md", True),
    ("*.md", "b.txt", False),
    ("a/*.md", "a/b.md", True),
    ("a/*.md", "a/c/b.md", False),
    ("a/**/*.md", "a/b.md", True),
    ("a/**/*.md", "a/c/d/b.md", True),
    ("/b.md", "a/b.md", False),
    ("tests", "x/tests/fcop/a.md", True),
    ("tests/", "tests/fcop/a.md", True),
    ("x/tests", "a/x/tests/b", False),
    ("a?c", "abc", True),
    ("[x]", "[x]", True),
    ("**/fixtures/**", "a/fixtures/b/c", True),
]


@pytest.mark.parametrize(("pattern", "path", "fits"), GLOBS)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert matcher([pattern])(path) is fits


def test_two_hundred_workspaces_in_one_repository(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    for number in range(200):
        repo.add_team(f"packages/p{number}/fcop")
    repo.write(f"packages/p77/{T2}", BAD)
    repo.git("add", "-A")
    ran = repo.audit()
    assert len(ran.report["workspaces"]) == 200
    assert [(item["code"], item["workspace"]) for item in ran.findings] == [("FC120", "packages/p77/fcop")]
    only = repo.audit("--workspace", "packages/p7*/fcop").report["workspaces"]
    assert [item["root"] for item in only] == ["packages/p7/fcop", *(f"packages/p{number}/fcop" for number in range(70, 80))]
