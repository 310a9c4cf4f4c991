"""`fcoplint roots`: the read-only probe of every root, and the acceptance of a switch from one project to another."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import click

from fcoplint import atomic, config
from fcoplint.cli import common
from fcoplint.output import roots as output
from fcoplint.output.text import Paint
from fcoplint.roots import acceptance, gather
from fcoplint.roots.components import is_inside
from fcoplint.roots.gather import Asked
from fcoplint.roots.probe import probe
from fcoplint.roots.stamp import Stamp, StampError, write_stamp
from fcoplint.roots.switch import PHASES, Item, Verdict
from fcoplint.settings import Settings
from fcoplint.source import git
from fcoplint.source.machine import Machine, this_machine

_PATHS = ("from", "to", "root", "registry", "stamp", "health", "canary", "config_file")
_SWITCH_ONLY = ("phase", "stamp", "canary", "health", "allow_uninitialised", "no_input")


@click.command("roots")
@click.option("--root", metavar="PATH", help="The expected root; without it the configuration's, else that of the working directory.")
@click.option("--user", is_flag=True, help="Also look at the user's own MCP configuration.")
@click.option("--registry", metavar="PATH", help="Also look at this registry of projects.")
@click.option("--live", is_flag=True, help="Also look at the working directories of processes that hold a lock (Linux).")
@click.option("--strict", is_flag=True, help="Fail for what cannot be told; in a switch for warnings and open questions too.")
@click.option("--from", "source", metavar="A", help="Accept a switch: the project that is left.")
@click.option("--to", "target", metavar="B", help="Accept a switch: the project that is entered.")
@click.option("--phase", type=click.Choice(PHASES), help="Which part of the switch [default: before].")
@click.option("--stamp", metavar="FILE", help="Where the phase before leaves its proof, and the others find it; outside of both projects.")
@click.option("--canary", metavar="TASK", help="The TASK in B that went all the way after the switch.")
@click.option("--health", metavar="FILE", help="The answer of the runtime's health endpoint, saved.")
@click.option("--allow-uninitialised", is_flag=True, help="Let B be a folder without a workspace.")
@click.option("--no-input", is_flag=True, help="Ask nothing; what would be asked stays open.")
@click.option("--show-home", is_flag=True, help="Write home folders as they are, not as ~.")
@click.option("--config", "config_file", metavar="FILE", help="Use this configuration, whatever the repository's own says.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def command(source: str | None, target: str | None, **given: Any) -> None:
    """Show every root that files, variables and locks hold, and whether all are one; it never writes.

    With --from A --to B: what proves that a switch may begin, is done, and has arrived.

    Exit codes: 0 consistent, 1 mismatch or refused, 2 wrong usage, 3 unreadable, undecided with --strict, changed while it ran.
    """
    machine = this_machine(os.environ)
    _stop_for_empty({"from": source, "to": target, **given})
    if given["registry"] is not None and not os.path.lexists(given["registry"]):
        common.stop(f"--registry {given['registry']}: there is no such file", common.USAGE)
    if source is None and target is None:
        _stop_for_switch_options(given)
        _probe(machine, given)
    if source is None or target is None:
        common.stop("a switch has two sides: give both --from A and --to B", common.USAGE)
    if given["root"] is not None:
        common.stop("--root names one root, --from and --to a switch; give one or the other", common.USAGE)
    _switch(machine, source, target, given)


def _stop_for_empty(given: dict[str, Any]) -> None:
    """A name that is empty, as of a variable that is not set, must not be taken for the working directory."""
    for name in _PATHS:
        if given[name] == "":
            common.stop(f"--{name.removesuffix('_file')} is empty", common.USAGE)


def _stop_for_switch_options(given: dict[str, Any]) -> None:
    named = [name for name in _SWITCH_ONLY if given[name]]
    if named:
        common.stop(f"--{named[0].replace('_', '-')} belongs to a switch: give --from A and --to B with it", common.USAGE)


def _probe(machine: Machine, given: dict[str, Any]) -> None:
    settings = _settings(given, given["root"] or machine.cwd)
    declared = settings.policy.roots
    expected = gather.find_expected(machine, given["root"], declared)
    if expected is None:
        where = given["root"] or "the working directory"
        common.stop(f"{where} is no folder; give the project's folder by --root", common.USAGE)
    result = probe(machine, expected, declared, _asked(given, settings), strict=given["strict"])
    if given["style"] == "json":
        common.print_out(output.probe_json(result, homes=given["show_home"]))
    else:
        common.print_out(output.probe_text(result, _shown(given)))
    sys.exit(result.exit_code)


def _switch(machine: Machine, source: str, target: str, given: dict[str, Any]) -> None:
    phase = given["phase"] or "before"
    now = time.time_ns()
    stamp = _stamp(machine, phase, given["stamp"], (source, target))
    if given["health"] and not os.path.exists(given["health"]):
        common.stop(f"--health {given['health']}: there is no such file", common.USAGE)
    settings = _settings(given, target)
    request = acceptance.Request(
        source, target, phase, now, stamp, given["canary"], given["health"], given["allow_uninitialised"], _asked(given, settings)
    )
    result = acceptance.accept(machine, request, settings.policy.roots, strict=given["strict"])
    if _may_ask(given):
        result = result.answered(_ask)
    if given["style"] == "json":
        common.print_out(output.switch_json(result, homes=given["show_home"]))
    else:
        common.print_out(output.switch_text(result, _shown(given)))
    if result.stamp and given["stamp"] and result.verdict in (Verdict.ACCEPTED, Verdict.OPEN):
        _leave(result.stamp, given["stamp"])
    sys.exit(result.exit_code)


def _stamp(machine: Machine, phase: str, path: str | None, sides: tuple[str, str]) -> Stamp | None:
    if path is None:
        return None
    spot = machine.look(path)
    where = os.path.join(os.path.realpath(os.path.dirname(spot.logical)), os.path.basename(spot.logical))
    roots = [found.identity.real for side in sides if (found := gather.expected_at(machine, side, ""))]
    if any(is_inside(where, root) for root in roots):
        common.stop(f"--stamp {path} lies inside one of the projects; a proof about them lies outside of both", common.USAGE)
    if phase == "before":
        if os.path.lexists(spot.logical):
            common.stop(f"--stamp {path} stands there already; a stamp is never overwritten: give another name", common.USAGE)
        return None
    try:
        return acceptance.load_stamp(machine, path)
    except StampError as error:
        common.stop(f"--stamp {path}: {error}", common.USAGE)


def _leave(stamp: Stamp, path: str) -> None:
    try:
        atomic.publish(path, write_stamp(stamp))
    except OSError as error:
        common.stop(f"--stamp {path} could not be written: {error.strerror}", common.UNCHECKED)
    click.echo(f"fcoplint: stamp {stamp.key} written to {path}", err=True)


def _may_ask(given: dict[str, Any]) -> bool:
    return not given["no_input"] and sys.stdin.isatty() and sys.stderr.isatty()


def _ask(item: Item) -> bool | None:
    shown = output.Shown(Paint(on=False), homes=False)
    for text in item.evidence:
        click.echo(f"  {shown(text)}", err=True)
    said = click.prompt(shown(item.text), type=click.Choice(["yes", "no", "later"]), default="later", err=True)
    return None if said == "later" else bool(said == "yes")


def _shown(given: dict[str, Any]) -> output.Shown:
    return output.Shown(Paint(common.wants_color(given["color"])), homes=given["show_home"])


def _asked(given: dict[str, Any], settings: Settings) -> Asked:
    return Asked(given["user"], given["registry"], given["live"], settings.roots_ignore)


def _settings(given: dict[str, Any], folder: str) -> Settings:
    """What the project's configuration says."""
    if not folder or not os.path.isdir(folder):
        return Settings()
    real = os.path.realpath(folder)
    try:
        top = git.open_repository(real, os.environ).top or real
    except git.GitError:
        # The probe's own component says why there is none.
        top = real
    try:
        found = config.find_on_disk(real, top)
        source = config.read_file(given["config_file"]) if given["config_file"] else found[1] if found else None
        # Nothing is remembered of what was valid: this command writes nowhere.
        return config.make_settings(source, None)
    except config.ConfigError as error:
        common.stop(str(error), common.USAGE)
