"""The feeds: what is public and nothing else, as Atom that any reader takes."""

from __future__ import annotations

import html
from datetime import datetime
from xml.etree import ElementTree

import pytest
from asgiref.sync import sync_to_async

from arena.host import Host
from arena.match.commands import Fault, Rule
from arena.models import Match, Seat, Tournament
from arena.tournaments import actions
from arena.web.api import atom
from arena.web.limits import Limit
from tests.kit.browsing import Person, far_away, text, two_people
from tests.kit.history import WON, match, person
from tests.kit.tournaments import a_spec
from tests.web.tournaments.test_tournaments import a_paused

A = "{http://www.w3.org/2005/Atom}"


async def entries(path: str, who: Person | None = None) -> list[tuple[str, str]]:
    """Title and address of each, newest first, after a look at what Atom (RFC 4287) asks for."""
    answer = await (who or Person()).get(path)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("application/atom+xml"), text(answer)
    feed = ElementTree.fromstring(answer.content)
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{A}link")}
    assert links["self"] == f"http://testserver{path}" and feed.findtext(f"{A}updated")
    found = feed.findall(f"{A}entry")
    numbers = [entry.findtext(f"{A}id") for entry in found]
    assert len(numbers) == len(set(numbers)) and all(entry.findtext(f"{A}updated") for entry in found)
    return [(entry.findtext(f"{A}title") or "", entry.find(f"{A}link").get("href") or "") for entry in found]  # type: ignore[union-attr]


async def entry(path: str) -> tuple[str, datetime]:
    """The title of the only entry, and when it has changed."""
    found = ElementTree.fromstring((await Person().get(path)).content).find(f"{A}entry")
    assert found is not None
    return found.findtext(f"{A}title") or "", datetime.fromisoformat(found.findtext(f"{A}updated") or "")


async def test_finished_matches_are_followed_by_everybody_private_ones_by_nobody(host: Host) -> None:
    assert await entries("/matches/feed.atom") == []
    live = await match(host, await person(), await person("Bob"), moves=WON)
    private, first, _ = await two_people(host, private="on")
    await first.post(f"/m/{private.id}/resign/")
    expected = [("Mira K beat Bob", f"http://testserver/m/{live.id}/")]
    assert await entries("/matches/feed.atom") == await entries("/matches/feed.atom?player=mira-k") == expected
    assert await entries("/matches/feed.atom", first) == expected
    assert await entries("/matches/feed.atom?player=bob&result=first") == expected
    assert (await Person().get("/matches/feed.atom?player=nobody")).status_code == 422
    assert "/matches/feed.atom" in text(await Person().get("/matches/"))


async def test_tournaments_and_the_results_of_one(host: Host) -> None:
    await a_paused(3, "1-0", name="Winter cup")
    await sync_to_async(actions.create)(a_spec(2, name="Secret draft"))
    assert await entries("/t/feed.atom") == [("Winter cup: paused", "http://testserver/t/winter-cup/")]
    played = await Match.objects.aget(ended__isnull=False)
    await Seat.objects.abulk_create(Seat(match=played, seat=n, name=f"p{n + 1}", kind="builtin") for n in (0, 1))
    ((words, address),) = await entries("/t/winter-cup/results.atom")
    assert " beat " in words and "/m/" in address
    assert (await Person().get("/t/secret-draft/results.atom")).status_code == 404
    for page, feed in (("/t/", "/t/feed.atom"), ("/t/winter-cup/", "/t/winter-cup/results.atom")):
        assert f'href="{feed}"' in text(await Person().get(page))


async def test_names_that_no_xml_takes_are_followed_all_the_same(host: Host) -> None:
    await a_paused(2, name="Winter cup")
    await Tournament.objects.aupdate(name='\x08<b>&"\u202e\ufffe ]]>')
    ((words, _),) = await entries("/t/feed.atom")
    assert words.startswith('<b>&"') and "\x08" not in words


async def test_a_feed_is_english_for_every_reader_and_quotes_a_bot_to_the_letter(host: Host) -> None:
    fault = Fault(1, "bad_output", "received '<b>9</b> & more', expected a column")
    await match(host, await person(), await person("Bob"), moves="4", end=fault)
    answer = await Person().get("/matches/feed.atom")
    assert (await Person().get("/matches/feed.atom", **{"Accept-Language": "de"})).content == answer.content
    summary = ElementTree.fromstring(answer.content).find(f"{A}entry/{A}summary")
    assert summary is not None and summary.get("type") == "html"
    assert html.unescape(summary.text or "").endswith(f"{fault.reason}, 1 move") and "<" not in (summary.text or "")


async def test_a_match_that_staff_have_ruled_on_is_new_again(host: Host) -> None:
    live = await match(host, await person(), await person("Bob"))
    before = await entry("/matches/feed.atom")
    await host.referee.act(live, Rule("win", 1, "the wrong side resigned", "judge"))
    after = await entry("/matches/feed.atom")
    assert (before[0], after[0]) == ("Mira K beat Bob", "Bob beat Mira K")
    assert after[1] == live.events[-1].at > before[1] == live.events[-2].at


async def test_who_has_a_feed_without_entries_is_told_so(host: Host) -> None:
    first = await Person().get("/t/feed.atom")
    assert (await Person().get("/t/feed.atom", **{"If-None-Match": first["ETag"]})).status_code == 304


async def test_who_has_it_already_is_told_so_and_a_flood_is_held_back(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_paused(2, name="Winter cup")
    first = await Person().get("/t/feed.atom")
    assert (await Person().get("/t/feed.atom", **{"If-None-Match": first["ETag"]})).status_code == 304
    monkeypatch.setattr(atom, "FEEDS", Limit("feeds", 1, 0.001))
    reader = far_away()
    assert [(await reader.get("/t/feed.atom")).status_code for _ in range(2)] == [200, 429]
