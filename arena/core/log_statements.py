"""The log of matches as SQL, made once from the models: through the ORM a move costs ten times as much.

The rows of a match and its seats repeat its events: `opened` makes them, `started` and `ended` are copied in, and
`ruled` is a row of its own.

Events are written behind a fence: the statement that inserts them finds the lease with the number of this host, or no
row is inserted, and the statements after it are never run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Field, Model

from arena.cluster.lease import Fence
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event, Lease, Match, Ruling, Seat

MATCH_FIELDS = (
    *("id", "opened", "room_id", "series", "round", "variant", "settings", "clock", "rated"),
    *("rules", "reason", "plies", "pairing_id", "kind"),
)
SEAT_FIELDS = ("match_id", "seat", "player_id", "name", "kind", "protocol", "level", "verified", "holder")
RULING_FIELDS = ("match_id", "n", "verdict", "winner", "reason", "actor", "at")
RULES = 1
# Of a seat what stays as its log has it: players may be gone, and what proves a seat is in no log.
REPEATED_OF_SEAT = ("name", "kind", "protocol", "level", "verified")

# The columns of the log that hold an event; the last one is the number of the host that wrote it.
EVENT_FIELDS = ("match_id", *LogEvent._fields)

_compact = json.JSONEncoder(separators=(",", ":")).encode

Values = tuple[Any, ...]


class Fenced(Exception):
    """The lease is another's now: nothing was stored, and nothing will be."""


class Statement(NamedTuple):
    """`rows`: so many it writes behind a fence, or this process is fenced."""

    sql: str
    values: Values
    rows: int = 0


class LogStatements:
    """The statements of the log for the default database. Times are stored as Django stores them.

    Without a `fence` the log can be read, and what repeats it rewritten.
    """

    def __init__(self, fence: Fence | None) -> None:
        assert _columns(Event) == [*EVENT_FIELDS, "epoch"], "the columns of the log are the fields of an event"
        self._stamp = as_sqlite_text if connection.vendor == "sqlite" else connection.ops.adapt_datetimefield_value
        self._insert_events = Insert(Event, EVENT_FIELDS, fence) if fence is not None else None
        self._insert_matches = Insert(Match, MATCH_FIELDS)
        self._insert_seats = Insert(Seat, SEAT_FIELDS)
        self._insert_rulings = Insert(Ruling, RULING_FIELDS)
        self._copy_started = _update(Match, ("started",))
        self._copy_ended = _update(Match, ("ended", "winner", "termination", "reason", "plies"))
        self._seal = _update(Match, ("head",))
        self._update_seat = _update(Seat, REPEATED_OF_SEAT, ("match_id", "seat"))
        names = ", ".join(_quoted(name) for name in EVENT_FIELDS)
        self._select = f"SELECT {names} FROM {_table(Event)} WHERE match_id = %s AND seq >= %s ORDER BY seq"

    def adding(self, batch: Iterable[tuple[str, Sequence[LogEvent]]]) -> list[Statement]:
        """What stores the events of a batch of matches: rows of one table go together, behind those with the fence.

        So events stand before their match for a moment, which the database looks at when it commits.
        """
        assert self._insert_events is not None, "a writer has a fence"
        matches: list[Values] = []
        seats: list[Values] = []
        rows: list[Values] = []
        rulings: list[Values] = []
        copies: list[Statement] = []
        for match, events in batch:
            for event in events:
                at, kind = self._stamp(event.at), event.kind
                rows.append(_event_row(match, at, event))
                if kind == "opened":
                    setup = Setup.from_data(event.data)
                    matches.append(_match_row(match, at, setup))
                    seats += _seat_rows(match, setup)
                elif kind == "started":
                    copies.append(Statement(self._copy_started, (at, match)))
                elif kind == "ended":
                    copies.append(Statement(self._copy_ended, _ending_row(match, at, event)))
                elif kind == "ruled":
                    rulings.append(_ruling_row(match, at, event))
        inserts = (self._insert_events.of(rows), self._insert_matches.of(matches), self._insert_seats.of(seats))
        return [*chain.from_iterable(inserts), *copies, *self._insert_rulings.of(rulings)]

    def repeating(self, match: str, events: Sequence[LogEvent]) -> list[Statement]:
        """What makes the rows of a match repeat its whole log again; the log itself is not written."""
        setup, opened = Setup.from_data(events[0].data), self._stamp(events[0].at)
        started = next((self._stamp(event.at) for event in events if event.kind == "started"), None)
        ended = next((event for event in events if event.kind == "ended"), None)
        ending = _ending_row(match, self._stamp(ended.at), ended) if ended else (None, None, None, "", 0, match)
        rulings = [_ruling_row(match, self._stamp(event.at), event) for event in events if event.kind == "ruled"]
        return [
            Statement(_update(Match, MATCH_FIELDS[1:]), (*_match_row(match, opened, setup)[1:], match)),
            Statement(self._copy_started, (started, match)),
            Statement(self._copy_ended, ending),
            *(Statement(self._update_seat, (*_repeated(who), match, seat)) for seat, who in enumerate(setup.seats)),
            Statement(f"DELETE FROM {_table(Ruling)} WHERE match_id = %s", (match,)),
            *self._insert_rulings.of(rulings),
        ]

    def seal(self, match: str, head: str) -> Statement:
        """What keeps the head of the record of a match that has ended."""
        return Statement(self._seal, (head, match))

    def since(self, match: str, seq: int) -> tuple[str, Values]:
        """What reads the events of a match from number `seq` on, as rows for `event_of`."""
        return self._select, (match, seq)


