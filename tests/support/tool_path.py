"""A PATH on which `fcoplint` is the tool under test, for hooks that git runs."""

import os
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def tool_path(folder: Path) -> dict[str, str]:
    """The environment in which the shipped hooks find the tool of this working tree."""
    folder.mkdir(parents=True, exist_ok=True)
    wrapper = folder / "fcoplint"
    wrapper.write_text(f"#!/bin/sh\nPYTHONPATH='{PROJECT}' exec '{sys.executable}' -m fcoplint \"$@\"\n")
    wrapper.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
