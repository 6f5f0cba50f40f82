"""Every search and every filter of every list of the admin, with the plan that each kind of database makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import connection
from django.db.models import Index
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from arena.admin import searching
from arena.models import ChatLine, ChatReport, Entry, Event, Pairing, Player, Seat, Tournament
from tests.admin.conftest import NOW

pytestmark = pytest.mark.long

# What a term can be: a part of a name, a number, and what is nowhere; and what each list finds at once.
TERMS = ("yer", "4301", "nothing")
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


@pytest.fixture
def enough(monkeypatch: pytest.MonkeyPatch, fill: Callable[[int], None]) -> None:
    """So many that the newest two are a small part of them, as PostgreSQL knows."""
    monkeypatch.setattr(searching, "LOOKED_THROUGH", 2)
    for n in range(1, 41):
        fill(n)
        Player.objects.create(kind="person", name=f"person {n}", slug=f"person-{n}", user=User.objects.last())
    entries = Entry.objects.order_by("pk")
    for pairing, other in zip(Pairing.objects.order_by("-pk"), entries, strict=True):
        Pairing.objects.filter(pk=pairing.pk).update(b=other, state="open")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def lists(user: User) -> Iterator[tuple[ModelAdmin[Any], str]]:
    """Every list with each of its filters, and with every term: whose it is, and its address."""
    for model, lister in admin.site._registry.items():
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield lister, address
        if finds := lister.get_search_fields(RequestFactory().get(address)):
            there = [model._base_manager.values_list(find, flat=True).first() for find in finds]
            yield from ((lister, f"{address}?q={term}") for term in dict.fromkeys([*TERMS, *filter(None, there)]))
        shown = answer(lister, address, user).context_data["cl"]
        for spec in shown.filter_specs:
            choices = [choice["query_string"] for choice in spec.choices(shown)]
            assert len(choices) > 1, (address, spec)
            yield from ((lister, f"{address}{choice}") for choice in choices[1:4])


def answer(lister: ModelAdmin[Any], address: str, user: User) -> Any:
    """The list at this address, as its view makes it: what stands in front of each page is looked at elsewhere."""
    request = RequestFactory().get(address)
    request.user = user
    request._messages = CookieStorage(request)  # type: ignore[attr-defined]
    return lister.changelist_view(request)


def selects(lister: ModelAdmin[Any], address: str, user: User) -> set[str]:
    """What the list asks the database for."""
    with CaptureQueriesContext(connection) as asked:
        shown = answer(lister, address, user)
        assert shown.status_code == 200, address
        shown.render()
    return {query["sql"] for query in asked.captured_queries if query["sql"].startswith("SELECT")}


def on_sqlite_reads(sql: str) -> list[str]:
    """Each step of the plan that is not the use of an index."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        plan = [row[3] for row in cursor.fetchall()]
    found = [line for line in plan if not _is_bounded(sql, line)]
    if any(line.startswith("SCAN arena") for line in plan) and "USE TEMP B-TREE FOR ORDER BY" in plan:
        found.append("sorts what it scans")
    return found


def _is_bounded(sql: str, line: str) -> bool:
    scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    if scanned is None or scanned[1].startswith(("subquery", "CONSTANT")):
        return True
    return is_a_page_in_order(sql) or scanned[1] in FEW or scanned[2] in PARTIAL


def on_postgres_reads(sql: str) -> list[str]:
    ordered = is_a_page_in_order(sql)
    with connection.cursor() as cursor:
        for way in ("seqscan", "hashjoin", "mergejoin", "material"):
            cursor.execute(f"SET enable_{way} = off")
        cursor.execute(f"SET enable_sort = {'off' if ordered else 'on'}")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql if ordered else _unordered(sql)}")
        steps = list(_steps(cursor.fetchone()[0][0]["Plan"]))
    whole = [step for step in steps if _reads_all(step) and step["Relation Name"] not in FEW]
    found = [] if ordered and not any(step["Node Type"] == "Sort" for step in steps) else whole
    return [f"{step['Node Type']} of {step['Relation Name']} by {step.get('Index Name')}" for step in found]


def _steps(step: dict[str, Any], table: str = "") -> Iterator[dict[str, Any]]:
    """What reads an index for the step above it does not say of which table."""
    step.setdefault("Relation Name", table)
    yield step
    for below in step.get("Plans", ()):
        yield from _steps(below, step["Relation Name"])


