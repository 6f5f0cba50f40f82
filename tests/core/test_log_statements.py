"""The statements of the log, carried out on a real database and read back by Django's own models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, LiteralString

import psycopg
import pytest
from django.db import connection

from arena.core.log_statements import (
    Insert,
    LogStatements,
    as_list,
    as_sqlite_text,
    carry_out,
    events_of,
    rebuild,
    text_as_sqlite_text,
)
from arena.match.record import head
from arena.match.state import LogEvent, SeatSetup, Setup
from arena.models import Event as EventRow
from arena.models import Match, Ruling, Seat
from tests.kit.processes import Postgres
from tests.kit.storage import held

NOW = datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)
SETUP = Setup("connect-four-7x6", (SeatSetup("Ada"), SeatSetup("gravity", "bot", protocol="droidcon")), clock="5s")
OPENED = LogEvent(1, NOW, "opened", data=SETUP.to_data())
STARTED = LogEvent(2, NOW + timedelta(seconds=1), "started")
MOVE = LogEvent(3, NOW + timedelta(seconds=2), "move", 1, 0, "4", 153, 5000, 5000, "session 7")
ENDED = LogEvent(
    4, NOW + timedelta(seconds=3), "ended", 1, data={"winner": 1, "termination": "resign", "reason": "Ada resigned"}
)


def store(*batch: tuple[str, Sequence[LogEvent]]) -> int:
    """Carry out what adds the batch; how many statements that were."""
    statements = LogStatements(held()).adding(batch)
    carry_out(statements)
    return len(statements)


def stored(match: str, since: int = 1) -> list[LogEvent]:
    with connection.cursor() as cursor:
        cursor.execute(*LogStatements(None).since(match, since))
        return events_of(cursor.fetchall(), since)


@pytest.mark.django_db
def test_a_log_reads_back_as_it_was_written() -> None:
    move = MOVE._replace(data={"given_back_ms": 57})
    log = [OPENED, STARTED, move, ENDED]
    store(("m", log))
    assert stored("m") == log
    assert stored("m", since=3) == log[2:]
    assert stored("another") == []


@pytest.mark.django_db
def test_the_match_and_its_seats_repeat_their_events() -> None:
    store(("m", [OPENED, STARTED, MOVE, ENDED]))
    match = Match.objects.get()
    assert (match.variant, match.clock, match.opened, match.started) == ("connect-four-7x6", "5s", NOW, STARTED.at)
    assert (match.ended, match.winner, match.termination, match.reason) == (ENDED.at, 1, "resign", "Ada resigned")
    assert match.plies == 1
    assert list(Seat.objects.order_by("seat").values_list("name", "kind", "protocol")) == [
        ("Ada", "human", ""),
        ("gravity", "bot", "droidcon"),
    ]


@pytest.mark.django_db
def test_a_match_that_comes_whole_gets_the_same_rows_in_one_insert_a_table() -> None:
    data = {"verdict": "draw", "winner": None, "reason": "a power cut"}
    ruled = LogEvent(5, NOW + timedelta(seconds=4), "ruled", actor="staff 1", data=data)
    log = [OPENED, STARTED, MOVE, ENDED, ruled]
    others = [OPENED, ENDED._replace(seq=2, ply=0)]
    assert store(("m", log), ("never begun", others), ("running", [OPENED, STARTED, MOVE])) == 6
    assert store(("step by step", [OPENED, STARTED])) + store(("step by step", [MOVE, ENDED])) == 6
    store(("step by step", [ruled]))
    whole, apart = (Match.objects.values().get(pk=match) for match in ("m", "step by step"))
    assert {**whole, "id": "", "head": ""} == {**apart, "id": "", "head": ""}
    assert whole["head"] == head("m", log) != ""
    assert Match.objects.get(pk="never begun").started is None and Match.objects.get(pk="running").ended is None
    assert rebuild("m") == rebuild("never begun") == rebuild("running") == {}


@pytest.mark.django_db
def test_a_ruling_is_a_row_of_its_own_with_the_number_of_its_event() -> None:
    data = {"verdict": "win", "winner": 0, "reason": "a power cut"}
    ruled = LogEvent(5, NOW + timedelta(seconds=4), "ruled", actor="staff 1", data=data)
    store(("m", [OPENED, STARTED, MOVE, ENDED]))
    store(("m", [ruled]))
    assert stored("m")[-1] == ruled
    ruling = Ruling.objects.get()
    assert (ruling.match_id, ruling.n, ruling.verdict, ruling.winner) == ("m", 5, "win", 0)
    assert (ruling.reason, ruling.actor, ruling.at) == ("a power cut", "staff 1", ruled.at)
    assert Match.objects.get().winner == 1, "the ending stays as it was"


@pytest.mark.django_db
def test_rows_that_say_something_else_are_written_anew_from_the_log() -> None:
    ruled = LogEvent(
        5, NOW, "ruled", actor="staff 1", data={"verdict": "draw", "winner": None, "reason": "a power cut"}
    )
    store(("m", [OPENED, STARTED, MOVE, ENDED]), ("other", [OPENED]))
    store(("m", [ruled]))
    kept = [list(model.objects.order_by("pk").values()) for model in (Match, Seat, EventRow)]
    assert rebuild("m") == {}
    Match.objects.filter(id="m").update(winner=0, plies=9, started=None, clock="none", reason="a rumour")
    Seat.objects.filter(match="m", seat=1).update(name="somebody else")
    Ruling.objects.all().delete()
    assert set(rebuild("m")) == {"winner", "plies", "started", "clock", "reason", "seats", "rulings"}
    assert [list(model.objects.order_by("pk").values()) for model in (Match, Seat, EventRow)] == kept
    assert Ruling.objects.get().verdict == "draw" and rebuild("m") == {}


@pytest.mark.django_db
def test_a_running_match_whose_row_says_it_is_over_runs_again() -> None:
    store(("m", [OPENED, STARTED, MOVE]))
    Match.objects.update(ended=NOW, termination="normal", winner=1)
    assert rebuild("m")["ended"] == f"{NOW!r}, the log says None"
    assert Match.objects.get().ended is None


@pytest.mark.django_db
def test_moves_of_many_matches_are_one_statement() -> None:
    matches = [f"m{number}" for number in range(Insert.MOST_ROWS)]
    store(*[(match, [OPENED, STARTED]) for match in matches])
    assert store(*[(match, [MOVE]) for match in matches]) == 1
    assert EventRow.objects.filter(kind="move").count() == len(matches)


@pytest.mark.django_db
def test_more_rows_than_a_statement_takes_are_all_stored() -> None:
    matches = [f"m{number}" for number in range(2 * Insert.MOST_ROWS + 1)]
    store(*[(match, [OPENED]) for match in matches])
    assert set(Match.objects.values_list("id", flat=True)) == set(matches)
    assert EventRow.objects.count() == len(matches)


@pytest.mark.service
@pytest.mark.parametrize(
    ("sort", "values"),
    [
        (
            "text",
            [
                "",
                "NULL",
                None,
                '"',
                "\\",
                '\\"',
                "a,b",
                "{}",
                '{"a": "\\n\\"\\u00e9"}',
                " \t\r\n ",
                "🦊 é",
                "'",
                "%s",
                "\x7f",
            ],
        ),
        ("jsonb", [{"a": ['"', "\\", "\n", "{1,2}", None, 'é"\\']}, {}]),
        ("integer", [0, None, -1, 2**31 - 1]),
        ("boolean", [True, False, None]),
        ("timestamptz", [NOW, None, NOW.replace(microsecond=0), NOW.astimezone(timezone(timedelta(hours=-5)))]),
    ],
)
def test_postgresql_reads_a_list_of_ours_as_it_was(postgres: Postgres, sort: LiteralString, values: list[Any]) -> None:
    written = as_list(json.dumps(value) if sort == "jsonb" else value for value in values)
    with psycopg.connect(postgres.url("postgres")) as database:
        found = database.execute(f"SELECT * FROM unnest(%s::{sort}[])", [written]).fetchall()
    assert [value for (value,) in found] == values


@pytest.mark.parametrize("at", [NOW, NOW.replace(microsecond=0), NOW.astimezone(timezone(timedelta(hours=5)))])
def test_a_time_is_written_as_django_writes_it(at: datetime) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite keeps times as text")
    assert as_sqlite_text(at) == connection.ops.adapt_datetimefield_value(at)
    of_record = at.astimezone(UTC).isoformat("T", "microseconds")
    assert text_as_sqlite_text(of_record) == connection.ops.adapt_datetimefield_value(at)
