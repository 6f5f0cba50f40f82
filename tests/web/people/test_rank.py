from __future__ import annotations

import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Player, Rating, Room
from arena.web.people.rank import ROWS
from tests.kit.browsing import Person, flowing, text
from tests.kit.rated import FOUR, NIM, cast

ADDRESS = f"/rank/{FOUR}/"


def rate(*players: Player, matches: int = 20, points: float = 1500.0, **more: object) -> None:
    """The first one is given these points, each that follows one point less."""
    now = timezone.now()
    Rating.objects.bulk_create(
        Rating(
            player=player,
            points=points - number,
            **{"variant": FOUR, "matches": matches, "deviation": 50, "at": now, **more},
        )
        for number, player in enumerate(players)
    )


@sync_to_async
def a_ladder(*names: str, kind: str = "person", **more: object) -> list[Player]:
    players = cast(*names, kind=kind)
    rate(*players, **more)  # type: ignore[arg-type]
    return players


def names(page: str) -> list[str]:
    return re.findall(r'<th scope="row">\s*<a href="[^"?]*">([^<]*)</a>', page)


def places(page: str) -> list[str]:
    return re.findall(r'<tr[^>]*>\s*<td class="num">(\d*)</td>', page)


async def shown(address: str = ADDRESS) -> str:
    answer = await Person().get(address)
    assert answer.status_code == 200
    return flowing(answer)


async def test_the_best_stand_on_top_with_their_places(host: Host) -> None:
    await a_ladder("charlie", points=1400)
    await a_ladder("alice", "bob", points=1700, last="WDL", won=9, drawn=3)
    page = await shown()
    assert names(page) == ["alice", "bob", "charlie"] and places(page) == ["1", "2", "3"]
    assert '<b>1700</b> <span class="small muted">±98</span>' in page
    assert 'aria-label="Last 3: 1 won, 1 drawn, 1 lost"' in page
    assert "just now" in page and "Not yet settled" not in page


async def test_whoever_has_few_matches_stands_below_without_a_place(host: Host) -> None:
    await a_ladder("newcomer", matches=9, points=2400, deviation=150)
    await a_ladder("alice", matches=10)
    page = await shown()
    assert names(page) == ["alice", "newcomer"] and places(page) == ["1", ""]
    assert page.index("alice") < page.index("Not yet settled") < page.index("newcomer")
    assert '2400<span aria-hidden="true">?</span>' in page


async def test_people_and_bots_stand_on_one_ladder_and_can_be_asked_for(host: Host) -> None:
    await a_ladder("alice", points=1600)
    await a_ladder("gravity-9", kind="bot", points=1700)
    assert names(await shown()) == ["gravity-9", "alice"]
    assert names(await shown(f"{ADDRESS}?kind=people")) == ["alice"]
    bots = await shown(f"{ADDRESS}?kind=bots")
    assert names(bots) == ["gravity-9"] and '<span class="tag bot">bot</span>' in bots
    assert f'href="{ADDRESS}?kind=bots" aria-current="true"' in bots
    assert f'href="/rank/{NIM}/?kind=bots"' in bots, "another game keeps what was asked for"


async def test_games_have_ladders_of_their_own(host: Host) -> None:
    await a_ladder("alice", variant=NIM)
    assert names(await shown()) == [] and names(await shown(f"/rank/{NIM}/")) == ["alice"]


async def test_without_a_game_the_first_one_is_shown(host: Host) -> None:
    answer = await Person().get("/rank/")
    assert answer.status_code == 302 and answer["Location"] == ADDRESS


@pytest.mark.parametrize(("query", "who"), [("", "Nobody"), ("?kind=people", "No person"), ("?kind=bots", "No bot")])
async def test_an_empty_ladder_says_how_to_get_onto_it(host: Host, query: str, who: str) -> None:
    page = await shown(ADDRESS + query)
    assert f"{who} has a rating in Connect Four" in page and "Create a rated room" in page


