"""Where the log lies: in memory, or in the database behind a fence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection, transaction

from arena.cluster.lease import Fence
from arena.common.logs import about
from arena.core.log_statements import LogStatements, Statement, carry_out, event_of
from arena.core.storage_watch import writing
from arena.match.quota import Pair
from arena.match.record import CLOSING, head
from arena.match.state import LogEvent
from arena.models import Match
from arena.ratings import book, pairs
from arena.work import analyses
from arena.work.webhooks import rows as messages

log = logging.getLogger("arena.core.ledger")

# Between two statements of a transaction, as PostgreSQL writes it; ours follow each other within milliseconds.
LONGEST_IDLE, IDLE_TOO_LONG = "2s", "25P03"
# Each move of a match goes into the same page of the log's index: those of a thousand matches stay at hand. Other
# connections to SQLite have a quarter of that (settings), because the system has the pages of the file in memory too.
CACHE_KIB = 2000
# What follows from how matches ended: called in the transaction that stores it, on the writer thread, with every
# `ended` and `ruled` event of the batch, in order. If one fails all are undone and logged; the ending itself is stored.
Consequence = Callable[[Sequence[tuple[str, LogEvent]]], None]
CONSEQUENCES: tuple[Consequence, ...] = (book.apply, analyses.after, messages.after)
# What a database says that cannot work just now; anything else is an answer.
FAILURES = (OperationalError, InterfaceError)


class Stale(Exception):
    """The number after the state's seq is taken: the match has moved on elsewhere. Reload it."""


class Append(NamedTuple):
    """Events n+1 … n+k of one match. `done` is called on the loop with None, or with what went wrong.

    `before` are the events 1 … n, where whoever appends has them: an ending is sealed with the whole log, which is
    read where they are missing.
    """

    match: str
    events: tuple[LogEvent, ...]
    done: Callable[[Exception | None], None]
    before: Sequence[LogEvent] = ()


class Store(Protocol):
    """Where the log lies. `write` is called on the writer thread only and is all or nothing.

    It raises Stale where a number is taken by other events, Fenced where the lease is another's, and OperationalError
    or InterfaceError while storage fails; events that are there already, equal to the last field, are a success (a
    commit whose answer was lost).

    `waits`: writing may take its time. One that neither waits nor fails is written on the loop and at once. `fence`:
    what its holder shows, None where there is no lease.
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
        return 0  # nobody has played before the process began, and it counts by itself

    def close(self) -> None:
        """Nothing to close."""


class DatabaseStore:
    """The log in the project's database, for the holder of a lease; without one it can only be read."""

    waits = True

    def __init__(self, fence: Fence | None = None) -> None:
        self.fence = fence
        self._log = LogStatements(fence)
        self._known: object = None

    def write(self, appends: Sequence[Append]) -> None:
        closing = [(append.match, event) for append in appends for event in append.events if event.kind in CLOSING]
        try:
            self._write(appends, closing)
        except Inconsequent:
            if len(appends) > 1:
                raise  # each will be tried by itself
            # An ending is worth more than what follows from it, which can be drawn from the log again: `replay`.
            match = appends[0].match
            log.exception("match %s: the consequences of its ending could not be drawn", match, extra=about(match))
            self._write(appends, ())

    def write_within(self, appends: Sequence[Append]) -> None:
        """Write in a transaction of the caller, which `writing` stands around. What goes wrong there is the caller's.

        As in `write` an ending is worth more than what follows from it. Raises Inconsequent for more than one, which
        are to be tried one by one.
        """
        closing = [(append.match, event) for append in appends for event in append.events if event.kind in CLOSING]
        self._bound()
        adding = self._log.adding((append.match, append.events) for append in appends)
        carry_out([*adding, *self._seals(appends)])
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
            connection.close()  # it is not used again: a database that was restarted has forgotten it
            raise
        except DatabaseError as error:
            if _was_idle(error):
                connection.close()
                raise OperationalError(str(error)) from error
            if len(appends) > 1 or not self._taken(appends[0]):
                raise

    def _seals(self, appends: Sequence[Append]) -> list[Statement]:
        """What keeps the head of each record with its ending: a later change of the log leaves it behind."""
        ends = {append.match: append for append in appends if any(event.kind in CLOSING for event in append.events)}
        return [self._log.seal(match, head(match, self._whole(append))) for match, append in sorted(ends.items())]

    def _whole(self, append: Append) -> Sequence[LogEvent]:
        """The log of a match with what is being stored. Nobody else has written the events that stand before it: their
        numbers were this process's own.
        """
        if len(append.before) + 1 == append.events[0].seq:
            return [*append.before, *append.events]
        return self._read(append.match, 1)

    def _bound(self) -> None:
        """Who is stopped in the middle of a transaction holds the row of the lease: PostgreSQL takes it away. SQLite
        keeps more of the log in memory for the writer than for others.
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
        """True if just these events are stored already. Raises Stale if others have their numbers."""
        first = append.events[0].seq
        stored = [event for event in self._read(append.match, first) if event.seq < first + len(append.events)]
        if stored and tuple(stored) != append.events:
            raise Stale
        return bool(stored)

    def read(self, match: str) -> list[LogEvent]:
        return self._read(match, 1)

    def read_on(self, match: str, first: int) -> list[LogEvent]:
        """The events from number `first` on."""
        return self._read(match, first)

    def _read(self, match: str, first: int) -> list[LogEvent]:
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


class Inconsequent(Exception):
    """What follows from an ending could not be done, for a reason that trying again does not mend."""


def _draw_consequences(closing: Sequence[tuple[str, LogEvent]]) -> None:
    try:
        for consequence in CONSEQUENCES:
            consequence(closing)
    except FAILURES:
        raise
    except Exception as why:
        if _was_idle(why):
            raise OperationalError(str(why)) from why
        raise Inconsequent from why


def _was_idle(error: BaseException) -> bool:
    """Whether PostgreSQL has ended the connection because this process stood still: no answer to what was asked."""
    return getattr(error.__cause__, "sqlstate", "") == IDLE_TOO_LONG


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
