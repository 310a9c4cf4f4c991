"""Roots in real repositories: commits that are cited, paths that git ignores, what a change answers for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import Repo, run_tool
from tests.support.roots import report, server

MISSING = "deadbeef1234"


def add(repo: Repo, files: dict[str, str]) -> None:
    for path, text in files.items():
        repo.write(path, text)
    repo.git("add", "-A")


def test_a_commit_that_is_not_here(repo: Repo, tmp_path: Path) -> None:
    head = repo.git("rev-parse", "HEAD").strip()
    repo.git("tag", "-a", "v1", "-m", "v1")
    tag = repo.git("rev-parse", "v1").strip()
    add(repo, report(body=f"Built in commit `{head[:9]}`, tagged as commit `{tag}`; commit `{MISSING}` is elsewhere."))
    (finding,) = repo.check("--select", "FC7").findings
    assert (finding["code"], finding["severity"], finding["parameters"]["value"]) == ("FC715", "warning", MISSING)
    repo.git("commit", "-qm", "report")
    assert repo.audit("--rev", "HEAD", "--select", "FC7").codes == ["FC715"]
    assert repo.check("--range", "HEAD~1..HEAD", "--select", "FC7").codes == ["FC715"]
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "shallow"))
    assert '"findings": []' in run_tool("audit", "--select", "FC7", "--format", "json", cwd=tmp_path / "shallow").out


def test_a_field_that_cites_a_commit(repo: Repo) -> None:
    add(repo, report(commit=MISSING))
    (finding,) = repo.check("--select", "FC7").findings
    assert (finding["code"], finding["line"]) == ("FC715", 9)


def test_evidence_that_git_ignores(repo: Repo) -> None:
    repo.write(".gitignore", "out/\n")
    repo.write("out/result.txt", "x")
    repo.write("docs/a.md", "x")
    add(repo, report("out/result.txt", "docs/b.md"))
    assert [(item["code"], item["severity"]) for item in repo.check("--select", "FC7").findings] == [
        ("FC716", "info"),
        ("FC716", "warning"),
    ]


def test_declared_roots_come_from_the_side_before(repo: Repo) -> None:
    repo.write(".fcoplint.toml", '[roots]\nforeign = ["/srv/other"]\nhome = ["/srv/shop"]\n')
    repo.commit("declare the roots")
    repo.write(".fcoplint.toml", "")
    add(repo, report("/srv/other/a.md"))
    finding = next(item for item in repo.check("--select", "FC7").findings)
    assert (finding["code"], finding["severity"]) == ("FC710", "error")


WRONG = [
    ('[roots]\nhome = ["shop"]\n', "no absolute path"),
    ('[roots]\nforeing = ["/srv/other"]\n', "did you mean `foreign`?"),
    ('[roots]\nallow-protected = "x"\n', "roots.allow-protected"),
    ("roots = 3\n", "roots"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_configuration_of_roots_that_is_wrong(repo: Repo, text: str, said: str) -> None:
    repo.write(".fcoplint.toml", text)
    ran = repo.audit()
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize("text", ["[roots]\nallow-protected = true\n", '[roots]\nallow-protected = ["/app"]\nignore = ["tests/"]\n'])
def test_a_configuration_of_roots_that_is_right(repo: Repo, text: str) -> None:
    repo.write(".fcoplint.toml", text)
    assert repo.audit("--select", "FC7").code == 0


def test_a_symlinked_root_is_the_same_root(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(repo.path)
    add(repo, {".cursor/mcp.json": server({"FCOP_PROJECT_DIR": str(tmp_path / "alias"), "FCOP_PROJECT_PATH": str(repo.path)})})
    assert repo.check("--select", "FC7").codes == []
    assert run_tool("audit", "--select", "FC7", "--format", "json", cwd=tmp_path / "alias").codes == []


def test_another_project_of_this_machine(make_repo: Callable[..., Repo], repo: Repo) -> None:
    other = make_repo("other")
    other.add_team()
    add(repo, {".mcp.json": server({"FCOP_PROJECT_DIR": str(other.path)})})
    (finding,) = repo.check("--select", "FC7").findings
    assert (finding["code"], finding["severity"], finding["path"], finding["line"]) == ("FC720", "error", ".mcp.json", 1)
    repo.git("commit", "-qm", "bind", "--no-verify")
    assert repo.check("--select", "FC7").codes == [], "it was there before"
    # A commit lies nowhere: there the same path is another machine's.
    assert [item["severity"] for item in repo.audit("--rev", "HEAD", "--select", "FC7").findings] == ["warning"]


def test_one_machines_state(repo: Repo) -> None:
    add(repo, {".codeflowmu/instance.json": "{}", "fcop/.runtime-writer.lock": "{}", ".codeflowmu/instance.example.json": "{}"})
    ran = repo.check("--select", "FC7")
    assert [(item["code"], item["path"]) for item in ran.findings] == [
        ("FC730", ".codeflowmu/instance.json"), ("FC730", "fcop/.runtime-writer.lock")
    ]  # fmt: skip
    assert ".gitignore" in ran.findings[0]["help"]


def test_ignored_state_of_a_wholly_ignored_workspace(make_repo: Callable[..., Repo]) -> None:
    made = make_repo()
    made.write(".gitignore", "fcop/\n")
    made.commit("start")
    made.add_team()
    made.write("fcop/.runtime-writer.lock", "{}")
    assert made.audit("--select", "FC7").codes == []


def test_the_fix_stands_in_the_report(repo: Repo) -> None:
    add(repo, {".cursor/mcp.json": '{\n  "mcpServers": {"fcop": {"env": {"CODEFLOW_PROJECT_DIR": "."}}}\n}\n'})
    (finding,) = repo.check("--select", "FC7").findings
    edit = finding["fix"]["edits"][0]
    assert (finding["code"], finding["fix"]["safety"]) == ("FC722", "safe")
    assert (edit["path"], edit["line"], edit["column"], edit["replacement"]) == (".cursor/mcp.json", 2, 35, '"FCOP_PROJECT_DIR"')
