"""The durable writer: a single thread writes every event of every match to the log.

The thread takes all waiting appends, of all matches, into one transaction, and answers their callers after COMMIT, in
order. If a transaction fails, each append is retried in its own, so that a stale append never affects another match.
`unique(match, seq)` is the only lock: an append whose number is taken is `Stale`, and none of it is stored. While
storage fails, the batch is retried; callers are answered once it is stored or certain not to be. If another process
holds the lease, the batch is `Fenced`: this process is no longer the host and never stores anything again.
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
# After a commit of many appends, as many more usually follow: waiting a moment for them saves every second commit.
# Measured with 50 rooms: 45 moves share a commit instead of 25, and a move costs a tenth less.
MANY, GATHER_S = 8, 0.001
FIRST_RETRY_S, LONGEST_RETRY_S = 0.1, 2.0


class Busy(Exception):
    """Too many appends wait. Nothing was stored; try again."""

    sentence = "The server has more moves to store than it can. Nothing was done; try again."


class LedgerClosed(Busy):
    """The ledger has written its last batch. Nothing was stored; the next host continues from the log."""

    sentence = "The server is stopping. Nothing was done; try again when it is back."


Result = tuple[Append, Exception | None]


class Commits:
    """The number of transactions and their total time."""

    def __init__(self) -> None:
        self.count = 0
        self.times = Histogram(COMMIT_BOUNDS)
        self.last = Spread()

    def add(self, seconds: float) -> None:
        self.count += 1
        self.times.add(seconds)
        self.last.add(seconds)


class _Bell:
    """Wakes one thread from another. A thread waiting for a lock also has to wait for the interpreter lock, which its
    waker still holds; a write to a pipe releases it. Measured: 5 to 10 % of the cost of a move.
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
    """One writer in front of a store, in a thread if the store may wait. Call all methods from the loop's thread.

    `on_restored(seconds)` is called on the loop when storage works again after a failure; `on_fenced()` when another
    process turns out to hold the lease, before any caller is answered; `on_death(error)` when a bug has ended the
    writer thread, which must end the process because nothing could be stored any more.
    """

    def __init__(self, store: Store, on_death: Callable[[BaseException], None]) -> None:
        self.store = store
        self.failing = False
        self.fenced = False
        self.on_restored: Callable[[float], None] = lambda seconds: None
        self.on_fenced: Callable[[], None] = lambda: None
        self.commits = Commits()
        self._on_death = on_death
        self.waiting = 0  # appends that are not answered yet
        self._failing_since = 0.0
        self._closing = threading.Event()
        self._closed = False  # the writer has been told to end; later appends would never be answered
        self._pending: deque[Append] = deque()
        self._batch: list[Append] = []
        self._busy = False  # the writer has a batch, or waits a moment for a larger one
        self._results: list[Result] = []
        # Results return to the loop through a pipe too: asyncio's threadsafe call costs two more reads and an
        # exception.
        self._has_batch, self._has_results = _Bell(), _Bell()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._has_results.woken, self._settle)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="arena-log-reader")
        self._writer = threading.Thread(target=self._run, name="arena-ledger", daemon=True)
        if store.waits:
            self._writer.start()

    def append(
        self,
        match: str,
        events: tuple[LogEvent, ...],
        done: Callable[[Exception | None], None],
        before: Sequence[LogEvent] = (),
    ) -> None:
        """Store `events` and call `done`, possibly before this returns. Raises Busy or LedgerClosed with nothing
        stored. `before` are all earlier events, which must not change until `done` is called.
        """
        if self._closed or self.fenced:
            raise LedgerClosed
        if self.waiting >= MOST_WAITING:
            raise Busy
        self.waiting += 1
        self._pending.append(Append(match, events, done, before))
        if self.store.waits:
            self._hand_over()
        else:
            self._write_here()

    def _hand_over(self) -> None:
        """Give the writer a batch if it has none; an empty batch, which only occurs at the end, ends it."""
        if not self._busy:
            self._busy = True
            self._batch = [self._pending.popleft() for _ in range(min(len(self._pending), MOST_IN_A_BATCH))]
            self._closed = not self._batch
            self._has_batch.ring()

    def _write_here(self) -> None:
        """Write at once; appends caused by an answer are written after that answer, not inside it."""
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
        """Accept no more appends: another process holds the lease. Pending ones will not be stored."""
        if not self.fenced:
            self.fenced = True
            self.on_fenced()

    def cut_off(self, is_cut_off: bool) -> None:
        """The database does not answer, or does so again: as if an append failed, although none may be on its way."""
        if is_cut_off:
            self.failing, self._failing_since = True, self._failing_since or time.monotonic()
        elif self._failing_since and not self.waiting:  # else the writer finds out by itself
            since, self._failing_since = self._failing_since, 0.0
            self._restored(since)

    async def read(self, match: str) -> list[LogEvent]:
        """The whole log of a match, empty if there is none."""
        return await self._loop.run_in_executor(self._reader, self.store.read, match)

    async def open_matches(self) -> list[str]:
        """The matches without an ending, oldest first."""
        return await self._loop.run_in_executor(self._reader, self.store.open_matches)

    async def rated_since(self, pair: Pair, since: datetime) -> int:
        """How many rated matches these two players have opened since then."""
        return await self._loop.run_in_executor(self._reader, self.store.rated_since, pair, since)

    async def close(self) -> None:
        """Store pending appends, then end the threads. If storage fails, they are answered with the failure."""
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
        """Report any exception of the writer thread: otherwise matches would hang silently."""
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
        """Write, retrying while storage fails, but not after the ledger is told to close."""
        wait = FIRST_RETRY_S
        while True:
            began = time.monotonic()
            try:
                self.store.write(appends)
                break
            except FAILURES as error:
                self._failing_since = self._failing_since or time.monotonic()
                self._loop.call_soon_threadsafe(self._failed)
                log.error("storage fails, %d appends wait, next try in %.1f s: %s", self.waiting, wait, error)
                if self._closing.wait(wait):
                    raise
            wait = min(wait * 2, LONGEST_RETRY_S)
        self.commits.add(time.monotonic() - began)

    def _end_of_failure(self) -> None:
        """Storage has answered, even if it refused."""
        if self._failing_since and not self._closing.is_set():
            self._loop.call_soon_threadsafe(self._restored, self._failing_since)
            self._failing_since = 0.0

    # -- back on the loop ----------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        self._has_results.wait()
        results, self._results = self._results, []
        if isinstance(results[0][1], Fenced):  # then all results are
            self.fence_off()
        self._tell(results)
        if MANY <= len(results) > len(self._pending):
            self._loop.call_later(GATHER_S, self._rest)
        else:
            self._rest()

    def _tell(self, results: Sequence[Result]) -> None:
        for append, error in results:
            self.waiting -= 1
            try:
                append.done(error)
            except Exception:
                log.exception("match %s: answering after the commit failed", append.match, extra=about(append.match))

    def _rest(self) -> None:
        """Mark the writer as idle, and give it at once what has arrived meanwhile."""
        self._busy = False
        if self._pending or self._closing.is_set():
            self._hand_over()

    def _failed(self) -> None:
        self.failing = True

    def _restored(self, since: float) -> None:
        seconds = time.monotonic() - since  # measured here, as nothing could continue until now
        log.warning("storage works again after %.1f s", seconds)
        self.failing = False
        self.on_restored(seconds)
