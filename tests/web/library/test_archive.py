"""`/matches/`: what it lists, what its filters find, and that no page of it reads the whole table."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.host import Host
from arena.match.commands import Abort, Resign
from arena.match.ids import id_at
from arena.models import Match, Room, Seat
from arena.web.library import archive
from tests.kit.browsing import Person, context, text
from tests.kit.history import WON, match, person


async def found(query: str = "", status: int = 200) -> str:
    response = await Person().get(f"/matches/{query}")
    assert response.status_code == status, query
    return " ".join(re.sub(r"<[^>]+>", " ", text(response)).split())


async def test_a_public_match_that_has_ended_is_listed_with_who_won(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    live = await match(host, mira, bob, moves=WON)
    assert "Mira K beat Bob" in await found() and "four in a row, 7 moves" in await found()
    page = text(await Person().get("/matches/"))
    assert f"/m/{live.id}/" in page
    # HTML allows milliseconds at most.
    assert re.search(r'<time [^>]*datetime="\d{4}(-\d\d){2}T\d\d(:\d\d){2}\+0000">', page), page
    await match(host, mira, bob, end=Resign(0))
    assert "Bob beat Mira K" in await found()
    await match(host, mira, bob, end=Abort("abort", "the power failed"))
    page = await found()
    assert "Mira K against Bob" in page and "not counted" in page


async def test_private_and_running_matches_are_not(host: Host) -> None:
    mira, bob = await person(), await person("Bob")
    room = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant="connect-four-7x6")
    await match(host, mira, bob, room=room.pk)
    page = await found()
    assert "No match has been finished yet." in page and "Mira K" not in page


async def test_filters_find_what_they_say_and_a_ruling_counts(host: Host) -> None:
    mira, bob, eve = await person(), await person("Bob"), await person("Eve")
    await match(host, mira, bob)
    await match(host, bob, eve, variant="santorini-5x5")
    ruled = await match(host, eve, mira)
    await host.referee.rule(ruled, "draw", None, "both agreed", "grace")
    assert "Bob beat Eve" in await found("?game=santorini-5x5") and "Mira" not in await found("?game=santorini-5x5")
    page = await found("?player=mira k")
    assert "Mira K beat Bob" in page and "Eve drew with Mira K" in page and "Bob beat Eve" not in page
    assert page.count("both agreed") == 1 and page.count("resigned") == 1
    page = await found("?result=drawn")
    assert "Eve drew with Mira K" in page and "beat" not in page
    today, tomorrow = timezone.now().date(), timezone.now().date() + timedelta(days=1)
    assert "Mira K beat Bob" in await found(f"?since={today}&until={today}")
    assert "No such match." in await found(f"?since={tomorrow}")
    assert "No such match." in await found("?until=2026-01-01")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?player=nobody", "There is no player called “nobody”."),
        ("?game=chess", "chess is not one of the available choices"),
        ("?since=yesterday", "Enter a valid date"),
        ("?result=magic", "magic is not one of the available choices"),
    ],
)
async def test_what_cannot_be_looked_for_is_said(host: Host, query: str, words: str) -> None:
    assert words in await found(query, status=422)


@pytest.mark.parametrize("query", ["?before=zzzzzzzzzzzzzz", "?until=9999-12-31", "?since=0001-01-01"])
async def test_the_edges_are_no_errors(host: Host, query: str) -> None:
    await match(host, await person(), await person("Bob"))
    assert "Mira K beat Bob" in await found(query)


async def test_it_goes_back_to_the_first_match_a_page_at_a_time(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    await stored(80)
    seen = list[str]()
    address = ""
    while True:
        response = await Person().get(f"/matches/{address}")
        seen += [row["address"] for row in context(response)["rows"]]
        address = context(response)["older"]
        if not address:
            break
    assert len(seen) == len(set(seen)) == 80 and seen == sorted(seen, reverse=True)
    monkeypatch.setattr(archive, "LOOKED_THROUGH", 10)
    page = await Person().get("/matches/?result=drawn")
    assert context(page)["looked_through"] and "Look further back" in text(page)
    assert context(await Person().get(f"/matches/{context(page)['older']}"))["looked_through"]


@pytest.mark.parametrize("wish", [{}, {"game": "connect-four-7x6"}, {"game": "expanding-nim"}, {"result": "drawn"}])
async def test_every_filter_reads_by_an_index(host: Host, wish: dict[str, str]) -> None:
    await stored(40)
    plans = await sync_to_async(plans_of)(dict.fromkeys(archive.ArchiveFilter.base_fields, "") | wish)
    assert plans and [step for step in plans if step.startswith("SCAN arena_match") and "USING" not in step] == []
    if "game" in wish:
        assert any("match_of_variant" in step for step in plans)


def plans_of(wish: dict[str, str]) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        archive.page_of(wish, "")
    statements = [query["sql"] for query in asked.captured_queries if 'FROM "arena_match"' in query["sql"]]
    with connection.cursor() as cursor:
        return [row[3] for sql in statements for row in cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()]


@sync_to_async
def stored(number: int) -> None:
    """So many matches that a resignation has ended, a second apart."""
    now: Any = timezone.now()
    rows = [
        Match(
            id=id_at(now.timestamp() - n), variant="connect-four-7x6", opened=now, started=now, ended=now,
            winner=0, termination="resign", reason="resigned", plies=3,
        )
        for n in range(number)
    ]  # fmt: skip
    Match.objects.bulk_create(rows)
    Seat.objects.bulk_create(Seat(match=row, seat=n, name=f"P{n}", kind="human") for row in rows for n in (0, 1))


async def test_one_row_without_its_seats_costs_nobody_the_list(host: Host) -> None:
    live = await match(host, await person(), await person("Bob"), moves=WON)
    await Seat.objects.filter(match=live.id).adelete()
    assert "Orange beat Blue" in await found()
    for page in ("/games/connect-four/", "/matches/feed.atom", "/api/v1/matches/", "/watch/", "/"):
        assert (await Person().get(page)).status_code == 200, page
