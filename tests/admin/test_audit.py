from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Audit


def test_acts_are_found_by_what_they_were_done_to(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    page = staff.get("/admin/arena/audit/", {"q": "player 2"}).content.decode()
    assert "player 2" in page
    assert "player 1" not in page


def test_what_was_before_is_said_in_words(staff: Client) -> None:
    before, after = {"email": "", "username": "ada"}, {"email": "ada@example.org", "username": "ada"}
    Audit.objects.create(actor="root", act="account changed", data={"before": before, "after": after})
    Audit.objects.create(actor="root", act="account added", data={"before": {}, "after": {"groups": ["a", "b"]}})
    page = staff.get("/admin/arena/audit/").content.decode()
    assert "before: email –, username ada; after: email ada@example.org, username ada<" in page
    assert "before: –; after: groups a b<" in page
