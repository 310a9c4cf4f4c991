"""`fcoplint roots --from A --to B`: every item proved, asked or not checkable, and one whole walk from A to B (roots.md 5c)."""

from __future__ import annotations

import datetime
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fcoplint.output.roots import Shown, switch_text
from fcoplint.output.text import Paint
from fcoplint.roots.gather import Asked
from fcoplint.roots.stamp import StampError, read_stamp, write_stamp
from tests.support.projects import (
    dead_pid,
    do_canary,
    evidence,
    item,
    make_project,
    move_first_task,
    run_json,
    running,
    say_yes,
    stamp_of,
    switch,
    tree_of,
)
from tests.support.repository import Repo, run_tool, task_text

ONE, TWO = (f"urn:uuid:00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))


@pytest.fixture
def old(tmp_path: Path) -> Repo:
    """The project that is left."""
    return make_project(tmp_path / "a")


@pytest.fixture
def new(tmp_path: Path) -> Repo:
    """The project that is entered."""
    return make_project(tmp_path / "b")


def write_json(repo: Repo, path: str, value: object) -> None:
    repo.write(path, json.dumps(value))


# Before


def test_a_clean_start_is_open_until_somebody_answers(old: Repo, new: Repo) -> None:
    result = switch(old, new)
    assert (result.verdict, result.exit_code) == ("OPEN", 0)
    assert switch(old, new, strict=True).exit_code == 3
    assert {entry.id: str(entry.result) for entry in result.items} == {
        "paths": "clean", "place": "clean", "initialised": "clean", "source": "clean", "holders": "clean", "work-in-hand": "clean",
        "unsaved": "clean", "leftovers": "clean", "twins": "clean", "workspace-id": "none", "sessions": "open", "intent": "open",
    }  # fmt: skip
    assert (say_yes(result).verdict, say_yes(switch(old, new, strict=True)).exit_code) == ("ACCEPTED", 0)
    assert result.answered(lambda asked: asked.id != "intent").verdict == "REFUSED"


def test_both_roots_are_recorded(old: Repo, new: Repo) -> None:
    said = evidence(switch(old, new), "paths")
    assert all(text in said for text in (str(old.path), str(new.path)))
    stamp = stamp_of(old, new)
    assert (stamp.source.real, stamp.target.real, stamp.source.head) == (str(old.path), str(new.path), old.git("rev-parse", "HEAD").strip())
    assert read_stamp(write_stamp(stamp)) == stamp


@pytest.mark.parametrize("make", ["none", "file", "loop", "long"])
def test_a_target_that_is_no_folder(old: Repo, tmp_path: Path, make: str) -> None:
    target = tmp_path / "target"
    if make == "file":
        target.write_text("x")
    elif make == "loop":
        target.symlink_to("target")
    elif make == "long":
        target = tmp_path / ("x" * 300)
    result = switch(old, target)
    assert (result.verdict, result.exit_code, item(result, "target"), result.stamp) == ("REFUSED", 1, ("proved", "refused"), None)


@pytest.mark.parametrize("name", ["D:\\work\\b", "\\\\server\\share\\b", "d:/work/b"])
def test_a_path_of_windows_is_one_here_too(old: Repo, tmp_path: Path, name: str) -> None:
    if os.name == "nt":
        pytest.skip("here it is a path like any other")
    # A tool of another system may have left a folder of that very name.
    (tmp_path / name).mkdir(parents=True)
    both = ("--from", str(old.path), "--to", name, "--no-input")
    ran, data = run_json(*both, cwd=tmp_path)
    assert (ran.code, data["verdict"], [entry["id"] for entry in data["proved"]]) == (1, "REFUSED", ["target"])
    assert "a path of Windows" in data["proved"][0]["text"]
    assert run_tool("roots", "--root", name, cwd=tmp_path).code == 2


@pytest.mark.parametrize("where", ["old", "beside"])
def test_a_workspace_that_is_a_link_out_of_the_target(old: Repo, tmp_path: Path, where: str) -> None:
    target = Repo.create(tmp_path / "linked")
    elsewhere = old.path / "fcop"
    if where == "beside":
        elsewhere = tmp_path / "shared"
        shutil.copytree(old.path / "fcop", elsewhere)
    (target.path / "fcop").symlink_to(elsewhere)
    result = switch(old, target)
    assert (item(result, "place"), result.verdict) == (("proved", "refused"), "REFUSED")
    assert str(elsewhere) in evidence(result, "place")


def test_a_source_that_is_gone(new: Repo, tmp_path: Path) -> None:
    assert item(switch(tmp_path / "gone", new), "source") == ("proved", "refused")


@pytest.mark.parametrize("name", ["self", "link", "workspace", "dots"])
def test_one_root_under_two_names_is_no_switch(old: Repo, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(old.path)
    paths = {"self": old.path, "link": tmp_path / "link", "workspace": old.path / "fcop", "dots": old.path / "src" / ".."}
    move_first_task(old, "active")
    before = tree_of(tmp_path)
    result = switch(old.path, paths[name])
    assert (result.verdict, result.exit_code, result.items, result.stamp, result.not_proved) == ("NO-OP", 0, (), None, ())
    ran, _ = run_json("--from", str(old.path), "--to", str(paths[name]), "--stamp", str(tmp_path / "stamp"), cwd=tmp_path)
    assert (ran.code, tree_of(tmp_path)) == (0, before)


def test_protected_targets(old: Repo, new: Repo, tmp_path: Path) -> None:
    assert item(switch(old, new, home=new.path), "place") == ("proved", "refused")
    assert item(switch(old, new, home=new.path / "ann"), "place") == ("proved", "refused")
    assert item(switch(old, Path("/usr")), "place") == ("proved", "refused")
    assert item(switch(old, tmp_path), "place") == ("proved", "refused")
    inner = make_project(new.path / "packages/x", remote=False)
    assert item(switch(new, inner), "place") == ("proved", "refused")


def test_install_roots_are_no_projects_but_what_they_hold_for_projects_is(old: Repo, tmp_path: Path) -> None:
    install = tmp_path / "tool"
    for name, expected in (("", "refused"), ("lib/x", "refused"), ("projects/x", "clean"), ("workspace/y", "clean")):
        target = make_project(install / name, remote=False)
        env = {"CODEFLOW_OPEN_HOST_ROOT": str(install)}
        assert item(switch(old, target, env=env), "place") == ("proved", expected), name
    write_json(old, ".codeflowmu/open-boundary.json", {"installRoot": str(install)})
    assert item(switch(old, install / "lib/x"), "place") == ("proved", "refused")


def test_switching_is_not_initialising(old: Repo, tmp_path: Path) -> None:
    empty = Repo.create(tmp_path / "empty")
    before = tree_of(empty.path)
    assert item(switch(old, empty), "initialised") == ("proved", "refused")
    assert item(switch(old, empty, allow_uninitialised=True), "initialised") == ("proved", "warning")
    assert switch(old, empty, allow_uninitialised=True).verdict == "OPEN"
    assert switch(old, empty, allow_uninitialised=True, strict=True).verdict == "REFUSED"
    assert tree_of(empty.path) == before


def test_a_target_without_a_manifest_or_with_two_layouts_or_none_that_can_be_read(old: Repo, new: Repo) -> None:
    (new.path / "fcop/fcop.json").rename(new.path / "kept")
    assert item(switch(old, new), "initialised") == ("proved", "refused")
    (new.path / "kept").rename(new.path / "fcop/fcop.json")
    new.write("fcop/tasks/TASK-20261001-007-PM-to-DEV.md", task_text())
    assert item(switch(old, new), "initialised") == ("proved", "refused")
    shutil.rmtree(new.path / "fcop/tasks")
    new.write("fcop/fcop.json", "{")
    result = switch(old, new)
    assert (item(result, "initialised"), result.verdict, result.exit_code) == (("proved", "unreadable"), "UNREADABLE", 3)


def test_holders_are_listed_and_a_dead_one_is_a_case_for_recovery(old: Repo, new: Repo) -> None:
    with running(old.path) as pid:
        write_json(
            old, ".codeflowmu/project-write-barrier/leases/dev.json", {"actor": "DEV", "pid": pid, "acquired_at": "2026-10-01T08:00:00Z"}
        )
        result = switch(old, new)
        said = evidence(result, "holders")
        assert item(result, "holders")[1] in ("warning", "refused")
        assert all(text in said for text in ("leases/dev.json", f"pid {pid}", "2026-10-01"))
        write_json(old, ".codeflowmu/project-write-barrier/leases/dev.json", {"actor": "DEV", "pid": pid})
        assert item(switch(old, new), "holders") == ("proved", "warning")
    result = switch(old, new)
    assert (item(result, "holders"), result.verdict, "recover" in evidence(result, "holders")) == (("proved", "refused"), "REFUSED", True)
    write_json(old, ".codeflowmu/project-write-barrier/leases/dev.json", {"pid": 7, "host": "elsewhere"})
    assert item(switch(old, new), "holders") == ("asked", "open")
    shutil.rmtree(old.path / ".codeflowmu")
    new.write(".codeflowmu/fcop-init.lock", str(dead_pid()))
    assert item(switch(old, new), "holders") == ("proved", "refused")


@pytest.mark.parametrize("stage", ["active", "review"])
def test_work_in_hand_holds_a_pointer(old: Repo, new: Repo, stage: str) -> None:
    move_first_task(old, stage)
    old.commit("work")
    result = switch(old, new)
    assert (item(result, "work-in-hand"), result.verdict) == (("proved", "refused"), "REFUSED")
    assert f"TASK-20261001-001-PM-to-DEV ({stage})" in evidence(result, "work-in-hand")
    assert "stale" in evidence(result, "work-in-hand")
    move_first_task(new, stage) if stage == "active" else None
    assert item(switch(new, old), "work-in-hand")[1] == ("refused" if stage == "active" else "clean")


def test_a_stage_behind_a_link_hides_who_works(old: Repo, new: Repo, tmp_path: Path) -> None:
    move_first_task(old, "active")
    (old.path / "fcop/_lifecycle/active").rename(tmp_path / "active")
    (old.path / "fcop/_lifecycle/active").symlink_to(tmp_path / "active")
    result = switch(old, new)
    assert (item(result, "source"), result.verdict, result.exit_code) == (("proved", "unreadable"), "UNREADABLE", 3)
    assert "fcop/_lifecycle/active: a link" in evidence(result, "source")
    assert item(switch(new, old), "initialised") == ("proved", "unreadable")


@pytest.mark.parametrize("more", ["docs/agents", "fcop/fcop"])
def test_a_project_with_two_workspaces_is_no_target_and_a_question_as_a_source(old: Repo, new: Repo, more: str) -> None:
    new.add_team(more)
    result = switch(old, new)
    assert (item(result, "initialised"), result.verdict) == (("proved", "refused"), "REFUSED")
    assert item(switch(new, old), "work-in-hand") == ("asked", "open")
    move_first_task(new, "active")
    assert item(switch(new, old), "work-in-hand") == ("proved", "refused")


@pytest.mark.parametrize("fault", ["broken", "folder", "none"])
def test_the_manifest_of_the_source(old: Repo, new: Repo, fault: str) -> None:
    manifest = old.path / "fcop/fcop.json"
    manifest.unlink()
    if fault == "broken":
        manifest.write_text("{")
    elif fault == "folder":
        manifest.mkdir()
    expected = "clean" if fault == "none" else "unreadable"
    assert item(switch(old, new), "source") == ("proved", expected)
    assert item(switch(new, old), "initialised") == ("proved", "refused" if fault == "none" else "unreadable")


def test_a_source_without_a_workspace(new: Repo, tmp_path: Path) -> None:
    empty = Repo.create(tmp_path / "empty")
    assert item(switch(empty, new), "source") == ("proved", "warning")


def test_a_source_into_which_nobody_may_look(old: Repo, new: Repo, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fcoplint", "roots", "--from", str(old.path), "--to", str(new.path), "--no-input", "--format", "json"]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is needed to give up root's right to enter everything")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    move_first_task(old, "active")
    for folder in ("fcop/_lifecycle/active", "fcop"):
        (old.path / folder).chmod(0)
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        (old.path / folder).chmod(0o755)
        data = json.loads(done.stdout)
        (source,) = (entry for entry in data["proved"] if entry["id"] == "source")
        assert (done.returncode, data["verdict"], source["result"]) == (3, "UNREADABLE", "unreadable"), folder


def test_a_source_too_large_to_look_at_all_of_it(old: Repo, new: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcoplint.roots.project.MOST_FILES", 3)
    stamp = stamp_of(old, new)
    assert item(switch(old, new, "after", stamp=stamp), "newer") == ("unchecked", "none")


def test_layouts_without_stages_are_asked_about(new: Repo, tmp_path: Path) -> None:
    legacy = Repo.create(tmp_path / "v2")
    legacy.write("fcop/fcop.json", json.dumps({"mode": "team", "roles": ["PM", "DEV"], "leader": "PM"}))
    legacy.write("fcop/tasks/TASK-20261001-001-PM-to-DEV.md", task_text())
    legacy.commit()
    assert item(switch(legacy, new), "work-in-hand") == ("asked", "open")


@pytest.mark.parametrize("what", ["untracked", "changed", "staged", "stashed", "on no remote", "working trees"])
def test_work_that_no_remote_has(old: Repo, new: Repo, tmp_path: Path, what: str) -> None:
    old.write("src/app.py" if what != "untracked" else "src/new.py", "print('more')\n")
    if what in ("staged", "on no remote"):
        old.git("add", "-A")
    if what == "on no remote":
        old.git("commit", "-q", "-m", "more")
    if what == "stashed":
        old.git("stash")
    if what == "working trees":
        old.git("checkout", "-q", "--", ".")
        old.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    result = switch(old, new)
    assert (item(result, "unsaved"), what in evidence(result, "unsaved"), result.verdict) == (("proved", "warning"), True, "OPEN")
    assert switch(old, new, strict=True).verdict == "REFUSED"


def test_ignored_files_are_no_work_and_no_filter_runs(old: Repo, new: Repo, tmp_path: Path) -> None:
    old.write(".gitignore", "*.log\n")
    old.write(".gitattributes", "*.py filter=spy\n")
    old.commit("ignore")
    old.git("push", "-q", "origin", "main")
    old.write("build.log", "x")
    old.git("config", "filter.spy.clean", f"touch {tmp_path}/ran; cat")
    old.git("config", "filter.spy.required", "true")
    os.utime(old.path / "src/app.py")
    assert item(switch(old, new), "unsaved") == ("proved", "clean")
    assert not (tmp_path / "ran").exists()


def test_without_git_nobody_can_tell_what_is_saved(old: Repo, new: Repo) -> None:
    shutil.rmtree(old.path / ".git")
    assert item(switch(old, new), "unsaved") == ("unchecked", "none")


@pytest.mark.parametrize("path", ["fcop/_lifecycle/active/.fcop-x-1.tmp", "fcop/fcop.json.tmp-123-abc", ".fcop-init-77/plan"])
def test_leftover_temporaries(old: Repo, new: Repo, path: str) -> None:
    (old.path / ".gitignore").write_text("*.tmp\n")
    for one, other in ((old, new), (new, old)):
        one.write(path, "x")
        assert item(switch(one, other), "leftovers") == ("proved", "refused")
        assert item(switch(other, one), "leftovers") == ("proved", "refused")
        shutil.rmtree(one.path / path.split("/")[0]) if path.startswith(".fcop-init") else (one.path / path).unlink()
    assert item(switch(old, new), "leftovers") == ("proved", "clean")


def test_a_task_in_two_stages(old: Repo, new: Repo) -> None:
    new.write("fcop/_lifecycle/done/TASK-20261001-001-PM-to-DEV.md", task_text())
    result = switch(old, new)
    assert item(result, "twins") == ("proved", "refused")
    assert "new project: TASK-20261001-001-PM-to-DEV (inbox, done)" in evidence(result, "twins")


def test_a_cloned_identity(tmp_path: Path) -> None:
    one, other, clone = (make_project(tmp_path / name, workspace_id=urn) for name, urn in (("x", ONE), ("y", TWO), ("z", ONE)))
    assert item(switch(one, other), "workspace-id") == ("proved", "clean")
    assert item(switch(one, clone), "workspace-id") == ("proved", "refused")


# During


def test_without_a_stamp_nothing_is_known_of_the_time_between(old: Repo, new: Repo) -> None:
    result = switch(old, new, "during")
    for name in ("stamp", "inbox", "bytes", "persisted"):
        assert item(result, name) == ("unchecked", "none")
    for name in ("entry-closed", "stopped", "handles"):
        assert item(result, name) == ("asked", "open")
    assert item(result, "locks") == ("proved", "clean")


def test_a_quiet_source_is_proved(old: Repo, new: Repo) -> None:
    result = switch(old, new, "during", stamp=stamp_of(old, new))
    assert {name: item(result, name) for name in ("stamp", "inbox", "bytes", "locks")} == dict.fromkeys(
        ("stamp", "inbox", "bytes", "locks"), ("proved", "clean")
    )
    assert say_yes(result).verdict == "ACCEPTED"


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("fcop/_lifecycle/inbox/TASK-20261003-001-PM-to-DEV.md", "inbox"),
        ("fcop/_lifecycle/done/TASK-20261003-001-PM-to-DEV.md", "bytes"),
        ("fcop/reports/REPORT-20261003-001-DEV-to-PM.md", "bytes"),
        ("fcop/logs/runtime/actions-20261003.jsonl", "bytes"),
        ("fcop_events.jsonl", "bytes"),
    ],
)
def test_new_bytes_in_the_source(old: Repo, new: Repo, path: str, changed: str) -> None:
    stamp = stamp_of(old, new)
    file = old.write(path, task_text())
    os.utime(file, ns=(stamp.at_ns + 10**9, stamp.at_ns + 10**9))
    result = switch(old, new, "during", stamp=stamp)
    assert {name: item(result, name)[1] for name in ("inbox", "bytes")} == {"inbox": "clean", "bytes": "clean"} | {changed: "refused"}
    assert path in evidence(result, changed)


def test_a_file_whose_time_was_set_back_is_noticed(old: Repo, new: Repo) -> None:
    old.write("fcop/reports/note.md", "one")
    stamp = stamp_of(old, new)
    file = old.write("fcop/reports/note.md", "more than one")
    os.utime(file, ns=(1, 1))
    assert item(switch(old, new, "during", stamp=stamp), "bytes") == ("proved", "refused")


def test_state_that_a_stopping_runtime_takes_away_is_no_new_work(old: Repo, new: Repo) -> None:
    write_json(old, ".codeflowmu/runtime.lock", {"pid": 7, "host": "elsewhere"})
    old.write("fcop/.runtime-writer.lock", "{}")
    stamp = stamp_of(old, new)
    (old.path / ".codeflowmu/runtime.lock").unlink()
    (old.path / "fcop/.runtime-writer.lock").unlink()
    result = switch(old, new, "after", stamp=stamp)
    assert item(result, "newer") == ("proved", "clean")


def test_locks_are_released_when_they_or_their_processes_are_gone(old: Repo, new: Repo) -> None:
    with running(old.path) as pid:
        write_json(old, ".codeflowmu/runtime.lock", {"project_root": str(old.path), "pid": pid})
        assert item(switch(old, new, "during"), "locks") == ("proved", "refused")
        assert item(switch(old, new, "after"), "locks") == ("proved", "refused")
    assert item(switch(old, new, "during"), "locks") == ("proved", "clean")
    write_json(old, ".codeflowmu/runtime.lock", {"pid": 7, "host": "elsewhere"})
    assert item(switch(old, new, "during"), "locks") == ("asked", "open")


def persist(old: Repo, new: Repo, tmp_path: Path, registry: str, instance: str) -> Asked:
    roots = {"old": str(old.path), "new": str(new.path)}
    path = tmp_path / "registry.json"
    projects = [{"id": name, "root": root} for name, root in roots.items()]
    path.write_text(json.dumps({"activeProjectId": registry, "projects": projects}))
    write_json(new, ".codeflowmu/instance.json", {"project_root": roots[instance]})
    return Asked(registry=str(path))


@pytest.mark.parametrize("sides", [("old", "old"), ("new", "new"), ("old", "new"), ("new", "old")])
def test_registry_and_instance_agree_or_the_switch_stopped_half_way(old: Repo, new: Repo, tmp_path: Path, sides: tuple[str, str]) -> None:
    asked = persist(old, new, tmp_path, *sides)
    expected = "clean" if sides[0] == sides[1] else "refused"
    assert item(switch(old, new, "during", asked=asked), "persisted") == ("proved", expected)


def test_the_new_root_is_written_only_after_everything_stopped(old: Repo, new: Repo, tmp_path: Path) -> None:
    asked = persist(old, new, tmp_path, "new", "new")
    with running(old.path) as pid:
        write_json(old, ".codeflowmu/runtime.lock", {"project_root": str(old.path), "pid": pid})
        result = switch(old, new, "during", asked=asked)
    assert item(result, "persisted") == ("proved", "refused")
    assert "still held" in evidence(result, "persisted")


# The stamp


def test_a_stamp_is_void_when_its_facts_change(old: Repo, new: Repo, tmp_path: Path) -> None:
    stamp = stamp_of(old, new)
    other = make_project(tmp_path / "c")
    assert item(switch(old, other, "after", stamp=stamp), "stamp") == ("proved", "refused")
    assert item(switch(new, old, "after", stamp=stamp), "stamp") == ("proved", "refused")
    new.git("commit", "-q", "--allow-empty", "-m", "next")
    assert item(switch(old, new, "during", stamp=stamp), "stamp") == ("proved", "refused")
    # The canary's own commits come after the switch.
    assert item(switch(old, new, "after", stamp=stamp), "stamp") == ("proved", "clean")
    new.git("commit", "-q", "--amend", "--allow-empty", "-m", "another root")
    new.git("checkout", "-q", "--orphan", "elsewhere")
    new.git("commit", "-q", "-m", "another history")
    assert item(switch(old, new, "after", stamp=stamp), "stamp") == ("proved", "refused")


@pytest.mark.parametrize("phase", ["during", "after"])
def test_a_commit_or_another_manifest_in_the_source_voids_it(old: Repo, new: Repo, phase: str) -> None:
    stamp = stamp_of(old, new)
    old.git("commit", "-q", "--allow-empty", "-m", "next")
    assert item(switch(old, new, phase, stamp=stamp), "stamp") == ("proved", "refused")
    stamp = stamp_of(old, new)
    write_json(new, "fcop/fcop.json", {"mode": "solo"})
    assert item(switch(old, new, phase, stamp=stamp), "stamp") == ("proved", "refused")


def test_a_target_that_was_made_anew_is_another_one(old: Repo, new: Repo, tmp_path: Path) -> None:
    stamp = stamp_of(old, new)
    shutil.copytree(new.path, tmp_path / "copy", symlinks=True)
    new.path.rename(tmp_path / "kept")
    (tmp_path / "copy").rename(new.path)
    assert item(switch(old, new, "after", stamp=stamp), "stamp") == ("proved", "refused")


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", "key", "at", "digest", "files"])
def test_what_is_no_stamp(old: Repo, new: Repo, tmp_path: Path, damage: str) -> None:
    data = json.loads(write_stamp(stamp_of(old, new)))
    if damage in ("key", "at"):
        data["key" if damage == "key" else "at_ns"] = "x" if damage == "key" else data["at_ns"] + 1
    elif damage == "digest":
        data["to"]["digest"] = "0" * 12
    elif damage == "files":
        data["from"]["files"] = 7
    text = damage if damage in ("", "{", "[]", "{}") else json.dumps(data)
    with pytest.raises(StampError):
        read_stamp(text.encode())
    (tmp_path / "stamp").write_text(text)
    ran = run_tool("roots", "--from", str(old.path), "--to", str(new.path), "--phase", "after", "--stamp", str(tmp_path / "stamp"), cwd="/")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)


