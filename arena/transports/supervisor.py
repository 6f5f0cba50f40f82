"""A small process that outlives ours by a moment, and kills what our children would leave behind.

PDEATHSIG, the kernel's order to die with one's parent, has windows: it comes too late for who gives it after the death
of the parent, a change of the user forgets it, and no fork inherits it. A process in one of these states when we die
goes on forever. The supervisor holds the other end of a pipe, which ends with us, however we die.

It tells children by their session: each leads one, and who starts a child must keep what it starts in it. Who has left
the session *and* lost its parents is out of reach.
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

# One look may miss who is just being forked: several must find nobody.
QUIET_LOOKS = 3
LOOK_S = 0.02
PATIENCE_S = 5.0

_ROOT = Path(__file__).parents[2]
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from arena.transports import supervisor; supervisor.main()"

log = logging.getLogger(__name__)


class Supervisor:
    """The end of it that is ours. None of its calls raises, and only `close` waits.

    That the process died is noticed at the next call, and another one told of everybody.
    """

    def __init__(self) -> None:
        self._guarded: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    @property
    def pid(self) -> int | None:
        """None before the first child."""
        return self._process.pid if self._process is not None else None

    def guard(self, leader: int) -> None:
        """From here on the session of `leader`, a child of ours, does not outlive us."""
        self._guarded.add(leader)
        self._tell(f"+{leader}\n")

    def release(self, leader: int) -> None:
        """To be called before `leader` is reaped: after that its number may be anybody's."""
        self._guarded.discard(leader)
        self._tell(f"-{leader}\n")

    def close(self) -> None:
        """What happens at our end, now: everybody is killed, and the process ends. `guard` begins again."""
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
        """Start one, and tell it of everybody."""
        try:
            self._process = _start()
        except OSError as error:
            log.warning("no supervisor of the child processes can be started: %s", error)
            return
        _write(self._process, "".join(f"+{leader}\n" for leader in self._guarded))


def _start() -> subprocess.Popen[bytes]:
    """A Ctrl-C goes to our group, which it is not in. Its input's other end is inherited by nobody."""
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
    """Killed before its input ends, at which it would kill everybody."""
    assert process.stdin is not None, "asked for"
    process.kill()
    process.stdin.close()
    process.wait()


def _write(process: subprocess.Popen[bytes], text: str) -> bool:
    """Whether it could be told. The pipe holds thousands of lines, and takes one whole or not at all."""
    assert process.stdin is not None, "asked for"
    try:
        os.write(process.stdin.fileno(), text.encode())
    except OSError:
        return False
    return True


# -- in the supervisor's process ---------------------------------------------------------------------------------------


def main() -> None:
    """Nothing but the end of the input ends it: who stops everything at once must not stop it before its server."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_all(guarded(sys.stdin.buffer))


def guarded(lines: Iterable[bytes]) -> set[int]:
    """Those of whom nobody said that they end, when there are no more lines."""
    leaders: set[int] = set()
    for line in lines:
        (leaders.add if line[:1] == b"+" else leaders.discard)(int(line[1:]))
    return leaders


def end_all(leaders: Collection[int]) -> None:
    """Kill until nobody of their sessions is left, or it has taken too long: then nobody can kill them."""
    until = time.monotonic() + PATIENCE_S
    quiet = 0 if leaders else QUIET_LOOKS
    while quiet < QUIET_LOOKS and time.monotonic() < until:
        quiet = 0 if kill_all(*leaders) else quiet + 1
        time.sleep(LOOK_S)
