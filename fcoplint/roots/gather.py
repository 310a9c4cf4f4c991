"""Reads every root that files, variables and processes hold (roots.md 5b). Reads only; a user's own files only when asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from fcoplint.model.manifest import Manifest
from fcoplint.model.mcp import DEPRECATED_VARIABLE, Configuration, Server, read_configuration
from fcoplint.model.policy import Roots
from fcoplint.protocol.paths import parse
from fcoplint.protocol.places import LIFECYCLE, MANIFEST_NAMES
from fcoplint.roots.components import Aim, Expected, Sighting, State, is_inside
from fcoplint.roots.written import reach_for, sight
from fcoplint.source import git
from fcoplint.source.machine import WORKSPACES, Machine, Spot, is_workspace
from fcoplint.source.snapshot import Unreadable

# What the tools of FCoP and CodeFlowMu read: what each names, and whether that has to be the project's root.
_VARIABLES = (
    ("FCOP_PROJECT_DIR", Aim.ROOT, "FC720"),
    ("CODEFLOW_PROJECT_DIR", Aim.ROOT, "FC722"),
    ("FCOP_PROJECT_PATH", Aim.ROOT, "FC720"),
    ("FCOP_EVENT_LOG", Aim.WITHIN, "FC720"),
    ("CLAUDE_PROJECT_DIR", Aim.ROOT, ""),
    ("CODEFLOWMU_HOST_ROOT", Aim.LISTED, ""),
    ("CODEFLOW_DATA_DIR", Aim.LISTED, ""),
    ("CODEFLOW_PROJECTS_REGISTRY", Aim.LISTED, ""),
    ("CODEFLOW_PROJECTS_ROOT", Aim.LISTED, ""),
    ("CODEFLOW_OPEN_HOST_ROOT", Aim.LISTED, ""),
)
_PROJECT_FILES = (".cursor/mcp.json", ".mcp.json", ".vscode/mcp.json", ".vscode/settings.json")
_WORKSPACE_FILE = ".code-workspace"
_LISTED_WHY = "not compared: it names a folder of a runtime, which need not be the project"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user allows to be looked at beyond the project and the variables."""

    user: bool = False
    registry: str | None = None
    live: bool = False
    # Patterns of paths of which the owner wants nothing said (the setting roots.ignore).
    ignore: tuple[str, ...] = ()


def find_expected(machine: Machine, given: str | None, declared: Roots) -> Expected | None:
    """The expected root: what the user gives, else what the configuration declares, else the working directory's own.

    None where what was given is no folder, or the working directory is gone.
    """
    if given is not None:
        return expected_at(machine, given, "--root")
    here = machine.look(machine.cwd) if machine.cwd else Spot("", trouble="missing")
    if here.identity is None:
        return None
    owner = here.owner
    own = owner.real if owner else _toplevel(machine, here.identity.real) or here.identity.real
    homes = [spot.identity.real for root in declared.home if (spot := _declared(machine, root)) and spot.identity and spot.is_folder]
    if homes and own not in homes and not any(_are_worktrees(machine, own, other) for other in homes):
        return expected_at(machine, homes[0], "the configuration (roots.home)")
    source = "the manifest around the working directory" if owner else "git" if _toplevel(machine, own) == own else "the working directory"
    return expected_at(machine, own, source)


def expected_at(machine: Machine, path: str, source: str) -> Expected | None:
    """The root at a folder, or of the workspace that the folder is (`X/fcop` is X); None where it is no folder.

    A path of Windows is one on every system: elsewhere it names nothing, were there a folder of that very name.
    """
    if parse(path).is_windows and not machine.is_windows:
        return None
    spot = machine.look(path)
    if spot.identity is None or not spot.is_folder:
        return None
    logical, identity = spot.logical, spot.identity
    owner = spot.owner
    if owner and owner.real != identity.real and identity.real in _workspaces_of(owner.real):
        identity, logical = owner, owner.real
    workspace = next((name for name in WORKSPACES if _is_workspace(identity.real, name)), "")
    inside = machine.look(os.path.join(identity.real, workspace)).identity if workspace else None
    manifest = read_manifest(machine, identity.real, workspace)
    found = manifest.values.get("workspace_id") if isinstance(manifest, Manifest) else None
    return Expected(logical, identity, source, workspace, inside, found if isinstance(found, str) else None)