def test_where_a_stamp_may_lie(old: Repo, new: Repo, tmp_path: Path) -> None:
    both = ("roots", "--from", str(old.path), "--to", str(new.path), "--no-input")
    (tmp_path / "link").symlink_to(new.path)
    for place in (old.path / "stamp", new.path / "src/stamp", tmp_path / "link/stamp"):
        ran = run_tool(*both, "--stamp", str(place), cwd=tmp_path)
        assert (ran.code, place.exists()) == (2, False)
    assert run_tool(*both, "--stamp", str(tmp_path / "gone/stamp"), cwd=tmp_path).code == 3
    assert run_tool(*both, "--stamp", "stamp", cwd=tmp_path).code == 0
    written = (tmp_path / "stamp").read_bytes()
    assert run_tool(*both, "--stamp", "stamp", cwd=tmp_path).code == 2
    assert (tmp_path / "stamp").read_bytes() == written
    assert not list(tmp_path.glob(".fcop-*"))
    assert run_tool(*both, "--phase", "during", "--stamp", "none", cwd=tmp_path).code == 2
    move_first_task(old, "active")
    assert run_tool(*both, "--stamp", "refused", cwd=tmp_path).code == 1
    assert not (tmp_path / "refused").exists()


# After


def test_what_is_asked_after(old: Repo, new: Repo) -> None:
    result = switch(old, new, "after", stamp=stamp_of(old, new))
    assert {name: item(result, name) for name in ("components", "newer", "stamp")} == dict.fromkeys(
        ("components", "newer", "stamp"), ("proved", "clean")
    )
    for name in ("processes", "health", "canary"):
        assert item(result, name) == ("asked", "open")
    assert (result.verdict, say_yes(result).verdict) == ("OPEN", "ACCEPTED")


