"""What the repository's owner decided about how the protocol is applied: plain values that rules may read (design.md 7)."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_CLOCK_TOLERANCE = datetime.timedelta(minutes=10)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots that the owner declared, never guessed: paths as written on the machines of the team (roots.md 5a).

    `home` are other names of this project, `foreign` other projects. Fields named in `cross_root_keys` may speak of those.
    `allow_protected` names folders (or, as True, all) that may be a project's root although nobody's should lie there.
    """

    home: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    cross_root_keys: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] | bool = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Decisions that rules depend on.

    `now` is the moment of judgement (UTC, aware). `dialect` names the event vocabulary. `protocol` (1 to 3), `rules_version`,
    `leader` and `admins` override what the repository's files say; None and () leave it to them. `authorisation_patterns` are
    further sentences, as regular expressions, that let an executor archive. `actors` maps a role to the author e-mail patterns
    that may sign for it. `roots` are the declared roots.
    """

    now: datetime.datetime = field(default_factory=_now)
    protocol: int | None = None
    dialect: str = "fcop"
    rules_version: str | None = None
    leader: str | None = None
    admins: tuple[str, ...] = ()
    authorisation_patterns: tuple[str, ...] = ()
    clock_tolerance: datetime.timedelta = DEFAULT_CLOCK_TOLERANCE
    actors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    require_signed: bool = False
    roots: Roots = field(default_factory=Roots)
