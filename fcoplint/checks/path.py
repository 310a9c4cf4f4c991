"""Path (FC2): where is it now? Stages, twins, layouts, folders, links (protocol.md A.1, A.4)."""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.habits import once
from fcoplint.checks.mending import move
from fcoplint.checks.registry import V1_V2, V2_V3, V3, V3_V4, V4, rule
from fcoplint.findings import Finding, Fix, Related, on, on_path
from fcoplint.model.envelope import Envelope, Task
from fcoplint.model.links import follow
from fcoplint.model.nodes import as_plain
from fcoplint.model.workspace import Workspace
from fcoplint.protocol.names import claimed_kind, parse_v4_kind
from fcoplint.protocol.places import HOME_FOLDER, LIFECYCLE, MANIFEST_NAMES, OPERATIONS, V4_BUCKETS, is_temporary
from fcoplint.protocol.stages import STAGES, stage_order
from fcoplint.source.snapshot import Kind


@rule("FC201", versions=V3_V4)
def unknown_stage(envelope: Envelope) -> Iterator[Finding]:
    if envelope.place.kind == "lifecycle":
        folder = envelope.workspace.relative(envelope.path).split("/")[1] if envelope.place.depth else ""
        message = "default" if folder else "no-stage"
        yield on(envelope, "FC201", envelope.file, about=folder, message=message, folder=folder, stages=", ".join(STAGES))


@rule("FC201", versions=V3_V4)
def unknown_stage_folder(workspace: Workspace) -> Iterator[Finding]:
    told = {_top_two(workspace, envelope.path) for envelope in workspace.envelopes}
    strangers: dict[str, str] = {}
    for path in workspace.entries:
        place = workspace.place(path)
        if place.kind == "lifecycle" and place.depth and not is_temporary(path.rpartition("/")[2]):
            folder = _top_two(workspace, path)
            if folder not in told:
                strangers.setdefault(folder, path)
    for folder in sorted(strangers):
        yield on_path(
            workspace,
            "FC201",
            workspace.path(folder),
            about=folder,
            message="folder",
            folder=folder.rpartition("/")[2],
            stages=", ".join(STAGES),
        )


@rule("FC202", versions=V3_V4)
def missing_stage(workspace: Workspace) -> Iterator[Finding]:
    lifecycle = workspace.path(LIFECYCLE)
    held = {workspace.place(path).stage for path in workspace.entries}
    # `_lifecycle/done` as a path of its own is a link or a submodule: wrong, but not absent.
    missing = [stage for stage in STAGES if stage not in held and f"{lifecycle}/{stage}" not in workspace.entries]
    # With nothing but an inbox a workspace has just begun: so every fresh clone of one looks.
    if not missing or held.isdisjoint(STAGES[1:]):
        return
    message = "default"
    if workspace.version == 4:
        message = "v4"
        missing = [f"{LIFECYCLE}/{stage}" for stage in missing] + _missing_buckets(workspace)
    yield on_path(workspace, "FC202", lifecycle, about="stages", message=message, stages=", ".join(missing))


def _missing_buckets(workspace: Workspace) -> list[str]:
    held = {workspace.relative(path).partition("/")[0] for path in workspace.entries}
    return [folder for folder in V4_BUCKETS if folder not in held]


@rule("FC202", versions=V4)
def kept_by_a_file(workspace: Workspace) -> Iterator[Finding]:
    # The reference's own validators do not agree on it, so it is no fault (protocol.md D 10).
    for path in workspace.entries:
        if path.endswith("/.gitkeep") and workspace.place(path).kind in ("stage", *V4_BUCKETS[:3]):
            yield on_path(workspace, "FC202", path, about="gitkeep", message="gitkeep", stages="")


@rule("FC203", versions=V3_V4)
def task_in_two_stages(workspace: Workspace) -> Iterator[Finding]:
    for copies in workspace.by_stem.values():
        for kinds in (("stage", "lifecycle"), ("history",)):
            twins = [copy for copy in copies if isinstance(copy, Task) and copy.place.kind in kinds]
            if len(twins) > 1:
                yield _twins(twins)


