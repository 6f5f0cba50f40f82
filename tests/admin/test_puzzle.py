from __future__ import annotations

from collections.abc import Callable

from django.test import Client


def test_puzzles_and_who_tried_them_are_read(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert "match-1" in staff.get("/admin/arena/puzzle/?q=match-1").content.decode()
    for table in ("puzzlestanding", "puzzletry", "mistake"):
        assert "player 1" in staff.get(f"/admin/arena/{table}/?q=player-1").content.decode()
