"""Who signs (FC420): whether the author of a change may speak for the roles it speaks for (protocol.md G14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Finding, on
from fcoplint.model.change import Change
from fcoplint.model.envelope import Envelope, Report
from fcoplint.model.nodes import Scalar
from fcoplint.protocol.roles import base_role


@rule("FC420", versions=ANY, additive=True)
def actor_not_author(change: Change) -> Iterator[Finding]:
    for envelope, signature, about in _signatures(change):
        policy = envelope.workspace.policy
        role = base_role(signature.text, envelope.workspace.declared_roles | policy.actors.keys())
        allowed = policy.actors.get(role)
        if allowed is None:
            continue
        if change.author and not _fits(change.author.email, allowed):
            yield on(
                envelope, "FC420", signature, about=about,
                role=role, author=f"{change.author.name} <{change.author.email}>", allowed=", ".join(allowed) or "nobody",
            )  # fmt: skip
        elif policy.require_signed and change.signed is False:
            yield on(envelope, "FC420", signature, about=about, message="unsigned", role=role)


def _signatures(change: Change) -> Iterator[tuple[Envelope, Scalar, str]]:
    """Where the change speaks for a role: the `by` of each new event, the `sender` of each new REPORT."""
    if not change.after.policy.actors:
        return
    for task, event in change.new_events():
        actor = event.scalar("by")
        if actor and not actor.is_empty:
            yield task, actor, f"{event.identity} by={actor.text}"
    renamed = {pair.after.path for pair in change.renamed}
    for report in change.added():
        sender = report.scalar("sender")
        if isinstance(report, Report) and sender and report.path not in renamed:
            yield report, sender, f"sender={sender.text}"


def _fits(email: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(email.lower(), pattern.lower()) for pattern in patterns)
