"""What the hook imports is what it costs on every commit: held against a list, in a run that also reports a fault."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.repository import INBOX, Repo, task_text

FORBIDDEN = {
    "jinja2", "markupsafe",
    "pydantic", "pydantic_core", "git", "gitdb", "frontmatter", "rich", "jsonschema", "asyncio", "unittest", "multiprocessing",
    "concurrent", "logging", "http", "email", "xml", "sqlite3", "tomllib", "importlib.metadata",
}  # fmt: skip
PROBE = """
import json, sys
from fcoplint.cli import main
try:
    main(["check", "--format", "json"])
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def test_the_hook_imports_nothing_heavy_even_when_it_reports(repo: Repo) -> None:
    repo.write(f"{INBOX}/TASK-20261001-002-PM-to-QA.md", task_text("OPS", "QA"))
    repo.git("add", "-A")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=repo.path, env=env, capture_output=True, check=True)
    assert [item["code"] for item in json.loads(done.stdout)["findings"]] == ["FC120"]
    code, modules = json.loads(done.stderr)
    assert code == 1
    assert {name for name in modules if name in FORBIDDEN or name.partition(".")[0] in FORBIDDEN} == set()
    assert {name for name in modules if name.startswith("fcoplint.cli.")} == {
        "fcoplint.cli.check",
        "fcoplint.cli.common",
        "fcoplint.cli.ranges",
    }
