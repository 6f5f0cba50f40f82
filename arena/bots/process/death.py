"""Why a bot in the sandbox stopped, from its exit status, its control group and its last output."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

from arena.bots.process.cgroups import Events

# The last output of programs that ran out of memory: Python, C++, C, Node, Java, Go.
_NO_MEMORY = re.compile(
    rb"MemoryError|std::bad_alloc|[Cc]annot allocate memory|heap out of memory|OutOfMemoryError|out of memory"
)
_NO_PROCESS = re.compile(rb"Resource temporarily unavailable|unable to create native thread|can't start new thread")
_BY_SIGNAL = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "file size"}


class Death(NamedTuple):
    """A termination (`crash` or `resource_limit`) and its reason: `memory`, `cpu`, `file size`, or the exit."""

    termination: str
    reason: str


def why_it_died(exit_status: int, events: Events, stderr: bytes) -> Death:
    """`exit_status` is minus a signal or an exit code; Bubblewrap reports a bot's signal as 128 plus its number."""
    number = _signal(exit_status)
    if number in _BY_SIGNAL:
        return Death("resource_limit", _BY_SIGNAL[number])
    if exit_status and (events.killed_for_memory or _NO_MEMORY.search(stderr)):
        return Death("resource_limit", "memory")
    words = f"exit code {exit_status}" if number is None else f"killed by {number.name}"
    if exit_status and (events.refused_processes or _NO_PROCESS.search(stderr)):
        words += " after it was refused more processes"
    return Death("crash", words)


def _signal(exit_status: int) -> signal.Signals | None:
    number = -exit_status if exit_status < 0 else exit_status - 128
    try:
        return signal.Signals(number)
    except ValueError:
        return None
