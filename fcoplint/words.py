"""The tool's own words among a finding's parameters, in other languages.

JSON carries the parameters as they are, in every language the same; a message shows these instead. Only the parameters named
here are looked at, so that nothing a repository says is ever translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from fcoplint.language import CHINESE

_ROLE_THEN_SLUG = "a role in capitals, then at most a slug in small letters"
_CHINESE_WORDS: Mapping[str, Mapping[str, str]] = {
    "did": {
        "approved": "批准了",
        "rejected": "退回了",
        "reopened": "重新打开了",
        "finished": "完成了",
        "submitted": "提交了",
        "sends": "发出",
        "receives": "接收",
    },
    "place": {
        "in this file": "这个文件里",
        "on the line it speaks of": "它所说的那一行",
        "archived": "已归档（archived）",
        "done": "已完成（done）",
    },
    "segment": {
        "type": "类型",
        "extension": "扩展名",
        "date": "日期",
        "sequence": "序号",
        "routing": "收发部分",
        "reporter": "报告者",
        "sender": "发件人",
        "recipient": "收件人",
        "subject": "subject",
    },
    "expected": {
        "TASK, REPORT, ISSUE or REVIEW": "TASK、REPORT、ISSUE 或 REVIEW",
        "eight digits, YYYYMMDD": "八位数字 YYYYMMDD",
        "three digits": "三位数字",
        "a reporter alone (an ISSUE has no -to- and no recipient)": "只有报告者（ISSUE 没有 -to-，也没有收件人）",
        _ROLE_THEN_SLUG: "大写的角色，之后最多一个小写的 slug",
        "a role in capitals": "大写的角色",
        "small letters, digits and hyphens": "小写字母、数字和连字符",
        "a role without a slot (only a TASK may be addressed to one)": "不带 slot 的角色（只有 TASK 可以写给 slot）",
        "a slug: small letters, digits and hyphens, beginning with a letter": "slug：小写字母、数字和连字符，以字母开头",
    },
    "manifest": {"the configuration of fcoplint": "fcoplint 的配置"},
    "allowed": {"nobody": "没有人"},
    "meant": {"`fcoplint rules` lists them": "`fcoplint rules` 会列出它们"},
    "relative": {"a path relative to the project": "相对于项目的路径", "relative to the project": "相对于项目的路径"},
    "detail": {
        "nothing": "空",
        "text": "文字",
        "a list": "列表",
        "a mapping": "映射",
        "a text": "文字",
        "true or false": "true 或 false",
        "a number": "数字",
    },
    "what": {
        "the record of a running instance": "正在运行的实例的记录",
        "a registry of projects": "项目登记表",
        "the lock of a running writer": "正在运行的写入者的锁",
        "the lock of a running instance": "正在运行的实例的锁",
        "the leases of running writers": "正在运行的写入者的租约",
        "the record of a migration": "迁移的记录",
        "the agents of a running instance": "正在运行的实例的 agent",
        "the state of sessions": "会话的状态",
    },
}

_EDGE = (re.compile(r" ?\((\w+) to (\w+)\)"), r"（\1 到 \2）")
_OR = (re.compile(r"(?<=\w) or (?=\w)"), " 或 ")
# What is put together of names and words: (pattern, replacement) for each parameter.
_CHINESE_PATTERNS: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    **dict.fromkeys(("lawful", "others", "creation", "missing", "edge"), (_EDGE,)),
    **dict.fromkeys(("layers", "meant"), (_OR, (re.compile(r"^did you mean (`.*`)\?$"), r"是不是 \1？"))),
    "expected": (
        _OR,
        (re.compile(r"^one of "), "下列之一："),
        (re.compile(r"\bone (REPORT|REVIEW)\b"), r"一个 \1"),
        (re.compile(r"(?<=\w) and (?=\w)"), " 和 "),
        (re.compile(r"^(`.*`), as the file name says$"), r"\1，与文件名相同"),
    ),
    "manifest": (
        (
            re.compile(r"^no file: (.*) names none, and ADMIN sends TASKs to this role alone$"),
            r"没有文件：\1 没有写明，而 ADMIN 只给这个角色发 TASK",
        ),
    ),
    "landed": (
        (re.compile(r"^(.*) to (.*), by (.*) at (.*)$"), r"\1 到 \2，由 \3，在 \4"),
        (re.compile(r"^an entry that is no event$"), "不是事件的条目"),
    ),
}


def _in_chinese(key: str, value: str) -> str:
    found = _CHINESE_WORDS.get(key, {}).get(value)
    if found is not None:
        return found
    for pattern, replacement in _CHINESE_PATTERNS.get(key, ()):
        value = pattern.sub(replacement, value)
    return value


_LANGUAGES: Mapping[str, Callable[[str, str], str]] = {CHINESE: _in_chinese}


def told(lang: str, parameters: Mapping[str, object]) -> Mapping[str, object]:
    """The parameters as a message in a language shows them."""
    if lang not in _LANGUAGES:
        return parameters
    return {key: _LANGUAGES[lang](key, value) if isinstance(value, str) else value for key, value in parameters.items()}
