"""What becomes a page of the site: the documents of this project under their own paths, so that their links hold.

mkdocs calls `on_config` and `on_files`. README.md becomes the first page, a rule's file is shown with its head as a table, and a
file that a document links to is laid beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[)#])")
_RULE = re.compile(r"FC\d{3}-[a-z0-9-]+\.md")
_CODE = re.compile(
    r"(?:^#[^\n]*$|^(?P<fence>`{3,}).*?^(?P=fence)$|`[^`\n]*`|\[[^\]\n]*\](?:\([^)\n]*\))?)|\b(?P<code>FC\d{3})\b", re.MULTILINE | re.DOTALL
)
_EXAMPLE = re.compile(r"^(`{3,})(bad|good)(?: (.*))?$", re.MULTILINE)
_FACTS = ("severity", "contract", "protocols", "fix", "source")
_RULES = "rules/index.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The order of the pages: the first one, the guides, the rules by contract, the project, other languages."""
    pages = {page: text for page, text in _pages().items() if page != "index.md"}
    guides = [page for page in pages if re.fullmatch(r"docs/[^/]+\.md", page)]
    rules = [page for page in pages if re.fullmatch(r"rules/FC[^/]+", page)]
    contracts: dict[str, list[str]] = {}
    for page in rules:
        contracts.setdefault(_head(ROOT / page)["contract"], []).append(page)
    project = [page for page in pages if "/" not in page and page.count(".") == 1]
    others = [page for page in pages if page not in {*guides, *rules, *project, _RULES}]
    translated = [page for page in others if page.startswith("rules/")]
    config.nav = [
        "index.md",
        {"Guides": guides},
        {"Rules": [_RULES, *({name.capitalize(): listed} for name, listed in contracts.items())]},
        {"Project": project},
        *([{"中文": [*(page for page in others if page not in translated), {"规则": translated}]}] if others else []),
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages in place of what mkdocs found below docs/, and beside them the files that they link to."""
    pages = _pages()
    chosen = Files([file for file in files if file.src_uri.startswith("assets/")])
    for page, text in pages.items():
        chosen.append(File.generated(config, page, content=_with_codes(page, _with_links(page, text))))
    for linked in sorted({target for page, text in pages.items() for target in _linked(page, text)}):
        if _name(linked) not in pages and (ROOT / linked).is_file():
            chosen.append(File.generated(config, linked, abs_src_path=str(ROOT / linked)))
    return chosen


def _pages() -> dict[str, str]:
    """The text of each page, by its path in the site."""
    documents = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "rules").rglob("*.md"))]
    found = {_name(path.relative_to(ROOT).as_posix()): path for path in documents}
    texts = {page: _rule(path) if _RULE.fullmatch(path.name) else path.read_text("utf-8") for page, path in found.items()}
    return {**texts, _RULES: _table([path for path in documents if path.parent == ROOT / "rules"])}


def _name(path: str) -> str:
    return "index.md" if path == "README.md" else path


def _head(path: Path) -> dict[str, Any]:
    """The front matter of a rule's file."""
    head: dict[str, Any] = yaml.safe_load(path.read_text("utf-8").split("\n---\n", 1)[0])
    return head


def _rule(path: Path) -> str:
    """A rule's file as a page: its name, what its head says, its body with examples that every Markdown knows."""
    head, body = _head(path), path.read_text("utf-8").split("\n---\n", 1)[1]
    facts = "".join(f"| {key} | {_fact(head[key])} |\n" for key in _FACTS if key in head)
    table = f"| | |\n|---|---|\n{facts}\n" if facts else ""
    code, _, name = path.stem.partition("-")
    return f"# {code} {name}\n\n**{head['title']}**\n\n{table}{head['why']}\n\n{_EXAMPLE.sub(_example, body)}"


def _fact(value: object) -> str:
    shown = ", ".join(f"{key}: {level}" for key, level in value.items()) if isinstance(value, dict) else str(value)
    return shown.replace("|", "\\|")


def _example(found: re.Match[str]) -> str:
    fence, kind, settings = found.groups()
    return f"**{kind}**{f' `{settings}`' if settings else ''}\n\n{fence}yaml"


def _table(paths: list[Path]) -> str:
    heads = [(path.name, path.stem.partition("-")[0], path.stem.partition("-")[2], _head(path)["title"]) for path in paths]
    rows = "".join(f"| [{code}]({file}) | {name} | {title.replace('|', chr(92) + '|')} |\n" for file, code, name, title in heads)
    return f"# Rules\n\n| code | name | what it says |\n|---|---|---|\n{rows}"


def _linked(page: str, text: str) -> Iterator[str]:
    """The files of the repository that a page links to."""
    for target in _LINK.findall(text):
        yield _resolve(page, target)


def _with_links(page: str, text: str) -> str:
    """The text with links to README.md and to the folder of rules led to their pages."""

    def lead(found: re.Match[str]) -> str:
        target = _resolve(page, found[1])
        up = "../" * page.count("/")
        return up + {"README.md": "index.md", "rules": _RULES}[target] if target in ("README.md", "rules") else found[1]

    return _LINK.sub(lead, text)


def _with_codes(page: str, text: str) -> str:
    """The text in which each code leads to its rule's page, but for headings, code and what is a link already."""
    folder = "rules/zh" if page.startswith("rules/zh/") else "rules"
    files = {path.name.partition("-")[0]: path.name for path in (ROOT / folder).glob("FC*.md")}

    def lead(found: re.Match[str]) -> str:
        file = files.get(found["code"] or "")
        return found[0] if file is None or page.endswith(file) else f"[{found[0]}]({'../' * page.count('/')}{folder}/{file})"

    return _CODE.sub(lead, text)


def _resolve(page: str, target: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / target).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
