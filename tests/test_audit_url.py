"""`fcoplint audit URL`: what a server holds, by a clone that leaves nothing behind."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.parsers import page_data
from tests.support.repository import T1, Repo, run_tool, task_text


def test_a_url_is_cloned_audited_and_cleaned_up(repo: Repo, tmp_path: Path) -> None:
    repo.write(T1, task_text(priority="P1").replace("sender: PM", "sender: OPS"))
    repo.commit("edit")
    guilty = repo.git("rev-parse", "HEAD").strip()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    url, env = f"file://{repo.path}", {"TMPDIR": str(scratch)}
    ran = run_tool("audit", url, "--format", "json", cwd=tmp_path, env=env)
    assert (ran.code, [(item["code"], item["path"]) for item in ran.findings if item["severity"] == "error"]) == (1, [("FC120", T1)])
    history = run_tool("audit", url, "--history", "--format", "json", cwd=tmp_path, env=env)
    assert ("FC804", guilty) in [(item["code"], item["commit"] and item["commit"]["id"]) for item in history.findings]
    page = page_data(run_tool("audit", url, "--history", "--format", "html", cwd=tmp_path, env=env).out)
    assert (len(page["cards"]["rows"]), page["trends"]["commits"]) == (1, 2), "a page looks into the clone before that is taken away"
    assert list(scratch.iterdir()) == []


def test_the_configuration_is_the_one_that_was_cloned(repo: Repo, tmp_path: Path) -> None:
    repo.write(T1, task_text().replace("sender: PM", "sender: OPS"))
    repo.write(".fcoplint.toml", 'ignore = ["FC120"]\n')
    repo.commit("edit")
    ran = run_tool("audit", f"file://{repo.path}", "--format", "json", cwd=tmp_path)
    assert [item["code"] for item in ran.findings if item["severity"] == "error"] == []
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    assert "FC120" not in run_tool("audit", "--rev", "main", "--format", "json", cwd=tmp_path / "bare.git").codes


def test_what_cannot_be_cloned_is_said_in_one_line(tmp_path: Path) -> None:
    ran = run_tool("audit", f"file://{tmp_path}/nowhere", "--format", "json", cwd=tmp_path)
    assert (ran.code, ran.codes, len(ran.err.splitlines())) == (3, ["FC003"], 1)
    assert json.loads(ran.out)["exit_code"] == 3


@pytest.mark.parametrize("url", ["ext::sh -c touch% x", "ext://x", "-u://x", "fd::17://x"])
def test_no_other_transport_is_asked(tmp_path: Path, url: str) -> None:
    ran = run_tool("audit", "--", url, cwd=tmp_path)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_have_a_name_with_a_sign(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("me@home")
    repo.add_team()
    repo.commit()
    assert run_tool("audit", "me@home", cwd=repo.path.parent).code == 0
