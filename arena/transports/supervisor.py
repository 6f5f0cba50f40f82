"""A small process that outlives ours by a moment, and kills what our children would leave behind.

PDEATHSIG, with which the kernel kills a process when its parent dies, has gaps: it has no effect if requested after the
death of the parent, a change of the user clears it, and no fork inherits it. A process in one of these states when we
die would run forever.

The supervisor holds the other end of a pipe, which ends with us, however we die. It knows children by their session:
each leads one, and must keep its own children in it. A process that has left the session *and* lost its parents is out
of reach.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from arena.transports.process_tree import kill_all

# One look may miss a process that is just being forked: several must find none.
QUIET_LOOKS = 3
LOOK_S = 0.02
PATIENCE_S = 5.0

_ROOT = Path(__file__).parents[2]
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from arena.transports import supervisor; supervisor.main()"

log = logging.getLogger(__name__)


class Supervisor:
    """Our end of the supervisor. No call raises, and only `close` waits.

    If the process has died, the next call notices it, starts another one and tells it of all children.
    """

    def __init__(self) -> None:
        self._guarded: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """The process id, None before the first child."""
        return self._process.pid if self._process is not None else None

    def guard(self, leader: int) -> None:
        """From now on the session of `leader`, a child of ours, will not outlive us."""
        self._guarded.add(leader)
        self._tell(f"+{leader}\n")

    def release(self, leader: int) -> None:
        """Call this before `leader` is reaped: after that its id may be reused."""
        self._guarded.discard(leader)
        self._tell(f"-{leader}\n")

    def close(self) -> None:
        """Do now what would happen at our end: kill all children and end the process. `guard` begins again."""
        process, self._process = self._process, None
        self._guarded.clear()
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            process.wait(2 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            _end(process)

    def _tell(self, line: str) -> None:
        if self._process is not None and not _write(self._process, line):
            log.warning("the supervisor of the child processes died or stands still: starting another")
            _end(self._process)
            self._process = None
        if self._process is None:
            self._begin()

    def _begin(self) -> None:
        """Start a supervisor, and tell it of all children."""
        try:
            self._process = _start()
        except OSError as error:
            log.warning("no supervisor of the child processes can be started: %s", error)
            return
        _write(self._process, "".join(f"+{leader}\n" for leader in self._guarded))


def _start() -> subprocess.Popen[bytes]:
    """A Ctrl-C goes to our group, to which it does not belong. Nobody inherits the other end of its input."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _PROGRAM, str(_ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdin is not None, "asked for"
    os.set_blocking(process.stdin.fileno(), False)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it before its input ends, or it would kill all children."""
    assert process.stdin is not None, "asked for"
    process.kill()
    process.stdin.close()
    process.wait()


def _write(process: subprocess.Popen[bytes], text: str) -> bool:
    """Write a line if possible: the pipe holds thousands, and takes each whole or not at all."""
    assert process.stdin is not None, "asked for"
    try:
        os.write(process.stdin.fileno(), text.encode())
    except OSError:
        return False
    return True


# -- in the supervisor's process ---------------------------------------------------------------------------------------


def main() -> None:
    """Only the end of the input ends it: a signal to all processes must not stop it before its server."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_all(guarded(sys.stdin.buffer))


def guarded(lines: Iterable[bytes]) -> set[int]:
    """The leaders that were not released when there are no more lines."""
    leaders: set[int] = set()
    for line in lines:
        (leaders.add if line[:1] == b"+" else leaders.discard)(int(line[1:]))
    return leaders


def end_all(leaders: Collection[int]) -> None:
    """Kill until their sessions are empty, or until it has taken too long: then they cannot be killed."""
    until = time.monotonic() + PATIENCE_S
    quiet = 0 if leaders else QUIET_LOOKS
    while quiet < QUIET_LOOKS and time.monotonic() < until:
        quiet = 0 if kill_all(*leaders) else quiet + 1
        time.sleep(LOOK_S)
