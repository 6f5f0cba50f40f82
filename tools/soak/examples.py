"""Every test for which Hypothesis finds examples, with other ones than in `make test` and thirty times as many."""

from __future__ import annotations

import subprocess
import sys

COMMAND = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "--hypothesis-profile",
    "soak",
    "--timeout",
    "3600",
    "-m",
    "hypothesis",
)


def main(arguments: list[str]) -> int:
    """ARGUMENTS: paths of tests, all if there are none, and options of pytest. 1 if a test fails or there is none."""
    return int(subprocess.run([*COMMAND, *arguments]).returncode != 0)
