"""`make test`: everything at once, as far as no step needs another, with all results at the end.

The checks run beside the rest, at a lower priority, because half of the time the tests wait for a process or a clock.
If something is red, everything else still runs to its end, so that one run shows all failures.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pytest import __version__ as version_of_pytest

# Two cores, four at a time: each keeps a browser or servers busy besides itself. Each takes a row of modules, so that
# what a module has in common is made once.
TESTS = ("-q", "-n", "4", "--dist", "worksteal", "--ignore", "tests/test_layers.py")  # the layers are one of the checks


class Step(NamedTuple):
    """A part of the whole; without one that is `needed` the next ones cannot run."""

    name: str
    command: Sequence[str]
    needed: bool = False


def main() -> int:
    make, pytest = os.environ.get("MAKE", "make"), str(Path(sys.executable).with_name("pytest"))
    checks = Step("checks", ("nice", "-n", "5", make, "--no-print-directory", "check"))
    system = Step("programs of the system", (make, "--no-print-directory", "system"), needed=True)
    # In a fresh clone pytest compiles each module of tests, 20 s of processor: once here, not once a worker.
    # If it fails, the tests tell why.
    bytecode = Step("bytecode", ("sh", "-c", f"'{pytest}' --collect-only -q >/dev/null 2>&1 || true"))
    steps = (system, *(() if is_compiled(Path("tests")) else (bytecode,)), Step("tests", (pytest, *TESTS)))
    return run(checks, steps, began=float(os.environ.get("BEGAN", time.time())))


def is_compiled(tests: Path) -> bool:
    """Whether there is bytecode of each module of tests; what has changed since, the workers compile in shares."""
    ending = f"{sys.implementation.cache_tag}-pytest-{version_of_pytest}.pyc"
    return all((path.parent / "__pycache__" / f"{path.stem}.{ending}").exists() for path in tests.rglob("test_*.py"))


def run(beside: Step, steps: Sequence[Step], began: float) -> int:
    """Run the steps one after the other, and `beside` meanwhile; its output follows theirs.

    `began` is when all of it began, in seconds since 1970. Returns 0 if all of them are green, otherwise 1. The last
    line says what took how long, the one before it what is red.
    """
    times, red = {"environment": time.time() - began}, list[str]()
    with tempfile.TemporaryFile() as output:
        # In a session of its own: what interrupts the tests at a keyboard has to end it once, and with all it started.
        other = subprocess.Popen(beside.command, stdout=output, stderr=output, start_new_session=True)
        try:
            for step in steps:
                if _timed(times, step.name, partial(subprocess.call, step.command)):
                    red.append(step.name)
                    if step.needed:
                        return 1
            if _timed(times, f"waiting for the {beside.name}", other.wait):
                red.append(beside.name)
        finally:
            if other.poll() is None:
                os.killpg(other.pid, signal.SIGTERM)
                other.wait()
        output.seek(0)
        print(output.read().decode(errors="replace"), end="")
    if red:
        print(f"RED: {', '.join(red)}")
    took = ", ".join(f"{name} {seconds:.0f}" for name, seconds in times.items())
    print(f"make test took {time.time() - began:.0f} s: {took}", flush=True)
    return 1 if red else 0


def _timed(times: dict[str, float], name: str, act: Callable[[], int]) -> int:
    began = time.time()
    code = act()
    times[name] = time.time() - began
    return code


if __name__ == "__main__":
    sys.exit(main())
