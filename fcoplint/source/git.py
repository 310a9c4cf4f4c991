"""All git plumbing: plain functions over the `git` program, in bytes and with -z (design.md 9, anchors.md 2.5).

Libraries read the wrong index inside `git commit -a` and `git commit -- path`; git itself does not. Nothing that a
repository's configuration names is run: no fsmonitor, filter, textconv or external diff, and no lazy fetch.
"""

import datetime
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, NamedTuple

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
    """When a commit and its parents were made (UTC)."""
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


def list_departed(repository: Repository, commit: str, folder: str, since: datetime.datetime | None) -> set[str]:
    """The file names that left a path below a folder in a commit up to this one; of commits since a time alone, where one is given."""
    options = ("-z", "-m", "--full-history", "--no-renames", "--no-ext-diff", "--diff-filter=D", "--name-only", "--format=")
    limit = (f"--since={since.isoformat()}",) if since else ()
    listing = repository.run("-c", "log.showSignature=false", "log", *options, *limit, commit, *_scope(folder))
    return {os.fsdecode(path.lstrip(b"\n").rpartition(b"/")[2]) for path in listing.split(b"\0") if path}


def author_of_next_commit(repository: Repository) -> tuple[str, str] | None:
    """(name, e-mail) of who will be the author, as `git commit` itself decides; None where git does not know."""
    try:
        said = repository.run("var", "GIT_AUTHOR_IDENT").decode("utf-8", "replace")
    except GitError:
        return None
    match = _IDENT.match(said)
    return (match[1], match[2]) if match else None


def skip_worktree(repository: Repository) -> set[str]:
    """Index paths that a sparse checkout leaves out of the working tree."""
    listing = repository.run("ls-files", "-t", "-z", "--full-name")
    return {os.fsdecode(line[2:]) for line in listing.split(b"\0") if line.startswith((b"S ", b"s "))}


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


def _scope(prefix: str) -> tuple[str, ...]:
    return ("--", prefix.rstrip("/")) if prefix else ()


def resolve_commit(repository: Repository, revision: str) -> str | None:
    """The commit's object id, or None where the revision names no commit here."""
    try:
        return repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    except GitError:
        return None


def require_commit(repository: Repository, revision: str) -> str:
    """The object id of a commit. Raises GitError where there is none: the call's fault, or a shallow clone's."""
    commit = resolve_commit(repository, revision)
    if commit is not None:
        return commit
    if is_shallow(repository):
        raise GitError(f"`{revision}` is not in this shallow clone; fetch the whole history (git fetch --unshallow, in CI fetch-depth: 0)")
    raise GitError(f"`{revision}` names no commit here; `git log --oneline --all` shows what there is", usage=True)


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
        size = int(words[2])
        if size > self.max_bytes:
            _skip(answers, size + 1)
            return Unreadable("too-large", str(size))
        data = answers.read(size)
        answers.read(1)
        if len(data) != size:
            raise GitError(f"git stopped in the middle of object {oid}; run `git fsck`")
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
        raise GitError("git is not installed or not on PATH; install git, then run this again") from error
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
