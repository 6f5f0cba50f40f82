"""The log of matches as SQL, generated once from the models: through the ORM a move costs ten times as much.

The rows of a match and its seats repeat data of its events: `opened` creates them, `started` and `ended` update them,
and `ruled` adds a row of its own. A match that comes whole gets its row at once, which saves three updates.

Events are written behind a fence: the statement that inserts them checks that the lease still has the number of this
host. Otherwise it inserts no row, and the statements after it do not run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Field, Model, Q, QuerySet

from arena.cluster.lease import Fence
from arena.common import names
from arena.match.record import given_back, sealed
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event, Lease, Match, PackedLog, Ruling, Seat
from arena.models.whole_logs import whole

MATCH_FIELDS = (
    *("id", "opened", "room_id", "series", "round", "variant", "settings", "clock", "rated"),
    *("rules", "reason", "plies", "pairing_id", "kind"),
)
SEAT_FIELDS = ("match_id", "seat", "player_id", "name", "kind", "protocol", "level", "verified", "holder")
WHOLE_FIELDS = (*MATCH_FIELDS, "started", "ended", "winner", "termination", "head")
RULING_FIELDS = ("match_id", "n", "verdict", "winner", "reason", "actor", "at")
RULES = 1
# Columns of a seat that its log determines, except for names of closed accounts. Others may change: players can be
# deleted, and no log has a seat's secret.
REPEATED_OF_SEAT = ("name", "kind", "protocol", "level", "verified")
_repeated: Callable[[SeatSetup], Values] = attrgetter(*REPEATED_OF_SEAT)

# The columns of an event in the log, without the last one, the number of the host that wrote it.
EVENT_FIELDS = ("match_id", *LogEvent._fields)

_compact = json.JSONEncoder(separators=(",", ":")).encode

Values = tuple[Any, ...]
_NUMBERS = frozenset({int, type(None)})


class Fenced(Exception):
    """Another process holds the lease: nothing was stored, and nothing will be."""


class Statement(NamedTuple):
    """An SQL statement. If it writes any other number of rows than `rows`, this process is fenced; 0 is not checked."""

    sql: str
    values: Values
    rows: int = 0


class LogStatements:
    """The statements of the log for the default database. Without a `fence`, the log can only be read, and the rows
    that repeat it rewritten.
    """

    def __init__(self, fence: Fence | None) -> None:
        assert _columns(Event) == [*EVENT_FIELDS, "epoch"], "the columns of the log are the fields of an event"
        is_sqlite = connection.vendor == "sqlite"
        self._stamp = as_sqlite_text if is_sqlite else connection.ops.adapt_datetimefield_value
        # PostgreSQL reads the times of a record as they are.
        self._stamp_of_text = text_as_sqlite_text if is_sqlite else str
        self._insert_events = Insert(Event, EVENT_FIELDS, fence) if fence is not None else None
        self._insert_matches = Insert(Match, MATCH_FIELDS)
        self._insert_whole = Insert(Match, WHOLE_FIELDS)
        self._insert_seats = Insert(Seat, SEAT_FIELDS)
        self._insert_rulings = Insert(Ruling, RULING_FIELDS)
        self._copy_started = _update(Match, ("started",))
        self._copy_ended = _update(Match, ("ended", "winner", "termination", "reason", "plies"))
        self._seal = _update(Match, ("head",))
        self._update_seat = _update(Seat, REPEATED_OF_SEAT, ("match_id", "seat"))
        names = ", ".join(_quoted(name) for name in EVENT_FIELDS)
        rows = f"{_table(Event)} LEFT JOIN {_table(PackedLog)} ON ended_id = id"
        self._select = f"SELECT {names}, events FROM {rows} WHERE match_id = %s AND seq >= %s ORDER BY seq"

    def adding(self, batch: Iterable[tuple[str, Sequence[LogEvent]]]) -> list[Statement]:
        """The statements that store events of several matches, by table, those with the fence first: so events briefly
        precede their match's row, which is only checked on commit.
        """
        assert self._insert_events is not None, "a writer has a fence"
        matches: list[Values] = []
        over: list[Values] = []
        seats: list[Values] = []
        rows: list[Values] = []
        rulings: list[Values] = []
        copies: list[Statement] = []
        for match, events in batch:
            comes_whole = is_whole(events)
            seal, times = sealed(match, events) if comes_whole else ("", [])
            stamps = [*map(self._stamp_of_text, times), *(self._stamp(event.at) for event in events[len(times) :])]
            for at, event in zip(stamps, events, strict=True):
                kind = event.kind
                rows.append(_event_row(match, at, event))
                if kind == "opened":
                    setup = Setup.from_data(event.data)
                    if comes_whole:
                        over.append(_whole_row(match, setup, events, stamps, seal))
                    else:
                        matches.append(_match_row(match, at, setup))
                    seats += _seat_rows(match, setup)
                elif kind == "ruled":
                    rulings.append(_ruling_row(match, at, event))
                elif comes_whole:
                    pass  # its row says it already
                elif kind == "started":
                    copies.append(Statement(self._copy_started, (at, match)))
                elif kind == "ended":
                    copies.append(Statement(self._copy_ended, _ending_row(match, at, event)))
        of_matches = (self._insert_matches.of(matches), self._insert_whole.of(over), self._insert_seats.of(seats))
        inserts = chain(self._insert_events.of(rows), *of_matches)
        return [*inserts, *copies, *self._insert_rulings.of(rulings)]

    def repeating(self, match: str, events: Sequence[LogEvent]) -> list[Statement]:
        """The statements that derive the rows of a match from its whole log again; the log itself is not written."""
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
        """The statement that stores the head of the record of a match that has ended."""
        return Statement(self._seal, (head, match))

    def since(self, match: str, seq: int) -> tuple[str, Values]:
        """The query, with its values, for the events of a match from number `seq` on, as rows for `events_of`."""
        return self._select, (match, seq)


def is_whole(events: Sequence[LogEvent]) -> bool:
    """Whether these are all events of a match that has ended."""
    return events[0].kind == "opened" and any(event.kind == "ended" for event in reversed(events))


def carry_out(statements: Iterable[Statement]) -> None:
    """Run the statements in order. Raises Django's database errors, or Fenced.

    On SQLite it avoids Django's cursor, which is created each time and rewrites each %s with a regular expression: a
    quarter of the cost of storing a move.
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


