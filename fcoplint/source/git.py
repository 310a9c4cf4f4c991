"""All git plumbing: plain functions over the `git` program, in bytes and with -z (design.md 9, anchors.md 2.5).

Libraries read the wrong index inside `git commit -a` and `git commit -- path`; git itself does not. Nothing that a
repository's configuration names is run: no fsmonitor, filter, textconv or external diff, and no lazy fetch.
"""

import datetime
import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, NamedTuple

from fcoplint.protocol.places import is_workspace_folder
from fcoplint.source.snapshot import MAX_BYTES, Content, Entry, Kind, Unreadable

_SAFE = (
    "--no-pager", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", "core.quotepath=off", "-c", "i18n.logOutputEncoding=UTF-8",
)  # fmt: skip
_SAFE_ENV = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_PAGER": "cat",
}
# What ties git to one repository (`git rev-parse --local-env-vars`); dropped when another one is looked at.
_LOCAL_ENV = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY",
    "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_QUARANTINE_PATH", "GIT_NAMESPACE",
)  # fmt: skip
# Objects asked for in one go. `cat-file` answers each as it is read, so the questions of one batch must fit into the
# pipe (64 KiB on Linux, 16 KiB elsewhere) while nobody reads the answers yet: 150 ids of SHA-256 are below 10 KiB.
_BATCH = 150
_IDENT = re.compile(r"(.*) <(.*)> \d+ [+-]\d{4}")
_BLOCKED = b"warning: could not open directory '"
_KINDS = {b"100644": Kind.FILE, b"100755": Kind.FILE, b"100664": Kind.FILE, b"120000": Kind.LINK, b"160000": Kind.SUBMODULE}


SHALLOW = "this clone is shallow; fetch the whole history (in CI: fetch-depth: 0; by hand: git fetch --unshallow), then run this again"


class GitError(Exception):
    """git said no: `advice` is one line for the user, `usage` whether the fault is the call's (exit 2, not 3)."""

    def __init__(self, advice: str, *, usage: bool = False) -> None:
        super().__init__(advice)
        self.advice = advice
        self.usage = usage


class NotARepositoryError(GitError):
    """There is no git repository at a path."""


class Delta(NamedTuple):
    """One line of a raw diff: the entry before and after, None where there is none."""

    path: str
    before: Entry | None
    after: Entry | None


class Version(NamedTuple):
    """What a commit made of a path."""

    commit: str
    path: str
    oid: str


@dataclass(frozen=True)
class Repository:
    """An opened repository: `top` is the working tree's root ("" in a bare one), `env` what every git call gets."""

    cwd: str
    env: Mapping[str, str]
    top: str
    git_dir: str
    bare: bool

    def run(self, *args: str, stdin: bytes | None = None) -> bytes:
        """The standard output of one git command. Raises GitError with advice where git fails."""
        return _run(self.cwd, self.env, args, stdin)[0]

    @cached_property
    def blobs(self) -> "Blobs":
        """The object reader of this repository; started when first asked."""
        return Blobs(self)


def open_repository(path: str, environ: Mapping[str, str]) -> Repository:
    """The repository that holds the folder `path`.

    The environment git sets for hooks is honoured when it speaks of that very repository, and dropped when it speaks
    of another one (pitfalls 1 to 4). Raises NotARepositoryError, or GitError (no git, dubious ownership).
    """
    env = {**environ, **_SAFE_ENV}
    if not any(key in environ for key in _LOCAL_ENV):
        return _probe(path, env)
    foreign = {key: value for key, value in environ.items() if key not in _LOCAL_ENV} | _SAFE_ENV
    try:
        there = _probe(path, foreign)
    except NotARepositoryError:
        return _probe(path, env)
    try:
        here = _probe(path, env)
    except GitError:
        return there
    return here if os.path.samefile(here.git_dir, there.git_dir) else there