def _twins(twins: list[Task]) -> Finding:
    """One finding for all copies of a TASK: at the one left behind where that can be told, else at the later stage."""
    newest = max(twins, key=lambda task: (_agrees(task), len(task.events), stage_order(task.place.stage or ""), task.path))
    others = [twin for twin in twins if twin is not newest]
    message = _difference(newest, others)
    if message == "recoverable" and newest.workspace.version == 4:
        message = "recoverable-v4"
    at, beside = (newest, others[0]) if message == "divergent" else (others[0], newest)
    related = tuple(Related(twin.file, "copy") for twin in twins if twin is not at)
    return on(at, "FC203", at.file, about="twins", message=message, related=related, other=beside.path, count=len(twins))


def _difference(newest: Task, others: list[Task]) -> str:
    """identical; recoverable, where each other copy is only an earlier state of the newest; divergent."""
    if any(not isinstance(twin.content, bytes) for twin in (newest, *others)):
        return "divergent"
    if all(other.content == newest.content for other in others):
        return "identical"
    return "recoverable" if all(_is_earlier_state(other, newest) for other in others) else "divergent"


def _is_earlier_state(old: Task, new: Task) -> bool:
    if not old.document or not new.document or old.document.body != new.document.body:
        return False
    events = [event.values for event in old.events]
    return events == [event.values for event in new.events][: len(events)] and _other_fields(old) == _other_fields(new)


def _other_fields(task: Task) -> dict[str, object]:
    return {pair.key.text: as_plain(pair.value) for pair in task.fields.pairs if pair.key.text != "transitions"} if task.fields else {}


def _agrees(task: Task) -> bool:
    return task.last_event is not None and task.last_event.target == task.place.stage


@rule("FC204", versions=V2_V3)
def mixed_topology(workspace: Workspace) -> Iterator[Finding]:
    if not workspace.protocol.mixed:
        return
    folders = {"tasks", "log"} - workspace.dialect.old_folders
    envelopes = [envelope for envelope in workspace.envelopes if envelope.place.kind in folders]
    found = (workspace.relative(path) for path in workspace.entries if not path.endswith("/.gitkeep"))
    old = [path for path in found if path.startswith(tuple(f"{folder}/" for folder in folders))]
    when = "log holds only reviews" if all(path.startswith("log/reviews/") for path in old) else ""
    for envelope in envelopes:
        yield on(envelope, "FC204", envelope.file, about=envelope.place.kind, when=when, folder=envelope.place.kind)
    for folder in sorted({path.partition("/")[0] for path in old} - {envelope.place.kind for envelope in envelopes}):
        yield on_path(workspace, "FC204", workspace.path(folder), about=folder, message="folder", when=when, folder=folder)


@rule("FC205", versions=V3)
def misplaced_envelope(envelope: Envelope) -> Iterator[Finding]:
    yield from _misplaced(envelope)


@rule("FC205", versions=V4)
def misplaced_in_v4(envelope: Envelope) -> Iterator[Finding]:
    place = envelope.place
    if place.kind == "lifecycle" or (place.kind == "history" and _is_revived(envelope)):
        return
    home = f"{LIFECYCLE}/inbox" if envelope.kind == "TASK" else HOME_FOLDER[envelope.kind]
    if place.kind != ("stage" if envelope.kind == "TASK" else home) or place.depth:
        yield _at_home(envelope, "deep" if place.depth and place.kind in ("stage", home) else "default", home)


@rule("FC205", versions=V4)
def envelope_beside_buckets(workspace: Workspace) -> Iterator[Finding]:
    """Envelopes by their names where none is looked for; copies in `cold/` are there lawfully."""
    for path, entry in workspace.entries.items():
        place, filename = workspace.place(path), path.rpartition("/")[2]
        kind = parse_v4_kind(filename) if place.kind in ("root", OPERATIONS) and entry.kind is Kind.FILE else None
        if kind and kind == declared_kind(workspace, path):
            home = workspace.path(f"{LIFECYCLE}/inbox" if kind == "TASK" else HOME_FOLDER[kind])
            yield on_path(workspace, "FC205", path, about=place.kind, kind=kind, home=home, target=f"{home}/{filename}")


def declared_kind(workspace: Workspace, path: str) -> str | None:
    """The `type:` that a file outside the buckets gives itself, None where it gives none."""
    for _, document in workspace.read([path]):
        return document.front.mapping.text("type") if document.front.mapping else None
    return None


