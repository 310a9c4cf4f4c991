"""Pictures of the page, small enough to keep, compared as a person would: by what stands where, not by how letters are smoothed."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

KEPT = Path(__file__).parents[1] / "pictures"
# What is kept of a picture, and what is compared of it.
_KEPT_WIDTH, _COMPARED = 640, (64, 40)
_COLOURS = 48


def keep(picture: bytes, file: Path, width: int = _KEPT_WIDTH) -> None:
    """Write a picture (PNG) down small: narrower, in few colours."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    small = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(_COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def difference(picture: bytes, file: Path) -> float:
    """How far a picture is from the one that was kept: the greatest difference (0 to 255) of a patch's mean brightness."""
    sides = [Image.open(source).convert("L").resize(_COMPARED, Image.Resampling.BOX) for source in (io.BytesIO(picture), file)]
    return float(ImageStat.Stat(ImageChops.difference(*sides)).extrema[0][1])