def test_a_component_left_behind(old: Repo, new: Repo) -> None:
    write_json(new, ".mcp.json", {"mcpServers": {"fcop": {"command": "fcop-mcp", "env": {"FCOP_PROJECT_DIR": str(old.path)}}}})
    result = switch(old, new, "after")
    assert item(result, "components") == ("proved", "refused")
    assert ".mcp.json#fcop.env.FCOP_PROJECT_DIR" in evidence(result, "components")
    (new.path / ".mcp.json").unlink()
    assert item(switch(old, new, "after", env={"FCOP_PROJECT_DIR": str(old.path)}), "components") == ("proved", "refused")
    assert item(switch(old, new, "after", cwd=old.path), "components") == ("proved", "refused")
    assert item(switch(old, new, "after", env={"FCOP_PROJECT_DIR": "D:\\b"}), "components") == ("proved", "warning")
    new.write(".mcp.json", "{")
    assert (item(switch(old, new, "after"), "components"), switch(old, new, "after").exit_code) == (("proved", "unreadable"), 3)


def test_a_fault_that_no_component_alone_shows(old: Repo, new: Repo) -> None:
    new.write("fcop/logs/runtime/actions-20261001.jsonl", json.dumps({"path": "../a/app.py"}) + "\n")
    assert item(switch(old, new, "after"), "components") == ("proved", "refused")