async def test_pages_go_on_where_the_last_one_ended_over_the_line_too(host: Host) -> None:
    settled, others = ROWS + 10, ROWS
    await a_ladder(*[f"s{number}" for number in range(settled)])
    await a_ladder(*[f"o{number}" for number in range(others)], matches=3)
    first, second, third = [await shown(f"{ADDRESS}?page={number}") for number in (1, 2, 3)]
    expected = [f"s{number}" for number in range(settled)] + [f"o{number}" for number in range(others)]
    assert names(first) + names(second) + names(third) == expected
    assert places(second)[:11] == [*[str(number) for number in range(ROWS + 1, settled + 1)], ""]
    assert "Not yet settled" not in first and "Not yet settled" in second and "Not yet settled" in third
    assert "Page 2 of 3" in second and 'href="?page=1"' in second and 'href="?page=3"' in second
    assert 'rel="prev"' not in first and 'rel="next"' not in third


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/rank/halma/", "There is no game halma here"),
        (f"{ADDRESS}?kind=robots", "kind=robots: expected one of all, people, bots."),
        (f"{ADDRESS}?page=0", "page=0: expected a whole number from 1."),
        (f"{ADDRESS}?page=-1", "page=-1: expected"),
        (f"{ADDRESS}?page=%D9%A4", "expected a whole number"),
        (f"{ADDRESS}?page=99999999999", "expected a whole number"),
        (f"{ADDRESS}?page=2", "There is no page 2 of this table; the last one is page 1."),
        (f"{ADDRESS}?kind=<script>", "kind=&lt;script&gt;: expected"),
    ],
)
async def test_what_is_not_there_is_said_in_words(host: Host, address: str, said: str) -> None:
    answer = await Person().get(address)
    assert answer.status_code == 404 and said in text(answer)


async def test_who_plays_in_public_is_seen_now(host: Host) -> None:
    alice, bob, charlie, dora = await a_ladder(
        "alice", "bob", "charlie", "dora", at=timezone.now() - timedelta(hours=3)
    )
    private = await Room.objects.acreate(code="OTTER-1", shown_code="otter-1", private=True, variant=FOUR)
    for room, pair in ((None, (alice, bob)), (private.pk, (charlie, dora))):
        first, second = [SeatSetup(player.name, player=player.pk, verified=True) for player in pair]
        await host.referee.open(Setup(FOUR, (first, second), room=room))
    page = await shown()
    assert page.count('<b class="playing">now</b>') == 2
    assert page.index('"playing"') < page.index("charlie") < page.index(">3 h ago")


async def test_names_are_escaped(host: Host) -> None:
    await a_ladder("<b>bold</b>")
    assert "&lt;b&gt;bold" in await shown()


async def test_the_number_of_queries_does_not_grow(host: Host) -> None:
    await a_ladder("alice", last="W")
    few = await queries_of(ADDRESS)
    assert few == 5, "both numbers, those of both that are shown, and what belongs to them"
    await a_ladder(*[f"s{number}" for number in range(2 * ROWS)], last="WWLL")
    await a_ladder(*[f"o{number}" for number in range(2 * ROWS)], matches=3)
    assert await queries_of(ADDRESS) == few, "a full page never looks beyond the line, but where the next one begins"
    assert await queries_of(f"{ADDRESS}?page=3") == few


async def queries_of(address: str) -> int:
    """How many queries for ratings the page takes, in the one thread of Django's own: `Person` would take another."""
    captured = CaptureQueriesContext(connection)
    await sync_to_async(captured.__enter__)()
    assert (await AsyncClient().get(address)).status_code == 200
    await sync_to_async(captured.__exit__)(None, None, None)
    queries = await sync_to_async(lambda: [query["sql"] for query in captured])()
    return sum('"arena_rating"' in query for query in queries)


def in_order(page: str) -> list[str]:
    """The names of the players and of the landmarks between them."""
    return re.findall(r'<tr[^>]*>\s*<td[^>]*>\d*</td>\s*<th scope="row">\s*(?:<a href="[^"]*">)?([^<]*?)\s*<', page)


async def test_built_in_players_stand_between_the_rated_and_take_no_place(host: Host) -> None:
    await a_ladder("alice", points=1950)
    await a_ladder("bob", points=1600)
    page = await shown()
    assert in_order(page) == ["Best", "alice", "Expert", "bob", "Club", "Casual", "Beginner", "Random"]
    assert places(page) == ["1", "2"]
    assert 'href="/?game=connect-four-7x6&amp;level=club">Club</a>' in page


async def test_a_landmark_stands_on_one_page_only(host: Host) -> None:
    await a_ladder(*[f"s{number:03}" for number in range(2 * ROWS)], points=1550)
    one, two = await shown(), await shown(f"{ADDRESS}?page=2")
    assert [name for name in in_order(one) if name[0] != "s"] == ["Best", "Expert"]
    assert in_order(two)[0] == "s050" and "Club" in in_order(two) and "Best" not in in_order(two)


async def test_an_empty_table_shows_the_built_in_players(host: Host) -> None:
    page = await shown()
    assert "Nobody has a rating" in page and "Club" in in_order(page) and "You would begin here" not in page