def carry_out(statements: Iterable[Statement]) -> None:
    """Run statements one after the other; raises Django's errors, or Fenced.

    On SQLite without a cursor of Django, which is made each time and rewrites each %s by a regular expression: a
    quarter of what it takes to store a move.
    """
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            for sql, values, rows in statements:
                cursor.execute(sql, values)
                _must_have_written(cursor.rowcount, rows)
        return
    connection.ensure_connection()
    with connection.wrap_database_errors:
        for sql, values, rows in statements:
            done = connection.connection.execute(_with_question_marks(sql), values)
            if rows:
                _must_have_written(done.rowcount, rows)


def _must_have_written(written: int, rows: int) -> None:
    if written < rows:
        raise Fenced


@lru_cache(256)
def _with_question_marks(sql: str) -> str:
    return sql.replace("%s", "?")


def event_of(row: Sequence[Any]) -> LogEvent:
    """The event of a raw row: SQLite hands out times without their zone, which is UTC, and both JSON as text."""
    event = LogEvent(*row[1:])
    at, data = event.at, event.data
    if at.tzinfo is None:
        event = event._replace(at=at.replace(tzinfo=UTC))
    return event._replace(data=json.loads(data)) if isinstance(data, str) else event


def as_sqlite_text(at: datetime) -> str:
    """As Django stores a time there, in UTC without saying so; its own function takes 5.7 µs, this one 1."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return str(at)[: -len("+00:00")]


class Insert:
    """INSERT INTO a table, for any number of rows; behind a fence each of them tells who wrote it."""

    # One statement for many rows: with one each, the writer and the loop hand the interpreter to and fro at every row.
    # SQLite before 3.32 takes no more than 999 values at once; PostgreSQL is given a list for each column.
    MOST_ROWS = 64

    def __init__(self, model: type[Model], names: Sequence[str], fence: Fence | None = None) -> None:
        self._as_lists = connection.vendor == "postgresql"
        self._fenced = fence is not None
        columns = [*names, "epoch"] if fence is not None else names
        self._into = f"INSERT INTO {_table(model)} ({', '.join(_quoted(name) for name in columns)})"
        self._row = f"({', '.join(['%s'] * len(names))})"
        self._where = f"{_quoted('name')} = '{fence.name}' AND {_quoted('epoch')} = {fence.epoch}" if fence else ""
        self._number = f", {fence.epoch}" if fence else ""
        self._lists = ", ".join(f"%s::{_list_of(_column(model, name))}" for name in names)
        self._sql: dict[int, str] = {}

    def of(self, rows: Sequence[Values]) -> Iterator[Statement]:
        """The statements that insert `rows`."""
        if rows and self._as_lists:
            yield Statement(self._for_lists(), tuple(map(list, zip(*rows, strict=True))), self._expected(len(rows)))
            return
        for first in range(0, len(rows), self.MOST_ROWS):
            some = rows[first : first + self.MOST_ROWS]
            yield Statement(self._sql_for(len(some)), tuple(chain.from_iterable(some)), self._expected(len(some)))

    def _expected(self, rows: int) -> int:
        return rows if self._fenced else 0

    def _for_lists(self) -> str:
        """Who takes the lease waits for this statement, and this one for the process that is just taking it."""
        if not self._fenced:
            return f"{self._into} SELECT * FROM unnest({self._lists})"
        held = f"SELECT 1 FROM {_table(Lease)} WHERE {self._where} FOR SHARE"
        rows = f"SELECT given.*{self._number} FROM fence, unnest({self._lists}) AS given"
        return f"WITH fence AS ({held}) {self._into} {rows}"

    def _sql_for(self, rows: int) -> str:
        """One writer at a time is SQLite's own rule, so nobody takes the lease while this runs."""
        if rows not in self._sql:
            values = "VALUES " + ", ".join([self._row] * rows)
            held = f"SELECT given.*{self._number} FROM ({values}) AS given WHERE EXISTS "
            fence = f"{held}(SELECT 1 FROM {_table(Lease)} WHERE {self._where})"
            self._sql[rows] = f"{self._into} {fence if self._fenced else values}"
        return self._sql[rows]


