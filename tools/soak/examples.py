"""Every test for which Hypothesis finds examples, with other examples than in `make test` and thirty times as many."""

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
    """`arguments`: paths of tests (default: all) and options of pytest. Returns 1 if a test fails or none is found."""
    return int(subprocess.run([*COMMAND, *arguments]).returncode != 0)
