"""What a run is set to: plain values, cheap to import. `config.py` fills them from files, the command line from options."""

from dataclasses import dataclass, field

from fcoplint.model.policy import Policy


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rules speak (codes, prefixes of codes, or names; empty `select` means all) and what fails the run."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_level: str = "error"
    policy: Policy = field(default_factory=Policy)
