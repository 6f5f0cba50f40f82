"""Rooms: looking seats nobody, two who sit down play, and a series goes on with swapped seats."""

from __future__ import annotations

import asyncio
import html

import pytest

from arena.host import Host
from arena.models import Player, Room
from arena.rooms import LiveRoom
from tests.web.browsing import HTMX, Person, match_of, text, until


async def create(person: Person, **fields: str) -> str:
    form = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", **fields}
    answer = await person.post("/r/new/", **form)
    assert answer.status_code == 302, text(answer)
    return str(answer["Location"])


def room_at(host: Host, address: str) -> LiveRoom:
    return host.lobby.rooms[address.split("/")[2].upper()]


async def test_whoever_makes_a_room_sits_in_it_and_has_a_link(host: Host) -> None:
    person = Person()
    address = await create(person, rounds="4", clock="5s")
    page = html.unescape(text(await person.get(address)))
    assert f"http://testserver{address}" in page
    assert "Send this link to your friend" in page and "Sit down" not in page
    assert "4 rounds" in page and "5 s a move" in page


async def test_looking_at_a_room_seats_nobody_and_makes_no_session(host: Host) -> None:
    address = await create(Person())
    guest = Person()
    page = html.unescape(text(await guest.get(address)))
    assert "wants to play Connect Four" in page and "Sit down and play" in page
    assert sum(side is not None for side in room_at(host, address).sides) == 1
    assert "sessionid" not in guest.client.cookies and await Player.objects.acount() == 1


async def test_sitting_down_begins_the_match_and_takes_both_there(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first)
    match = match_of(await second.post(f"{address}sit/"))
    waiting = await first.get(f"{address}state/", **HTMX)
    assert waiting["HX-Redirect"] == f"/m/{match}/"
    assert (await first.get(f"{address}state/"))["Location"] == f"/m/{match}/"


async def test_a_room_is_found_in_any_case(host: Host) -> None:
    address = await create(Person())
    assert (await Person().get(address.upper().replace("/R/", "/r/"))).status_code == 200


async def test_sitting_twice_is_sitting_once(host: Host) -> None:
    person = Person()
    address = await create(person)
    answer = await person.post(f"{address}sit/")
    assert answer["Location"] == address
    assert sum(side is not None for side in room_at(host, address).sides) == 1


async def test_a_third_person_is_told_that_both_seats_are_taken(host: Host) -> None:
    first, second, third = Person(), Person(), Person()
    address = await create(first)
    await second.post(f"{address}sit/")
    answer = await third.post(f"{address}sit/")
    assert answer.status_code == 409 and "Both seats are taken. You can watch." in text(answer)
    page = text(await third.get(address))
    assert "A match is running" in page and "Watch" in page and "Sit down" not in page


async def test_two_who_sit_down_at_once_are_one_match(host: Host) -> None:
    address = await create(Person())
    people = [Person() for _ in range(3)]
    answers = await asyncio.gather(*[person.post(f"{address}sit/") for person in people])
    assert sorted(answer.status_code for answer in answers) == [302, 409, 409]
    assert len(host.hub.running()) == 1


async def test_a_seat_can_be_given_back_before_the_match(host: Host) -> None:
    person = Person()
    address = await create(person)
    await person.post(f"{address}leave/")
    assert room_at(host, address).sides == [None, None]
    assert "Free seat" in text(await person.get(address))


async def test_the_next_round_swaps_seats_and_the_page_says_the_score(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first, rounds="2")
    live = host.hub.get(match_of(await second.post(f"{address}sit/")))
    assert live is not None
    await first.post(f"/m/{live.id}/resign/")
    room = room_at(host, address)
    await until(lambda: room.round == 2)
    page = html.unescape(text(await first.get(f"/m/{live.id}/")))
    names = [seat.name for seat in live.state.setup.seats]
    assert f"{names[0]} 0, {names[1]} 1." in page and "Round 2 of 2 follows. Colours swap." in page
    await until(lambda: room.live is not live)
    following = room.live
    assert following is not None
    assert [seat.name for seat in following.state.setup.seats] == names[::-1]
    assert f'href="/m/{following.id}/"' in text(await first.get(f"/m/{live.id}/"))


async def test_a_room_lists_its_matches(host: Host) -> None:
    first, second = Person(), Person()
    address = await create(first)
    match = match_of(await second.post(f"{address}sit/"))
    await first.post(f"/m/{match}/resign/")
    page = text(await Person().get(address))
    assert f'href="/m/{match}/"' in page and "0-1" in page


async def test_a_room_shows_a_bot_how_to_come_in(host: Host) -> None:
    await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
    address = await create(Person())
    page = text(await Person().get(address))
    assert f"JOIN {address.split('/')[2]}" in page and str(host.doors["droidcon"].port) in page
    other = await create(Person(), variant="expanding-nim")
    assert "JOIN" not in text(await Person().get(other))


async def test_an_unknown_room_is_404_in_words(host: Host) -> None:
    for answer in (await Person().get("/r/nosuch/"), await Person().post("/r/nosuch/sit/")):
        assert answer.status_code == 404 and "There is no such room" in text(answer)
    assert await Player.objects.acount() == 0


@pytest.mark.parametrize(
    "wrong", [{"variant": "chess"}, {"clock": "1 hour"}, {"rounds": "1000"}, {"rounds": "x"}, {"rounds": ""}]
)
async def test_a_room_that_cannot_be_is_refused_in_words_beside_the_form(host: Host, wrong: dict[str, str]) -> None:
    form = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", **wrong}
    answer = await Person().post("/r/new/", **form)
    assert answer.status_code == 422
    assert "xpected" in text(answer) and "<form" in text(answer)
    assert await Room.objects.acount() == 0 and await Player.objects.acount() == 0


async def test_a_private_room_is_not_among_those_that_wait(host: Host) -> None:
    room = await host.lobby.open("secret-1", {"variant": "connect-four-7x6", "private": True})
    person = Person()
    await person.post("/r/secret-1/sit/")
    assert room.free_side() == 1
    assert "secret-1" not in text(await Person().get("/"))
