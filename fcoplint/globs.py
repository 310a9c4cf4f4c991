"""The path patterns of the configuration: like those of a .gitignore file, relative to the configuration's folder."""

import re
from collections.abc import Callable, Iterable
from functools import cache


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """A test whether a POSIX path fits one of the patterns.

    `*` and `?` stay within a name, `**` crosses folders, a pattern without a slash fits a name at any depth, and what
    fits a folder fits all below it.
    """
    compiled = [_compile(pattern) for pattern in patterns]
    return lambda path: any(pattern.match(path) for pattern in compiled)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    body = pattern.strip("/")
    anywhere = "" if "/" in body or pattern.startswith("/") else "(?:.*/)?"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", body)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile(anywhere + "".join(wild.get(part) or re.escape(part) for part in parts) + r"(?:/.*)?\Z", re.DOTALL)
