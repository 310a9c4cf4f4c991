"""A workspace: one `fcop/` or `docs/agents/` tree of a snapshot, with every envelope and what it is related to."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from fcoplint.model.authority import Authority
from fcoplint.model.document import Document
from fcoplint.model.envelope import Envelope, Issue, Report, Review, Task, make_envelope
from fcoplint.model.facts import Fact, Facts, make_fact
from fcoplint.model.family import Families
from fcoplint.model.grounds import authorization, evidence
from fcoplint.model.location import Location
from fcoplint.model.manifest import Manifest
from fcoplint.model.policy import Policy
from fcoplint.model.relations import Relations
from fcoplint.model.sheets import Sheet, find_sheets
from fcoplint.model.surroundings import Surroundings
from fcoplint.protocol import versions
from fcoplint.protocol.dialects import DIALECTS, FCOP4, Dialect
from fcoplint.protocol.editions import Edition, edition_of
from fcoplint.protocol.facts import is_fact
from fcoplint.protocol.names import parse_name, plain_spelling
from fcoplint.protocol.places import (
    COLD,
    MANIFEST_NAMES,
    OPERATIONS,
    Place,
    is_envelope,
    is_marker,
    is_workspace_folder,
    place_of,
    project_of,
)
from fcoplint.source.snapshot import Content, Entry, Kind, Note, Snapshot, Unreadable, link_target, read_one


class Documents:
    """Parsed contents by git object id: what two snapshots share is read and parsed once.

    `stems` holds, by workspace folder and path, what is known of names: an envelope's stem, "" for other files. `facts` are
    those of v4's operations, by object id and path.
    """

    def __init__(self) -> None:
        self.stems: dict[str, dict[str, str]] = {}
        self.facts: dict[tuple[str, str], Fact] = {}
        self._by_oid: dict[str, Document | Unreadable] = {}

    def load(self, snapshot: Snapshot, paths: Iterable[str]) -> Iterator[tuple[str, Document | Unreadable]]:
        """The document of each path of a snapshot, read in one stream where it is not known yet."""
        unknown: list[str] = []
        entries = snapshot.entries
        for path in paths:
            oid = entries[path].oid
            known = self._by_oid.get(oid) if oid else None
            if known is None:
                unknown.append(path)
            else:
                yield path, known
        for path, content in snapshot.read(unknown) if unknown else ():
            document = content if isinstance(content, Unreadable) else Document(content)
            oid = entries[path].oid
            if oid:
                self._by_oid[oid] = document
            yield path, document


class Workspace:
    """One workspace of one snapshot. `root` is its folder, "" where the snapshot's root is the workspace itself.

    `law` is the same workspace before a change, whose leader, layers and rules bind this one. `state` are all workspaces of
    the snapshot, this one among them.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        root: str,
        entries: dict[str, Entry],
        documents: Documents,
        *,
        policy: Policy,
        nested: tuple[str, ...] = (),
        top: str | None = None,
        law: Workspace | None = None,
        state: Workspaces,
    ) -> None:
        self.snapshot = snapshot
        self.root = root
        self.entries = entries
        self.nested = nested
        self.policy = policy
        self.law = law
        self.state = state
        self._folder_name = root or top or ""
        self._documents = documents
        self._places: dict[str, Place] = {}
        self._made: dict[str, Envelope] = {}
        self._loaded: dict[str, Document | Unreadable] = {}

    @property
    def project(self) -> str:
        """The folder of the project that this workspace belongs to; "" where that is the snapshot's root, or above it."""
        return project_of(self.root)

    @property
    def siblings(self) -> list[Workspace]:
        """The other workspaces of the snapshot."""
        ignores = self.state.surroundings.ignores
        return [workspace for workspace in self.state if workspace is not self and not ignores(workspace.root)]

    def relative(self, path: str) -> str:
        """A path of the snapshot relative to this workspace."""
        return path[len(self.root) + 1 :] if self.root else path

    def path(self, relative: str) -> str:
        """A path relative to this workspace as one of the snapshot."""
        return f"{self.root}/{relative}" if self.root else relative

    def place(self, path: str) -> Place:
        """Where in this workspace a path lies."""
        folder = path.rpartition("/")[0]
        place = self._places.get(folder)
        if place is None:
            place = self._places[folder] = place_of(self.relative(path))
        return place

    def place_below(self, folder: str) -> Place:
        """The place of what lies directly in a folder."""
        return self.place(f"{folder}/")

    @cached_property
    def manifest(self) -> Manifest | None:
        """The manifest, None where there is none or it cannot be read (`manifest_unreadable` says why)."""
        content = self._manifest_content
        return Manifest(self.manifest_path, content) if isinstance(content, bytes) else None

    @cached_property
    def manifest_path(self) -> str:
        """The manifest's path; where there is none, the path it should have."""
        found = (self.path(name) for name in MANIFEST_NAMES if self.path(name) in self.entries)
        return next(found, self.path(MANIFEST_NAMES[0]))

    @property
    def manifest_unreadable(self) -> Unreadable | None:
        """Why a manifest that is there could not be read."""
        content = self._manifest_content
        return content if isinstance(content, Unreadable) else None

    @cached_property
    def protocol(self) -> versions.Protocol:
        """The protocol version this workspace follows (protocol.md 0)."""
        if self.policy.protocol is not None:
            return versions.Protocol(self.policy.protocol, False, None)
        usable = self.manifest is not None and self.manifest.fault is None
        declared = self.manifest.declared() if usable and self.manifest else None
        return versions.detect(self._folder_name, declared, (self.relative(path) for path in self.entries))

    @property
    def version(self) -> int:
        """1 to 4."""
        return self.protocol.version

    @cached_property
    def dialect(self) -> Dialect:
        """The vocabulary its events are judged by."""
        return FCOP4 if self.version == 4 else DIALECTS[self.policy.dialect]

    @cached_property
    def edition(self) -> Edition:
        """The grammar of its envelopes."""
        return edition_of(self.version)

    @cached_property
    def declared_roles(self) -> frozenset[str]:
        """The role codes the manifest declares, the leader among them; empty where it declares none."""
        if self.manifest is None:
            return frozenset()
        return self.manifest.roles | ({self.manifest.leader} if self.manifest.leader else set())

    @cached_property
    def envelopes(self) -> list[Envelope]:
        """Every envelope, by path."""
        return [self.envelope(path) for path in sorted(self.envelope_paths)]

    @property
    def envelope_paths(self) -> list[str]:
        """The paths of all envelopes; no envelope is made for them."""
        return [path for paths in self._paths.values() for path in paths]

    def named(self, stem: str) -> list[Envelope]:
        """The envelopes with this whole stem, by path; no other is made for it."""
        return [self.envelope(path) for path in self._paths.get(stem, ())]

    def envelope(self, path: str) -> Envelope:
        """The envelope at a path, which must be one's."""
        found = self._made.get(path)
        if found is None:
            found = self._made[path] = make_envelope(self, path, self.place(path), self.entries[path])
        return found

    @cached_property
    def tasks(self) -> list[Task]:
        """The TASKs, by path."""
        return [envelope for envelope in self.envelopes if isinstance(envelope, Task)]

    @cached_property
    def reports(self) -> list[Report]:
        """The REPORTs, by path."""
        return [envelope for envelope in self.envelopes if isinstance(envelope, Report)]

    @cached_property
    def issues(self) -> list[Issue]:
        """The ISSUEs, by path."""
        return [envelope for envelope in self.envelopes if isinstance(envelope, Issue)]

    @cached_property
    def reviews(self) -> list[Review]:
        """The REVIEWs, by path."""
        return [envelope for envelope in self.envelopes if isinstance(envelope, Review)]

    @cached_property
    def sheets(self) -> list[Sheet]:
        """The ALERT and INSPECTION files, by path; they are no envelopes."""
        return find_sheets(self)

    @cached_property
    def workspace_id(self) -> str | None:
        """The id that a v4 manifest declares."""
        return self.manifest.workspace_id if self.manifest else None

    @cached_property
    def facts(self) -> Facts:
        """What v4's tools recorded in `operations/`."""
        found: dict[str, Fact] = {}
        unreadable: dict[str, Unreadable] = {}
        unknown: list[str] = []
        for path in sorted(path for path in self.entries if self.is_fact(path)):
            entry = self.entries[path]
            known = self._documents.facts.get((entry.oid or "", path))
            if known:
                found[path] = known
            elif entry.kind is Kind.LINK:
                unreadable[path] = Unreadable("link")
            else:
                unknown.append(path)
        for path, content in self.snapshot.read(unknown) if unknown else ():
            if isinstance(content, Unreadable):
                unreadable[path] = content
                continue
            found[path] = make_fact(path, content)
            oid = self.entries[path].oid
            if oid:
                self._documents.facts[oid, path] = found[path]
        return Facts([found[path] for path in sorted(found)], unreadable)

    @cached_property
    def consumed(self) -> frozenset[str]:
        """The ids of all that events of v4 stand on: the evidence they cite, and their authorizations."""
        events = [event for task in self.tasks for event in task.events]
        cited = {citation.ref.text for event in events for citation in evidence(event)}
        granted = {grant.ref.text for event in events if (grant := authorization(event))}
        return frozenset(cited | granted)

    @cached_property
    def cold(self) -> dict[str, str]:
        """The paths of exported copies in `cold/`, by stem; `read` gives their bytes."""
        found = (path for path in sorted(self.entries) if self.place(path) == (COLD, None, 0) and path.endswith(".md"))
        return {path.rpartition("/")[2].removesuffix(".md"): path for path in found}

    @cached_property
    def relations(self) -> Relations:
        """Which of these envelopes speak of which."""
        return Relations(self)

    @cached_property
    def families(self) -> Families:
        """The attempts and families of FCoP 4 among these envelopes."""
        return Families(self)

    @cached_property
    def authority(self) -> Authority:
        """Who holds which right here; in a change, by what the state before declares (design.md 7)."""
        return Authority(self.law or self)

    @cached_property
    def by_stem(self) -> dict[str, list[Envelope]]:
        """Envelopes by their whole stem; several where copies of one lie in two places."""
        return _group(self.envelopes, lambda envelope: envelope.stem)

    @cached_property
    def by_short_id(self) -> dict[str, list[Envelope]]:
        """Envelopes by TYPE-YYYYMMDD-NNN; several where a number was used twice."""
        return _group(self.envelopes, lambda envelope: envelope.short_id)

    def find(self, reference: str) -> list[Envelope]:
        """The envelopes a reference names: by stem, by short id, or by the file name a path ends in (protocol.md V3-F13)."""
        stem = reference.replace("\\", "/").rpartition("/")[2].removesuffix(".md")
        return self.by_stem.get(stem) or self.by_short_id.get(stem) or self._misspelled.get(stem) or []

    @cached_property
    def _misspelled(self) -> dict[str, list[Envelope]]:
        """Envelopes whose names a reader takes for right ones (FC106), by the stem and the short id that he reads."""
        found: dict[str, list[Envelope]] = {}
        for envelope in self.envelopes:
            plain = plain_spelling(envelope.filename)
            if plain == envelope.filename or not self.edition.is_name(plain):
                continue
            read = None if self.version == 4 else parse_name(plain)
            for key in {read.stem, read.short_id} if read else {plain.removesuffix(".md")}:
                found.setdefault(key, []).append(envelope)
        return found

    def prefetch(self, envelopes: Iterable[Envelope]) -> None:
        """Read these envelopes in one stream, before they are asked for one by one."""
        wanted = [envelope.path for envelope in envelopes if envelope.path not in self._loaded]
        self._loaded.update(self._documents.load(self.snapshot, wanted))

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Document]]:
        """The documents of any files of this workspace, envelopes or not, in one stream; those that cannot be read are left out."""
        wanted = list(paths)
        self._loaded.update(self._documents.load(self.snapshot, [path for path in wanted if path not in self._loaded]))
        for path in wanted:
            document = self._loaded[path]
            if isinstance(document, Document):
                yield path, document

    def link_target(self, path: str) -> str:
        """What a symbolic link of this workspace says, as written."""
        return link_target(self.snapshot, path)

    def load(self, envelope: Envelope) -> Document | Unreadable:
        """The content of one of this workspace's envelopes."""
        if envelope.entry.kind is Kind.LINK:
            return Unreadable("link")
        found = self._loaded.get(envelope.path)
        if found is None:
            self.prefetch([envelope])
            found = self._loaded[envelope.path]
        return found

    @property
    def unreadable(self) -> dict[str, Unreadable]:
        """Folders of this workspace that could not be looked into."""
        return {path: why for path, why in self.snapshot.unreadable.items() if _holds(path)(self)}

    @cached_property
    def is_whole(self) -> bool:
        """Whether every folder in which envelopes may lie could be looked into: what is behind a link or unreadable may hold more."""
        closed = (path for path, entry in self.entries.items() if entry.kind in (Kind.LINK, Kind.SUBMODULE))
        folders = (path for path in closed if "." not in path.rpartition("/")[2])
        return not self.unreadable and not any(self.place_below(path).holds_envelopes for path in folders)

    @cached_property
    def init_leftovers(self) -> list[str]:
        """What an initialisation that did not finish left beside this workspace: `.fcop-init-*` files or folders."""
        parent = self.root.rpartition("/")[0]
        start = f"{parent}/.fcop-init-" if parent else ".fcop-init-"
        found = (path for path in self.snapshot.entries if path.startswith(start)) if self.root else ()
        return sorted({start + path[len(start) :].partition("/")[0] for path in found})

    def source_line(self, location: Location) -> str | None:
        """The line a location points at, of an envelope that was read or of the manifest."""
        if location.span is None:
            return None
        document = self._loaded.get(location.path)
        if document is None and self.manifest and location.path == self.manifest_path:
            document = Document(self.manifest.data)
        if not isinstance(document, Document) or location.span.line > len(document.lines):
            return None
        return document.lines[location.span.line - 1]

    def is_fact(self, path: str) -> bool:
        """Whether a path is that of a fact of v4's tools."""
        place = self.place(path)
        return place.kind == OPERATIONS and place.depth == 0 and is_fact(path.rpartition("/")[2])

    @cached_property
    def _paths(self) -> dict[str, list[str]]:
        """The paths of envelopes by stem, sorted: all that most of a history's states are asked for."""
        known = self._documents.stems.setdefault(self.root, {})
        found: dict[str, list[str]] = {}
        for path, entry in self.entries.items():
            stem = known.get(path)
            if stem is None:
                filename = path.rpartition("/")[2]
                stem = known[path] = filename.removesuffix(".md") if is_envelope(self.place(path), filename) else ""
            if stem and entry.kind is not Kind.SUBMODULE:
                found.setdefault(stem, []).append(path)
        for paths in found.values():
            paths.sort()
        return found

    @cached_property
    def _manifest_content(self) -> Content | None:
        entry = self.entries.get(self.manifest_path)
        if entry and entry.kind is Kind.LINK:
            return Unreadable("link")
        return read_one(self.snapshot, self.manifest_path) if entry else None


