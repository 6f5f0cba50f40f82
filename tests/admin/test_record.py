from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.admin import record
from arena.admin.record import BoundedPaginator

RECORDS = (
    *(
        "audit",
        "event",
        "host",
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


@pytest.mark.parametrize("table", RECORDS)
def test_not_even_a_superuser_writes_a_record(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    model = apps.get_model("arena", table)
    key = model._default_manager.first().pk
    before = model._default_manager.count()
    addresses = ("add/", f"{key}/change/", f"{key}/delete/")
    answers = [superuser.post(f"/admin/arena/{table}/{address}", {"post": "yes"}).status_code for address in addresses]
    assert (answers, model._default_manager.count()) == ([403, 403, 403], before)


@pytest.mark.parametrize("table", RECORDS)
def test_records_are_not_deleted_by_the_list_either(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    model = apps.get_model("arena", table)
    before = model._default_manager.count()
    chosen = {"action": "delete_selected", "_selected_action": model._default_manager.first().pk, "post": "yes"}
    superuser.post(f"/admin/arena/{table}/", chosen)
    assert model._default_manager.count() == before


@pytest.mark.parametrize("table", RECORDS)
def test_no_list_counts_or_sorts_a_whole_table(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    with CaptureQueriesContext(connection) as asked:
        superuser.get(f"/admin/arena/{table}/", {"o": "1"})
    counts = [query["sql"] for query in asked if "COUNT(*)" in query["sql"]]
    assert counts and all(f"LIMIT {record.MOST_COUNTED + 1}" in sql for sql in counts), counts


def test_what_is_not_counted_to_its_end_says_so(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(record, "MOST_COUNTED", 3)
    User.objects.bulk_create(User(username=f"user{n}") for n in range(3))
    assert str(BoundedPaginator(User.objects.order_by("pk"), 2).count) == "3"
    User.objects.create_user("one more")
    pages = BoundedPaginator(User.objects.order_by("pk"), 2)
    assert (str(pages.count), pages.num_pages) == ("more than 3", 2)
