"""The site builds from README, docs/ and rules/ with no link that leads nowhere; the manual page knows every command."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from fcoplint import catalogue
from fcoplint.cli import main
from tests.support.tool_path import PROJECT


def build(project: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a project folder, as `make site` does."""
    # Not --quiet: what mkdocs does not log does not fail either.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "website/mkdocs.yml", "--site-dir", target]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([str(word) for word in command], cwd=project, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(PROJECT, target)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.links.append(value)
            elif key in ("id", "name") and value:
                self.anchors.add(value)


def _broken(site: Path) -> Iterator[str]:
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        # mkdocs makes the links of 404.html for the root of a server.
        for link in page.links if path.name != "404.html" else ():
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchored = not parts.fragment or target.suffix != ".html" or unquote(parts.fragment) in pages[target].anchors
            if not target.is_file() or not anchored:
                yield f"{path.relative_to(site)}: {link}"


def test_no_link_of_the_site_leads_nowhere(site: Path) -> None:
    assert list(_broken(site)) == []


def test_every_document_and_every_rule_has_its_page(site: Path) -> None:
    documents = [*(PROJECT / "docs").rglob("*.md"), *(PROJECT / "rules").rglob("*.md")]
    missing = [path.name for path in documents if not (site / path.relative_to(PROJECT)).with_suffix(".html").is_file()]
    assert missing == []
    table = (site / "rules" / "index.html").read_text("utf-8")
    assert [code for code, path in catalogue.rule_files().items() if f'href="{path.stem}.html"' not in table] == []


def test_a_rule_is_shown_with_its_examples(site: Path) -> None:
    page = (site / "rules" / "FC305-illegal-edge.html").read_text("utf-8")
    assert all(word in page for word in ("<strong>bad</strong>", "<strong>good</strong>", "create_task", "An event makes a move"))
    assert "```" not in page
    assert '<a href="FC310-event-after-archive.html">FC310</a>' in page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = "".join(path.read_text("utf-8") for path in sorted(site.rglob("*.html")))
    assert pages.count("<script src=") > 100
    assert re.findall(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^"' >]+""", pages) == []


def test_a_broken_link_fails(tmp_path: Path) -> None:
    for name in ("docs", "website", "README.md", "CHANGELOG.md", "examples", "hooks"):
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, tmp_path / name)
    (tmp_path / "rules").mkdir()
    shutil.copy(PROJECT / "rules" / "FC120-routing-mismatch.md", tmp_path / "rules")
    (tmp_path / "docs" / "planted.md").write_text("# Planted\n\n[one](nowhere.md) [two](ci.md#no-such-place)\n")
    done = build(tmp_path, tmp_path / "out")
    assert done.returncode != 0
    assert "'docs/planted.md' contains a link 'nowhere.md'" in done.stderr
    assert "'docs/planted.md' contains a link 'ci.md#no-such-place'" in done.stderr


@pytest.fixture(scope="module")
def manual() -> str:
    code = f"import datetime, man; print(man.page(datetime.date({date(2026, 10, 1).strftime('%Y, %-m, %-d')})), end='')"
    env = {**os.environ, "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'website'}"}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


def test_the_manual_page_has_every_command_and_option(manual: str) -> None:
    assert manual.startswith('.TH FCOPLINT 1 "2026-10-01"')
    import click

    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert f'.SS "fcoplint {name}"' in manual
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        assert [option for option in options if option.replace("-", "\\-") not in manual] == []


def test_groff_has_nothing_to_say_about_it(manual: str) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("there is no groff here")
    done = subprocess.run([groff, "-ww", "-man", "-Tascii", "-P-cbou"], input=manual, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "EXIT STATUS" in done.stdout


@pytest.mark.parametrize(
    ("words", "completed"), [("ex", "explain"), ("explain FC30", "FC305"), ("explain self-a", "self-archive"), ("check --ran", "--range")]
)
def test_the_shell_completes(words: str, completed: str) -> None:
    env = {
        **os.environ, "PYTHONPATH": str(PROJECT), "_FCOPLINT_COMPLETE": "bash_complete", "COMP_WORDS": f"fcoplint {words}",
        "COMP_CWORD": str(len(words.split())),
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "fcoplint"], env=env, capture_output=True, text=True, check=True)
    assert completed in [line.partition(",")[2] for line in done.stdout.splitlines()]
