"""Roots: what machines leave in a repository, and what they wrote down about roots."""

import json
from pathlib import Path

import pytest

from fcoplint.protocol.machine import ledger_faults, log_faults, machine_state, read_rows, registry_faults
from fcoplint.protocol.paths import Identity, parse
from fcoplint.source.ground import identity_of
from tests.support.roots import codes, found, on_disk, project

STATE = [
    (".codeflowmu/instance.json", True), ("host/.codeflowmu/instance.json", True), (".codeflowmu/runtime.lock", True),
    (".codeflowmu/fcop-init.lock", True), ("fcop/.runtime-writer.lock", True), ("data/.runtime-writer.lock", True),
    (".codeflowmu/v2/projects-registry.json", True), (".codeflowmu/project-write-barrier/leases/a.json", True),
    (".codeflowmu/migrations/workspace-root-1/migration.json", True), (".codeflowmu/state/agents.json", True),
    (".codeflowmu/state/sessions/a.json", True), (".codeflowmu/instance.example.json", False), (".codeflowmu/open-boundary.json", False),
    (".codeflowmu/.gitignore", False), ("tests/fixtures/.codeflowmu/instance.json", False), ("agents.json", False),
    ("src/instance.json", False), ("package-lock.json", False), ("poetry.lock", False),
]  # fmt: skip


@pytest.mark.parametrize(("path", "is_state"), STATE)
def test_one_machines_state(path: str, is_state: bool) -> None:
    assert (machine_state(path) is not None) is is_state
    assert codes(found({**project(), path: "{}"}, "FC730")) == [("FC730", "error")] * is_state


def test_an_instance_elsewhere(tmp_path: Path) -> None:
    files = project()
    ground = on_disk(tmp_path / "shop", files)
    on_disk(tmp_path / "other", files)

    def judged(text: str) -> list[tuple[str, str]]:
        return codes(found({**files, ".codeflowmu/instance.json": text}, "FC731", ground=ground))

    assert judged(json.dumps({"project_root": f"{tmp_path}/other"})) == [("FC731", "warning")]
    assert judged(json.dumps({"project_root": f"{tmp_path}/shop/../shop"})) == []
    for unknown in ("D:\\work\\other", f"{tmp_path}/gone", "\ud800", 3, None):
        assert judged(json.dumps({"project_root": unknown})) == []
    for text in ("", "[]", "{", "\ufeff{}", "// x\n{}"):
        assert judged(text) == []


ROOTS = [
    ("D:\\shop", "D:\\shop", 0),
    ("D:\\shop", "D:\\shop1.2", 1),
    ("D:\\shop", "d:/shop", 1),
]


@pytest.mark.parametrize(("one", "other", "count"), ROOTS)
def test_committed_roots(one: str, other: str, count: int) -> None:
    team = json.dumps({"runtime_isolation": {"motherRoot": one, "openRoot": "D:\\open"}})
    release = json.dumps({"runtimeIsolation": {"motherRoot": other}})
    agents = json.dumps([{"protocol": {"workspace": one}}, {"protocol": {"workspace": other}}, {}, 3])
    files = {**project(), "codeflowmu.team.json": team, "RELEASE_MANIFEST.json": release}
    assert codes(found(files, "FC733")) == [("FC733", "warning")] * count
    assert codes(found({**project(), "state/agents.json": agents}, "FC733")) == [("FC733", "warning")] * count


def disk(*known: tuple[str, int]) -> dict[str, Identity]:
    return {path: Identity(path, 1, number) for path, number in known}


REGISTRY = [
    ("as it should be", "a", {"a": "/shop", "b": "/other"}, []),
    ("an id that is not listed", "x", {"a": "/shop"}, ["not-listed"]),
    ("a root that is gone", "a", {"a": "/gone"}, ["missing"]),
    ("a root of another machine", "a", {"a": "D:\\shop"}, []),
    ("another root that is gone", "a", {"a": "/shop", "b": "/gone"}, []),
    ("another project", "b", {"a": "/shop", "b": "/other"}, ["default"]),
    ("two names for one folder", "a", {"a": "/shop", "b": "/alias"}, ["twice"]),
    ("inside another's workspace", "a", {"a": "/shop", "b": "/shop/fcop/x"}, ["inside"]),
    ("nobody active", None, {"a": "/shop"}, []),
]


