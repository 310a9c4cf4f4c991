"""What is excused, and by what: comments, paths, the baseline. And what excuses nothing, which is FC002 (design.md 12).

An agent must not be able to excuse itself, so comments never count for authority, roots and history, nor for the digests of
FCoP 4: there the comment would be the very edit that they prove. Nothing counts for what could not be looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from fcoplint import catalogue
from fcoplint.checks.mending import drop_comment
from fcoplint.findings import Finding, on
from fcoplint.globs import matcher
from fcoplint.model.comments import Comment
from fcoplint.model.envelope import Envelope
from fcoplint.model.location import Location
from fcoplint.model.nodes import Span
from fcoplint.model.workspace import Workspaces
from fcoplint.report import Suppression
from fcoplint.settings import Accepted, Settings

# Findings about what could not be looked at are never selected away, ignored or accepted.
ALWAYS_ON = ("FC000", "FC001")
# What no comment excuses: the tool's own findings, authority, roots, history, digests and receipts.
NEVER_INLINE = ("FC0", "FC4", "FC55", "FC7", "FC8", "FC95")
# What no baseline accepts: the tool's own findings.
NEVER_ACCEPTED = ("FC000", "FC001", "FC002", "FC003")

Judged = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Split:
    """Findings that count, and those that a comment or a path excuses."""

    open: list[Finding] = field(default_factory=list)
    excused: list[tuple[Finding, Suppression]] = field(default_factory=list)

    @property
    def all(self) -> list[Finding]:
        """Both."""
        return [*self.open, *(finding for finding, _ in self.excused)]


class Excuses:
    """The comments in a state's envelopes and the settings' paths, and which of them were needed.

    `judged` says of a code whether this run looks for it in a state: what was not looked for excuses nothing and yet is not
    unused.
    """

    def __init__(self, state: Workspaces, settings: Settings, judged: Judged) -> None:
        self._state = state
        self._settings = settings
        self._judged = judged
        self._envelopes: dict[str, Envelope] | None = None
        self._needed: set[tuple[str, Comment, str]] = set()
        self._needed_paths: set[tuple[str, str]] = set()

    def split(self, findings: Iterable[Finding]) -> Split:
        """The findings that count and the excused ones."""
        split = Split()
        for finding in findings:
            suppression = self._by_comment(finding) or self._by_path(finding)
            if suppression:
                split.excused.append((finding, suppression))
            else:
                split.open.append(finding)
        return split

    def split_state(self, findings: list[Finding]) -> Split:
        """Those of a whole state, with FC002 for the comments that excuse none of them."""
        split = self.split(findings)
        if self._judged("FC002"):
            crashed = any(finding.code == "FC000" for finding in findings)
            for finding, suppression in (more := self.split(self._idle_comments(crashed=crashed))).excused:
                split.excused.append((finding, suppression))
            split.open.extend(more.open)
        return split

    def idle_paths(self) -> Iterator[Finding]:
        """FC002 for the settings' paths in which nothing had to be excused."""
        for pattern, codes in self._settings.per_path_ignores:
            for code in codes:
                if (pattern, code) not in self._needed_paths and self._judged(code):
                    place = _place(self._state, self._settings.origin, pattern)
                    parameters = {"excused": code or "ALL", "pattern": pattern}
                    yield Finding("FC002", place, place.path, f"path {code} {pattern}", "path", parameters=parameters)

    def _by_comment(self, finding: Finding) -> Suppression | None:
        if finding.code.startswith(NEVER_INLINE):
            return None
        envelope = self._envelope(finding.location.path)
        span = finding.location.span
        found = None
        for comment in _comments(envelope) if envelope else ():
            if comment.line is None or (span is not None and comment.line == span.line):
                for word in comment.codes or ():
                    if _code(word) == finding.code:
                        self._needed.add((finding.location.path, comment, word))
                        found = found or Suppression("inline", comment.reason, Location(finding.location.path, comment.span))
        return found

    def _by_path(self, finding: Finding) -> Suppression | None:
        if finding.code in ALWAYS_ON:
            return None
        path = self._settings.prefix + finding.location.path
        found = None
        for pattern, codes in self._settings.per_path_ignores:
            fitting = [code for code in codes if finding.code.startswith(code)]
            if fitting and matcher([pattern])(path):
                self._needed_paths.update((pattern, code) for code in fitting)
                found = found or Suppression("path", f"per-path-ignores: {pattern}")
        return found

    def _envelope(self, path: str) -> Envelope | None:
        if self._envelopes is None:
            self._envelopes = {envelope.path: envelope for workspace in self._state for envelope in workspace.envelopes}
        return self._envelopes.get(path)

    def _idle_comments(self, *, crashed: bool) -> Iterator[Finding]:
        for workspace in self._state:
            for envelope in workspace.envelopes:
                for comment in _comments(envelope):
                    if comment.codes is None:
                        fix = drop_comment(envelope, comment.span)
                        yield on(envelope, "FC002", comment.span, about="malformed", message="malformed", fix=fix)
                    for word in comment.codes or ():
                        yield from self._idle_word(envelope, comment, word, crashed=crashed)

    def _idle_word(self, envelope: Envelope, comment: Comment, word: str, *, crashed: bool) -> Iterator[Finding]:
        code, fix = _code(word), drop_comment(envelope, comment.span, word)
        if code is None:
            near = catalogue.suggest(word)
            meant = f"did you mean `{near}`?" if near else "`fcoplint rules` lists them"
            yield on(envelope, "FC002", comment.span, about=f"unknown {word}", message="unknown", word=word, meant=meant)
        elif code.startswith(NEVER_INLINE):
            yield on(envelope, "FC002", comment.span, about=f"never {code}", message="never", fix=fix, excused=code)
        elif not crashed and self._judged(code) and (envelope.path, comment, word) not in self._needed:
            place = "in this file" if comment.line is None else "on the line it speaks of"
            yield on(envelope, "FC002", comment.span, about=code, fix=fix, excused=code, place=place)


