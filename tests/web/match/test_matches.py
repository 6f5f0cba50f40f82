"""The match page: every audience, every ply, live and from the log, with and without JavaScript."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from itertools import product

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from arena.bots.failure.failure import failures
from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Fault
from arena.match.state import SeatSetup, Setup
from arena.models import Room
from arena.web.match import frames, matches
from tests.kit.browsing import HTMX, Person, text, two_people
from tests.kit.hosting import serving
from tests.kit.until import until
from tests.web.match.test_wire import a_match, registered, staff


def discs(page: str) -> list[str]:
    return sorted(set(re.findall(r'<use id="p-(\d-\d)"', page)))


async def played(host: Host, moves: str, **fields: str) -> tuple[LiveMatch, Person, Person]:
    live, *people = await two_people(host, **fields)
    for number, move in enumerate(moves):
        await people[number % 2].play(live, move)
    return live, people[0], people[1]


async def test_each_audience_sees_its_own_page(host: Host) -> None:
    live, first, second = await played(host, "4")
    pages = {person: html.unescape(text(await person.get(f"/m/{live.id}/"))) for person in (first, second)}
    watcher = html.unescape(text(await Person().get(f"/m/{live.id}/")))
    assert "Your turn" in pages[second] and 'data-seat="1"' in pages[second]
    assert "is thinking" in pages[first] and 'data-seat="0"' in pages[first]
    assert "Blue to move" in watcher and 'data-seat=""' in watcher
    assert 'name="move"' in pages[second] and 'name="move"' not in pages[first] + watcher
    assert "Resign" not in watcher


async def test_a_ply_shows_exactly_that_position(host: Host) -> None:
    live, _, _ = await played(host, "4455")
    page = text(await Person().get(f"/m/{live.id}/?ply=3"))
    assert discs(page) == ["4-1", "4-2", "5-1"]
    assert "You are looking at move 3 of 4." in re.sub("<[^>]+>", "", page)


async def test_a_ply_beyond_the_match_is_the_nearest_there_is(host: Host) -> None:
    live, _, _ = await played(host, "44")
    for ply, shown in (("99999999999", ["4-1", "4-2"]), ("-5", [])):
        answer = await Person().get(f"/m/{live.id}/?ply={ply}")
        assert answer.status_code == 200 and discs(text(answer)) == shown


async def test_a_ply_that_is_no_number_is_404_in_words(host: Host) -> None:
    live, _, _ = await two_people(host)
    for path, ply in product(("", "board/"), ("x", "1.5", "", "0x1", "1e3", "\u0661", "9" * 5000)):
        answer = await Person().get(f"/m/{live.id}/{path}?ply={ply}")
        assert answer.status_code == 404 and "expected its number" in text(answer), (path, ply)


async def test_a_position_opens_cold_from_the_log(host: Host) -> None:
    live, first, _ = await played(host, "445")
    await first.post(f"/m/{live.id}/resign/")
    host.hub.lives.clear()
    page = text(await Person().get(f"/m/{live.id}/?ply=2"))
    assert discs(page) == ["4-1", "4-2"]


async def test_an_ended_page_listens_as_long_as_something_may_follow(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, first, _ = await played(host, "44", rounds="2")
    await first.post(f"/m/{live.id}/resign/")
    assert "ws-connect" in text(await first.get(f"/m/{live.id}/"))
    host.hub.lives.clear()
    assert "ws-connect" in text(await Person().get(f"/m/{live.id}/")), "it may be ruled on"
    monkeypatch.setattr(matches, "RULED_WITHIN", timedelta())  # as if days had passed
    assert "ws-connect" not in text(await Person().get(f"/m/{live.id}/"))
    assert "ws-connect" in text(await first.get(f"/m/{live.id}/")), "the other one may want a rematch"


async def test_a_match_goes_on_after_a_restart(transactional_db: None) -> None:
    async with serving() as host:
        live, first, second = await played(host, "4")
    async with serving() as again:
        restored = again.hub.get(live.id)
        assert restored is not None and restored is not live
        assert (await second.play(restored, "4")).status_code == 302
        assert discs(text(await first.get(f"/m/{live.id}/"))) == ["4-1", "4-2"]


async def test_the_board_of_a_ply_is_fragments_for_htmx_and_a_page_for_others(host: Host) -> None:
    live, first, _ = await played(host, "44")
    fragment = text(await first.get(f"/m/{live.id}/board/?ply=1", **HTMX))
    assert discs(fragment) == ["4-1"] and "<html" not in fragment and 'id="live"' not in fragment
    answer = await first.get(f"/m/{live.id}/board/?ply=1")
    assert answer["Location"] == f"/m/{live.id}/?ply=1"


async def test_a_resync_brings_everything_with_the_whole_move_list(host: Host) -> None:
    live, first, _ = await played(host, "445")
    for have in ("0", "2", "99", "x"):
        fragments = text(await first.get(f"/m/{live.id}/live/?have={have}", **HTMX))
        assert fragments.startswith(f'<div id="live" data-seq="{live.state.seq}" data-base="0"')
        assert [f'id="m-{ply}"' in fragments for ply in (1, 2, 3)] == [True, True, True]


async def test_a_resync_reads_aloud_what_was_missed_in_the_language_of_its_reader(host: Host) -> None:
    live, first, _ = await played(host, "44")
    page = f"/m/{live.id}/live/?have="
    missed = text(await first.get(f"{page}{live.state.seq - 1}", **HTMX, **{"Accept-Language": "de"}))
    assert "Du bist am Zug" in missed and "Your turn" not in missed
    assert 'data-say="' in missed and "Spalte 4" in missed
    assert "say-next" not in text(await first.get(f"{page}0", **HTMX))
    assert "say-next" not in text(await first.get(f"{page}{live.state.seq}", **HTMX))


async def test_a_resync_tells_the_page_of_a_player_nothing_if_its_cookie_is_nobodys(host: Host) -> None:
    """It would say of the player themselves that they are offline."""
    live, first, _ = await played(host, "445")
    page = f"/m/{live.id}/live/?have=0&seat="
    assert 'id="live"' in text(await first.get(f"{page}0", **HTMX))
    assert 'id="live"' in text(await Person().get(page, **HTMX)), "the page of a watcher has no seat"
    assert (await Person().get(f"{page}0", **HTMX)).status_code == 204


async def test_an_unknown_match_is_404_in_words(host: Host) -> None:
    for path in ("", "board/", "live/", "log.json", "log.txt"):
        answer = await Person().get(f"/m/nosuch/{path}")
        assert answer.status_code == 404 and "There is no such match" in text(answer)


async def test_names_are_escaped_wherever_they_stand(host: Host) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    setup = Setup("connect-four-7x6", (SeatSetup(evil), SeatSetup(evil)))
    live = await host.referee.open(setup)
    await host.referee.start(live)
    await host.referee.play(live, 0, 1, "4")
    await host.referee.play(live, 1, 2, "4")
    await host.referee.resign(live, 0)
    for path in (f"/m/{live.id}/", f"/m/{live.id}/live/", f"/m/{live.id}/?ply=0", "/"):
        page = text(await Person().get(path))
        assert "<img src=x" not in page
        assert "&lt;img src=x" in page


async def test_a_match_in_a_private_room_is_not_there_for_strangers(host: Host) -> None:
    live, first, _ = await played(host, "4")
    room = host.lobby.room_of(live)
    assert room is not None
    await Room.objects.filter(code=room.plan.code.upper()).aupdate(private=True)
    live.private = None
    stranger, friend = Person(), Person()
    for path in ("", "board/?ply=0", "live/", "log.json", "log.txt"):
        assert (await stranger.get(f"/m/{live.id}/{path}")).status_code == 404
    assert (await stranger.play(live, "4")).status_code == 404
    assert (await first.get(f"/m/{live.id}/")).status_code == 200
    await friend.get(f"/r/{live.room_code}/")
    assert (await friend.get(f"/m/{live.id}/")).status_code == 200


async def test_the_page_of_a_live_match_asks_the_database_for_no_match(host: Host) -> None:
    live, first, _ = await played(host, "4")
    asked: list[str] = []

    def listen(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        asked.append(sql)
        return execute(sql, params, many, context)

    watch = connection.execute_wrapper(listen)
    await sync_to_async(watch.__enter__)()
    try:
        await first.get(f"/m/{live.id}/")
    finally:
        await sync_to_async(watch.__exit__)(None, None, None)
    assert all("session" in sql for sql in asked), asked


# -- why a bot failed --------------------------------------------------------------------------------------------------


async def test_why_a_bot_failed_is_read_by_those_who_may_read_its_wire(host: Host) -> None:
    live, wire = await a_match(host)
    wire.received(b"<b>banana</b>\n", 0.0)
    fault = Fault(
        1, "bad_output", "gravity-9 answered '<b>banana</b>'", "<b>banana</b>", "PUT and a column from 0 to 6"
    )
    owner, stranger = await staff(), Person()
    await host.referee.play(live, 0, 1, "4")
    await host.referee.act(live, fault)
    await until(lambda: bool(failures(live.events)))
    page = text(await owner.get(f"/m/{live.id}/"))
    assert '<details class="card flush why" open>' in page and "Why gravity-9 failed" in page
    assert "&lt;b&gt;banana&lt;/b&gt;" in page and "<b>banana" not in page
    assert "PUT and a column from 0 to 6" in page and 'href="/protocols/errors/#' in page
    assert "PUT and a column" in text(await stranger.get(f"/m/{live.id}/why/1/")), "the wire is for all after the end"
    assert (await stranger.get(f"/m/{live.id}/why/0/")).status_code == 404
    frame = frames.frame(host, live, "", live.state.seq)
    assert (
        f'hx-get="/m/{live.id}/why/1/"' in frame
        and "banana" not in frame.partition('id="why"')[2].partition("</div>")[0]
    )


async def test_why_a_bot_failed_is_as_private_as_its_wire(host: Host) -> None:
    live, wire = await a_match(host, await registered(wire="owner"))
    wire.received(b"banana\n", 0.0)
    await host.referee.act(live, Fault(1, "bad_output", "gravity-9 answered 'banana'", "banana", "PUT"))
    await until(lambda: bool(failures(live.events)))
    assert 'class="card flush why"' not in text(await Person().get(f"/m/{live.id}/"))
    told = text(await Person().get(f"/m/{live.id}/why/1/"))
    assert "its owner has not shared it" in told and "banana" not in told
