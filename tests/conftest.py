"""Fixtures of all tests: a clean git environment, repositories, the specification's corpus where there is one."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest

from tests.support.installed import install
from tests.support.reference import Reference, load_reference
from tests.support.repository import Repo
from tests.support.sarif import load_validator

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True, scope="session")
def _no_outer_git() -> None:
    """Nothing of the git that may run these tests as a hook, and no configuration or locale of this machine, reaches them."""
    for key in [key for key in os.environ if key.startswith(("GIT_", "PRE_COMMIT_", "NO_COLOR", "FORCE_COLOR"))]:
        del os.environ[key]
    os.environ.update({"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"})
    # Thousands of short runs of the tool would each compile it anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A temporary folder in memory where this system has one: thousands of synced writes would wait for a disk."""
    memory = Path("/dev/shm")  # noqa: S108 - only as the place of a folder of our own
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="fcoplint-") as folder:
        yield Path(folder).resolve()


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Makes git repositories below the test's own folder."""

    def make(name: str = "repo", **options: str) -> Repo:
        return Repo.create(tmp_path / name, **options)

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    """A repository with one lawful workspace, committed."""
    made = make_repo()
    made.add_team()
    made.commit("start")
    return made


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that fcoplint was installed into."""
    return install(tmp_path_factory.mktemp("installed") / "venv")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The specification with its corpus; a user's clone has none, CI must have it."""
    if not SHARED.is_dir():
        if os.environ.get("FCOPLINT_REQUIRE_SHARED"):
            pytest.fail(f"CI needs the specification's corpus at {SHARED}")
        pytest.skip("the specification's corpus (../shared) is not part of a clone")
    return SHARED


@pytest.fixture(scope="session")
def sarif_validator(request: pytest.FixtureRequest) -> jsonschema.Draft4Validator:
    """SARIF's official schema, fetched once by npm and kept in pytest's cache folder."""
    return load_validator(request.config.cache.mkdir("sarif"))


@pytest.fixture(scope="session")
def reference(request: pytest.FixtureRequest) -> Reference:
    """The reference library fcop 4, fetched once by pip and kept in pytest's cache folder."""
    return load_reference(request.config.cache.mkdir("reference"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the figures that tests measured, whether they passed or not."""
    reports = [report for group in ("passed", "failed") for report in terminalreporter.stats.get(group, [])]
    figures = sorted({str(value) for report in reports for key, value in report.user_properties if key == "figure"})
    if figures:
        terminalreporter.section("figures")
        for figure in figures:
            terminalreporter.line(figure)
    called = (
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
    )
    rows = [value for report in called for name, value in report.user_properties if name == "tampered" and isinstance(value, list | tuple)]
    if rows:
        made, caught, listed = (sum(row[column] for row in rows) for column in (1, 2, 3))
        told = f"{caught} of {made} caught, {listed} on the list of what no file can show, {made - caught - listed} missed"
        terminalreporter.write_line(f"tampering with a v4 family: {told}")
    counts = [
        count
        for report in terminalreporter.stats.get("passed", [])
        for key, count in getattr(report, "user_properties", [])
        if key == "commands"
    ]
    if counts:
        terminalreporter.write_line(f"README and docs: {len(counts)} blocks were run, {sum(counts)} commands in them")
