"""History (FC815): what v4's tools recorded stays as it was; a record may only get further (protocol.md G16)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, on_path
from fcoplint.model.change import Change
from fcoplint.model.facts import Fact
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.facts import GROWING_KEYS, RECEIPT_STAGES


@rule("FC815", versions=V4)
def receipt_rewritten(change: Change) -> Iterator[Finding]:
    for before, after in change.workspaces():
        if before is None or before.version not in V4 or after is None:
            continue
        now = {after.relative(fact.path): fact for fact in after.facts.all}
        for fact in before.facts.all:
            yield from _judge(change, before, after, fact, now.get(before.relative(fact.path)))


def _judge(change: Change, before: Workspace, after: Workspace, old: Fact, new: Fact | None) -> Iterator[Finding]:
    """What became of one record; what was judged on another side of a merge is not judged again."""
    path = after.path(before.relative(old.path))
    if new is old or (new and new.data == old.data):
        return
    if new is None:
        # What is there and cannot be read is the state's fault.
        if path not in after.entries and not change.is_judged_elsewhere(before.root, old.path, None):
            yield on_path(before, "FC815", old.path, about="deleted", message="deleted")
        return
    if old.fault or change.is_judged_elsewhere(before.root, old.path, new.path):
        return
    if new.fault:
        yield on_path(after, "FC815", path, new.fault.span, about="unread", message="unread")
        return
    for key in sorted(old.values.keys() | new.values.keys()):
        if old.values.get(key) != new.values.get(key) and not _has_grown(old, new, key):
            message = "back" if key == "stage" and key in GROWING_KEYS.get(old.kind, ()) else "default"
            yield on_path(after, "FC815", path, new.span(key), about=key, message=message, key=key, old=str(old.stage), new=str(new.stage))


def _has_grown(old: Fact, new: Fact, key: str) -> bool:
    """Whether a value went on as it may: a stage further, operations added at the end."""
    if key not in GROWING_KEYS.get(old.kind, ()) or old.kind is not new.kind:
        return False
    if key == "stage":
        known = old.stage in RECEIPT_STAGES and new.stage in RECEIPT_STAGES
        return known and RECEIPT_STAGES.index(old.stage or "") < RECEIPT_STAGES.index(new.stage or "")
    mine, theirs = old.texts(key), new.texts(key)
    return mine is not None and theirs is not None and theirs[: len(mine)] == mine
