"""The page in a real browser: Chromium, started once, that is asked what it shows and tells what it asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SIZE = {"width": 1280, "height": 800}
# Chromium refuses to start as root with its sandbox; the other switches keep it from calling home.
_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium as the system has it; without one the tests that need it are skipped, in CI they fail."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
            pytest.fail("CI needs Chromium, in which the page is tested")
        pytest.skip("the page is tested in Chromium, and there is none here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_SWITCHES)
        yield browser
        browser.close()


@dataclass
class Shown:
    """A page that is open: what it complained of, and what it asked for beside its own file."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements that fit and can be seen."""
        return self.page.locator(selector).filter(visible=True).all_inner_texts()

    def ids(self, area: str = "#board") -> list[str]:
        """The names of the TASKs that the board shows, column by column."""
        return self.texts(f"{area} .row .id")

    @property
    def focused(self) -> dict[str, Any]:
        """What has the focus: its role, its label, and the text of the row that keys act on."""
        told: dict[str, Any] = self.page.evaluate(
            """() => {
              const at = document.activeElement;
              const row = document.getElementById(at.getAttribute("aria-activedescendant") ?? "");
              const [role, label] = [at.getAttribute("role"), at.getAttribute("aria-label")];
              return {role, label, id: at.id, text: at.textContent, row: row?.querySelector(".id").textContent};
            }"""
        )
        return told


def show(browser: Browser, file: Path, **context: Any) -> Shown:
    """Open a page from the disk, in light colours, in English, offline; `context` says otherwise."""
    options: dict[str, Any] = {
        "viewport": SIZE,
        "color_scheme": "light",
        "locale": "en-US",
        "offline": True,
        "timezone_id": "Asia/Shanghai",
    }
    page = browser.new_context(**{**options, **context}).new_page()
    shown = Shown(page)
    page.set_default_timeout(10_000)
    page.on("console", lambda message: shown.complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: shown.complaints.append(f"error: {error}"))
    page.on("request", lambda request: shown.requests.append(request.url))
    page.goto(file.as_uri())
    shown.requests.remove(file.as_uri())
    return shown
