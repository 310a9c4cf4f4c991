"""fcoplint as users get it: installed by pip from this checkout into an environment of its own, once for all tests."""

import subprocess
import sys
from pathlib import Path

from tests.support.tool_path import PROJECT


def install(folder: Path) -> Path:
    """The environment's folder of programs, `fcoplint` among them."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(PROJECT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "bin"