@pytest.mark.parametrize(("active", "projects", "expected"), [row[1:] for row in REGISTRY], ids=[row[0] for row in REGISTRY])
def test_what_a_registry_says(active: str | None, projects: dict[str, str], expected: list[str]) -> None:
    known = disk(("/shop", 1), ("/alias", 1), ("/other", 2), ("/shop/fcop/x", 3))
    values = {"activeProjectId": active, "projects": [{"id": name, "root": root} for name, root in projects.items()]}
    inside = {"/shop/fcop/x": "/shop/fcop"}
    assert [fault.kind for fault in registry_faults(values, known["/shop"], known.get, inside.get)] == expected


@pytest.mark.parametrize("values", [{}, {"projects": 3}, {"projects": [3, {}, {"id": 1, "root": 2}]}, {"activeProjectId": ["x"]}])
def test_a_registry_that_is_none(values: dict[str, object]) -> None:
    assert list(registry_faults(values, None, disk().get)) == []


ROWS = [
    ("a path inside", {"path": "src/app.py"}, []),
    ("a path that climbs out", {"path": "../b/x"}, ["path"]),
    ("a drive", {"path": "D:\\other\\x"}, ["path"]),
    ("a name with two dots", {"path": "..cache/x"}, []),
    ("a folder of the system", {"path": "/usr/bin/x"}, []),
    ("a tool", {"path": "C:\\Program Files\\nodejs\\node.exe"}, []),
    ("cwd inside", {"cwd": "/shop/src"}, []),
    ("cwd elsewhere", {"cwd": "/other"}, ["cwd"]),
    ("cwd beside, by text alike", {"cwd": "/shopping"}, ["cwd"]),
    ("cwd of another machine", {"cwd": "D:\\other"}, []),
    ("an id that is here", {"task_id": "TASK-20261001-001"}, []),
    ("an id that is not", {"report_id": "REPORT-20261001-009"}, ["report_id"]),
    ("values that are none", {"path": 3, "cwd": None, "task_id": []}, []),
]


@pytest.mark.parametrize(("values", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_rows_of_an_action_log(values: dict[str, object], expected: list[str]) -> None:
    known = disk(("/shop", 1), ("/shop/src", 2), ("/other", 3), ("/shopping", 4))
    rows = read_rows((json.dumps(values) + "\n").encode() * 2)
    here = {"TASK-20261001-001"}
    assert [fault.key for _, fault in log_faults(rows, known["/shop"], known.get, here.__contains__)] == expected


def test_a_committed_log(tmp_path: Path) -> None:
    rows = [{"task_id": "TASK-20261001-001", "path": "a"}, {"task_id": "TASK-20261001-002"}, {"task_id": "run-7"}, {"path": "../x"}]
    text = "no row\n[]\n{\n" + "".join(json.dumps(row) + "\n" for row in rows)
    items = found({**project(), "fcop/logs/runtime/actions-20261001.jsonl": text}, "FC740")
    assert [(item.finding.message, item.finding.location.span and item.finding.location.span.line) for item in items] == [
        ("id", 5),
        ("default", 7),
    ]


LEDGER = [
    ("fcop/_lifecycle/inbox/a.md", 0),
    ("_lifecycle/inbox/a.md", 0),
    ("../../other/fcop/a.md", 1),
    ("/srv/a.md", 1),
    ("D:\\a.md", 1),
    ("", 0),
]


@pytest.mark.parametrize(("path", "count"), LEDGER)
def test_paths_of_a_ledger(path: str, count: int) -> None:
    text = json.dumps({"path": path, "sync_status": "ok"}) + "\n"
    assert len(list(ledger_faults(read_rows(text.encode())))) == count
    assert codes(found({**project(), "fcop/ledger/tasks.jsonl": text}, "FC742")) == [("FC742", "warning")] * count


def test_half_characters_and_endless_rows() -> None:
    text = b'{"path": "../\\ud800"}\n' + b"[" * 100_000 + b"\n" + b'{"a":' * 100_000 + b"\n" + b"\xff\n"
    ((row, fault),) = log_faults(read_rows(text), None, lambda text: identity_of(parse(text)), lambda name: True)
    assert (row.line, fault.value) == (1, "../?")