def events_of(rows: Sequence[Sequence[Any]], first: int = 1) -> list[LogEvent]:
    """The events from number `first` on, from raw rows; those that are packed included. Raises DamagedLog."""
    if not rows:
        return []
    events = whole(rows[0][0], ((_event_of(row[:-1]), row[-1]) for row in rows))
    return [event for event in events if event.seq >= first]


def _event_of(row: Sequence[Any]) -> LogEvent:
    """The event of a raw row: SQLite returns times as UTC without a time zone, and JSON as text."""
    event = LogEvent(*row[1:])
    at, data = event.at, event.data
    if at.tzinfo is None:
        event = event._replace(at=at.replace(tzinfo=UTC))
    return event._replace(data=json.loads(data)) if isinstance(data, str) else event


def as_sqlite_text(at: datetime) -> str:
    """The time in Django's format for SQLite, in UTC without a zone; Django's own function takes 5.7 µs, this one 1."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    return str(at)[: -len("+00:00")]


def text_as_sqlite_text(at: str) -> str:
    """The same of a time as records have it, such as `2026-01-31T12:00:00.000000+00:00`."""
    day, time = at[:10], at[11:26]
    return f"{day} {time.removesuffix('.000000')}"


class Insert:
    """An INSERT into one table for any number of rows; behind a fence, each also stores the host's number."""

    # One statement for many rows: with one each, writer and loop pass the interpreter back and forth at every row.
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
        if rows and self._as_lists:
            yield Statement(self._for_lists(), tuple(map(as_list, zip(*rows, strict=True))), self._expected(len(rows)))
            return
        for first in range(0, len(rows), self.MOST_ROWS):
            some = rows[first : first + self.MOST_ROWS]
            yield Statement(self._sql_for(len(some)), tuple(chain.from_iterable(some)), self._expected(len(some)))

    def _expected(self, rows: int) -> int:
        return rows if self._fenced else 0

    def _for_lists(self) -> str:
        """The PostgreSQL insert. Its lock makes a process that takes the lease wait for it, and vice versa."""
        if not self._fenced:
            return f"{self._into} SELECT * FROM unnest({self._lists})"
        held = f"SELECT 1 FROM {_table(Lease)} WHERE {self._where} FOR SHARE"
        rows = f"SELECT given.*{self._number} FROM fence, unnest({self._lists}) AS given"
        return f"WITH fence AS ({held}) {self._into} {rows}"

    def _sql_for(self, rows: int) -> str:
        """The SQLite insert. SQLite allows only one writer at a time, so nobody takes the lease while this runs."""
        if rows not in self._sql:
            values = "VALUES " + ", ".join([self._row] * rows)
            held = f"SELECT given.*{self._number} FROM ({values}) AS given WHERE EXISTS "
            fence = f"{held}(SELECT 1 FROM {_table(Lease)} WHERE {self._where})"
            self._sql[rows] = f"{self._into} {fence if self._fenced else values}"
        return self._sql[rows]


