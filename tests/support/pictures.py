"""Pictures of the page, small enough to keep, compared as a person would: by what stands where, not by how letters are smoothed.

`python -m tests.support.pictures` takes them all anew, and the README's with them.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Browser

from tests.support import towns
from tests.support.browser import chromium, show

KEPT = Path(__file__).parents[1] / "pictures"
README = Path(__file__).parents[2] / "docs" / "page.png"
# Each view with its colours and its language.
VIEWS = {
    "board": ("light", "en-US"),
    "board-dark": ("dark", "zh-CN"),
    "task": ("light", "en-US"),
    "findings": ("light", "en-US"),
    "trends": ("light", "en-US"),
}
# What is compared: so many patches beside and above one another, each of which may be so much lighter or darker (of 255). Other
# fonts make up to 17, another view of the same page makes 21 at least.
_PATCHES = (16, 10)
TOLERANCE = 18


def take(browser: Browser, content: str, name: str, folder: Path) -> bytes:
    """A picture (PNG) of one of VIEWS of a page; `folder` is for the page's file."""
    file = folder / "page.html"
    file.write_text(content, "ascii")
    scheme, locale = VIEWS[name]
    page = show(browser, file, color_scheme=scheme, locale=locale).page
    view = name.partition("-")[0]
    if view == "task":
        page.locator("#board .row", has_text="Give us a staging server").click()
    else:
        page.click(f"#tab-{view}")
    if view == "findings":
        page.locator("#findings .row").nth(1).click()
    picture = page.screenshot()
    page.context.close()
    return picture


def keep(picture: bytes, file: Path, width: int, colours: int) -> None:
    """Write a picture down small: so many pixels wide, in so many colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    small = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, optimize=True)


def difference(picture: bytes, file: Path) -> int:
    """How far a picture is from one that was kept: the greatest difference of a patch's brightness, 0 to 255."""
    mine, kept = (_patches(Image.open(source)) for source in (io.BytesIO(picture), file))
    return max(ImageChops.difference(mine, kept).tobytes())


def _patches(image: Image.Image) -> Image.Image:
    return image.convert("RGB").convert("L").resize(_PATCHES, Image.Resampling.BOX)


def main() -> None:
    """Take every picture anew."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        example, storied = towns.example(), towns.storied(folder)
        for view in VIEWS:
            picture = take(browser, storied if view == "trends" else example, view, folder)
            keep(picture, KEPT / f"{view}.png", 480, 32)
            if view == "task":
                keep(picture, README, 960, 160)


if __name__ == "__main__":
    main()