def list_index(repository: Repository) -> dict[str, Entry]:
    """Every path of the index with its entry; unmerged paths once, announced ones (`add -N`) as empty files."""
    entries: dict[str, Entry] = {}
    for line in repository.run("ls-files", "-s", "-z", "--full-name").split(b"\0"):
        if not line:
            continue
        head, _, name = line.partition(b"\t")
        mode, oid, stage = head.split(b" ")
        kind = _KINDS.get(mode, Kind.FILE) if stage == b"0" else Kind.UNMERGED
        entries[os.fsdecode(name)] = Entry(kind, oid.decode("ascii"))
    return entries


def list_tree(repository: Repository, treeish: str) -> dict[str, Entry]:
    """Every path of a commit's tree with its entry."""
    entries: dict[str, Entry] = {}
    for line in repository.run("ls-tree", "-r", "-z", "--full-tree", treeish).split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            mode, _, oid = head.split(b" ")
            entries[os.fsdecode(name)] = Entry(_KINDS.get(mode, Kind.FILE), oid.decode("ascii"))
    return entries


def diff_index(repository: Repository, treeish: str) -> list[Delta]:
    """What the index changes against a tree. Renames are never guessed; what was only announced (`add -N`) is not in it.

    `diff-files` would tell announced paths too, but it may run a filter that the repository's configuration names.
    """
    options = ("--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev", "--ita-invisible-in-index")
    return parse_deltas(repository.run("diff-index", *options, treeish, "--").split(b"\0"))


def apply_deltas(state: Mapping[str, Entry], deltas: Iterable[Delta]) -> dict[str, Entry]:
    """A listing after a change."""
    return _changed(state, ((delta.path, delta.after) for delta in deltas))


def undo_deltas(state: Mapping[str, Entry], deltas: Iterable[Delta]) -> dict[str, Entry]:
    """A listing before a change, from the one after it."""
    return _changed(state, ((delta.path, delta.before) for delta in deltas))


def commit_times(repository: Repository, commit: str) -> list[datetime.datetime]:
    """When a commit's parents and, last, it itself were made (UTC)."""
    listing = repository.run("log", "--no-walk=unsorted", "--format=%ct", "--no-show-signature", f"{commit}^@", commit, "--")
    return [datetime.datetime.fromtimestamp(int(seconds), datetime.UTC) for seconds in listing.split()]


def merge_base(repository: Repository, one: str, other: str) -> str | None:
    """The best common ancestor of two commits, None where they have none here."""
    try:
        return repository.run("merge-base", one, other).decode().strip() or None
    except GitError:
        return None


def _changed(state: Mapping[str, Entry], changes: Iterable[tuple[str, Entry | None]]) -> dict[str, Entry]:
    changed = dict(state)
    for path, entry in changes:
        if entry is None:
            changed.pop(path, None)
        else:
            changed[path] = entry
    return changed


def list_versions(repository: Repository, commit: str, folder: str) -> dict[str, list[Version]]:
    """Every content that each file name had below a folder up to a commit, newest first.

    Merges are looked at against each parent, and no side branch is left out.
    """
    options = ("--raw", "-z", "-m", "--full-history", "--topo-order", "--no-renames", "--no-ext-diff", "--no-abbrev")
    setup = ("-c", "log.showRoot=true", "-c", "log.showSignature=false")
    listing = repository.run(*setup, "log", *options, "--format=%H", commit, *_scope(folder))
    found: dict[str, dict[Version, None]] = {}
    current = ""
    fields = iter(listing.split(b"\0"))
    for field in fields:
        head = field.lstrip(b"\n")
        if head.startswith(b":"):
            _, mode, _, oid, _ = head.split(b" ")
            path = os.fsdecode(next(fields))
            if mode != b"000000":
                found.setdefault(path.rpartition("/")[2], {})[Version(current, path, oid.decode("ascii"))] = None
        elif head:
            current = head.decode("ascii")
    return {name: list(versions) for name, versions in found.items()}