def read_manifest(machine: Machine, root: str, workspace: str) -> Manifest | Unreadable | None:
    """The manifest of a project's workspace; None where there is none."""
    for name in MANIFEST_NAMES if workspace else ():
        path = f"{workspace}/{name}"
        content = machine.read(os.path.realpath(os.path.join(root, workspace)), name)
        if content is not None:
            return Manifest(path, content) if isinstance(content, bytes) else content
    return None


def gather(machine: Machine, expected: Expected, declared: Roots, asked: Asked) -> Iterator[Sighting]:
    """Every component except those of machine state (`runtime.py`), in the order in which they are shown."""
    root = expected.identity.real
    yield from _git(machine, expected)
    yield from _project(machine, expected)
    yield from _declared_roots(machine, declared)
    yield from _cwd(machine, expected)
    for name, aim, rule in _VARIABLES:
        yield _variable(machine, name, aim, rule, root)
    for origin, configuration in configurations(machine, root, asked):
        yield from _servers(machine, origin, configuration, root)
        yield from _editor(machine, origin, configuration, root)


def configurations(machine: Machine, root: str, asked: Asked) -> Iterator[tuple[str, Configuration | Unreadable]]:
    """(name, content) of every file of a project, and where asked of the user, that configures MCP servers or editors."""
    names = [*_PROJECT_FILES, *(name for name in machine.list_names(root) if name.endswith(_WORKSPACE_FILE))]
    for name in names:
        content = machine.read(root, name)
        if content is not None:
            yield name, content if isinstance(content, Unreadable) else read_configuration(name, content)
    for path in _user_files(machine) if asked.user else ():
        content = machine.read_named(path)
        if content is not None:
            yield path, content if isinstance(content, Unreadable) else read_configuration(path.replace(os.sep, "/"), content)


def _user_files(machine: Machine) -> list[str]:
    desktop = "claude_desktop_config.json"
    folders = [
        os.path.join(machine.environ.get("APPDATA", ""), "Claude") if machine.environ.get("APPDATA") else "",
        os.path.join(machine.home, "Library", "Application Support", "Claude"),
        os.path.join(machine.environ.get("XDG_CONFIG_HOME") or os.path.join(machine.home, ".config"), "Claude"),
    ]
    return [os.path.join(machine.home, ".cursor", "mcp.json"), *(os.path.join(folder, desktop) for folder in folders if folder)]


def _git(machine: Machine, expected: Expected) -> Iterator[Sighting]:
    root = expected.identity.real
    try:
        repository = git.open_repository(root, machine.environ)
        shared = git.common_dir(repository)
    except git.NotARepositoryError:
        yield Sighting("git.toplevel", "git", why="no git repository holds the root")
        yield Sighting("git.common_dir", "git", why="no git repository holds the root")
        return
    except git.GitError as error:
        yield Sighting("git.toplevel", "git", settled=State.UNRESOLVABLE, why=error.advice, unreadable=True)
        return
    independent = expected.source != "git"
    top = machine.look(repository.top)
    whole = top.identity is not None and top.identity.real == root
    why = "" if whole else "the project lies below the repository's root"
    aim = Aim.ROOT if whole else Aim.LISTED
    yield Sighting("git.toplevel", "git", repository.top, aim, top, independent, settled=State.OK, why=why)
    linked = "" if shared == repository.git_dir else "a linked worktree: it shares this with others"
    yield Sighting("git.common_dir", "git", shared, Aim.LISTED, machine.look(shared), False, settled=State.OK, why=linked)


def _project(machine: Machine, expected: Expected) -> Iterator[Sighting]:
    root, workspace = expected.identity.real, expected.workspace
    closed = next((name for name in WORKSPACES if is_closed(os.path.join(root, name))), None)
    if not workspace and closed:
        why = f"this user may not look into {closed}/"
        yield Sighting("project", "project", closed, settled=State.UNRESOLVABLE, why=why, unreadable=True)
        return
    if not workspace:
        yield Sighting("project", "project", why="no workspace lies in the root")
        yield Sighting("workspace", "project", why="there is neither fcop/ nor docs/agents/")
        return
    yield _manifest(machine, expected)
    inside = machine.look(os.path.join(root, workspace))
    yield Sighting("workspace", "project", workspace, spot=inside, independent=False, rule="FC714", advice=_LINK_ADVICE)
    for name, folder in _children(machine, root, workspace):
        path = os.path.join(root, folder)
        spot = machine.look(path) if os.path.lexists(path) else None
        yield Sighting(name, "project", folder, spot=spot, independent=False, rule="FC714", advice=_LINK_ADVICE)


