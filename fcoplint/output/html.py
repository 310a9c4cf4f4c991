"""A page for people: one file with everything in it, that asks nobody for anything (docs/page.md).

Here the file is put together; what stands in it is made by `pagedata`, and what a reader sees of that by the scripts in `page/`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from fcoplint import __version__
from fcoplint.output.pagedata import page_data
from fcoplint.output.text import Paint
from fcoplint.report import Report

_FOLDER = Path(__file__).parent / "page"
LANGUAGES = ("en", "zh")
# In this order: each script uses what those before it define.
SCRIPTS = (
    "words", "nodes", "data", "list", "filters", "board", "scale", "timeline", "rule", "detail", "findings", "charts", "unseen", "main",
)  # fmt: skip
# What would end a script element, open a comment, or be read otherwise by HTML than by JSON.
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def write(report: Report, paint: Paint) -> str:
    """The page, in ASCII. Nothing that the report says is markup in it: it is JSON that the page's script reads."""
    words = {language: json.loads(_read(f"{language}.json")) for language in LANGUAGES}
    script, style = "\n".join(_read(f"{name}.js") for name in SCRIPTS), _read("page.css")
    page = _template().render(
        version=__version__,
        policy=_policy(script, style),
        script=script,
        style=style,
        data=_as_script({**page_data(report), "words": words}),
        words=words["en"],
        counts=report.counts,
    )
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


@functools.cache
def _template() -> Template:
    pages = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return pages.get_template("page.html")


def _policy(script: str, style: str) -> str:
    """The content policy: this script, this style, and nothing else from anywhere."""
    return f"default-src 'none'; script-src '{_mark(script)}'; style-src '{_mark(style)}'; base-uri 'none'; form-action 'none'"


def _mark(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _as_script(data: object) -> str:
    """Data as the content of a script element: ASCII, and no sign that HTML knows."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).translate(_UNSAFE)


@functools.cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text("ascii" if name.endswith((".js", ".css")) else "utf-8")
