"""The catalogue in each format."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fcoplint.catalogue import Rule
from fcoplint.output.phrases import say

SCHEMA = "fcoplint.rules/1"


def as_text(rules: Sequence[Rule]) -> str:
    """A line a rule: code, name, title."""
    width = max(len(rule.name) for rule in rules)
    return "".join(f"{rule.code}  {rule.name:{width}}  {rule.title}\n" for rule in rules)


def as_markdown(rules: Sequence[Rule]) -> str:
    """A table of all rules."""
    head = f"{say(rules[0].lang, 'rules table')}\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| {rule.code} | {rule.name} | {severities(rule)} | {rule.protocols} | {rule.fix} | {rule.title.replace('|', chr(92) + '|')} |\n"
        for rule in rules
    )


def as_json(rules: Sequence[Rule]) -> str:
    """Everything that stands in the rules' files, as one JSON object."""
    listed = [
        {
            "code": rule.code,
            "name": rule.name,
            "title": rule.title,
            "contract": rule.contract,
            "protocols": rule.protocols,
            "severity": {condition or "default": level for condition, level in rule.severity.items()},
            "fix": rule.fix,
            "source": rule.source,
            "why": rule.why,
            "messages": {key: {"text": item.text, "help": item.help, "next": list(item.next)} for key, item in rule.messages.items()},
            "body": rule.body,
        }
        for rule in rules
    ]
    return json.dumps({"schema": SCHEMA, "rules": listed}, indent=2) + "\n"


def severities(rule: Rule) -> str:
    """`error, warning (alias)`: the ordinary severity, then each other one with its condition."""
    return ", ".join(f"{level} ({condition})" if condition else level for condition, level in rule.severity.items())
