"""The probe and the acceptance of a switch, as a table and lists for people and as JSON for agents (roots.md 5b, 5c)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fcoplint import __version__
from fcoplint.output.neutral import hide_homes, neutral_line_start, neutral_path
from fcoplint.output.text import Paint
from fcoplint.output.width import pad, width
from fcoplint.roots.acceptance import Acceptance
from fcoplint.roots.components import Component, Expected, State, digest
from fcoplint.roots.probe import Probe
from fcoplint.roots.switch import Item, Kind, Result, Verdict

ROOTS_SCHEMA, SWITCH_SCHEMA = "fcoplint.roots/1", "fcoplint.switch/1"
_COLUMNS = ("component", "state", "digest", "as written", "logical path", "real path")
_STYLES = {State.OK: "next", State.DIFFERENT: "error", State.ABSENT: "dim"}
# A cell wider than this is shown at both ends only.
_WIDEST = 100
_GOOD = ("CONSISTENT", "ACCEPTED", "NO-OP")
_MOVED = "HEAD or the manifest changed while this ran; run it again when nobody writes"


@dataclass(frozen=True, slots=True)
class Shown:
    """How text is written: coloured or not, home folders as `~` or as they are."""

    paint: Paint
    homes: bool

    def __call__(self, text: str | None) -> str:
        """One line, harmless for terminals and logs."""
        said = text or ""
        return neutral_path(said if self.homes else hide_homes(said))

    def cell(self, text: str | None) -> str:
        """A cell of the table: one line, its middle left out where it is very long."""
        said = self(text)
        return said if len(said) <= _WIDEST else f"{said[: _WIDEST // 2]}…{said[-_WIDEST // 2 :]}"


def probe_text(probe: Probe, shown: Shown) -> str:
    """The table, what is wrong, the verdict, and what it does not prove."""
    return "".join(f"{neutral_line_start(line)}\n" for line in _probe_lines(probe, shown))


def _probe_lines(probe: Probe, shown: Shown) -> Iterator[str]:
    yield from _expected_lines(probe.expected, shown)
    yield ""
    yield from _table([component for component in probe.components if component.state is not State.ABSENT], shown)
    absent = [component.id for component in probe.components if component.state is State.ABSENT]
    if absent:
        yield shown.paint("dim", shown(f"absent: {', '.join(absent)}"))
    for finding in probe.findings:
        yield ""
        code = f" {shown.paint('code', finding.rule)}" if finding.rule else ""
        yield f"{shown.paint(finding.severity, finding.severity)}{code}: {shown(finding.message)}"
        yield f"  {shown.paint('next', 'next:')} {shown(finding.next)}"
    yield ""
    yield _verdict(probe.outcome, _summary(probe), shown)
    yield "not proved:"
    yield from (f"  {text}" for text in probe_not_proved(probe))


def _expected_lines(expected: Expected, shown: Shown) -> Iterator[str]:
    where = shown(expected.identity.real)
    through = f", reached as {shown(expected.logical)}" if expected.logical != expected.identity.real else ""
    yield f"expected root: {where}{through} ({shown(expected.source)})"
    named = f", workspace_id {shown(expected.workspace_id)}" if expected.workspace_id else ""
    yield f"root digest:   {expected.digest} (of this machine only){named}"


def _table(components: list[Component], shown: Shown) -> Iterator[str]:
    rows = [_row(component, shown) for component in components]
    widths = [max(width(row[column]) for row in (_COLUMNS, *rows)) for column in range(len(_COLUMNS))]
    yield shown.paint("dim", _joined(_COLUMNS, widths))
    for component, row in zip(components, rows, strict=True):
        line = _joined(row, widths)
        style = _STYLES.get(component.state, "warning")
        padded = pad(row[1], widths[1])
        start = pad(row[0], widths[0]) + "  "
        yield start + shown.paint(style, padded) + line[len(start) + len(padded) :]
        if component.why:
            yield shown.paint("dim", f"  {shown(component.why)}")


def _joined(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(pad(cell, columns) for cell, columns in zip(cells, widths, strict=True)).rstrip()


def _row(component: Component, shown: Shown) -> tuple[str, ...]:
    """A component's cells; `=` is what stands in the cell before it, `-` what is not known."""
    logical, real = component.logical, component.identity.real if component.identity else None
    raw = component.sighting.raw
    cells = (
        shown.cell(raw) or "-",
        "=" if logical == raw and raw else shown.cell(logical) or "-",
        "=" if real == logical and real else shown.cell(real) or "-",
    )
    own = "" if component.sighting.independent else " (derived)"
    return (shown.cell(component.id), f"{component.state}{own}", digest(component.root) if component.root else "-", *cells)


