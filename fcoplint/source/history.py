"""Commits in their order with what each changed, and the state of the tree after each: the past, read in one stream."""

from __future__ import annotations

import datetime
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcoplint.source import git
from fcoplint.source.snapshot import Entry
from fcoplint.source.tree import GitSnapshot

# The marker before each commit's header; a diff line begins with a colon, a path stands behind one.
_FORMAT = "%x01%H%x00%P%x00%an%x00%ae%x00%aI%x00%ct%x00"
# Whether a signature is good, and whose it is: an SSH key that nobody knows is told as good, too, but as nobody's.
_SIGNED = "%G?%GS"
# The programs that verify signatures, whatever the repository's configuration names.
_VERIFIERS = ("gpg.program=gpg", "gpg.openpgp.program=gpg", "gpg.x509.program=gpgsm", "gpg.ssh.program=ssh-keygen")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: who wrote it, when it was made, and what it changed against its first parent.

    `time` is the committer's (UTC): it orders changes. `authored` is the author's own, as ISO 8601. `signed` tells whether
    a good signature of somebody who is known stands on it, None where that was not asked. `is_squashed` tells that it
    stands for the commits it merged, whose authors are others.
    """

    oid: str
    parents: tuple[str, ...]
    author_name: str
    author_email: str
    authored: str
    time: datetime.datetime
    signed: bool | None
    deltas: tuple[git.Delta, ...]
    is_squashed: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A commit with the state of each of its parents and its own."""

    commit: Commit
    before: tuple[GitSnapshot, ...]
    after: GitSnapshot


def commits(repository: git.Repository, revisions: Sequence[str], *, first_parent: bool = False, signatures: bool = False) -> list[Commit]:
    """The commits that `revisions` select (`A..B`, `^A`), parents before children.

    With `first_parent` those of the main line alone, each with its first parent: a merge brings in what that one has not, as if
    it had no other. Raises GitError where a clone was cut off in the middle of them.
    """
    options = ["-z", "--raw", "--no-renames", "--no-ext-diff", "--no-abbrev", "--diff-merges=first-parent", "--topo-order", "--reverse"]
    options += ["--first-parent"] if first_parent else []
    setup = ["-c", "log.showRoot=true", "-c", "log.showSignature=false"]
    setup += [word for program in _VERIFIERS for word in ("-c", program)] if signatures else []
    listing = git.log(repository, setup, [*options, f"--format={_FORMAT}{_SIGNED if signatures else ''}%x00"], revisions)
    found = list(_parse(listing.split(b"\0"), signatures=signatures))
    cut = set((git.read_git_file(repository, "shallow") or b"").decode("ascii", "replace").split()) if found else set()
    if any(commit.oid in cut for commit in found):
        raise git.GitError(git.SHALLOW)
    return [_squashed(commit) for commit in found] if first_parent else found


def tips(listed: Sequence[Commit]) -> list[str]:
    """The commits that no other of the list has as a parent."""
    parents = {parent for commit in listed for parent in commit.parents}
    return [commit.oid for commit in listed if commit.oid not in parents]


def replay(repository: git.Repository, listed: Sequence[Commit]) -> Iterator[Step]:
    """Each commit with the states around it. The states of parents outside the list are read from git."""
    waiting = Counter(parent for commit in listed for parent in commit.parents)
    states: dict[str, Mapping[str, Entry]] = {}
    for commit in listed:
        before = [_state(repository, states, parent) for parent in commit.parents]
        after = git.apply_deltas(before[0] if before else {}, commit.deltas)
        yield Step(
            commit,
            tuple(GitSnapshot(repository, state, parent) for state, parent in zip(before, commit.parents, strict=True)),
            GitSnapshot(repository, after, commit.oid),
        )
        if waiting[commit.oid]:
            states[commit.oid] = after
        for parent in commit.parents:
            waiting[parent] -= 1
            if not waiting[parent]:
                states.pop(parent, None)


def _state(repository: git.Repository, states: dict[str, Mapping[str, Entry]], commit: str) -> Mapping[str, Entry]:
    if commit not in states:
        states[commit] = git.list_tree(repository, commit)
    return states[commit]


def _parse(fields: Sequence[bytes], *, signatures: bool) -> Iterator[Commit]:
    width = 7 if signatures else 6
    at = 0
    while at < len(fields):
        head = fields[at].lstrip(b"\n")
        if not head.startswith(b"\x01"):
            at += 1
            continue
        header = [head[1:], *fields[at + 1 : at + width]]
        at += width
        diff: list[bytes] = []
        while at + 1 < len(fields) and not (line := fields[at].lstrip(b"\n")).startswith(b"\x01"):
            # A diff line and its path, or the empty field that ends a header.
            if line.startswith(b":"):
                diff += [line, fields[at + 1]]
                at += 2
            else:
                at += 1
        yield _commit([os.fsdecode(field) for field in header], tuple(git.parse_deltas(diff)), signatures=signatures)


def _squashed(commit: Commit) -> Commit:
    return replace(commit, parents=commit.parents[:1], is_squashed=True) if len(commit.parents) > 1 else commit


def _commit(head: list[str], deltas: tuple[git.Delta, ...], *, signatures: bool) -> Commit:
    oid, parents, name, email, authored, seconds = head[:6]
    time = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    signed = head[6] != "U" and head[6][:1] in ("G", "U") if signatures else None
    return Commit(oid, tuple(parents.split()), name, email, authored, time, signed, deltas)