def as_list(values: Iterable[Any]) -> str:
    """A column as PostgreSQL writes a list: the driver would examine each value, most of the cost of a match."""
    column = list(values)
    kinds = set(map(type, column))
    if kinds <= _NUMBERS:
        return f"{{{str(column)[1:-1].replace('None', 'NULL')}}}"
    if kinds == {str} and not ('"' in (said := "".join(column)) or "\\" in said):
        return '{"' + '","'.join(column) + '"}'
    return f"{{{','.join(map(_in_list, column))}}}"


def _in_list(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, datetime):
        return f'"{value.isoformat()}"'
    return "NULL" if value is None else str(value)


def _column(model: type[Model], name: str) -> Field[Any, Any]:
    return next(field for field in model._meta.concrete_fields if field.attname == name)


def _list_of(field: Field[Any, Any]) -> str:
    """The SQL type of a list of the field's values. A cast to `varchar(10)` would silently cut longer values."""
    kind = field.db_type(connection) or "text"
    return "text[]" if kind.startswith("varchar") else f"{kind}[]"


def _match_row(match: str, at: Any, setup: Setup, reason: str = "", plies: int = 0) -> Values:
    settings = _compact(dict(setup.settings))
    place, kind = (setup.room, setup.series, setup.round), setup.kind or None
    rest = (setup.rated, RULES, reason, plies, setup.pairing, kind)
    return match, at, *place, setup.variant, settings, setup.clock, *rest


def _whole_row(match: str, setup: Setup, events: Sequence[LogEvent], stamps: Sequence[Any], head: str) -> Values:
    """The row of a match with its ending and the head of its record; `stamps` are the times of its events."""
    timed = list(zip(stamps, events, strict=True))
    started = next((at for at, event in timed if event.kind == "started"), None)
    ended_at, ended = next((at, event) for at, event in timed if event.kind == "ended")
    at, winner, termination, reason, plies, _ = _ending_row(match, ended_at, ended)
    row = _match_row(match, stamps[0], setup, reason, plies)
    return (*row, started, at, winner, termination, head)


def _seat_rows(match: str, setup: Setup) -> list[Values]:
    return [
        (match, seat, who.player, who.name, who.kind, who.protocol, who.level, who.verified, who.holder)
        for seat, who in enumerate(setup.seats)
    ]


def _event_row(match: str, at: Any, event: LogEvent) -> Values:
    seq, _, kind, ply, seat, move, elapsed, left0, left1, actor, data = event
    said = (given_back(data) or _compact(data)) if data else "{}"
    return match, seq, at, kind, ply, seat, move, elapsed, left0, left1, actor, said


def _ending_row(match: str, at: Any, event: LogEvent) -> Values:
    data = event.data
    return at, data["winner"], data["termination"], data["reason"], event.ply, match


def _ruling_row(match: str, at: Any, event: LogEvent) -> Values:
    """The row of a ruling. It has the number of its event, so the last ruling has the highest."""
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
    """Rewrite the rows that repeat the events of a match. Returns what differed and how, by column. The row of the
    match is locked first, against a concurrent writer.
    """
    log = LogStatements(None)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_table(Match)} SET plies = plies WHERE id = %s", (match,))
        cursor.execute(*log.since(match, 1))
        events = events_of(cursor.fetchall())
        before = _copied(match)
        carry_out(log.repeating(match, events))
        show_former(Seat.objects.filter(match=match))
        after = _copied(match)
    return {name: f"{before[name]!r}, the log says {after[name]!r}" for name in before if before[name] != after[name]}


def show_former(seats: QuerySet[Seat]) -> None:
    """Let the rows of these seats name players who have closed the account as such; the log stays as it is."""
    slug = names.slug(names.FORMER)
    former = Q(player__slug__startswith=slug) | Q(player__joined__person__slug__startswith=slug)
    found = seats.filter(former).values_list("player", "player__name", "player__joined__person__name").distinct()
    for player, own, person in list(found):
        seats.filter(player=player).update(name=person or own)


def _copied(match: str) -> dict[str, Any]:
    """The current values of the rows that repeat the log of a match."""
    row = Match.objects.filter(pk=match).values(*MATCH_FIELDS, "started", "ended", "winner", "termination").get()
    seats = Seat.objects.filter(match=match).order_by("seat").values_list(*REPEATED_OF_SEAT)
    rulings = Ruling.objects.filter(match=match).order_by("n").values_list(*RULING_FIELDS)
    return {**row, "seats": list(seats), "rulings": list(rulings)}
