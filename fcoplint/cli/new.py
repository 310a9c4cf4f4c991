"""`fcoplint new`: a TASK, REPORT, ISSUE or REVIEW, written whole and with a number of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from fcoplint.cli import common, writers
from fcoplint.protocol.fields import PRIORITIES, REPORT_STATUSES, RISK_LEVELS
from fcoplint.protocol.judgements import DECISIONS, SEVERITIES, SUBJECT_TYPES
from fcoplint.repair.creation import COMMAND, Wanted, create
from fcoplint.source import git

_SHARED = (
    click.option("--by", required=True, metavar="ROLE", help="The role that writes it."),
    click.option("--body", metavar="TEXT", help="What it says; by default only its title."),
    click.option("--body-file", metavar="FILE", help="Take what it says from a file; - is standard input."),
    click.option("--workspace", metavar="FOLDER", help="The workspace, where the project has several."),
    click.option("--dry-run", is_flag=True, help="Show the plan, and write nothing."),
    click.option("--no-stage", is_flag=True, help="Leave git's index alone."),
    writers.format_option,
)
_slug = click.option("--slug", metavar="WORDS", help="Words for the file name, in small letters: login-form.")


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SHARED):
        function = option(function)
    return function


@click.group("new")
def command() -> None:
    """Write a new envelope: it appears whole, with the next number free in the whole workspace, and is staged.

    Nothing that the rules forbid is written, and nothing is ever overwritten.
    """


@command.command("task")
@click.option("--to", required=True, metavar="ROLE", help="Who is to do it: a role, ROLE.SLOT, or TEAM.")
@click.option("--subject", metavar="TEXT", help="What it is about, in one line.")
@click.option("--priority", type=click.Choice(PRIORITIES), default="P2", show_default=True)
@click.option("--risk-level", type=click.Choice(RISK_LEVELS))
@click.option("--parent", metavar="TASK", help="The TASK that this one is a part of.")
@click.option("--reference", "references", multiple=True, metavar="ID", help="An envelope that it speaks of; several times for several.")
@click.option("--supersedes", metavar="TASK", help="The TASK that this one takes the place of.")
@_slug
@_shared
def task(
    to: str,
    subject: str | None,
    priority: str,
    risk_level: str | None,
    parent: str | None,
    references: tuple[str, ...],
    supersedes: str | None,
    slug: str | None,
    **shared: Any,
) -> None:
    """Send a TASK: it begins in the inbox, with the event that says who sent it."""
    fields = {
        "priority": priority,
        "subject": subject,
        "risk_level": risk_level,
        "parent": parent,
        "supersedes": supersedes,
        "references": references,
    }
    _create("TASK", shared, fields=fields, to=to, slug=slug)


@command.command("report")
@click.option("--task", "about", required=True, metavar="TASK", help="The TASK that it answers.")
@click.option("--status", type=click.Choice(REPORT_STATUSES), default="done", show_default=True)
@click.option("--to", metavar="ROLE", help="Who gets it; by default who sent the TASK.")
@click.option("--subject", metavar="TEXT", help="What it is about, in one line.")
@_slug
@_shared
def report(about: str, status: str, to: str | None, subject: str | None, slug: str | None, **shared: Any) -> None:
    """Report what came of a TASK."""
    _create("REPORT", shared, fields={"status": status, "subject": subject}, about=about, to=to, slug=slug)


@command.command("issue")
@click.option("--severity", type=click.Choice(SEVERITIES), required=True)
@click.option("--summary", required=True, metavar="TEXT", help="What hinders the work, in one line.")
@_slug
@_shared
def issue(severity: str, summary: str, slug: str | None, **shared: Any) -> None:
    """Say what hinders the work."""
    _create("ISSUE", shared, fields={"severity": severity, "summary": summary}, slug=slug)


@command.command("review")
@click.option("--on", "about", required=True, metavar="SUBJECT", help="What it judges: a TASK, a REPORT, or another name.")
@click.option("--subject-type", type=click.Choice(SUBJECT_TYPES), help="What kind of thing that is, where no envelope has the name.")
@click.option("--decision", type=click.Choice(DECISIONS), required=True)
@click.option("--rationale", metavar="TEXT", help="Why, in one line.")
@click.option("--change", "changes", multiple=True, metavar="TEXT", help="What must change (needs_changes); several times for several.")
@_shared
def review(about: str, subject_type: str | None, decision: str, rationale: str | None, changes: tuple[str, ...], **shared: Any) -> None:
    """Judge a piece of work; a REVIEW moves nothing."""
    kind = {"subject_type": subject_type} if subject_type else {}
    fields = {**kind, "decision": decision, "rationale": rationale, "required_changes": changes}
    _create("REVIEW", shared, fields=fields, about=about)


def _create(kind: str, shared: dict[str, Any], **given: Any) -> None:
    style = shared["style"]
    wanted = Wanted(
        kind,
        shared["by"],
        body=_body(shared["body"], shared["body_file"]),
        workspace=shared["workspace"],
        stages_in_git=not shared["no_stage"],
        **given,
    )
    try:
        outcome = create(writers.open_project, wanted, os.environ, dry_run=shared["dry_run"])
    except git.GitError as error:
        writers.stop_for_git(error, COMMAND, style)
    writers.finish([outcome], style)


def _body(text: str | None, file: str | None) -> str:
    if text is not None and file is not None:
        common.stop("give --body or --body-file, not both", common.USAGE)
    if file is None:
        return text or ""
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        with open(file, encoding="utf-8", newline="") as opened:
            return opened.read()
    except OSError as error:
        common.stop(f"{file}: {error.strerror}", common.USAGE)
    except UnicodeDecodeError:
        common.stop("the body is no UTF-8", common.USAGE)