_LINK_ADVICE = "replace the link by a folder of the project's own"


def _children(machine: Machine, root: str, workspace: str) -> list[tuple[str, str]]:
    staged = os.path.isdir(os.path.join(root, workspace, LIFECYCLE))
    below = {
        "task": f"{LIFECYCLE}/inbox" if staged else "tasks",
        "lifecycle": LIFECYCLE,
        "report": "reports",
        "review": "reviews",
        "evidence": "logs/runtime",
        "alerts": "alerts",
        "ledger": "ledger",
    }
    return [*((name, f"{workspace}/{folder}") for name, folder in below.items()), ("audit_log", "fcop_events.jsonl")]


def _manifest(machine: Machine, expected: Expected) -> Sighting:
    given = expected.source.startswith(("--", "the configuration"))
    manifest = read_manifest(machine, expected.identity.real, expected.workspace)
    spot = machine.look(expected.identity.real)
    if manifest is None:
        why = "no manifest; the folders of the protocol are there"
        return Sighting("project", "project", expected.workspace, Aim.ROOT, spot, given, why=why)
    name = next((name for name in MANIFEST_NAMES if os.path.lexists(os.path.join(expected.identity.real, expected.workspace, name))), "")
    where = f"{expected.workspace}/{name}"
    if isinstance(manifest, Unreadable):
        why = f"the manifest cannot be read: {_UNREADABLE.get(manifest.reason, manifest.reason)}"
        return Sighting("project", where, where, Aim.ROOT, spot, given, settled=State.UNRESOLVABLE, why=why, unreadable=True)
    if manifest.fault:
        why = f"the manifest is no JSON object: {manifest.fault.detail or manifest.fault.kind} (line {manifest.fault.span.line})"
        advice = f"git log --oneline -- {where}"
        return Sighting("project", where, where, Aim.ROOT, spot, given, settled=State.UNRESOLVABLE, why=why, unreadable=True, advice=advice)
    return Sighting("project", where, where, Aim.ROOT, spot, given)


_UNREADABLE = {
    "link": "a link leads to it, and links are not followed",
    "permission": "this user may not read it",
    "too-large": "it is too large",
    "not-a-file": "it is no regular file",
    "vanished": "it vanished",
}


def unreadable_reason(content: Unreadable) -> str:
    """Why a file could not be read, for people."""
    return _UNREADABLE.get(content.reason, content.detail or content.reason)


def _declared_roots(machine: Machine, declared: Roots) -> Iterator[Sighting]:
    if not declared.home:
        yield Sighting("config.declared", "configuration", why="no roots.home is declared")
    for number, root in enumerate(declared.home):
        reach = reach_for(machine, root, root="", base="")
        name = f"config.declared[{number}]"
        # A home on another machine is only another name: nothing follows from its not being here.
        if reach.spot is None or reach.spot.identity is None:
            yield Sighting(name, "configuration", root, settled=State.ABSENT, why="declared; not on this machine")
        else:
            yield Sighting(name, "configuration", root, Aim.ROOT, reach.spot, advice="correct roots.home in the configuration")


def _declared(machine: Machine, root: str) -> Spot | None:
    return reach_for(machine, root, root="", base="").spot


def _cwd(machine: Machine, expected: Expected) -> Iterator[Sighting]:
    given = expected.source.startswith(("--", "the configuration"))
    advice = f"cd {expected.identity.real}"
    if not machine.cwd:
        yield Sighting("cwd", "this process", settled=State.MISSING, why="the working directory is gone", independent=given, advice=advice)
        return
    spot = machine.look(machine.cwd)
    if given and spot.owner is None and spot.identity and not is_inside(spot.identity.real, expected.identity.real):
        why = "not compared: this command runs outside of every project"
        yield Sighting("cwd", "this process", machine.cwd, Aim.LISTED, spot, given, why=why)
    else:
        yield Sighting("cwd", "this process", machine.cwd, Aim.WITHIN, spot, given, advice=advice)


