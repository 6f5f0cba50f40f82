"""Who connects is given what nobody uses any more, and nothing in the middle of which somebody is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True)


def connected(then: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    """What a new thread was given, after this was done with it; the thread has ended."""

    def connect() -> sqlite3.Connection:
        connection.ensure_connection()
        given: sqlite3.Connection = connection.connection
        then(given)
        return given

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(connect).result()


def test_one_that_was_closed_is_used_again() -> None:
    """As it would have been without the one before."""

    def change(given: sqlite3.Connection) -> None:
        given.execute("PRAGMA foreign_keys = OFF")
        given.execute("PRAGMA cache_size = -1000")
        connection.close()

    first = connected(change)
    assert connected(lambda given: None) is first
    assert [first.execute(f"PRAGMA {name}").fetchone() for name in ("foreign_keys", "cache_size")] == [(1,), (-512,)]


@pytest.mark.parametrize("what", ["BEGIN", "SELECT 1 UNION SELECT 2"])
def test_one_in_the_middle_of_something_is_closed(what: str) -> None:
    kept = list[sqlite3.Cursor]()

    def leave(given: sqlite3.Connection) -> None:
        kept.append(given.execute(what))
        kept[0].fetchone()
        connection.close()

    first = connected(leave)
    assert connected(lambda given: None) is not first
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        first.execute("SELECT 1")
