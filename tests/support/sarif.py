"""The official JSON Schema of SARIF 2.1.0, which npm's package @microsoft/jest-sarif carries."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

_PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
_MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"


def load_validator(cache: Path) -> jsonschema.Draft4Validator:
    """The schema's validator; the schema is fetched once and kept below `cache`."""
    kept = cache / "sarif-2.1.0-rtm.5.json"
    if not kept.exists():
        _fetch(kept)
    schema: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def _fetch(kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
            pytest.fail("CI needs npm, which has SARIF's official schema")
        pytest.skip("SARIF's official schema comes by npm, and there is none here")
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        done = subprocess.run([npm, "pack", "--silent", _PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as opened:
            content = opened.extractfile(_MEMBER)
            assert content is not None
            part = Path(folder) / "schema.json"
            part.write_bytes(content.read())
        part.replace(kept)
