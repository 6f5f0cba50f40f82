"""The stores of the log: in memory, or in the database behind a fence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, Protocol

from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection, transaction

from arena.cluster.lease import Fence
from arena.common.logs import about
from arena.core.log_statements import LogStatements, Statement, carry_out, events_of, is_whole
from arena.core.storage_trouble import state_of
from arena.core.storage_watch import writing
from arena.match.quota import Pair
from arena.match.record import CLOSING, head
from arena.match.state import LogEvent
from arena.models import Match
from arena.ratings import book, pairs
from arena.work import analyses
from arena.work.webhooks import rows as messages

log = logging.getLogger("arena.core.ledger")

# The most time between two statements of a transaction, as PostgreSQL writes it; ours are milliseconds apart.
LONGEST_IDLE = "2s"
# PostgreSQL ended the connection because this process was suspended; it takes no writes, as a standby does.
FOR_NOW = frozenset({"25P03", "25006"})
# Each move of a match goes into the same page of the log's index; this caches those of a thousand matches. Other SQLite
# connections get a quarter of that (settings), because the system caches the file's pages as well.
CACHE_KIB = 2000
# A consequence of how matches ended. It is called in the transaction that stores them, on the writer thread, with every
# `ended` and `ruled` event of the batch, in order. If one fails, all are undone and logged; the ending is still stored.
Consequence = Callable[[Sequence[tuple[str, LogEvent]]], None]
CONSEQUENCES: tuple[Consequence, ...] = (book.apply, analyses.after, messages.after)
# Errors that mean the database does not work at the moment; any other error is an answer.
FAILURES = (OperationalError, InterfaceError)


class Stale(Exception):
    """The number after the state's seq is taken: another process has continued the match. Reload it."""


class Append(NamedTuple):
    """Events n+1 … n+k of one match. `done` is called on the loop with None or the error. `before` are events 1 … n if
    the caller has them: an ending is sealed with the whole log.
    """

    match: str
    events: tuple[LogEvent, ...]
    done: Callable[[Exception | None], None]
    before: Sequence[LogEvent] = ()


class Store(Protocol):
    """Stores the log. `write` is called on the writer thread only and is all or nothing.

    It raises Stale if other events have taken a number, Fenced if another process holds the lease, and OperationalError
    or InterfaceError while storage fails; events that are already stored with equal values are a success (a commit
    whose answer was lost).

    `waits`: writing may take time; a store that neither waits nor fails is written to directly on the loop. `fence`:
    the proof of holding the lease, None if there is no lease.
    """

    waits: bool
    fence: Fence | None

    def write(self, appends: Sequence[Append]) -> None: ...
    def read(self, match: str) -> list[LogEvent]: ...
    def open_matches(self) -> list[str]: ...
    def rated_since(self, pair: Pair, since: datetime) -> int: ...
    def close(self) -> None: ...


class MemoryStore:
    """The log of matches that need not outlive the process (`manage.py match`)."""

    waits = False
    fence: Fence | None = None

    def __init__(self) -> None:
        self.logs: dict[str, list[LogEvent]] = {}

    def write(self, appends: Sequence[Append]) -> None:
        for append in appends:
            kept = self.logs.get(append.match, [])
            first = append.events[0].seq
            if first != len(kept) + 1 and tuple(kept[first - 1 : first - 1 + len(append.events)]) != append.events:
                raise Stale
        for append in appends:
            first = append.events[0].seq
            self.logs.setdefault(append.match, [])[first - 1 : first - 1 + len(append.events)] = append.events

    def read(self, match: str) -> list[LogEvent]:
        return list(self.logs.get(match, ()))

    def open_matches(self) -> list[str]:
        return [match for match, kept in self.logs.items() if kept[-1].kind not in ("ended", "ruled", "note")]

    def rated_since(self, pair: Pair, since: datetime) -> int:
        return 0  # no matches precede this process, which counts its own

    def close(self) -> None:
        """Nothing to close."""


