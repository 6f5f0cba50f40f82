from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Rating


def test_the_table_of_a_variant_has_the_best_on_top(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    Rating.objects.filter(player__slug="player-2").update(points=1600)
    page = staff.get("/admin/arena/rating/").content.decode()
    assert page.index("player 2") < page.index("player 1")
    Rating.objects.filter(player__slug="player-2").update(points=1500.7025352603167)
    assert '<td class="field-points">1501</td>' in staff.get("/admin/arena/rating/").content.decode()
