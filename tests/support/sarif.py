"""The official JSON Schema of SARIF 2.1.0, which npm's package @microsoft/jest-sarif carries."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.support.npm import npm_file

_PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
_MEMBER = "lib/schemas/sarif-2.1.0-rtm.5.json"


def load_validator(cache: Path) -> jsonschema.Draft4Validator:
    """The schema's validator; the schema is fetched once and kept below `cache`."""
    kept = npm_file(cache, _PACKAGE, _MEMBER, "SARIF's official schema")
    schema: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
