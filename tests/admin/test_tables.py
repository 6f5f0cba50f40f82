"""Tables that are only looked at."""

from __future__ import annotations

from collections.abc import Callable

from axes.models import AccessAttempt
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


def test_puzzles_and_who_tried_them_are_read(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert "match-1" in staff.get("/admin/arena/puzzle/?q=match-1").content.decode()
    for table in ("puzzlestanding", "puzzletry", "mistake"):
        assert "player 1" in staff.get(f"/admin/arena/{table}/?q=player-1").content.decode()


def test_who_is_locked_out_is_let_in_again(superuser: Client) -> None:
    for _ in range(11):
        answer = Client().post("/admin/login/", {"username": "mira", "password": "wrong"})
    assert answer.status_code == 429
    attempt = AccessAttempt.objects.get()
    assert ">mira<" in superuser.get("/admin/axes/accessattempt/?q=mira").content.decode()
    assert superuser.post(f"/admin/axes/accessattempt/{attempt.pk}/change/", {"username": "x"}).status_code == 403
    assert superuser.post(f"/admin/axes/accessattempt/{attempt.pk}/delete/", {"post": "yes"}).status_code == 302
    assert Client().post("/admin/login/", {"username": "mira", "password": "wrong"}).status_code == 200


def test_superusers_see_which_process_is_the_host(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert "this process" in superuser.get("/admin/arena/lease/").content.decode()
