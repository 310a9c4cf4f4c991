"""The baseline: an old repository begins on its first day, and no change excuses itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fcoplint.baseline import SCHEMA, merge, parse, render
from fcoplint.config import ConfigError
from fcoplint.output.formats import FORMATS
from fcoplint.settings import Accepted
from tests.support.parsers import PARSERS
from tests.support.repository import INBOX, T1, Repo, run_tool, task_text

FILE = ".fcoplint-baseline.json"
T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
T3 = f"{INBOX}/TASK-20261001-003-PM-to-QA.md"
BAD = task_text("OPS", "QA")


@pytest.fixture
def old(repo: Repo) -> Repo:
    """A repository with one old fault, accepted."""
    repo.write(T2, BAD)
    repo.commit()
    assert repo.run("baseline").code == 0
    repo.commit("baseline")
    return repo


@pytest.fixture
def first_day(shared: Path, make_repo: Callable[..., Repo]) -> Repo:
    """What agents left in a real repository, in git."""
    repo = make_repo()
    shutil.copytree(shared / "corpus/real-v1/codeflow-pwa-fcop/fcop", repo.path / "fcop")
    repo.commit("as it was found")
    return repo


def test_the_first_day_of_an_old_repository(first_day: Repo) -> None:
    assert first_day.audit().code == 1
    accepted = len(first_day.audit().findings)
    assert accepted > 100
    ran = first_day.run("baseline", "--reason", "from before fcoplint")
    assert (ran.code, ran.out.splitlines()) == (
        0, [f"{FILE} accepts {accepted} findings ({accepted} new, 0 gone)", f"next: git add -- {FILE}"]
    )  # fmt: skip
    first_day.commit("accept what is old")
    for name in FORMATS:
        ran = first_day.run("audit", "--format", name)
        assert (ran.code, PARSERS[name](ran.out)) == (0, []), name
    sound = "---\nprotocol: fcop\nversion: 1\nsender: PM\nrecipient: DEV\npriority: P2\n---\n\n# Build\n\nAcceptance: it works.\n"
    first_day.write("fcop/tasks/TASK-20261001-001-PM-to-DEV.md", sound)
    first_day.git("add", "-A")
    for name in FORMATS:
        ran = first_day.run("check", "--format", name)
        assert (ran.code, PARSERS[name](ran.out)) == (0, []), name
    first_day.git("commit", "-q", "-m", "a clean commit")
    first_day.write("fcop/tasks/TASK-20261001-002-PM-to-DEV.md", sound.replace("sender: PM", "sender: QA"))
    first_day.git("add", "-A")
    for command in ("check", "audit"):
        for name in FORMATS:
            ran = first_day.run(command, "--format", name)
            told = [(item.code, item.line or 4) for item in PARSERS[name](ran.out)]
            assert (ran.code, told) == (1, [("FC120", 4)]), name


def test_it_is_one_finding_a_line_sorted_and_the_same_each_time(first_day: Repo) -> None:
    first_day.run("baseline")
    written = (first_day.path / FILE).read_text("ascii")
    lines = written.splitlines()
    assert (lines[0], lines[-2:]) == ("{", [f'"schema": "{SCHEMA}"', "}"])
    marks = [line[1:25] for line in lines[1:-2]]
    assert marks == sorted(marks)
    assert all(line.endswith("},") for line in lines[1:-2])
    assert first_day.run("baseline").out.startswith(f"{FILE} accepts {len(marks)} findings (0 new, 0 gone)")
    assert (first_day.path / FILE).read_text("ascii") == written


def test_two_baselines_merge(old: Repo) -> None:
    old.git("checkout", "-q", "-b", "other")
    numbers = range(10, 30)
    for branch, kept in (("other", 0), ("main", 1)):
        old.git("checkout", "-q", branch)
        for number in numbers:
            if number % 2 == kept:
                old.write(T2.replace("002", f"0{number}"), BAD)
        old.run("baseline")
        old.commit(branch)
    merged = old.try_git("merge", "-q", "other", "-m", "merge")
    if merged.code == 0:
        assert old.audit().findings == []
        assert json.loads((old.path / FILE).read_text()).keys() >= {"schema"}
    else:
        # Neighbouring lines: whoever merges keeps both sides, and every line ends alike.
        text = (old.path / FILE).read_text()
        kept_both = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("<<<", "===", ">>>")))
        old.write(FILE, kept_both)
        assert old.audit().findings == []


def test_a_change_cannot_bring_its_own_baseline(repo: Repo) -> None:
    repo.write(T2, BAD)
    assert repo.run("baseline").code == 0
    repo.git("add", "-A")
    ran = repo.check()
    assert (ran.code, sorted(ran.codes)) == (1, ["FC120", "FC817"])


def test_nor_name_another_one(old: Repo) -> None:
    old.write(T3, BAD)
    old.run("baseline")
    (old.path / FILE).rename(old.path / "other.json")
    old.git("checkout", "-q", FILE)
    old.write(".fcoplint.toml", "baseline = 'other.json'\n")
    old.git("add", "-A")
    ran = old.check()
    assert (ran.code, ran.codes.count("FC120")) == (1, 1)


def test_nor_in_two_commits_of_one_push(repo: Repo) -> None:
    start = repo.git("rev-parse", "HEAD").strip()
    repo.write(FILE, render([]))
    repo.write(T2, BAD)
    repo.run("baseline")
    (repo.path / T2).unlink()
    repo.commit("accept what is to come")
    repo.write(T2, BAD)
    repo.commit("bring it")
    ran = repo.check("--range", f"{start}..HEAD", "--each-commit")
    assert (ran.code, "FC120" in ran.codes) == (1, True)


def test_a_second_equal_fault_is_new(old: Repo) -> None:
    old.write(T2.replace("inbox", "active"), BAD)
    assert old.audit("--select", "FC120").codes == ["FC120"]
    assert old.audit("--select", "FC120").report["summary"]["suppressed"]["baseline"] == 1
    old.git("add", "-A")
    assert old.check("--select", "FC120").codes == ["FC120"]


def test_what_comes_back_is_accepted_and_what_moves_stays_accepted(old: Repo) -> None:
    old.git("rm", "-q", T2)
    old.git("commit", "-q", "-m", "gone")
    old.write(T2, BAD)
    old.git("add", "-A")
    assert "FC120" not in old.check().codes
    (old.path / T2).rename(old.path / "fcop/_lifecycle/TASK-20261001-002-PM-to-QA.md")
    assert "FC120" not in old.audit().codes


def test_an_entry_that_accepts_nothing_is_told_by_an_audit(old: Repo) -> None:
    (old.path / T2).unlink()
    (finding,) = old.audit().findings
    assert (finding["code"], finding["path"], finding["line"], finding["severity"]) == ("FC002", FILE, 2, "warning")
    assert finding["parameters"]["excused"] == "FC120"
    assert old.audit("fcop").findings == []
    assert old.audit("--ignore", "FC120").findings == []
    assert old.audit("--no-baseline").findings == []
    assert old.run("baseline").out.startswith(f"{FILE} accepts 0 findings (0 new, 1 gone)")
    assert old.audit().findings == []


def test_an_entry_ends_with_its_day(repo: Repo) -> None:
    repo.write(T2, BAD)
    repo.commit()
    repo.run("baseline", "--until", "2030-06-30", "--reason", "until the move")
    assert repo.audit(env={"FCOPLINT_NOW": "2030-06-30T23:00:00Z"}).findings == []
    late = {"FCOPLINT_NOW": "2030-07-01T00:00:00Z"}
    ran = repo.audit(env=late)
    assert (ran.code, sorted(ran.codes)) == (1, ["FC002", "FC120"])
    assert "until 2030-06-30, and that day is over" in next(item["message"] for item in ran.findings if item["code"] == "FC002")
    # Written anew, what is over gets the new day; before, it keeps its own.
    repo.run("baseline", "--until", "2031-01-01")
    assert '"until": "2030-06-30", "reason": "until the move"' in (repo.path / FILE).read_text()
    repo.run("baseline", "--until", "2031-01-01", env=late)
    assert '"until": "2031-01-01"' in (repo.path / FILE).read_text()


def test_what_could_not_be_looked_at_is_never_accepted(repo: Repo) -> None:
    repo.write(T2, "version https://git-lfs.github.com/spec/v1\n")
    ran = repo.run("baseline")
    assert (ran.code, "cannot be accepted" in ran.err) == (3, True)
    assert repo.audit().code == 3


def test_history_can_be_accepted_too(repo: Repo) -> None:
    repo.write(T1, task_text(subject="edited"))
    repo.commit("an edit of what has landed")
    assert repo.audit("--history").code == 1
    repo.run("baseline")
    assert repo.audit("--history").code == 1
    repo.run("baseline", "--history")
    assert repo.audit("--history").code == 0
    # Not looked for, not unused, and not gone.
    assert repo.audit().findings == []
    assert "(0 new, 0 gone)" in repo.run("baseline").out
    assert repo.audit("--history").code == 0


def test_it_speaks_for_folders_below_and_from_other_folders(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo()
    repo.add_team("apps/shop/fcop")
    repo.write(f"apps/shop/{T2}", BAD)
    repo.commit()
    assert run_tool("baseline", cwd=repo.path / "apps").out.startswith(f"../{FILE} accepts 1 finding")
    for path in (".", "apps", "apps/shop", "apps/shop/fcop"):
        assert repo.audit(path).findings == [], path
        assert repo.audit(path, "--no-baseline").codes == ["FC120"], path


def test_a_plain_folder_has_one_too(tmp_path: Path) -> None:
    (tmp_path / INBOX).mkdir(parents=True)
    (tmp_path / T2).write_text(BAD)
    (tmp_path / "fcop/fcop.json").write_text('{"mode": "preset", "team": "t", "leader": "PM", "roles": ["PM", "QA", "OPS"]}')
    assert run_tool("audit", cwd=tmp_path).code == 1
    assert run_tool("baseline", cwd=tmp_path).code == 0
    assert run_tool("audit", cwd=tmp_path).code == 0


def test_nothing_to_accept_writes_nothing(repo: Repo) -> None:
    ran = repo.run("baseline")
    assert (ran.code, ran.out) == (0, "nothing to accept: there are no findings\n")
    assert not (repo.path / FILE).exists()


def test_only_some_rules(repo: Repo) -> None:
    repo.write(T2, task_text("OPS", "QA", priority="soon"))
    repo.run("baseline", "--select", "FC123")
    assert repo.audit().codes == ["FC120"]
    assert "accepts 2 findings (1 new, 0 gone)" in repo.run("baseline", "--select", "FC120").out
    assert repo.audit().findings == []
    # A rule that is no more accepts nothing.
    text = (repo.path / FILE).read_text()
    repo.write(FILE, text.replace("{\n", '{\n"' + "0" * 24 + '": {"code": "FC999", "path": "x", "subject": "x"},\n', 1))
    assert "(0 new, 1 gone)" in repo.run("baseline").out


def test_a_baseline_that_is_a_link_accepts_nothing(old: Repo, tmp_path: Path) -> None:
    (old.path / FILE).rename(tmp_path / "outside.json")
    (old.path / FILE).symlink_to(tmp_path / "outside.json")
    assert old.audit().codes == ["FC120"]
    (tmp_path / "outside.json").write_text("kept")
    ran = old.run("baseline")
    assert (ran.code, "through a link" in ran.err, (tmp_path / "outside.json").read_text()) == (2, True, "kept")


WRONG = [
    ("", ":1: ", "no JSON"),
    ("{\n<<<<<<< ours\n", ":2: ", "no JSON"),
    ("[]", ":1: ", "no baseline"),
    ('{"schema": "fcoplint.baseline/2"}', ":1: ", "no baseline"),
    ('{\n"x": {},\n"schema": "fcoplint.baseline/1"}', ":2: ", "no fingerprint"),
    ('{\n"%s": {"code": "FC120"},\n"schema": "fcoplint.baseline/1"}', ":2: ", "code, path and subject"),
    ('{\n"%s": {"code": "FC120", "path": "", "subject": "", "count": 0},\n"schema": "fcoplint.baseline/1"}', ":2: ", "`count`"),
    ('{\n"%s": {"code": "FC120", "path": "", "subject": "", "until": "soon"},\n"schema": "fcoplint.baseline/1"}', ":2: ", "`until`"),
    ('{\n"%s": {"code": "FC120", "path": "", "subject": 5},\n"schema": "fcoplint.baseline/1"}', ":2: ", "are text"),
]


@pytest.mark.parametrize(("text", "line", "said"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_said_with_file_and_line_and_accepts_nothing(repo: Repo, text: str, line: str, said: str) -> None:
    repo.write(FILE, text.replace("%s", "0" * 24))
    ran = repo.run("audit")
    assert (ran.code, ran.out) == (2, "")
    assert f"{FILE}{line}" in ran.err
    assert said in ran.err
    repo.write(T2, BAD)
    assert repo.run("baseline").code == 0
    assert repo.audit().findings == []


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "C:\\x", ""])
def test_the_file_lies_in_the_repository(repo: Repo, name: str) -> None:
    repo.write(".fcoplint.toml", f"baseline = '{name}'\n")
    assert repo.run("audit").code == 2


def test_a_day_that_is_none(repo: Repo) -> None:
    ran = repo.run("baseline", "--until", "soon")
    assert (ran.code, "no day" in ran.err) == (2, True)


def test_what_is_written_is_read_back() -> None:
    entries = [Accepted("0" * 24, "FC120", "a\u202eb\udc80", "x"), Accepted("1" * 24, "FC801", "", "y", 3, None, "ü")]
    read = parse("f", render(entries))
    assert read == (Accepted("0" * 24, "FC120", "a\u202eb\ufffd", "x"), entries[1])
    assert merge(read, [*read, read[0]], lambda code: True)[0].count == 2
    assert merge(read, [], lambda code: code != "FC801") == [read[1]]
    with pytest.raises(ConfigError):
        parse("f", b"\xff")