def _summary(probe: Probe) -> str:
    held = [component for component in probe.components if component.compared and component.state is State.OK]
    own = sum(component.sighting.independent for component in held)
    undecided = sum(component.is_undecided for component in probe.components)
    different = sum(component.compared and component.state is State.DIFFERENT for component in probe.components)
    text = f"{different} components hold another root; " if different > 1 else "1 component holds another root; " if different else ""
    text += f"{len(held)} hold the expected one, {own} of them on their own evidence"
    if undecided:
        text += f"; {undecided} cannot be told" + ("" if probe.strict else " (--strict fails for that)")
    return f"{text}; {_MOVED}" if probe.outcome == "CHANGED-DURING-PROBE" else text


def _verdict(word: str, text: str, shown: Shown) -> str:
    style = "next" if word in _GOOD else "warning" if word in ("INDETERMINATE", "OPEN") else "error"
    return f"{shown.paint(style, word)}: {text}"


def probe_not_proved(probe: Probe) -> tuple[str, ...]:
    """What a verdict does not cover."""
    from fcoplint.roots.probe import NOT_PROVED

    seen = "user-level configuration of other tools than those looked at"
    return (*NOT_PROVED, seen)


def probe_json(probe: Probe, *, homes: bool) -> str:
    """`fcoplint.roots/1`."""
    snapshot = probe.snapshot
    data = {
        "schema": ROOTS_SCHEMA,
        "tool": f"fcoplint {__version__}",
        "verdict": str(probe.outcome),
        "exit": probe.exit_code,
        "strict": probe.strict,
        "expected": _expected_data(probe.expected),
        "components": [_component(component) for component in probe.components],
        "findings": [
            {
                "rule": finding.rule or None,
                "severity": finding.severity,
                "components": list(finding.components),
                "message": finding.message,
                "next": finding.next,
            }
            for finding in probe.findings
        ],
        "not_proved": list(probe_not_proved(probe)),
        "snapshot": {
            "head": snapshot.head,
            "index_tree": snapshot.index_tree,
            "manifest_sha256": snapshot.manifest_sha256,
            "at": snapshot.at.isoformat(),
        },
    }
    return _dump(data, homes=homes)


def _expected_data(expected: Expected) -> dict[str, Any]:
    return {
        "logical": expected.logical,
        "real": expected.identity.real,
        "digest": expected.digest,
        "workspace": expected.workspace or None,
        "workspace_id": expected.workspace_id,
        "source": expected.source,
    }


def _component(component: Component) -> dict[str, Any]:
    sighting = component.sighting
    return {
        "id": component.id,
        "origin": sighting.origin,
        "raw": sighting.raw,
        "logical": component.logical,
        "real": component.identity.real if component.identity else None,
        "digest": digest(component.identity) if component.identity else None,
        "root_digest": digest(component.root) if component.root else None,
        "state": str(component.state),
        "why": component.why or None,
        "independent": sighting.independent,
        "compared": component.compared,
        "rule": component.rule or None,
    }


_MARKS = {
    Result.CLEAN: ("ok", "next"), Result.WARNING: ("warning", "warning"), Result.REFUSED: ("refused", "error"),
    Result.UNREADABLE: ("unreadable", "error"), Result.OPEN: ("open", "warning"), Result.YES: ("yes", "next"),
    Result.NO: ("no", "error"), Result.NONE: ("-", "dim"),
}  # fmt: skip
_LISTS = ((Kind.PROVED, "proved from files:"), (Kind.ASKED, "asked:"), (Kind.UNCHECKED, "not checkable:"))


