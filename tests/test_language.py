"""Which language a run speaks, and what it says in it: the tool's own phrases, wide characters in their columns."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcoplint import catalogue, engine, words
from fcoplint.language import known, of_locale
from fcoplint.output import text as as_text
from fcoplint.output.width import pad, width
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.repository import INBOX, T1, Repo, task_text

T2 = f"{INBOX}/TASK-20261001-002-PM-to-QA.md"
BAD = task_text("OPS", "QA")
MANIFEST = b'{"mode": "preset", "team": "dev-team", "leader": "PM", "roles": ["PM", "DEV", "QA", "OPS"], "lang": "en", "version": 1}'
PLAIN = as_text.Paint(on=False)
SOURCE = Path(catalogue.__file__).parent
ENGLISH, CHINESE = "but the file name says", "但文件名说是"

TAGS = [
    ("zh", "zh"), ("zh-CN", "zh"), ("zh_CN.UTF-8", "zh"), ("ZH-Hans", "zh"), ("en", "en"), ("en_GB", "en"), ("zhx", None),
    ("C.UTF-8", None), ("", None), ("fr", None), (None, None), (7, None), (["zh"], None),
]  # fmt: skip
LOCALES = [
    ({}, "en"),
    ({"LANG": "zh_CN.UTF-8"}, "zh"),
    ({"LC_MESSAGES": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
    ({"LC_ALL": "zh_TW.UTF-8", "LC_MESSAGES": "en_US", "LANG": "C"}, "zh"),
    ({"LC_ALL": "", "LANG": "zh_CN"}, "zh"),
    ({"LC_ALL": "C", "LANG": "zh_CN"}, "en"),
]
# Each row names what asks for a language, from the weakest to the strongest; the strongest decides.
ORDER = [
    (None, None, None, None, ENGLISH),
    ("zh_CN.UTF-8", None, None, None, CHINESE),
    ("zh_CN.UTF-8", "en", None, None, ENGLISH),
    ("C", "zh", None, None, CHINESE),
    ("C", "fr", None, None, ENGLISH),
    ("zh_CN.UTF-8", "zh", "en", None, ENGLISH),
    ("C", "en", "zh", None, CHINESE),
    ("zh_CN.UTF-8", "zh", "zh", "en", ENGLISH),
    ("C", "en", "en", "zh", CHINESE),
]


@pytest.mark.parametrize(("tag", "lang"), TAGS, ids=repr)
def test_a_tag_names_a_language_or_none(tag: object, lang: str | None) -> None:
    assert known(tag) == lang


@pytest.mark.parametrize(("environment", "lang"), LOCALES, ids=str)
def test_the_first_variable_that_is_set_is_the_locale(environment: dict[str, str], lang: str) -> None:
    assert of_locale(environment) == lang


@pytest.mark.parametrize(("locale", "manifest", "configured", "option", "said"), ORDER)
def test_option_configuration_manifest_locale_decide_in_this_order(
    repo: Repo, locale: str | None, manifest: str | None, configured: str | None, option: str | None, said: str
) -> None:
    data = json.loads(MANIFEST)
    data.pop("lang", None)
    repo.write("fcop/fcop.json", json.dumps({**data, **({"lang": manifest} if manifest else {})}))
    if configured:
        repo.write(".fcoplint.toml", f'lang = "{configured}"\n')
    repo.commit("settle the language")
    repo.write(T2, BAD)
    repo.git("add", "-A")
    arguments = ["--lang", option] if option else []
    environment = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": locale or "", "PYTHONIOENCODING": "utf-8"}
    ran = repo.run("check", *arguments, env=environment)
    assert (ran.code, said in ran.out) == (1, True), ran.out
    told = repo.run("explain", "FC120", *arguments, env=environment).out
    assert ("## 检查什么" in told) == (said == CHINESE)


def test_every_command_follows_the_manifest(repo: Repo) -> None:
    repo.write("fcop/fcop.json", MANIFEST.decode().replace('"lang": "en"', '"lang": "zh"'))
    repo.write(T2, BAD)
    environment = {"PYTHONIOENCODING": "utf-8"}
    commands = {("audit",): CHINESE, ("rules",): "front matter 里的角色与文件名不同", ("rules", "--format", "markdown"): "检查什么"}
    for command, said in {**commands, ("status",): "leader 为 PM", ("explain", "FC120"): "## 为什么重要"}.items():
        assert said in repo.run(*command, env=environment).out, command


def test_a_language_that_is_none_is_refused(repo: Repo) -> None:
    repo.write(".fcoplint.toml", 'lang = "fr"\n')
    ran = repo.run("audit")
    assert (ran.code, ".fcoplint.toml:1: `lang`" in ran.err) == (2, True)
    assert repo.run("audit", "--lang", "fr").code == 2


@pytest.mark.parametrize("style", ["json", "ndjson", "sarif"])
def test_programs_get_the_same_codes_and_parameters_in_every_language(repo: Repo, style: str) -> None:
    repo.write(T2, BAD)
    english, own = (repo.run("audit", "--format", style, "--lang", lang).out for lang in ("en", "zh"))
    assert english != own
    if style == "json":
        plain, told = json.loads(english), json.loads(own)
        assert (plain["lang"], told["lang"]) == ("en", "zh")
        (first,), (second,) = plain["findings"], told["findings"]
        assert {key for key in first if first[key] != second[key]} == {"message", "help"}
    assert re.findall(r"FC\d{3}|error|warning", english) == re.findall(r"FC\d{3}|error|warning", own)


def test_every_commit_of_a_history_is_told_in_the_one_language(repo: Repo) -> None:
    repo.write("fcop/fcop.json", MANIFEST.decode().replace('"lang": "en"', '"lang": "zh"'))
    repo.commit("speak Chinese")
    repo.write(T1, task_text(subject="anew"))
    repo.commit("edit a landed TASK")
    out = repo.run("audit", "--history", env={"PYTHONIOENCODING": "utf-8"}).out
    assert "已落地 TASK 的" in out or "被加进了已落地的 TASK" in out
    assert "landed TASK" not in out


def test_a_chinese_block_has_its_texts_in_one_column() -> None:
    report = engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, T1: task_text("QA").encode()}), Settings(lang="zh"))
    lines = as_text.write(report, PLAIN).splitlines()
    assert lines[0] == f"{T1}:4:9: error FC120 routing-mismatch"
    assert lines[1] == "  `sender` 是 `QA`，但文件名说是 `PM`。"
    starts = [match[0] for line in lines if (match := re.match(r"  (?:原因|处理|下一步)： *", line))]
    assert [start.strip() for start in starts] == ["原因：", "处理：", "下一步："]
    assert {width(start) for start in starts} == {width("  下一步： ")}
    assert lines[-1] == "1 个错误（1 个工作区，1 个信封）"


@pytest.mark.parametrize("before", ["测试", "ｗｉｄｅ", "e\u0301", "한국어", "plain", "“引号”"])
def test_the_caret_stands_below_what_it_marks(before: str) -> None:
    flow = f"---\n{{subject: {before}, protocol: fcop, version: 1, sender: QA, recipient: DEV}}\n---\n"
    report = engine.audit(MemorySnapshot({"fcop/fcop.json": MANIFEST, T1: flow.encode()}), Settings())
    lines = as_text.write(report, PLAIN).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  2 |"))
    wide = sum((unicodedata.east_asian_width(char) in "WF") - (unicodedata.category(char) == "Mn") for char in before)
    assert lines[at + 1].index("^") == lines[at].index("QA") + wide
    assert lines[at + 1].count("^") == len("QA")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20), st.integers(0, 50))
def test_what_is_padded_is_as_wide_as_wanted(text: str, wanted: int) -> None:
    assert width(pad(text, wanted)) == max(width(text), wanted)
    assert pad(text, wanted).startswith(text)


def test_the_status_has_its_columns_below_each_other_in_both_languages(repo: Repo) -> None:
    repo.write(T1, task_text(subject="测试登录"))
    for lang, headed in (("en", "leader PM"), ("zh", "leader 为 PM")):
        out = repo.run("status", "--lang", lang, env={"PYTHONIOENCODING": "utf-8"}).out
        assert headed in out


def test_statistics_speak_the_language_too(repo: Repo) -> None:
    repo.write(T2, BAD)
    out = repo.run("audit", "--statistics", "--lang", "zh", env={"PYTHONIOENCODING": "utf-8"}).out
    assert out.splitlines()[-1].startswith("1 个错误")
    assert out.splitlines()[0] == "1  FC120  error    routing-mismatch"


def test_a_terminal_without_chinese_gets_escapes_and_no_crash(repo: Repo) -> None:
    repo.write(T2, BAD)
    ran = repo.run("audit", "--lang", "zh", env={"PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.out.isascii(), "FC120" in ran.out) == (1, True, True)


PROBE = """
import json
from fcoplint import catalogue
from fcoplint.cli import main
try:
    main(["check"])
