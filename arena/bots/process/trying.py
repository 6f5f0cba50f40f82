"""Whether a program starts: it is started once in the sandbox, until it waits for input.

Without Django, because the processes of workers have none.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from arena.bots.failure.evidence import last_error
from arena.bots.process.death import why_it_died
from arena.bots.process.launch import Launch
from arena.play.meaning import STDERR_SHOWN, Looks, shown_stderr, stopped
from arena.transports.process_tree import kill_all
from arena.transports.reading import waits_for_input

# A program that has neither ended nor waited for input by then counts as started.
TRIAL_S = 3.0


def tried(launch: Launch, folder: Path) -> str:
    """Start it once. Returns why it did not start, "" if it did; nothing of it is left."""
    try:
        return _watched(launch, folder)
    finally:
        launch.release_now()


def _watched(launch: Launch, folder: Path) -> str:
    with launch.popen(folder, subprocess.PIPE, subprocess.DEVNULL, subprocess.PIPE) as process:
        try:
            said, status = _until_it_waits(process)
        finally:
            kill_all(process.pid)
    if status is None:
        return ""
    death = why_it_died(status, launch.events(), said)
    ended = stopped(death.reason) if death.termination == "crash" else f"went over a limit: {death.reason}"
    last = last_error(shown_stderr(said))
    return f"it {ended} before it waited for input" + (f" ({last})" if last else "")


def _until_it_waits(process: subprocess.Popen[bytes]) -> tuple[bytes, int | None]:
    """Wait until the process waits for input, has ended, or has had its time. Returns the last that it said on standard
    error, and its exit status if it has ended.
    """
    assert process.stderr is not None, "asked for"
    looks, said, deadline = Looks(), b"", time.monotonic() + TRIAL_S
    os.set_blocking(process.stderr.fileno(), False)
    while (status := process.poll()) is None and time.monotonic() < deadline:
        if more := process.stderr.read():
            said = (said + more)[-STDERR_SHOWN:]
        elif looks.waits(waits_for_input(process.pid)):
            break
        else:
            time.sleep(looks.pause_s)
    return said + (process.stderr.read() or b""), status
