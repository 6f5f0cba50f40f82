from __future__ import annotations

import pytest

from arena.models import Player, Room

pytestmark = pytest.mark.django_db


def test_a_row_shows_the_spelling_that_was_stored() -> None:
    assert Player.objects.create(kind="guest", name="Ä", slug="Ärger").slug == "ärger"


def test_many_rows_at_once_are_spelled_as_one_is() -> None:
    Room.objects.bulk_create([Room(code="ab-1", shown_code="ab-1", variant="connect-four-7x6")])
    assert Room.objects.values_list("code", flat=True).get() == "AB-1"


def test_lists_of_names_are_found_in_any_spelling() -> None:
    Player.objects.create(kind="guest", name="Ä", slug="ärger")
    assert Player.objects.filter(slug__in=["ÄRGER", "other"]).exists()
