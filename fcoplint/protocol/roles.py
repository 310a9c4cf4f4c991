"""Role codes: their grammar, the reserved ones, and what a reader could mistake for one (protocol.md B.1, R 1)."""

import re

ROLE_PATTERN = r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*"
_ROLE = re.compile(ROLE_PATTERN)
_SLOTTED = re.compile(rf"({ROLE_PATTERN})\.({ROLE_PATTERN})")
_INSTANCE = re.compile(rf"({ROLE_PATTERN}?)-\d+")

ADMIN, SYSTEM, TEAM = "ADMIN", "SYSTEM", "TEAM"
RESERVED = frozenset({ADMIN, SYSTEM})
ADDRESSABLE = RESERVED | {TEAM}

# A plain scalar that PyYAML (and so the reference) reads as a boolean or as null, not as text.
YAML_TRAPS = frozenset(
    spelled for word in ("yes", "no", "true", "false", "on", "off", "null") for spelled in (word, word.capitalize(), word.upper())
) | {"~"}


def is_role(text: str) -> bool:
    """Whether `text` is a role code by the reference's grammar (protocol.md B.1)."""
    return _ROLE.fullmatch(text) is not None


def split_slot(text: str) -> tuple[str, str | None]:
    """`DEV.BACKEND` as ("DEV", "BACKEND"); anything else as (text, None) (protocol.md V3-N06)."""
    match = _SLOTTED.fullmatch(text)
    return (match[1], match[2]) if match else (text, None)


# Names the reference writes for itself in an event's `by` (field.md 3.6): no role, and no fault.
TOOL_ACTORS = frozenset({"archiver", "agent", "migration", SYSTEM})


def is_address(text: str) -> bool:
    """Whether `text` is a role, or a role with a slot, as a TASK may be addressed (protocol.md V3-N06)."""
    return is_role(split_slot(text)[0])


def base_role(text: str, declared: frozenset[str]) -> str:
    """The role that `text` speaks for: a declared code as it stands, else `PM-01` as PM (protocol.md A.5.3).

    A code that is declared wins as a whole, because declared codes may themselves end in digits.
    """
    if text in declared or text in ADDRESSABLE:
        return text
    match = _INSTANCE.fullmatch(text)
    if match and (match[1] in declared or match[1] in ADDRESSABLE):
        return match[1]
    return text


# Role codes named for authority instead of function (protocol.md V3-W06).
AUTHORITY_WORDS = frozenset({"BOSS", "CHIEF", "MASTER", "OWNER", "CEO", "KING", "GOD", "COMMANDER", "DICTATOR", "LORD"})

# The layers a manifest may give a role, and the capabilities it may name (ADR-0020).
LAYERS = ("worker", "governance")
ADMIN_LAYER = "admin"
CAPABILITIES = frozenset(
    {"file_io", "task_io", "modify_code", "review_decision", "approve_release"}
    | {"escalate", "spawn_agent", "override", "archive", "mark_done"}
)
