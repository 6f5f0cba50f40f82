from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

import arena.urls  # noqa: F401 - tables are registered with the addresses
from arena.models import Seat
from tests.kit.browsing import flowing
from tests.kit.pressing import buttons, press

# Of any page of the administration, however much there is.
MOST_QUERIES = 15
TABLES = [model.__name__.lower() for model in apps.get_app_config("arena").get_models()]


def test_every_table_is_in_the_admin() -> None:
    assert all(admin.site.is_registered(model) for model in apps.get_app_config("arena").get_models())


def test_the_admin_says_whose_it_is(superuser: Client) -> None:
    page = superuser.get("/admin/arena/match/").content.decode()
    assert "| Arena administration</title>" in page and "Arena <small>Control room</small>" in page


def test_a_longer_list_asks_no_more_questions(superuser: Client, fill: Callable[[int], None]) -> None:
    counts = []
    for n in range(1, 6):
        fill(n)
        if n in (1, 5):
            counts.append({table: questions(superuser, f"/admin/arena/{table}/", (200,)) for table in TABLES})
    assert counts[0] == counts[1] and max(counts[1].values()) <= MOST_QUERIES, counts


def test_a_row_of_every_table_can_be_looked_at(superuser: Client, fill: Callable[[int], None]) -> None:
    for n in (1, 2):
        fill(n)
    counts = dict[str, int]()
    for table in TABLES:
        key = apps.get_model("arena", table)._default_manager.order_by("pk")[0].pk
        rows = [f"/admin/arena/{table}/{quote(key)}/{page}/" for page in ("change", "history")]
        counts |= {row: questions(superuser, row) for row in rows}
    assert max(counts.values()) <= MOST_QUERIES, counts


def test_every_list_can_be_searched(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    for table in TABLES:
        assert superuser.get(f"/admin/arena/{table}/", {"q": "player"}).status_code == 200, table


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
    group = Group.objects.create(name="judges").pk
    own = ["", "machines/", "drain/", "search/?q=layer", "search/?q=nothing", "password_change/"]
    accounts = ["auth/user/", "auth/user/add/", "auth/group/", "auth/group/add/"]
    user = User.objects.order_by("pk")[0].pk
    rows = [f"auth/user/{user}/{page}/" for page in ("change", "history")]
    rows += [f"auth/group/{group}/{page}/" for page in ("change", "history", "delete")]
    asked = dict[str, list[int]]()
    for n in (1, 2):
        fill(n)
        for path in [*own, *accounts, *rows]:
            asked.setdefault(path, []).append(questions(superuser, f"/admin/{path}"))
    assert max(map(max, asked.values())) <= MOST_QUERIES, asked


def test_the_pages_that_come_before_an_act_ask_few_questions(superuser: Client, fill: Callable[[int], None]) -> None:
    for n in (1, 2):
        fill(n)
    asked = dict[str, int]()
    for table in TABLES:
        row = f"/admin/arena/{table}/{quote(apps.get_model('arena', table)._default_manager.order_by('pk')[0].pk)}/"
        page = superuser.get(f"{row}change/")
        for address in set(re.findall(rf'"({re.escape(row)}(?!change|history)[^"#]+)"', page.content.decode())):
            asked[address] = questions(superuser, unescape(address))
        for label in buttons(page):
            if label.endswith("…"):
                with CaptureQueriesContext(connection) as seen:
                    assert "This will be changed:" in flowing(press(superuser, page, label)), label
                asked[f"{row} {label}"] = len(seen)
    assert len(asked) > 10 and max(asked.values()) <= MOST_QUERIES, asked


def test_what_is_asked_before_an_act_on_many_rows_asks_few_questions(
    superuser: Client, fill: Callable[[int], None]
) -> None:
    for n in range(1, 7):
        fill(n)
    asked = dict[str, int]()
    for model, lister in admin.site._registry.items():
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        asked[f"{address}add/"] = questions(superuser, f"{address}add/", (200, 403))
        rows = [str(row.pk) for row in model._base_manager.order_by("pk")[:6]]
        for act in superuser_actions(lister) if rows else ():
            with CaptureQueriesContext(connection) as seen:
                page = superuser.post(address, {"action": act, "_selected_action": rows})
            assert page.status_code in (200, 302), (address, act)
            asked[f"{address} {act}"] = len(seen)
    assert len(asked) > 50 and max(asked.values()) <= MOST_QUERIES, asked


def superuser_actions(lister: admin.ModelAdmin[Any]) -> list[str]:
    request = RequestFactory().get("/")
    request.user = User.objects.get(username="root")
    return list(lister.get_actions(request))


def questions(person: Client, address: str, answers: tuple[int, ...] = (200, 302)) -> int:
    """Of the database. A search that finds only one leads to its page."""
    with CaptureQueriesContext(connection) as seen:
        assert person.get(address).status_code in answers, address
    return len(seen)
