"""Tournaments as everybody sees them: the list, the table, what two played, the files."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from arena.host import Host
from arena.models import Bot, Pairing, Tournament, Work
from arena.tournaments import actions, export
from arena.tournaments.spec import EntrySpec
from arena.web.tournaments.tournaments import _listed
from tests.kit.browsing import Person, text
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, begun, builtins, finished
from tests.tournaments.rows import result, results, rule
from tests.web.sockets.test_consumers import opened
from tests.web.test_who_may import known

do = sync_to_async


async def a_paused(count: int = 3, *texts: str, **values: Any) -> Tournament:
    """A tournament that nobody plays on while the test looks, with these results of its first pairings."""
    tournament = await do(actions.create)(a_spec(count, **values))
    await do(actions.start)(tournament)
    await do(actions.pause)(tournament)
    await do(results)(*texts)
    return tournament


async def says(path: str) -> str:
    answer = await Person().get(path)
    assert answer.status_code == 200, f"{answer.status_code} {path}"
    return unescape(text(answer))


async def test_a_link_to_one_says_what_is_played_and_how_it_stands(host: Host) -> None:
    page = await says((await a_paused(3, name="Winter cup")).get_absolute_url())
    assert '<meta property="og:title" content="Winter cup">' in page
    (told,) = re.findall('property="og:description" content="(.+)"', page)
    assert "Connect Four" in told and "Paused at" in told


async def test_an_empty_list_says_what_to_do(host: Host) -> None:
    page = await says("/t/")
    assert "No tournament yet. A round robin needs two bots and one click." in page and 'href="/t/new/"' in page


async def test_the_list_says_what_runs_what_is_open_and_what_is_over(host: Host) -> None:
    await a_begun(a_spec(2, name="Autumn cup"))
    await finished("autumn-cup")
    await a_paused(3, "1-0", name="Winter cup")
    await do(actions.create)(a_spec(2, name="May cup"), None, None, "waiting")
    await do(actions.create)(a_spec(2, name="Secret draft"))
    page = await says("/t/")
    for said in ("Autumn cup", "Winter cup", "1 of 3", "May cup", "the organiser starts it", "3 players"):
        assert said in page
    assert "Secret draft" not in page
    assert "Winter cup" not in await says("/t/?show=finished")
    assert "None of these now." in await says("/t/?show=finished&page=9")


async def test_the_list_counts_what_was_decided_and_what_is_to_come_as_the_page_does(host: Host) -> None:
    cup = await a_paused(4, format="knockout", third_place=True)
    pairings = [pairing async for pairing in Pairing.objects.select_related("tournament", "a", "b").order_by("pk")]
    await do(rule)(await do(result)(pairings[0], "none", "admin_abort"), "win", 0)
    await do(actions.award)(pairings[1], "draw", "it was late")
    assert "Paused at 2 of 4" in await says(cup.get_absolute_url())
    assert "2 of 4" in await says("/t/")


async def test_what_no_list_can_be_is_no_page(host: Host) -> None:
    for query in ("show=all", "show=running&page=0", "show=running&page=x"):
        assert (await Person().get(f"/t/?{query}")).status_code == 404


async def test_the_page_has_the_crosstable_the_sums_and_what_comes_next(host: Host) -> None:
    await a_paused(3, "1-0", "1/2-1/2")
    sheet = await a_sheet("spring-cup")
    page = await says("/t/spring-cup/")
    assert "Paused at 2 of 3" in page
    first = sheet.lines[0]
    names = sheet.names
    assert first.b is not None
    assert f'aria-label="{names[first.a]} against {names[first.b]}: 1 to 0"' in page
    assert f'aria-label="{names[first.b]} against {names[first.a]}: 0 to 1"' in page
    assert "Order: points, then direct encounter, then wins" in page
    for line in sheet.standings:
        for value in line.values.values():
            assert value.explained(names) in page
    assert "Next:" in page and " to +" in page and "By Elo" in page and " %" in page
    assert "players whose intervals overlap are tied." in page
    german = text(await Person().get("/t/spring-cup/", **{"accept-language": "de"}))
    assert " bis +" in german and " to +" not in german


async def test_whoever_looks_chooses_the_tie_break_that_comes_first(host: Host) -> None:
    await a_paused(3, "1-0", "1/2-1/2")
    page = await says("/t/spring-cup/?tie-break=sonneborn-berger")
    assert "Order: points, then Sonneborn-Berger, then direct encounter, then wins, then fewer failures." in page
    assert '<a href="?tie-break=sonneborn-berger#t-standings" aria-current="true">Sonneborn-Berger</a>' in " ".join(
        page.split()
    )
    assert "tournament=spring-cup&tie-break=sonneborn-berger" in page
    assert (await Person().get("/t/spring-cup/?tie-break=luck")).status_code == 404


async def test_a_draft_is_for_nobody_else(host: Host) -> None:
    await do(actions.create)(a_spec(2))
    for path in ("/t/spring-cup/", "/t/spring-cup/all.json", "/t/nothing/"):
        assert (await Person().get(path)).status_code == 404


async def test_a_decision_stands_beside_the_ending_and_the_table_follows_it(host: Host) -> None:
    await a_paused(2, "1-0")
    line = (await a_sheet("spring-cup")).lines[0]
    assert line.match is not None
    match = await do(lambda: Tournament.objects.get().pairings.get().matches.get())()
    await do(rule)(match, "win", 1, "the clock <was> wrong")
    for path in ("/t/spring-cup/", "/t/spring-cup/1/2/"):
        page = text(await Person().get(path))
        assert "the clock &lt;was&gt; wrong" in page and re.search(r"p\d won: on the board", page)
        assert "counts as <b>a win of" in page
    sheet = await a_sheet("spring-cup")
    assert sheet.names[sheet.standings[0].entry] == sheet.names[line.b or 0]


async def test_staff_alone_read_why_nobody_could_play_a_pairing(host: Host) -> None:
    """It may name commands and folders of this machine."""
    mira, root = await known("mira"), await known("root", is_staff=True, is_superuser=True)
    cup = await a_paused(2)
    await Tournament.objects.filter(pk=cup.pk).aupdate(organiser=await User.objects.aget(username="mira"))
    pairing = await Pairing.objects.aget()
    await Pairing.objects.aupdate(state="handed", faults=1)
    await Work.objects.acreate(kind="play", key=f"pairing:{pairing.pk}:1", state="failed", why="no program 'python9'")
    pages = [unescape(text(await person.get("/t/spring-cup/1/2/"))) for person in (Person(), mira, root)]
    assert all("The organiser decides." in page for page in pages)
    assert ["no program 'python9'" in page for page in pages] == [False, False, True]


async def test_what_two_played_is_a_page_and_others_are_none(host: Host) -> None:
    await a_paused(3, "1-0", legs=2)
    assert "against" in await says("/t/spring-cup/1/3/")
    for path in ("/t/spring-cup/1/1/", "/t/spring-cup/1/9/"):
        assert (await Person().get(path)).status_code == 404


async def test_knockout_and_swiss_show_their_rounds(host: Host) -> None:
    await a_begun(a_spec(5, format="knockout", variant="expanding-nim", legs=2))
    await a_begun(a_spec(5, format="swiss", variant="expanding-nim"))
    await finished("spring-cup")
    await finished("spring-cup-2")
    bracket, rounds = await says("/t/spring-cup/"), await says("/t/spring-cup-2/")
    for page in (bracket, rounds):
        landmarks = re.findall(r'(?:<section[^>]*|role="region") aria-labelledby="([\w-]+)"', page)
        assert landmarks and len(landmarks) == len(set(landmarks)), "no two have one name"
    assert "Bracket" in bracket and "wins the final against" in bracket and ">bye<" in bracket
    assert (
        "<h3>Quarter-final</h3>" in bracket
        and "<h3>Final</h3>" in bracket
        and '<td class="reached">Winner</td>' in bracket
    )
    assert "Order: the round reached." in bracket and "tie-break" not in bracket
    assert "Rounds" in rounds and "Crosstable" not in rounds


async def test_the_files_give_the_same_table_again(host: Host) -> None:
    await a_begun(a_spec(3))
    sheet = await finished("spring-cup")
    answer = await Person().get("/t/spring-cup/all.json")
    assert answer["Content-Disposition"] == 'attachment; filename="spring-cup.json"'
    again = export.from_json(json.loads(text(answer)))
    assert [(again.names[line.entry], line.points) for line in again.standings] == [
        (sheet.names[line.entry], line.points) for line in sheet.standings
    ]
    table = list(csv.reader(io.StringIO(text(await Person().get("/t/spring-cup/table.csv")))))
    assert [row[1] for row in table[1:]] == [sheet.names[line.entry] for line in sheet.standings]
    assert len(text(await Person().get("/t/spring-cup/pairings.csv")).splitlines()) == 4


@pytest.mark.django_db
def test_the_list_asks_no_more_the_more_there_are() -> None:
    asked = []
    for _ in range(2):
        for _ in range(3):
            begun(a_spec(2))
        with CaptureQueriesContext(connection) as queries:
            _listed("", 1, None)
        asked.append(len(queries))
    assert asked[0] == asked[1]


async def test_a_projector_shows_the_table_and_what_comes_next_without_chrome(host: Host) -> None:
    await a_paused(3, "1-0", "1/2-1/2")
    page = await says("/t/spring-cup/projector/")
    assert "Paused at 2 of 3" in page and 'id="t-standings"' in page and "site-foot" not in page
    assert "/ws/lobby/?tournament=spring-cup" in page and 'href="/t/spring-cup/"' in page
    assert 'aria-label="QR code of the link"' in page and "<code>http://testserver/t/spring-cup/</code>" in page


async def test_a_draft_is_on_no_projector(host: Host) -> None:
    await do(actions.create)(a_spec(2))
    assert (await Person().get("/t/spring-cup/projector/")).status_code == 404


async def test_who_organises_reads_before_it_starts_which_bot_cannot_be_started(
    host: Host, settings: Any, tmp_path: Path
) -> None:
    settings.ARENA_BOTS = tmp_path
    ours, _ = await register("gravity", "fiar", command=["python3", "gravity.py"])
    event = await do(actions.create)(a_spec(entries=(EntrySpec("gravity", "bot", player=ours.pk), *builtins(1))))
    root = Person()
    await root.client.aforce_login(await User.objects.acreate_superuser("root"))
    sentence = "This server cannot start <b>gravity</b>."
    assert sentence in text(await root.get(f"/t/{event.slug}/"))
    await do(actions.open_for_entries)(event)
    for reader in (root, guest := Person()):
        page = text(await reader.get(f"/t/{event.slug}/"))
        assert '<td><span class="muted">cannot be started</span></td>' in page and "1 of 2 are connected." in page
    assert sentence not in page
    async with opened(guest, f"/ws/lobby/?tournament={event.slug}") as socket:
        assert "cannot be started" in await socket.until("t-live")
        await Bot.objects.aupdate(enabled=False)
        await Tournament.objects.aupdate(version=F("version") + 1)
        assert "1 of 2 are connected." in await socket.until('<td><span class="muted">disabled</span></td>')
