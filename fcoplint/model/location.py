"""A place in a snapshot: a path, and a stretch of the file where there is one."""

from typing import NamedTuple

from fcoplint.model.nodes import Span


class Location(NamedTuple):
    """`span` is None for a folder, a link, or a file whose content is not the point."""

    path: str
    span: Span | None = None
