"""The same again, with a built-in player, a bot and between two people."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

from arena.bots.session import tokens
from arena.core.hub import LiveMatch, Presence
from arena.host import Host
from arena.rooms import rematch
from arena.rooms.rematch import ASKED_FOR, MOST_NOTES
from tests.bots.conftest import Opens, opened, seated_soon
from tests.bots.process.test_commands import folder, run_by_us
from tests.kit.browsing import HTMX, Person, match_of, text, two_people
from tests.kit.clients import Droidcon, Wire
from tests.kit.refereeing import moves_of
from tests.kit.registered import register
from tests.kit.until import until
from tests.web import markup
from tests.web.match.test_moves import words
from tests.web.sockets.test_consumers import watching

__all__ = ["folder", "opened", "seated_soon"]


async def test_a_rematch_against_a_built_in_player_swaps_the_seats(host: Host) -> None:
    person = Person()
    match = match_of(await person.post("/play/", variant="connect-four-7x6", move="4", level="beginner"))
    assert (await person.post(f"/m/{match}/rematch/")).status_code == 409
    await person.post(f"/m/{match}/resign/")
    live = host.hub.get(match_of(await person.post(f"/m/{match}/rematch/")))
    assert live is not None
    assert [seat.kind for seat in live.state.setup.seats] == ["builtin", "human"]
    assert live.state.setup.seats[0].level == "beginner"
    await until(lambda: len(moves_of(live)) == 1)


async def test_a_rematch_against_a_program_listens_for_it_again(host: Host) -> None:
    person = Person()
    made = await person.post("/r/new/", variant="connect-four-7x6", clock="5s", rounds="1", side1="socket:fiar")
    code = made["Location"].split("/")[2].upper()
    played: list[str] = []
    for _ in range(2):
        waits = host.seat_ports.port_of(code, 1)
        assert waits is not None and waits.port is not None, "somebody listens"
        async with Wire.to(waits.port) as bot:
            await until(lambda: host.lobby.rooms[code].live is not None)
            live = host.lobby.rooms[code].live
            assert live is not None
            await person.play(live, "4")
            assert (await bot.line()).startswith("O "), "it is asked"
            await person.post(f"/m/{live.id}/resign/")
            assert await bot.rest() == []
        again = await person.post(f"/m/{live.id}/rematch/")
        assert again["Location"] == made["Location"], "the page that says how to connect it"
        played.append(live.id)
    assert len(set(played)) == 2


@pytest.mark.usefixtures("seated_soon")
async def test_a_rematch_against_a_registered_bot_calls_it_from_the_door(host: Host, opened: Opens) -> None:
    person, (kept, token), door = Person(), await register("gravity-9", "fiar"), await opened("fiar")
    async with Wire.to(door) as bot:
        await bot.send(f"SEAT {token}")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        [room] = host.lobby.open_rooms()
        live = host.hub.get(match_of(await person.post(f"/r/{room.plan.code}/sit/")))
        assert live is not None
        await person.post(f"/m/{live.id}/resign/")
        await bot.rest()
    page = words(await person.get(f"/m/{live.id}/"))
    assert 'form="rematch"' in page and "Offline" not in page
    async with Wire.to(door) as bot:
        await bot.send(f"SEAT {token}")
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        answer = await person.post(f"/m/{live.id}/rematch/", HTMX)
        again = host.hub.running()[0]
        assert answer["HX-Redirect"] == f"/m/{again.id}/"
        assert same_players(again, live) and again.room_code == live.room_code
        assert again.state.setup.clock == live.state.setup.clock
        assert match_of(await person.post(f"/m/{live.id}/rematch/")) == again.id, "from another page as well"
        assert 'data-go="seats"' in text(await person.get(f"/m/{live.id}/")), "which leads there"
        other = Person()
        fields = {"variant": "connect-four-7x6", "clock": "5m", "rounds": "1", "side1": f"bot:{kept.pk}"}
        waits = words(await other.get((await other.post("/r/new/", **fields))["Location"]))
        assert "Waiting for gravity-9, which sits in another room" in waits


async def test_a_rematch_against_a_bot_that_is_away_waits_for_it(host: Host, opened: Opens) -> None:
    person, (bot, token), door = Person(), await register("gravity-9", "droidcon"), await opened("droidcon")
    fields = {"variant": "connect-four-7x6", "clock": "5m", "rounds": "1", "side1": f"bot:{bot.pk}", "private": "on"}
    code = (await person.post("/r/new/", **fields))["Location"].split("/")[2].upper()
    played = []
    for _ in range(2):
        async with Droidcon.to(door) as wire:
            await wire.send(f"SEAT {token}", "NAME ada", "JOIN lab")
            await until(lambda: any(each.id not in played for each in host.hub.running()))
            [live] = host.hub.running()
            await person.post(f"/m/{live.id}/resign/")
            await wire.rest()
        for _press in range(2):
            answer = await person.post(f"/m/{live.id}/rematch/")
            assert answer["Location"] == f"/r/{host.lobby.rooms[code].plan.code}/"
        assert "Waiting for gravity-9, which is not connected" in words(await person.get(answer["Location"]))
        played.append(live.id)
    first, second = [await host.referee.load(match) for match in played]
    assert first is not None and second is not None and same_players(second, first)


@pytest.mark.usefixtures("seated_soon")
@pytest.mark.parametrize(
    ("slug", "says", "shown"),
    [("droidcon", ["NAME ada", "JOIN lab"], "and send"), ("fiar", [], "and play here")],
    ids=["names its room", "comes to its door"],
)
async def test_a_rematch_against_a_bot_without_an_account_says_which_one_is_awaited_and_how_it_comes(
    host: Host, opened: Opens, slug: str, says: list[str], shown: str
) -> None:
    person, door = Person(), await opened(slug)
    async with Wire.to(door) as bot:
        await bot.send(*says)
        await until(lambda: len(host.lobby.open_rooms()) == 1)
        [room] = host.lobby.open_rooms()
        room.plan = replace(room.plan, rounds=1)
        live = host.hub.get(match_of(await person.post(f"/r/{room.plan.code}/sit/")))
        assert live is not None
        await person.post(f"/m/{live.id}/resign/")
        await bot.rest()
    address = (await person.post(f"/m/{live.id}/rematch/"))["Location"]
    page, other = words(await person.get(address)), live.state.setup.seats[0].name
    assert f"Waiting for {other}. The match starts when both sides are there." in page
    assert f"How {other} comes back" in page and f"{door}</code>{', ' if not says else ' '}{shown}" in page
    assert all(line in page for line in says) and "Send this link" not in page
    guest = words(await Person().get(address))
    assert "Sit down and play" in guest and f"Waiting for {other}" not in guest, "the seat is anybody's"
    host.lobby.forget(host.lobby.rooms[live.room_code.upper()])
    asks = re.search(r'hx-get="([^"]*/state/[^"]*)"', page)
    assert asks is not None
    assert f"Waiting for {other}" not in words(await person.get(unescape(asks[1]), **HTMX)), "as after leaving it"
    host.lobby.began += 1  # as by a restart
    assert f"Waiting for {other}" in words(await person.get(unescape(asks[1]), **HTMX))
    assert shown in words(await person.get(address))
    async with Wire.to(door) as bot:
        await bot.send(*says)
        await until(lambda: bool(host.hub.running()))
    assert host.hub.running()[0].room_code == live.room_code


async def test_a_rematch_against_a_bot_of_this_server_begins_at_once(host: Host, folder: Path) -> None:
    person, bot = Person(), await run_by_us(folder)
    fields = {"variant": "connect-four-7x6", "clock": "5m", "rounds": "1", "side1": f"command:{bot.pk}"}
    live = host.hub.get(match_of(await person.post("/r/new/", **fields)))
    assert live is not None
    await person.post(f"/m/{live.id}/resign/")
    begun = {match_of(await person.post(f"/m/{live.id}/rematch/")) for _ in range(2)}
    again = host.hub.running()[0]
    assert begun == {again.id} and same_players(again, live) and again.room_code == live.room_code
    await person.post(f"/m/{again.id}/resign/")
    # Somebody else plays it in the room by now: the next one is in a room like it.
    await Person().post(f"/r/{live.room_code}/sit/")
    third = host.hub.get(match_of(await person.post(f"/m/{again.id}/rematch/")))
    assert third is not None and same_players(third, again) and third.room_code != live.room_code
    await tokens.disable(bot, "it cheats")
    await person.post(f"/m/{third.id}/resign/")
    answer = await person.post(f"/m/{third.id}/rematch/")
    assert answer.status_code == 409 and "is disabled: it cheats" in words(answer)


async def test_a_rematch_is_opposite_a_bot_that_has_come_back_to_the_room_by_its_name(
    host: Host, opened: Opens
) -> None:
    person, door, (_, token) = Person(), await opened("droidcon"), await register("gravity-9", "droidcon")
    made = await person.post("/r/new/", variant="connect-four-7x6", clock="5m", rounds="1", side1="anyone")
    code = made["Location"].split("/")[2]
    live: LiveMatch | None = None
    for _ in range(2):
        async with Droidcon.to(door) as wire:
            await wire.send(f"SEAT {token}")
            await wire.enter("ada", code)
            if live is not None:
                await until(lambda: not host.lobby.rooms[code.upper()].sides.are_free)
                await person.post(f"/m/{live.id}/rematch/")
            await until(lambda: bool(host.hub.running()))
            [live] = host.hub.running()
            assert live.room_code == code
            await person.post(f"/m/{live.id}/resign/")
            await wire.rest()


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/play/", {"move": "4", "level": "beginner"}), ("/play/here/", {})],
    ids=["against a built-in player", "at one screen"],
)
async def test_two_pages_that_ask_for_a_rematch_at_once_come_to_one_match(
    host: Host, path: str, fields: dict[str, str]
) -> None:
    person = Person()
    match = match_of(await person.post(path, variant="connect-four-7x6", **fields))
    if path == "/play/here/":
        await person.post(f"/m/{match}/move/", ply=1, move="4")
        await person.post(f"/m/{match}/move/", ply=2, move="4")
    await person.post(f"/m/{match}/resign/")
    both = {
        match_of(answer) for answer in await asyncio.gather(*(person.post(f"/m/{match}/rematch/") for _ in range(2)))
    }
    (again,) = both
    assert f'href="/m/{again}/" data-go="seats"' in text(await person.get(f"/m/{match}/live/?have=0"))
    # Once it is over, one from its own page follows it: the page of the first match leads on from match to match.
    await person.post(f"/m/{again}/abort/")
    assert match_of(await person.post(f"/m/{match}/rematch/")) == again
    assert match_of(await person.post(f"/m/{again}/rematch/")) not in (match, again)


async def test_two_people_who_both_want_a_rematch_have_one_with_swapped_seats(host: Host) -> None:
    live, first, second = await over(host)
    answer = await first.post(f"/m/{live.id}/rematch/")
    assert answer["Location"] == f"/m/{live.id}/", "who asks stays on the board"
    waits = words(await first.get(f"/m/{live.id}/"))
    assert f"Waiting for {name(live, 1)} to answer." in waits and 'form="rematch"' not in waits
    assert f"{name(live, 0)} wants a rematch" in words(await second.get(f"/m/{live.id}/"))
    assert "rematch" not in words(await Person().get(f"/m/{live.id}/")), "watchers are not asked"
    again = host.hub.get(match_of(await second.post(f"/m/{live.id}/rematch/")))
    assert again is not None and same_players(again, live)
    assert again.state.setup.series == live.state.setup.series + 1
    assert f'href="/m/{again.id}/" data-go="seats"' in text(await first.get(f"/m/{live.id}/"))
    for reader in (first, second, Person()):
        page = text(await reader.get(f"/m/{live.id}/"))
        ways = [each.attributes for each in markup.read(page) if each.attributes.get("href") == f"/m/{again.id}/"]
        assert len([way for way in ways if "hidden" not in way]) == 1 and 'form="rematch"' not in page
    assert match_of(await first.post(f"/m/{live.id}/rematch/")) == again.id, "a late press leads there as well"


async def test_who_sits_down_in_the_room_while_the_other_waits_for_an_answer_accepts(host: Host) -> None:
    """They would wait for each other, one on the board and one in the room."""
    live, first, second = await over(host)
    await first.post(f"/m/{live.id}/rematch/")
    again = host.hub.get(match_of(await second.post(f"/r/{live.room_code}/sit/")))
    assert again is not None and same_players(again, live)
    assert f'href="/m/{again.id}/" data-go="seats"' in text(await first.get(f"/m/{live.id}/"))


async def test_two_who_press_at_once_are_in_one_match(host: Host) -> None:
    live, first, second = await over(host)
    answers = await asyncio.gather(*(person.post(f"/m/{live.id}/rematch/") for person in (first, second) * 2))
    begun = {answer["Location"] for answer in answers} - {f"/m/{live.id}/"}
    assert len(begun) == 1 and [answer.status_code for answer in answers] == [302] * 4
    assert len(host.hub.running()) == 1


async def test_a_page_that_asks_in_place_is_led_by_a_header(host: Host) -> None:
    live, first, second = await over(host)
    assert (await first.post(f"/m/{live.id}/rematch/", HTMX)).status_code == 204
    answer = await second.post(f"/m/{live.id}/rematch/", HTMX)
    assert answer["HX-Redirect"] == f"/m/{host.hub.running()[0].id}/"


async def test_nobody_can_take_the_seat_of_who_is_asked(host: Host) -> None:
    """A stranger who sits down in the room plays there with the next one to come: the two play in a room like it."""
    live, first, second = await over(host, rounds="2", clock="5m")
    await first.post(f"/m/{live.id}/rematch/")
    assert host.lobby.open_rooms() == []
    stranger = Person()
    await stranger.post(f"/r/{live.room_code}/sit/")
    again = host.hub.get(match_of(await second.post(f"/m/{live.id}/rematch/")))
    assert again is not None and again.room_code != live.room_code
    setup, before = again.state.setup, live.state.setup
    assert (setup.variant, setup.clock, setup.rounds) == (before.variant, "5m", 2)
    assert {seat.player for seat in setup.seats} == {seat.player for seat in before.seats}
    assert (await stranger.post(f"/m/{live.id}/rematch/")).status_code == 403


async def test_who_says_no_to_a_rematch_is_asked_no_more_and_nobody_waits(host: Host) -> None:
    live, first, second = await over(host)
    await first.post(f"/m/{live.id}/rematch/")
    asked = words(await second.get(f"/m/{live.id}/"))
    assert 'form="rematch">Play</button>' in asked and 'form="no-rematch">No</button>' in asked
    answer = await second.post(f"/m/{live.id}/rematch/", answer="no")
    assert answer["Location"] == f"/m/{live.id}/"
    told = words(await first.get(f"/m/{live.id}/"))
    assert f"{name(live, 1)} said no to a rematch." in told and "Play somebody else" in told
    asked = words(await second.get(f"/m/{live.id}/"))
    assert "wants a rematch" not in asked and "said no" not in asked
    await first.post(f"/m/{live.id}/rematch/")
    assert "wants a rematch" in words(await second.get(f"/m/{live.id}/"))
    assert "said no" not in words(await first.get(f"/m/{live.id}/"))


async def test_who_asks_and_says_no_without_end_is_stopped(host: Host) -> None:
    live, first, second = await over(host)
    for _ in range(MOST_NOTES // 2):
        assert (await first.post(f"/m/{live.id}/rematch/")).status_code == 302
        await second.post(f"/m/{live.id}/rematch/", answer="no")
    answer = await first.post(f"/m/{live.id}/rematch/")
    assert answer.status_code == 429 and "asked often enough" in words(answer)


async def test_who_has_left_is_named_and_the_rematch_begins_when_they_are_back(host: Host) -> None:
    live, first, second = await over(host)
    host.hub.signal(live, 1, Presence(False))
    alone = words(await first.get(f"/m/{live.id}/"))
    assert f"{name(live, 1)} has left." in alone and "Play somebody else" in alone
    await first.post(f"/m/{live.id}/rematch/")
    assert "The rematch begins if they come back." in words(await first.get(f"/m/{live.id}/"))
    host.hub.signal(live, 0, Presence(False))
    assert (await second.post(f"/m/{live.id}/rematch/"))["Location"] == f"/m/{live.id}/", (
        "nobody plays who is not there"
    )
    async with watching(first, live):
        await until(lambda: len(host.hub.running()) == 1)


async def test_a_restart_forgets_no_wish(host: Host) -> None:
    live, first, second = await over(host)
    await first.post(f"/m/{live.id}/rematch/")
    host.hub.lives.clear()
    host.lobby.rooms.clear()
    assert "Waiting for" in words(await first.get(f"/m/{live.id}/"))
    assert f"{name(live, 0)} wants a rematch" in words(await second.get(f"/m/{live.id}/"))
    begun = match_of(await second.post(f"/m/{live.id}/rematch/"))
    assert host.hub.get(begun) is not None


async def test_after_a_restart_a_rematch_is_in_the_room_of_the_match(host: Host) -> None:
    live, *_ = await over(host)
    host.hub.lives.clear()
    host.lobby.rooms.clear()
    read = await host.referee.load(live.id)  # as for pages of a page worker: its log knows no code
    assert read is not None and not await rematch.ask(host.lobby, read, 0)
    again = host.hub.get(await rematch.ask(host.lobby, read, 1))
    assert again is not None and again.room_code == live.room_code


async def test_a_rematch_that_was_begun_and_not_noted_is_not_begun_twice(host: Host) -> None:
    live, first, second = await over(host)
    await first.post(f"/m/{live.id}/rematch/")
    begun = match_of(await second.post(f"/m/{live.id}/rematch/"))
    live.events = [event for event in live.events if event.data.get("rematch") != begun]
    assert match_of(await first.post(f"/m/{live.id}/rematch/")) == begun


async def test_what_was_asked_long_ago_counts_for_nothing(host: Host) -> None:
    live, first, second = await over(host)
    await first.post(f"/m/{live.id}/rematch/")
    live.events[-1] = live.events[-1]._replace(at=datetime.now(UTC) - ASKED_FOR)
    assert "wants a rematch" not in words(await second.get(f"/m/{live.id}/"))
    assert (await second.post(f"/m/{live.id}/rematch/"))["Location"] == f"/m/{live.id}/"
    assert f"{name(live, 1)} wants a rematch" in words(await first.get(f"/m/{live.id}/"))


async def test_no_rematch_while_the_series_goes_on(host: Host) -> None:
    live, first, _ = await two_people(host, rounds="2")
    await first.post(f"/m/{live.id}/resign/")
    answer = await first.post(f"/m/{live.id}/rematch/")
    assert answer.status_code == 409 and "the next round begins by itself" in words(answer)


async def over(host: Host, **fields: str) -> tuple[LiveMatch, Person, Person]:
    """A series of two people that the first one has given up."""
    live, first, second = await two_people(host, **fields)
    room = host.lobby.rooms[live.room_code.upper()]
    room.plan = replace(room.plan, break_s=0)
    while not room.over:
        assert room.live is not None
        live = room.live
        await first.post(f"/m/{live.id}/resign/")
        await until(lambda before=live: room.over or room.live is not before)  # type: ignore[misc]
    return live, first, second


def same_players(again: LiveMatch, before: LiveMatch) -> bool:
    """Whether the same two play, on the other seats."""
    return [seat.player for seat in again.state.setup.seats] == [seat.player for seat in before.state.setup.seats][::-1]


def name(live: LiveMatch, seat: int) -> str:
    return live.state.setup.seats[seat].name
