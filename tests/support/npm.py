"""Files that other programs' makers publish by npm: fetched once and kept in pytest's cache folder."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest


def npm_file(cache: Path, package: str, member: str, what: str) -> Path:
    """A file of an npm package (`name@version`), kept below `cache`; `what` says what is missing where there is no npm."""
    kept = cache / member.rpartition("/")[2]
    if not kept.exists():
        _fetch(kept, package, member, what)
    return kept


def _fetch(kept: Path, package: str, member: str, what: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
            pytest.fail(f"CI needs npm, which has {what}")
        pytest.skip(f"{what} comes by npm, and there is none here")
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        done = subprocess.run([npm, "pack", "--silent", package], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as opened:
            content = opened.extractfile(f"package/{member}")
            assert content is not None
            part = Path(folder) / "part"
            part.write_bytes(content.read())
        part.replace(kept)
