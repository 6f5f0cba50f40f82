"""A person at the runner's terminal, as a bot: a program that reads a line of the runner's input when it is asked."""

from __future__ import annotations

import sys

# It reads byte by byte: what comes behind the line is left for the next answer, which may be another person's.
_PROGRAM = """
import os, sys
asks, typed = sys.argv[1] + "\\n", int(sys.argv[2])
for line in sys.stdin:
    answer = b""
    while line == asks and not answer.endswith(b"\\n"):
        byte = os.read(typed, 1)
        if not byte:
            os.write(1, answer)
            sys.exit()
        answer += byte
    os.write(1, answer)
"""


def human(asks: str, typed: int) -> tuple[str, ...]:
    """The command of a person who is asked by the line `asks` and answers on the file `typed`."""
    return (sys.executable, "-I", "-c", _PROGRAM, asks, str(typed))
