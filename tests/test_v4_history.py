"""The git layer of FCoP 4: what has landed is frozen byte for byte, and git's bytes count, never the working tree's (protocol.md E)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.edits4 import Edit, Files, change, move, path_of, small, swap, swap_bytes
from tests.support.repository import Repo
from tests.support.workspace4 import Workspace4

MANIFEST = "fcop/fcop.json"
NOBODY = "urn:uuid:00000000-0000-4000-8000-000000000000"


def gone(kind: str) -> Edit:
    return lambda files: {path: data for path, data in files.items() if path != path_of(files, kind)}


def recorded(kind: str, edit: Callable[[dict[str, Any]], object]) -> Edit:
    def changed(files: Files) -> Files:
        path = MANIFEST if kind == "manifest" else path_of(files, kind)
        values = json.loads(files[path])
        edit(values)
        return {**files, path: json.dumps(values).encode()}

    return changed


def laid_out(files: Files) -> Files:
    path = path_of(files, "transition")
    return {**files, path: json.dumps(json.loads(files[path]), indent=4).encode()}


CHANGES: list[tuple[str, str, Edit, set[str]]] = [
    ("review", "a REPORT's body", swap("REPORT", "As said", "As asked"), {"FC552", "FC805"}),
    ("review", "a REPORT's spelling", swap("REPORT", "result: done", "result: 'done'"), {"FC552", "FC805"}),
    ("review", "a line at a REPORT's end", swap_bytes("REPORT", lambda data: data + b"\n"), {"FC552", "FC805"}),
    ("inbox", "an ISSUE's severity", swap("ISSUE", "severity: low", "severity: high"), {"FC807"}),
    ("inbox", "an ISSUE closed in v3's way", swap("ISSUE", "severity: low", "severity: low\nstatus: closed"), {"FC807"}),
    ("inbox", "a blank in an ISSUE", swap_bytes("ISSUE", lambda data: data + b"\n"), {"FC807"}),
    ("inbox", "an ISSUE deleted", gone("ISSUE"), {"FC809"}),
    ("review", "a REPORT deleted", gone("REPORT"), {"FC552", "FC809"}),
    ("active", "a TASK's subject", swap("TASK", "subject: Build", "subject: Burn"), {"FC804"}),
    ("active", "a landed event", swap("TASK", "by: PM", "by: QA"), {"FC308", "FC801"}),
    ("active", "moved by hand", move("TASK", lambda path: path.replace("/active/", "/done/")), {"FC802"}),
    ("active", "another id", recorded("manifest", lambda manifest: manifest.update(workspace_id=NOBODY)), {"FC706", "FC708"}),
    ("active", "another profile", recorded("manifest", lambda manifest: manifest.update(profiles=["all"])), {"FC813"}),
    ("active", "no manifest", lambda files: {path: data for path, data in files.items() if path != MANIFEST}, {"FC809"}),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "edit", "codes"), [(case[0], *case[2:]) for case in CHANGES], ids=[case[1] for case in CHANGES])
def test_what_has_landed_stays(stage: str, edit: Edit, codes: set[str]) -> None:
    before = small(to=stage)
    found = {code for code, _ in change(before, edit(before))}
    # A workspace of v4 without its manifest and without records is read as one of v3: the removal is what counts.
    assert found == codes or (codes == {"FC809"} and "FC809" in found and MANIFEST not in edit(before))


def test_the_archive_is_frozen_to_the_byte() -> None:
    before = {path: data for path, data in small(to="archive").items() if "/issues/" not in path}
    for edit in (swap("TASK", "priority: P2", "priority: 'P2'"), swap_bytes("TASK", lambda data: data + b"\n")):
        assert change(before, edit(before)) == {("FC810", "error")}
    back = move("TASK", lambda path: path.replace("/archive/", "/done/"))(before)
    assert ("FC810", "error") in change(before, back)


def test_a_review_has_no_human_approval_to_come() -> None:
    made = Workspace4(facts=False)
    review = made.review(made.task(), "comment", "needs_human")
    before = dict(made.files)
    made.rewrite(review, human_approval={"approver": "ADMIN", "decision": "approve", "approved_at": "2026-10-02", "channel": "cli"})
    assert change(before, made.files) == {("FC806", "error")}


RECORDS: list[tuple[str, Edit, Edit, set[str]]] = [
    ("further", recorded("transition", lambda values: values.update(stage="PREPARED")), lambda files: files, set()),
    ("back", lambda files: files, recorded("transition", lambda values: values.update(stage="TARGET_DURABLE")), {"FC815", "FC952"}),
    ("another layout", lambda files: files, laid_out, set()),
    ("another actor", lambda files: files, recorded("transition", lambda values: values.update(actor="QA")), {"FC815", "FC951"}),
    ("another key", lambda files: files, recorded("create", lambda values: values.update(content_digest="0" * 64)), {"FC815", "FC953"}),
    ("a receipt deleted", lambda files: files, gone("transition"), {"FC815", "FC953"}),
    ("a creation deleted", lambda files: files, gone("create"), {"FC555", "FC815"}),
    ("a receipt emptied", lambda files: files, swap_bytes("transition", lambda data: b"{}"), {"FC815", "FC951", "FC952", "FC953"}),
    ("a receipt broken", lambda files: files, swap_bytes("transition", lambda data: b"{"), {"FC815", "FC951"}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "codes"), [case[1:] for case in RECORDS], ids=[case[0] for case in RECORDS])
def test_records_only_get_further(before: Edit, after: Edit, codes: set[str]) -> None:
    landed = small(facts=True, to="active")
    assert {code for code, _ in change(before(landed), after(landed))} == codes


def test_a_merge_may_gain_operations() -> None:
    landed = small(facts=True, to="active")
    values = {"contract": "fcop-convergence-append-v1", "operations": ["op-1"], "stage": "COMMITTED"}
    path = "fcop/operations/merge-" + "0" * 64 + ".json"
    more = {**values, "operations": ["op-1", "op-2"]}
    other = {**values, "operations": ["op-2"]}
    before = {**landed, path: json.dumps(values).encode()}
    assert change(before, {**landed, path: json.dumps(more).encode()}) == set()
    assert ("FC815", "error") in change(before, {**landed, path: json.dumps(other).encode()})


def test_every_step_of_a_life_is_a_lawful_change() -> None:
    for facts in (False, True):
        made = Workspace4(facts=facts)
        states = [dict(made.files)]
        task = made.task()
        states.append(dict(made.files))
        attempt = made.claim(task)
        states.append(dict(made.files))
        report = made.report(task, attempt)
        made.submit(task, report)
        states.append(dict(made.files))
        attempt = made.reject(task, attempt, report)
        states.append(dict(made.files))
        made.to_done(task, attempt)
        states.append(dict(made.files))
        attempt = made.reopen(task, attempt)
        states.append(dict(made.files))
        made.to_done(task, attempt)
        made.archive(task, attempt)
        states.append(dict(made.files))
        for number, (before, after) in enumerate(itertools.pairwise(states)):
            assert change(before, after) == set(), number
        assert change(states[0], states[-1]) == set()


def put(repo: Repo, files: Files) -> None:
    for path, data in files.items():
        (repo.path / path).parent.mkdir(parents=True, exist_ok=True)
        (repo.path / path).write_bytes(data)


def bare(repo: Repo) -> None:
    """Take away the v3 workspace that the fixture made."""
    repo.git("rm", "-rqf", "fcop")


def test_the_index_is_judged_and_not_the_working_tree(repo: Repo) -> None:
    bare(repo)
    files = small(facts=True)
    put(repo, files)
    repo.commit()
    report = path_of(files, "REPORT")
    (repo.path / report).write_bytes(files[report] + b"More.\n")
    assert repo.check().codes == []
    repo.git("add", "-A")
    (repo.path / report).write_bytes(files[report])
    assert set(repo.check().codes) == {"FC552", "FC805"}


def test_line_ends_that_git_itself_writes_break_no_digest(repo: Repo) -> None:
    bare(repo)
    files = small(facts=True)
    put(repo, files)
    repo.commit()
    repo.git("config", "core.autocrlf", "true")
    repo.git("rm", "-rq", "--cached", ".")
    repo.git("reset", "-q", "--hard")
    assert b"\r\n" in (repo.path / path_of(files, "TASK")).read_bytes()
    for ran in (repo.check("--all"), repo.audit()):
        assert [item["code"] for item in ran.findings if item["severity"] != "info"] == []


def test_a_carriage_return_in_git_is_an_error(repo: Repo) -> None:
    bare(repo)
    repo.commit("begin anew")
    files = small()
    put(repo, {**files, path_of(files, "ISSUE"): files[path_of(files, "ISSUE")].replace(b"\n", b"\r\n")})
    repo.git("-c", "core.autocrlf=false", "add", "-A")
    (found,) = [item for item in repo.check().findings if item["severity"] != "info"]
    assert (found["code"], found["severity"], found["protocol_error"]) == ("FC903", "error", "INVALID_ENVELOPE")
    assert "`fcop/** -text` in `.gitattributes`" in found["help"]


def test_a_workspace_of_v3_and_one_of_v4_live_in_one_repository(repo: Repo) -> None:
    files = small(facts=True)
    put(repo, {path.replace("fcop/", "api/fcop/", 1): data for path, data in files.items()})
    repo.commit()
    assert sorted(item["version"] for item in repo.audit().report["workspaces"]) == [3, 4]
    assert [item for item in repo.audit().findings if item["severity"] != "info"] == []
    spoiled = swap("ISSUE", "version: 4", "version: 1")(files)
    put(repo, {path.replace("fcop/", "api/fcop/", 1): data for path, data in spoiled.items()})
    found = [
        (item["code"], item["path"].partition("/")[0], item["protocol_error"])
        for item in repo.audit().findings
        if item["severity"] == "error"
    ]
    assert found == [("FC117", "api", "INVALID_ENVELOPE")]
