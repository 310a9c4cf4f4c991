"""History in real repositories: what git itself tells of the past, and how merges and restorations come out of the hook."""

import os
from collections.abc import Callable

import pytest

from fcoplint.source import git, tree
from tests.support.changes import REPORT, report, task
from tests.support.repository import INBOX, Repo, task_text

ACTIVE = task("active")
SOFT = ACTIVE.but(body="# Build the form\n\nAcceptance: it opens.\n")
QA_CLAIMS = ACTIVE.but(events=[*ACTIVE.events[:1], dict(ACTIVE.events[1]) | {"by": "QA"}])


@pytest.fixture
def team(make_repo: Callable[..., Repo]) -> Repo:
    """A repository in which a TASK was created and then claimed."""
    made = make_repo()
    made.add_team()
    put(made, task().path, task().text())
    made.commit("create")
    made.git("mv", task().path, put(made, ACTIVE.path, None))
    put(made, ACTIVE.path, ACTIVE.text())
    made.commit("claim")
    return made


def put(repo: Repo, path: str, content: bytes | None) -> str:
    (repo.path / path).parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        repo.write(path, content)
    return path


def found(repo: Repo) -> list[tuple[str, str, str]]:
    repo.git("add", "-A")
    return [(item["code"], item["severity"], item["path"]) for item in repo.check("--select", "FC8").findings]


def test_the_last_sound_version_may_come_back(team: Repo) -> None:
    sound = team.git("rev-parse", "HEAD").strip()
    team.write(ACTIVE.path, SOFT.text())
    assert found(team) == [("FC804", "error", ACTIVE.path)]
    team.commit("soften, past the hook")
    team.write(ACTIVE.path, ACTIVE.text())
    assert found(team) == [("FC801", "info", ACTIVE.path)]
    assert team.check("--select", "FC8").findings[0]["parameters"]["restores"] == sound


def test_a_revert_of_a_claim_is_no_restoration(team: Repo) -> None:
    team.git("revert", "--no-commit", "HEAD")
    assert found(team) == [("FC801", "error", task().path)]


def test_a_deleted_report_that_comes_back_is_nothing(team: Repo) -> None:
    team.write(REPORT, report())
    team.commit("report")
    (team.path / REPORT).unlink()
    assert found(team) == [("FC809", "error", REPORT)]
    team.commit("drop")
    team.write(REPORT, report())
    assert found(team) == []


def branches(repo: Repo, side: Callable[[], object], main: Callable[[], object]) -> None:
    """Two branches, each with its own commit, in the middle of their merge."""
    repo.git("checkout", "-q", "-b", "side")
    side()
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    main()
    repo.commit("main")
    repo.try_git("merge", "--no-commit", "--no-ff", "side")


def test_what_a_branch_was_blamed_for_is_not_blamed_on_its_merge(team: Repo) -> None:
    branches(team, lambda: team.write(ACTIVE.path, SOFT.text()), lambda: team.write("app.py", "1"))
    assert found(team) == []


def test_a_merge_that_edits_is_blamed(team: Repo) -> None:
    branches(team, lambda: team.write("a.py", "1"), lambda: team.write("b.py", "1"))
    team.write(ACTIVE.path, SOFT.text())
    assert found(team) == [("FC804", "error", ACTIVE.path)]


def test_a_merge_cannot_drop_what_one_side_landed(team: Repo) -> None:
    team.git("reset", "-q", "--hard", "HEAD~1")

    def claim(text: bytes) -> Callable[[], None]:
        def act() -> None:
            team.git("rm", "-q", task().path)
            put(team, ACTIVE.path, text)

        return act

    branches(team, claim(QA_CLAIMS.text()), claim(ACTIVE.text()))
    team.write(ACTIVE.path, ACTIVE.text())
    assert found(team) == [("FC801", "error", ACTIVE.path)]


