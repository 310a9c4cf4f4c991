"""`fcoplint fix`: puts right what a finding says how to put right."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator

import click

from fcoplint.cli import common, writers
from fcoplint.findings import Finding
from fcoplint.outcome import Outcome, State
from fcoplint.output.neutral import neutral, neutral_line
from fcoplint.repair import conditions, fixing
from fcoplint.repair.scene import Scene
from fcoplint.source import git
from fcoplint.source.snapshot import read_one


@click.command("fix")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--unsafe", is_flag=True, help="Also what changes the meaning or the place of something; look at it afterwards.")
@click.option("--diff", is_flag=True, help="Show what would change, and write nothing.")
@writers.format_option
def command(paths: tuple[str, ...], unsafe: bool, diff: bool, style: str) -> None:
    """Fix what can be fixed in the working tree, or in PATHS: files, or folders with all below them.

    Every fix is tried as a change against HEAD first, and left out where it would bring in a finding. What HEAD holds already
    keeps its text: of that only byte order mark and line ends are changed. Nothing is staged but moves.

    Exit codes: 0 fixed, or nothing to fix; 1 a file was refused; 2 wrong usage; 3 cannot decide; 4 fixed, clean-up pending.
    """
    try:
        scene = writers.open_project()
        refused = conditions.refuse_here(scene, next((workspace.root for workspace in scene.state), ""), {} if diff else os.environ)
        if refused and not diff:
            writers.finish([refused.outcome(fixing.COMMAND)], style)
        chosen = [writers.inside(f"./{path}" if os.sep not in path else path) for path in paths]
        findings = [finding for finding in fixing.find_fixable(scene) if not chosen or _is_below(finding, chosen)]
        fixed = fixing.plan_fixes(scene, findings, unsafe=unsafe)
        if diff:
            _show(scene, fixed, style)
        outcomes = fixing.carry_out(scene, fixed)
    except git.GitError as error:
        writers.stop_for_git(error, fixing.COMMAND, style)
    writers.finish(outcomes, style)


def _is_below(finding: Finding, chosen: list[str]) -> bool:
    """Whether all that a finding's fix changes lies below the paths that were given."""

    def is_chosen(path: str) -> bool:
        return any(folder == "." or path == folder or path.startswith(f"{folder}/") for folder in chosen)

    return all(map(is_chosen, fixing.touched(finding)))


def _show(scene: Scene, fixed: fixing.Fixed, style: str) -> None:
    """End with what would be done: a unified diff, or in JSON the plans."""
    if style == "json":
        planned = [
            Outcome(plan.command, State.PLANNED, "planned", f"would have {plan.summary}", plan=plan) for plan in fixing.plans(scene, fixed)
        ]
        refused = [refusal.outcome(fixing.COMMAND) for refusal in fixed.refused.values()]
        nothing = [Outcome(fixing.COMMAND, State.NOTHING, "nothing-to-fix", "nothing here can be fixed by a command", notes=fixed.notes)]
        writers.finish([*refused, *planned] or nothing, style)
    common.print_out("".join(f"{line}\n" for line in _diff(scene, fixed)))
    refusals = [refusal.outcome(fixing.COMMAND) for refusal in fixed.refused.values()]
    writers.finish([*refusals, Outcome(fixing.COMMAND, State.NOTHING, "shown", "nothing was written", notes=fixed.notes)], style)


def _diff(scene: Scene, fixed: fixing.Fixed) -> Iterator[str]:
    targets = {target: path for path, target in fixed.moved.items()}
    for path, data in sorted(fixed.contents.items()):
        if data is None:
            continue
        source = targets.get(path, path)
        if source != path:
            yield f"rename {neutral(source)} => {neutral(path)}"
        old = read_one(scene.now, source)
        before, after = (_lines(content) for content in (old if isinstance(old, bytes) else b"", data))
        yield from (neutral_line(line) for line in difflib.unified_diff(before, after, neutral(source), neutral(path), lineterm=""))


def _lines(data: bytes) -> list[str]:
    """Lines with what a terminal does not show spelled out, so that a changed line end or mark can be seen."""
    text = data.decode("utf-8", "replace").replace("\ufeff", "<BOM>")
    return [line.replace("\r", "<CR>") for line in text.removesuffix("\n").split("\n")]
