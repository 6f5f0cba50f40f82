"""Every case of the tests of which `make test` runs a sample, and every look of the pages that a browser shows.

`make soak ARGS='cases [PYTEST ARGUMENT ...]'`; without arguments it runs all of both. Fails if a test does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARKED = ("-m", "cases or browser")


def main(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "4", "--dist", "worksteal", *(arguments or MARKED)]
    return subprocess.call(command, cwd=ROOT, env={**os.environ, "ARENA_TEST_SAMPLE": "all"})
