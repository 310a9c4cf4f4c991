"""The acceptance of a switch from one project to another: what is proved, asked, not checkable (roots.md 5c). Pure.

Refusing teaches: each refusal names who holds a pointer that would go stale, and what to do. Nothing is drained, killed or
moved, and nothing is repaired on the way: switching is not initialising.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from fcoplint.roots.components import Component, State, is_inside
from fcoplint.roots.project import Facts
from fcoplint.roots.runtime import Holder
from fcoplint.roots.stamp import Stamp, find_void

PHASES = ("before", "during", "after")


class Kind(StrEnum):
    """How an item is known: from files, from a person, or not at all."""

    PROVED = "proved"
    ASKED = "asked"
    UNCHECKED = "unchecked"


class Result(StrEnum):
    """What came out of an item."""

    CLEAN = "clean"
    WARNING = "warning"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    OPEN = "open"
    YES = "yes"
    NO = "no"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that has to hold: what it says, by what, and where it does not what to do."""

    id: str
    kind: Kind
    result: Result
    text: str
    evidence: tuple[str, ...] = ()
    todo: str = ""


class Verdict(StrEnum):
    """What the acceptance says."""

    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"
    OPEN = "OPEN"
    NO_OP = "NO-OP"
    UNREADABLE = "UNREADABLE"
    CHANGED = "CHANGED-DURING-PROBE"


def clean(name: str, text: str, *evidence: str) -> Item:
    """An item that holds."""
    return Item(name, Kind.PROVED, Result.CLEAN, text, evidence)


def refused(name: str, text: str, todo: str, *evidence: str) -> Item:
    """An item that does not hold."""
    return Item(name, Kind.PROVED, Result.REFUSED, text, evidence, todo)


def warned(name: str, text: str, todo: str, *evidence: str) -> Item:
    """An item that is refused only where the user wants it strict."""
    return Item(name, Kind.PROVED, Result.WARNING, text, evidence, todo)


def unreadable(name: str, text: str, todo: str, *evidence: str) -> Item:
    """An item that could not be looked at although it is there."""
    return Item(name, Kind.PROVED, Result.UNREADABLE, text, evidence, todo)


def asked(name: str, question: str, todo: str = "") -> Item:
    """A question to the person who switches."""
    return Item(name, Kind.ASKED, Result.OPEN, question, (), todo)


def unchecked(name: str, text: str, todo: str = "") -> Item:
    """An item that nothing here can tell."""
    return Item(name, Kind.UNCHECKED, Result.NONE, text, (), todo)


def answer(item: Item, *, yes: bool) -> Item:
    """A question with its answer."""
    return replace(item, result=Result.YES if yes else Result.NO)


def conclude(items: list[Item], *, strict: bool) -> Verdict:
    """Accepted only where every question is answered with yes and nothing proved speaks against it."""
    results = {item.result for item in items}
    if Result.UNREADABLE in results:
        return Verdict.UNREADABLE
    if results & {Result.REFUSED, Result.NO} or (strict and Result.WARNING in results):
        return Verdict.REFUSED
    return Verdict.OPEN if Result.OPEN in results else Verdict.ACCEPTED


def exit_code(verdict: Verdict, *, strict: bool) -> int:
    """0 accepted, nothing to do, or open; 1 refused; 3 where it cannot be decided, and open where that is asked for."""
    if verdict in (Verdict.UNREADABLE, Verdict.CHANGED):
        return 3
    if verdict is Verdict.OPEN:
        return 3 if strict else 0
    return 1 if verdict is Verdict.REFUSED else 0


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the user allows, and what is known of the target's place: why it is protected, "" where it is not."""

    uninitialised: bool = False
    protected: str = ""


def before(source: Facts, target: Facts, allowed: Allowed) -> Iterator[Item]:
    """What must hold before anything is switched."""
    yield clean("paths", "both roots are resolved", *_paths(source, target))
    yield _place(source, target, allowed)
    yield _initialised(target, allowed)
    yield _readable_source(source)
    yield from _held(source, target)
    yield _work_in_hand(source)
    yield _unsaved(source)
    yield _leftovers(source, target)
    yield _twins(source, target)
    yield _workspace_ids(source, target)
    yield asked("sessions", "Are all sessions that work in the old project listed, and does somebody answer for each?")
    yield asked("intent", "Is this a switch only, with no initialisation or repair of the new project on the way?")


def _paths(source: Facts, target: Facts) -> list[str]:
    return [
        f"{name}: {side.root.logical} is {side.root.identity.real} ({side.root.digest})"
        for name, side in (("from", source), ("to", target))
    ]


