"""The durable writer: every event of every match goes through one thread into the log.

The thread takes what waits, of all matches, into one transaction, and answers all callers after COMMIT, in order. If a
transaction fails, each append is tried again in one of its own, so a stale append never hurts another match.
`unique(match, seq)` is the only lock: an append whose number is taken is `Stale`, and nothing of it is stored. While
storage fails the batch is tried again and again; nobody is answered until it stands or is known not to.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection, transaction

from arena.log_statements import LogStatements, Statement, carry_out, event_of
from arena.logs import about
from arena.match.quota import Pair
from arena.match.state import Event
from arena.metrics import COMMIT_BOUNDS, Histogram
from arena.models import Match
from arena.ratings import book, pairs

log = logging.getLogger("arena.ledger")

MOST_IN_A_BATCH = 512
MOST_WAITING = 10_000
# After a commit of many appends as many are on their way: waiting a moment for them saves every second commit. Measured
# with 50 rooms: 45 moves share one in place of 25, and a move costs a tenth less.
MANY, GATHER_S = 8, 0.001
FIRST_RETRY_S, LONGEST_RETRY_S = 0.1, 2.0
# What follows from how matches ended: called in the transaction that stores it, on the writer thread, with every
# `ended` and `ruled` event of the batch, in order. If one fails all are undone and logged; the ending itself is stored.
Consequence = Callable[[Sequence[tuple[str, Event]]], None]
CONSEQUENCES: tuple[Consequence, ...] = (book.apply,)
# What a database says that cannot work just now; anything else is an answer.
FAILURES = (OperationalError, InterfaceError)
CLOSING = ("ended", "ruled")


class Stale(Exception):
    """The number after the state's seq is taken: the match has moved on elsewhere. Reload it."""


class Busy(Exception):
    """More waits than can be kept in order. Nothing was stored; try again."""

    sentence = "The server has more moves to store than it can. Nothing was done; try again."


class Closed(Busy):
    """The ledger has written its last batch. Nothing was stored; the next host goes on from the log."""

    sentence = "The server is stopping. Nothing was done; try again when it is back."


class Append(NamedTuple):
    """Events n+1 … n+k of one match. `done` is called on the loop with None, or with what went wrong."""

    match: str
    events: tuple[Event, ...]
    done: Callable[[Exception | None], None]


Result = tuple[Append, Exception | None]


class Store(Protocol):
    """Where the log lies. `write` is called on the writer thread only and is all or nothing.

    It raises Stale where a number is taken by other events, and OperationalError or InterfaceError while storage fails;
    events that are there already, equal to the last field, are a success (a commit whose answer was lost).

    `waits`: writing may take its time. One that neither waits nor fails is written on the loop and at once.
    """

    waits: bool

    def write(self, appends: Sequence[Append]) -> None: ...
    def read(self, match: str) -> list[Event]: ...
    def open_matches(self) -> list[str]: ...
    def rated_since(self, pair: Pair, since: datetime) -> int: ...
    def close(self) -> None: ...


class MemoryStore:
    """The log of matches that need not outlive the process (`manage.py match`)."""

    waits = False

    def __init__(self) -> None:
        self.logs: dict[str, list[Event]] = {}

    def write(self, appends: Sequence[Append]) -> None:
        for append in appends:
            kept = self.logs.get(append.match, [])
            first = append.events[0].seq
            if first != len(kept) + 1 and tuple(kept[first - 1 : first - 1 + len(append.events)]) != append.events:
                raise Stale
        for append in appends:
            first = append.events[0].seq
            self.logs.setdefault(append.match, [])[first - 1 : first - 1 + len(append.events)] = append.events

    def read(self, match: str) -> list[Event]:
        return list(self.logs.get(match, ()))

    def open_matches(self) -> list[str]:
        return [match for match, kept in self.logs.items() if kept[-1].kind not in ("ended", "ruled", "note")]

    def rated_since(self, pair: Pair, since: datetime) -> int:
        return 0  # nobody has played before the process began, and it counts by itself

    def close(self) -> None:
        """Nothing to close."""


class DatabaseStore:
    """The log in the project's database."""

    waits = True

    def __init__(self) -> None:
        self._log = LogStatements()

    def write(self, appends: Sequence[Append]) -> None:
        closing = [(append.match, event) for append in appends for event in append.events if event.kind in CLOSING]
        try:
            self._write(appends, closing)
        except _Inconsequent:
            if len(appends) > 1:
                raise  # each will be tried by itself
            # An ending is worth more than what follows from it, which can be drawn from the log again: `replay`.
            match = appends[0].match
            log.exception("match %s: the consequences of its ending could not be drawn", match, extra=about(match))
            self._write(appends, ())

    def _write(self, appends: Sequence[Append], closing: Sequence[tuple[str, Event]]) -> None:
        statements = self._log.adding((append.match, append.events) for append in appends)
        try:
            with _all_or_nothing(statements):
                carry_out(statements)
                if closing:
                    _draw_consequences(closing)
        except FAILURES:
            connection.close()  # it is not used again: a database that was restarted has forgotten it
            raise
        except DatabaseError:
            if len(appends) > 1 or not self._taken(appends[0]):
                raise

    def _taken(self, append: Append) -> bool:
        """True if just these events are stored already. Raises Stale if others have their numbers."""
        first = append.events[0].seq
        stored = [event for event in self._read(append.match, first) if event.seq < first + len(append.events)]
        if stored and tuple(stored) != append.events:
            raise Stale
        return bool(stored)

    def read(self, match: str) -> list[Event]:
        return self._read(match, 1)

    def _read(self, match: str, first: int) -> list[Event]:
        with _reconnecting(), connection.cursor() as cursor:
            cursor.execute(*self._log.since(match, first))
            return [event_of(row) for row in cursor.fetchall()]

    def open_matches(self) -> list[str]:
        with _reconnecting():
            return list(Match.objects.filter(ended=None).order_by("opened").values_list("id", flat=True))

    def rated_since(self, pair: Pair, since: datetime) -> int:
        with _reconnecting():
            return pairs.rated_since(pair, since)

    def close(self) -> None:
        connection.close()


