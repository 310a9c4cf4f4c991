"""Who holds which right in a workspace: its leader, its administrators, its layers, the rules it works by (protocol.md A.4, A.5)."""

from __future__ import annotations

import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from fcoplint.protocol.roles import ADMIN, RESERVED, TEAM, base_role, is_role, split_slot
from fcoplint.protocol.rules_version import RULE_FILES, SELF_ARCHIVE_FORBIDDEN, SELF_ARCHIVE_FORBIDDEN_SINCE, find_version, parse_version
from fcoplint.protocol.stages import Mover
from fcoplint.source.snapshot import Kind, read_one

if TYPE_CHECKING:
    from fcoplint.model.envelope import Task
    from fcoplint.model.workspace import Workspace
    from fcoplint.protocol.names import Name

GOVERNANCE, WORKER = "governance", "worker"


class Authority:
    """The rights in one workspace, as its manifest, the rules beside it and the owner's policy give them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._policy = workspace.policy

    @cached_property
    def admins(self) -> frozenset[str]:
        """ADMIN and the names that stand for it."""
        return frozenset({ADMIN, *self._policy.admins})

    @cached_property
    def leader(self) -> str | None:
        """The leader: the one that is named, else the one role that ADMIN sends TASKs to.

        Without the last, removing the manifest would make the leader's lawful acts look unlawful (rule 4: ADMIN speaks to
        the leader alone).
        """
        return self.named_leader or self._presumed_leader

    @property
    def named_leader(self) -> str | None:
        """The leader that the configuration names, else the manifest."""
        return self._policy.leader or self._declared_leader

    @property
    def leader_source(self) -> str:
        """What declares the leader: a file's path, or words for it."""
        if self._policy.leader:
            return "the configuration of fcoplint"
        if self.named_leader or not self._presumed_leader:
            return self._workspace.manifest_path
        return f"no file: {self._workspace.manifest_path} names none, and ADMIN sends TASKs to this role alone"

    @cached_property
    def declared(self) -> frozenset[str]:
        """The declared roles; where the manifest declares none, those that the TASKs' names speak of."""
        roles = self._workspace.declared_roles
        if not roles:
            roles = frozenset(role for name in self._task_names for role in (name.sender, name.recipient) if role)
        return roles | ({self.leader} if self.leader else set()) | self.admins

    @cached_property
    def is_solo(self) -> bool:
        """Whether one role does everything. A manifest that says solo and declares several roles does not make it so."""
        manifest = self._workspace.manifest
        return manifest is not None and manifest.is_solo and len(self._workspace.declared_roles - RESERVED) <= 1

    @cached_property
    def leaders(self) -> frozenset[str]:
        """The leader, and in solo mode the only role."""
        leader = frozenset({self.leader}) if self.leader else frozenset[str]()
        return leader | self._workspace.declared_roles if self.is_solo else leader

    @cached_property
    def chiefs(self) -> frozenset[str]:
        """Those who may do every governance act: administrators and leaders."""
        return self.admins | self.leaders

    @cached_property
    def layers(self) -> dict[str, str]:
        """The layer of each role that declares one."""
        entries = self._workspace.manifest.role_entries if self._workspace.manifest else []
        said = ((code, keys.get("layer")) for code, keys in entries)
        return {code: layer for code, layer in said if code and isinstance(layer, str)}

    def governs(self, role: str) -> bool:
        """Whether a role is declared with layer governance."""
        return self.layers.get(role) == GOVERNANCE

    def role_of(self, name: str) -> str:
        """The role that a name speaks for: its slot removed, declared codes as they stand, `PM-01` as PM (protocol.md A.5.3)."""
        return base_role(split_slot(name)[0], self.declared)

    def sender_of(self, task: Task) -> str | None:
        """The role that sent a TASK; by the field, else by the name."""
        return self.role_of(task.author) if task.author else None

    def recipient_of(self, task: Task) -> str | None:
        """The role that a TASK is addressed to, TEAM included."""
        return self.role_of(task.recipient) if task.recipient else None

    def addressees_of(self, task: Task) -> set[str]:
        """The roles that a TASK may be addressed to, by field and by name, TEAM included."""
        return {self.role_of(said) for said in task.recipients}

    def is_addressed(self, task: Task, role: str) -> bool:
        """Whether a role was to do a TASK; one to TEAM is for every declared role but the sender."""
        addressed = self.addressees_of(task)
        if TEAM in addressed and role in self.declared and role != self.sender_of(task):
            return True
        return role in addressed or (role in self.admins and not self.admins.isdisjoint(addressed))

    def may_report(self, task: Task, name: str | None) -> bool:
        """Whether the role of a name is one that may report on a TASK.

        A slot and `assignee.…` leave open who takes the work, as TEAM does: any role but the sender.
        """
        if name is None:
            return False
        role = self.role_of(name)
        if self.is_addressed(task, role):
            return True
        is_open = TEAM in task.recipients or _leaves_open(task)
        return is_open and role != self.sender_of(task)

    def may_move(self, task: Task, role: str, source: str | None, target: str | None) -> bool:
        """Whether a role may move a TASK from one stage to another, by the table of moves."""
        edges = task.workspace.dialect.table.edges_between(source, target)
        return any(self._is(mover, task, role) for edge in edges for mover in edge.movers)

    def _is(self, mover: Mover, task: Task, role: str) -> bool:
        match mover:
            case Mover.SENDER:
                return role == self.sender_of(task)
            case Mover.RECIPIENT:
                return self.is_addressed(task, role)
            case Mover.LEADER:
                return role in self.leaders
            case Mover.ADMIN:
                return role in self.admins
            case Mover.GOVERNANCE:
                return self.governs(role)
            case Mover.RUNTIME:
                return role in task.workspace.dialect.tool_actors

    def forbids_self_archive(self, task: Task) -> bool:
        """Whether the rules that bind a TASK reserve archiving to leader and ADMIN (protocol.md A.5.2).

        Where no file tells the rules' version, the newest of the TASK's events decides: one backdated event does not.
        """
        if self.rules_version is not None:
            return self.rules_version >= SELF_ARCHIVE_FORBIDDEN
        newest = newest_time(task)
        return newest is None or newest >= SELF_ARCHIVE_FORBIDDEN_SINCE

    @cached_property
    def rules_version(self) -> tuple[int, ...] | None:
        """The version of the rules in force: by the configuration, else by the rules deployed beside the workspace."""
        if self._policy.rules_version:
            return parse_version(self._policy.rules_version)
        return next(filter(None, map(self._deployed_version, self._rule_files)), None)

    @property
    def _rule_files(self) -> list[str]:
        """The rules files of the folder that holds the workspace; none where the snapshot begins with the workspace."""
        root = self._workspace.root
        if not root:
            return []
        folder = root.removesuffix("fcop") if root.rpartition("/")[2] == "fcop" else root.removesuffix("docs/agents")
        return [folder + name for name in RULE_FILES]

    def _deployed_version(self, path: str) -> tuple[int, ...] | None:
        snapshot = self._workspace.snapshot
        entry = snapshot.entries.get(path)
        if entry is None or entry.kind is not Kind.FILE:
            return None
        content = read_one(snapshot, path)
        return find_version(content.decode("utf-8", "replace")) if isinstance(content, bytes) else None

    @cached_property
    def _declared_leader(self) -> str | None:
        """The leader by the manifest; one that is no declared role (FC141) only where a TASK speaks of it."""
        manifest = self._workspace.manifest
        leader = manifest.leader if manifest else None
        if manifest is None or not manifest.roles or leader in manifest.roles:
            return leader
        return leader if any(leader in (name.sender, name.recipient) for name in self._task_names) else None

    @property
    def _task_names(self) -> list[Name]:
        return [task.name for task in self._workspace.tasks if task.name]

    @cached_property
    def _presumed_leader(self) -> str | None:
        names = self._task_names
        asked = {name.recipient for name in names if name.sender == ADMIN and name.recipient not in (ADMIN, TEAM)}
        return asked.pop() if len(asked) == 1 else None


def newest_time(task: Task) -> datetime.datetime | None:
    """The latest time that a TASK's events name, None where none can be read."""
    return max((event.time.moment for event in task.events if event.time), default=None)


def _leaves_open(task: Task) -> bool:
    """Whether a TASK's address says by a slot, or by no role's code, that its role is not yet decided."""
    said = task.text("recipient")
    return bool(task.name and task.name.slot) or (said is not None and not is_role(said))
