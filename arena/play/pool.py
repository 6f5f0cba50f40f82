"""Matches on several cores: processes that each play a part of a spec and only exchange JSON.

Each is a fork that knows only its part. It reports events in lines: `listening`, `started` and `ended` with a match's
log, `failed` with a reason, `done`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from arena.match.ids import LANES, Ids
from arena.play import early
from arena.play.driver import Log, Watcher, play
from arena.play.spec import SocketSeat, Spec
from arena.play.start import keeper
from arena.transports.process import words_of

READ_SIZE = 256 * 1024
# Large enough that a process does not wait for us while its bots' clocks run, unless we are far behind.
PIPE_SIZE = 1024 * 1024
F_SETPIPE_SZ = 1031
# How long a stopped process may take to end its bots, and how often it is told again: an exception that a signal raises
# during a fork is lost.
STOP_S, AGAIN_S = 10.0, 0.5


# Processes that die are replaced, unless this many in a row die before one of their matches has ended.
MOST_DEATHS = 3


class PoolBroke(ChildProcessError):
    """A process of the pool has ended, and its matches with it. The message says how."""


def play_on(processes: int, spec: Spec, watcher: Watcher) -> None:
    """Play the spec on this many processes, and tell the watcher of starts and ends. Unfinished rounds of a process
    that died are played again by another.

    Raises OSError if a port is taken, PoolBroke if processes die repeatedly, and exceptions of the watcher. In any
    case, no process is left.
    """
    keeper.begin()
    workers: list[_PartWorker] = []
    try:
        for lane, part in enumerate(parts_of(spec, processes), os.getpid()):  # another command has other lanes
            workers.append(_PartWorker(part, lane % LANES))
        _attend(workers, watcher)
    finally:
        _stop(workers)
        keeper.close()


def parts_of(spec: Spec, processes: int) -> Iterator[Spec]:
    """A spec for each process: its rounds, and its share of the concurrency."""
    for number, rounds in enumerate(_dealt(spec.rounds, processes)):
        at_once = spec.concurrency // processes + (number < spec.concurrency % processes)
        if at_once and rounds:
            yield spec._replace(concurrency=at_once, only=tuple(rounds))


def _dealt(rounds: int, processes: int) -> list[list[int]]:
    """The rounds of each process, equally many. Pairs, which count together, stay together: in two processes one half
    may be played long before the other. Only the last are split, where a process would otherwise have no round.
    """
    dealt, begun = [list[int]() for _ in range(processes)], 0
    while begun < rounds:
        left = rounds - begun
        for number, mine in enumerate(dealt):
            taken = min(2, len(range(number, left, processes)))
            mine += range(begun + 1, begun + 1 + taken)
            begun += taken
    return dealt


class PoolWorker:
    """One process that does `work`, and the lines it sends. It inherits only the files in `keeps`."""

    def __init__(self, work: Callable[[Teller], None], keeps: Sequence[int] = ()) -> None:
        self.lines, theirs = os.pipe()
        self.done = False
        self.unread: list[dict[str, Any]] = []
        self._begun = b""
        self.pid = os.fork()
        if not self.pid:
            try:
                keep_open({0, 1, 2, theirs, *keeper.files, *keeps})
                _work(work, theirs)
            finally:
                os._exit(1)
        keeper.guard(self.pid, b"!")
        os.close(theirs)

    def read(self) -> list[dict[str, Any]] | None:
        """The next lines it has sent, None at its end."""
        data = os.read(self.lines, READ_SIZE)
        *lines, self._begun = (self._begun + data).split(b"\n")
        return [json.loads(line) for line in lines] if data else None

    def stop(self) -> None:
        if not self.done:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def reap(self) -> str:
        """Wait until it ends, and say how. Lines that were not read before are then in `unread`."""
        ended = os.pidfd_open(self.pid)
        try:
            until = time.monotonic() + STOP_S
            while not select.select([ended], [], [], AGAIN_S)[0]:
                if time.monotonic() < until:
                    self.stop()
                else:  # its keeper ends its bots
                    os.kill(self.pid, signal.SIGKILL)
            while (told := self.read()) is not None:
                self.unread += told
        finally:
            os.close(ended)
            os.close(self.lines)
        keeper.release(self.pid)
        _, status = os.waitpid(self.pid, 0)
        return words_of(os.waitstatus_to_exitcode(status))


class _PartWorker(PoolWorker):
    """Plays a part of a spec. `left` are the rounds whose end has not been reported, `lane` is that of its ids."""

    def __init__(self, part: Spec, lane: int, deaths: int = 0) -> None:
        self.part, self.left, self.lane, self.deaths = part, set(part.only), lane, deaths
        super().__init__(partial(_play_part, json.dumps(part.to_data()), lane), early.files())

    def again(self) -> _PartWorker:
        """A new process for the rounds that this one has left."""
        return _PartWorker(self.part._replace(only=tuple(sorted(self.left))), self.lane, self.deaths)


def _attend(workers: list[_PartWorker], watcher: Watcher) -> None:
    """Pass reports on to the watcher, until all processes are done."""
    by_fd, poll = {worker.lines: worker for worker in workers}, select.poll()
    for fd in by_fd:
        poll.register(fd, select.POLLIN)
    while by_fd:
        for fd, _ in poll.poll():
            worker = by_fd[fd]
            told = worker.read()
            for line in told or ():
                _tell(line, worker, watcher)
            if told is None:
                poll.unregister(fd)
                del by_fd[fd]
                if not worker.done and (other := _in_place_of(worker, workers)) is not None:
                    by_fd[other.lines] = other
                    poll.register(other.lines, select.POLLIN)


def _in_place_of(worker: _PartWorker, workers: list[_PartWorker]) -> _PartWorker | None:
    """A new process for one that died; None if it had no rounds left. Raises PoolBroke."""
    workers.remove(worker)
    how = worker.reap()
    worker.deaths += 1
    if worker.deaths >= MOST_DEATHS or any(isinstance(seat, SocketSeat) for seat in worker.part.seats):
        raise PoolBroke(f"a process that plays matches has ended ({how}), and its matches with it")
    if not worker.left:
        return None
    workers.append(other := worker.again())
    return other


def _tell(line: dict[str, Any], worker: _PartWorker, watcher: Watcher) -> None:
    match line:
        case {"listening": seat}:
            watcher.listening(SocketSeat(seat[0], seat[1], tuple(seat[2])))
        case {"started": log}:
            watcher.started(Log.from_data(log))
        case {"ended": log}:
            ended = Log.from_data(log)
            worker.left.discard(ended.state.setup.round)
            worker.deaths = 0
            watcher.ended(ended)
        case {"failed": why}:
            worker.done = True
            raise OSError(why)
        case {"done": _}:
            worker.done = True


def _stop(workers: list[_PartWorker]) -> None:
    for worker in workers:
        worker.stop()
    while workers:
        workers.pop().reap()


def keep_open(files: Collection[int]) -> None:
    """In a fork, give up all other files, which belong to the parent. Their numbers stay taken, by a file that is
    nothing: an object of the parent that is forgotten here closes its number.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd not in files and fd != nothing:
            try:
                os.dup2(nothing, fd, inheritable=False)
            except OSError:  # inherited from before `ulimit -n` was lowered: no file of ours gets that number
                with suppress(OSError):  # that of this list, which is closed
                    os.close(fd)


