"""Every format over reports with every awkward character, read back by a real parser of that format; and where reports go."""

from __future__ import annotations

import datetime
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import jsonschema
import pytest
from markdown_it import MarkdownIt

from fcoplint import catalogue, engine
from fcoplint.findings import Finding, Related
from fcoplint.model.location import Location
from fcoplint.model.nodes import Span
from fcoplint.output import sarif
from fcoplint.output.formats import FORMATS
from fcoplint.output.neutral import neutral, neutral_path
from fcoplint.output.schema import schema
from fcoplint.output.text import Paint
from fcoplint.report import CommitReference, Report, Reported, Suppression, WorkspaceSummary
from fcoplint.settings import Accepted, Baseline, Settings
from fcoplint.source.snapshot import MemorySnapshot, Note
from tests.support.parsers import PARSERS
from tests.support.repository import INBOX, T1, TEAM, Repo, run_tool, task_text

PLAIN = Paint(on=False)
SCHEMA = jsonschema.Draft202012Validator(schema())
MANIFEST = json.dumps(TEAM).encode()
PAYLOADS = [
    "\n::error file=app.py::owned", "\r::add-mask::x", "::stop-commands::x", "  ::warning::x", "%0A::error::x", "%25%0D%3A%2C",
    "##vso[task.setvariable variable=x]y", "a ##vso[task.complete result=Succeeded;]", "##[error]x", "##VSO[task.x]y", "]y",
    "a;type=error;b", ",title=x,line=9", ":: ,", "\x1b[31mred\x1b[0m", "\x1b]8;;x\x1b\\y", "\x9b31m", "\x00", "\x7f", "\x85",
    "\u2028\u2029", "\u202eevil\u2069", "a\u200bb\ufeff", "\ufffe\uffff", "\udc80\udcff", "</failure><failure message='x'/>", "]]>",
    "<!ENTITY x SYSTEM 'y'>", "&lt;&amp;&#10;", "\"'>", "<script>x</script>", "<img src=x onerror=y>", "[x](https://example.org)",
    "![x](y)", "`", "``x`", "`|`", "a|b", "\\|", "\\", "|---|", "*x* _y_ ~~z~~", "# x", "- x", "<https://example.org>",
    "http://example.org", "@admin", "a` @admin `b", "{0}", "{value}", "%s", "$(x)", "测试 é 🦊", "a" * 5000, " ", "\t",
]  # fmt: skip
FIELDS: dict[str, Callable[[str], Report]] = {}


def field(make: Callable[[str], Report]) -> Callable[[str], Report]:
    FIELDS[make.__name__] = make
    return make


def audit(files: dict[str, bytes]) -> Report:
    return engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, **files}), Settings())


def quoted(text: str) -> str:
    """Text as YAML's double-quoted scalar; what no file can hold as U+FFFD."""
    return json.dumps(text.encode("utf-8", "replace").decode())


def planted(**changed: object) -> Report:
    """A report whose one finding carries a payload where no small envelope can put it."""
    finding = Finding("FC120", Location(T1, Span(4, 9, 4, 11)), "TASK-20261001-001-PM-to-DEV", "sender", workspace="fcop")
    finding = replace(finding, parameters={"key": "sender", "value": "QA", "expected": "PM"})
    for key in finding.__dataclass_fields__:
        if key in changed:
            finding = replace(finding, **{key: changed.pop(key)})  # type: ignore[arg-type]
    item = Reported(finding, catalogue.rule("FC120"), "error", introduced=True, source="sender: QA")
    for key in item.__dataclass_fields__:
        if key in changed:
            item = replace(item, **{key: changed.pop(key)})  # type: ignore[arg-type]
    suppressed = (replace(item, suppression=changed.pop("excuse")),) if "excuse" in changed else ()  # type: ignore[arg-type]
    return replace(Report("check", (item,), (WorkspaceSummary("fcop", 3, 1),), suppressed=suppressed), **changed)  # type: ignore[arg-type]


@field
def a_value(payload: str) -> Report:
    return audit({T1: task_text(priority=quoted(payload)).encode()})


@field
def a_role(payload: str) -> Report:
    return audit({T1: task_text(sender=quoted(payload)).encode()})


