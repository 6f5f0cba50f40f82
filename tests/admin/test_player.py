from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from arena.models import Player


def test_a_player_is_renamed(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    player = Player.objects.get(slug="player-1")
    form = {"name": "Gravity", "slug": "something-else"}
    assert staff.post(f"/admin/arena/player/{player.pk}/change/", form).status_code == 302
    player.refresh_from_db()
    assert (player.name, player.slug) == ("Gravity", "gravity")


@pytest.mark.parametrize("name", ["-", "Grav\nity", "Gravity \u202e9", "x" * 33, "new"])
def test_a_name_is_here_what_it_is_everywhere(staff: Client, fill: Callable[[int], None], name: str) -> None:
    fill(1)
    player = Player.objects.get(slug="player-1")
    answer = staff.post(f"/admin/arena/player/{player.pk}/change/", {"name": name})
    assert answer.status_code == 200 and answer.context["adminform"].form.errors["name"]
    player.refresh_from_db()
    assert player.name == "player 1"


def test_nobody_is_called_as_an_account_logs_in(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    User.objects.create_superuser("root")
    address = f"/admin/arena/player/{Player.objects.get(slug='player-1').pk}/change/"
    assert "Root is taken" in staff.post(address, {"name": "Root"}).content.decode()


def test_a_name_that_differs_only_in_case_is_refused_with_a_word(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    form = {"kind": "guest", "name": "PLAYER 1"}
    page = staff.post("/admin/arena/player/add/", form).content.decode()
    assert "PLAYER 1 is taken" in page
