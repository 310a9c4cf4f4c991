"""What excuses a finding, what cannot, and what is said of an excuse that excuses nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint import engine
from fcoplint.model.document import Document
from fcoplint.output.formats import FORMATS
from fcoplint.output.text import Paint
from fcoplint.report import Report
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.parsers import PARSERS
from tests.support.repository import INBOX, T1, TEAM, Repo, task_text

MANIFEST = json.dumps(TEAM).encode()
SOUND = task_text(priority="P2")
T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD_PRIORITY = task_text(priority="soon")


def audit(content: str, path: str = T1, settings: Settings | None = None) -> Report:
    return engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, path: content.encode()}), settings or Settings())


def told(report: Report) -> list[str]:
    return [item.rule.code for item in report.findings]


def excused(report: Report) -> list[tuple[str, str, str]]:
    return [(item.rule.code, item.suppression.kind, item.suppression.reason) for item in report.suppressed if item.suppression]


def with_line(line: str, *, behind: str = "", text: str = BAD_PRIORITY) -> str:
    """The TASK with a line of its own above `priority`, or with something behind its value."""
    return text.replace("priority: soon", f"{line}priority: soon{behind}")


def first(line: str) -> str:
    return BAD_PRIORITY.replace("---\n", f"---\n{line}\n", 1)


COMMENTS = [
    (with_line("", behind="  # fcoplint: ignore[FC123] three levels only"), [], [("FC123", "inline", "three levels only")]),
    (with_line("# fcoplint: ignore[FC123] three levels only\n"), [], [("FC123", "inline", "three levels only")]),
    (with_line("  #fcoplint:ignore[bad-priority]\n"), [], [("FC123", "inline", "")]),
    (with_line("# fcoplint: ignore[FC123]: a reason\n# another comment\n\n"), [], [("FC123", "inline", "a reason")]),
    (with_line("# fcoplint: ignore[fc123, FC120] x\n"), ["FC002"], [("FC123", "inline", "x")]),
    (first("# fcoplint: ignore[FC123] the whole file"), [], [("FC123", "inline", "the whole file")]),
    (first("# about this file\n\n# fcoplint: ignore[FC123] the whole file"), [], [("FC123", "inline", "the whole file")]),
    # The wrong line, the wrong code, no code, no rule, a prefix, another word.
    (BAD_PRIORITY.replace("sender: PM", "sender: PM  # fcoplint: ignore[FC123]"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore[FC120] x\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore[] x\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore FC123\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore[FC12O]\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore[FC1]\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: ignore[ALL]\n"), ["FC002", "FC123"], []),
    (with_line("# fcoplint: disable[FC123]\n"), ["FC002", "FC123"], []),
    (with_line("# noqa: FC123\n"), ["FC123"], []),
    (with_line("", behind="# fcoplint: ignore[FC123]").replace("soon#", "soon #"), [], [("FC123", "inline", "")]),
    # No comment, whatever it looks like.
    (with_line("subject: 'see # fcoplint: ignore[FC123]'\n"), ["FC123"], []),
    (with_line("subject: |\n  text\n  # fcoplint: ignore[FC123] text\n"), ["FC123"], []),
    (with_line("subject: |\n  text\n# fcoplint: ignore[FC123] below a block\n"), [], [("FC123", "inline", "below a block")]),
    (with_line("subject: \"one\n  # fcoplint: ignore[FC123]\"\n"), ["FC123"], []),
    (with_line("subject: x#fcoplint:ignore[FC123]\n"), ["FC123"], []),
    (BAD_PRIORITY + "\n# fcoplint: ignore[FC123] in the body\n", ["FC123"], []),
]  # fmt: skip


@pytest.mark.parametrize(("content", "findings", "suppressed"), COMMENTS, ids=range(len(COMMENTS)))
def test_comments(content: str, findings: list[str], suppressed: list[tuple[str, str, str]]) -> None:
    report = audit(content)
    assert (sorted(told(report)), excused(report)) == (findings, suppressed)


def test_a_comment_at_the_top_excuses_what_no_line_shows() -> None:
    content = task_text().replace("protocol: fcop\n", "")
    assert "FC114" in told(audit(content))
    report = audit(content.replace("---\n", "---\n# fcoplint: ignore[FC114] an old tool wrote it\n", 1))
    assert (told(report), [code for code, _, _ in excused(report)]) == ([], ["FC114"])


def test_a_comment_speaks_of_its_own_file_only() -> None:
    excusing, other = first("# fcoplint: ignore[FC123] x").encode(), task_text("PM", "QA", priority="soon").encode()
    report = engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, T1: excusing, T2: other}), Settings())
    assert [(item.rule.code, item.finding.location.path) for item in report.findings] == [("FC123", T2)]


def test_a_block_that_cannot_be_read_excuses_nothing() -> None:
    report = audit("---\n# fcoplint: ignore[FC112, FC906, FC113] x\nsender: *a\n---\n")
    assert "FC906" in told(report)
    assert report.suppressed == ()


def test_crlf_and_wide_characters_do_not_move_a_comment() -> None:
    content = with_line("subject: 测试\n").replace("soon", "soon  # fcoplint: ignore[FC123] x").replace("\n", "\r\n")
    assert "FC123" not in told(audit(content))


ARCHIVED = """\
---
{comment}protocol: fcop
version: 1
sender: PM
recipient: DEV
transitions:
- {{at: '2026-10-01T08:00:00+00:00', from: null, to: inbox, by: PM, tool: create_task}}
- {{at: '2026-10-01T09:00:00+00:00', from: inbox, to: active, by: DEV, tool: claim_task}}
- {{at: '2026-10-01T10:00:00+00:00', from: active, to: done, by: DEV, tool: finish_task}}
- {{at: '2026-10-01T11:00:00+00:00', from: done, to: archive, by: DEV, tool: archive_task}}
---

