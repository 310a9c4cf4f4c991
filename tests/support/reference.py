"""The reference library fcop in an environment of its own, fetched once by pip: it writes workspaces for us, and is never imported here."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

VERSION = "4.0.5"


class Reference:
    """The installed reference; `folder` holds it and all it needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, script: str, *arguments: str | Path, beside: Path | None = None, text: str = "") -> str:
        """What a Python script prints that runs with the reference, and with the modules of the folder `beside`; `text` is its input."""
        path = os.pathsep.join(str(folder) for folder in (self.folder, beside) if folder)
        env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", script, *map(str, arguments)]
        done = subprocess.run(command, env=env, input=text, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def load_reference(cache: Path) -> Reference:
    """The reference, installed below `cache` unless it is there; tests that run beside each other install it once."""
    kept = cache / f"fcop-{VERSION}"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _install(kept)
    return Reference(kept)


def _install(kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        target = Path(folder) / "installed"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(target)]
        done = subprocess.run([*command, f"fcop=={VERSION}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
                pytest.fail(f"CI needs the reference library: {done.stderr}")
            pytest.skip("the reference library cannot be installed here")
        target.rename(kept)
