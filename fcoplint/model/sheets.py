"""ALERT and INSPECTION files: not envelopes, they move nothing and nobody answers them, but they are read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcoplint.model.envelope import Envelope
from fcoplint.protocol.judgements import SheetName, parse_sheet_name, sheet_kind
from fcoplint.source.snapshot import Entry, Kind

if TYPE_CHECKING:
    from fcoplint.model.workspace import Workspace


class Sheet(Envelope):
    """An ALERT or an INSPECTION (`kind`), with the located fields of an envelope; `workspace.envelopes` never holds one."""

    def __init__(self, workspace: Workspace, path: str, entry: Entry, kind: str) -> None:
        super().__init__(workspace, path, workspace.place(path), entry, kind)
        self.sheet_name: SheetName | None = parse_sheet_name(kind, self.filename)


def find_sheets(workspace: Workspace) -> list[Sheet]:
    """The ALERT and INSPECTION files of a workspace, by path. Links and submodules are nobody's sheets."""
    found = []
    for path, entry in sorted(workspace.entries.items()):
        kind = sheet_kind(workspace.relative(path))
        if kind and entry.kind not in (Kind.LINK, Kind.SUBMODULE):
            found.append(Sheet(workspace, path, entry, kind))
    return found