class DatabaseStore:
    """The log in the project's database, for the holder of a lease; without a lease it can only be read."""

    waits = True

    def __init__(self, fence: Fence | None = None) -> None:
        self.fence = fence
        self._log = LogStatements(fence) if fence is not None else _for_readers(connection.vendor)
        self._known: object = None

    def write(self, appends: Sequence[Append]) -> None:
        closing = [(append.match, event) for append in appends for event in append.events if event.kind in CLOSING]
        try:
            self._write(appends, closing)
        except Inconsequent:
            if len(appends) > 1:
                raise  # each will be retried by itself
            # An ending matters more than its consequences, which `replay` can derive from the log again.
            match = appends[0].match
            log.exception("match %s: the consequences of its ending could not be drawn", match, extra=about(match))
            self._write(appends, ())

    def write_within(self, appends: Sequence[Append]) -> None:
        """Write in the caller's transaction, which must be inside `writing`. The caller handles its errors.

        As in `write`, an ending matters more than its consequences. Raises Inconsequent if `appends` has more than one
        entry; they must then be retried one by one.
        """
        closing = [(append.match, event) for append in appends for event in append.events if event.kind in CLOSING]
        self._bound()
        adding = self._log.adding((append.match, append.events) for append in appends)
        carry_out([*adding, *self._seals(appends)])
        if not closing:
            return
        if len(appends) > 1:
            _draw_consequences(closing)
            return
        try:
            with transaction.atomic():
                _draw_consequences(closing)
        except Inconsequent:
            match = appends[0].match
            log.exception("match %s: the consequences of its ending could not be drawn", match, extra=about(match))

    def _write(self, appends: Sequence[Append], closing: Sequence[tuple[str, LogEvent]]) -> None:
        statements = self._log.adding((append.match, append.events) for append in appends)
        try:
            with writing():
                self._bound()
                with _all_or_nothing(statements):
                    carry_out(statements)
                    if closing:
                        carry_out(self._seals(appends))
                        _draw_consequences(closing)
        except FAILURES:
            connection.close()  # not reused, because a restarted database does not know it
            raise
        except DatabaseError as error:
            if _is_for_now(error):
                connection.close()
                raise OperationalError(str(error)) from error.__cause__
            if len(appends) > 1 or not self._taken(appends[0]):
                raise

    def _seals(self, appends: Sequence[Append]) -> list[Statement]:
        """The statements that store the head of each record with its ending, so that later changes of the log show.
        Matches that come whole have it in their row.
        """
        ends = {
            append.match: append
            for append in appends
            if any(event.kind in CLOSING for event in append.events) and not is_whole(append.events)
        }
        return [self._log.seal(match, head(match, self._whole(append))) for match, append in sorted(ends.items())]

    def _whole(self, append: Append) -> Sequence[LogEvent]:
        """The log of a match including the events being stored. No other process can have written the earlier ones,
        because their numbers belonged to this process.
        """
        if len(append.before) + 1 == append.events[0].seq:
            return [*append.before, *append.events]
        return self._read(append.match, 1)

    def _bound(self) -> None:
        """Set limits and caches of the connection once. A process stopped in the middle of a transaction would hold the
        lease's row, so PostgreSQL ends such a transaction. SQLite gives the writer a larger cache.
        """
        connection.ensure_connection()
        if connection.connection is not self._known:
            self._known = connection.connection
            with connection.cursor() as cursor:
                if connection.vendor == "postgresql":
                    cursor.execute(f"SET idle_in_transaction_session_timeout = '{LONGEST_IDLE}'")
                else:
                    cursor.execute(f"PRAGMA cache_size = -{CACHE_KIB}")

    def _taken(self, append: Append) -> bool:
        """True if exactly these events are already stored. Raises Stale if other events have their numbers."""
        first = append.events[0].seq
        stored = [event for event in self._read(append.match, first) if event.seq < first + len(append.events)]
        if stored and tuple(stored) != append.events:
            raise Stale
        return bool(stored)

    def read(self, match: str) -> list[LogEvent]:
        return self._read(match, 1)

    def read_on(self, match: str, first: int) -> list[LogEvent]:
        """The events of a match from number `first` on."""
        return self._read(match, first)

    def _read(self, match: str, first: int) -> list[LogEvent]:
        with _reconnecting(), connection.cursor() as cursor:
            cursor.execute(*self._log.since(match, first))
            return events_of(cursor.fetchall(), first)

    def open_matches(self) -> list[str]:
        with _reconnecting():
            return list(Match.objects.filter(ended=None).order_by("opened").values_list("id", flat=True))

    def rated_since(self, pair: Pair, since: datetime) -> int:
        with _reconnecting():
            return pairs.rated_since(pair, since)

    def close(self) -> None:
        connection.close()


@cache
def _for_readers(vendor: str) -> LogStatements:
    """To make them takes fifteen times as long as to read a move, and a front reads each move by itself."""
    return LogStatements(None)


class Inconsequent(Exception):
    """The consequences of an ending failed for a reason that retrying does not fix."""


def _draw_consequences(closing: Sequence[tuple[str, LogEvent]]) -> None:
    try:
        for consequence in CONSEQUENCES:
            consequence(closing)
    except FAILURES:
        raise
    except Exception as why:
        if _is_for_now(why):
            raise OperationalError(str(why)) from why.__cause__
        raise Inconsequent from why


def _is_for_now(error: BaseException) -> bool:
    """Whether this statement has no answer yet, although PostgreSQL does not call that an operational error."""
    return state_of(error) in FOR_NOW


@contextmanager
def _reconnecting() -> Iterator[None]:
    """Close a connection that fails, so that it is not reused."""
    try:
        yield
    except Error:
        connection.close()
        raise


def _all_or_nothing(statements: Sequence[Statement]) -> AbstractContextManager[Any]:
    """A transaction for several statements. A single one needs none, which makes a move a third cheaper."""
    return transaction.atomic() if len(statements) > 1 else nullcontext()
