from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.test import Client

RECORDS = ("audit", "event", "host", "match", "move", "rating", "ratingchange", "ruling", "seat", "wirechunk")


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