@pytest.mark.parametrize("name", ["TASK-1.md", "TASK-[x]*?.md", 'TASK-a b\n\t"c".md', "TASK-é.md", "TASK-\udcff.md", "TASK-\\.md"])
def test_the_past_of_any_name_is_found_and_of_no_other(make_repo: Callable[..., Repo], name: str) -> None:
    repo = make_repo()
    for number, path in enumerate((f"fcop/a/{name}", f"fcop/b/deep/{name}", f"fcop/b/deep/{name}", "fcop/a/TASK-x.md", f"other/{name}")):
        target = os.path.join(os.fsencode(repo.path), os.fsencode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(b"%d" % number)
        repo.commit(str(number))
    opened = git.open_repository(str(repo.path), os.environ)
    past = list(tree.Versions(opened, "HEAD").of("fcop", name))
    assert [(path, data) for _, path, data in past] == [
        (f"fcop/b/deep/{name}", b"2"), (f"fcop/b/deep/{name}", b"1"), (f"fcop/a/{name}", b"0")
    ]  # fmt: skip
    assert past[-1][0] == repo.git("rev-parse", "HEAD~4").strip()
    assert [data for _, _, data in tree.Versions(opened, "HEAD").of("", name)] == [b"4", b"2", b"1", b"0"]
    opened.blobs.close()


def test_an_edit_made_in_a_merge_is_part_of_the_past(team: Repo) -> None:
    branches(team, lambda: team.write("a.py", "1"), lambda: team.write("b.py", "1"))
    team.write(ACTIVE.path, SOFT.text())
    team.commit("evil")
    opened = git.open_repository(str(team.path), os.environ)
    versions = [data for _, path, data in tree.Versions(opened, "HEAD").of("fcop", ACTIVE.path.rpartition("/")[2]) if path == ACTIVE.path]
    assert set(versions) == {SOFT.text(), ACTIVE.text()}
    assert versions[0] == SOFT.text()
    opened.blobs.close()


def test_the_author_is_the_one_the_commit_will_have(team: Repo) -> None:
    env = {**os.environ, "GIT_AUTHOR_NAME": "Dee <x> D", "GIT_AUTHOR_EMAIL": "dee@example.org"}
    opened = git.open_repository(str(team.path), env)
    assert git.author_of_next_commit(opened) == ("Dee x D", "dee@example.org")


def leave_and_return(repo: Repo, path: str, returned: dict[str, bytes]) -> list[tuple[str, str, str]]:
    """What the hook says of a commit that brings a name back which an earlier commit took away past it."""
    (repo.path / path).unlink()
    repo.commit("take it away, past the hook")
    for name, content in returned.items():
        put(repo, name, content)
    return found(repo)


def test_what_comes_back_is_judged_by_what_it_held_when_it_left(team: Repo) -> None:
    team.write(REPORT, report())
    team.commit("report")
    start = team.git("rev-parse", "HEAD").strip()
    assert leave_and_return(team, ACTIVE.path, {ACTIVE.path: SOFT.text()}) == [("FC804", "error", ACTIVE.path)]
    team.commit("softened")
    assert leave_and_return(team, REPORT, {REPORT: report(body="# Done\n\nOr not.\n")}) == [("FC805", "error", REPORT)]
    team.commit("rewritten")
    # And so says everybody who looks at these commits later, one by one or as one.
    for arguments in (("--range", f"{start}..HEAD", "--each-commit"), ("--range", f"{start}..HEAD")):
        assert {"FC804", "FC805"} <= set(team.check("--select", "FC8", *arguments).codes), arguments
    assert {"FC804", "FC805", "FC809"} <= set(team.audit("--history", "--select", "FC8").codes)


def test_an_event_that_left_does_not_come_back_as_another(team: Repo) -> None:
    assert [code for code, *_ in leave_and_return(team, ACTIVE.path, {ACTIVE.path: QA_CLAIMS.text()})] == ["FC801"]


@pytest.mark.parametrize("what", ["as it was", "gone on", "twice"])
def test_what_comes_back_whole_brings_in_nothing(team: Repo, what: str) -> None:
    later = task("review")
    content = {"as it was": (ACTIVE.path, ACTIVE.text()), "gone on": (later.path, later.text()), "twice": (ACTIVE.path, ACTIVE.text())}[
        what
    ]
    assert leave_and_return(team, ACTIVE.path, dict([content])) == []
    if what == "twice":
        team.commit("back")
        assert leave_and_return(team, ACTIVE.path, dict([content])) == []


def test_a_name_that_was_never_here_is_new(team: Repo) -> None:
    (team.path / ACTIVE.path).unlink()
    team.commit("take it away, past the hook")
    other = task_text("PM", "QA").replace("Build the form", "Another one")
    team.write(f"{INBOX}/TASK-20261001-077-PM-to-QA.md", other)
    assert found(team) == []


def test_a_branch_that_never_saw_it_leave_brings_nothing_back(team: Repo) -> None:
    team.git("checkout", "-q", "-b", "work")
    team.write(REPORT, report())
    team.commit("report")
    team.git("checkout", "-q", "main")
    team.write("app.py", "print()\n")
    team.commit("product work")
    team.git("merge", "-q", "--no-commit", "work")
    assert found(team) == []
