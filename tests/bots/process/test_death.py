"""Why a bot stopped, from what is left of it."""

from __future__ import annotations

import pytest

from arena.bots.process.cgroups import Events
from arena.bots.process.death import why_it_died

NOTHING = Events()


@pytest.mark.parametrize(
    ("exit_status", "events", "stderr", "termination", "reason"),
    [
        (0, NOTHING, b"", "crash", "exit code 0"),
        (3, NOTHING, b"no idea", "crash", "exit code 3"),
        (-11, NOTHING, b"", "crash", "killed by SIGSEGV"),
        (139, NOTHING, b"", "crash", "killed by SIGSEGV"),
        (137, NOTHING, b"", "crash", "killed by SIGKILL"),
        (137, Events(killed_for_memory=1), b"", "resource_limit", "memory"),
        (-9, Events(killed_for_memory=1), b"", "resource_limit", "memory"),
        (1, Events(killed_for_memory=1), b"a worker is gone", "resource_limit", "memory"),
        (1, NOTHING, b"Traceback ...\nMemoryError\n", "resource_limit", "memory"),
        (134, NOTHING, b"terminate called after throwing an instance of 'std::bad_alloc'", "resource_limit", "memory"),
        (134, NOTHING, b"FATAL ERROR: ... JavaScript heap out of memory", "resource_limit", "memory"),
        (1, NOTHING, b"java.lang.OutOfMemoryError: Java heap space", "resource_limit", "memory"),
        (0, NOTHING, b"caught a MemoryError, playing on", "crash", "exit code 0"),
        (152, NOTHING, b"", "resource_limit", "cpu"),
        (-24, NOTHING, b"", "resource_limit", "cpu"),
        (153, NOTHING, b"", "resource_limit", "file size"),
        (1, Events(refused_processes=2), b"", "crash", "exit code 1 after it was refused more processes"),
        (
            1,
            NOTHING,
            b"BlockingIOError: [Errno 11] Resource temporarily unavailable",
            "crash",
            "exit code 1 after it was refused more processes",
        ),
        (200, NOTHING, b"", "crash", "exit code 200"),
    ],
)
def test_the_end_has_a_name(exit_status: int, events: Events, stderr: bytes, termination: str, reason: str) -> None:
    assert why_it_died(exit_status, events, stderr) == (termination, reason)
