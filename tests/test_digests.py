"""Every digest of FCoP 4, recomputed: of all that the corpus holds, and of what the reference writes for hostile texts (C.5)."""

from __future__ import annotations

import hashlib
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fcoplint.protocol import digests
from fcoplint.protocol.digests import BranchEvidence
from fcoplint.protocol.facts import is_digest
from tests.support.reference import Reference

GENERATED = ("full-lifecycle", "branches", "open-family", "interrupted", "no-profile")
STAGES = ("inbox", "active", "review", "done", "archive")


class Tree:
    """A v4 workspace read with other means than the tool's own: PyYAML and json."""

    def __init__(self, fcop: Path) -> None:
        self.fcop = fcop
        self.bytes = {path.stem: path.read_bytes() for path in sorted(fcop.glob("**/*.md"))}
        self.tasks = {path: self.parse(path) for stage in STAGES for path in sorted(fcop.glob(f"_lifecycle/{stage}/*.md"))}
        self.creates, self.receipts, self.merges = (self.facts(kind) for kind in ("create", "transition", "merge"))

    def facts(self, kind: str) -> dict[str, dict[str, Any]]:
        return {path.stem.partition("-")[2]: json.loads(path.read_bytes()) for path in sorted(self.fcop.glob(f"operations/{kind}-*.json"))}

    @staticmethod
    def parse(path: Path) -> tuple[dict[str, Any], str]:
        _, head, body = path.read_text("utf-8").split("---\n", 2)
        return yaml.safe_load(head), body

    def branches(self, root: str) -> Iterator[BranchEvidence]:
        for fields, _ in self.tasks.values():
            if fields["branch_of"] == root:
                event = [event for event in fields["transitions"] if event["to"] == "review"][-1]
                attempt = [event for event in fields["transitions"] if event["to"] == "active"][-1]["attempt_id"]
                yield BranchEvidence(fields["task_id"], attempt, event["evidence_ref"][0], event["evidence_digest"][0])


def compare(tree: Tree) -> Iterator[tuple[str, str, str]]:
    """(kind, the digest on disk, the digest recomputed) of every digest in a workspace."""
    for path, (fields, body) in tree.tasks.items():
        yield "request", fields["normalized_request_digest"], digests.request_digest(fields, body)
        for event in fields["transitions"]:
            for reference, written in zip(event.get("evidence_ref", []), event.get("evidence_digest", []), strict=True):
                yield "evidence", written, digests.digest_of(tree.bytes[reference])
            if "authorization_ref" in event:
                yield "authorization", event["authorization_digest"], digests.digest_of(tree.bytes[event["authorization_ref"]])
            if "family_digest" in event:
                yield "family", event["family_digest"], digests.family_digest(fields["task_id"], tree.branches(fields["task_id"]))
        yield from chain(tree, path, fields)
    for key, fact in tree.creates.items():
        yield "create key", key, digests.create_key(fact["workspace_id"], fact["operation_id"])
        yield (
            "create request",
            fact["digest"],
            next(f for f, _ in tree.tasks.values() if f["task_id"] == fact["task_id"])["normalized_request_digest"],
        )
    for receipt in tree.receipts.values():
        yield "transition", receipt["normalized_transition_digest"], digests.transition_digest(receipt)
    for key, merge in tree.merges.items():
        yield "merge key", key, digests.merge_key(merge["payload"])
        yield "merge request", merge["request_digest"], digests.merge_request_digest(merge["payload"])
        yield "merge content", merge["content_digest"], digests.digest_of(bytes.fromhex(merge["data"]))
        branches = [BranchEvidence(**branch) for branch in merge["branches"]]
        yield "merge family", merge["payload"]["family_digest"], digests.family_digest(merge["payload"]["subject_ref"], branches)


