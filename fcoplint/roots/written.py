"""From a path as somebody wrote it to a sighting: placeholders, variables, home folders, and paths of other systems."""

from __future__ import annotations

import os
from typing import NamedTuple

from fcoplint.protocol.paths import Form, WrittenPath, expand, parse
from fcoplint.roots.components import Aim, Sighting, State
from fcoplint.source.machine import Machine, Spot


class Reach(NamedTuple):
    """Where a written path leads; or, where that cannot be asked of this machine, why."""

    spot: Spot | None
    state: State | None = None
    why: str = ""


def sight(
    machine: Machine, name: str, origin: str, raw: str, *, root: str, base: str, aim: Aim = Aim.ROOT, rule: str = "", advice: str = "",
    why: str = "", is_file: bool = False, filled: bool = False,
) -> Sighting:  # fmt: skip
    """The sighting of a written path. `base` is where a relative one starts, `root` what placeholders of editors stand for.

    Of a path to a file (`is_file`) the folder counts. `filled` says whether a tool fills in placeholders before use.
    """
    reach = reach_for(machine, raw, root=root, base=base, filled=filled)
    spot = reach.spot
    if spot is not None and is_file:
        parent = machine.look(os.path.dirname(spot.logical))
        spot = parent if spot.identity is None or spot.owner is None else spot
    return Sighting(name, origin, raw, aim, spot, rule=rule, settled=reach.state, why=reach.why or why, advice=advice)


def reach_for(machine: Machine, raw: str, *, root: str, base: str, filled: bool = False) -> Reach:
    """Where a written path leads on this machine; see `sight`."""
    if not raw.strip():
        return Reach(None, State.ABSENT, "set, but empty: tools take that for not set")
    path = parse(raw)
    if path.has_variable and not path.is_home and not filled:
        spot = machine.look(raw.strip(), base)
        known = spot.identity is not None
        return Reach(spot) if known else Reach(None, State.UNRESOLVABLE, "it holds a placeholder that nobody filled in")
    if path.is_project:
        return Reach(machine.look(os.path.join(root, *path.parts)), None, "the tool puts the open project's root here")
    if path.has_variable and not path.is_home:
        path = parse(expand(raw, machine.environ))
        if path.has_variable:
            return Reach(None, State.UNRESOLVABLE, "it names a variable that is not set here; some tools pass it on as it stands")
    if "\0" in raw:
        return Reach(Spot(raw, trouble="no-path"))
    return _on_this_system(machine, path, base)


def _on_this_system(machine: Machine, path: WrittenPath, base: str) -> Reach:
    if path.is_home:
        if path.anchor.startswith("~") and path.anchor != "~":
            return Reach(None, State.UNKNOWN, "it names another user's home folder")
        return Reach(machine.look(os.path.join(machine.home, *path.parts)))
    if path.is_windows != machine.is_windows and not path.is_relative:
        kind = {Form.UNC: "a network path of Windows", Form.DRIVE: "a Windows path"}.get(path.form, "a path of another system")
        return Reach(None, State.UNKNOWN, f"{kind}: this machine cannot tell where it leads")
    if path.form is Form.ROOTED:
        return Reach(None, State.UNKNOWN, "it depends on the drive that a process has open")
    text = path.raw.strip() if not path.raw.startswith("file:") else path.text
    return Reach(machine.look(text, base))
