from __future__ import annotations

import pytest
from django.db import connection

from arena.models import Event, Match, Player, Room

pytestmark = pytest.mark.django_db


def test_a_row_shows_the_spelling_that_was_stored() -> None:
    assert Player.objects.create(kind="guest", name="Ä", slug="Ärger").slug == "ärger"


def test_many_rows_at_once_are_spelled_as_one_is() -> None:
    Room.objects.bulk_create([Room(code="ab-1", shown_code="ab-1", variant="connect-four-7x6")])
    assert Room.objects.values_list("code", flat=True).get() == "AB-1"


def test_lists_of_names_are_found_in_any_spelling() -> None:
    Player.objects.create(kind="guest", name="Ä", slug="ärger")
    assert Player.objects.filter(slug__in=["ÄRGER", "other"]).exists()


def test_an_event_is_written_to_its_own_table_only(match: Match) -> None:
    """SQLite's AUTOINCREMENT would keep the highest number in a table of its own."""
    if connection.vendor != "sqlite":
        pytest.skip("other databases have sequences")
    Event.objects.create(match=match, seq=1, at=match.opened, kind="opened", data={})
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_sequence")
        assert Event._meta.db_table not in [name for (name,) in cursor.fetchall()]