def list_departed(repository: Repository, tips: Sequence[str], folder: str, since: datetime.datetime | None) -> set[str]:
    """The file names that left a path below a folder in a commit up to one of these; of commits since a time alone, where one is given."""
    options = ("-z", "-m", "--full-history", "--no-renames", "--no-ext-diff", "--diff-filter=D", "--name-only", "--format=")
    limit = (f"--since={since.isoformat()}",) if since else ()
    commits, _ = _by_stdin(tips)
    listing = repository.run("-c", "log.showSignature=false", "log", *options, *limit, "--stdin", *_scope(folder), stdin=commits)
    return {os.fsdecode(path.lstrip(b"\n").rpartition(b"/")[2]) for path in listing.split(b"\0") if path}


def author_of_next_commit(repository: Repository) -> tuple[str, str] | None:
    """(name, e-mail) of who will be the author, as `git commit` itself decides; None where git does not know."""
    try:
        said = repository.run("var", "GIT_AUTHOR_IDENT").decode("utf-8", "replace")
    except GitError:
        return None
    match = _IDENT.match(said)
    return (match[1], match[2]) if match else None


def comment_sign(repository: Repository) -> str:
    """What begins the lines that git takes out of a commit's message."""
    try:
        said = repository.run("config", "--get", "core.commentChar").decode("utf-8", "replace").removesuffix("\n")
    except GitError:
        return "#"
    return "#" if said in ("", "auto") else said


def skip_worktree(repository: Repository) -> set[str]:
    """Index paths that a sparse checkout leaves out of the working tree."""
    listing = repository.run("ls-files", "-t", "-z", "--full-name")
    return {os.fsdecode(line[2:]) for line in listing.split(b"\0") if line.startswith((b"S ", b"s "))}


class Tracked(NamedTuple):
    """How the index holds a path: git's letter for it, its mode, its object, its stage (0 unless a merge is open)."""

    tag: str
    mode: str
    oid: str
    stage: str

    @property
    def is_hidden(self) -> bool:
        """Whether git was told to take it as unchanged, or a sparse checkout leaves it out: what is on disk does not count."""
        return self.tag.islower() or self.tag == "S"


def tracked(repository: Repository, path: str) -> list[Tracked]:
    """How the index holds one path: not at all, once, or several times while a merge is open."""
    return tracked_below(repository, path).get(path, [])


def tracked_below(repository: Repository, folder: str) -> dict[str, list[Tracked]]:
    """How the index holds a folder's paths."""
    found: dict[str, list[Tracked]] = {}
    for line in repository.run("ls-files", "-s", "-v", "-z", "--full-name", "--", folder).split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            found.setdefault(os.fsdecode(name), []).append(Tracked(*head.decode("ascii").split(" ")))
    return found


# What git keeps while something is under way, and what that is.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


def under_way(repository: Repository) -> str | None:
    """What git has begun and not finished in this working tree, or None."""
    return next((what for name, what in _UNDER_WAY.items() if os.path.lexists(os.path.join(repository.git_dir, name))), None)


def list_untracked(repository: Repository, prefix: str) -> tuple[set[str], set[str]]:
    """(untracked paths that git does not ignore, folders git may not read) below `prefix` (with its slash, or "")."""
    args = ("ls-files", "--others", "--exclude-standard", "-z", "--full-name", *_scope(prefix))
    listing, said = _run(repository.cwd, repository.env, args, None)
    paths = {os.fsdecode(name) for name in listing.split(b"\0") if name and not name.endswith(b"/")}
    blocked = {os.fsdecode(line[len(_BLOCKED) :].partition(b"/': ")[0]) for line in said.split(b"\n") if line.startswith(_BLOCKED)}
    return paths, blocked


def ignored_workspaces(repository: Repository, prefix: str) -> list[str]:
    """Folders below `prefix` that git ignores whole and whose name allows a workspace, sorted."""
    args = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z", "--full-name", *_scope(prefix))
    folders = (os.fsdecode(name[:-1]) for name in repository.run(*args).split(b"\0") if name.endswith(b"/"))
    return sorted(folder for folder in folders if is_workspace_folder(folder))


