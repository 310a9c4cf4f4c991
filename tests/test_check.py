"""`fcoplint check` in real repositories: it judges exactly what is being committed, and lists only what that brings in."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import INBOX, T1, Repo, run_tool, task_text

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("PM", "QA").replace("sender: PM", "sender: OPS")
GOOD = task_text("PM", "QA")


def test_a_new_fault_is_reported_at_its_line_and_the_corrected_one_passes(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.git("add", "-A")
    ran = repo.check()
    assert ran.code == 1
    assert [(item["code"], item["path"], item["line"], item["introduced"]) for item in ran.findings] == [("FC120", T2, 4, True)]
    repo.write(T2, GOOD)
    repo.git("add", "-A")
    assert (repo.check().code, repo.check().findings) == (0, [])


def test_what_was_wrong_before_is_counted_not_listed(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.commit()
    repo.write("app.py", "print()\n")
    repo.git("add", "-A")
    ran = repo.check()
    assert (ran.code, ran.findings, ran.report["summary"]["older"]) == (0, [], 1)
    with_older = repo.check("--all")
    assert (with_older.code, with_older.codes, [item["introduced"] for item in with_older.findings]) == (1, ["FC120"], [False])


def test_a_fault_moves_with_its_file(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.commit()
    (repo.path / "fcop/_lifecycle/active").mkdir()
    repo.git("mv", T2, T2.replace("inbox", "active"))
    assert [code for code in repo.check().codes if code == "FC120"] == []


def test_a_second_equal_fault_is_new(repo: Repo) -> None:
    doubled = task_text("PM", "QA").replace("---\n\n#", "x: 1\nx: 1\n---\n\n#")
    repo.write(T2, doubled)
    repo.commit()
    repo.write(T2, doubled.replace("x: 1\nx: 1\n", "x: 1\nx: 1\nx: 1\n"))
    repo.git("add", "-A")
    assert repo.check().codes == ["FC113"]


def test_the_staged_version_counts_not_the_one_on_disk(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.git("add", "-A")
    repo.write(T2, GOOD)
    assert repo.check().codes == ["FC120"]
    repo.git("add", "-A")
    repo.write(T2, BAD)
    assert repo.check().codes == []


def test_a_first_commit_has_everything_before_it_empty(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.add_team()
    repo.write(T2, BAD)
    repo.git("add", "-A")
    ran = repo.check()
    assert (ran.code, ran.codes) == (1, ["FC003", "FC120"])


def test_sha256_repositories_are_read(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo(object_format="sha256")
    repo.add_team()
    repo.git("add", "-A")
    assert repo.check().code == 0
    repo.commit()
    repo.write(T2, BAD)
    repo.git("add", "-A")
    assert repo.check().codes == ["FC120"]


def test_an_announced_file_is_not_part_of_the_commit(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.git("add", "-N", T2)
    repo.write("app.py", "print()\n")
    repo.git("add", "app.py")
    assert repo.check().findings == []


def test_an_empty_envelope_that_is_really_staged_is_judged(repo: Repo) -> None:
    repo.write(T2, "")
    repo.git("add", "-A")
    assert repo.check().codes == ["FC111"]


def merge_two_edits(repo: Repo) -> int:
    """Begin a merge of two edits of one envelope, which conflict; git's exit code."""
    repo.git("checkout", "-q", "-b", "side")
    repo.write(T1, task_text(priority="P1"))
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write(T1, task_text(priority="P2"))
    repo.commit()
    return repo.try_git("merge", "side").code


def test_an_unmerged_entry_is_one_finding(repo: Repo) -> None:
    assert merge_two_edits(repo) == 1
    ran = repo.check()
    assert (ran.code, ran.codes) == (1, ["FC907"])


def test_a_conflict_that_was_staged_with_its_markers_is_found(repo: Repo) -> None:
    merge_two_edits(repo)
    repo.git("add", "-A")
    ran = repo.check()
    assert (ran.code, ran.codes) == (1, ["FC907"])