@field
def a_key(payload: str) -> Report:
    return audit({T1: task_text().replace("  by:", f"  {quoted(payload)}: x\n  by:").encode()})


@field
def a_status(payload: str) -> Report:
    written = f"---\nprotocol: fcop\nversion: 1\nsender: DEV\nrecipient: PM\nstatus: {quoted(payload)}\n---\n\n# Done\n"
    return audit({"fcop/reports/REPORT-20261002-001-DEV-to-PM.md": written.encode()})


@field
def a_file_name(payload: str) -> Report:
    name = payload.replace("/", "_").replace("\x00", "")[:200]
    return audit({f"{INBOX}/TASK-20261001-002-PM-to-QA-{name}.md": task_text("PM", "QA").encode("utf-8")})


@field
def a_folder(payload: str) -> Report:
    name = payload.replace("/", "_").replace("\x00", "").strip(".")[:200] or "x"
    return engine.audit(MemorySnapshot({f"{name}/fcop/fcop.json": MANIFEST, f"{name}/{T1}": task_text("QA").encode()}), Settings())


@field
def the_manifest(payload: str) -> Report:
    told = json.dumps({**TEAM, "leader": payload, "mode": payload}).encode()
    return engine.audit(MemorySnapshot({"fcop/fcop.json": told, T1: task_text("QA").encode()}), Settings())


@field
def a_comment(payload: str) -> Report:
    line = f"# fcoplint: ignore[FC123] {payload}".encode("utf-8", "replace").decode().replace("\n", " ")
    return audit({T1: task_text("QA", priority=f"soon  {line}").encode()})


@field
def parameters(payload: str) -> Report:
    return planted(parameters={"key": payload, "value": payload, "expected": payload})


@field
def related(payload: str) -> Report:
    return planted(related=(Related(Location(payload, Span(1, 1, 1, 2)), payload),))


@field
def a_path(payload: str) -> Report:
    return planted(location=Location(payload, Span(4, 9, 4, 11)))


@field
def source_line(payload: str) -> Report:
    return planted(source=f"sender: QA {payload}")


@field
def a_commit(payload: str) -> Report:
    return planted(commit=CommitReference("0" * 40, payload, payload))


@field
def a_note(payload: str) -> Report:
    return planted(notes=(Note("topic", payload, payload),))


@field
def a_base(payload: str) -> Report:
    return planted(base=f"{payload.strip('/') or 'x'}/")


@field
def a_reason(payload: str) -> Report:
    return planted(excuse=Suppression("inline", payload, Location(payload, Span(1, 1, 1, 2))))


@field
def a_subject(payload: str) -> Report:
    return planted(subject=payload, workspace=payload)


@field
def a_workspace(payload: str) -> Report:
    return planted(workspaces=(WorkspaceSummary(payload, 3, 1),))


@field
def a_baseline(payload: str) -> Report:
    entries = (Accepted("0" * 24, payload, payload, payload, reason=payload, until=datetime.date(2020, 1, 1)),)
    settings = Settings(baseline=Baseline(payload, entries))
    return engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, T1: task_text().encode()}), settings)


@field
def a_setting(payload: str) -> Report:
    settings = Settings(per_path_ignores=((payload, ("FC120",)),), origin=payload)
    return engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, T1: task_text().encode()}), settings)


def hostile() -> Iterator[tuple[str, Report]]:
    for name, make in FIELDS.items():
        for payload in PAYLOADS:
            yield f"{name} {payload[:40]!a}", make(payload)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_from_a_repository_gets_out_of_its_place(name: str) -> None:
    for what, report in hostile():
        told = PARSERS[name](FORMATS[name].write(report, PLAIN))
        assert sorted(item.code for item in told) == sorted(item.rule.code for item in report.findings), what


def test_almost_every_payload_makes_a_finding() -> None:
    silent = [what for what, report in hostile() if not report.findings]
    assert len(silent) < len(PAYLOADS), silent


