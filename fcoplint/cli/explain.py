"""`fcoplint explain CODE`: what a rule checks, why, and how to put it right."""

from __future__ import annotations

import click

from fcoplint import catalogue
from fcoplint.cli import common


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain a rule, by its code (FC120) or its name (routing-mismatch). Without one, list all rules."""
    if code is None:
        for known in catalogue.rule_files():
            rule = catalogue.rule(known)
            click.echo(f"{rule.code}  {rule.name:28} {rule.title}")
        return
    prefix = catalogue.resolve(code)
    if prefix not in catalogue.rule_files():
        near = catalogue.suggest(code)
        common.stop(f"no rule is called `{code}`" + (f"; did you mean `{near}`?" if near else ""), common.USAGE)
    click.echo(_page(catalogue.rule(prefix)), nl=False)


def _page(rule: catalogue.Rule) -> str:
    severity = ", ".join(f"{level} ({condition})" if condition else level for condition, level in rule.severity.items())
    head = [
        f"{rule.code} {rule.name}",
        rule.title,
        "",
        f"severity: {severity}",
        f"protocol: {rule.protocols}",
        f"fix:      {rule.fix}",
        f"source:   {rule.source}",
    ]
    return "\n".join([*head, "", f"{rule.why}", "", rule.body]) + "\n"