def _unordered(sql: str) -> str:
    """Without an order of all that is found, which can be sorted when it is few."""
    before, _, order = sql.rpartition(" ORDER BY ")
    return before if before and order.count("(") == order.count(")") else sql


def _reads_all(step: dict[str, Any]) -> bool:
    if step["Node Type"] == "Seq Scan":
        return True
    return "Index Name" in step and "Index Cond" not in step and step["Index Name"] not in PARTIAL


def is_a_page_in_order(sql: str) -> bool:
    return " WHERE " not in _outermost(sql)


def _outermost(sql: str) -> str:
    """Without what is asked for each row of a page; a count is asked of what it counts."""
    if sql.startswith("SELECT COUNT"):
        return sql
    while (shorter := re.sub(r"\([^()]*\)", "", sql)) != sql:
        sql = shorter
    return sql


@pytest.fixture
def on_sqlite(db: None) -> None:
    assert connection.vendor == "sqlite"


@pytest.mark.django_db
@pytest.mark.cases(1)
@pytest.mark.parametrize("store", ["on_sqlite", pytest.param("on_postgres", marks=pytest.mark.service)])
def test_every_search_and_every_filter_is_one_of_an_index(store: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(store)
    request.getfixturevalue("few" if connection.vendor == "sqlite" else "enough")
    user = User.objects.create_superuser("root")
    asking = list(lists(user))
    assert len(asking) > 100
    # What a list offers is the same for many of them: the plan of each is made once.
    asked = {sql: address for lister, address in asking for sql in selects(lister, address, user)}
    steps = on_postgres_reads if connection.vendor == "postgresql" else on_sqlite_reads
    assert [(step, address, sql) for sql, address in asked.items() for step in steps(sql)] == []


@pytest.mark.django_db
def test_the_control_room_reads_nothing_of_what_is_over(superuser: Client, fill: Callable[[int], None]) -> None:
    """SQLite knows here that nearly every event and report is over, as it does on an old server."""
    fill(1)
    fill(2)
    event, line, by = Tournament.objects.latest("pk"), ChatLine.objects.latest("pk"), Player.objects.latest("pk")
    over = {"variant": event.variant, "format": "swiss", "state": "finished", "finished": NOW}
    Tournament.objects.bulk_create(Tournament(slug=f"over-{n}", name=f"over {n}", **over) for n in range(500))
    said = {"match_id": line.match_id, "player": line.player, "among_players": True}
    lines = ChatLine.objects.bulk_create(ChatLine(name="Ada", text="hi", **said) for _ in range(500))
    ChatReport.objects.bulk_create(ChatReport(line=each, by=by, decided=NOW) for each in lines)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with CaptureQueriesContext(connection) as asked:
        assert superuser.get("/admin/").status_code == 200
    selects = [query["sql"] for query in asked.captured_queries if query["sql"].startswith("SELECT")]
    long = ("arena_tournament", "arena_chatreport", "arena_chatline")
    steps = [(step, sql) for sql in selects for step in on_sqlite_reads(sql) if any(table in step for table in long)]
    assert len(selects) > 5 and steps == []


def test_the_moves_of_a_match_are_found_by_its_number(superuser: Client, few: None) -> None:
    for table, model in (("move", Event), ("event", Event), ("seat", Seat)):
        page = superuser.get(f"/admin/arena/{table}/?q=match-1").content.decode()
        wanted, other = (model.objects.filter(match=match).latest("pk") for match in ("match-1", "match-2"))
        assert f"/{wanted.pk}/change/" in page and f"/{other.pk}/change/" not in page


def test_parts_of_names_are_looked_for_in_the_newest_rows_and_it_says_so(superuser: Client, few: None) -> None:
    page = superuser.get("/admin/arena/player/?q=layer").content.decode()
    assert [f"player {n}<" in page for n in (1, 2, 3)] == [False, True, True]
    assert "look through the newest" in page
    assert "player 1<" in superuser.get("/admin/arena/player/?q=player-1").content.decode()


@pytest.mark.parametrize("address", ["bot/?token_sha256__startswith=a", "onetimecode/?code_sha256__startswith=0"])
def test_an_address_asks_for_nothing_but_filters(superuser: Client, few: None, address: str) -> None:
    assert superuser.get(f"/admin/arena/{address}").status_code == 400