@pytest.mark.parametrize("change", ["write", "remove", "code"])
def test_any_file_of_the_source_that_changed_after_the_stamp(old: Repo, new: Repo, change: str) -> None:
    stamp = stamp_of(old, new)
    if change == "remove":
        (old.path / "src/app.py").unlink()
    else:
        old.write("build/out.bin" if change == "code" else "src/app.py", "changed by somebody")
    assert item(switch(old, new, "after", stamp=stamp), "newer") == ("proved", "refused")


def health(new: Repo, stamp_at: datetime.datetime, **changes: object) -> dict[str, object]:
    started = stamp_at + datetime.timedelta(seconds=5)
    return {
        "status": "ok", "projectRoot": str(new.path), "project_root": str(new.path), "host_root": "/opt/tool", "mcp_cwd": str(new.path),
        "binding": {"runtime_root": str(new.path)},
        "project_binding_consistency": {"code": "ACTIVE_PROJECT_BINDING_OK", "consistent": True},
        "process_started_at": started.isoformat(), **changes,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "clean"),
        ({"process_started_at": 4_000_000_000_000}, "clean"),
        ({"process_started_at": 4_000_000_000}, "clean"),
        ({"project_binding_consistency": "ok"}, "clean"),
        ({"projectRoot": "{old}"}, "refused"),
        ({"binding": {"runtimeRoot": "{old}"}}, "refused"),
        ({"mcp_cwd": "{old}"}, "refused"),
        ({"mcp_cwd": None}, "refused"),
        ({"project_root": "D:\\work\\b"}, "refused"),
        ({"project_binding_consistency": "ACTIVE_PROJECT_BINDING_MISMATCH"}, "refused"),
        ({"project_binding_consistency": {"consistent": False}}, "refused"),
        ({"project_binding_consistency": {}}, "refused"),
        ({"process_started_at": "2001-01-01T00:00:00Z"}, "refused"),
        ({"process_started_at": "soon"}, "refused"),
        ({"process_started_at": 1e300}, "refused"),
        ({"process_started_at": None}, "refused"),
    ],
)
def test_what_the_health_answer_proves(old: Repo, new: Repo, tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    stamp = stamp_of(old, new)
    text = json.dumps(health(new, stamp.at, **changes)).replace("{old}", str(old.path))
    (tmp_path / "health.json").write_text(text)
    result = switch(old, new, "after", stamp=stamp, health=str(tmp_path / "health.json"))
    assert item(result, "health") == ("proved", expected)


def test_a_health_answer_without_a_stamp_or_without_sense(old: Repo, new: Repo, tmp_path: Path) -> None:
    path = tmp_path / "health.json"
    path.write_text(json.dumps(health(new, datetime.datetime.now(datetime.UTC))))
    assert item(switch(old, new, "after", health=str(path)), "health") == ("unchecked", "none")
    for text in ("{}", '{"projectRoot": 7}'):
        path.write_text(text)
        assert item(switch(old, new, "after", health=str(path)), "health") == ("proved", "refused")
    path.rename(tmp_path / "kept")
    path.mkdir()
    assert item(switch(old, new, "after", health=str(path)), "health") == ("proved", "unreadable")
    path.rmdir()
    for text in ("", "[]", "<html>"):
        path.write_text(text)
        assert (item(switch(old, new, "after", health=str(path)), "health")) == ("proved", "unreadable")
    ran = run_tool("roots", "--from", str(old.path), "--to", str(new.path), "--phase", "after", "--health", "gone", cwd=tmp_path)
    assert ran.code == 2


def test_what_a_health_answer_calls_its_keys_is_no_command(old: Repo, new: Repo, tmp_path: Path) -> None:
    (tmp_path / "health.json").write_text(json.dumps({"::error::x_root": "a", "\n::error::y_root": "b"}))
    text = switch_text(switch(old, new, "after", health=str(tmp_path / "health.json")), Shown(Paint(on=False), homes=False))
    assert "x_root" in text
    assert not re.search(r"^\s*::", text, re.MULTILINE)


def test_a_canary_that_went_all_the_way(old: Repo, new: Repo) -> None:
    stamp = stamp_of(old, new)
    task = do_canary(new)
    for name in (task, "TASK-20261002-009"):
        assert item(switch(old, new, "after", stamp=stamp, canary=name), "canary") == ("proved", "clean")
    assert item(switch(old, new, "after", canary=task), "canary") == ("unchecked", "none")


@pytest.mark.parametrize("fault", ["gone", "code", "report", "older", "in the source", "report in the source", "uncommitted"])
def test_a_canary_that_did_not(old: Repo, new: Repo, fault: str) -> None:
    if fault == "older":
        do_canary(new)
    if fault == "in the source":
        do_canary(old)
    if fault == "report in the source":
        old.write("fcop/reports/REPORT-20261002-009-DEV-to-PM.md", "---\nsender: DEV\n---\n")
        old.commit()
    stamp = stamp_of(old, new)
    task = "TASK-20261002-009-PM-to-DEV"
    if fault not in ("gone", "older"):
        do_canary(new, code=fault != "code", report=fault != "report")
    if fault == "uncommitted":
        new.git("reset", "-q", "--soft", "HEAD~1")
    result = switch(old, new, "after", stamp=stamp, canary=task)
    assert (item(result, "canary"), result.verdict) == (("proved", "refused"), "REFUSED")


def test_a_canary_in_one_repository_of_both_projects_touches_only_its_own(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "mono")
    for name in ("a", "b"):
        repo.add_team(f"packages/{name}/fcop")
        repo.write(f"packages/{name}/src/app.py", name)
    repo.commit("start")
    old, new = (Repo(repo._repo, repo.path / "packages" / name) for name in ("a", "b"))
    stamp = stamp_of(old, new)
    task = do_canary(new)
    result = switch(old, new, "after", stamp=stamp, canary=task)
    assert (item(result, "canary"), item(result, "stamp"), item(result, "newer")) == (("proved", "clean"),) * 3
    repo.write("packages/a/src/app.py", "by mistake")
    repo.commit("more")
    result = switch(old, new, "after", stamp=stamp, canary=task)
    assert (item(result, "canary")[1], item(result, "stamp")[1], item(result, "newer")[1]) == ("refused",) * 3


def test_a_v4_canary_carries_the_new_identity(tmp_path: Path) -> None:
    old, new = (make_project(tmp_path / name, workspace_id=urn) for name, urn in (("x", ONE), ("y", TWO)))
    stamp = stamp_of(old, new)
    for urn, expected in ((ONE, "refused"), (TWO, "clean")):
        new.write("fcop/_lifecycle/inbox/TASK-c.md", task_text(task_id="TASK-c", workspace_id=urn))
        new.write(
            "fcop/reports/REPORT-c.md",
            f"---\nsender: DEV\nrecipient: PM\nsubject_ref: TASK-c\nreferences: [TASK-c]\nworkspace_id: {urn}\n---\n",
        )
        new.write("src/app.py", urn)
        new.commit("canary")
        assert item(switch(old, new, "after", stamp=stamp, canary="TASK-c"), "canary") == ("proved", expected)


# As a person meets it


def test_text_is_three_lists(old: Repo, new: Repo) -> None:
    text = switch_text(switch(old, new), Shown(Paint(on=False), homes=False))
    titles = [line for line in text.splitlines() if line in ("proved from files:", "asked:", "not checkable:")]
    assert titles == ["proved from files:", "asked:", "not checkable:"]
    assert "watcher subscriptions" in text
    assert text.splitlines()[-1].startswith("OPEN: ")
    move_first_task(old, "active")
    refused = switch_text(switch(old, new), Shown(Paint(on=False), homes=False))
    assert re.search(r"refused +work-in-hand: .*stale\n +TASK-20261001-001-PM-to-DEV \(active\)\n +do: ", refused)
    assert refused.splitlines()[-1].startswith("REFUSED: ")


def test_names_from_files_are_harmless(old: Repo, new: Repo) -> None:
    old.write("fcop/_lifecycle/active/.fcop-\x1b[31m\u202ex.tmp", "x")
    text = switch_text(switch(old, new), Shown(Paint(on=False), homes=False))
    assert not set(text) & {"\x1b", "\u202e"}


def test_questions_are_put_in_a_terminal_and_nowhere_else(old: Repo, new: Repo, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fcoplint", "roots", "--from", str(old.path), "--to", str(new.path), "--stamp", "stamp"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    answers = {"": "OPEN", "--no-input": "OPEN", "yes yes": "ACCEPTED", "yes no": "REFUSED", "later yes": "OPEN"}
    for said, verdict in answers.items():
        control, terminal = pty.openpty()
        more = ["--no-input"] if said == "--no-input" else []
        stdin = terminal if " " in said else subprocess.DEVNULL
        process = subprocess.Popen([*command, *more], cwd=tmp_path, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=terminal)
        if " " in said:
            os.write(control, said.replace(" ", "\n").encode() + b"\n")
        reader = threading.Thread(target=_drain, args=(control,))
        os.close(terminal)
        reader.start()
        out = process.communicate()[0].decode()
        reader.join()
        assert out.splitlines()[-1].startswith(f"{verdict}: "), (said, out)
        assert (tmp_path / "stamp").exists() == (verdict != "REFUSED")
        (tmp_path / "stamp").unlink(missing_ok=True)


def _drain(control: int) -> None:
    try:
        while os.read(control, 4096):
            pass
    except OSError:
        pass
    os.close(control)


def test_the_whole_way_from_a_to_b(tmp_path: Path) -> None:
    """Every failure on the way is refused with its own item, each is put right, and the last look accepts."""
    old, new = make_project(tmp_path / "a", workspace_id=ONE), make_project(tmp_path / "b", workspace_id=ONE)
    both = ("--from", str(old.path), "--to", str(new.path), "--no-input")

    def go(*args: str, cwd: Path = tmp_path) -> tuple[int, str, list[str]]:
        ran, data = run_json(*both, *args, cwd=cwd)
        return ran.code, data["verdict"], [entry["id"] for entry in data["proved"] if entry["result"] in ("refused", "unreadable")]

    # The target is gone.
    new.path.rename(tmp_path / "away")
    assert go() == (1, "REFUSED", ["target"])
    (tmp_path / "away").rename(new.path)
    # It is a clone, a TASK is in hand, and a move did not finish.
    move_first_task(old, "active")
    leftover = old.write("fcop/_lifecycle/active/.fcop-move-1.tmp", "half")
    assert go("--stamp", "s1") == (1, "REFUSED", ["work-in-hand", "leftovers", "workspace-id"])
    assert not (tmp_path / "s1").exists()
    write_json(new, "fcop/fcop.json", {**json.loads((new.path / "fcop/fcop.json").read_text()), "workspace_id": TWO})
    leftover.unlink()
    (old.path / "fcop/_lifecycle/done").mkdir()
    (old.path / "fcop/_lifecycle/active/TASK-20261001-001-PM-to-DEV.md").rename(
        old.path / "fcop/_lifecycle/done/TASK-20261001-001-PM-to-DEV.md"
    )
    for repo in (old, new):
        repo.commit("ready")
        repo.git("push", "-q", "origin", "main")
    assert go("--strict") == (3, "OPEN", [])
    assert go("--stamp", "s1") == (0, "OPEN", [])
    # A runtime still holds the old project; then it writes one more row; then it has stopped.
    with running(old.path) as pid:
        write_json(old, ".codeflowmu/runtime.lock", {"project_root": str(old.path), "pid": pid})
        assert go("--phase", "during", "--stamp", "s1") == (1, "REFUSED", ["locks"])
        old.write("fcop/logs/runtime/actions-20261002.jsonl", "{}\n")
    assert go("--phase", "during", "--stamp", "s1") == (1, "REFUSED", ["bytes"])
    (old.path / ".codeflowmu/runtime.lock").unlink()
    assert go("--stamp", "s2") == (0, "OPEN", [])
    assert go("--phase", "during", "--stamp", "s2") == (0, "OPEN", [])
    # A server was left behind, and the new process was not started yet.
    write_json(new, ".mcp.json", {"mcpServers": {"fcop": {"command": "fcop-mcp", "env": {"FCOP_PROJECT_DIR": str(old.path)}}}})
    stamp = read_stamp((tmp_path / "s2").read_bytes())
    answer = health(new, stamp.at, process_started_at=(stamp.at - datetime.timedelta(hours=1)).isoformat())
    (tmp_path / "health.json").write_text(json.dumps(answer))
    after = ("--phase", "after", "--stamp", "s2", "--health", "health.json", "--canary", "TASK-c")
    assert go(*after) == (1, "REFUSED", ["components", "health", "canary"])
    write_json(new, ".mcp.json", {"mcpServers": {"fcop": {"command": "fcop-mcp", "env": {"FCOP_PROJECT_DIR": "${workspaceFolder}"}}}})
    (tmp_path / "health.json").write_text(json.dumps(health(new, stamp.at)))
    new.write("fcop/_lifecycle/inbox/TASK-c.md", task_text(task_id="TASK-c", workspace_id=TWO))
    new.write("fcop/reports/REPORT-c.md", f"---\nsender: DEV\nrecipient: PM\nsubject_ref: TASK-c\nworkspace_id: {TWO}\n---\n")
    new.write("src/app.py", "print('canary')\n")
    new.commit("canary")
    assert go(*after) == (0, "OPEN", [])
    # All that is left is what only a person knows.
    _, data = run_json(*both, *after, cwd=tmp_path)
    assert [entry["id"] for entry in data["asked"]] == ["processes"]
    # Somebody falls back into the old project.
    old.write("src/app.py", "print('old habits')\n")
    assert go(*after) == (1, "REFUSED", ["newer"])
