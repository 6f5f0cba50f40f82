from __future__ import annotations

import subprocess
import sys

import pytest

from tests.kit.deadline import DEADLINE_S
from tests.kit.preloading import ROOT

# Neither an exception nor a signal ends this one, as it is with what an event loop keeps for itself.
HANGS = """
import asyncio
from tests.kit.last_resort import LastResort, standard_error

async def waits_for_nothing():
    while True:
        try:
            await asyncio.Event().wait()
        except BaseException:
            pass

last_resort = LastResort(0.2, standard_error())
with last_resort.over("test_that_is_over"):
    pass
with last_resort.over("test_that_hangs"):
    asyncio.run(waits_for_nothing())
"""


@pytest.mark.long
def test_a_test_that_nothing_else_ends_is_ended_and_says_where_it_was() -> None:
    command = [sys.executable, "-c", HANGS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S)
    assert run.returncode == 1
    assert "test_that_hangs hangs for more than" in run.stderr and "test_that_is_over" not in run.stderr
    assert "in run_until_complete" in run.stderr, "the stack of the thread"
    assert "in waits_for_nothing" in run.stderr, "the stack of the task"
