from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.admin import searching
from arena.admin.searching import BoundedPaginator
from arena.models import Event, Room, Seat

RECORDS = (
    *(
        "audit",
        "event",
        "lease",
        "match",
        "move",
        "place",
        "rating",
        "ratingchange",
        "room",
        "ruling",
        "seat",
        "wirechunk",
    ),
    *("tournament", "entry", "pairing"),
)


def test_not_even_a_superuser_writes_a_record_or_deletes_one_by_its_list(
    superuser: Client, fill: Callable[[int], None]
) -> None:
    fill(1)
    for table in RECORDS:
        rows, start = apps.get_model("arena", table)._default_manager, f"/admin/arena/{table}/"
        key, before = rows.first().pk, rows.count()
        addresses = ("add/", f"{key}/change/", f"{key}/delete/")
        answers = [superuser.post(f"{start}{address}", {"post": "yes"}).status_code for address in addresses]
        added = 422 if table == "tournament" else 403  # an event is made by hand, of what its form asks for
        assert (answers, rows.count()) == ([added, 403, 403], before), table
        superuser.post(start, {"action": "delete_selected", "_selected_action": key, "post": "yes"})
        assert rows.count() == before, table


def test_the_history_of_a_row_is_offered_where_there_can_be_one(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    room, seat = Room.objects.get(), Seat.objects.order_by("pk")[0]
    assert ">History</a>" in superuser.get(f"/admin/arena/room/{room.pk}/change/").content.decode()
    assert ">History</a>" not in superuser.get(f"/admin/arena/seat/{seat.pk}/change/").content.decode()
    page = superuser.get(f"/admin/arena/room/{room.pk}/history/").content.decode()
    assert "Nothing was done to it in the administration." in page and "probably" not in page


def test_no_list_counts_or_sorts_a_whole_table(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    for table in RECORDS:
        with CaptureQueriesContext(connection) as asked:
            superuser.get(f"/admin/arena/{table}/", {"o": "1"})
        counts = [query["sql"] for query in asked if "COUNT(*)" in query["sql"]]
        assert counts and all(f"LIMIT {searching.MOST_COUNTED + 1}" in sql for sql in counts), (table, counts)


def test_what_is_not_counted_to_its_end_says_so(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(searching, "MOST_COUNTED", 3)
    User.objects.bulk_create(User(username=f"user{n}") for n in range(3))
    assert str(BoundedPaginator(User.objects.order_by("pk"), 2).count) == "3"
    User.objects.create_user("one more")
    pages = BoundedPaginator(User.objects.order_by("pk"), 2)
    assert (str(pages.count), pages.num_pages) == ("more than 3", 2)


HIDDEN = ("match", "seat", "event", "move", "ruling", "ratingchange", "room")


def looking(*more: str) -> Client:
    """Staff who may look at everything, and `more`."""
    user = User.objects.create_user(f"looks {more}", is_staff=True)
    given = [
        right for right in Permission.objects.all() if right.codename.startswith("view_") or right.codename in more
    ]
    user.user_permissions.set(given)
    client = Client()
    client.force_login(user)
    return client


def test_what_is_private_takes_the_right_to_see_it(fill: Callable[[int], None]) -> None:
    fill(1)
    Room.objects.update(private=True)
    fill(2)
    for client, sees in ((looking(), False), (looking("see_private"), True)):
        for table in HIDDEN:
            rows = apps.get_model("arena", table)._default_manager.order_by("pk").values_list("pk", flat=True)
            private, public = (f"/admin/arena/{table}/{key}/change/" for key in (rows.first(), rows.last()))
            page = client.get(f"/admin/arena/{table}/").content.decode()
            assert (private in page, public in page) == (sees, True), table
            assert (client.get(private).status_code == 200) == sees, table
            assert client.get(public).status_code == 200, table


def test_wires_take_the_right_to_see_them(fill: Callable[[int], None]) -> None:
    fill(1)
    Event.objects.filter(kind="move").update(data={"failure": {"received": "PUT 99"}})
    event = Event.objects.get(kind="move")
    for client, sees in ((looking(), False), (looking("see_private"), True)):
        assert (client.get("/admin/arena/wirechunk/").status_code == 200) == sees
        for address in ("match/match-1", f"event/{event.pk}"):
            page = client.get(f"/admin/arena/{address}/change/").content.decode()
            assert ("PUT 99" in page) == sees, address
        assert ("Both wires" in client.get("/admin/arena/match/match-1/change/").content.decode()) == sees


def test_raw_rows_are_for_superusers(superuser: Client, staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    home, home_of_staff = (client.get("/admin/").content.decode() for client in (superuser, staff))
    for table in ("lease", "handed", "minute", "place"):
        key, start = apps.get_model("arena", table)._default_manager.first().pk, f"/admin/arena/{table}/"
        for address in (start, f"{start}{key}/change/"):
            assert (superuser.get(address).status_code, staff.get(address).status_code) == (200, 403), table
        assert start in home and start not in home_of_staff
