"""The durable writer: every event of every match goes through one thread into the log.

The thread takes what waits, of all matches, into one transaction, and answers all callers after COMMIT, in order. If a
transaction fails, each append is tried again in one of its own, so a stale append never hurts another match.
`unique(match, seq)` is the only lock: an append whose number is taken is `Stale`, and nothing of it is stored. While
storage fails the batch is tried again and again; nobody is answered until it stands or is known not to. When the lease
is another's the batch is `Fenced`: this process is the host no more, and stores nothing ever again.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from arena.common.logs import about
from arena.common.metrics import COMMIT_BOUNDS, Histogram, Spread
from arena.core.log_statements import Fenced
from arena.core.log_store import FAILURES, Append, Store
from arena.match.quota import Pair
from arena.match.state import LogEvent

log = logging.getLogger("arena.core.ledger")

MOST_IN_A_BATCH = 512
MOST_WAITING = 10_000
# After a commit of many appends as many are on their way: waiting a moment for them saves every second commit. Measured
# with 50 rooms: 45 moves share one in place of 25, and a move costs a tenth less.
MANY, GATHER_S = 8, 0.001
FIRST_RETRY_S, LONGEST_RETRY_S = 0.1, 2.0


class Busy(Exception):
    """More waits than can be kept in order. Nothing was stored; try again."""

    sentence = "The server has more moves to store than it can. Nothing was done; try again."


class LedgerClosed(Busy):
    """The ledger has written its last batch. Nothing was stored; the next host goes on from the log."""

    sentence = "The server is stopping. Nothing was done; try again when it is back."


Result = tuple[Append, Exception | None]


class Commits:
    """How many transactions there were, and what they took."""

    def __init__(self) -> None:
        self.count = 0
        self.times = Histogram(COMMIT_BOUNDS)
        self.last = Spread()

    def add(self, seconds: float) -> None:
        self.count += 1
        self.times.add(seconds)
        self.last.add(seconds)


class _Bell:
    """Wakes one thread from another. Who waits at a lock is woken while the interpreter is taken, and waits for that as
    well; a write to a pipe lets go of it. Measured: 5 to 10 % of what a move costs.
    """

    def __init__(self) -> None:
        self.woken, self._wake = os.pipe()

    def ring(self) -> None:
        os.write(self._wake, b"!")

    def wait(self) -> bool:
        return bool(os.read(self.woken, 1))

    def close(self) -> None:
        os.close(self._wake)
        os.close(self.woken)


class Ledger:
    """One writer in front of a store: a thread, where the store may wait. All methods are for the loop's thread.

    `on_restored(seconds)` is called on the loop when storage works again after it failed; `on_fenced()` when the lease
    is found to be another's, before anybody is answered; `on_death(error)` when the writer thread has ended by a fault
    of ours, which must end the process: nothing could be stored any more.
    """

    def __init__(self, store: Store, on_death: Callable[[BaseException], None]) -> None:
        self.store = store
        self.failing = False
        self.fenced = False
        self.on_restored: Callable[[float], None] = lambda seconds: None
        self.on_fenced: Callable[[], None] = lambda: None
        self.commits = Commits()
        self._on_death = on_death
        self._waiting = 0
        self._failing_since = 0.0
        self._closing = threading.Event()
        self._closed = False  # the writer has been told to end; what comes from now on would never be answered
        self._pending: deque[Append] = deque()
        self._batch: list[Append] = []
        self._busy = False  # the writer has the batch, or waits a moment for a larger one
        self._results: list[Result] = []
        # Back on the loop the same way: its own call from another thread takes two reads and an exception more.
        self._has_batch, self._has_results = _Bell(), _Bell()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._has_results.woken, self._settle)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="arena-log-reader")
        self._writer = threading.Thread(target=self._run, name="arena-ledger", daemon=True)
        if store.waits:
            self._writer.start()

    @property
    def waiting(self) -> int:
        """How many appends have no answer yet."""
        return self._waiting

    def append(
        self,
        match: str,
        events: tuple[LogEvent, ...],
        done: Callable[[Exception | None], None],
        before: Sequence[LogEvent] = (),
    ) -> None:
        """Store `events` and call `done`, maybe before this returns. Raises Busy or Closed, then nothing is stored.

        `before` are all events of the match in front of them; they are not changed until `done` is called.
        """
        if self._closed or self.fenced:
            raise LedgerClosed
        if self._waiting >= MOST_WAITING:
            raise Busy
        self._waiting += 1
        self._pending.append(Append(match, events, done, before))
        if self.store.waits:
            self._hand_over()
        else:
            self._write_here()

    def _hand_over(self) -> None:
        """One batch for the writer, if it has none; an empty one, which there is only at the end, ends it."""
        if not self._busy:
            self._busy = True
            self._batch = [self._pending.popleft() for _ in range(min(len(self._pending), MOST_IN_A_BATCH))]
            self._closed = not self._batch
            self._has_batch.ring()

    def _write_here(self) -> None:
        """At once; but what an answer brings about comes after that answer, and not inside of it."""
        if self._busy:
            return
        self._busy = True
        while self._pending:
            append = self._pending.popleft()
            try:
                self.store.write((append,))
            except Exception as error:
                self._tell([(append, error)])
            except BaseException as error:
                self._died(error)
            else:
                self._tell([(append, None)])
        self._busy = False

    def fence_off(self) -> None:
        """Take nothing more: the lease is another's now. What is on its way will not be stored."""
        if not self.fenced:
            self.fenced = True
            self.on_fenced()

    async def read(self, match: str) -> list[LogEvent]:
        """The whole log of a match, empty where there is none."""
        return await self._loop.run_in_executor(self._reader, self.store.read, match)

    async def open_matches(self) -> list[str]:
        """The matches without an ending, oldest first."""
        return await self._loop.run_in_executor(self._reader, self.store.open_matches)

    async def rated_since(self, pair: Pair, since: datetime) -> int:
        """How many rated matches these two players have opened since then."""
        return await self._loop.run_in_executor(self._reader, self.store.rated_since, pair, since)

    async def close(self) -> None:
        """Store what waits, then end the threads. While storage fails what waits is answered with the failure."""
        self._closing.set()
        self._closed = not self.store.waits
        if self.store.waits:
            self._hand_over()
            await self._loop.run_in_executor(self._reader, self._writer.join)
        await self._loop.run_in_executor(self._reader, self.store.close)
        self._reader.shutdown(wait=False)
        self._loop.remove_reader(self._has_results.woken)
        self._has_batch.close()
        self._has_results.close()

    # -- the writer thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while self._has_batch.wait() and (appends := self._batch):
                self._results = self._write(appends)
                self._end_of_failure()
                self._has_results.ring()
            self.store.close()
        except BaseException as error:
            self._died(error)

    def _died(self, error: BaseException) -> None:
        """Nothing may escape where it is written: matches would hang in silence."""
        log.critical("the ledger's writer has died", exc_info=error)
        self._loop.call_soon_threadsafe(self._on_death, error)

    def _write(self, appends: list[Append]) -> list[Result]:
        try:
            self._insist(appends)
        except Exception as error:
            if len(appends) == 1 or isinstance(error, (Fenced, *FAILURES)):
                return [(append, error) for append in appends]
            return [result for append in appends for result in self._write([append])]
        return [(append, None) for append in appends]

    def _insist(self, appends: list[Append]) -> None:
        """Write, waiting for storage as long as it fails, but not beyond the end."""
        wait = FIRST_RETRY_S
        while True:
            began = time.monotonic()
            try:
                self.store.write(appends)
                break
            except FAILURES as error:
                self._failing_since = self._failing_since or time.monotonic()
                self._loop.call_soon_threadsafe(self._failed)
                log.error("storage fails, %d appends wait, next try in %.1f s: %s", self._waiting, wait, error)
                if self._closing.wait(wait):
                    raise
            wait = min(wait * 2, LONGEST_RETRY_S)
        self.commits.add(time.monotonic() - began)

    def _end_of_failure(self) -> None:
        """Storage has answered, if only with no."""
        if self._failing_since and not self._closing.is_set():
            self._loop.call_soon_threadsafe(self._restored, self._failing_since)
            self._failing_since = 0.0

    # -- back on the loop ----------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        self._has_results.wait()
        results, self._results = self._results, []
        if isinstance(results[0][1], Fenced):  # then all of them are
            self.fence_off()
        self._tell(results)
        if MANY <= len(results) > len(self._pending):
            self._loop.call_later(GATHER_S, self._rest)
        else:
            self._rest()

    def _tell(self, results: Sequence[Result]) -> None:
        for append, error in results:
            self._waiting -= 1
            try:
                append.done(error)
            except Exception:
                log.exception("match %s: answering after the commit failed", append.match, extra=about(append.match))

    def _rest(self) -> None:
        """The writer has nothing to do; it is given at once what has come meanwhile."""
        self._busy = False
        if self._pending or self._closing.is_set():
            self._hand_over()

    def _failed(self) -> None:
        self.failing = True

    def _restored(self, since: float) -> None:
        seconds = time.monotonic() - since  # until the loop hears of it: so long nothing could go on
        log.warning("storage works again after %.1f s", seconds)
        self.failing = False
        self.on_restored(seconds)