class Allowance:
    """What a baseline still accepts: each entry as often as it counts, until its day is over."""

    def __init__(self, settings: Settings) -> None:
        self._baseline = settings.baseline
        self._today = settings.policy.now.date()
        entries = self._baseline.entries if self._baseline else ()
        self._entries = {entry.fingerprint: entry for entry in entries}
        self._left = Counter({entry.fingerprint: entry.count for entry in entries if not self._is_over(entry)})

    def take(self, finding: Finding) -> Suppression | None:
        """How a finding is accepted, None where it is not, or not as often."""
        if self._baseline is None or finding.code in NEVER_ACCEPTED:
            return None
        mark = fingerprint(finding, self._baseline.prefix)
        if self._left[mark] <= 0:
            return None
        self._left[mark] -= 1
        return Suppression("baseline", self._entries[mark].reason)

    def idle(self, state: Workspaces, judged: Judged) -> Iterator[Finding]:
        """FC002 for the entries that are over or accept nothing that is there."""
        for mark, entry in self._entries.items():
            over = self._is_over(entry)
            if over or (self._left[mark] > 0 and judged(entry.code)):
                assert self._baseline is not None
                place = _place(state, self._baseline.path, mark)
                parameters = {"excused": entry.code, "envelope": entry.subject, "until": str(entry.until or "")}
                yield Finding("FC002", place, place.path, mark, "expired" if over else "baseline", parameters=parameters)

    def _is_over(self, entry: Accepted) -> bool:
        return entry.until is not None and entry.until < self._today


def fingerprint(finding: Finding, prefix: str) -> str:
    """A finding's fingerprint as seen from the folder that `prefix` leads down from."""
    return replace(finding, workspace=f"{prefix}{finding.workspace}".rstrip("/")).fingerprint if prefix else finding.fingerprint


def _comments(envelope: Envelope) -> tuple[Comment, ...]:
    return envelope.document.comments if envelope.document else ()


def _code(word: str) -> str | None:
    """The code that a word in a comment names, as a code or a name; a prefix would excuse more than its writer can see."""
    code = catalogue.resolve(word)
    return code if code in catalogue.rule_files() else None


def _place(state: Workspaces, path: str, text: str) -> Location:
    """The line of a file of ours that holds a text; the file where none does."""
    if path in state.snapshot.entries:
        content = next(content for _, content in state.snapshot.read([path]))
        lines = content.decode("utf-8", "replace").split("\n") if isinstance(content, bytes) else []
        number = next((number for number, line in enumerate(lines, 1) if text in line), None)
        if number:
            return Location(path, Span(number, 1, number, len(lines[number - 1]) + 1))
    return Location(path)
