"""What a commit's message says of its TASK: the trailer, read as git reads it, by hand and in the real hook."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fcoplint.model.message import Message
from fcoplint.model.workspace import Documents, Workspaces
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import INBOX, Ran, Repo, run_tool, task_text
from tests.support.tool_path import tool_path

STEM, SHORT = "TASK-20261001-001-PM-to-DEV", "TASK-20261001-001"
LOST = "TASK-20261001-009"
SCISSORS = "# ------------------------ >8 ------------------------"


def tasks(text: str, comment: str = "#") -> tuple[str, ...]:
    return Message(text, Workspaces(MemorySnapshot(), Documents()), comment).tasks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("work\n\nTask: TASK-1\n", ("TASK-1",)),
        ("work\n\nTask: TASK-1", ("TASK-1",)),
        ("work\r\n\r\nTask: TASK-1\r\n", ("TASK-1",)),
        ("work\n\nbody\n\ntask : TASK-1.\nSigned-off-by: PM <pm@example.org>\n", ("TASK-1",)),
        ("work\n\nTask: TASK-1\nTask: TASK-2\nTask: TASK-1\n", ("TASK-1", "TASK-2")),
        ("work\n\nTask: TASK-1, task-2 (login)\n", ("TASK-1", "task-2")),
        ("work\n\nTask:\n  TASK-1\n", ("TASK-1",)),
        ("work\n \t\nTask: TASK-1\n\n\n", ("TASK-1",)),
        # The title is no trailer, and what stands above the last paragraph is prose.
        ("Task: TASK-1\n", ()),
        ("\n\nTask: TASK-1\nmore\n", ()),
        ("work\n\nTask: TASK-1\n\nThe end.\n", ()),
        ("work\nTask: TASK-1\n", ()),
        # Other words than an id.
        ("work\n\nTask: make it faster\n", ()),
        ("work\n\nTask: EPIC-12\n", ()),
        ("work\n\nTasks: TASK-1\nSee TASK-2\nTask TASK-3\n", ()),
        # What git takes out.
        ("work\n\nTask: TASK-1\n\n# Please enter the message.\n#\n# On branch main\n", ("TASK-1",)),
        ("work\n\n# Task: TASK-1\n", ()),
        (f"work\n\nTask: TASK-1\n{SCISSORS}\n# Do not touch.\ndiff\n\nTask: TASK-2\n", ("TASK-1",)),
        ("", ()),
        ("# only a comment\n", ()),
    ],
)
def test_a_trailer_stands_in_the_last_paragraph(text: str, expected: tuple[str, ...]) -> None:
    assert tasks(text) == expected


def test_another_sign_for_comments_counts_as_git_has_it() -> None:
    assert tasks(f"work\n\n#5: x\nTask: TASK-1\n; On branch\n;{SCISSORS[1:]}\nTask: TASK-2", ";") == ("TASK-1",)


def judge(repo: Repo, text: str, *options: str) -> Ran:
    (repo.path / "message").write_bytes(text.encode("utf-8", "surrogateescape"))
    return repo.check("--commit-msg", "message", *options)


@pytest.mark.parametrize("named", [STEM, SHORT, f"{STEM}.md", f"fcop/_lifecycle/inbox/{STEM}.md"])
def test_an_id_of_a_task_resolves(repo: Repo, named: str) -> None:
    ran = judge(repo, f"work\n\nTask: {named}\n")
    assert (ran.code, ran.findings) == (0, [])


def test_an_id_of_nothing_is_told(repo: Repo) -> None:
    ran = judge(repo, f"work\n\nTask: {LOST}\nTask: {SHORT}\n")
    assert ran.code == 1
    finding = ran.findings[0]
    assert [item["code"] for item in ran.findings] == ["FC502"]
    assert (finding["path"], finding["line"], finding["subject"], finding["severity"]) == (None, None, LOST, "error")
    assert LOST in finding["message"]
    assert judge(repo, f"work\n\nTask: {LOST}\n", "--ignore", "FC502").findings == []


def test_a_report_is_no_task(repo: Repo) -> None:
    repo.write("fcop/reports/REPORT-20261001-001-DEV-to-PM.md", "---\n---\n")
    repo.git("add", "-A")
    assert judge(repo, "work\n\nTask: TASK-20261001-001\n").code == 0
    repo.git("rm", "-q", "--cached", f"{INBOX}/{STEM}.md")
    assert judge(repo, "work\n\nTask: TASK-20261001-001\n").codes == ["FC502"]


def test_the_index_counts_not_the_disk_and_any_workspace_will_do(repo: Repo) -> None:
    other = "TASK-20261001-002-PM-to-QA"
    repo.write(f"{INBOX}/{other}.md", task_text("PM", "QA"))
    assert judge(repo, f"work\n\nTask: {other}\n").code == 1
    repo.git("add", f"{INBOX}/{other}.md")
    assert judge(repo, f"work\n\nTask: {other}\n").code == 0
    repo.add_team("packages/a/fcop")
    repo.write("packages/a/fcop/_lifecycle/inbox/TASK-20261001-077-PM-to-DEV.md", task_text())
    repo.git("add", "-A")
    assert judge(repo, "work\n\nTask: TASK-20261001-077\n").code == 0


def test_what_is_no_text_and_what_is_not_there(repo: Repo) -> None:
    assert judge(repo, "caf\udce9\n\nTask: TASK-20261001-009\udce9\n").codes == ["FC502"]
    ran = repo.check("--commit-msg", "nowhere")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_without_a_workspace_there_is_nothing_to_name(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("app.py", "1\n")
    repo.git("add", "-A")
    (repo.path / "message").write_text(f"work\n\nTask: {LOST}\n")
    assert (repo.check("--commit-msg", "message").findings, repo.run("check", "--commit-msg", "message").out) == ([], "")


def test_nothing_that_the_configuration_names_is_run(repo: Repo) -> None:
    touched = repo.path / "touched"
    repo.git("config", "trailer.task.command", f"touch '{touched}'")
    repo.git("config", "trailer.task.cmd", f"touch '{touched}'")
    assert judge(repo, f"work\n\nTask: {LOST}\n").code == 1
    assert not touched.exists()


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return tool_path(tmp_path / "bin")


def test_the_hook_refuses_a_commit_that_names_no_task(repo: Repo, env: dict[str, str]) -> None:
    run_tool("init", "--hooks", cwd=repo.path)
    head = repo.git("rev-parse", "HEAD")
    for number, message in enumerate((f"work\n\nTask: {SHORT}", "work", "Task: TASK-9", f"merge\n\nTask: {STEM}\nReviewed-by: QA")):
        repo.write("app.py", f"{number}\n")
        done = repo.try_git("commit", "-a", "-m", message, env=env) if number else repo.try_git("add", "-A")
        assert done.code == 0, done
    assert repo.git("rev-parse", "HEAD") != head
    head = repo.git("rev-parse", "HEAD")
    repo.write("app.py", "last\n")
    refused = repo.try_git("commit", "-a", "-m", f"work\n\nTask: {LOST}", env=env)
    assert (refused.code, "FC502" in refused.out + refused.err, repo.git("rev-parse", "HEAD")) == (1, True, head)
    # Comments of an editor's template do not hide the last paragraph.
    editor = repo.path / "editor.sh"
    editor.write_text(f'#!/bin/sh\nprintf \'work\\n\\nTask: {LOST}\\n\' | cat - "$1" > "$1.new" && mv "$1.new" "$1"\n')
    editor.chmod(0o755)
    with_editor = {**env, "GIT_EDITOR": str(editor)}
    refused = repo.try_git("commit", "-a", "-v", env=with_editor)
    assert (refused.code, "FC502" in refused.out + refused.err) == (1, True), refused


def test_a_task_that_the_commit_itself_brings_is_found(repo: Repo, env: dict[str, str]) -> None:
    run_tool("init", "--hooks", cwd=repo.path)
    named = "TASK-20261001-002-PM-to-QA"
    repo.write(f"{INBOX}/{named}.md", task_text("PM", "QA"))
    repo.git("add", "-N", f"{INBOX}/{named}.md")
    done = repo.try_git("commit", "-a", "-m", f"work\n\nTask: {named}", env=env)
    assert done.code == 0, done
    assert os.path.exists(repo.path / ".git/hooks/commit-msg")
