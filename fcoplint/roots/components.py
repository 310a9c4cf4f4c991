"""What holds a root, and whether it is the expected one. Pure: all that a disk said stands in the sightings (roots.md 5b)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import Identity, Verdict, below, judge, parse
from fcoplint.source.machine import MISSING, Spot


class State(StrEnum):
    """What can be said of one component."""

    OK = "ok"
    DIFFERENT = "different"
    MISSING = "missing"
    UNRESOLVABLE = "unresolvable"
    UNKNOWN = "unknown"
    ABSENT = "absent"
    STALE = "stale"


UNDECIDED = (State.MISSING, State.UNRESOLVABLE, State.UNKNOWN, State.STALE)


class Aim(Enum):
    """What a component's path must be: the root itself, a place that the root owns, or nothing in particular."""

    ROOT = "root"
    WITHIN = "within"
    LISTED = "listed"


@dataclass(frozen=True, slots=True)
class Expected:
    """The root that all others are held against, where it comes from, and the workspace in it ("" where there is none)."""

    logical: str
    identity: Identity
    source: str
    workspace: str = ""
    workspace_identity: Identity | None = None
    workspace_id: str | None = None

    @property
    def digest(self) -> str:
        """The root's digest."""
        return digest(self.identity)


@dataclass(frozen=True, slots=True)
class Sighting:
    """One root that was found, as it was written and as the disk has it; not judged yet.

    `origin` is the file or the place it was read from. `independent` is False for what is derived from the expected root
    itself. `settled` and `why` are what reading alone told; `unreadable` whether something there could not be looked at.
    `rule` is the code that speaks of a difference.
    """

    id: str
    origin: str
    raw: str | None = None
    aim: Aim = Aim.WITHIN
    spot: Spot | None = None
    independent: bool = True
    rule: str = ""
    settled: State | None = None
    why: str = ""
    unreadable: bool = False
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """A sighting with its state. One that is not `compared` names something that need not be the root."""

    sighting: Sighting
    state: State
    why: str
    rule: str
    compared: bool

    @property
    def id(self) -> str:
        """The component's name: unique, and the same in every run."""
        return self.sighting.id

    @property
    def logical(self) -> str | None:
        """The path made absolute by text alone."""
        if self.sighting.spot is not None:
            return self.sighting.spot.logical
        return parse(self.sighting.raw).text if self.sighting.raw and self.state is State.UNKNOWN else None

    @property
    def identity(self) -> Identity | None:
        """What really lies there."""
        return self.sighting.spot.identity if self.sighting.spot else None

    @property
    def root(self) -> Identity | None:
        """The root that the component speaks for: the folder itself, or the project that owns it."""
        spot = self.sighting.spot
        if spot is None:
            return None
        return spot.identity if self.sighting.aim is Aim.ROOT else spot.owner

    @property
    def is_undecided(self) -> bool:
        """Whether it should have been compared and could not be."""
        return self.compared and self.state in UNDECIDED


def digest(identity: Identity) -> str:
    """12 hex digits for a folder of this machine; of another machine's digests nothing follows."""
    text = f"fcoplint-root/1\0{identity.real}\0{identity.device}:{identity.inode}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def assess(sighting: Sighting, expected: Expected, declared: Roots) -> Component:
    """The component of a sighting."""
    compared = sighting.aim is not Aim.LISTED
    if sighting.settled is not None:
        state, why = _by_declaration(sighting, sighting.settled, declared) or (sighting.settled, sighting.why)
        return Component(sighting, state, why, sighting.rule, compared)
    spot = sighting.spot
    if spot is None:
        return Component(sighting, State.ABSENT, sighting.why, "", compared)
    if spot.identity is None:
        state = State.MISSING if spot.trouble == MISSING else State.UNRESOLVABLE
        state, why = _by_declaration(sighting, state, declared) or (state, _TROUBLES[spot.trouble])
        return Component(sighting, state, why, sighting.rule, compared)
    if not compared:
        return Component(sighting, State.UNKNOWN, sighting.why, "", False)
    state, why, rule = _compare(sighting, spot, spot.identity, expected)
    return Component(sighting, state, why or sighting.why, rule, compared)


_TROUBLES = {
    MISSING: "nothing lies there",
    "loop": "the links on the way lead in a circle",
    "too-long": "the path is longer than this system allows",
    "permission": "this user may not look there",
    "no-path": "this is no path (it holds a NUL)",
    "io": "the disk gave an error",
}


def _compare(sighting: Sighting, spot: Spot, found: Identity, expected: Expected) -> tuple[State, str, str]:
    if sighting.aim is Aim.WITHIN:
        if _owns(expected.identity, found, spot.owner):
            return State.OK, "", ""
        return State.DIFFERENT, f"it belongs to {spot.owner.real}" if spot.owner else "it lies in no project", sighting.rule
    if not spot.is_folder:
        return State.UNRESOLVABLE, "this names a file, and a root is a folder", sighting.rule
    if judge(found, expected.identity) is Verdict.SAME:
        return State.OK, "", ""
    if expected.workspace_identity and judge(found, expected.workspace_identity) is Verdict.SAME:
        return State.DIFFERENT, "this is the workspace in the root, not the root: tools would look for a workspace inside it", "FC723"
    if _owns(expected.identity, found, spot.owner):
        return State.DIFFERENT, "this is a folder inside the root, not the root", sighting.rule
    return State.DIFFERENT, "this is another project" if spot.owner else "this is another folder", sighting.rule


