"""What a run is set to: plain values, cheap to import. `config.py` fills them from files, the command line from options."""

import datetime
from dataclasses import dataclass, field

from fcoplint.language import ENGLISH
from fcoplint.model.policy import Policy
from fcoplint.source.ground import Ground, Nowhere
from fcoplint.source.snapshot import MAX_BYTES

BASELINE = ".fcoplint-baseline.json"


@dataclass(frozen=True, slots=True)
class Accepted:
    """One entry of a baseline: a fault by its fingerprint, how many equal ones, until which day, and why.

    `code`, `path` and `subject` are for people, and to tell an entry that is no longer needed.
    """

    fingerprint: str
    code: str
    path: str
    subject: str
    count: int = 1
    until: datetime.date | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings. `path` is relative to the configuration's folder, as are the fingerprints; `prefix` leads from
    there to the snapshot's root.
    """

    path: str
    entries: tuple[Accepted, ...]
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rules speak, how loudly, of which paths, and what fails the run.

    `select`, `ignore` and the codes of the other settings are prefixes of codes; an empty `select` means all.
    `per_path_ignores` are (pattern, codes), `severity` is (code, level). Patterns are relative to the configuration's
    folder; `prefix` leads from there to the snapshot's root ("" or "sub/folder/"). `history_from` names the commit before
    which findings about the past are not made. `origin` is the configuration's file, "" where it was named by hand.
    `baseline_file` is where accepted findings stand, `baseline` what stood there. `roots_ignore` are paths that the rules
    about roots pass by, `ground` is what surrounds the snapshots of this run. `lang` is the language asked for, None for the
    manifest's; where that names none, `locale` is the language.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_path_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    fail_level: str = "error"
    workspaces: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES
    history_from: str | None = None
    roots_ignore: tuple[str, ...] = ()
    prefix: str = ""
    origin: str = ""
    lang: str | None = None
    locale: str = ENGLISH
    baseline_file: str = BASELINE
    baseline: Baseline | None = None
    ground: Ground = field(default_factory=Nowhere)
    policy: Policy = field(default_factory=Policy)
