from __future__ import annotations

from collections.abc import Callable

from django.test import Client


def test_acts_are_found_by_what_they_were_done_to(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    page = staff.get("/admin/arena/audit/", {"q": "player 2"}).content.decode()
    assert "player 2" in page
    assert "player 1" not in page
