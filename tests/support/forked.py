"""Runs the command line in a forked process: real as a process, without importing everything anew."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from fcoplint.checks.registry import all_rules
from fcoplint.cli import main, move, new, recover, relocate
from tests.support.repository import Ran

# What the commands import when they are called is here already in each fork.
WARM = (move, new, recover, relocate)
NOW = "2026-12-01T08:00:00Z"
# Linux: any process of this user may trace the one that says so.
_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)


def run(
    cwd: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    before: Callable[[int], None] | None = None,
    within: Callable[[], None] | None = None,
) -> Ran:
    """Run fcoplint in a folder; `before` gets the process' id before it begins, `within` is called in it."""
    all_rules()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        ready, start = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(start)
            _run_in_child(cwd, args, {"FCOPLINT_NOW": NOW, **(env or {})}, (out.fileno(), err.fileno()), ready, within)
        os.close(ready)
        try:
            if before:
                before(pid)
        finally:
            os.close(start)
            status = os.waitpid(pid, 0)[1]
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    assert "Traceback" not in texts[1], texts[1]
    return Ran(os.waitstatus_to_exitcode(status), *texts)


def _run_in_child(
    cwd: Path, args: tuple[str, ...], environ: Mapping[str, str], output: tuple[int, int], ready: int, within: Callable[[], None] | None
) -> None:
    code = 70
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY, 0, 0, 0)
        os.dup2(output[0], 1)
        os.dup2(output[1], 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        os.chdir(cwd)
        os.environ.update(environ)
        if within:
            within()
        # Nothing comes: it is closed when this process may begin.
        os.read(ready, 1)
        main(list(args), prog_name="fcoplint")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException as error:  # noqa: BLE001 - whatever happens, this process must never go on with the tests
        print("Traceback", repr(error), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