def _is_revived(envelope: Envelope) -> bool:
    """Whether another copy of a TASK lies in a stage: FC210 speaks of both."""
    return envelope.kind == "TASK" and any(copy.place.kind == "stage" for copy in envelope.workspace.by_stem[envelope.stem])


def _at_home(envelope: Envelope, message: str, home: str) -> Finding:
    home = envelope.workspace.path(home)
    target = f"{home}/{envelope.filename}"
    return on(envelope, "FC205", envelope.file, about=envelope.place.kind, message=message, kind=envelope.kind, home=home, target=target)


@rule("FC205", versions=V1_V2)
def misplaced_in_older_layout(workspace: Workspace) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Finding]] = {}
    for envelope in workspace.envelopes:
        groups.setdefault((envelope.kind, envelope.place.kind), []).extend(_misplaced(envelope))
    for (kind, folder), found in groups.items():
        if found:
            yield from once(workspace, found, f"{kind} in {folder}", kind=kind, home=found[0].parameters["home"])


def _misplaced(envelope: Envelope) -> Iterator[Finding]:
    place, old = envelope.place, envelope.workspace.version < 3
    if place.kind in ("log", "lifecycle", "_archive"):
        return
    if place.kind == "stage" and envelope.kind == "TASK":
        if place.depth:
            yield on(
                envelope,
                "FC205",
                envelope.file,
                about="sub-folder",
                message="sub-folder",
                when="envelope in a sub-folder of a stage",
                fix=_move_to(envelope, f"{LIFECYCLE}/{place.stage}"),
                stage=place.stage,
            )
        return
    homes = _homes(envelope, old=old)
    if place.kind in homes:
        return
    in_archive = envelope.kind == "REPORT" and place.stage == "archive"
    in_sub_folder = place.kind == "stage" and place.depth > 0
    when = "v1, v2" if old else "REPORT in archive" if in_archive else "envelope in a sub-folder of a stage" if in_sub_folder else ""
    home = envelope.workspace.path(homes[0])
    target = f"{home}/{envelope.filename}"
    # Which stage a TASK belongs in, no folder outside of them tells.
    fix = _move_to(envelope, homes[0]) if old or envelope.kind != "TASK" else None
    yield on(envelope, "FC205", envelope.file, about=place.kind, when=when, fix=fix, kind=envelope.kind, home=home, target=target)


def _move_to(envelope: Envelope, home: str) -> Fix | None:
    target = envelope.workspace.path(f"{home}/{envelope.filename}")
    return None if target in envelope.workspace.entries else move(envelope.path, target)


def _homes(envelope: Envelope, *, old: bool) -> tuple[str, ...]:
    """The places where an envelope of this type may lie, its proper one first."""
    if envelope.kind == "TASK":
        return ("tasks",) if old else (f"{LIFECYCLE}/inbox", "history", "tasks")
    if envelope.kind == "REPORT" and not old:
        return ("reports", "history")
    return (HOME_FOLDER[envelope.kind],)


@rule("FC206", versions=V3_V4)
def symlinked_stage(workspace: Workspace) -> Iterator[Finding]:
    for path in links_that_matter(workspace):
        # Where it leaves the root that is the graver fault, and FC714 speaks of it.
        if not follow(workspace.state, path).leaves_by:
            yield on_path(workspace, "FC206", path, about="link", target=workspace.link_target(path))


def links_that_matter(workspace: Workspace) -> Iterator[str]:
    """The links of a workspace that stand for an envelope, the manifest, or a folder in which envelopes are looked for."""
    envelopes = {envelope.path for envelope in workspace.envelopes}
    for path, entry in workspace.entries.items():
        if entry.kind is Kind.LINK and _matters(workspace, path, envelopes):
            yield path


def _matters(workspace: Workspace, path: str, envelopes: set[str]) -> bool:
    if path in envelopes or workspace.relative(path) in MANIFEST_NAMES or (workspace.version == 4 and workspace.is_fact(path)):
        return True
    filename = path.rpartition("/")[2]
    is_folder = "." not in filename or claimed_kind(f"{filename}.md") is not None
    return is_folder and workspace.place_below(path).kind != "other"


def _top_two(workspace: Workspace, path: str) -> str:
    return "/".join(workspace.relative(path).split("/")[:2])
