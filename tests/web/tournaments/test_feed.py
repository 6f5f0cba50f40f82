"""A tournament rendered once for all who look, sent when it has changed."""

from __future__ import annotations

import re

from asgiref.sync import sync_to_async

from arena.host import Host
from arena.tournaments import actions
from arena.tournaments.spec import EntrySpec
from arena.web.tournaments import feed as tournaments_feed
from tests.kit.browsing import Person
from tests.kit.history import person
from tests.kit.registered import register
from tests.kit.tournaments import a_begun, a_sheet, a_spec, builtins, finished
from tests.web.sockets.test_consumers import opened
from tests.web.tournaments.test_tournaments import a_paused


async def test_all_watchers_get_one_render_and_the_end_without_asking(host: Host) -> None:
    tournament = await a_paused(3)
    feed, director = tournaments_feed.of(host), host.director
    assert director is not None and director.watched == set()
    address = "/ws/lobby/?tournament=spring-cup"
    async with opened(Person(), address) as one, opened(Person(), address) as other:
        for socket in (one, other):
            assert "Paused at 0 of 3" in await socket.until("t-live")
        assert director.watched == {"spring-cup"}
        assert feed.renders["spring-cup"] == 1
        await sync_to_async(actions.resume)(tournament)
        for socket in (one, other):
            page = await socket.until('data-state="finished"')
            assert "wins with" in page or "share first place" in page
    assert not feed.texts and director.watched == set()


async def test_an_event_is_watched_in_whatever_language_it_is_read(host: Host) -> None:
    await a_paused(3)
    german, director = Person(), host.director
    await german.post("/settings/one/", language="de")
    async with opened(german, "/ws/lobby/?tournament=spring-cup") as socket:
        assert "Pausiert" in await socket.until("t-live")
        assert director is not None and director.watched == {"spring-cup"}
    assert director.watched == set()


async def test_each_order_of_the_table_is_a_view_of_its_own(host: Host) -> None:
    await a_paused(3)
    address = "/ws/lobby/?tournament=spring-cup&tie-break="
    async with opened(Person(), f"{address}failures") as one, opened(Person(), f"{address}nothing") as other:
        assert "Order: points, then fewer failures, then direct" in await one.until("t-live")
        assert "Order: points, then direct encounter" in await other.until("t-live")
    assert not tournaments_feed.of(host).texts


async def test_who_is_called_is_told_where_to_sit_down(host: Host) -> None:
    mira = await person("Mira K")
    entries = (*builtins(1), EntrySpec("Mira K", "person", player=mira.pk, agrees=True))
    await a_begun(a_spec(2, entries=entries))
    async with opened(Person(), "/ws/lobby/?tournament=spring-cup") as socket:
        page = await socket.until("Called now")
    assert "<b>Mira K</b>" in page and re.search(r'href="/r/[^"]+/">Sit down<', page)


async def test_nobody_is_asked_to_sit_down_for_a_bot(host: Host) -> None:
    bot, _ = await register("gravity-9", "fiar")
    entries = (EntrySpec("gravity-9", "bot", "", "fiar", player=bot.pk), *builtins(1))
    await sync_to_async(actions.pause)(await a_begun(a_spec(entries=entries, clock="30s")))
    found = await a_sheet("spring-cup")
    now = await tournaments_feed.now_at(host, found)
    entry = next(pk for pk, each in found.entries.items() if each.player_id == bot.pk)
    told = await sync_to_async(tournaments_feed.context)({**now, "calls": [((entry,), "k7wq2mzx")]}, found)
    assert told["called"] == [("gravity-9", "")]


async def test_what_is_no_tournament_or_a_draft_has_no_socket(host: Host) -> None:
    await sync_to_async(actions.create)(a_spec(2))
    for slug in ("spring-cup", "nothing"):
        async with opened(Person(), f"/ws/lobby/?tournament={slug}") as socket:
            assert await socket.code() == 4404


async def test_news_grow_with_matches_and_not_by_looking(host: Host) -> None:
    await a_begun(a_spec(2))
    await finished("spring-cup")
    look = sync_to_async(tournaments_feed.news_of)
    news = await look("spring-cup")
    assert news is not None and news.ended == 1 and news == await look("spring-cup")
    assert await look("nothing") is None