@pytest.mark.parametrize("name", FORMATS)
def test_paths_and_messages_come_through(name: str) -> None:
    for what, report in hostile():
        told = sorted(PARSERS[name](FORMATS[name].write(report, PLAIN)), key=lambda item: item.code)
        for item, finding in zip(told, sorted(report.findings, key=lambda item: item.rule.code), strict=True):
            if sum(other.rule.code == finding.rule.code for other in report.findings) > 1:
                continue
            path = report.base + finding.finding.location.path
            if name not in ("json", "ndjson", "sarif") and len(path) < 200:
                expected = neutral_path(path if name not in ("text", "concise") else finding.finding.location.path)
                assert (item.path or "").replace("\\x3a:", "::").strip() == expected.strip(), what
            if name not in ("text", "json", "ndjson", "sarif") and len(finding.message) < 500:
                plain = " ".join(neutral(finding.message).replace("`", "").split())
                assert plain in " ".join(item.text.replace("`", "").replace("\\x40", "@").split()), what


def test_json_holds_true_values_and_fits_its_schema() -> None:
    for what, report in hostile():
        data = json.loads(FORMATS["json"].write(report, PLAIN))
        SCHEMA.validate(data)
        for said, item in zip(data["findings"], report.findings, strict=True):
            assert said["message"] == item.message.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), what


def test_ndjson_holds_what_json_holds() -> None:
    for what, report in hostile():
        whole = json.loads(FORMATS["json"].write(report, PLAIN))
        lines = [json.loads(line) for line in FORMATS["ndjson"].write(report, PLAIN).splitlines()]
        kinds = {"workspaces": "workspace", "notes": "note", "rules": "rule", "findings": "finding", "suppressed": "suppressed"}
        for key, kind in kinds.items():
            assert [{**item, "schema": "fcoplint.line/1", "type": kind} for item in whole[key]] == [
                line for line in lines if line["type"] == kind
            ], what
        assert lines[-1]["summary"] == whole["summary"], what


def test_sarif_fits_the_official_schema(sarif_validator: jsonschema.Draft4Validator) -> None:
    for what, report in hostile():
        data = json.loads(FORMATS["sarif"].write(report, PLAIN))
        faults = list(sarif_validator.iter_errors(data))
        assert faults == [], (what, faults)


def test_the_schema_would_notice(sarif_validator: jsonschema.Draft4Validator) -> None:
    data = json.loads(FORMATS["sarif"].write(planted(), PLAIN))
    data["runs"][0]["results"][0]["level"] = "fatal"
    assert list(sarif_validator.iter_errors(data))


def test_sarif_names_places_from_the_repositorys_root_and_no_folder_of_this_machine() -> None:
    text = FORMATS["sarif"].write(planted(location=Location("a b/c#?%:é.md"), base="x/"), PLAIN)
    (run,) = json.loads(text)["runs"]
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "x/a%20b/c%23%3F%25%3A%C3%A9.md", "uriBaseId": "%SRCROOT%"}
    assert set(run["originalUriBaseIds"]) == {"%SRCROOT%"}
    assert os.path.expanduser("~") not in text
    assert "file:" not in text


