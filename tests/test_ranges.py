"""Commits instead of the index, in real repositories: ranges, commit by commit, the whole history, and what cannot be told."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.changes import TaskFile, life, report, task
from tests.support.repositories import forge, tell, write
from tests.support.repository import T1, TEAM, Ran, Repo, run_tool, task_text

ACTIVE = task("active")
EDITED = ACTIVE.but(body="# Build the form\n\nAcceptance: it opens.\n")
PM, DEV = {"GIT_AUTHOR_EMAIL": "pm@example.org"}, {"GIT_AUTHOR_NAME": "DEV", "GIT_AUTHOR_EMAIL": "dev@example.org"}


@pytest.fixture
def team(make_repo: Callable[..., Repo]) -> Repo:
    """A repository with a TASK that was created, then claimed, then left alone for one commit; tags a, b and c."""
    made = make_repo()
    made.write("fcop/fcop.json", json.dumps(TEAM))
    put(made, task())
    save(made, "a")
    put(made, ACTIVE)
    save(made, "b")
    made.write("app.py", "1\n")
    save(made, "c")
    return made


def put(repo: Repo, state: TaskFile) -> None:
    """The TASK as it stands now, and nowhere else."""
    for old in repo.path.glob(f"fcop/**/{state.name}.md"):
        old.unlink()
    repo.write(state.path, state.text())


def save(repo: Repo, tag: str, **env: str) -> str:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", tag, env=env)
    repo.git("tag", "-f", tag)
    return repo.git("rev-parse", "HEAD").strip()


def said(ran: Ran, least: tuple[str, ...] = ("error",)) -> list[tuple[str, str | None, str | None]]:
    """(code, path, commit) of each finding of these severities."""
    return [(item["code"], item["path"], item["commit"] and item["commit"]["id"]) for item in ran.findings if item["severity"] in least]


# A range as one change


def test_a_lawful_range_is_silent(team: Repo) -> None:
    for revisions in ("a..c", "a...c", "a..", "b..c", "..c"):
        ran = team.check("--range", revisions)
        assert (ran.code, said(ran, ("error", "warning"))) == (0, []), revisions


@pytest.mark.parametrize("revisions", ["b..d", "b...d", "b..", "HEAD~1..", "a..d"])
def test_an_edit_within_a_range_is_told(team: Repo, revisions: str) -> None:
    put(team, EDITED)
    save(team, "d")
    ran = team.check("--range", revisions)
    expected = [] if revisions == "a..d" else [("FC804", ACTIVE.path, None)]
    # From before the TASK was claimed, its text landed in the inbox and reads otherwise all the same.
    assert (said(ran), ran.code) == (expected or [("FC804", ACTIVE.path, None)], 1)


def test_what_was_put_right_within_a_range_is_nothing_to_it_as_one_change(team: Repo) -> None:
    put(team, EDITED)
    edited = save(team, "d")
    put(team, ACTIVE)
    save(team, "e")
    assert team.check("--range", "b..e").findings == []
    each = team.check("--range", "b..e", "--each-commit")
    assert said(each) == [("FC804", ACTIVE.path, edited)]
    assert [item["parameters"]["restores"] for item in each.findings if item["severity"] == "info"] == [team.git("rev-parse", "b").strip()]


def test_a_range_begins_where_the_two_parted(team: Repo) -> None:
    team.git("checkout", "-q", "-b", "side", "b")
    team.write("side.py", "1\n")
    save(team, "side-1")
    team.git("checkout", "-q", "main")
    put(team, EDITED)
    save(team, "d")
    assert team.check("--range", "main..side").findings == []
    assert said(team.check("--range", "side..main")) == [("FC804", ACTIVE.path, None)]


def test_the_configuration_before_the_range_judges_it(team: Repo) -> None:
    team.write(".fcoplint.toml", 'ignore = ["FC804"]\n')
    put(team, EDITED)
    save(team, "d")
    assert said(team.check("--range", "b..d")) == [("FC804", ACTIVE.path, None)]
    assert "FC817" in team.check("--range", "b..d").codes


# Commit by commit


def test_each_commit_answers_for_itself(team: Repo) -> None:
    put(team, EDITED)
    first = save(team, "d")
    team.write(T1.replace("001", "002"), task_text(sender="QA"))
    second = save(team, "e")
    ran = team.check("--range", "b..e", "--each-commit")
    assert ran.code == 1
    assert ("FC804", ACTIVE.path, first) in said(ran)
    assert ("FC120", T1.replace("001", "002"), second) in said(ran)
    assert [item["commit"]["author"] for item in ran.findings] == ["PM <pm@example.org>"] * len(ran.findings)


def test_two_commits_cannot_switch_off_what_forbids_them(team: Repo) -> None:
    team.write(".fcoplint.toml", 'ignore = ["FC8"]\n')
    save(team, "d")
    put(team, EDITED)
    guilty = save(team, "e")
    assert said(team.check("--range", "c..e", "--each-commit")) == [("FC804", ACTIVE.path, guilty)]
    assert said(team.check("--range", "d..e", "--each-commit")) == []


def usurp(repo: Repo) -> str:
    """DEV makes itself leader in one commit and archives what it was given in the next; the id of the second."""
    done = task("done")
    put(repo, done)
    repo.write("fcop/reports/REPORT-20261001-001-DEV-to-PM.md", report(references=[done.name]))
    save(repo, "done")
    repo.write("fcop/fcop.json", json.dumps(TEAM | {"leader": "DEV"}))
    save(repo, "usurp")
    events = [*life("done"), {**life("archive")[-1], "by": "DEV"}]
    put(repo, done.but(stage="archive", events=events))
    return save(repo, "archive")


def test_two_commits_cannot_make_a_leader_and_act_as_one(team: Repo) -> None:
    guilty = usurp(team)
    ran = team.check("--range", "done..archive", "--each-commit")
    assert ("FC401", guilty) in [(code, commit) for code, _, commit in said(ran)]
    assert "FC401" in team.check("--range", "done..archive").codes
    # What is settled before the range is not asked again.
    assert "FC401" not in team.check("--range", "usurp..archive", "--each-commit").codes


def test_a_workspace_that_is_new_in_the_range_is_bound_by_its_first_leader(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("app.py", "1\n")
    save(repo, "start")
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    save(repo, "found")
    guilty = usurp(repo)
    assert ("FC401", guilty) in [(code, commit) for code, _, commit in said(repo.check("--range", "start..archive", "--each-commit"))]


def merge(repo: Repo, name: str, resolve: Callable[[], object] = lambda: None) -> str:
    repo.try_git("merge", "--no-ff", "--no-commit", name)
    resolve()
    return save(repo, f"merge-{name}")


def branch(repo: Repo, name: str, start: str, act: Callable[[], object]) -> None:
    repo.git("checkout", "-q", "-b", name, start)
    act()
    save(repo, f"{name}-tip")
    repo.git("checkout", "-q", "main")


def test_an_ordinary_merge_is_silent_and_an_evil_one_is_not(team: Repo) -> None:
    branch(team, "side", "b", lambda: team.write(T1.replace("001", "002"), task_text()))
    merge(team, "side")
    assert team.check("--range", "b..HEAD", "--each-commit").findings == []
    branch(team, "other", "c", lambda: team.write("other.py", "1\n"))
    evil = merge(team, "other", lambda: put(team, EDITED))
    assert said(team.check("--range", "b..HEAD", "--each-commit")) == [("FC804", ACTIVE.path, evil)]
    assert said(team.check("--range", "c..HEAD")) == [("FC804", ACTIVE.path, None)]


def test_the_main_line_answers_for_what_it_merges(team: Repo) -> None:
    branch(team, "side", "b", lambda: put(team, EDITED))
    side = team.git("rev-parse", "side").strip()
    merged = merge(team, "side")
    assert said(team.check("--range", "c..HEAD", "--each-commit")) == [("FC804", ACTIVE.path, side)]
    assert said(team.check("--range", "c..HEAD", "--each-commit", "--first-parent")) == [("FC804", ACTIVE.path, merged)]


def test_options_that_need_a_range_say_so(team: Repo) -> None:
    for options in (["--each-commit"], ["--range", "a..b", "--first-parent"], ["--range", "a..b", "--pre-push"]):
        ran = team.check(*options)
        assert (ran.code, ran.out) == (2, ""), options
        assert ran.err.startswith("fcoplint: ")


# What was old stays old, exactly


def test_a_thousand_old_faults_leave_a_clean_commit_silent(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    for number in range(1000):
        name = f"TASK-202610{number // 50 + 1:02}-{number % 50 + 1:03}-PM-to-DEV"
        repo.write(f"fcop/_lifecycle/inbox/{name}.md", task_text(sender="OPS"))
    save(repo, "old")
    repo.write("app.py", "1\n")
    repo.git("add", "-A")
    hook = repo.check()
    assert (hook.code, hook.findings) == (0, [])
    # What the change cannot affect is not judged anew, and the report says so.
    older = hook.report["summary"]["older"]
    assert 0 < older < 10
    summary = repo.run("check").out
    assert f"{older} older finding" in summary
    assert "not judged anew: 99" in summary
    assert len(repo.check("--all").findings) >= 1000
    save(repo, "new")
    assert repo.check("--range", "old..new").report["summary"]["older"] == older
    assert repo.check("--range", "old..new", "--each-commit").findings == []
    # One more of the same kind, in a file that has it already, is one.
    path = "fcop/_lifecycle/inbox/TASK-20261001-001-PM-to-DEV.md"
    repo.write(path, task_text(sender="OPS").replace("recipient: DEV\n", "recipient: QA\n"))
    save(repo, "newer")
    assert [code for code, *_ in said(repo.check("--range", "new..newer"))] == ["FC804", "FC120"]


def test_old_faults_come_along_with_a_move_and_a_merge(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    old = task("inbox", fields={"recipient": "OPS"})
    put(repo, old)
    save(repo, "old")
    branch(repo, "side", "old", lambda: put(repo, task("active", fields={"recipient": "OPS"})))
    repo.write("app.py", "1\n")
    save(repo, "main-tip")
    merge(repo, "side")
    for revisions in ("old..HEAD", "main-tip..HEAD", "old..side"):
        assert "FC120" not in repo.check("--range", revisions).codes
        assert "FC120" not in repo.check("--range", revisions, "--each-commit").codes


# Who signs


def test_a_range_asks_of_each_commit_who_signs(team: Repo) -> None:
    team.write(".fcoplint.toml", '[actors]\nDEV = ["dev@*"]\n')
    save(team, "bound")
    put(team, task("review"))
    guilty = save(team, "d", **PM)
    put(team, task("done"))
    save(team, "e", **PM)
    for options in ([], ["--each-commit"], ["--each-commit", "--first-parent"]):
        assert [(code, commit) for code, _, commit in said(team.check("--range", "bound..e", *options))] == [("FC420", guilty)], options
    assert "FC420" not in team.check("--range", "bound..e", "--ignore", "FC420").codes


def test_a_range_is_not_blamed_on_who_merges_it(team: Repo) -> None:
    team.write(".fcoplint.toml", '[actors]\nDEV = ["dev@*"]\n')
    save(team, "bound")
    team.git("checkout", "-q", "-b", "side")
    put(team, task("review"))
    save(team, "side-tip", **DEV)
    team.git("checkout", "-q", "main")
    merge(team, "side")
    for options in ([], ["--each-commit"], ["--each-commit", "--first-parent"]):
        assert team.check("--range", "bound..HEAD", *options).findings == [], options


def test_a_signature_that_is_gone_again_is_not_asked_for(team: Repo) -> None:
    team.write(".fcoplint.toml", '[actors]\nDEV = ["dev@*"]\n')
    save(team, "bound")
    put(team, task("review"))
    save(team, "d", **PM)
    put(team, ACTIVE)
    save(team, "e", **PM)
    assert "FC420" not in team.check("--range", "bound..e").codes
    assert "FC420" in team.check("--range", "bound..e", "--each-commit").codes


# What cannot be told


@pytest.mark.parametrize("revisions", ["nowhere..HEAD", "a..nowhere", "a", "", "^a c", "a....c", "--all..HEAD", "a..c:fcop"])
def test_an_unknown_revision_is_wrong_usage(team: Repo, revisions: str) -> None:
    ran = team.check("--range", revisions)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1), ran


@pytest.mark.parametrize("revisions", ["c..c", "c..a", "c.."])
def test_a_range_without_commits_says_so(team: Repo, revisions: str) -> None:
    for options in ([], ["--each-commit"]):
        ran = team.check("--range", revisions, *options)
        assert (ran.code, ran.findings) == (0, [])
        assert "no commit" in ran.err


def check_unchecked(ran: Ran, *advice: str) -> None:
    assert (ran.code, ran.codes) == (3, ["FC003"]), ran
    for words in advice:
        assert words in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("options", [[], ["--each-commit"]])
def test_unrelated_histories_are_not_compared(team: Repo, options: list[str]) -> None:
    team.git("checkout", "-q", "--orphan", "other")
    save(team, "other-root")
    check_unchecked(team.check("--range", "main..other", *options), "common ancestor")
    assert team.run("check", "--range", "main..other", *options).code == 3


@pytest.mark.parametrize("options", [[], ["--each-commit"], ["--each-commit", "--first-parent"]])
def test_a_shallow_clone_is_told_to_fetch(team: Repo, tmp_path: Path, options: list[str]) -> None:
    team.git("clone", "-q", "--depth=1", f"file://{team.path}", str(tmp_path / "shallow"))
    start = team.git("rev-parse", "a").strip()
    ran = run_tool("check", "--format", "json", "--range", f"{start}..HEAD", *options, cwd=tmp_path / "shallow")
    check_unchecked(ran, "fetch-depth: 0", "git fetch --unshallow")
    text = run_tool("check", "--range", f"{start}..HEAD", cwd=tmp_path / "shallow")
    assert (text.code, "fetch-depth: 0" in text.err) == (3, True)


def test_a_clone_that_was_cut_in_the_middle_of_a_range_is_not_half_checked(team: Repo, tmp_path: Path) -> None:
    branch(team, "side", "a", lambda: team.write("one.py", "1\n"))
    team.git("checkout", "-q", "side")
    for number in range(4):
        team.write("one.py", f"{number}\n")
        save(team, f"s{number}")
    team.git("checkout", "-q", "main")
    merge(team, "side")
    shallow = tmp_path / "shallow"
    team.git("clone", "-q", "--depth=3", f"file://{team.path}", str(shallow))
    base = team.git("rev-parse", "b").strip()
    ran = run_tool("check", "--format", "json", "--range", f"{base}..HEAD", "--each-commit", cwd=shallow)
    check_unchecked(ran, "fetch-depth: 0")
    deep = run_tool("audit", "--history", "--format", "json", cwd=shallow)
    assert (deep.code, "FC003" in deep.codes) == (3, True)


def loose(repo: Repo, name: str) -> Path:
    oid = repo.git("rev-parse", name).strip()
    return repo.path / ".git/objects" / oid[:2] / oid[2:]


@pytest.mark.parametrize("options", [["check", "--range", "b..d"], ["check", "--range", "b..d", "--each-commit"], ["audit", "--history"]])
@pytest.mark.parametrize("missing", [f"d:{ACTIVE.path}", "c^{tree}", "c"])
def test_a_missing_object_is_never_passed_over(team: Repo, options: list[str], missing: str) -> None:
    team.write(ACTIVE.path, ACTIVE.text() + b"\n")
    save(team, "d")
    team.git("reset", "-q", "--hard")
    loose(team, missing).unlink()
    ran = team.run(*options, "--format", "json")
    if missing == "c^{tree}" and "--range" in options and "--each-commit" not in options:
        assert ran.code == 0, "the tree between the two ends is not asked for"
        return
    assert ran.code == 3, ran
    assert set(ran.codes) & {"FC001", "FC003"}


def test_an_unchanged_envelope_that_git_lost_is_told_in_every_way(team: Repo) -> None:
    loose(team, f"c:{ACTIVE.path}").unlink()
    team.write("app.py", "2\n")
    team.git("add", "app.py")
    assert (team.check().code, team.check().codes) == (3, ["FC001"])
    team.git("commit", "-q", "-m", "d")
    assert team.check("--range", "c..HEAD").code == 3


def test_a_corrupt_object_and_a_corrupt_pack_stop_the_run(team: Repo) -> None:
    path = loose(team, f"c:{ACTIVE.path}")
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 5\0wrong length"))
    for options in (["check", "--range", "a..c"], ["check", "--range", "a..c", "--each-commit"], ["audit", "--rev", "HEAD"]):
        ran = team.run(*options, "--format", "json")
        assert (ran.code, ran.codes) == (3, ["FC003"]), options
        assert len(ran.err.splitlines()) == 1


def test_a_corrupt_pack_stops_the_run(team: Repo) -> None:
    team.git("repack", "-q", "-a", "-d")
    pack = next((team.path / ".git/objects/pack").glob("*.pack"))
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    data[20:-20] = bytes(len(data) - 40)
    pack.write_bytes(data)
    for options in (["check", "--range", "a..c"], ["check"], ["audit", "--history"]):
        ran = team.run(*options, "--format", "json")
        assert ran.code == 3, ran
        assert (ran.codes, len(ran.err.splitlines())) == (["FC003"], 1)


def test_an_index_locked_by_another_git_is_read_all_the_same(team: Repo) -> None:
    put(team, EDITED)
    team.git("add", "-A")
    (team.path / ".git/index.lock").touch()
    assert team.check().codes == ["FC804"]
    assert (team.check("--range", "a..c").code, team.audit("--history").code) == (0, 0)
    assert (team.path / ".git/index.lock").exists()


def test_a_hook_outside_a_repository_says_so(tmp_path: Path) -> None:
    for options in ([], ["--range", "a..b"], ["--pre-push"], ["--pre-receive"], ["--commit-msg", "x"]):
        ran = run_tool("check", *options, cwd=tmp_path)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "fcoplint: this is not a git repository\n"


# The whole history


def test_history_tells_the_commit_its_author_and_its_date(team: Repo) -> None:
    put(team, EDITED)
    env = {"GIT_AUTHOR_NAME": "Dée", "GIT_AUTHOR_EMAIL": "dee@example.org", "GIT_AUTHOR_DATE": "2026-10-05T10:00:00+02:00"}
    guilty = save(team, "d", **env)
    ran = team.audit("--history")
    commit = {"id": guilty, "author": "Dée <dee@example.org>", "date": "2026-10-05T10:00:00+02:00"}
    assert [(item["code"], item["commit"]) for item in ran.findings if item["commit"]] == [("FC804", commit)]
    assert ran.code == 1
    text = team.run("audit", "--history").out
    assert f"commit: {guilty[:12]} 2026-10-05T10:00:00+02:00 Dée <dee@example.org>" in text


def test_history_may_begin_later(team: Repo) -> None:
    put(team, EDITED)
    guilty = save(team, "d", GIT_COMMITTER_DATE="2026-10-05T10:00:00Z")
    team.write("app.py", "3\n")
    save(team, "e", GIT_COMMITTER_DATE="2026-10-09T10:00:00Z")
    assert said(team.audit("--history", "--since", "2026-10-04")) == [("FC804", ACTIVE.path, guilty)]
    assert said(team.audit("--history", "--since", "2026-10-07")) == []
    team.write(".fcoplint.toml", f'history-from = "{guilty}"\n')
    assert said(team.audit("--history")) == []
    team.write(".fcoplint.toml", 'history-from = "c"\n')
    assert said(team.audit("--history")) == [("FC804", ACTIVE.path, guilty)]
    team.write(".fcoplint.toml", 'history-from = "nowhere"\n')
    assert team.audit("--history").code == 2


@pytest.mark.parametrize("options", [["--history", "--since", "the other day"], ["--since", "2026-10-01"], ["--history", "--since", "now"]])
def test_a_date_that_selects_nothing_is_wrong_usage(team: Repo, options: list[str]) -> None:
    ran = team.audit(*options)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_history_of_a_bare_repository(make_repo: Callable[..., Repo], tmp_path: Path, object_format: str) -> None:
    repo = make_repo(object_format=object_format)
    repo.write("fcop/fcop.json", json.dumps(TEAM))
    put(repo, ACTIVE)
    save(repo, "a")
    put(repo, EDITED)
    guilty = save(repo, "b")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    ran = run_tool("audit", "--history", "--rev", "main", "--format", "json", cwd=tmp_path / "bare.git")
    assert said(ran) == [("FC804", ACTIVE.path, guilty)]
    assert len(guilty) == (40 if object_format == "sha1" else 64)
    assert said(run_tool("check", "--range", "a..b", "--format", "json", cwd=tmp_path / "bare.git")) == [("FC804", ACTIVE.path, None)]
    assert run_tool("audit", "--history", cwd=tmp_path / "bare.git").code == 2


def test_a_first_commit_lacks_no_past(team: Repo) -> None:
    assert "FC003" not in team.audit("--history").codes


# Many commits


@pytest.fixture(scope="module")
def saga(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """400 commits of random lawful lives."""
    made = Repo.create(tmp_path_factory.mktemp("saga") / "repo")
    write(made, tell(400))
    return made


def test_lawful_lives_replay_in_silence(saga: Repo) -> None:
    assert saga.git("rev-list", "--merges", "--count", "main").strip() != "0"
    # A rejection without a note is lawful and information; nothing of an error or a warning may be said.
    ran = saga.audit("--history", "--rev", "main")
    assert (ran.code, said(ran, ("error", "warning"))) == (0, [])
    ran = saga.check("--range", "main~60..main", "--each-commit")
    assert (ran.code, said(ran, ("error", "warning"))) == (0, [])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_forged_event_among_many_commits_is_exactly_one_finding(make_repo: Callable[..., Repo], seed: int) -> None:
    repo = make_repo()
    steps, path = forge(tell(2000 if seed == 1 else 300, seed), 200)
    write(repo, steps)
    guilty = repo.git("log", "--format=%H", "--grep=^forge$", "main").strip()
    assert said(repo.audit("--history", "--rev", "main"), ("error", "warning")) == [("FC801", path, guilty)]
    assert said(repo.check("--range", f"{guilty}~3..{guilty}", "--each-commit"), ("error", "warning")) == [("FC801", path, guilty)]
