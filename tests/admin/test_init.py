from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import Seat

# Of any page of the administration, however much there is.
MOST_QUERIES = 15
TABLES = [model.__name__.lower() for model in apps.get_app_config("arena").get_models()]


def test_every_table_is_in_the_admin() -> None:
    assert all(admin.site.is_registered(model) for model in apps.get_app_config("arena").get_models())


def test_the_admin_says_whose_it_is(superuser: Client) -> None:
    page = superuser.get("/admin/arena/match/").content.decode()
    assert "| Arena administration</title>" in page and "Arena <small>Control room</small>" in page


@pytest.mark.parametrize("table", TABLES)
def test_a_longer_list_asks_no_more_questions(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    counts = []
    for n in range(1, 6):
        fill(n)
        if n in (1, 5):
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert superuser.get(f"/admin/arena/{table}/").status_code == 200
            counts.append(len(asked))
    assert counts[0] == counts[1] <= MOST_QUERIES, [query["sql"] for query in asked]


@pytest.mark.parametrize("table", TABLES)
def test_a_row_of_every_table_can_be_looked_at(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    key = apps.get_model("arena", table)._default_manager.first().pk
    with CaptureQueriesContext(connection) as asked:
        assert superuser.get(f"/admin/arena/{table}/{quote(key)}/change/").status_code == 200
    assert len(asked) <= MOST_QUERIES, [query["sql"] for query in asked]


@pytest.mark.parametrize("table", TABLES)
def test_every_list_can_be_searched(table: str, superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    assert superuser.get(f"/admin/arena/{table}/", {"q": "player"}).status_code == 200


def test_no_page_shows_what_proves_a_seat(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    Seat.objects.update(holder="5ecre7")
    seat = Seat.objects.get(seat=0)
    pages = [
        "/admin/arena/seat/",
        f"/admin/arena/seat/{seat.pk}/change/",
        f"/admin/arena/match/{seat.match_id}/change/",
    ]
    assert not any("5ecre7" in superuser.get(page).content.decode() for page in pages)


def test_pages_that_are_of_no_table_of_ours_ask_few_questions_too(
    superuser: Client, fill: Callable[[int], None]
) -> None:
    for n in (1, 2):
        fill(n)
    own = ["", "machines/", "drain/", "search/?q=layer", "search/?q=nothing"]
    accounts = ["auth/user/", f"auth/user/{User.objects.order_by('pk')[0].pk}/change/", "auth/group/"]
    asked = dict[str, int]()
    for path in [*own, *accounts]:
        with CaptureQueriesContext(connection) as seen:
            assert superuser.get(f"/admin/{path}").status_code == 200, path
        asked[path] = len(seen)
    assert max(asked.values()) <= MOST_QUERIES, asked
