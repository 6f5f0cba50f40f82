from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Room


def test_open_rooms_are_told_from_closed_ones(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    Room.objects.filter(code="room-2").update(closed="2026-01-31T12:00Z")
    page = staff.get("/admin/arena/room/", {"closed__isempty": "1"}).content.decode()
    assert "room-1" in page
    assert "room-2" not in page


def test_the_page_of_a_room_holds_its_places(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    page = staff.get(f"/admin/arena/room/{Room.objects.get().pk}/change/").content.decode()
    assert "<p>4301</p>" in page