def ignored_paths(repository: Repository, paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths (relative to the working tree's root) that git ignores."""
    # It knows no literal pathspecs; `./` in front keeps a name from being taken for magic.
    asked = b"\0".join(b"./" + os.fsencode(path) for path in paths)
    try:
        listing = repository.run("--no-literal-pathspecs", "-C", repository.top, "check-ignore", "-z", "--stdin", stdin=asked)
    except GitError:
        # It ends with 1 where none is ignored.
        return frozenset()
    return frozenset(os.fsdecode(name[2:]) for name in listing.split(b"\0") if name)


def object_types(repository: Repository, names: Iterable[str]) -> dict[str, str | None]:
    """The type of each object by its id or the beginning of one (hex digits only); None where there is none here."""
    asked = list(names)
    listing = repository.run("cat-file", "--batch-check=%(objecttype)", stdin="".join(f"{name}\n" for name in asked).encode("ascii"))
    said = [line.rpartition(b" ")[2].decode("ascii") for line in listing.splitlines()]
    return {name: None if kind == "missing" else kind for name, kind in zip(asked, said, strict=True)}


def is_complete(repository: Repository) -> bool:
    """Whether every object of the history should be here: no shallow clone, no partial one."""
    if is_shallow(repository):
        return False
    try:
        return not repository.run("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$")
    except GitError:
        return True


def _scope(prefix: str) -> tuple[str, ...]:
    return ("--", prefix.rstrip("/")) if prefix else ()


def resolve_commit(repository: Repository, revision: str) -> str | None:
    """The commit's object id, or None where the revision names no commit here. Raises GitError where its object is damaged."""
    commit = _resolve(repository, f"{revision}^{{commit}}")
    oid = _resolve(repository, revision) if commit is None else None
    # A name that leads to nothing is damage; an id in full is taken as it is, whether its object is there or not.
    if oid and oid != revision and find_objects(repository, [oid])[oid].kind in (None, "commit"):
        raise GitError(f"git cannot read object {oid}: the repository is damaged; run `git fsck`")
    return commit


class Named(NamedTuple):
    """What a name stands for here: the type of its object, None where there is none, and the commit it leads to, if any."""

    kind: str | None
    commit: str | None


def _resolve(repository: Repository, revision: str) -> str | None:
    try:
        return repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", revision).decode().strip() or None
    except GitError:
        return None


def find_objects(repository: Repository, names: Iterable[str]) -> dict[str, Named]:
    """What each name stands for, asked in one call."""
    asked = list(dict.fromkeys(names))
    questions = "".join(f"{name}\n{name}^{{commit}}\n" for name in asked).encode("utf-8", "surrogateescape")
    said = repository.run("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=questions).decode("utf-8", "replace").split("\n")
    return {name: Named(_word(kind, 0), _word(commit, 1)) for name, kind, commit in zip(asked, said[::2], said[1::2], strict=False)}


def _word(line: str, number: int) -> str | None:
    words = line.split(" ")
    return words[number] if len(words) == 2 and words[0] in ("commit", "tag", "tree", "blob") else None


def main_branch(repository: Repository) -> str | None:
    """The ref that HEAD names, where it has a commit."""
    try:
        named = repository.run("symbolic-ref", "--quiet", "HEAD").decode("utf-8", "surrogateescape").strip()
    except GitError:
        return None
    return named if resolve_commit(repository, named) else None


def first_parents(repository: Repository, revisions: Sequence[str]) -> dict[str, str | None]:
    """The first parent of each commit of the main lines that `revisions` select, None where it has none."""
    commits, options = _by_stdin(revisions)
    listing = repository.run("rev-list", "--first-parent", "--parents", "--stdin", *options, stdin=commits)
    lines = (line.split(" ") for line in listing.decode("ascii").splitlines())
    return {words[0]: words[1] if len(words) > 1 else None for words in lines}


def log(repository: Repository, setup: Sequence[str], options: Sequence[str], revisions: Sequence[str]) -> bytes:
    """`git log` of many revisions; `setup` are git's own options."""
    commits, selecting = _by_stdin(revisions)
    return repository.run(*setup, "log", *options, "--stdin", *selecting, stdin=commits)


def _by_stdin(revisions: Sequence[str]) -> tuple[bytes, list[str]]:
    """Revisions as git reads them from standard input, for they may be too many for a command line, and the options among them."""
    commits = "".join(f"{revision}\n" for revision in revisions if not revision.startswith("--"))
    return commits.encode("ascii"), [revision for revision in revisions if revision.startswith("--")]


def require_commit(repository: Repository, revision: str) -> str:
    """The object id of a commit. Raises GitError where there is none: the call's fault, or a shallow clone's."""
    commit = resolve_commit(repository, revision)
    if commit is not None:
        return commit
    if is_shallow(repository):
        raise GitError(f"`{revision}` is not here: {SHALLOW}")
    raise GitError(f"`{revision}` names no commit here; `git log --oneline --all` shows what there is", usage=True)


def is_past_date(repository: Repository, text: str) -> bool:
    """Whether git takes a text for a moment in the past. What it does not understand it takes for now, and shows nothing."""
    said = repository.run("rev-parse", f"--since={text}").decode("ascii", "replace").strip()
    return int(said.removeprefix("--max-age=")) < time.time() - 1


def is_shallow(repository: Repository) -> bool:
    """Whether history was cut off when this repository was cloned."""
    return repository.run("rev-parse", "--is-shallow-repository").strip() == b"true"


def empty_tree(repository: Repository) -> str:
    """The id of the empty tree in this repository's hash algorithm."""
    return repository.run("hash-object", "-t", "tree", "--stdin", stdin=b"").decode().strip()


def read_git_file(repository: Repository, name: str) -> bytes | None:
    """The bytes of a file in the git directory (MERGE_HEAD and the like), None where there is none."""
    try:
        with open(path_in_git_dir(repository, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def common_dir(repository: Repository) -> str:
    """The real path of the git directory that all working trees of a repository share."""
    found = os.fsdecode(repository.run("rev-parse", "--git-common-dir").removesuffix(b"\n"))
    return os.path.realpath(os.path.join(repository.cwd, found))


class Unsaved(NamedTuple):
    """What of a working tree no commit holds: paths by how git has them."""

    staged: tuple[str, ...]
    modified: tuple[str, ...]
    untracked: tuple[str, ...]
    unmerged: tuple[str, ...]


def list_unsaved(repository: Repository, prefix: str) -> Unsaved:
    """What a working tree holds below `prefix` (with its slash, or "") that is not committed; ignored files are left out.

    Filters that the configuration names are not run: a path whose content only a filter could compare counts as modified.
    """
    args = ("status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty", *_scope(prefix))
    listing = repository.run(*_without_filters(repository), *args)
    found: dict[str, list[str]] = {"staged": [], "modified": [], "untracked": [], "unmerged": []}
    for line in listing.split(b"\0"):
        kind, _, rest = line.partition(b" ")
        if kind == b"1":
            path = os.fsdecode(rest.split(b" ", 7)[7])
            found["staged"].extend([path] if rest[:1] != b"." else [])
            found["modified"].extend([path] if rest[1:2] != b"." else [])
        elif kind == b"u":
            found["unmerged"].append(os.fsdecode(rest.split(b" ", 9)[9]))
        elif kind == b"?":
            found["untracked"].append(os.fsdecode(rest))
    return Unsaved(*(tuple(sorted(found[key])) for key in Unsaved._fields))


def _without_filters(repository: Repository) -> list[str]:
    try:
        names = repository.run("config", "--null", "--name-only", "--get-regexp", r"^filter\.").split(b"\0")
    except GitError:
        # It ends with 1 where there is none.
        return []
    drivers = sorted({os.fsdecode(name.rpartition(b".")[0]) for name in names if name})
    return [word for driver in drivers for key in ("clean=", "smudge=", "process=", "required=false") for word in ("-c", f"{driver}.{key}")]


def count_stashes(repository: Repository) -> int:
    """How many stashes there are."""
    try:
        return int(repository.run("rev-list", "--walk-reflogs", "--count", "refs/stash", "--"))
    except GitError:
        return 0


def count_unpushed(repository: Repository) -> int:
    """How many commits of HEAD and the branches no remote branch has, as far as it was fetched."""
    head = ("HEAD",) if resolve_commit(repository, "HEAD") else ()
    return int(repository.run("rev-list", "--count", "--branches", *head, "--not", "--remotes", "--"))


def list_worktrees(repository: Repository) -> list[str]:
    """The folders of a repository's working trees, this one among them."""
    lines = repository.run("worktree", "list", "--porcelain").split(b"\n")
    return [os.fsdecode(line.removeprefix(b"worktree ")) for line in lines if line.startswith(b"worktree ")]


def subtree(repository: Repository, treeish: str, folder: str) -> str | None:
    """The id of a folder's tree in a commit ("" is the whole tree); None where the commit has no such folder."""
    try:
        return repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{treeish}:{folder}").decode().strip()
    except GitError:
        return None


def diff_trees(repository: Repository, before: str, after: str) -> list[Delta]:
    """What lies between two commits' trees; renames are never guessed."""
    options = ("-r", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev")
    return parse_deltas(repository.run("diff-tree", *options, before, after, "--").split(b"\0"))


def index_tree(repository: Repository) -> str | None:
    """The id of the tree that a commit of the index would have, worked out without writing it; None while a merge is open."""
    options = ("--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-abbrev", "--ita-invisible-in-index")
    empty = empty_tree(repository)
    root: dict[bytes, Any] = {}
    fields = repository.run("diff-index", *options, empty, "--").split(b"\0")
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, status = head.split(b" ")
        if status[:1] == b"U":
            return None
        *folders, last = name.split(b"/")
        here = root
        for folder in folders:
            here = here.setdefault(folder, {})
        here[last] = (mode, bytes.fromhex(oid.decode("ascii")))
    return _tree_id(root, "sha1" if len(empty) == 40 else "sha256").hex()


def _tree_id(tree: Mapping[bytes, Any], algorithm: str) -> bytes:
    import hashlib

    lines = []
    for name, value in sorted(tree.items(), key=lambda item: item[0] + (b"/" if isinstance(item[1], dict) else b"")):
        mode, oid = (b"40000", _tree_id(value, algorithm)) if isinstance(value, dict) else value
        lines.append(mode + b" " + name + b"\0" + oid)
    content = b"".join(lines)
    return hashlib.new(algorithm, b"tree %d\0" % len(content) + content, usedforsecurity=False).digest()


def path_in_git_dir(repository: Repository, name: str) -> str:
    """The path of a file in the git directory, wherever that lies (linked worktrees, `.git` files)."""
    found = os.fsdecode(repository.run("rev-parse", "--git-path", name).removesuffix(b"\n"))
    return os.path.join(repository.cwd, found)


class Blobs:
    """Objects by id through one `cat-file --batch` process; ids only, never paths (pitfall 11)."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        self.max_bytes = MAX_BYTES

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, Content]]:
        """(id, bytes) of each id, in the order given; what is missing or too large is an Unreadable."""
        pending: list[str] = []
        for oid in oids:
            pending.append(oid)
            if len(pending) == _BATCH:
                yield from self._read_batch(pending)
                pending = []
        if pending:
            yield from self._read_batch(pending)

    def _read_batch(self, oids: list[str]) -> Iterator[tuple[str, Content]]:
        questions, answers = self._pipes()
        questions.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
        questions.flush()
        for oid in oids:
            yield oid, self._answer(oid, answers)

    def _answer(self, oid: str, answers: IO[bytes]) -> Content:
        header = answers.readline()
        if not header:
            raise GitError(f"git cannot read object {oid}: the repository is damaged; run `git fsck`")
        words = header.split()
        if words[1:] == [b"missing"]:
            return Unreadable("missing-object", oid)
        if len(words) != 3:
            raise GitError(f"git cannot read object {oid}: the repository is damaged; run `git fsck`")
        size = int(words[2])
        if size > self.max_bytes:
            _skip(answers, size + 1)
            return Unreadable("too-large", str(size))
        data = answers.read(size)
        if len(data) != size:
            raise GitError(f"git stopped in the middle of object {oid}; run `git fsck`")
        if answers.read(1) != b"\n":
            raise GitError(f"git cannot read object {oid}: it is longer than it says; run `git fsck`")
        return data

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            self._process = subprocess.Popen(
                ["git", *_SAFE, "cat-file", "--batch"],
                cwd=self._repository.cwd,
                env=dict(self._repository.env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def close(self) -> None:
        """End the reader process."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                pipe.close()
            self._process.wait()
            self._process = None


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0:
        size -= len(stream.read(min(size, 1 << 20))) or size


def parse_deltas(fields: Sequence[bytes]) -> list[Delta]:
    """The lines of a raw diff, given as the fields between its NULs: a line, its path, the next line, …"""
    found = []
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        if not head:
            break
        old_mode, new_mode, old_oid, new_oid, status = head[1:].split(b" ")
        before = None if old_mode == b"000000" else Entry(_KINDS.get(old_mode, Kind.FILE), old_oid.decode("ascii"))
        after = None if new_mode == b"000000" else Entry(_KINDS.get(new_mode, Kind.FILE), new_oid.decode("ascii"))
        if status[:1] == b"U":
            after = Entry(Kind.UNMERGED, new_oid.decode("ascii"))
        found.append(Delta(os.fsdecode(name), before, after))
    return found


def _probe(path: str, env: Mapping[str, str]) -> Repository:
    lines = _run(path, env, ("rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir"), None)[0].split(b"\n")
    bare, inside, git_dir = lines[0] == b"true", lines[1] == b"true", os.fsdecode(b"\n".join(lines[2:]).removesuffix(b"\n"))
    if not inside:
        return Repository(path, env, "", git_dir, bare)
    top = os.fsdecode(_run(path, env, ("rev-parse", "--show-toplevel"), None)[0].removesuffix(b"\n"))
    return Repository(top, env, top, git_dir, bare)


def _run(cwd: str, env: Mapping[str, str], args: Iterable[str], stdin: bytes | None) -> tuple[bytes, bytes]:
    command = ["git", *_SAFE, *args]
    try:
        done = subprocess.run(command, cwd=cwd, env=dict(env), input=stdin, capture_output=True, check=False)
    except FileNotFoundError as error:
        if not os.path.isdir(cwd):
            raise GitError("the folder vanished while git was asked about it") from error
        raise GitError("git is not installed or not on PATH; install git, then run this again") from error
    except OSError as error:
        raise GitError(f"git cannot be started in this folder: {error.strerror}") from error
    if done.returncode != 0:
        raise _advise(done.stderr)
    return done.stdout, done.stderr


def _advise(stderr: bytes) -> GitError:
    said = stderr.decode("utf-8", "replace").strip()
    if "dubious ownership" in said:
        return GitError(
            "git refuses this repository because another user owns it; if you trust it, run "
            "`git config --global --add safe.directory` with its path, then try again"
        )
    if "not a git repository" in said or "not a work tree" in said:
        return NotARepositoryError("this is not a git repository", usage=True)
    first = next((line for line in said.splitlines() if line.strip()), "no reason given")
    return GitError(f"git failed: {first.removeprefix('fatal: ')}")
