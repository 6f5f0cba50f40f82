"""Page workers: processes that `serve` starts on its own machine, so that pages are made away from the referee.

`serve` binds the port and shares the listening socket; workers accept on it. A worker is a front whose bus is a pair of
Unix sockets (`arena.cluster.front`): it answers by itself what committed rows can answer, and passes everything else
on. So pages reach the host in one way, whatever lies between them.

A worker that dies, does not answer or grows too large is replaced. While none answers, this process accepts by itself:
a visitor never waits for the start of a process.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence

from arena.cluster.bus import Bus, Message
from arena.cluster.bus_transports import SocketTransport
from arena.cluster.relay import Application, Relay, Streams
from arena.transports.own_process import end_with

log = logging.getLogger("arena.cluster.pages")

# What both ends of the pair are called on it.
HOST, WORKER = "host", "worker"
# A worker says so often that it is there, and how much memory it has.
ALIVE_S = 0.5
# Without a word for so long this process accepts as well; for so long it is hung and is killed.
QUIET_S, HUNG_S = 2.0, 10.0
# A start takes a second or two; on a machine with too much to do, longer.
START_S = 30.0
# A worker that serves pages has 90 MB; one with so much more has a leak.
MOST_BYTES = 512 << 20
# For a worker that is to end: its websockets are closed in order, answers finished.
END_S = 4.0
# So much nicer it is than the referee, as the system counts it: where there is not enough processor for both, a page
# takes longer, and a move's answer does not.
GIVES_WAY = 5
# After a worker that could not start, or died at once.
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
LOOK_S = 0.25


class PageWorker:
    """One process that serves pages, as seen by the process that started it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        end: socket.socket,
        application: Application,
        streams: Callable[[Bus], Streams] | None,
    ) -> None:
        self.process = process
        self.bytes = 0
        self.heard_at = time.monotonic()
        self.ready = asyncio.Event()
        self.bus = Bus(SocketTransport(end), self._message, self._broken, HOST)
        self.streams = streams(self.bus) if streams is not None else None
        self.relay = Relay(application, self.bus, self.streams)

    @property
    def serves(self) -> bool:
        """Whether it is ready and was heard from recently."""
        return self.ready.is_set() and not self._silent_for(QUIET_S) and self.process.returncode is None

    def why_not(self) -> str:
        """Why it has to be replaced, "" if it does not."""
        if self.process.returncode is not None:
            return "died"
        if self._silent_for(HUNG_S if self.ready.is_set() else START_S):
            return "does not answer"
        return f"has {self.bytes >> 20} MB" if self.bytes > MOST_BYTES else ""

    def excuse(self, seconds: float) -> None:
        """This process stood still for so long, and could hear nothing meanwhile."""
        self.heard_at = min(self.heard_at + max(0.0, seconds), time.monotonic())

    async def end(self, seconds: float) -> None:
        """Tell it to end; kill it if it has not ended within `seconds`."""
        try:
            await self.relay.close()
            with contextlib.suppress(TimeoutError):
                self.bus.send(WORKER, {"kind": "stop"})
                async with asyncio.timeout(seconds):
                    await self.process.wait()
        finally:  # also if a stop that takes too long cancels this
            if self.process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    self.process.kill()
        await self.process.wait()
        await self.bus.close()

    def _message(self, peer: str, message: Message) -> None:
        if message["kind"] == "alive":
            self.heard_at, self.bytes = time.monotonic(), message["bytes"]
            self.ready.set()
        else:
            self.relay.message(peer, message)

    def _broken(self, peer: str) -> None:
        self.relay.broken(peer)

    def _silent_for(self, seconds: float) -> bool:
        return time.monotonic() - self.heard_at > seconds


class Pages:
    """All page workers of this process. `application` answers what they pass on, `streams` makes what says the rest to
    one of them; `let_others_accept` is the server's.

    `command` starts one: it is given the descriptors of the listening socket and of its end of the pair.
    """

    def __init__(
        self,
        count: int,
        command: Sequence[str],
        application: Application,
        listening: int,
        let_others_accept: Callable[[bool], None],
        streams: Callable[[Bus], Streams] | None = None,
    ) -> None:
        self._count, self._command, self._application, self._streams = count, command, application, streams
        self._listening, self._let_others_accept = listening, let_others_accept
        self.workers: list[PageWorker] = []
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to start them. Until one serves, this process accepts connections itself, so nobody waits."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._keep_one()) for _ in range(self._count)]
        self._tasks.append(loop.create_task(self._look_forever()))

    async def close(self) -> None:
        """End all workers, gracefully where possible: one that has not begun to serve hears nothing yet."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        ending = (worker.end(END_S if worker.ready.is_set() else 0) for worker in self.workers)
        await asyncio.gather(*ending, return_exceptions=True)

    def change_over(self) -> None:
        """This process is no longer the host, or has become it: its workers start over."""
        for worker in self.workers:
            if worker.streams is not None:
                worker.streams.change_over()

    # -- one after the other ---------------------------------------------------------------------------------------

    async def _keep_one(self) -> None:
        wait_s = FIRST_WAIT_S
        while True:
            worker = await self._started()
            if worker is None:
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
                continue
            why = await self._outlived(worker)
            wait_s = FIRST_WAIT_S if worker.ready.is_set() else min(2 * wait_s, LONGEST_WAIT_S)
            log.warning("page worker %d %s; starting another", worker.process.pid, why)
            self._look()
            await worker.end(END_S if worker.serves else 0)
            self.workers.remove(worker)
            if not worker.ready.is_set():
                await asyncio.sleep(wait_s)

    async def _started(self) -> PageWorker | None:
        ours, theirs = socket.socketpair()
        descriptors = self._listening, theirs.fileno()
        try:
            # In a session of its own: Ctrl-C is for this process, and would end one that is starting with a traceback.
            process = await asyncio.create_subprocess_exec(
                *self._command, *map(str, descriptors), str(os.getpid()), pass_fds=descriptors, start_new_session=True
            )
        except OSError as error:
            ours.close()
            log.error("no page worker can be started: %s", error)
            return None
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        worker = PageWorker(process, ours, self._application, self._streams)
        self.workers.append(worker)
        await worker.bus.start()
        return worker

    async def _outlived(self, worker: PageWorker) -> str:
        """Wait until it has to be replaced; returns why."""
        ended = asyncio.ensure_future(worker.process.wait())
        try:
            looked_at = time.monotonic()
            while not (why := worker.why_not()):
                await asyncio.wait([ended], timeout=LOOK_S)
                before, looked_at = looked_at, time.monotonic()
                worker.excuse(looked_at - before - LOOK_S)
            return why
        finally:
            ended.cancel()

    async def _look_forever(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self._look()

    def _look(self) -> None:
        self._let_others_accept(any(worker.serves for worker in self.workers))


def in_the_worker(descriptors: Sequence[str]) -> tuple[int, socket.socket]:
    """What `Pages` gave this process: the listening socket's descriptor, and its end of the pair. It ends when its
    parent says so or ends, not by a signal for the group.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(GIVES_WAY)
    listening, end, parent = map(int, descriptors)
    end_with(parent)
    return listening, socket.socket(fileno=end)


def memory() -> int:
    """The bytes that this process has in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
