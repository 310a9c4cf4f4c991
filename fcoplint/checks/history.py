"""History (FC8): was the past changed? What a change may do to landed envelopes (protocol.md E)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fcoplint.checks.registry import ANY, rule
from fcoplint.findings import Finding, on, on_path
from fcoplint.model.change import Change
from fcoplint.model.comparison import Comparison, same_event
from fcoplint.model.continuation import is_approval, is_closing
from fcoplint.model.envelope import Envelope, Task
from fcoplint.model.location import Location
from fcoplint.model.nodes import Mapping, Node, Scalar, Span
from fcoplint.model.pair import EnvelopePair
from fcoplint.protocol.times import parse_time

RESTORES = "restores what an ancestor held, where the side before is no lawful continuation of it"

Judge = Callable[[EnvelopePair], Iterator[Finding]]


@rule("FC801", "FC802", "FC803", "FC804", "FC805", "FC806", "FC807", "FC810", "FC811", versions=ANY)
def landed_envelope_touched(change: Change) -> Iterator[Finding]:
    """One look at each pair, because what restores an ancestor answers for all that it changes."""
    for pair in (*change.pairs(), *change.returned):
        if not pair.is_untouched:
            yield from _settle(change, pair, _judge(pair))


@rule("FC801", "FC802", "FC804", "FC805", "FC806", "FC807", "FC810", "FC811", versions=ANY)
def twin_dropped(change: Change) -> Iterator[Finding]:
    """Two copies of a name cannot serve to put one content in the place of the other."""
    for pair in change.dropped():
        yield from _settle(change, pair, _judge(pair))


def _judge(pair: EnvelopePair) -> list[Finding]:
    return [finding for judge in _judges(pair) for finding in judge(pair)]


@rule("FC808", versions=ANY)
def renamed(change: Change) -> Iterator[Finding]:
    for pair in change.renamed:
        old = pair.before.filename
        back = f"{pair.after.path.rpartition('/')[0]}/{old}"
        found = on(pair.after, "FC808", pair.after.file, about="renamed", old=old, back=back)
        yield from _settle(change, pair, [found])


@rule("FC809", versions=ANY)
def deleted(change: Change) -> Iterator[Finding]:
    renamed = {pair.before.path for pair in change.renamed}
    for envelope in change.removed():
        if envelope.path not in renamed and not change.is_judged_elsewhere(envelope.workspace.root, envelope.path, None):
            yield on(envelope, "FC809", envelope.file, about="deleted", kind=envelope.kind)


@rule("FC809", versions=ANY)
def manifest_deleted(change: Change) -> Iterator[Finding]:
    for before, after in change.workspaces():
        if before is None or before.manifest_path not in before.entries:
            continue
        left = after.manifest_path in after.entries if after else before.manifest_path in change.after.snapshot.entries
        if not left and not change.is_judged_elsewhere(before.root, before.manifest_path, None):
            found = on_path(before, "FC809", before.manifest_path, about="deleted", message="manifest")
            # That there is none is the same fault, seen in the state alone.
            yield replace(found, replaces=("FC141",))


def _settle(change: Change, pair: EnvelopePair, found: list[Finding]) -> Iterator[Finding]:
    """The findings about a pair as they count: none where they were judged on another side of a merge, one where they restore."""
    if not found or change.is_judged_elsewhere(pair.before.workspace.root, pair.before.path, pair.after.path):
        return
    past = change.restored_from(pair)
    if past is None:
        yield from found
    else:
        yield on(
            pair.after, "FC801", pair.after.top, about="restores", message="restores", when=RESTORES,
            restores=past.commit, commit=past.commit[:12],
        )  # fmt: skip


def _judges(pair: EnvelopePair) -> tuple[Judge, ...]:
    """What is asked of a pair, by its type, and by the protocol of either side: a change cannot leave it to escape."""
    versions = {pair.before.workspace.version, pair.after.workspace.version}
    if versions == {0}:
        return ()
    if pair.is_replaced_unread:
        return (_replaced,)
    if pair.content is None or _is_migration(pair):
        return ()
    if pair.after.kind != "TASK":
        return (_archive_changed,) if _is_frozen(pair) else (_EDITED[pair.after.kind],)
    if not versions & {3, 4}:
        return ()
    if 3 in versions and _is_another(pair.content):
        return (_overwritten,)
    return (_events_rewritten, _archive_changed) if _is_frozen(pair) else (_events_rewritten, _place_and_events, _task_edited)


def _events_rewritten(pair: EnvelopePair) -> Iterator[Finding]:
    content = _content(pair)
    number = content.broken_at
    if number is None:
        return
    landed = content.landed[number]
    where = _at_event(pair.after, content, number)
    message = _how(content)
    yield on(pair.after, "FC801", where, about="events", message=message, landed=_describe(landed), number=number + 1)


def _place_and_events(pair: EnvelopePair) -> Iterator[Finding]:
    """FC802 and FC803: the appended events must lead to where the TASK lies now."""
    if _content(pair).broken_at is not None:
        return
    start, end = pair.stages
    if end is None or pair.after.place.kind not in ("stage", "history"):
        # Anywhere else it is misplaced (FC201, FC205); the old folders alone would pass for a place.
        if pair.before.place.kind == "stage" and pair.after.place.kind in ("tasks", "log", "_archive"):
            yield _unled(pair, "FC802", "outside")
    elif not pair.is_led:
        gap = bool(pair.appended) and pair.appended[-1].target == end
        message = "gap" if gap else "default" if pair.appended or start == end else "no-event"
        yield _unled(pair, "FC803" if start == end else "FC802", message)


def _unled(pair: EnvelopePair, code: str, message: str) -> Finding:
    events = [*pair.landed, *pair.appended]
    last = events[-1] if events else None
    where = (last.scalar("to") or last.first_line) if last else pair.after.top
    start, end = pair.stages
    said = last.target if last else None
    found = on(
        pair.after, code, where, about="move", message=message,
        start=start or pair.before.place.kind, end=end or pair.after.place.kind, said=said or "nowhere", old=pair.before.path,
    )  # fmt: skip
    # That path and events disagree is the same fault, seen in the state alone.
    return replace(found, replaces=("FC309",))


def _task_edited(pair: EnvelopePair) -> Iterator[Finding]:
    yield from _edits(pair, "FC804", _content(pair).edited_fields)


def _report_edited(pair: EnvelopePair) -> Iterator[Finding]:
    yield from _text_changed(pair, "FC805")


def _review_edited(pair: EnvelopePair) -> Iterator[Finding]:
    if _is_exact(pair) or not is_approval(_content(pair)):
        yield from _text_changed(pair, "FC806")


def _issue_edited(pair: EnvelopePair) -> Iterator[Finding]:
    if _is_exact(pair):
        yield from _text_changed(pair, "FC807", when="v4")
        return
    edited = tuple(key for key in _content(pair).edited_fields if not is_closing(_content(pair), key))
    yield from _edits(pair, "FC807", edited)


def _archive_changed(pair: EnvelopePair) -> Iterator[Finding]:
    if pair.is_repaired:
        return
    if _has_left(pair):
        yield on(pair.after, "FC810", pair.after.file, about="left", message="left", old=pair.before.path)
        # A TASK that is taken back without an event was moved by hand, too.
        if isinstance(pair.after, Task) and _content(pair).broken_at is None and not pair.is_led:
            yield _unled(pair, "FC802", "archived")
    yield from _text_changed(pair, "FC810")


def _overwritten(pair: EnvelopePair) -> Iterator[Finding]:
    content = _content(pair)
    first = content.listed[0]
    at = first.get("at") if isinstance(first, Mapping) else None
    yield on(pair.after, "FC811", at or first, about="identity", old=_said(content.landed[0], "at"), new=_said(first, "at"))


def _replaced(pair: EnvelopePair) -> Iterator[Finding]:
    code = {"TASK": "FC804", "REPORT": "FC805", "REVIEW": "FC806", "ISSUE": "FC807"}[pair.after.kind]
    when = "v4" if code == "FC807" and pair.before.workspace.version == 4 else ""
    yield on(pair.after, code, pair.after.file, about="content", message="unread", when=when)


_EDITED: dict[str, Judge] = {"REPORT": _report_edited, "REVIEW": _review_edited, "ISSUE": _issue_edited}


def _edits(pair: EnvelopePair, code: str, keys: tuple[str, ...]) -> Iterator[Finding]:
    """One finding for each edited field, and one for the body."""
    for key in keys:
        where = pair.after.pair(key)
        message = "removed" if where is None else "field" if pair.before.pair(key) else "added"
        yield on(pair.after, code, where or pair.after.top, about=key, message=message, key=key)
    line = _content(pair).edited_line
    if line is not None:
        yield on(pair.after, code, _line(line), about="body", message="body")


def _text_changed(pair: EnvelopePair, code: str, when: str = "") -> Iterator[Finding]:
    content = _content(pair)
    line = content.changed_line or (1 if _is_exact(pair) and content.old.data != content.new.data else None)
    if line is not None:
        yield on(pair.after, code, _line(line), about="content", when=when)


def _content(pair: EnvelopePair) -> Comparison:
    assert pair.content is not None, "unread pairs are judged by `_replaced` alone"
    return pair.content


def _line(number: int) -> Span:
    return Span(number, 1, number, 1)


def _is_exact(pair: EnvelopePair) -> bool:
    """Whether every byte counts: v4 binds envelopes by digests."""
    return pair.before.workspace.version == 4


def _is_frozen(pair: EnvelopePair) -> bool:
    """Whether the envelope was over before the change, in a protocol that freezes what is over (v3, v4)."""
    return pair.before.workspace.version >= 3 and pair.before.place.is_archived


def _has_left(pair: EnvelopePair) -> bool:
    old, new = pair.before.place, pair.after.place
    if old.kind == "history":
        return new.kind != "history"
    return isinstance(pair.after, Task) and not new.is_archived


def _is_another(content: Comparison) -> bool:
    """Whether the name now holds another TASK: created at another time, with another text, and none of the landed events."""
    if not content.landed or not content.listed:
        return False
    old, new = (parse_time(_said(events[0], "at")) for events in (content.landed, content.listed))
    if old is None or new is None or old.moment == new.moment:
        return False
    survives = any(same_event(mine, theirs) for mine in content.landed for theirs in content.listed)
    return not survives and bool(content.edited_fields or content.edited_line)


def _is_migration(pair: EnvelopePair) -> bool:
    """Whether nothing but the migration from v2 happened to it: a stamp on whatever lay in `tasks/`, envelopes of all types."""
    if pair.before.workspace.version not in (1, 2) or not pair.appended or isinstance(pair.after, Task):
        return False
    return _content(pair).is_continued and all(event.is_migration for event in pair.appended)


def _how(content: Comparison) -> str:
    """Which way the list of events was rewritten: removed, reverted, inserted, reordered or changed."""
    old, new = list(content.landed), list(content.listed)
    lost = [event for event in old if not any(same_event(event, other) for other in new)]
    if lost:
        if len(lost) > len(old) - len(new) or not all(map(same_event, (event for event in old if event not in lost), new)):
            return "changed"
        undone = lost == old[len(new) :] and not content.edited_fields and content.edited_line is None
        return "reverted" if undone else "removed"
    return "reordered" if len(old) == len(new) else "inserted"


def _at_event(after: Envelope, content: Comparison, number: int) -> Location:
    """The event's first line; where no event is left in its place, the list's key, or line 1."""
    if number < len(content.listed):
        span = content.listed[number].span
        return after.at(Span(span.line, span.column, span.line, span.column))
    pair = after.pair("transitions")
    return after.at(pair) if pair else after.top


def _describe(event: Node) -> str:
    if not isinstance(event, Mapping):
        return "an entry that is no event"
    return f"{_said(event, 'from')} to {_said(event, 'to')}, by {_said(event, 'by')} at {_said(event, 'at')}"


def _said(event: Node, key: str) -> str:
    value = event.get(key) if isinstance(event, Mapping) else None
    if not isinstance(value, Scalar):
        return "(nothing)" if value is None else "(not text)"
    return value.text or "null"
