"""The page of a room: what is played in it, by whom, in words; open rooms are told from closed ones."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.test import Client

from arena.models import Place, Player, Room
from tests.kit.browsing import flowing


def test_open_rooms_are_told_from_closed_ones(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    Room.objects.filter(code="room-2").update(closed="2026-01-31T12:00Z")
    page = staff.get("/admin/arena/room/", {"state": "open"}).content.decode()
    assert "room-1" in page
    assert "room-2" not in page


def test_the_page_of_a_room_tells_in_words_what_is_played_in_it_and_by_whom(
    staff: Client, fill: Callable[[int], None]
) -> None:
    fill(1)
    room, player = Room.objects.get(), Player.objects.get(slug="player-1")
    Place.objects.create(room=room, side=1, kind="me", player=player)
    rules = {"clock": "1.5s", "rounds": 4, "adjudicate": 8, "offers": True, "opening": "4 4"}
    Room.objects.update(opener=player, private=True, settings={"stones": 100}, **rules)
    page = flowing(staff.get(f"/admin/arena/room/{room.pk}/change/"))
    link = f'<a href="/admin/arena/player/{player.pk}/change/">player 1</a>'
    assert f'<span class="lead">Side 1</span> <span> {link} Bot' in page and "port 4301" in page
    assert f'<span class="lead">Side 2</span> <span> {link} </span>' in page
    assert f'<a href="/admin/auth/user/{room.owner_id}/change/">user1</a>' in page and "by player 1</a>" in page
    for words in (
        "1.5 s a move",
        "4 rounds",
        "friendly",
        "held for 8 moves",
        "4 4",
        "stones 100",
        "private, only with its link",
    ):
        assert words in page, words
    assert "&quot;" not in page.partition("<h1>")[2], "JSON as words"


def test_the_fields_of_a_room_are_folded_away(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    page = flowing(staff.get(f"/admin/arena/room/{Room.objects.get().pk}/change/"))
    assert re.search(r"<details><summary> <h2[^>]*>All fields</h2>", page)