class _Inconsequent(Exception):
    """What follows from an ending could not be done, for a reason that trying again does not mend."""


def _draw_consequences(closing: Sequence[tuple[str, Event]]) -> None:
    try:
        for consequence in CONSEQUENCES:
            consequence(closing)
    except FAILURES:
        raise
    except Exception as why:
        raise _Inconsequent from why


@contextmanager
def _reconnecting() -> Iterator[None]:
    """A connection that failed is not used again."""
    try:
        yield
    except Error:
        connection.close()
        raise


def _all_or_nothing(statements: Sequence[Statement]) -> AbstractContextManager[Any]:
    """One statement is a transaction by itself: without BEGIN and COMMIT a lone move costs a third less."""
    return transaction.atomic() if len(statements) > 1 else nullcontext()


class Ledger:
    """One writer in front of a store: a thread, where the store may wait. All methods are for the loop's thread.

    `on_restored(seconds)` is called on the loop when storage works again after it failed; `on_death(error)` when the
    writer thread has ended by a fault of ours, which must end the process: nothing could be stored any more.
    """

    def __init__(self, store: Store, on_death: Callable[[BaseException], None]) -> None:
        self.store = store
        self.failing = False
        self.on_restored: Callable[[float], None] = lambda seconds: None
        self.commits = 0
        self.commit_times = Histogram(COMMIT_BOUNDS)
        self._on_death = on_death
        self._waiting = 0
        self._failing_since = 0.0
        self._closing = threading.Event()
        self._closed = False  # the writer has been told to end; what comes from now on would never be answered
        self._pending: deque[Append] = deque()
        self._batch: list[Append] = []
        self._busy = False  # the writer has the batch, or waits a moment for a larger one
        # A byte says that there is a batch. Who waits at a lock is woken while the interpreter is taken, and waits for
        # that as well; a write to a pipe lets go of it. Measured: 5 to 10 % of what a move costs.
        self._woken, self._wake = os.pipe()
        # Back on the loop the same way: its own call from another thread takes two reads and an exception more.
        self._results: list[Result] = []
        self._answered, self._answer = os.pipe()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._answered, self._settle)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="arena-log-reader")
        self._writer = threading.Thread(target=self._run, name="arena-ledger", daemon=True)
        self._pass_on = self._hand_over if store.waits else self._write_here
        if store.waits:
            self._writer.start()

    @property
    def waiting(self) -> int:
        """How many appends have no answer yet."""
        return self._waiting

    def append(self, match: str, events: tuple[Event, ...], done: Callable[[Exception | None], None]) -> None:
        """Store `events` and call `done`, maybe before this returns. Raises Busy or Closed, then nothing is stored."""
        if self._closed:
            raise Closed
        if self._waiting >= MOST_WAITING:
            raise Busy
        self._waiting += 1
        self._pending.append(Append(match, events, done))
        self._pass_on()

    def _hand_over(self) -> None:
        """One batch for the writer, if it has none; an empty one, which there is only at the end, ends it."""
        if not self._busy:
            self._busy = True
            count = min(len(self._pending), MOST_IN_A_BATCH)
            self._batch = [self._pending.popleft() for _ in range(count)]
            self._closed = not count
            os.write(self._wake, b"!")

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

    async def read(self, match: str) -> list[Event]:
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
        self._loop.remove_reader(self._answered)
        for end in (self._wake, self._woken, self._answer, self._answered):
            os.close(end)

    # -- the writer thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while os.read(self._woken, 1) and (appends := self._batch):
                self._results = self._write(appends)
                self._end_of_failure()
                os.write(self._answer, b"!")
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
            if len(appends) == 1 or isinstance(error, FAILURES):
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
        self.commits += 1
        self.commit_times.add(time.monotonic() - began)

    def _end_of_failure(self) -> None:
        """Storage has answered, if only with no."""
        if self._failing_since and not self._closing.is_set():
            self._loop.call_soon_threadsafe(self._restored, self._failing_since)
            self._failing_since = 0.0

    # -- back on the loop ----------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        os.read(self._answered, 1)
        results, self._results = self._results, []
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
