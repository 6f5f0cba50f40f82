"""The rounds of a series on its matches' pages."""

from __future__ import annotations

import re

from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.web.match import frames
from arena.web.match.rounds import rounds_of, said
from tests.core.test_hub import Page
from tests.kit.browsing import flowing, second_round, shorten_break, two_people
from tests.kit.until import until


async def test_a_series_lists_its_rounds_whoever_is_asked(host: Host) -> None:
    live, first, _ = await two_people(host, rounds="2")
    room = host.lobby.rooms[live.room_code.upper()]
    shorten_break(room)
    one, other = (seat.name for seat in live.state.setup.seats)
    assert [each["words"] for each in await rounds_of(live)] == [f"{one} against {other}: running"]
    await first.post(f"/m/{live.id}/resign/")
    await until(lambda: room.live is not live)
    following = room.live
    assert following is not None
    for shown in (live, following):
        rounds = await rounds_of(shown)
        assert [each["round"] for each in rounds] == [1, 2]
        assert [each["words"] for each in rounds] == [
            f"{one} against {other}: 0\u20111, {live.state.reason}",
            f"{other} against {one}: running",
        ]
        assert [each["address"] for each in rounds if each["current"]] == [f"/m/{shown.id}/"]


async def test_rounds_that_memory_has_forgotten_stay_in_the_list(host: Host) -> None:
    live, following, first = await second_round(host)
    host.hub.lives.pop(live.id)  # as after a restart
    assert [each["round"] for each in await rounds_of(following)] == [1, 2]
    await first.post(f"/m/{following.id}/resign/")
    await until(lambda: following.over)
    frame = frames.frame(host, following, "", 0)
    assert 'id="rounds"' not in frame and live.id not in frame, "the page has them all, and keeps them"
    (line,) = re.findall(f'<li[^>]*id="round-{following.id}" hx-swap-oob="true">(.*?)</li>', frame, re.DOTALL)
    assert "running" not in line and str(following.state.reason) in line
    assert [each["round"] for each in await rounds_of(following)] == [1, 2]


async def test_how_a_series_stood_is_said_when_its_room_is_gone(host: Host) -> None:
    live, following, first = await second_round(host)
    host.lobby.rooms.pop(live.room_code.upper())
    assert "0 to 1." in flowing(await first.get(f"/m/{live.id}/")), "the next round is being played"
    await first.post(f"/m/{following.id}/resign/")
    for match in (live, following):
        host.hub.lives.pop(match.id)  # as after a restart
    for match in (live, following):
        page = flowing(await first.get(f"/m/{match.id}/"))
        assert "Series lost 0 to 2." in page and 'aria-label="Rounds: 2 lost"' in page


async def test_a_page_of_an_earlier_round_hears_how_the_next_one_ended(host: Host) -> None:
    live, following, first = await second_round(host)
    shown = [frames.frame(host, live, "0", 0)]
    page = Page("0")
    page.wake = lambda: shown.append(frames.frame(host, live, "0", 0))  # type: ignore[method-assign]
    host.hub.view(live, page)
    assert ": running" in shown[-1]
    await first.post(f"/m/{following.id}/resign/")
    await until(lambda: ": running" not in shown[-1])


async def test_a_single_match_has_no_list(host: Host) -> None:
    live, _, _ = await two_people(host)
    assert await rounds_of(live) == []


async def test_a_series_without_a_room_has_no_list_that_a_frame_could_renew(host: Host) -> None:
    seats = (SeatSetup("Ada"), SeatSetup("Ben"))
    for number in (1, 2):
        live = await host.referee.open(Setup("connect-four-7x6", seats, round=number, rounds=2))
        assert await rounds_of(live) == []
        await host.referee.abort(live, "admin_abort", "the roof leaks", actor="staff")
        assert 'id="round' not in frames.frame(host, live, "", 0), "htmx complains about what the page does not have"


async def test_of_a_match_that_does_not_count_this_is_said(host: Host) -> None:
    live, _, _ = await two_people(host, rounds="2")
    one, other = (seat.name for seat in live.state.setup.seats)
    await host.referee.abort(live, "admin_abort", "the roof leaks", actor="staff")
    [line] = await rounds_of(live)
    assert line["words"] == f"{one} against {other}: not counted, {live.state.reason}"


def test_what_a_host_of_an_earlier_release_says_is_enough() -> None:
    said_by_it = {"winner": 0, "termination": "normal", "reason": "four in a row"}
    assert [each["words"] for each in said([said_by_it])] == ["1\u20110, four in a row"]
