"""Identity (FC1) across envelopes: one number for two envelopes, one session for two roles (protocol.md V3-N05, V3-F14)."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from fcoplint.checks.habits import once
from fcoplint.checks.registry import V1_V3, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.envelope import Envelope, Task
from fcoplint.model.nodes import Scalar
from fcoplint.model.workspace import Workspace
from fcoplint.protocol import roles

_LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.UTC)


@rule("FC105", versions=V1_V3)
def reused_number(workspace: Workspace) -> Iterator[Finding]:
    groups: dict[str, dict[str, Envelope]] = {}
    for envelope in workspace.envelopes:
        name = envelope.name
        if name:
            # Names that differ in case alone are FC106; copies of one stem are told below.
            groups.setdefault(f"{name.kind}-{name.date}-{name.sequence}", {}).setdefault(envelope.stem.casefold(), envelope)
    reused = [_reuse(number, sorted(named.values(), key=_age)) for number, named in sorted(groups.items()) if len(named) > 1]
    yield from once(workspace, reused, "reused numbers")


def _reuse(number: str, named: list[Envelope]) -> Finding:
    *others, latest = named
    related = tuple(Related(other.file, "the same number") for other in others)
    about = ", ".join(other.stem for other in others)
    return on(
        latest, "FC105", latest.file, about=about, related=related,
        number=number, kind=latest.kind, other=others[0].path, count=len(named),
    )  # fmt: skip


@rule("FC105", versions=V1_V3)
def name_given_twice(workspace: Workspace) -> Iterator[Finding]:
    for copies in workspace.by_stem.values():
        # A TASK in two places is a move that did not finish (FC203), or one taken back from history (FC210).
        if len(copies) == 1 or copies[0].name is None or (copies[0].kind == "TASK" and workspace.version == 3):
            continue
        *others, latest = copies
        same = all(other.content == latest.content for other in others)
        related = tuple(Related(other.file, "the same name") for other in others)
        yield on(
            latest, "FC105", latest.file, about="copies", message="identical" if same else "twins", related=related,
            kind=latest.kind, other=others[0].path, count=len(copies),
        )  # fmt: skip


def _age(envelope: Envelope) -> tuple[datetime.datetime, str]:
    """When an envelope came to be, as far as it says so: an order that no move of it changes."""
    time = envelope.events[0].time if isinstance(envelope, Task) and envelope.events else None
    return time.moment if time else _LONG_AGO, envelope.stem


@rule("FC130", versions=V1_V3)
def one_session_two_roles(workspace: Workspace) -> Iterator[Finding]:
    sessions: dict[str, dict[str, tuple[Envelope, Scalar]]] = {}
    for envelope in sorted(workspace.envelopes, key=_number):
        session, role = envelope.scalar("session_id"), _signer(envelope)
        if session and role:
            sessions.setdefault(session.text.strip(), {}).setdefault(role, (envelope, session))
    for session_id, signed in sessions.items():
        (first_role, (first, place)), *rest = signed.items()
        related = (Related(first.at(place), "the same session"),)
        for role, (envelope, session) in rest:
            yield on(
                envelope, "FC130", session, about=f"{session_id}={role}", related=related,
                session=session_id, role=role, first_role=first_role, other=first.path,
            )  # fmt: skip


def _number(envelope: Envelope) -> tuple[str, str, bool, str]:
    """The order of the names: by day and number, the TASK before what answers it."""
    return (*envelope.serial, envelope.kind != "TASK", envelope.stem)


def _signer(envelope: Envelope) -> str | None:
    """The agent's role that an envelope is signed for; a REVIEW is signed otherwise.

    ADMIN is a person who says in a session what its agent then writes down as ADMIN's TASK: in real trees every session
    that bears two roles is of this kind. SYSTEM is no agent either.
    """
    if envelope.name is None or envelope.kind == "REVIEW":
        return None
    role = envelope.workspace.authority.role_of(envelope.name.sender)
    return None if role in roles.RESERVED else role