# Projects whose work lies in more than one place.
_SPLIT = {"MIXED": "mixes two layouts of the protocol", "NESTED": "holds a workspace inside its workspace"}


def _place(source: Facts, target: Facts, allowed: Allowed) -> Item:
    one, other = source.root.identity.real, target.root.identity.real
    if allowed.protected:
        return refused("place", f"the new root may be no project: {allowed.protected}", "choose the project's own folder")
    away = _workspace_away(target)
    if away:
        todo = "give the new project a workspace of its own: its TASKs and REPORTs would be written elsewhere"
        return refused("place", f"the new project's {target.root.workspace}/ is a link that leads out of it", todo, away)
    if is_inside(one, other) or is_inside(other, one):
        inner, outer = (one, other) if is_inside(one, other) else (other, one)
        text = "one project lies inside the other: work in the inner one would be work in the outer one too"
        return refused("place", text, "move one of them out, or treat both as one project", f"{inner} lies in {outer}")
    return clean("place", "the new root is no home, system or install folder, and neither project holds the other")


def _workspace_away(side: Facts) -> str:
    """Where a workspace really lies that is a link out of its project; "" where it lies in it."""
    found = side.root.workspace_identity
    return found.real if found and not is_inside(found.real, side.root.identity.real) else ""


def _initialised(target: Facts, allowed: Allowed) -> Item:
    todo = "initialise it by its own plan first (switching is not initialising), or say --allow-uninitialised"
    if target.topology in _SPLIT:
        text = f"the new project {_SPLIT[target.topology]}: tools disagree about where its work lies"
        return refused("initialised", text, "finish its migration first")
    if target.is_manifest_broken:
        return unreadable("initialised", target.manifest_fault, "put back the last manifest that was sound, then run this again")
    if target.hidden:
        return unreadable("initialised", "parts of the new project cannot be looked at", "make them readable", *target.hidden)
    if target.topology == "EMPTY" or target.manifest_fault:
        why = "it holds no workspace" if target.topology == "EMPTY" else target.manifest_fault
        if allowed.uninitialised:
            return warned("initialised", f"the new project is not initialised ({why}); allowed by hand", todo)
        return refused("initialised", f"the new project is not initialised: {why}", todo)
    return clean("initialised", f"the new project is initialised ({target.topology}, {target.root.workspace}/)")


def _readable_source(source: Facts) -> Item:
    if source.is_manifest_broken:
        return unreadable("source", f"the old project: {source.manifest_fault}", "put back the last manifest that was sound")
    if source.hidden:
        text = "parts of the old project cannot be looked at: work in hand may lie there"
        return unreadable("source", text, "make them readable, then run this again", *source.hidden)
    if source.topology == "EMPTY":
        return warned(
            "source", "the old project holds no workspace: nothing can be told of its work in hand", "name the project that is left"
        )
    return clean("source", f"the old project can be read ({source.topology}, {source.root.workspace}/)")


def _held(source: Facts, target: Facts) -> Iterator[Item]:
    """Who holds locks and leases. One whose process is gone is no free project: something was left half done."""
    everyone = [(name, holder) for name, side in (("old", source), ("new", target)) for holder in side.holders]
    evidence = [f"{name} project: {describe(holder)}" for name, holder in everyone]
    if any(holder.alive is False for _, holder in everyone):
        todo = "see what that run left unfinished, recover it by the runtime's own tools, then remove the lock"
        yield refused("holders", "a lock or lease was left behind by a process that is gone", todo, *evidence)
    elif any(holder.alive for _, holder in everyone):
        yield warned(
            "holders", "somebody holds a lock or lease", "stop these in the phase `during`, before the new root is written", *evidence
        )
    elif everyone:
        yield Item(
            "holders",
            Kind.ASKED,
            Result.OPEN,
            "Is nobody writing under these locks?",
            tuple(evidence),
            "look on the machine that wrote them",
        )
    else:
        yield clean("holders", "nobody holds a lock or lease in either project")


def describe(holder: Holder) -> str:
    """A holder in one line."""
    pid = f"pid {holder.pid}" if holder.pid else "no pid"
    host = f" on {holder.host}" if holder.host else ""
    since = f" since {holder.since}" if holder.since else ""
    return f"{holder.path}: {holder.what}, {pid}{host}{since}; {holder.why}"


