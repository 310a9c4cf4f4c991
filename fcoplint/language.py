"""The languages that rules and reports are written in, and which one a run speaks.

In this order decide: `--lang`, the setting `lang`, the manifest's `lang`, the locale. The locale is read from its variables:
the module `locale` would cost the hook an import and knows no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LANGUAGES = ENGLISH, CHINESE = "en", "zh"
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def known(tag: object) -> str | None:
    """The language that a tag asks for (`zh`, `zh-CN`, `zh_CN.UTF-8`); None where it is none of ours, or no text."""
    if not isinstance(tag, str):
        return None
    first = tag.replace("_", "-").replace(".", "-").partition("-")[0].lower()
    return first if first in LANGUAGES else None


def of_locale(environment: Mapping[str, str]) -> str:
    """The language of the locale: of the first variable that is set; English where it is none of ours."""
    return known(next(filter(None, map(environment.get, _VARIABLES)), None)) or ENGLISH


def first_known(tags: Iterable[object]) -> str | None:
    """The language of the first tag that is one of ours."""
    return next(filter(None, map(known, tags)), None)
