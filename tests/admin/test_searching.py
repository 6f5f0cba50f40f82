"""Every search and every filter of every list of the admin, with the plan that the database makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import Index
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from arena.admin import searching
from arena.models import Event, Seat

pytestmark = pytest.mark.long

# What a term can be: a name that is there, a part of one, a number, and what is nowhere.
TERMS = ("player-1", "user1", "match-2", "room-1", "cup-1", "yer", "4301", "root", "nothing")
# Tables of which nothing makes more: kinds of rows, rights, groups; and who asks.
FEW = {"django_content_type", "auth_permission", "auth_group", "arena_lease"}
# An index of the running matches is read whole: they are few.
PARTIAL = {
    index.name
    for model in apps.get_app_config("arena").get_models()
    for index in model._meta.indexes
    if isinstance(index, Index) and index.condition is not None
}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, fill: Callable[[int], None]) -> None:
    """Three rows of everything, of which one is not among the newest."""
    monkeypatch.setattr(searching, "LOOKED_THROUGH", 2)
    for n in (1, 2, 3):
        fill(n)


def lists(client: Client) -> Iterator[str]:
    """The address of every list with each of its filters, and with every term."""
    for model, lister in admin.site._registry.items():
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield address
        if lister.get_search_fields(RequestFactory().get(address)):
            yield from (f"{address}?q={term}" for term in TERMS)
        answer = client.get(address)
        for spec in answer.context["cl"].filter_specs:
            choices = [choice["query_string"] for choice in spec.choices(answer.context["cl"])]
            assert len(choices) > 1, (address, spec)
            yield from (f"{address}{choice}" for choice in choices[1:4])


def reads(client: Client, address: str) -> list[tuple[str, str]]:
    """What the list asked for, and each line of its plan that is not the use of an index."""
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(address).status_code == 200, address
    found = []
    for query in asked.captured_queries:
        if query["sql"].startswith("SELECT"):
            plan = _plan(query["sql"])
            found += [(query["sql"], line) for line in plan if not _is_bounded(query["sql"], line)]
            if any(line.startswith("SCAN arena") for line in plan) and "USE TEMP B-TREE FOR ORDER BY" in plan:
                found.append((query["sql"], "sorts what it scans"))
    return found


def _plan(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[3] for row in cursor.fetchall()]


def _is_bounded(sql: str, line: str) -> bool:
    scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    if scanned is None or scanned[1].startswith(("subquery", "CONSTANT")):
        return True
    a_page_in_order = " WHERE " not in _outermost(sql)
    return a_page_in_order or scanned[1] in FEW or scanned[2] in PARTIAL


def _outermost(sql: str) -> str:
    """Without what is asked for each row of a page; a count is asked of what it counts."""
    if sql.startswith("SELECT COUNT"):
        return sql
    while (shorter := re.sub(r"\([^()]*\)", "", sql)) != sql:
        sql = shorter
    return sql


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads the plans of SQLite")
def test_every_search_and_every_filter_is_one_of_an_index(superuser: Client, few: None) -> None:
    addresses = list(lists(superuser))
    assert len(addresses) > 100
    wrong = {(line, address, sql) for address in addresses for sql, line in reads(superuser, address)}
    assert sorted(wrong) == []


def test_the_moves_of_a_match_are_found_by_its_number(superuser: Client, few: None) -> None:
    for table, model in (("move", Event), ("event", Event), ("seat", Seat)):
        page = superuser.get(f"/admin/arena/{table}/?q=match-1").content.decode()
        assert f"/{model.objects.filter(match='match-1').last().pk}/change/" in page
        assert f"/{model.objects.filter(match='match-2').last().pk}/change/" not in page


def test_parts_of_names_are_looked_for_in_the_newest_rows_and_it_says_so(superuser: Client, few: None) -> None:
    page = superuser.get("/admin/arena/player/?q=layer").content.decode()
    assert [f"player {n}<" in page for n in (1, 2, 3)] == [False, True, True]
    assert "look through the newest" in page
    assert "player 1<" in superuser.get("/admin/arena/player/?q=player-1").content.decode()


@pytest.mark.parametrize("address", ["bot/?token_sha256__startswith=a", "onetimecode/?code_sha256__startswith=0"])
def test_an_address_asks_for_nothing_but_filters(superuser: Client, few: None, address: str) -> None:
    assert superuser.get(f"/admin/arena/{address}").status_code == 400