def _work_in_hand(source: Facts) -> Item:
    if source.in_hand:
        text = "these TASKs are in hand in the old project; whoever works on them holds a pointer that would go stale"
        return refused("work-in-hand", text, "finish them, submit and judge them, or hand them back; then switch", *source.in_hand)
    if source.topology in ("v1", "v2", *_SPLIT):
        why = f"It {_SPLIT[source.topology]}" if source.topology in _SPLIT else "Its layout has no stages that would tell"
        question = f"Is no TASK of the old project being worked on? ({why}.)"
        return asked("work-in-hand", question, "finish or hand back what is in hand")
    return clean("work-in-hand", "no TASK is active or in review in the old project")


def _unsaved(source: Facts) -> Item:
    state = source.git
    if state.unsaved is None:
        return unchecked("unsaved", f"whether all work in the old project is committed: {state.fault}")
    unsaved = state.unsaved
    counted = {
        "unmerged": len(unsaved.unmerged),
        "staged": len(unsaved.staged),
        "changed": len(unsaved.modified),
        "untracked": len(unsaved.untracked),
        "stashed": state.stashes,
        "commits on no remote": state.unpushed,
        "other working trees of the repository": len(state.worktrees),
    }
    evidence = [f"{what}: {number}" for what, number in counted.items() if number]
    named = [*unsaved.unmerged, *unsaved.staged, *unsaved.modified, *unsaved.untracked][:5]
    if not evidence:
        return clean("unsaved", "all work in the old project is committed and on a remote")
    text = "work would stay behind in the old project: a switch moves none of it"
    return warned("unsaved", text, "commit, push or set aside on purpose", *evidence, *(f"  {path}" for path in dict.fromkeys(named)))


def _leftovers(source: Facts, target: Facts) -> Item:
    found = _of_both(source, target, lambda side: side.leftovers)
    if found:
        todo = "see which move or initialisation did not finish, complete it, then remove its temporary"
        return refused("leftovers", "temporaries are left over: something stopped half way", todo, *found)
    return clean("leftovers", "no temporary is left over in either project")


def _twins(source: Facts, target: Facts) -> Item:
    found = _of_both(source, target, lambda side: side.twins)
    if found:
        return refused("twins", "a TASK lies in two stages at once", "decide which copy holds (fcoplint audit says more)", *found)
    return clean("twins", "no TASK lies in two stages")


def _of_both(source: Facts, target: Facts, what: Callable[[Facts], tuple[str, ...]]) -> list[str]:
    return [f"{name} project: {text}" for name, side in (("old", source), ("new", target)) for text in what(side)]


def _workspace_ids(source: Facts, target: Facts) -> Item:
    one, other = source.root.workspace_id, target.root.workspace_id
    if one is None or other is None:
        return unchecked("workspace-id", "whether one is a copy of the other: manifests before v4 carry no workspace_id")
    if one == other:
        todo = "give the copy a workspace_id of its own before anything is written there"
        return refused("workspace-id", "both projects carry one workspace_id: one is a clone of the other", todo, one)
    return clean("workspace-id", "the projects carry different workspace_ids")


@dataclass(frozen=True, slots=True)
class Written:
    """What registry and instance say, as components of the new root; None where there is none."""

    registry: Component | None
    instance: Component | None


Descends = Callable[[str, str], bool]


def during(source: Facts, target: Facts, stamp: Stamp | None, written: Written, descends: Descends) -> Iterator[Item]:
    """What must hold once everything is stopped."""
    yield _stamp(source, target, stamp, descends, after=False)
    yield asked("entry-closed", "Is the entry for new TASKs closed?", "stop dispatching into the old project")
    yield _unchanged("inbox", ("inbox",), "no new TASK came into the old project since the stamp", source, stamp)
    yield _released(source)
    yield asked(
        "stopped", "Have all sessions, child processes and watchers of the old project ended?", "stop them; kill nothing by its name alone"
    )
    question = "Has every process let go of the old project's files (terminals, editors, git; Windows releases handles late)?"
    yield asked("handles", question, "wait and look again, within a fixed time; then say who holds on")
    what = "nothing was written in the old project since the stamp"
    yield _unchanged("bytes", ("manifest", "lifecycle", "reports", "logs"), what, source, stamp)
    yield _persisted(source, target, written)


def after(
    source: Facts, target: Facts, stamp: Stamp | None, components: list[Component], probed: list[str], descends: Descends
) -> Iterator[Item]:
    """What must hold once work may begin; health and canary are judged beside this (`proofs.py`)."""
    yield _stamp(source, target, stamp, descends, after=True)
    yield _bound(target, components, probed)
    yield _released(source)
    question = "Were all processes that hold a root in memory started anew (runtime, MCP servers, watchers, terminals)?"
    yield asked("processes", question, "restart them from the new root; --live shows the working directory of lock holders")
    groups = ("manifest", "inbox", "lifecycle", "reports", "logs", "tree")
    yield _unchanged("newer", groups, "no file of the old project was written since the stamp", source, stamp)