except SystemExit as end:
    print(json.dumps([end.code, catalogue.rule.cache_info().currsize]))
"""


def test_a_hook_without_findings_reads_no_rule_and_asks_no_locale_module(repo: Repo) -> None:
    repo.write("README", "nothing of FCoP\n")
    repo.git("add", "-A")
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "LC_ALL": "zh_CN.UTF-8"}
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=repo.path, env=env, capture_output=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [0, 0]
    imports = re.compile(r"^\s*(?:import|from) (?:locale|gettext)\b", re.MULTILINE)
    assert [path for path in SOURCE.rglob("*.py") if imports.search(path.read_text("utf-8"))] == []


def test_the_words_that_are_translated_are_words_of_the_tool() -> None:
    code = "\n".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path.name != "words.py")
    for key, table in words._CHINESE_WORDS.items():
        for english in table:
            assert f'"{english}"' in code or f'{english}"' in code, f"{key}: {english}"


WORDS = [
    ("lawful", "claim_task (inbox to active), a_task (done to archive)", "claim_task（inbox 到 active）, a_task（done 到 archive）"),
    ("meant", "done or archive", "done 或 archive"),
    ("meant", "did you mean `FC120`?", "是不是 `FC120`？"),
    ("expected", "one of high, medium, low", "下列之一：high, medium, low"),
    ("expected", "`ALERT-20261001-001`, as the file name says", "`ALERT-20261001-001`，与文件名相同"),
    ("value", "finished", "finished"),
    ("did", "finished", "完成了"),
    ("detail", "a list", "列表"),
]


@pytest.mark.parametrize(("key", "value", "said"), WORDS)
def test_only_the_tools_own_words_are_translated(key: str, value: str, said: str) -> None:
    assert words.told("zh", {key: value, "count": 3}) == {key: said, "count": 3}
    assert words.told("en", {key: value}) == {key: value}


def test_the_next_command_is_never_translated() -> None:
    for code in catalogue.rule_files():
        english, own = catalogue.rule(code), catalogue.rule(code, "zh")
        assert [item.next for item in own.messages.values()] == [item.next for item in english.messages.values()]


def test_where_nobody_has_translated_a_rule_it_is_told_in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "zh").mkdir()
    (tmp_path / "FC120-routing-mismatch.md").write_bytes(catalogue.rule_files()["FC120"].read_bytes())
    monkeypatch.setattr(catalogue, "_FOLDERS", (tmp_path,))
    catalogue.rule_files.cache_clear()
    try:
        assert catalogue.rule_file("FC120", "zh") == tmp_path / "FC120-routing-mismatch.md"
    finally:
        catalogue.rule_files.cache_clear()
