#!/usr/bin/env python3
"""Claude Code's PostToolUse hook: when an envelope was written, it is checked, and the agent gets the findings.

Claude Code calls it with a JSON object on standard input. Exit code 2 gives what stands on standard error to the agent; any other
but 0 shows it to the person alone. `fcoplint init --claude` puts this file in place and `fcoplint init --claude --undo` takes
it away again.
"""

import json
import os
import subprocess
import sys

FOLDERS = ("/fcop/", "/docs/agents/")
TO_AGENT, TO_PERSON = 2, 1


def main() -> int:
    """Check the file that the tool wrote, where it lies in a workspace."""
    call = json.load(sys.stdin)
    file = os.path.join(call.get("cwd", ""), call.get("tool_input", {}).get("file_path", ""))
    if not any(folder in file.replace(os.sep, "/") for folder in FOLDERS):
        return 0
    command = ["fcoplint", "check", "--color", "never", "--", file]
    try:
        done = subprocess.run(command, cwd=os.path.dirname(file), capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        print(f"fcoplint could not be run, so {file} was not checked: {error.strerror}", file=sys.stderr)
        return TO_PERSON
    if done.returncode == 0:
        return 0
    print(done.stdout + done.stderr, end="", file=sys.stderr)
    # Wrong usage or configuration is nothing that the agent has done.
    return TO_PERSON if done.returncode == 2 else TO_AGENT


if __name__ == "__main__":
    sys.exit(main())
