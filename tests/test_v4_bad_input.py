"""Whatever stands in a v4 workspace's JSON is a finding and never a traceback: manifests, records, and what no reader reads alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcoplint.source.snapshot import MemorySnapshot
from tests.support.edits4 import Files, path_of, report_on, said, small
from tests.support.repository import run_tool

MANIFEST = "fcop/fcop.json"
NOBODY = "urn:uuid:00000000-0000-4000-8000-000000000000"
# What each rule of a record says of what it cannot read.
RECORDS = {"create": "FC555", "transition": "FC951"}


def with_values(kind: str, change: Callable[[dict[str, Any]], object]) -> Files:
    """A small workspace in which the JSON of a kind of file was changed."""
    files = small(facts=True, to="active")
    path = MANIFEST if kind == "manifest" else path_of(files, kind)
    values = json.loads(files[path])
    change(values)
    return {**files, path: json.dumps(values).encode()}


MANIFESTS: list[tuple[str, Callable[[dict[str, Any]], object], set[str]]] = [
    ("no encoding", lambda manifest: manifest.pop("encoding"), {"FC141"}),
    ("another encoding", lambda manifest: manifest.update(encoding={"name": "fcop-database", "version": "4.0"}), {"FC141"}),
    ("more of an encoding", lambda manifest: manifest["encoding"].update(level=3), {"FC141"}),
    ("no id", lambda manifest: manifest.pop("workspace_id"), {"FC141"}),
    ("an id in capitals", lambda manifest: manifest.update(workspace_id=manifest["workspace_id"].upper()), {"FC141", "FC555"}),
    ("an id of another", lambda manifest: manifest.update(workspace_id=NOBODY), {"FC706", "FC555"}),
    ("no profiles", lambda manifest: manifest.pop("profiles"), {"FC141"}),
    ("profiles as text", lambda manifest: manifest.update(profiles="lead"), {"FC141"}),
    ("a profile twice", lambda manifest: manifest.update(profiles=["lead", "lead"]), {"FC141"}),
    ("a blank profile", lambda manifest: manifest.update(profiles=[" "]), {"FC141"}),
    ("no profile adopted", lambda manifest: manifest.update(profiles=[]), set()),
    ("a key of their own", lambda manifest: manifest.update(display_name="Team"), set()),
    ("no protocol", lambda manifest: manifest.pop("protocol"), {"FC141"}),
    ("another protocol", lambda manifest: manifest.update(protocol="agent-mail"), {"FC004"}),
    ("the version of the future", lambda manifest: manifest.update(protocol_version="4.1"), {"FC004"}),
    ("the version of the library", lambda manifest: manifest.update(protocol_version="4.0.5"), {"FC004"}),
    ("a far future", lambda manifest: manifest.update(protocol_version="5"), {"FC004"}),
    ("a version as a number", lambda manifest: manifest.update(protocol_version=4.0), {"FC004"}),
]  # fmt: skip
ERRORS = {
    "no encoding": "INVALID_ENVELOPE", "another encoding": "UNSUPPORTED_ENCODING", "an id of another": "WORKSPACE_ID_MISMATCH",
    "another protocol": "UNSUPPORTED_PROTOCOL", "the version of the future": "UNSUPPORTED_WORKSPACE_VERSION",
}  # fmt: skip


@pytest.mark.parametrize(("name", "change", "codes"), MANIFESTS, ids=[case[0] for case in MANIFESTS])
def test_each_wrong_manifest_has_its_code(name: str, change: Callable[[dict[str, Any]], object], codes: set[str]) -> None:
    report = report_on(with_values("manifest", change))
    assert {item.rule.code for item in report.findings if item.severity != "info"} == codes
    if name in ERRORS:
        assert ERRORS[name] in {item.protocol_error for item in report.findings}
    assert report.exit_code == (1 if codes else 0)


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b"\xff\xfe{\x00", b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n"])
def test_a_v4_workspace_with_a_broken_manifest_stays_one(data: bytes) -> None:
    files = {**small(facts=True, to="active"), MANIFEST: data}
    report = report_on(files)
    assert [workspace.version for workspace in report.workspaces] == [4]
    assert {item.rule.code for item in report.findings if item.severity != "info"} in ({"FC141"}, {"FC907"})


def test_a_v4_workspace_without_a_manifest_stays_one() -> None:
    files = {path: data for path, data in small(facts=True, to="active").items() if path != MANIFEST}
    assert said(files) == {("FC141", "error")}


def test_a_key_twice_in_the_manifest_is_an_error_in_v4() -> None:
    files = small()
    twice = files[MANIFEST].replace(b'"protocol":', b'"protocol":"x","protocol":')
    assert said({**files, MANIFEST: twice}) == {("FC141", "error")}


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


ODD = {
    "nothing": b"",
    "no JSON": b"{",
    "no object": b"[1, 2]",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "no UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a fraction": b'{"version": 1.5}',
    "no number": b'{"version": NaN}',
    "infinity": b'{"version": Infinity}',
    "a huge number": b'{"version": 1' + b"0" * 40 + b"}",
    "a number of thousands of digits": b'{"version": ' + b"9" * 10_000 + b"}",
    "half a character": b'{"task_id": "TASK-\\ud800"}',
    "half a character as a key": b'{"\\udc00": 1}',
    "deep nesting": deep(40).encode(),
    "bottomless nesting": deep(100_000).encode(),
    "deep lists": b"[" * 100_000,
    "a zero in a text": b'{"task_id": "TASK-\\u0000"}',
    "an escape sequence": b'{"task_id": "\\u001b[31mTASK"}',
}  # fmt: skip


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_record_is_a_finding(kind: str, name: str) -> None:
    files = small(facts=True, to="active")
    found = report_on({**files, path_of(files, kind): ODD[name]}).findings
    codes = {item.rule.code for item in found if item.finding.location.path == path_of(files, kind)}
    assert RECORDS[kind] in codes
    assert "FC000" not in {item.rule.code for item in found}


def test_a_key_twice_in_a_record_is_an_error() -> None:
    files = small(facts=True, to="active")
    for kind, code in RECORDS.items():
        path = path_of(files, kind)
        twice = files[path].replace(b'"contract":', b'"contract":"x","contract":', 1)
        assert (code, "error") in said({**files, path: twice})
        nested = files[path].replace(b'"transition":{', b'"transition":{"by":"QA",', 1)
        assert kind == "create" or (code, "error") in said({**files, path: nested})


RECEIPTS: list[tuple[str, Callable[[dict[str, Any]], object], set[str]]] = [
    ("a TASK that is not there", lambda receipt: receipt.update(task_id="TASK-gone"), {"FC951", "FC953"}),
    ("no contract", lambda receipt: receipt.pop("contract"), {"FC951"}),
    ("another contract", lambda receipt: receipt.update(contract="fcop-receipt-v9"), {"FC951"}),
    ("a key too many", lambda receipt: receipt.update(note="x"), {"FC951"}),
    ("another version", lambda receipt: receipt.update(version=2), {"FC951"}),
    ("true for one", lambda receipt: receipt.update(version=True), {"FC951"}),
    ("another actor", lambda receipt: receipt.update(actor="QA"), {"FC951"}),
    ("another edge", lambda receipt: receipt.update(to_stage="review"), {"FC951"}),
    ("another path", lambda receipt: receipt.update(target_path="fcop/_lifecycle/done/x.md"), {"FC951"}),
    ("a path that leaves", lambda receipt: receipt.update(target_path="../../etc/passwd"), {"FC951"}),
    ("another attempt", lambda receipt: receipt.update(attempt_id=NOBODY), {"FC951"}),
    ("another operation", lambda receipt: receipt.update(operation_id="op-7"), {"FC951"}),
    ("another digest", lambda receipt: receipt.update(normalized_transition_digest="0" * 64), {"FC951"}),
    ("lists for texts", lambda receipt: receipt.update({key: [1] for key in receipt}), {"FC951", "FC952", "FC953"}),
    ("a list for an event", lambda receipt: receipt.update(transition=[]), {"FC951", "FC953"}),
]  # fmt: skip


@pytest.mark.parametrize(("change", "codes"), [case[1:] for case in RECEIPTS], ids=[case[0] for case in RECEIPTS])
def test_each_wrong_receipt_has_its_code(change: Callable[[dict[str, Any]], object], codes: set[str]) -> None:
    assert {code for code, _ in said(with_values("transition", change))} == codes


def test_the_receipts_of_a_task_that_is_nowhere_are_found() -> None:
    files = small(facts=True, to="active")
    del files[path_of(files, "TASK")]
    del files[path_of(files, "ISSUE")]
    assert said(files) == {("FC555", "error"), ("FC951", "error")}


@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), st.lists, max_leaves=4),
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_json_makes_a_rule_fail(values: dict[str, Any]) -> None:
    files = small(facts=True, to="active")
    for path in (MANIFEST, path_of(files, "create"), path_of(files, "transition")):
        known = json.loads(files[path])
        mixed = {**known, **{key: values[odd] for key, odd in zip(known, values, strict=False)}, **values}
        found = report_on({**files, path: json.dumps(mixed).encode()}).findings
        assert "FC000" not in {item.rule.code for item in found}


def test_the_tool_itself_survives_all_of_it_at_once(tmp_path: Path) -> None:
    files = small(facts=True, to="active")
    for number, data in enumerate(ODD.values()):
        files[f"fcop/operations/transition-{number:032x}.json"] = data
    files["fcop/operations/create-" + "f" * 64 + ".lock"] = b""
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    for form in ("json", "text", "sarif"):
        ran = run_tool("audit", "--format", form, str(tmp_path), cwd=tmp_path)
        assert ran.code == 1
        assert "\x1b[31mTASK" not in ran.out


def test_records_that_cannot_be_looked_at_end_with_three() -> None:
    files = small(facts=True, to="active")
    path = path_of(files, "transition")
    files[path] = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12\n"
    report = report_on(files)
    assert [item.rule.code for item in report.findings if item.severity == "error"] == ["FC001"]
    assert report.exit_code == 3


def test_what_an_audit_cannot_prove_is_said_once_and_not_as_a_pass() -> None:
    report = report_on(small())
    beyond = [note.text for note in report.notes if note.topic == "not-provable"]
    assert len(beyond) == len(set(beyond)) == 7
    older = MemorySnapshot({"fcop/fcop.json": b'{"mode": "solo", "team": "t", "leader": "ME", "roles": ["ME"], "version": 1}'})
    assert [note for note in report_on(dict(older.files)).notes if note.topic == "not-provable"] == []
