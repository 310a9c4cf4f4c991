"""The pitfalls that break linters of this kind, by their number in the specification (anchors, section 4).

Each has the test that shows it cured here; those without one say why. 42 to 52 belong to formats that are not there yet.
"""

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support.repository import INBOX, T1, Repo, run_tool, task_text

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("OPS", "QA")
TESTS = Path(__file__).parent

TABLE = {
    1: "test_hook.py::test_commit_a_judges_the_edit_it_takes_in",
    2: "test_check.py::test_the_environment_of_another_repository_is_not_this_one",
    3: "test_hook.py::test_commit_of_paths_judges_those_paths_alone",
    4: "test_pitfalls.py::test_a_git_dir_of_another_repository_does_not_lead_away",
    5: "test_check.py::test_the_staged_version_counts_not_the_one_on_disk",
    6: "test_pitfalls.py::test_checking_writes_nothing",
    7: "no test: nothing is fixed yet",
    8: "test_check.py::test_an_announced_file_is_not_part_of_the_commit",
    9: "test_check.py::test_odd_names_of_other_files_hide_nothing",
    10: "test_check.py::test_an_envelope_with_bytes_for_a_name_is_reported_with_them",
    11: "test_pitfalls.py::test_an_envelope_whose_name_holds_a_newline_is_read",
    12: "test_pitfalls.py::test_no_git_library_is_imported",
    13: "test_pitfalls.py::test_a_stray_author_date_disturbs_nothing",
    14: "test_pitfalls.py::test_no_git_library_is_imported",
    15: "test_check.py::test_a_first_commit_has_everything_before_it_empty",
    16: "test_pitfalls.py::test_a_detached_head_and_no_identity_disturb_nothing",
    17: "test_check.py::test_a_fault_moves_with_its_file",
    18: "test_hook.py::test_a_commit_that_only_deletes_an_envelope_runs_the_hook",
    19: "test_pitfalls.py::test_the_hook_definition_takes_no_file_names_and_names_its_stages",
    20: "test_hook.py::test_a_clean_merge_runs_the_hook",
    21: "test_check.py::test_an_unmerged_entry_is_one_finding",
    22: "test_snapshots.py::test_a_revision_cut_off_by_a_shallow_clone_could_not_be_looked_at",
    23: "test_bad_input.py::test_dubious_ownership_is_advice_and_exit_3",
    24: "test_pitfalls.py::test_inside_the_git_directory_there_is_advice",
    25: "test_bad_input.py::test_a_submodule_in_place_of_a_folder_is_said",
    26: "test_bad_input.py::test_links_are_told_and_never_followed",
    27: "test_pitfalls.py::test_a_git_directory_behind_a_link_or_file_is_found",
    28: "test_bad_input.py::test_a_sparse_checkout_is_read_from_the_index",
    29: "test_snapshots.py::test_autocrlf_checkouts_are_judged_as_committed",
    30: "test_frontmatter.py::test_a_byte_order_mark_is_told_and_read_past",
    31: "test_output.py::test_a_terminal_that_cannot_show_a_character_gets_it_escaped",
    32: "test_pitfalls.py::test_the_locale_does_not_decide_how_files_are_read",
    33: "test_pitfalls.py::test_keys_that_crash_others_are_keys_like_any",
    34: "test_frontmatter.py::test_what_cannot_be_taken_has_a_kind_and_a_place",
    35: "test_frontmatter.py::test_what_is_taken",
    36: "no test: nothing is rewritten yet",
    37: "test_frontmatter.py::test_scalars_stay_text",
    38: "test_frontmatter.py::test_both_places_of_a_key_that_stands_twice_are_kept_and_the_last_counts",
    39: "test_frontmatter.py::test_what_cannot_be_taken_has_a_kind_and_a_place",
    40: "test_bad_input.py::test_front_matter_past_the_limit_is_said",
    41: "test_frontmatter.py::test_what_cannot_be_taken_has_a_kind_and_a_place",
    53: "test_pitfalls.py::test_names_that_a_disk_may_take_for_one_are_told",
    54: "test_pitfalls.py::test_what_is_excluded_stays_so_when_it_is_named",
    55: "test_pitfalls.py::test_the_hook_definition_takes_no_file_names_and_names_its_stages",
}


def test_the_table_is_whole_and_every_test_in_it_is_there() -> None:
    assert set(TABLE) == {*range(1, 42), 53, 54, 55}
    for entry in TABLE.values():
        if entry.startswith("no test: "):
            continue
        file, _, name = entry.partition("::")
        functions = {node.name for node in ast.walk(ast.parse((TESTS / file).read_text("utf-8"))) if isinstance(node, ast.FunctionDef)}
        assert name in functions, entry


