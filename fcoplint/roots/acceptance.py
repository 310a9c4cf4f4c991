"""Runs the acceptance of a switch: reads both projects, lets the items judge, and looks twice at what must not move."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from fcoplint.model.mcp import Located, read_json
from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import Identity, judge, parse
from fcoplint.protocol.paths import Verdict as Same
from fcoplint.roots import gather, proofs, runtime, switch
from fcoplint.roots.components import Component, Expected, assess, is_inside
from fcoplint.roots.gather import Asked
from fcoplint.roots.probe import NOT_PROVED, Snapshot, is_protected_root, probe, take_snapshot
from fcoplint.roots.project import Facts, read_facts
from fcoplint.roots.stamp import Stamp, StampError, make_stamp, read_stamp
from fcoplint.roots.switch import Allowed, Item, Kind, Result, Verdict, Written
from fcoplint.roots.written import reach_for
from fcoplint.source import git
from fcoplint.source.machine import MISSING, Machine
from fcoplint.source.snapshot import Content

_INSTALL_FOLDERS = ("projects", "workspace")
_BOUNDARY = ".codeflowmu/open-boundary.json"


@dataclass(frozen=True, slots=True)
class Request:
    """A switch as the user names it. `now` is the moment in nanoseconds."""

    source: str
    target: str
    phase: str
    now: int
    stamp: Stamp | None = None
    canary: str | None = None
    health: str | None = None
    allow_uninitialised: bool = False
    asked: Asked = field(default_factory=Asked)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What came out, before and after the questions are answered. `stamp` is what the phase before would leave."""

    phase: str
    source: Expected | None
    target: Expected | None
    items: tuple[Item, ...]
    stamp: Stamp | None = None
    is_same: bool = False
    changed: bool = False
    strict: bool = False

    @property
    def verdict(self) -> Verdict:
        """See `switch.conclude`."""
        if self.is_same:
            return Verdict.NO_OP
        return Verdict.CHANGED if self.changed else switch.conclude(list(self.items), strict=self.strict)

    @property
    def exit_code(self) -> int:
        """See `switch.exit_code`."""
        return switch.exit_code(self.verdict, strict=self.strict)

    @property
    def not_proved(self) -> tuple[str, ...]:
        """What no file can tell; nothing for a switch that is none."""
        return () if self.is_same else NOT_PROVED

    def answered(self, ask: Callable[[Item], bool | None]) -> Acceptance:
        """This with its open questions put to somebody; None leaves one open."""
        items = []
        for item in self.items:
            said = ask(item) if item.result is Result.OPEN else None
            items.append(item if said is None else switch.answer(item, yes=said))
        return replace(self, items=tuple(items))


def accept(machine: Machine, request: Request, declared: Roots, *, strict: bool) -> Acceptance:
    """Judge one phase of a switch. Nothing is written."""
    source, target = (gather.expected_at(machine, path, name) for path, name in ((request.source, "--from"), (request.target, "--to")))
    if source is None or target is None:
        items = tuple(_missing(machine, request, source, target))
        return Acceptance(request.phase, source, target, items, strict=strict)
    if judge(source.identity, target.identity) is Same.SAME:
        return Acceptance(request.phase, source, target, (), is_same=True, strict=strict)
    sides = (source, target)
    first = _look(machine, sides)
    since = request.stamp.at_ns if request.stamp else 0
    old, new = read_facts(machine, source, since), read_facts(machine, target)
    items = tuple(_PHASES[request.phase](machine, request, declared, old, new))
    stamp = make_stamp(old, new, request.now) if request.phase == "before" else None
    changed = any(not one.is_same(other) for one, other in zip(first, _look(machine, sides), strict=True))
    return Acceptance(request.phase, source, target, items, stamp, changed=changed, strict=strict)


def load_stamp(machine: Machine, path: str) -> Stamp:
    """The stamp in a file. Raises StampError."""
    content = machine.read_named(machine.look(path).logical)
    if not isinstance(content, bytes):
        raise StampError("it is not there; `--phase before` writes it" if content is None else gather.unreadable_reason(content))
    return read_stamp(content)


def _look(machine: Machine, sides: tuple[Expected, Expected]) -> list[Snapshot]:
    return [take_snapshot(machine, side, index=False) for side in sides]


def _missing(machine: Machine, request: Request, source: Expected | None, target: Expected | None) -> Iterator[Item]:
    for name, path, found in (("from", request.source, source), ("to", request.target, target)):
        if found is None:
            todo = "give the folder as it is now; a name alone is never taken for a root"
            yield switch.refused("target" if name == "to" else "source", f"--{name} {path}: {_no_folder(machine, path)}", todo)


