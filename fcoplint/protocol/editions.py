"""What differs between the protocol's versions in what an envelope says, as data: the rules are the same (protocol.md B.3, C.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fcoplint.protocol import fields, names, places, v4
from fcoplint.protocol.references import REFERENCE_KEYS


@dataclass(frozen=True, slots=True)
class Edition:
    """The grammar of envelopes in one or more versions of the protocol.

    Mappings are by envelope type. `required` keys must be there, `may_be_empty` lists may hold nothing; of `expected_only`
    an absence is less. `known` are the keys that a rule reads. `is_exact` says that values stand exactly as the protocol
    spells them, and times with their offset; `is_name` whether a file name is an envelope's. `relations` are keys whose value
    must lead to one envelope, `reference_keys` all that name others. `folders` may lie in a workspace.
    """

    required: Mapping[str, tuple[str, ...]]
    expected_only: Mapping[str, frozenset[str]]
    may_be_empty: frozenset[str]
    known: Mapping[str, frozenset[str]]
    role_fields: Mapping[str, tuple[str, ...]]
    time_fields: tuple[str, ...]
    reference_keys: tuple[str, ...]
    relations: tuple[str, ...]
    parents: tuple[str, ...]
    folders: frozenset[str]
    is_exact: bool
    is_name: Callable[[str], bool]


LEGACY = Edition(
    required=fields.REQUIRED,
    expected_only=fields.EXPECTED_ONLY,
    may_be_empty=frozenset(),
    known={kind: frozenset(keys) for kind, keys in fields.KNOWN.items()},
    role_fields=fields.ROLE_FIELDS,
    time_fields=fields.TIME_FIELDS,
    reference_keys=REFERENCE_KEYS,
    relations=(),
    parents=("parent",),
    folders=places.KNOWN_FOLDERS,
    is_exact=False,
    is_name=lambda filename: names.parse_name(filename) is not None,
)
V4 = Edition(
    required=v4.REQUIRED,
    expected_only={},
    may_be_empty=v4.MAY_BE_EMPTY,
    known=v4.KNOWN,
    role_fields=v4.ROLE_FIELDS,
    time_fields=v4.TIME_FIELDS,
    reference_keys=("references", *v4.RELATIONS),
    relations=v4.RELATIONS,
    parents=("parent", "branch_of"),
    folders=places.V4_FOLDERS,
    is_exact=True,
    is_name=lambda filename: names.parse_v4_kind(filename) is not None,
)


def edition_of(version: int) -> Edition:
    """The edition of a protocol version; what nobody knows is read like the old ones."""
    return V4 if version == 4 else LEGACY
