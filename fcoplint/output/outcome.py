"""What came of a writing command, for people and as `fcoplint.outcome/1` for agents."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence

from fcoplint.outcome import Outcome, Plan, Publish, Remove, RemoveFolder, Rename, Rewrite, State, Step
from fcoplint.output.neutral import neutral, neutral_line

SCHEMA = "fcoplint.outcome/1"
_WORDS = {
    State.DONE: "done",
    State.NOTHING: "nothing to do",
    State.PLANNED: "planned",
    State.REFUSED: "refused",
    State.MISUSED: "refused",
    State.UNDECIDED: "cannot decide",
    State.PENDING: "clean-up pending",
}


def as_text(outcome: Outcome) -> str:
    """The sentence, what it rests on, the steps of a plan that was not carried out, remarks, the next command."""
    return "".join(f"{neutral_line(line)}\n" for line in _lines(outcome))


def as_json(outcomes: Sequence[Outcome]) -> str:
    """One object: the outcome; of several commands in one, a list in the order in which they came."""
    described = [describe(outcome) for outcome in outcomes]
    return json.dumps({"schema": SCHEMA, "exit": exit_code(outcomes), "outcomes": described}, indent=2) + "\n"


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """The exit code of several: wrong usage, then what nobody could decide, what is pending, what was refused."""
    codes = {outcome.code for outcome in outcomes}
    return next((code for code in (2, 3, 4, 1) if code in codes), 0)


def describe(outcome: Outcome) -> dict[str, object]:
    """One outcome as plain values."""
    return {
        "command": outcome.command,
        "state": outcome.state.value,
        "exit": outcome.code,
        "reason": outcome.reason,
        "message": outcome.message,
        "evidence": list(outcome.evidence),
        "next": list(outcome.next),
        "pending": [{"path": item.path, "why": item.why} for item in outcome.pending],
        "notes": list(outcome.notes),
        "plan": outcome.plan.describe() if outcome.plan else None,
    }


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"{_WORDS[outcome.state]}: {neutral(outcome.message)}"
    for item in outcome.evidence:
        yield f"  {neutral(item)}"
    if outcome.plan and outcome.state in (State.PLANNED, State.DONE):
        yield from _plan_lines(outcome.plan, with_digests=outcome.state is State.PLANNED)
    for note in outcome.notes:
        yield f"  note: {neutral(note)}"
    if outcome.next:
        yield f"  next: {neutral(shlex.join(outcome.next))}"


def _plan_lines(plan: Plan, *, with_digests: bool) -> Iterator[str]:
    for step in plan.steps:
        digest = step.describe().get("sha256") if with_digests else None
        yield f"  {_step(step)}" + (f"  sha256 {digest}" if digest else "")
    if plan.staged:
        yield f"  stage {', '.join(map(neutral, sorted(plan.staged)))}"


def _step(step: Step) -> str:
    match step:
        case Publish():
            return f"write {neutral(step.path)}"
        case Rewrite():
            return f"edit {neutral(step.path)}"
        case Remove() | RemoveFolder():
            return f"remove {neutral(step.path)}"
        case Rename():
            return f"rename {neutral(step.path)} to {neutral(step.target)}"