def test_sarif_carries_the_rule_its_help_and_marks_that_outlive_lines() -> None:
    one, other = planted(), planted(location=Location(T1.replace("inbox", "active"), Span(9, 9, 9, 11)))
    results = [json.loads(FORMATS["sarif"].write(report, PLAIN))["runs"][0]["results"][0] for report in (one, other)]
    assert results[0]["partialFingerprints"] == results[1]["partialFingerprints"]
    (rule,) = json.loads(FORMATS["sarif"].write(one, PLAIN))["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "FC120"
    assert "## How to put it right" in rule["help"]["markdown"]
    assert len(rule["properties"]["tags"]) <= 20


def test_sarif_stays_within_what_github_takes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    error = planted().findings[0]
    info = replace(error, severity="info")
    report = replace(planted(), findings=(*[info] * sarif.MAX_RESULTS, error))
    (run,) = json.loads(FORMATS["sarif"].write(report, PLAIN))["runs"]
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert run["results"][0]["level"] == "error"
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "1 of 25001 findings" in note["message"]["text"]
    monkeypatch.setattr(sarif, "MAX_PACKED_BYTES", 5_000)
    text = FORMATS["sarif"].write(replace(report, findings=report.findings[:1000]), PLAIN)
    assert 0 < len(json.loads(text)["runs"][0]["results"]) < 1000


def test_github_shows_the_worst_within_ten_and_ten_and_one_line_for_the_rest() -> None:
    item = planted().findings[0]
    found = [*[replace(item, severity="info")] * 3, *[replace(item, severity="warning")] * 15, *[replace(item, severity="error")] * 12]
    lines = FORMATS["github"].write(replace(planted(), findings=tuple(found)), PLAIN).splitlines()
    assert [line.split(" ")[0] for line in lines[:20]] == ["::error"] * 10 + ["::warning"] * 10
    assert sum(line.startswith("::") for line in lines) == 21
    (notice,) = (line for line in lines if line.startswith("::notice"))
    assert notice == "::notice title=fcoplint::10 of 30 findings stand in this log only."
    assert all("endLine" not in line and "col=" not in line for line in lines)


def test_markdown_stays_within_a_steps_summary() -> None:
    item = planted(parameters={"key": "x" * 5000, "value": "y", "expected": "z"}).findings[0]
    text = FORMATS["markdown"].write(replace(planted(), findings=(item,) * 5000), PLAIN)
    assert len(text.encode()) < 1024 * 1024
    assert "4500 more are not listed here" in text
    # As long as a path and a message can get.
    wide = planted(location=Location("测" * 1300, Span(1, 1, 1, 1)), parameters={"key": "测" * 600, "value": "y", "expected": "z"})
    report = replace(wide, findings=wide.findings * 500)
    text = FORMATS["markdown"].write(report, PLAIN)
    assert len(text.encode()) < 1024 * 1024
    shown = len(PARSERS["markdown"](text))
    assert 0 < shown < 500
    assert f"{500 - shown} more are not listed here" in text


def test_markdown_calls_nobody() -> None:
    for payload in ("@admin", "a` @admin `b", "`@admin"):
        told = FORMATS["markdown"].write(planted(parameters={"key": payload, "value": payload, "expected": payload}), PLAIN)
        tokens = [child for token in MarkdownIt("commonmark").enable("table").parse(told) for child in token.children or []]
        assert [token.content for token in tokens if token.type in ("text", "text_special") and "@" in token.content] == []


def test_junit_tells_failures_from_what_passes_and_what_is_excused() -> None:
    error = planted(excuse=Suppression("baseline", "known"))
    report = replace(error, findings=(*error.findings, replace(error.findings[0], severity="warning")))
    text = FORMATS["junit"].write(report, PLAIN)
    assert (text.count("<failure"), text.count("<system-out"), text.count('<skipped message="known"')) == (1, 1, 1)
    assert 'tests="3" failures="1" errors="0" skipped="1"' in text


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_report_can_be_written(name: str, sarif_validator: jsonschema.Draft4Validator) -> None:
    text = FORMATS[name].write(Report("check", ()), PLAIN)
    assert PARSERS[name](text) == []
    if name == "sarif":
        sarif_validator.validate(json.loads(text))


@pytest.mark.parametrize("name", FORMATS)
def test_home_folders_are_not_told(name: str) -> None:
    home = os.path.expanduser("~")
    report = planted(parameters={"key": "k", "value": f"{home}/secret", "expected": "/home/ann/x"})
    text = FORMATS[name].write(report, PLAIN)
    if name not in ("json", "ndjson"):
        assert "ann/" not in text.replace("\\/", "/")
        assert f"{home}/secret" not in text


def test_a_folder_called_home_is_no_home_folder() -> None:
    path = "packages/home/site/" + T1
    for name in ("text", "concise", "github", "gitlab", "junit", "azure", "markdown"):
        (told,) = PARSERS[name](FORMATS[name].write(planted(location=Location(path, Span(4, 9, 4, 11))), PLAIN))
        assert told.path == path, name


# Where reports go.


@pytest.fixture
def bad(repo: Repo) -> Repo:
    repo.write(T1, task_text("QA", priority="high"))
    return repo


def test_several_formats_in_one_run(bad: Repo) -> None:
    ran = bad.run("audit", "--format", "concise", "--format", "sarif:out.sarif", "--format", "json:report.json")
    assert ran.code == 1
    told = {"concise": ran.out, "sarif": (bad.path / "out.sarif").read_text(), "json": (bad.path / "report.json").read_text()}
    for name, text in told.items():
        assert sorted(item.code for item in PARSERS[name](text)) == ["FC120", "FC123"], name


def test_an_output_file_is_replaced_and_standard_output_stays_empty(bad: Repo) -> None:
    bad.write("report.xml", "from yesterday")
    for _ in range(2):
        ran = bad.run("audit", "--format", "junit", "--output-file", "report.xml", "--exit-zero")
        assert (ran.code, ran.out) == (0, "")
        assert len(PARSERS["junit"]((bad.path / "report.xml").read_text())) == 2
    assert [path.name for path in bad.path.iterdir() if path.name.startswith(".fcop-")] == []


def test_a_device_is_written_to_as_it_is(bad: Repo) -> None:
    assert bad.run("audit", "--format", "sarif:/dev/null").code == 1
    assert not os.path.isfile("/dev/null")


def test_standard_output_has_a_name(bad: Repo) -> None:
    plain = bad.run("audit", "--format", "concise").out
    for options in (("--format", "concise:-"), ("--format", "concise", "-o", "-"), ("--format", "concise", "-o", "/dev/stdout")):
        assert bad.run("audit", *options).out == plain, options
    assert not (bad.path / "-").exists()


def test_nothing_is_written_through_a_link_that_somebody_committed(bad: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("kept")
    (bad.path / "out.sarif").symlink_to(outside)
    ran = bad.run("audit", "--format", "sarif:out.sarif")
    assert (ran.code, "through a link" in ran.err, outside.read_text()) == (2, True, "kept")


def test_quiet_leaves_the_findings_alone(bad: Repo, make_repo: Callable[..., Repo]) -> None:
    ran = bad.run("audit", "--format", "concise", "--quiet", "--ignore", "FC123")
    assert (ran.code, ran.out.count("\n"), ran.out.count("FC120"), ran.err) == (1, 1, 1, "")
    for name in FORMATS:
        said = bad.run("audit", "-q", "--format", name).out
        assert sorted(item.code for item in PARSERS[name](said if name != "text" else f"{said}\n\n")) == ["FC120", "FC123"], name
    for name in ("text", "concise", "github", "azure"):
        assert bad.run("audit", "-q", "--select", "FC8", "--format", name).out == "", name
    assert bad.run("audit", "-q", "--statistics").out.count("\n") == 2
    quiet = make_repo("quiet").run("audit", "-q")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


WRONG = [
    (["--format", "sarfi"], "did you mean `sarif`"),
    (["--format", "JSON"], "did you mean `json`"),
    (["--format", "xyz"], "there are text, concise"),
    (["--format", "sarif:"], "names no file"),
    (["--format", "text", "--format", "json"], "one format goes to standard output"),
    (["--format", "json:a.json", "--output-file", "b"], "every format has a file"),
    (["--format", "json", "--output-file", "fcop"], "fcop"),
    (["--format", "json:no/such/folder/x.json"], "No such file"),
    (["--format", "json:a", "--format", "sarif:./a"], "one file"),
    (["--format", "json:a", "--format", "sarif", "-o", "a"], "one file"),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=[" ".join(row[0]) for row in WRONG])
def test_wrong_formats_are_explained(bad: Repo, options: list[str], said: str) -> None:
    ran = bad.run("audit", *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_documents_are_written_where_there_is_nothing_to_look_at(make_repo: Callable[..., Repo]) -> None:
    empty = make_repo()
    for name, kind in FORMATS.items():
        ran = empty.run("check", "--format", name)
        assert (ran.code, bool(ran.out)) == (0, kind.whole), name
    empty.run("check", "--format", "markdown:summary.md")
    assert (empty.path / "summary.md").read_text().startswith("## fcoplint")


def test_documents_are_written_where_git_refuses(repo: Repo) -> None:
    (repo.path / ".git/HEAD").write_text("ref: refs/heads/gone\n")
    (repo.path / ".git/index").write_bytes(b"no index")
    for name, kind in FORMATS.items():
        ran = repo.run("check", "--format", name)
        assert (ran.code, bool(ran.out)) == (3, kind.whole), name


@pytest.mark.parametrize("name", FORMATS)
def test_paths_start_at_the_repositorys_root(make_repo: Callable[..., Repo], name: str) -> None:
    repo = make_repo()
    repo.write("apps/shop/fcop/fcop.json", MANIFEST)
    repo.write(f"apps/shop/{T1}", task_text("QA"))
    repo.commit()
    (told,) = PARSERS[name](run_tool("audit", "--format", name, cwd=repo.path / "apps").out)
    assert told.path == (f"shop/{T1}" if name in ("text", "concise", "json", "ndjson") else f"apps/shop/{T1}")


def test_statistics_count_by_rule(bad: Repo) -> None:
    ran = bad.run("audit", "--statistics")
    assert ran.code == 1
    assert ran.out.splitlines()[:2] == ["1  FC120  error    routing-mismatch", "1  FC123  warning  bad-priority"]
    assert bad.run("audit", "--statistics", "--format", "concise").out == ran.out
    assert {rule["code"]: rule["findings"] for rule in bad.audit().report["rules"]} == {"FC120": 1, "FC123": 1}


def test_what_was_not_looked_at_is_said(bad: Repo, tmp_path: Path) -> None:
    told = bad.run("audit", "--select", "FC1", "--ignore", "FC123").out
    assert "note: only these rules ran: FC1" in told
    assert "note: these rules did not run: FC123" in told
    (tmp_path / "plain/fcop").mkdir(parents=True)
    (tmp_path / "plain/fcop/fcop.json").write_bytes(MANIFEST)
    assert "note: this is no git repository" in run_tool("audit", cwd=tmp_path / "plain").out


def test_what_settings_and_options_leave_out_is_said(bad: Repo, tmp_path: Path) -> None:
    bad.add_team("packages/api/fcop")
    bad.commit()
    assert (
        "note: workspaces left out by --workspace or the setting `workspaces`: 1"
        in bad.run("audit", "--workspace", "packages/api/fcop").out
    )
    bad.write(
        ".fcoplint.toml", "exclude = ['fcop/reports/**']\nworkspaces = ['/fcop']\nhistory-from = 'HEAD'\n[roots]\nignore = ['old/**']\n"
    )
    bad.write("fcop/reports/x.md", "x")
    told = bad.run("audit", "--history", "--since", "2020-01-01").out
    for said in (
        "paths left out by the setting `exclude`: 1", "workspaces left out by --workspace or the setting `workspaces`: 1",
        "the rules about roots passed by old/**", "commits before HEAD were not judged", "commits older than 2020-01-01 were not judged",
    ):  # fmt: skip
        assert f"note: {said}" in told, said
    bad.git("rm", "-rq", "--cached", "fcop")
    bad.write(".gitignore", "fcop/\n")
    assert "note: fcop: git ignores this workspace; it was read from disk" in bad.run("audit").out
    bad.commit()
    bad.git("clone", "-q", "--depth", "1", f"file://{bad.path}", str(tmp_path / "shallow"))
    ran = run_tool("audit", "--history", "--format", "concise", cwd=tmp_path / "shallow")
    assert (ran.code, "FC003 This clone is shallow" in ran.out) == (3, True)
    ran = run_tool("baseline", "--history", cwd=tmp_path / "shallow")
    assert (ran.code, "shallow" in ran.err) == (3, True)


def on_terminal(args: list[str], cwd: Path, **env: str) -> bytes:
    """What a run writes to a terminal, on standard output and standard error."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **env}
    subprocess.run([sys.executable, *args], cwd=cwd, env=environ, stdout=theirs, stderr=theirs, check=False)
    os.close(theirs)
    written = os.read(ours, 100_000)
    os.close(ours)
    return written


LINKS = [({"TERM": "xterm-256color"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)]


@pytest.mark.parametrize(("env", "linked"), LINKS)
def test_codes_are_links_to_the_rules_file_where_a_terminal_can_show_them(bad: Repo, env: dict[str, str], linked: bool) -> None:
    written = on_terminal(["-m", "fcoplint", "audit"], bad.path, **env)
    link = f"\x1b]8;;file://{quote(str(catalogue.rule_files()['FC120']))}\x1b\\".encode()
    assert (link in written) is linked
    assert b"\x1b]8" not in bad.run("audit", "--color", "always").out.encode()


PROGRESS = "from fcoplint.cli import progress as p; p._PATIENCE = p._PACE = 0; print(sum(p.track(range(4), 4, 'commits')))"


def test_a_terminal_is_told_how_far_long_work_has_got(tmp_path: Path) -> None:
    written = on_terminal(["-c", PROGRESS], tmp_path, TERM="xterm")
    assert re.findall(rb"fcoplint: (\d) of 4 commits", written) == [b"0", b"1", b"2", b"3"]
    assert written.endswith(b"\r\x1b[K6\r\n")
    assert b"commits" not in on_terminal(["-c", PROGRESS], tmp_path, TERM="dumb")
    done = subprocess.run(
        [sys.executable, "-c", PROGRESS], env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"6\n", b"")


# The documentation.

DOCS = Path(__file__).parents[1] / "docs"


def test_the_documentation_shows_every_format() -> None:
    page = (DOCS / "formats.md").read_text("utf-8")
    assert {name for name in FORMATS if not re.search(rf"^\$ fcoplint .*--format {name}\b", page, re.MULTILINE)} == set()


# Every command, over a repository in which everything that can be named is hostile.

HOSTILE = '"\\n::error::x \\u202e \\e[31m ##vso[task.x]y ##[error]z"'
COMMANDS = [
    ("status",), ("audit",), ("audit", "--statistics"), ("audit", "--history"), ("check", "--all"), ("roots",), ("baseline",),
    ("check", "::error::d/nope"), ("check", "--range", "::error::x..HEAD"), ("audit", "::error::d"), ("audit", "--workspace", "::x"),
    ("explain", "\n::x"), ("audit", "--select", "\n::x"), ("audit", "--config", "\n::x"), ("audit", "--rev", "\n::x"),
    ("roots", "--root", "\n::x"), ("roots", "--from", "::error::d", "--to", "\n::x", "--no-input"), ("check", "--stdin-filename", "\n::x"),
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile_repository(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = Repo.create(tmp_path_factory.mktemp("hostile"))
    made.add_team()
    made.add_team("::error::d/fcop")
    made.write("fcop/fcop.json", json.dumps({**TEAM, "leader": "\n::error::L", "team": "::x", "roles": ["PM", "\n::x", "DEV"]}))
    made.write(T1, task_text(subject=HOSTILE, priority=HOSTILE))
    made.write(T1.replace("001", "002").replace("DEV.md", "DEV-\n::error::x\x1b[31m.md"), task_text())
    issue = f"---\nprotocol: fcop\nversion: 1\nreporter: {HOSTILE}\nseverity: {HOSTILE}\nsummary: {HOSTILE}\n---\n"
    made.write("fcop/issues/ISSUE-20261001-001-QA.md", issue)
    made.write(
        ".mcp.json", json.dumps({"mcpServers": {"\n::error::s": {"command": "fcop-mcp", "env": {"FCOP_PROJECT_DIR": "\n::error::p"}}}})
    )
    made.commit("\n::error::message")
    return made


def test_the_status_of_names_that_are_no_utf8_is_json_for_everybody(repo: Repo) -> None:
    os.rename(repo.path / T1, os.fsencode(repo.path) + b"/" + T1.replace(".md", "-").encode() + b"\xff.md")
    ran = repo.run("status", "--format", "json")
    assert (ran.code, ran.out.isascii(), "\\udcff" in ran.out, "\\ufffd" in ran.out) == (0, True, False, True)


@pytest.mark.parametrize("command", COMMANDS, ids=ascii)
def test_no_command_repeats_what_would_be_a_command(hostile_repository: Repo, command: tuple[str, ...]) -> None:
    ran = hostile_repository.run(*command)
    assert "Traceback" not in ran.err
    assert ran.out + ran.err
    for line in (ran.out + ran.err).split("\n"):
        assert re.match(r"\s*::|.*##(?:vso)?\[", line) is None, line
        assert line.isprintable(), line