def switch_text(acceptance: Acceptance, shown: Shown) -> str:
    """The three lists and the verdict."""
    return "".join(f"{neutral_line_start(line)}\n" for line in _switch_lines(acceptance, shown))


def _switch_lines(acceptance: Acceptance, shown: Shown) -> Iterator[str]:
    if acceptance.is_same:
        yield _verdict("NO-OP", "both names lead to one folder; there is nothing to switch, and nothing was looked at", shown)
        return
    for name, side in (("from", acceptance.source), ("to", acceptance.target)):
        if side:
            yield f"{name + ':':6} {shown(side.identity.real)} ({side.digest})"
    yield f"phase: {acceptance.phase}"
    for kind, title in _LISTS:
        yield ""
        yield title
        items = [item for item in acceptance.items if item.kind is kind]
        for item in items:
            yield from _item_lines(item, shown)
        if kind is Kind.UNCHECKED:
            yield from (f"  {pad('-', 10)}  {text}" for text in acceptance.not_proved)
        elif not items:
            yield "  nothing"
    yield ""
    yield _verdict(acceptance.verdict, _switch_summary(acceptance), shown)


def _item_lines(item: Item, shown: Shown) -> Iterator[str]:
    word, style = _MARKS[item.result]
    yield f"  {shown.paint(style, pad(word, 10))}  {shown(item.id)}: {shown(item.text)}"
    for text in item.evidence:
        yield f"              {shown(text)}"
    if item.todo and item.result not in (Result.CLEAN, Result.YES):
        yield f"              {shown.paint('next', 'do:')} {shown(item.todo)}"


def _switch_summary(acceptance: Acceptance) -> str:
    count = {result: sum(item.result is result for item in acceptance.items) for result in Result}
    if acceptance.verdict is Verdict.ACCEPTED:
        return f"the phase `{acceptance.phase}` holds, as far as files and answers tell"
    if acceptance.verdict is Verdict.CHANGED:
        return _MOVED
    if acceptance.verdict is Verdict.OPEN:
        return f"nothing proved speaks against it; {count[Result.OPEN]} questions are open (answer them in a terminal)"
    if acceptance.verdict is Verdict.UNREADABLE:
        return "something could not be looked at"
    against = count[Result.REFUSED] + count[Result.NO]
    warnings = f", {count[Result.WARNING]} warnings (--strict)" if acceptance.strict and count[Result.WARNING] else ""
    return f"{against} {'item speaks' if against == 1 else 'items speak'} against it{warnings}; the old project stays the one in force"


def switch_json(acceptance: Acceptance, *, homes: bool) -> str:
    """`fcoplint.switch/1`."""
    lists: dict[str, Any] = {
        str(kind): [
            {"id": item.id, "result": str(item.result), "text": item.text, "evidence": list(item.evidence), "do": item.todo or None}
            for item in acceptance.items
            if item.kind is kind
        ]
        for kind, _ in _LISTS
    }
    data = {
        "schema": SWITCH_SCHEMA,
        "tool": f"fcoplint {__version__}",
        "verdict": str(acceptance.verdict),
        "exit": acceptance.exit_code,
        "strict": acceptance.strict,
        "phase": acceptance.phase,
        "from": _expected_data(acceptance.source) if acceptance.source else None,
        "to": _expected_data(acceptance.target) if acceptance.target else None,
        **lists,
        "not_proved": list(acceptance.not_proved),
    }
    return _dump(data, homes=homes)


def _dump(data: dict[str, Any], *, homes: bool) -> str:
    return json.dumps(_plain(data, homes=homes), indent=2, ensure_ascii=True) + "\n"


def _plain(value: Any, *, homes: bool) -> Any:
    """A value that JSON can carry everywhere; home folders as `~` unless they are wanted."""
    if isinstance(value, dict):
        return {key: _plain(item, homes=homes) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, homes=homes) for item in value]
    if not isinstance(value, str):
        return value
    text = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text if homes else hide_homes(text)
