"""The probe: all components of one root, the verdict, and what no file can prove (roots.md 5b). It reads twice what must not move."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from fcoplint.model.manifest import Manifest
from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import is_protected, parse
from fcoplint.roots import gather, runtime
from fcoplint.roots.components import Component, Expected, Finding, Outcome, assess, decide, exit_code, find_faults
from fcoplint.roots.gather import Asked
from fcoplint.source import git
from fcoplint.source.machine import WORKSPACES, Machine, is_workspace

# What no file tells, said with every verdict.
NOT_PROVED = (
    "watcher subscriptions",
    "tool-internal caches",
    "working directories and environments of processes that run already",
    "handles that processes still hold (Windows releases them late)",
    "network file systems and container mounts: one folder may have two identities",
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What must not move while a root is looked at: HEAD, the index, the manifest, the folder itself."""

    head: str | None
    index_tree: str | None
    manifest_sha256: str | None
    identity: tuple[int, int] | None
    at: datetime.datetime

    def is_same(self, other: Snapshot) -> bool:
        """Whether nothing moved; when it was looked at does not matter."""
        return (self.head, self.manifest_sha256, self.identity) == (other.head, other.manifest_sha256, other.identity)


@dataclass(frozen=True, slots=True)
class Probe:
    """The result."""

    expected: Expected
    components: tuple[Component, ...]
    findings: tuple[Finding, ...]
    outcome: Outcome
    strict: bool
    snapshot: Snapshot
    live: bool

    @property
    def exit_code(self) -> int:
        """See `components.exit_code`."""
        return exit_code(self.outcome, strict=self.strict)


def probe(machine: Machine, expected: Expected, declared: Roots, asked: Asked, *, strict: bool = False) -> Probe:
    """Look at every component once, and at HEAD and the manifest before and after."""
    before = take_snapshot(machine, expected)
    sightings = [*gather.gather(machine, expected, declared, asked), *runtime.gather_state(machine, expected, asked)]
    components = [assess(sighting, expected, declared) for sighting in sightings]
    findings = [
        *find_faults(components, expected),
        *_structure(machine, expected, declared),
        *runtime.find_record_faults(machine, expected, asked),
    ]
    order = {"error": 0, "warning": 1, "info": 2}
    findings.sort(key=lambda finding: (order[finding.severity], finding.rule, finding.components, finding.message))
    changed = not before.is_same(take_snapshot(machine, expected, index=False))
    outcome = decide(components, findings, changed=changed)
    return Probe(expected, tuple(components), tuple(findings), outcome, strict, before, asked.live)


def take_snapshot(machine: Machine, expected: Expected, *, index: bool = True) -> Snapshot:
    """HEAD, manifest and folder as they are now; the index too, which may move."""
    root = expected.identity.real
    head = tree = None
    try:
        repository = git.open_repository(root, machine.environ)
        head, tree = git.resolve_commit(repository, "HEAD"), git.index_tree(repository) if index else None
    except git.GitError:
        # Without a repository there is nothing that could move; its component says why there is none.
        pass
    manifest = gather.read_manifest(machine, root, expected.workspace)
    digest = hashlib.sha256(manifest.data).hexdigest() if isinstance(manifest, Manifest) else None
    now = machine.look(root).identity
    identity = (now.device, now.inode) if now else None
    return Snapshot(head, tree, digest, identity, datetime.datetime.now(datetime.UTC))


def _structure(machine: Machine, expected: Expected, declared: Roots) -> Iterator[Finding]:
    """FC701, FC702 and FC726 of the root itself."""
    root = expected.identity.real
    found = [name for name in WORKSPACES if is_workspace(os.path.join(root, name))]
    if len(found) > 1:
        text = "the root holds two workspaces, fcop/ and docs/agents/: some tools refuse that, others pick one"
        yield Finding("FC702", "error", ("workspace",), text, "move what is still needed into one of them, in a commit of its own")
    for name in found:
        if is_workspace(os.path.join(root, name, "fcop")):
            text = f"a workspace lies inside the workspace: {name}/fcop"
            yield Finding("FC701", "error", ("workspace",), text, f"git mv what belongs to {name}/ out of {name}/fcop/")
    if is_protected_root(machine, root, declared):
        text = f"the root {root} is a home folder, holds home folders, or is the system's: no project may lie there"
        yield Finding("FC726", "error", ("project",), text, "bind every tool to the project's own folder")


def is_protected_root(machine: Machine, root: str, declared: Roots) -> bool:
    """Whether no project may lie at a real path, by what it is and what the owner allows."""
    allowed = declared.allow_protected
    if allowed is True or (not isinstance(allowed, bool) and root in allowed):
        return False
    return is_protected(parse(root), (machine.home,) if machine.home else ())
