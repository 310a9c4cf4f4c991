"""`fcoplint explain CODE`: what a rule checks, why, and how to put it right."""

from __future__ import annotations

import re

import click

from fcoplint import catalogue
from fcoplint.cli import common
from fcoplint.cli.folder import language_here
from fcoplint.output.phrases import say
from fcoplint.output.rulebook import severities
from fcoplint.output.width import pad


def _complete(_context: click.Context, _argument: click.Parameter, begun: str) -> list[str]:
    """The codes and names that begin so, for the shell's completion."""
    return [word for word in (*catalogue.rule_files(), *catalogue.names()) if word.startswith(begun)]


@click.command("explain")
@click.argument("code", shell_complete=_complete)
@common.lang_option
def command(code: str, lang: str | None) -> None:
    """Explain a rule, by its code (FC120) or its name (routing-mismatch)."""
    prefix = catalogue.resolve(code)
    if prefix not in catalogue.rule_files():
        common.stop_for_rule(code)
    common.print_out(_page(catalogue.rule(prefix, language_here(lang))))


def _page(rule: catalogue.Rule) -> str:
    facts = {"severity": severities(rule), "protocol": rule.protocols, "fix": rule.fix, "source": rule.source}
    lines = [f"{rule.code} {rule.name}", rule.title, "", *(f"{pad(say(rule.lang, key), 10)}{value}" for key, value in facts.items())]
    return "\n".join([*lines, "", rule.why, "", _examples_last(rule.body, say(rule.lang, "examples"))]) + "\n"


def _examples_last(body: str, heading: str) -> str:
    """A page with its examples behind all else: who was just blocked looks for the way out first."""
    sections = [section.strip() for section in re.split(r"(?m)^(?=## )", body) if section.strip()]
    return "\n\n".join(sorted(sections, key=lambda section: section.startswith(heading)))