def test_a_merge_brings_in_only_what_no_parent_had(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.write(T2, BAD)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("app.py", "print()\n")
    repo.commit()
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    assert repo.check().findings == []
    repo.write(T1, task_text().replace("sender: PM", "sender: QA"))
    repo.git("add", "-A")
    assert {(item["code"], item["path"]) for item in repo.check().findings} == {("FC120", T1), ("FC804", T1)}


NAMES = ["naïve\tname.md", "with\nnewline.md", 'quote".md', "-dash.md", ":colon.md", "[x].md", b"bytes-\xff.md"]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_odd_names_of_other_files_hide_nothing(repo: Repo, name: str | bytes) -> None:
    folder = repo.path / "fcop/shared"
    folder.mkdir()
    with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:
        file.write(b"free text\n")
    repo.write(T2, BAD)
    repo.git("add", "-A")
    assert repo.check().codes == ["FC120"]


def test_an_envelope_with_bytes_for_a_name_is_reported_with_them(repo: Repo) -> None:
    name = os.path.join(os.fsencode(repo.path), INBOX.encode(), b"TASK-20261001-002-PM-to-QA-\xff.md")
    with open(name, "wb") as file:
        file.write(GOOD.encode())
    repo.git("add", "-A")
    finding = repo.check().findings[0]
    assert finding["code"] == "FC101"
    assert finding["path"].endswith("QA-\ufffd.md")
    assert finding["path_bytes"]


def test_a_linked_worktree_and_its_index_are_the_ones_checked(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    (linked / T2).write_text(BAD)
    repo.git("-C", str(linked), "add", "-A")
    assert run_tool("check", "--format", "json", cwd=linked).codes == ["FC120"]
    assert repo.check().findings == []


def test_a_sub_folder_of_the_repository_checks_the_whole(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.write("src/app.py", "print()\n")
    repo.git("add", "-A")
    ran = run_tool("check", "--format", "json", cwd=repo.path / "src")
    assert [item["path"] for item in ran.findings] == [T2]


def test_the_environment_of_another_repository_is_not_this_one(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    other = make_repo("other")
    other.add_team()
    other.write(T2, BAD)
    env = {"GIT_DIR": str(repo.path / ".git"), "GIT_INDEX_FILE": str(repo.path / ".git/index")}
    assert run_tool("audit", "--format", "json", str(other.path), cwd=repo.path, env=env).codes == ["FC120"]


def test_nothing_of_a_repository_is_executed(repo: Repo) -> None:
    touched = repo.path / "executed"
    script = repo.write("evil.sh", f"#!/bin/sh\ntouch '{touched}'\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
    ):
        repo.git("config", key, str(script))
    repo.git("config", "diff.external", str(script))
    repo.write(".gitattributes", "fcop/** filter=evil diff=evil\n")
    repo.write(T2, BAD)
    repo.git("-c", "core.fsmonitor=false", "-c", "filter.evil.clean=cat", "-c", "filter.evil.process=", "add", "-A")
    touched.unlink(missing_ok=True)
    assert repo.check().codes == ["FC120"]
    assert repo.audit().codes == ["FC120"]
    assert not touched.exists()


def test_a_product_commit_without_a_workspace_is_silent(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("app.py", "print()\n")
    repo.git("add", "-A")
    ran = repo.run("check")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert repo.check().report["findings"] == []


def test_results_are_the_same_bytes_from_run_to_run(repo: Repo) -> None:
    for number in range(3, 40):
        repo.write(f"{INBOX}/TASK-20261001-{number:03}-PM-to-DEV.md", BAD)
    repo.git("add", "-A")
    assert len({repo.check(env={"PYTHONHASHSEED": str(seed)}).out for seed in range(4)}) == 1


def test_a_time_set_by_hand_cannot_go_below_that_of_the_parents(repo: Repo) -> None:
    dated = {"GIT_COMMITTER_DATE": "2026-10-20T08:00:00Z", "GIT_AUTHOR_DATE": "2026-10-20T08:00:00Z"}
    repo.git("commit", "-q", "--allow-empty", "-m", "work of a later day", env=dated)
    path = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
    early = {"FCOPLINT_NOW": "2026-01-01T00:00:00Z"}
    for day, told in (("10", False), ("30", True)):
        repo.write(path, task_text("PM", "QA").replace("2026-10-01", f"2026-10-{day}"))
        repo.git("add", "-A")
        for arguments in ((), (path,)):
            assert ("FC312" in repo.check(*arguments, env=early).codes) is told, (day, arguments)
