"""fcoplint: a linter for the envelopes that AI agent teams leave in git (FCoP)."""

__version__ = "0.1.0"