def _stamp(source: Facts, target: Facts, stamp: Stamp | None, descends: Descends, *, after: bool) -> Item:
    if stamp is None:
        return unchecked("stamp", "what changed since before the switch: no stamp was given", "run --phase before with --stamp FILE first")
    reasons = find_void(stamp, source, target, descends, after=after)
    if reasons:
        return refused("stamp", "the stamp is void: it is about another state", "run --phase before again, with a new stamp", *reasons)
    return clean("stamp", f"the stamp of {stamp.at.isoformat(timespec='seconds')} holds for these two roots", f"key {stamp.key}")


def _unchanged(name: str, groups: tuple[str, ...], what: str, source: Facts, stamp: Stamp | None) -> Item:
    if stamp is None:
        return unchecked(name, f"whether {what}: no stamp was given")
    if not source.listing.whole and "tree" in groups:
        return unchecked(name, f"whether {what}: the old project holds too many files to look at all of them")
    now = source.listing.groups
    changed = [group for group in groups if now.get(group) != stamp.source.groups.get(group)]
    if not changed:
        return clean(name, what)
    evidence = [f"{group}: {stamp.source.groups.get(group, (0, ''))[0]} files then, {now.get(group, (0, ''))[0]} now" for group in changed]
    evidence += [f"  {file.path}" for file in source.listing.newest[:8]]
    todo = "find out who still writes there and stop it, then begin again with a new stamp"
    return refused(name, "somebody still writes in the old project", todo, *evidence)


def _released(source: Facts) -> Item:
    living = [describe(holder) for holder in source.holders if holder.alive]
    unknown = [describe(holder) for holder in source.holders if holder.alive is None]
    if living:
        return refused(
            "locks", "a process still holds the old project", "stop it by the runtime's own means; the lock goes with it", *living
        )
    if unknown:
        question = "Is nobody working under these locks of the old project?"
        return Item("locks", Kind.ASKED, Result.OPEN, question, tuple(unknown), "look on the machine that wrote them")
    gone = [describe(holder) for holder in source.holders]
    return clean("locks", "no living process holds a lock or lease of the old project", *gone)


def _persisted(source: Facts, target: Facts, written: Written) -> Item:
    sides = {}
    for name, component in (("registry", written.registry), ("instance", written.instance)):
        real = component.identity.real if component and component.identity else None
        if real is None:
            why = "" if name == "instance" else " (--registry PATH names it)"
            return unchecked("persisted", f"whether registry and instance were written together: there is no {name} to read{why}")
        sides[name] = {source.root.identity.real: "old", target.root.identity.real: "new"}.get(real, real)
    evidence = [f"{name}: the {side} project" if side in ("old", "new") else f"{name}: {side}" for name, side in sides.items()]
    if sides["registry"] != sides["instance"] or sides["registry"] not in ("old", "new"):
        todo = "bring both back to the old project, look at what failed, then begin again"
        return refused("persisted", "registry and instance name different projects: the switch stopped half way", todo, *evidence)
    if sides["registry"] == "new" and any(holder.alive for holder in source.holders):
        todo = "stop what still holds the old project: only then may the new root be written"
        return refused("persisted", "the new root was written while the old project is still held", todo, *evidence)
    return clean("persisted", f"registry and instance agree on the {sides['registry']} project", *evidence)


def _bound(target: Facts, components: list[Component], probed: list[str]) -> Item:
    wrong = [component for component in components if component.compared and component.state is State.DIFFERENT]
    undecided = [component for component in components if component.is_undecided]
    broken = [component for component in components if component.sighting.unreadable]
    if wrong or probed:
        evidence = [f"{component.id} says {component.sighting.raw}: {component.why}" for component in wrong]
        text = "a component was left behind: it does not hold the new root"
        return refused("components", text, "bind it to the new root and restart it; nothing may be written before", *evidence, *probed)
    if broken:
        return unreadable("components", "; ".join(f"{component.id}: {component.why}" for component in broken), "make it readable")
    if undecided:
        evidence = [f"{component.id}: {component.state}, {component.why}" for component in undecided]
        return warned("components", "these components cannot be told", "see `fcoplint roots --root` for each", *evidence)
    held = sum(component.compared and component.state is State.OK for component in components)
    own = sum(component.compared and component.state is State.OK and component.sighting.independent for component in components)
    return clean("components", f"{held} components hold the new root ({target.root.digest}), {own} of them on their own evidence")
