"""A list says when by 24 hours."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client


def test_a_list_says_when_by_24_hours(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    page = superuser.get("/admin/arena/match/").content.decode()
    assert "2026-01-31 12:00" in page and "noon" not in page