def _owns(root: Identity, found: Identity, owner: Identity | None) -> bool:
    """Whether the root owns what was found: it is its project, or lies around it with no other project between."""
    if judge(owner, root) is Verdict.SAME:
        return True
    return is_inside(found.real, root.real) and not (owner is not None and owner.real != root.real and is_inside(owner.real, root.real))


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _by_declaration(sighting: Sighting, state: State, declared: Roots) -> tuple[State, str] | None:
    """What the owner's declaration says of a path that this machine cannot judge."""
    if state not in (State.UNKNOWN, State.MISSING) or not sighting.raw or sighting.aim is Aim.LISTED:
        return None
    path = parse(sighting.raw)
    if not path.is_absolute:
        return None
    for root in declared.home:
        rest = below(path, parse(root))
        if rest == () or (rest and sighting.aim is Aim.WITHIN):
            return State.OK, "the configuration declares this path as this project's (roots.home)"
    if any(below(path, parse(root)) is not None for root in declared.foreign):
        return State.DIFFERENT, "the configuration declares this path as another project's (roots.foreign)"
    return None


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, of which components, and what to do. `rule` is "" where no rule speaks of it."""

    rule: str
    severity: str
    components: tuple[str, ...]
    message: str
    next: str


def find_faults(components: list[Component], expected: Expected) -> Iterator[Finding]:
    """What the components alone tell: each that differs or cannot be told, and servers whose own settings disagree."""
    told: set[str] = set()
    for server, members in _servers(components).items():
        roots = {component.root.real for component in members if component.root and component.state in (State.OK, State.DIFFERENT)}
        if len(roots) > 1 and not any(component.rule == "FC723" for component in members):
            told.update(component.id for component in members)
            yield _split_server(server, members)
    for component in components:
        finding = _fault(component, expected) if component.compared and component.id not in told else None
        if finding:
            yield finding


def _servers(components: list[Component]) -> dict[str, list[Component]]:
    servers: dict[str, list[Component]] = {}
    for component in components:
        if component.id.startswith("mcp:") and component.identity:
            for key in (".env.", ".cwd", ".args."):
                name, found, _ = component.id.partition(key)
                if found:
                    servers.setdefault(name, []).append(component)
                    break
    return servers


def _split_server(server: str, members: list[Component]) -> Finding:
    values = "; ".join(
        f"{component.id[len(server) + 1 :]} leads to {component.root.real if component.root else '?'}" for component in members
    )
    return Finding(
        "FC721", "error", tuple(component.id for component in members),
        f"one server entry holds several roots: {values}",
        f"give every one of them the same root in {members[0].sighting.origin}, then restart the server",
    )  # fmt: skip


_SEVERITIES = {State.DIFFERENT: "error", State.UNKNOWN: "info"}


def _fault(component: Component, expected: Expected) -> Finding | None:
    if component.state not in (State.DIFFERENT, *UNDECIDED):
        return None
    sighting = component.sighting
    written = f" says {sighting.raw}" if sighting.raw else ""
    against = f"; the expected root is {expected.identity.real} ({expected.source})" if component.state is State.DIFFERENT else ""
    return Finding(
        component.rule,
        _SEVERITIES.get(component.state, "warning"),
        (component.id,),
        f"{component.id}{written}: {component.why or component.state}{against}",
        sighting.advice or f"look at {sighting.origin}",
    )


class Outcome(StrEnum):
    """What the probe found."""

    CONSISTENT = "CONSISTENT"
    MISMATCH = "MISMATCH"
    INDETERMINATE = "INDETERMINATE"
    UNREADABLE = "UNREADABLE"
    CHANGED = "CHANGED-DURING-PROBE"


def decide(components: list[Component], findings: list[Finding], *, changed: bool) -> Outcome:
    """The verdict. It is never voted: one component that differs is a mismatch."""
    if changed:
        return Outcome.CHANGED
    if any(component.sighting.unreadable for component in components):
        return Outcome.UNREADABLE
    if any(component.compared and component.state is State.DIFFERENT for component in components):
        return Outcome.MISMATCH
    if any(finding.severity == "error" for finding in findings):
        return Outcome.MISMATCH
    if any(component.is_undecided for component in components) or not any(map(_is_evidence, components)):
        return Outcome.INDETERMINATE
    return Outcome.CONSISTENT


def _is_evidence(component: Component) -> bool:
    """Whether a component says more than that there is a git repository, and where this process runs."""
    return component.compared and component.state is State.OK and component.id != "cwd" and not component.id.startswith("git.")


def exit_code(outcome: Outcome, *, strict: bool) -> int:
    """0 consistent, 1 mismatch, 3 unreadable, changed, and indeterminate where that is asked for (design.md 6)."""
    if outcome in (Outcome.UNREADABLE, Outcome.CHANGED):
        return 3
    if outcome is Outcome.INDETERMINATE:
        return 3 if strict else 0
    return 1 if outcome is Outcome.MISMATCH else 0