def _variable(machine: Machine, name: str, aim: Aim, rule: str, root: str) -> Sighting:
    raw = machine.environ.get(name)
    if raw is None:
        return Sighting(f"env.{name}", "environment", why="not set")
    advice = f"unset {name}, or set it to {root}; then restart what was started with it"
    why = _LISTED_WHY if aim is Aim.LISTED else ""
    return sight(
        machine, f"env.{name}", "environment", raw, root=root, base=machine.cwd, aim=aim, rule=rule, advice=advice, why=why,
        is_file=name == "FCOP_EVENT_LOG",
    )  # fmt: skip


def _servers(machine: Machine, origin: str, configuration: Configuration | Unreadable, root: str) -> Iterator[Sighting]:
    name = f"mcp:{origin}" if not origin.endswith((_WORKSPACE_FILE, "settings.json")) else f"editor:{origin}"
    if isinstance(configuration, Unreadable):
        yield Sighting(name, origin, settled=State.UNRESOLVABLE, why=unreadable_reason(configuration), unreadable=True)
        return
    if configuration.fault:
        fault = configuration.fault
        why = f"this file cannot be read as JSON: {fault.detail or fault.kind} (line {fault.span.line})"
        yield Sighting(name, origin, settled=State.UNRESOLVABLE, why=why, unreadable=True, advice=f"mend {origin}")
        return
    for server in configuration.servers:
        if server.is_fcop:
            yield from _server(machine, origin, server, root)


def _server(machine: Machine, origin: str, server: Server, root: str) -> Iterator[Sighting]:
    name = f"mcp:{origin}#{server.name}"
    bindings = list(server.bindings())
    if not bindings:
        yield Sighting(name, origin, why="this server binds no root: it finds one by itself, or takes the folder it is started in")
    bound = any(key in ("args.--root", "env.FCOP_PROJECT_DIR") for key, _ in bindings)
    for key, value in bindings:
        aim = Aim.WITHIN if key == "env.FCOP_EVENT_LOG" or (key == "cwd" and bound) else Aim.ROOT
        deprecated = key.endswith(DEPRECATED_VARIABLE)
        advice = f"set {key} of the server `{server.name}` in {origin} to ${{workspaceFolder}} or the root, then restart the server"
        yield sight(
            machine, f"{name}.{key}", origin, value.text, root=root, base=root, aim=aim, rule="FC722" if deprecated else "FC720",
            advice=advice, is_file=key == "env.FCOP_EVENT_LOG", filled=True,
        )  # fmt: skip


def _editor(machine: Machine, origin: str, configuration: Configuration | Unreadable, root: str) -> Iterator[Sighting]:
    if isinstance(configuration, Unreadable):
        return
    base = os.path.join(root, os.path.dirname(origin)) if origin.endswith(_WORKSPACE_FILE) else root
    for number, folder in enumerate(configuration.folders):
        # An extension that knows of one folder only takes the first.
        aim = Aim.WITHIN if number == 0 else Aim.LISTED
        why = "not compared: a further folder of the editor's workspace" if number else ""
        advice = f"put the project first in `folders` of {origin}, or open the project alone"
        yield sight(
            machine,
            f"editor:{origin}.folders[{number}]",
            origin,
            folder.text,
            root=root,
            base=base,
            aim=aim,
            advice=advice,
            why=why,
            filled=True,
        )
    if configuration.terminal:
        name = f"editor:{origin}.terminal.integrated.cwd"
        advice = f"correct terminal.integrated.cwd in {origin}"
        yield sight(machine, name, origin, configuration.terminal.text, root=root, base=root, aim=Aim.WITHIN, advice=advice, filled=True)


def is_closed(folder: str) -> bool:
    """Whether a folder is there that this user may not look into."""
    return os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK)


def _workspaces_of(root: str) -> set[str]:
    return {os.path.realpath(os.path.join(root, name)) for name in WORKSPACES}


def _is_workspace(root: str, name: str) -> bool:
    return is_workspace(os.path.join(root, name))


def _toplevel(machine: Machine, folder: str) -> str | None:
    try:
        top = git.open_repository(folder, machine.environ).top
    except git.GitError:
        return None
    return os.path.realpath(top) if top else None


def _are_worktrees(machine: Machine, one: str, other: str) -> bool:
    """Whether two folders are the tops of working trees of one repository."""
    try:
        shared = {git.common_dir(git.open_repository(folder, machine.environ)) for folder in (one, other)}
    except git.GitError:
        return False
    return len(shared) == 1