# Build

Acceptance: it works.
"""


def test_no_comment_excuses_authority() -> None:
    path = T1.replace("inbox", "archive")
    assert "FC401" in told(audit(ARCHIVED.format(comment=""), path))
    report = audit(ARCHIVED.format(comment="# fcoplint: ignore[FC401, FC411] nobody else was there\n"), path)
    assert {"FC401", "FC411", "FC002"} <= set(told(report))
    assert report.suppressed == ()
    said = [item.message for item in report.findings if item.rule.code == "FC002"]
    assert said == [f"This comment would excuse {code}, which no comment can excuse." for code in ("FC401", "FC411")]


@pytest.mark.parametrize("code", ["FC000", "FC001", "FC002", "FC003", "FC004", "FC801", "FC804", "FC401", "FC420"])
def test_no_comment_excuses_the_tool_authority_or_history(code: str) -> None:
    report = audit(SOUND.replace("---\n", f"---\n# fcoplint: ignore[{code}]\n", 1))
    assert [item.finding.message for item in report.findings] == ["never"]


def test_no_comment_excuses_history(repo: Repo) -> None:
    repo.write(T1, task_text(subject="other  # fcoplint: ignore[FC804, FC801]"))
    repo.git("add", "-A")
    assert repo.check().code == 1
    assert {"FC804"} <= set(repo.check().codes)


def test_what_is_wrong_with_a_comment_is_said() -> None:
    unknown = audit(with_line("# fcoplint: ignore[FC12O] x\n")).findings[0]
    assert unknown.message == "This comment names `FC12O`, and no rule is called so (did you mean `FC120`?)."
    assert unknown.finding.location.span is not None
    assert (unknown.severity, unknown.finding.location.span[:2]) == ("warning", (6, 1))
    idle = audit(with_line("# fcoplint: ignore[FC120] x\n")).findings[0]
    assert idle.message == "This comment excuses FC120, and there is no FC120 on the line it speaks of."
    assert "If it has, leave it" in idle.help


def test_what_was_not_looked_for_is_not_called_unused() -> None:
    content = SOUND.replace("---\n", "---\n# fcoplint: ignore[FC123] x\n", 1)
    assert told(audit(content)) == ["FC002"]
    assert told(audit(content, settings=Settings(ignore=("FC123",)))) == []
    assert told(audit(content, settings=Settings(select=("FC0", "FC5")))) == []
    assert told(audit(content, settings=Settings(ignore=("FC002",)))) == []
    # Only a change can show it.
    assert told(audit(content.replace("FC123", "FC313"))) == []


def test_the_counts_and_the_excused_findings_stand_in_the_report(repo: Repo) -> None:
    repo.write(T1, with_line("", behind="  # fcoplint: ignore[FC123] why not"))
    report = repo.audit().report
    assert report["summary"]["suppressed"] == {"inline": 1, "path": 0, "baseline": 0}
    (item,) = report["suppressed"]
    assert (item["code"], item["line"]) == ("FC123", 6)
    assert item["suppression"] == {"kind": "inline", "reason": "why not", "path": T1, "line": 6}
    assert [rule["code"] for rule in report["rules"]] == ["FC123"]
    assert "1 finding excused: 1 by a comment" in repo.run("audit").out


def test_sarif_carries_excused_findings_as_suppressions(repo: Repo) -> None:
    repo.write(T1, with_line("", behind="  # fcoplint: ignore[FC123] why not"))
    repo.write(T2, task_text("PM", "QA", priority="soon"))
    repo.write(".fcoplint.toml", f"[per-path-ignores]\n'{T2}' = ['FC123']\n")
    results = json.loads(repo.run("audit", "--format", "sarif").out)["runs"][0]["results"]
    assert [(item["suppressions"][0]["kind"], item["suppressions"][0]["justification"]) for item in results] == [
        ("inSource", "why not"),
        ("external", f"per-path-ignores: {T2}"),
    ]
    place = results[0]["suppressions"][0]["location"]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (T1, 6)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_lists_what_is_excused_as_a_finding(name: str) -> None:
    report = audit(with_line("# fcoplint: ignore[FC123] x\n"))
    assert PARSERS[name](FORMATS[name].write(report, Paint(on=False))) == []


# Changes.


def test_a_change_may_excuse_what_it_brings_in_and_the_report_shows_it(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA", priority="soon  # fcoplint: ignore[FC123] x"))
    repo.git("add", "-A")
    report = repo.check().report
    assert (report["exit_code"], report["findings"], [item["code"] for item in report["suppressed"]]) == (0, [], ["FC123"])
    repo.git("commit", "-q", "-m", "landed")
    repo.write("README.md", "x")
    repo.git("add", "-A")
    # It was there before: counted, not listed.
    report = repo.check().report
    assert (report["summary"]["suppressed"]["inline"], report["suppressed"]) == (1, [])
    assert [item["introduced"] for item in repo.check("--all").report["suppressed"]] == [False]


def test_a_change_that_takes_an_excuse_away_brings_the_finding_in(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA", priority="soon  # fcoplint: ignore[FC123] x"))
    repo.commit()
    repo.write(T2, task_text("PM", "QA", priority="soon"))
    repo.git("add", "-A")
    assert "FC123" in repo.check().codes


def test_an_unused_comment_is_told_to_the_change_that_brings_it(repo: Repo) -> None:
    repo.write(T2, task_text("PM", "QA", priority="P2  # fcoplint: ignore[FC123] x"))
    repo.git("add", "-A")
    assert repo.check().codes == ["FC002"]
    repo.git("commit", "-q", "-m", "landed")
    repo.write("README.md", "x")
    repo.git("add", "-A")
    assert repo.check().codes == []


# Paths.


def test_paths_excuse_and_are_counted(repo: Repo) -> None:
    repo.write(T2, task_text("OPS", "QA"))
    repo.write(".fcoplint.toml", f"[per-path-ignores]\n'{INBOX}/**' = ['FC120']\n")
    report = repo.audit().report
    assert (report["findings"], report["summary"]["suppressed"]["path"]) == ([], 1)
    assert report["suppressed"][0]["suppression"] == {
        "kind": "path", "reason": f"per-path-ignores: {INBOX}/**", "path": None, "line": None
    }  # fmt: skip


def test_a_path_that_nothing_needs_is_told_with_its_line(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "[per-path-ignores]\n# old\n'fcop/reports/**' = ['FC120', 'FC5']\n")
    assert [(item["code"], item["path"], item["line"]) for item in repo.audit().findings] == [("FC002", ".fcoplint.toml", 3)] * 2
    # A part of the repository, or a part of the rules, tells nothing of it.
    assert repo.audit("fcop").findings == []
    assert repo.audit("--select", "FC1").findings == []
    # Nor does a change.
    repo.commit()
    repo.write("README.md", "x")
    repo.git("add", "-A")
    assert repo.check().findings == []


def test_a_path_cannot_be_called_unused_for_what_only_a_change_shows(repo: Repo) -> None:
    repo.write(".fcoplint.toml", "[per-path-ignores]\n'fcop/reports/**' = ['FC804', 'FC8', 'FC3']\n")
    assert repo.audit().findings == []


def test_moving_out_of_an_excusing_path_brings_the_finding_in(repo: Repo) -> None:
    repo.write(T2, task_text("OPS", "QA"))
    repo.write(".fcoplint.toml", f"[per-path-ignores]\n'{INBOX}/**' = ['FC120']\n")
    repo.commit()
    repo.git("mv", T2, "fcop/_lifecycle/TASK-20261001-002-PM-to-QA.md")
    assert "FC120" in repo.check().codes


# Laws.

_LINES = st.lists(
    st.sampled_from(
        [
            "# fcoplint: ignore[FC123] x", "  # fcoplint: ignore[FC120]", "a: 1", "b: x  # fcoplint: ignore[FC123]",
            "c: 'it # fcoplint: x'", "d: |", "  text # fcoplint: ignore[FC1]", "e: [1, 2]", "# other",
            "", "f: \"x\\", "  y\"", "g: >-", "- a", "h: 测 # fcoplint:",
        ]
    ),
    max_size=12,
)  # fmt: skip


@given(_LINES, st.sampled_from(["\n", "\r\n"]))
def test_every_comment_lies_where_the_file_has_one(lines: list[str], end: str) -> None:
    document = Document(f"---\n{chr(10).join(lines)}\n---\n".replace("\n", end).encode())
    for comment in document.comments:
        said = document.lines[comment.span.line - 1][comment.span.column - 1 :]
        assert said.startswith("#")
        assert "fcoplint:" in said
        assert comment.line is None or comment.span.line <= comment.line < document.body_line
