"""What reports for people say besides the rules' own texts: one table a language, the same keys in each.

A phrase whose form depends on a number `n` is a pair: for one, and for others. What is not in the table is said
as it is: names of related places and notes are looked up by their English words.
"""

from __future__ import annotations

from collections.abc import Mapping

from fcoplint.language import CHINESE, ENGLISH

_Table = Mapping[str, str | tuple[str, str]]

_ENGLISH: _Table = {
    "errors": ("{n} error", "{n} errors"),
    "warnings": ("{n} warning", "{n} warnings"),
    "infos": "{n} info",
    "nothing": "no findings",
    "comma": ", ",
    "summary": "{found} in {envelopes} of {workspaces}",
    "envelopes": ("{n} envelope", "{n} envelopes"),
    "workspaces": ("{n} workspace", "{n} workspaces"),
    "older": (
        "{n} older finding was there before this change and not listed (--all lists them)",
        "{n} older findings were there before this change and not listed (--all lists them)",
    ),
    "excused": ("{n} finding excused: {listed}", "{n} findings excused: {listed}"),
    "inline": "{n} by a comment",
    "path": "{n} by a path",
    "baseline": "{n} by the baseline",
    "note": "note: {text}",
    "not provable": "not provable here, and so not judged:",
    "commit": "commit:",
    "see": "see:",
    "related": " ({what})",
    "more": "{n} more (--format json lists them)",
    "why": "why:",
    "help": "help:",
    "next": "next:",
    "table": "| severity | rule | where | what |",
    "unlisted": "{n} more are not listed here.",
    "log only": ("{n} of {all} stands in this log only.", "{n} of {all} stand in this log only."),
    "findings": ("{n} finding", "{n} findings"),
    "Next": "Next: {command}",
    "leader": ", leader {leader}",
    "no work": "no open work",
    "issue": "issue",
    "archived": "{n} archived",
    "severity": "severity:",
    "protocol": "protocol:",
    "fix": "fix:",
    "source": "source:",
    "examples": "## Example",
    "rules table": "| code | name | severity | protocols | fix | what it checks |",
}

_CHINESE: _Table = {
    "errors": "{n} 个错误",
    "warnings": "{n} 个警告",
    "infos": "{n} 个提示",
    "nothing": "没有发现问题",
    "comma": "、",
    "summary": "{found}（{workspaces}，{envelopes}）",
    "envelopes": "{n} 个信封",
    "workspaces": "{n} 个工作区",
    "older": "另有 {n} 个问题在这次改动之前就有，没有列出（--all 会列出）",
    "excused": "{n} 个问题已豁免：{listed}",
    "inline": "注释 {n} 个",
    "path": "按路径 {n} 个",
    "baseline": "基线 {n} 个",
    "note": "注意：{text}",
    "not provable": "以下各项无法从文件证明，因此没有判断：",
    "commit": "提交：",
    "see": "参见：",
    "related": "（{what}）",
    "more": "另有 {n} 处（--format json 会列出）",
    "why": "原因：",
    "help": "处理：",
    "next": "下一步：",
    "table": "| 级别 | 规则 | 位置 | 问题 |",
    "unlisted": "另有 {n} 个没有列在这里。",
    "log only": "{all}中有 {n} 个只写在这份日志里。",
    "findings": "{n} 个问题",
    "Next": "下一步：{command}",
    "leader": "，leader 为 {leader}",
    "no work": "没有进行中的任务",
    "issue": "ISSUE",
    "archived": "已归档 {n} 个",
    "severity": "级别：",
    "protocol": "协议：",
    "fix": "修复：",
    "source": "出处：",
    "examples": "## 例子",
    "rules table": "| 代码 | 名称 | 级别 | 协议 | 修复 | 检查什么 |",
    # Places that belong to a finding.
    "first": "第一处",
    "twin": "另一个名字",
    "copy": "另一份副本",
    "recipient": "收件人",
    "child": "子任务",
    "child TASK": "子 TASK",
    "subject": "所评审的对象",
    "the same number": "同一个编号",
    "the same name": "同一个名字",
    "the same session": "同一个会话",
    "parent": "父 TASK",
    "earlier REPORT": "更早的 REPORT",
    "the other workspace": "另一个工作区",
    "what is found": "实际找到的",
    "target": "目标",
    "one of them": "其中之一",
    "event before": "前一个事件",
    "first migration": "第一次迁移",
    "archive event": "归档事件",
    "the event to done": "进入 done 的事件",
    "the TASK": "该 TASK",
    # Notes: what was not looked at.
    "only these rules ran: {}": "只运行了这些规则：{}",
    "these rules did not run: {}": "没有运行这些规则：{}",
    "paths left out by the setting `exclude`: {}": "设置 `exclude` 略过的路径：{} 个",
    "git ignores this workspace; it was read from disk": "git 忽略这个工作区；内容是从磁盘读的",
    "this folder may not be read": "没有权限读取这个文件夹",
    "whether a profile would have authorized a move, and who really issued a REVIEW": "profile 会不会授权某次移动，REVIEW 究竟由谁签发",
    "whether the name in an event's `by` is true, and what ADMIN or a leader may do": (
        "事件的 `by` 里的名字是否真实，ADMIN 或 leader 可以做什么"
    ),
    "whether locks were held, and on which kind of file system": "有没有持有锁，在哪种文件系统上",
    "whether a creation was run once or replayed": "创建是运行了一次，还是重放的",
    "whether another clone of this workspace is worked in elsewhere": "有没有人在别处的另一个克隆里使用这个工作区",
    "whether an authorization was in force by the clock on the wall; only the event's own `at` is known": (
        "按真实的时钟，授权当时是否有效；知道的只有事件自己的 `at`"
    ),
    "whether an ISSUE or REVIEW that no event cites was changed before git held it": (
        "没有事件引用的 ISSUE 或 REVIEW，在 git 存下它之前有没有改动过"
    ),
    "this is no git repository, so nothing was compared with an earlier state": "这里不是 git 仓库，所以没有与更早的状态比较",
}

_PLACES: _Table = {"first": "the first one", "twin": "the other name", "copy": "the other copy"}
_TABLES: Mapping[str, _Table] = {ENGLISH: {**_ENGLISH, **_PLACES}, CHINESE: _CHINESE}


def say(lang: str, key: str, **values: object) -> str:
    """The phrase of a key with its values, in the form that the number `n` asks for. Raises KeyError for one that no table has."""
    forms = _TABLES[lang][key]
    form = forms if isinstance(forms, str) else forms[values.get("n") != 1]
    return form.format(**values)


def translate(lang: str, words: str) -> str:
    """English words in a language; as they are where nobody has translated them."""
    found = _TABLES[lang].get(words, words)
    return found if isinstance(found, str) else words