# -- in a process of the pool ------------------------------------------------------------------------------------------


class Teller(Watcher):
    """Sends events as lines."""

    def __init__(self, lines: int) -> None:
        self._lines = lines

    def tell(self, **told: Any) -> None:
        data = memoryview(json.dumps(told).encode() + b"\n")
        while data:
            data = data[os.write(self._lines, data) :]

    def listening(self, seat: SocketSeat) -> None:
        self.tell(listening=list(seat))

    def started(self, log: Log) -> None:
        self.tell(started=log.to_data())

    def ended(self, log: Log) -> None:
        self.tell(ended=log.to_data())


def _play_part(part: str, lane: int, teller: Teller) -> None:
    play(Spec.from_data(json.loads(part)), teller, ids=Ids(lane))


def _work(work: Callable[[Teller], None], lines: int) -> None:
    """Do the work. When stopped, it ends its bots first; if we die, our keeper ends it, and its own ends its bots."""
    import fcntl

    os.setsid()  # keeps Ctrl-C for our own process
    keeper.tell(b"!%d\n" % os.getpid())
    keeper.forget()
    signal.signal(signal.SIGTERM, _interrupt)
    with suppress(OSError):
        fcntl.fcntl(lines, F_SETPIPE_SZ, PIPE_SIZE)
    teller = Teller(lines)
    try:
        work(teller)
        teller.tell(done=True)
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    except OSError as why:
        teller.tell(failed=str(why))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