class Workspaces:
    """All workspaces of a snapshot, by their folder; one inside another is not of its own (design.md 2).

    `top` names the snapshot's root where that itself may be a workspace (`fcop`, `docs/agents`), else None; `taken` says that
    it counts as one where nothing else does, whatever it holds. `policy` is what the rules go by. `wanted` says which folders
    are to be looked at, where not all are. `law` are the states before a change, of which the first that declares roles binds.
    `surroundings` is what is known beside the snapshot.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        documents: Documents,
        top: str | None = None,
        policy: Policy | None = None,
        wanted: Callable[[str], bool] = lambda root: True,
        law: Iterable[Workspaces] = (),
        surroundings: Surroundings | None = None,
        *,
        taken: bool = False,
    ) -> None:
        self.snapshot = snapshot
        self.policy = policy or Policy()
        self.surroundings = surroundings or Surroundings()
        folders = _by_folder(snapshot.entries)
        roots = _find_roots(folders, top) or ({"": []} if taken else {})
        self.found = [
            Workspace(snapshot, root, entries, documents, policy=self.policy, nested=nested, top=top, law=_law(law, root), state=self)
            for root, nested, entries in _partition(snapshot.entries, folders, roots)
            if wanted(root)
        ]
        self._left_out = len(roots) - len(self.found)
        # A workspace that is the snapshot's root lies one or two folders below its project.
        self.names_above = (2 if top.endswith("docs/agents") else 1) if top and self.at("") else 0
        self._contents: dict[str, bytes | None] = {}
        self._outside = {path: why for path, why in self._unreadable() if not any(map(_holds(path), self.found))}

    def __iter__(self) -> Iterator[Workspace]:
        return iter(self.found)

    def at(self, root: str) -> Workspace | None:
        """The workspace at a folder."""
        return next((workspace for workspace in self.found if workspace.root == root), None)

    @cached_property
    def projects(self) -> dict[str, list[Workspace]]:
        """The workspaces by the folder of their project."""
        found: dict[str, list[Workspace]] = {}
        for workspace in self.found:
            found.setdefault(workspace.project, []).append(workspace)
        return found

    def project_at(self, folder: str) -> str | None:
        """The nearest project folder at or above a folder, None where there is none."""
        return next((above for above in reversed((*_parents(folder), folder)) if above in self.projects), None)

    def paths_with(self, *needles: str) -> list[str]:
        """The snapshot's paths in which one of the texts occurs, without those that rules about roots pass by."""
        present = [needle for needle in needles if needle in self._listing]
        if not present:
            return []
        ignores = self.surroundings.ignores
        return sorted(path for path in self.snapshot.entries if any(needle in path for needle in present) and not ignores(path))

    def content(self, path: str) -> bytes | None:
        """The bytes of any file of the snapshot, None where there is none or it cannot be read."""
        entry = self.snapshot.entries.get(path)
        if entry is None or entry.kind is not Kind.FILE:
            return None
        if path not in self._contents:
            content = next(content for _, content in self.snapshot.read([path]))
            self._contents[path] = content if isinstance(content, bytes) else None
        return self._contents[path]

    @cached_property
    def links(self) -> dict[str, str]:
        """Every symbolic link of the snapshot with its target as written."""
        paths = [path for path, entry in self.snapshot.entries.items() if entry.kind is Kind.LINK]
        read = self.snapshot.read(paths)
        return {path: content.decode("utf-8", "surrogateescape") if isinstance(content, bytes) else "" for path, content in read}

    @cached_property
    def is_extract(self) -> bool:
        """Whether the snapshot holds workspaces, and beside them no folder of anything: then their repository is not here."""
        inside = sum(len(workspace.entries) for workspace in self.found)
        return inside + sum("/" not in path for path in self.snapshot.entries if not self.at("")) >= len(self.snapshot.entries)

    def holds(self, path: str) -> bool:
        """Whether a path is that of a file, a link or a folder of the snapshot."""
        return not path or path in self.snapshot.entries or f"\n{path}/" in self._listing

    @cached_property
    def _listing(self) -> str:
        return "\n" + "\n".join(self.snapshot.entries)

    @property
    def unreadable(self) -> dict[str, Unreadable]:
        """Folders outside the workspaces found that may hold one and could not be looked into."""
        return {path: why for path, why in self._outside.items() if _may_be_workspace(path)}

    @property
    def notes(self) -> tuple[Note, ...]:
        """The snapshot's notes, how many workspaces nobody wants, and folders that could not be looked into and are none by name."""
        passed = (path for path in self._outside if not _may_be_workspace(path))
        unwanted = f"workspaces left out by --workspace or the setting `workspaces`: {self._left_out}"
        return (
            *self.snapshot.notes,
            *((Note("left-out", unwanted),) if self._left_out else ()),
            *(Note("unreadable-folder", "this folder may not be read", path) for path in passed),
        )

    def source_line(self, location: Location) -> str | None:
        """The line a location points at, of a file that was read; None where there is none."""
        holder = next(filter(_holds(location.path), self.found), None)
        line = holder.source_line(location) if holder else None
        content = self._contents.get(location.path) if line is None and location.span else None
        lines = Document(content).lines if content else []
        return lines[location.span.line - 1] if location.span and location.span.line <= len(lines) else line

    def _unreadable(self) -> Iterator[tuple[str, Unreadable]]:
        yield from self.snapshot.unreadable.items()
        for path, entry in self.snapshot.entries.items():
            if entry.kind is Kind.SUBMODULE and _may_be_workspace(path):
                yield path, Unreadable("submodule")
            elif entry.kind is Kind.LINK and _may_be_workspace(path) and self.at(self._target(path)) is None:
                yield path, Unreadable("link")

    def _target(self, link: str) -> str:
        """Where a link inside the snapshot leads, by its text alone."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(link), link_target(self.snapshot, link)))


def _law(states: Iterable[Workspaces], root: str) -> Workspace | None:
    before = (state.at(root) for state in states)
    return next((workspace for workspace in before if workspace and workspace.declared_roles), None)


def _holds(path: str) -> Callable[[Workspace], bool]:
    return lambda workspace: workspace.root == "" or path == workspace.root or path.startswith(f"{workspace.root}/")


def _may_be_workspace(path: str) -> bool:
    return path == "." or is_workspace_folder(path)


def _by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    return folders


def _find_roots(folders: dict[str, list[str]], top: str | None) -> dict[str, list[str]]:
    """The outermost workspace folders, sorted, each with the workspace folders found inside it."""
    marked: set[str] = set()
    for folder, paths in folders.items():
        for root in _candidates(folder, top):
            if root not in marked and any(is_marker(path[len(root) + 1 :] if root else path) for path in paths):
                marked.add(root)
    outermost: dict[str, list[str]] = {}
    for root in sorted(marked):
        parent = next((outer for outer in _parents(root) if outer in outermost), None)
        if parent is None:
            outermost[root] = []
        else:
            outermost[parent].append(root)
    return outermost


def _candidates(folder: str, top: str | None) -> list[str]:
    found = [parent for parent in (*_parents(folder), folder) if parent and is_workspace_folder(parent)]
    return found if top is None else ["", *found]


def _parents(folder: str) -> list[str]:
    """The folders above `folder`, outermost first, the snapshot's root ("") among them."""
    parts = folder.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts))] if folder else []


def _partition(
    entries: Mapping[str, Entry], folders: dict[str, list[str]], roots: dict[str, list[str]]
) -> list[tuple[str, tuple[str, ...], dict[str, Entry]]]:
    """(root, nested workspaces, entries) of each root; what lies in a nested one belongs to nobody."""
    inner = {folder for nested in roots.values() for folder in nested}
    found: dict[str, dict[str, Entry]] = {root: {} for root in roots}
    for folder, paths in folders.items():
        above = (*_parents(folder), folder)
        root = next((outer for outer in above if outer in found), None)
        if root is not None and inner.isdisjoint(above):
            found[root].update((path, entries[path]) for path in paths)
    return [(root, tuple(nested), found[root]) for root, nested in roots.items()]


def _group(envelopes: list[Envelope], key: Callable[[Envelope], str | None]) -> dict[str, list[Envelope]]:
    groups: dict[str, list[Envelope]] = {}
    for envelope in envelopes:
        found = key(envelope)
        if found is not None:
            groups.setdefault(found, []).append(envelope)
    return groups