def _no_folder(machine: Machine, path: str) -> str:
    """Why a path is no root."""
    if parse(path).is_windows and not machine.is_windows:
        return "this is a path of Windows, and this machine cannot tell where it leads"
    spot = machine.look(path)
    if spot.identity:
        return "it is no folder"
    return "nothing lies there" if spot.trouble == MISSING else f"it cannot be resolved ({spot.trouble})"


def _before(machine: Machine, request: Request, declared: Roots, old: Facts, new: Facts) -> Iterator[Item]:
    protected = _protection(machine, declared, old, new)
    return switch.before(old, new, Allowed(request.allow_uninitialised, protected))


def _during(machine: Machine, request: Request, declared: Roots, old: Facts, new: Facts) -> Iterator[Item]:
    return switch.during(old, new, request.stamp, _written(machine, request, declared, new.root), _descends(machine, new))


def _after(machine: Machine, request: Request, declared: Roots, old: Facts, new: Facts) -> Iterator[Item]:
    result = probe(machine, new.root, declared, request.asked)
    differing = {component.id for component in result.components if component.state == "different"}
    more = [finding.message for finding in result.findings if finding.severity == "error" and not differing & set(finding.components)]
    yield from switch.after(old, new, request.stamp, list(result.components), more, _descends(machine, new))
    root = new.root.identity.real

    def identify(text: str) -> Identity | None:
        spot = reach_for(machine, text, root=root, base=root).spot
        return spot.identity if spot else None

    content: Content | None = machine.read_named(machine.look(request.health).logical) if request.health else None
    yield proofs.health(content, request.health, new, request.stamp, identify)
    yield proofs.canary(request.canary, old, new, request.stamp, _commits_since(machine, request.stamp, new))


_PHASES = {"before": _before, "during": _during, "after": _after}


def _protection(machine: Machine, declared: Roots, old: Facts, new: Facts) -> str:
    """Why nobody's project may lie at the new root; "" where it may."""
    real = new.root.identity.real
    if is_protected_root(machine, real, declared):
        return f"{real} is a home folder, holds home folders, or is the system's"
    own = machine.look(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))).identity
    if own and is_inside(real, own.real):
        return f"{real} lies in the folder of fcoplint itself"
    for install in _install_roots(machine, old, new):
        around = os.path.relpath(install, real).replace(os.sep, "/")
        below = os.path.relpath(real, install).replace(os.sep, "/")
        if around == "." or not around.startswith("../"):
            return f"{real} is the folder in which the tool itself is installed, or holds it"
        if not below.startswith("../") and below.partition("/")[0] not in _INSTALL_FOLDERS:
            return f"{real} lies in the folder in which the tool itself is installed ({install})"
    return ""


def _install_roots(machine: Machine, *sides: Facts) -> list[str]:
    """Where runtimes say that they are installed."""
    named = machine.environ.get("CODEFLOW_OPEN_HOST_ROOT")
    spots = [machine.look(named)] if named else []
    for side in sides:
        content = machine.read(side.root.identity.real, _BOUNDARY)
        read = read_json(content) if isinstance(content, bytes) else None
        said = read.text("installRoot") if isinstance(read, Located) else None
        spot = reach_for(machine, said.text, root=side.root.identity.real, base=side.root.identity.real).spot if said else None
        spots.extend([spot] if spot else [])
    return sorted({spot.identity.real for spot in spots if spot.identity})


def _written(machine: Machine, request: Request, declared: Roots, root: Expected) -> Written:
    found: dict[str, Component] = {}
    for sighting in runtime.gather_state(machine, root, request.asked):
        found[sighting.id] = assess(sighting, root, declared)
    return Written(found.get("registry.active"), found.get("instance.project_root"))


def _descends(machine: Machine, facts: Facts) -> Callable[[str, str], bool]:
    def descends(old: str, new: str) -> bool:
        try:
            return git.merge_base(git.open_repository(facts.root.identity.real, machine.environ), old, new) == old
        except git.GitError:
            return False

    return descends


def _commits_since(machine: Machine, stamp: Stamp | None, facts: Facts) -> list[git.Delta] | None:
    """What the repository of the new project changed since the stamp; None where there is nothing to compare."""
    if stamp is None or facts.git.head is None:
        return None
    try:
        repository = git.open_repository(facts.root.identity.real, machine.environ)
        return git.diff_trees(repository, stamp.target.head or git.empty_tree(repository), facts.git.head)
    except git.GitError:
        return None


__all__ = ["Acceptance", "Kind", "Request", "accept", "load_stamp"]
