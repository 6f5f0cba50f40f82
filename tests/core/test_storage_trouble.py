"""How the errors of databases are told apart, by their words and by what PostgreSQL calls them."""

from __future__ import annotations

from contextlib import closing

import dj_database_url
import pytest
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError
from django.db.utils import ConnectionHandler

from arena.core.storage_trouble import (
    AWAY,
    BROKEN,
    COLLIDED,
    DAMAGED,
    FULL,
    FULL_THERE,
    LOCKED,
    LOCKED_THERE,
    NOT_OPEN,
    READ_ONLY,
    READ_ONLY_THERE,
    StorageTrouble,
    cause_of,
)
from tests.kit.processes import Postgres


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OperationalError("database or disk is full"), FULL),
        (OperationalError("could not extend file: No space left on device"), FULL),
        (OperationalError("database is locked"), LOCKED),
        (OperationalError("attempt to write a readonly database"), READ_ONLY),
        (OperationalError("unable to open database file"), NOT_OPEN),
        (OperationalError("disk I/O error"), BROKEN),
        (DatabaseError("database disk image is malformed"), DAMAGED),
        (DatabaseError("file is not a database"), DAMAGED),
        (InterfaceError("connection already closed"), AWAY),
        (OperationalError("server closed the connection unexpectedly"), AWAY),
        (OperationalError("no such table: arena_match"), None),
        (IntegrityError("UNIQUE constraint failed: arena_player.name, which is full"), None),
        (ValueError("database is locked"), None),
        (None, None),
    ],
)
def test_what_the_matter_is_is_told_by_the_words_of_the_database(
    error: BaseException | None, cause: StorageTrouble | None
) -> None:
    assert cause_of(error) == cause
    if cause is not None:
        try:
            raise RuntimeError("the page could not be made") from error
        except RuntimeError as outer:
            assert cause_of(outer) == cause


def test_whoever_is_refused_by_a_database_that_runs_is_not_only_told_to_start_it() -> None:
    refused = cause_of(OperationalError('connection failed: FATAL:  password authentication failed for user "arena"'))
    assert refused is not None and "or correct DATABASE_URL" in refused.todo


@pytest.mark.service
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "words", "cause"),
    [
        ("53100", "Auf dem Gerät ist kein Speicherplatz mehr verfügbar", FULL_THERE),
        ("55P03", "Abbruch wegen Zeitüberschreitung einer Sperre", LOCKED_THERE),
        ("25006", "INSERT kann nicht in einer Read-Only-Transaktion ausgeführt werden", READ_ONLY_THERE),
        ("57P01", "Verbindung wird abgebrochen aufgrund von Anweisung des Administrators", AWAY),
        ("40P01", "deadlock detected, see server log for query details", COLLIDED),
        ("40001", "could not serialize access due to concurrent update", COLLIDED),
        ("XX001", "ungültige Seite in Block 7 von Relation base/5/16384", DAMAGED),
        ("23505", "doppelter Schlüsselwert verletzt Unique-Constraint", None),
    ],
)
def test_postgresql_may_speak_any_language(
    postgres: Postgres, state: str, words: str, cause: StorageTrouble | None
) -> None:
    asked = ConnectionHandler({"default": dj_database_url.parse(postgres.url("postgres"))})["default"]
    with pytest.raises(DatabaseError) as raised, closing(asked), asked.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION '{words}' USING ERRCODE = '{state}'; END $$")
    assert cause_of(raised.value) == cause
