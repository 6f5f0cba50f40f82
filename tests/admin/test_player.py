from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Player


def test_a_player_is_renamed(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    player = Player.objects.get(slug="player-1")
    form = {"kind": "bot", "name": "Gravity", "slug": "Gravity"}
    assert staff.post(f"/admin/arena/player/{player.pk}/change/", form).status_code == 302
    player.refresh_from_db()
    assert (player.name, player.slug) == ("Gravity", "gravity")


def test_a_name_that_differs_only_in_case_is_refused_with_a_word(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    form = {"kind": "guest", "name": "Player 1", "slug": "PLAYER-1"}
    page = staff.post("/admin/arena/player/add/", form).content.decode()
    assert "Player with this Slug already exists." in page
