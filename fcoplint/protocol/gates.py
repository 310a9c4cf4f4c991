"""What the moves of FCoP 4 must stand on: evidence, a judgement, an authorization (F4.4.2, F4.7.2). Data for checks and messages."""

from __future__ import annotations

from typing import NamedTuple

Move = tuple[str, str]

SUBMIT, ACCEPT, REJECT = ("active", "review"), ("review", "done"), ("review", "active")
REOPEN, CLOSE = ("done", "active"), ("done", "archive")
# The moves that consume evidence, and those among them that need an authorization (T4 to T7).
GATED: tuple[Move, ...] = (SUBMIT, ACCEPT, REJECT, REOPEN, CLOSE)
AUTHORISED: tuple[Move, ...] = (ACCEPT, REJECT, REOPEN, CLOSE)

OPERATION_KIND = "lifecycle_transition"
SINGLE_USE = "single_use"
CONVERGENCE = ("convergence", "approved")


class Carrier(NamedTuple):
    """A kind of REVIEW that may authorise: with which decision, which moves."""

    decision: str
    moves: tuple[Move, ...]


CARRIERS = {
    "authorization": Carrier("authorize", AUTHORISED),
    "acceptance": Carrier("approved", (ACCEPT,)),
    "rejection": Carrier("rejected", (REJECT,)),
}
# The judgement that a move cites as evidence: kinds of REVIEW, each with its decision. Of T7 the family speaks (F4.6.5).
JUDGEMENTS: dict[Move, dict[str, str]] = {
    ACCEPT: {"acceptance": "approved"},
    REJECT: {"rejection": "rejected"},
    REOPEN: {"reopen": "approved", "authorization": "authorize"},
}
