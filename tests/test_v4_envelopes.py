"""Envelopes of FCoP 4: names, fields, values and bytes, each wrong thing with its code and nothing beside (protocol.md C.1, C.3)."""

import pytest

from tests.support.edits4 import Edit, Files, move, path_of, report_on, said, small, stem_of, swap, swap_bytes
from tests.support.workspace4 import Workspace4

OTHER = "urn:uuid:00000000-0000-4000-8000-000000000000"


def test_a_lawful_workspace_is_silent() -> None:
    for stage in ("inbox", "active", "review", "done", "archive"):
        for facts in (False, True):
            assert said(small(to=stage, facts=facts)) == set(), stage


CASES: list[tuple[str, Edit, set[str]]] = [
    ("protocol alias", swap("ISSUE", "protocol: fcop", "protocol: agent_bridge"), {"FC115"}),
    ("protocol in capitals", swap("ISSUE", "protocol: fcop", "protocol: FCoP"), {"FC115"}),
    ("version of v3", swap("ISSUE", "version: 4", "version: 1"), {"FC117"}),
    ("version as text", swap("ISSUE", "version: 4", "version: '4'"), {"FC117"}),
    ("version as a fraction", swap("ISSUE", "version: 4", "version: 4.0"), {"FC117"}),
    ("type of another", swap("ISSUE", "type: ISSUE", "type: REPORT"), {"FC118"}),
    ("type in small letters", swap("ISSUE", "type: ISSUE", "type: issue"), {"FC118"}),
    ("another id", swap("ISSUE", "issue_id: ISSUE-", "issue_id: ISSUE-0"), {"FC119"}),
    ("no sender", swap("ISSUE", "sender: QA\n", ""), {"FC114"}),
    ("no workspace_id", swap("ISSUE", "workspace_id:", "other_id:"), {"FC114"}),
    ("empty recipient", swap("ISSUE", "recipient: PM", "recipient: ''"), {"FC114"}),
    ("no severity", swap("ISSUE", "severity: low\n", ""), {"FC114"}),
    ("no subject", swap("TASK", "subject: Build the form\n", ""), {"FC114"}),
    ("no events", swap("TASK", "transitions:", "moves:"), {"FC114"}),
    ("no report_kind", swap("REPORT", "report_kind: final\n", ""), {"FC114", "FC552"}),
    ("another workspace", swap("ISSUE", "workspace_id: urn:uuid:", "workspace_id: urn:uuid:0"), {"FC706"}),
    ("about another workspace", lambda files: swap("ISSUE", "subject_ref: ", f"subject_ref: workspace:{OTHER} #")(files), {"FC706"}),
    ("time without offset", swap("ISSUE", "+00:00'", "'"), {"FC126"}),
    ("time with a blank", swap("ISSUE", "T08", " 08"), {"FC126"}),
    ("time as a day", swap("ISSUE", "created_at: '2026-10-01T", "created_at: '2026-10-01' # "), {"FC126"}),
    ("time of no calendar", swap("ISSUE", "2026-10-01T", "2026-02-30T"), {"FC126"}),
    ("priority by an alias", swap("TASK", "priority: P2", "priority: high"), {"FC123"}),
    ("priority in small letters", swap("TASK", "priority: P2", "priority: p2"), {"FC123"}),
    ("references as text", swap("ISSUE", "references: []", "references: TASK-x"), {"FC127", "FC502"}),
    ("a key twice", swap("ISSUE", "severity: low", "severity: low\nseverity: high"), {"FC113"}),
    ("a look-alike key", swap("ISSUE", "severity: low", "severity: low\nsubjeсt_ref: x"), {"FC106"}),
    ("a fence that ends early", swap("ISSUE", "severity: low", "severity: low\nnote: see below ---"), {"FC112"}),
    ("no front matter", swap("ISSUE", "---\nprotocol", "protocol"), {"FC111"}),
    ("no end", swap("ISSUE", "references: []\n---", "references: []"), {"FC112"}),
    ("an anchor", swap("ISSUE", "severity: low", "severity: &a low"), {"FC906"}),
    ("a conflict", swap("ISSUE", "severity: low", "<<<<<<< ours\nseverity: low"), {"FC907"}),
    ("hidden characters", swap("ISSUE", "severity: low", "severity: lo\u200bw"), {"FC905"}),
    ("carriage returns", swap_bytes("ISSUE", lambda data: data.replace(b"\n", b"\r\n")), {"FC903"}),
    ("a byte order mark", swap_bytes("ISSUE", lambda data: b"\xef\xbb\xbf" + data), {"FC902"}),
    ("no UTF-8", swap_bytes("ISSUE", lambda data: data + b"\xff"), {"FC901"}),
    ("a name that is no id", move("ISSUE", lambda path: path.replace("ISSUE-", "ISSUE_")), {"FC119"}),
    ("a prefix in small letters", move("ISSUE", lambda path: path.replace("ISSUE-", "issue-1")), {"FC106", "FC119"}),
    ("an extension in capitals", move("ISSUE", lambda path: path.replace(".md", ".MD")), {"FC106", "FC119"}),
    ("an id of dots and dashes", move("ISSUE", lambda path: path.replace("ISSUE-", "ISSUE-a.b_c-")), {"FC119"}),
    ("a parent that is not here", swap("TASK", "parent: null", "parent: TASK-gone"), {"FC502"}),
    ("a Root that is not here", swap("TASK", "branch_of: null", "branch_of: TASK-gone"), {"FC502"}),
    ("a subject that is not here", swap("ISSUE", "subject_ref: TASK-", "subject_ref: TASK-0"), {"FC502"}),
    ("a subject in words", swap("ISSUE", "subject_ref: TASK-", "subject_ref: the form "), {"FC502"}),
    ("a parent that is a REPORT", lambda files: swap("TASK", "parent: null", f"parent: {stem_of(files, 'REPORT')}")(files), {"FC502"}),
    ("a sender that YAML takes for no", swap("ISSUE", "sender: QA", "sender: NO"), {"FC114"}),
    ("a severity that is a number", swap("ISSUE", "severity: low", "severity: 3"), {"FC114"}),
    ("a severity that is a list", swap("ISSUE", "severity: low", "severity: [low]"), {"FC114"}),
    ("a report_kind of nobody", swap("REPORT", "report_kind: final", "report_kind: draft"), {"FC551", "FC552"}),
    ("an attempt that never was", swap("REPORT", "attempt_id: urn:uuid:", "attempt_id: urn:uuid:0"), {"FC354", "FC552"}),
    ("a reference that is not here", swap("ISSUE", "references: []", "references: [TASK-gone]"), {"FC502"}),
    ("a reference by a path", swap("ISSUE", "references: []", "references: [fcop/fcop.json]"), {"FC502"}),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "codes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_wrong_thing_has_its_code_and_no_other(edit: Edit, codes: set[str]) -> None:
    assert {code for code, _ in said(edit(small()))} == codes


def test_a_parent_that_is_its_own_child() -> None:
    files = small(to="inbox")
    name = path_of(files, "TASK").rpartition("/")[2].removesuffix(".md")
    assert ("FC506", "error") in said(swap("TASK", "parent: null", f"parent: {name}")(files))
    assert ("FC506", "error") in said(swap("TASK", "branch_of: null", f"branch_of: {name}")(files))


WEIGHTS = [
    ("REPORT", "FC119", swap("REPORT", "report_id: REPORT-", "report_id: REPORT-0"), "error"),
    ("TASK", "FC119", swap("TASK", "task_id: TASK-", "task_id: TASK-0"), "error"),
    ("ISSUE", "FC126", swap("ISSUE", "T08", " 08"), "error"),
    ("ISSUE", "FC502", swap("ISSUE", "references: []", "references: [TASK-gone]"), "warning"),
    ("REPORT", "FC502", swap("REPORT", "references: []", "references: [TASK-gone]"), "error"),
    ("TASK", "FC502", swap("TASK", "parent: null", "parent: TASK-gone"), "error"),
    ("TASK", "FC502", swap("TASK", "references: []", "references: [TASK-gone]"), "warning"),
    ("ISSUE", "FC903", swap_bytes("ISSUE", lambda data: data + b"\r\n"), "error"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code", "edit", "severity"), WEIGHTS)
def test_v4_weighs_as_its_table_says(kind: str, code: str, edit: Edit, severity: str) -> None:
    files = edit(small())
    found = [
        item.severity for item in report_on(files).findings if item.rule.code == code and item.finding.location.path == path_of(files, kind)
    ]
    assert found == [severity]


def test_an_authorization_must_say_what_it_authorizes() -> None:
    for key in ("operation_kind", "transition", "authorization_scope", "issued_at", "profile_ref"):
        made = Workspace4(facts=False)
        task = made.task()
        attempt = made.to_done(task)
        grant = made.review(task, "authorization", "authorize", **made.authority("done", "archive", attempt_id=attempt))
        assert said(made.files) == set()
        made.rewrite(grant, **{key: None})
        assert said(made.files) == {("FC114", "error")}, key


def test_v3_names_are_only_ids_in_v4() -> None:
    files = move("TASK", lambda path: path.rpartition("/")[0] + "/TASK-20261001-001-PM-to-DEV.md")(small(to="inbox"))
    del files[path_of(files, "ISSUE")]
    assert said(files) == {("FC119", "error")}
    renamed: Files = {path: data for path, data in files.items() if path.endswith(".json")}
    text = files[path_of(files, "TASK")].decode()
    said_id = next(line for line in text.splitlines() if line.startswith("task_id: "))
    renamed[path_of(files, "TASK")] = (
        text.replace(said_id, "task_id: TASK-20261001-001-PM-to-DEV")
        .replace("sender: PM", "sender: OPS")
        .replace("by: PM", "by: OPS")
        .encode()
    )
    assert said(renamed) == set()