def chain(tree: Tree, path: Path, fields: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The chain of a TASK: from what was created, through each committed receipt, to the bytes on disk."""
    created = next(fact for fact in tree.creates.values() if fact["task_id"] == fields["task_id"])
    now = created["content_digest"]
    for event in fields["transitions"][1:]:
        receipt = next(receipt for receipt in tree.receipts.values() if receipt["transition"] == event)
        yield "chain", receipt["source_digest"], now
        now = receipt["target_digest"]
    yield "chain end", now, digests.digest_of(path.read_bytes())


@pytest.mark.parametrize("name", GENERATED)
def test_every_digest_of_the_corpus_is_recomputed(shared: Path, name: str) -> None:
    compared = list(compare(Tree(shared / "corpus/generated-v4" / name / "fcop")))
    assert [item for item in compared if item[1] != item[2]] == []
    assert len(compared) > 3


def test_the_corpus_shows_every_kind_of_digest(shared: Path) -> None:
    kinds = Counter(kind for name in GENERATED for kind, _, _ in compare(Tree(shared / "corpus/generated-v4" / name / "fcop")))
    assert set(kinds) == {
        "request", "evidence", "authorization", "family", "chain", "chain end", "create key", "create request", "transition",
        "merge key", "merge request", "merge content", "merge family",
    }  # fmt: skip


WRITER = """
import json, sys
from fcop import Project
project = Project(sys.argv[1])
project.create_workspace(profiles=[])
workspace = json.load(open(sys.argv[1] + "/fcop/fcop.json"))["workspace_id"]
for number, request in enumerate(json.load(sys.stdin)):
    project.create_task(workspace_id=workspace, operation_id=f"op:{number}._-Z", **request)
"""
# What YAML, Unicode and JSON each treat in a way of their own.
ODD = (
    "e\u0301", "\u00e9", "\ufb01", "\u212b", "\U0001f600", "\u00a0", "\u202e", "\t", "\\", '"', "'", "#", ": ",
    "- ", "---", "0", "null", " ",
)  # fmt: skip
LINE_ENDS = ("\r\n", "\r", "\n", "\u2028", "\u0085")


def odd_text(chance: random.Random, *more: str) -> str:
    return "x" + "".join(chance.choice(ODD + more) for _ in range(chance.randrange(8))) + "y"


def write_tasks(reference: Reference, folder: Path, requests: list[dict[str, object]]) -> Tree:
    folder.mkdir()
    reference.run(WRITER, folder, text=json.dumps(requests))
    return Tree(folder / "fcop")


def test_the_reference_digests_hostile_requests_alike(reference: Reference, tmp_path: Path) -> None:
    chance = random.Random(4)
    requests: list[dict[str, object]] = [
        {
            **{key: odd_text(chance) for key in ("sender", "recipient", "subject")},
            "body": "\n" * chance.randrange(3) + odd_text(chance, *LINE_ENDS) + "\n" * chance.randrange(4),
            "references": [f"TASK-{chance.randrange(9)}" for _ in range(chance.randrange(4))],
            **({"priority": f"P{chance.randrange(4)}"} if number % 2 else {}),
        }
        for number in range(60)
    ]
    compared = list(compare(write_tasks(reference, tmp_path / "project", requests)))
    assert [item for item in compared if item[1] != item[2]] == []
    assert Counter(kind for kind, _, _ in compared)["request"] == len(requests)


def test_the_reference_loses_a_request_with_a_line_end_of_unicode(reference: Reference, tmp_path: Path) -> None:
    """Its YAML writer puts U+0085 out as it is, and every reader folds that: the TASK no longer says what was asked for."""
    request: dict[str, object] = {"sender": "PM", "recipient": "DEV", "subject": "x\u0085\u0085\u00e9y", "body": "Body"}
    tree = write_tasks(reference, tmp_path / "project", [request])
    ((fields, body),) = tree.tasks.values()
    assert fields["subject"] != request["subject"]
    asked = {**fields, "subject": request["subject"]}
    assert digests.request_digest(asked, body) == fields["normalized_request_digest"] != digests.request_digest(fields, body)


CANONICAL = """
import json, sys
from fcop.v4.encoding import canonical, digest
print(json.dumps([digest(canonical(value)) for value in json.load(sys.stdin)]))
"""
VALUES = [
    {"b": 1, "a": None, "\U0001f600": "z", "\uffee": "y", "\ufb01": [True, False, {"n": {"m": []}}]},
    {"text": "e\u0301 \u00e9 \u2028 \u0000 \u007f \\ / \" ' \u202e"},
    {"numbers": [0, -1, 10**30]},
]


def test_canonical_json_is_the_reference_s(reference: Reference) -> None:
    theirs = json.loads(reference.run(CANONICAL, text=json.dumps(VALUES)))
    assert [digests.digest_of(digests.canonical_json(value) or b"") for value in VALUES] == theirs


# Written out by hand from the text of the clauses, so that neither the corpus nor the reference stands between us and them.
BY_HAND = [
    (
        digests.family_digest(
            "TASK-r", [BranchEvidence("TASK-b", "urn:b", "REPORT-b", "1"), BranchEvidence("TASK-B", "urn:a", "REPORT-a", "0")]
        ),
        '{"branches":[{"attempt_id":"urn:a","branch_task_id":"TASK-B","report_digest":"0","report_id":"REPORT-a"},'
        '{"attempt_id":"urn:b","branch_task_id":"TASK-b","report_digest":"1","report_id":"REPORT-b"}],'
        '"contract":"fcop-family-v1","root_task_id":"TASK-r"}',
    ),
    (
        digests.create_key("urn:w", "op"),
        '{"operation_id":"op","operation_kind":"create_task","workspace_id":"urn:w"}',
    ),
    (
        digests.request_digest(
            {
                "workspace_id": "urn:w", "operation_id": "op", "sender": "e\u0301", "recipient": "R", "subject": "S",
                "references": ["b", "a", "b"],
            },
            "\n\r\nBody\r\n\n",
        ),
        '{"body":"\\nBody\\n","branch_of":null,"contract":"fcop-create-task-v1","operation_id":"op","operation_kind":"create_task",'
        '"parent":null,"priority":"P2","recipient":"R","references":["a","b"],"sender":"\u00e9","subject":"S","workspace_id":"urn:w"}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("found", "text"), BY_HAND)
def test_a_digest_is_that_of_the_clause_s_own_json(found: str, text: str) -> None:
    assert found == hashlib.sha256(text.encode("utf-8")).hexdigest()


FIELDS = st.fixed_dictionaries({key: st.text() for key in ("sender", "recipient", "subject")})


@given(fields=FIELDS, body=st.text())
def test_a_request_s_digest_does_not_see_unicode_form_or_line_ends(fields: dict[str, str], body: str) -> None:
    other = {key: unicodedata.normalize("NFD", value) for key, value in fields.items()}
    windows = body.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assert digests.request_digest(fields, body) == digests.request_digest(other, windows + "\n")


@given(
    branches=st.lists(st.builds(BranchEvidence, st.text(), st.text(), st.text(), st.text()), unique_by=lambda branch: branch[0]),
    data=st.data(),
)
def test_a_family_s_digest_does_not_see_the_order_of_its_branches(branches: list[BranchEvidence], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(branches))
    assert digests.family_digest("TASK-r", branches) == digests.family_digest("TASK-r", shuffled)


DEEP: list[object] = []
for _ in range(5000):
    DEEP = [DEEP]
UNWRITABLE = {"half a character": "\ud800", "not a number": float("nan"), "no end": float("inf"), "deep": DEEP}


@pytest.mark.parametrize("value", UNWRITABLE.values(), ids=UNWRITABLE)
def test_what_canonical_json_cannot_hold_has_no_digest(value: object) -> None:
    assert digests.canonical_json(value) is None
    assert digests.merge_request_digest({"payload": value}) == ""
    assert is_digest(digests.merge_request_digest({"payload": "x"}))