def test_a_git_dir_of_another_repository_does_not_lead_away(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    other = make_repo("other")
    other.add_team()
    other.write(T2, BAD)
    other.git("add", "-A")
    env = {"GIT_DIR": str(repo.path / ".git")}
    assert "FC120" in run_tool("check", "--format", "json", cwd=other.path, env=env).codes
    assert run_tool("audit", "--format", "json", cwd=other.path, env=env).codes == ["FC120"]


def test_checking_writes_nothing(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.git("add", "-A")
    repo.write(T1, task_text("QA"))

    def state() -> dict[str, tuple[int, bytes]]:
        files = (Path(folder, name) for folder, _, names in os.walk(repo.path) for name in names)
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = state()
    for arguments in (["check"], ["check", T1], ["audit"], ["audit", "--rev", "HEAD"], ["status"]):
        repo.run(*arguments)
    assert state() == before


def test_an_envelope_whose_name_holds_a_newline_is_read(repo: Repo) -> None:
    repo.write(f"{INBOX}/TASK-20261001-002-PM-to-QA\n.md", task_text("PM", "QA", priority="soon"))
    repo.git("add", "-A")
    assert repo.check().codes == ["FC101", "FC123"]


def test_no_git_library_is_imported() -> None:
    # But for the one place that gets repositories by their address, which no hook ever asks.
    remote = TESTS.parent / "fcoplint/cli/remote.py"
    for path in set((TESTS.parent / "fcoplint").rglob("*.py")) - {remote}:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {"git", "pygit2", "dulwich"} & {name.partition(".")[0] for name in names}, path


def test_a_stray_author_date_disturbs_nothing(repo: Repo) -> None:
    assert repo.check(env={"GIT_AUTHOR_DATE": "not a date"}).code == 0


def test_a_detached_head_and_no_identity_disturb_nothing(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    repo.write(T2, BAD)
    repo.git("add", "-A")
    assert repo.check(env={"HOME": "/nonexistent", "EMAIL": ""}).codes == ["FC120"]


def test_inside_the_git_directory_there_is_advice(repo: Repo) -> None:
    for command in ("check", "audit"):
        ran = run_tool(command, cwd=repo.path / ".git")
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_git_directory_behind_a_link_or_file_is_found(repo: Repo, tmp_path: Path, kind: str) -> None:
    (repo.path / ".git").rename(tmp_path / "elsewhere.git")
    if kind == "link":
        (repo.path / ".git").symlink_to(tmp_path / "elsewhere.git")
    else:
        (repo.path / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere.git'}\n")
    repo.write(T2, BAD)
    repo.git("add", "-A")
    assert repo.check().codes == ["FC120"]


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_the_locale_does_not_decide_how_files_are_read(repo: Repo, locale: str) -> None:
    repo.write(T2, task_text("OPS", "QA", subject="测试计划"))
    repo.git("add", "-A")
    env = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert repo.check(env=env).codes == ["FC120"]
    assert "FC120" in repo.run("check", env=env).out


def test_keys_that_crash_others_are_keys_like_any(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA").replace("transitions:", "content: a\nhandler: b\nself: c\non: d\n1: e\nmetadata: f\ntransitions:"))
    repo.git("add", "-A")
    assert repo.check().findings == []


def test_names_that_a_disk_may_take_for_one_are_told(repo: Repo) -> None:
    repo.write("fcop/issues/ISSUE-20261001-001-QA-a.md", "x")
    twin = T1.replace(".md", "-DEV.md"), T1.replace(".md", "-dev.md")
    for name in twin:
        repo.write(name.replace("to-DEV", "to-QA"), task_text("PM", "QA"))
    repo.git("add", "-A")
    assert "FC106" in repo.check().codes


def test_what_is_excluded_stays_so_when_it_is_named(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "exclude = ['fcop/_lifecycle/**']\n")
    repo.commit()
    repo.write(T2, BAD)
    assert repo.check(T2).findings == []


def test_the_hook_definition_takes_no_file_names_and_names_its_stages() -> None:
    hook = yaml.safe_load((TESTS.parent / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]
    assert hook["stages"] == ["pre-commit", "pre-merge-commit", "manual"]
    assert (hook["always_run"], hook["pass_filenames"], hook["require_serial"]) == (True, False, True)
    assert hook["minimum_pre_commit_version"] == "3.2.0"