def _column(model: type[Model], name: str) -> Field[Any, Any]:
    return next(field for field in model._meta.concrete_fields if field.attname == name)


def _list_of(field: Field[Any, Any]) -> str:
    """The type of a list of its values. A cast to `varchar(10)` would cut in silence what is too long for a column."""
    kind = field.db_type(connection) or "text"
    return "text[]" if kind.startswith("varchar") else f"{kind}[]"


def _match_row(match: str, at: Any, setup: Setup) -> Values:
    settings = _compact(dict(setup.settings))
    place, kind = (setup.room, setup.series, setup.round), setup.kind or None
    return match, at, *place, setup.variant, settings, setup.clock, setup.rated, RULES, "", 0, setup.pairing, kind


def _seat_rows(match: str, setup: Setup) -> list[Values]:
    return [
        (match, seat, who.player, who.name, who.kind, who.protocol, who.level, who.verified, who.holder)
        for seat, who in enumerate(setup.seats)
    ]


def _repeated(who: SeatSetup) -> Values:
    return tuple(getattr(who, name) for name in REPEATED_OF_SEAT)


def _event_row(match: str, at: Any, event: LogEvent) -> Values:
    seq, _, kind, ply, seat, move, elapsed, left0, left1, actor, data = event
    return match, seq, at, kind, ply, seat, move, elapsed, left0, left1, actor, _compact(data) if data else "{}"


def _ending_row(match: str, at: Any, event: LogEvent) -> Values:
    data = event.data
    return at, data["winner"], data["termination"], data["reason"], event.ply, match


def _ruling_row(match: str, at: Any, event: LogEvent) -> Values:
    """A ruling has the number of its event, so the last one has the highest."""
    data = event.data
    return match, event.seq, data["verdict"], data["winner"], data["reason"], event.actor, at


def _columns(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields if not field.primary_key]


def _update(model: type[Model], names: Sequence[str], keys: Sequence[str] = ("id",)) -> str:
    values = ", ".join(f"{_quoted(name)} = %s" for name in names)
    where = " AND ".join(f"{_quoted(name)} = %s" for name in keys)
    return f"UPDATE {_table(model)} SET {values} WHERE {where}"


def _table(model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def rebuild(match: str) -> dict[str, str]:
    """Rewrite the rows that repeat the events of a match. Returns what differed and how, by column.

    A writer that adds events meanwhile waits, or this does: the row of the match is taken first.
    """
    log = LogStatements(None)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_table(Match)} SET plies = plies WHERE id = %s", (match,))
        cursor.execute(*log.since(match, 1))
        events = [event_of(row) for row in cursor.fetchall()]
        before = _copied(match)
        carry_out(log.repeating(match, events))
        after = _copied(match)
    return {name: f"{before[name]!r}, the log says {after[name]!r}" for name in before if before[name] != after[name]}


def _copied(match: str) -> dict[str, Any]:
    """What the rows beside the log say of a match."""
    row = Match.objects.filter(pk=match).values(*MATCH_FIELDS, "started", "ended", "winner", "termination").get()
    seats = Seat.objects.filter(match=match).order_by("seat").values_list(*REPEATED_OF_SEAT)
    rulings = Ruling.objects.filter(match=match).order_by("n").values_list(*RULING_FIELDS)
    return {**row, "seats": list(seats), "rulings": list(rulings)}
