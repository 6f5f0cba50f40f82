from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.match.ids import Ids
from arena.match.quota import midnight
from arena.ratings.pairs import rated_since
from tests.kit.rated import NOON, a_match, cast, store

TODAY = midnight(NOON.timestamp())
pytestmark = pytest.mark.django_db


def test_the_rated_matches_of_two_since_a_moment_are_counted_whoever_moved_first() -> None:
    ada, bob, eve = cast("ada", "bob", "eve", kind="bot")
    ids = Ids()
    yesterday, today = NOON - timedelta(days=1), NOON
    played = [
        (ada, bob, yesterday, True),
        (ada, bob, today, True),
        (bob, ada, today, True),
        (ada, bob, today, False),
        (ada, eve, today, True),
    ]
    for first, second, at, rated in played:
        store(a_match(first, second, at=at, rated=rated, match=ids.new(at.timestamp())))
    assert rated_since(frozenset({ada.pk, bob.pk}), TODAY) == 2
    assert rated_since(frozenset({bob.pk, eve.pk}), TODAY) == 0
    assert rated_since(frozenset({ada.pk, bob.pk}), TODAY - timedelta(days=1)) == 3
    assert rated_since(frozenset({ada.pk, bob.pk}), TODAY + timedelta(days=1)) == 0


def test_no_table_is_walked_through() -> None:
    ada, bob = cast("ada", "bob", kind="bot")
    ids = Ids()
    store(*[a_match(ada, bob, match=ids.new(NOON.timestamp())) for _ in range(50)])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert rated_since(frozenset({ada.pk, bob.pk}), TODAY) == 50
    assert len(queries) == 2
    for query in queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plan = [row[-1] for row in cursor.fetchall()]
        assert all(line.startswith("SEARCH") for line in plan), plan
    assert any("seat_of_player" in line for line in plan), plan
