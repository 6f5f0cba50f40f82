"""One click makes a room and its link; its settings change until somebody sits down; five may open it at once."""

from __future__ import annotations

import asyncio
import threading

import pytest
from django.db import connection, transaction

from arena.host import Host
from arena.models import Match, Room
from tests.kit.browsing import HTMX, Person, match_of, text, two_people
from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until
from tests.web.test_who_may import known

SETTINGS = {"variant": "santorini-5x5", "clock": "5m", "rounds": "2"}


async def invited(host: Host) -> tuple[Person, str]:
    ada = Person()
    return ada, (await ada.post("/r/friend/", variant="connect-four-7x6"))["Location"]


async def test_one_click_makes_a_private_room_where_the_host_waits_and_the_friend_moves_first(host: Host) -> None:
    ada, address = await invited(host)
    row = await Room.objects.aget()
    assert (row.private, row.offers, row.rated, row.clock, row.rounds) == (True, True, False, "none", 1)
    assert [side is not None for side in host.lobby.rooms[row.code].sides] == [False, True]
    assert host.lobby.open_rooms() == [], "nobody else sits down on it"
    friend = Person()
    match = match_of(await friend.post(f"{address}sit/"))
    assert 'data-seat="0"' in text(await friend.get(f"/m/{match}/"))
    assert 'data-seat="1"' in text(await ada.get(f"/m/{match}/"))
    assert (await Person().get(f"/m/{match}/")).status_code == 404


async def test_five_open_an_invitation_at_once_and_one_of_them_plays(host: Host) -> None:
    _, address = await invited(host)
    people = [Person() for _ in range(5)]
    pages = await asyncio.gather(*(person.get(address) for person in people))
    assert {page.status_code for page in pages} == {200}
    answers = await asyncio.gather(*(person.post(f"{address}sit/") for person in people))
    match = await Match.objects.aget()
    assert sorted(answer["Location"] for answer in answers) == [f"/m/{match.id}/", *[address] * 4]
    late = next(person for person, answer in zip(people, answers, strict=True) if answer["Location"] == address)
    for shown in (await late.get(address), await late.get(f"{address}state/?seat=taken", **HTMX)):
        assert "Both seats are taken. You can watch." in text(shown), "also to whose page came before the match"


async def test_settings_change_while_the_host_waits_alone_and_the_link_stays(host: Host) -> None:
    ada, address = await invited(host)
    assert (await ada.post(f"{address}settings/", **SETTINGS))["Location"] == address
    page = text(await Person().get(address)).replace("\xa0", " ")
    assert "Santorini 5 × 5 · you first · 5:00 each · 2 rounds" in page  # noqa: RUF001 - as it is written
    live = host.hub.get(match_of(await Person().post(f"{address}sit/")))
    assert live is not None
    setup = live.state.setup
    assert (setup.variant, setup.clock, setup.rounds) == ("santorini-5x5", "5m", 2)
    answer = await ada.post(f"{address}settings/", **SETTINGS)
    assert answer.status_code == 409 and "Somebody has sat down" in text(answer)


async def test_who_sits_down_while_new_settings_are_being_stored_plays_by_them(host: Host) -> None:
    ada, address = await invited(host)
    friend = await known("noa")
    await friend.get(address)
    (room,) = host.lobby.rooms.values()
    reached, done = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        with transaction.atomic():
            Room.objects.select_for_update().get()
            loop.call_soon_threadsafe(reached.set)
            done.wait(DEADLINE_S)
        connection.close()

    holding = loop.run_in_executor(None, hold)
    await reached.wait()
    try:
        changing = asyncio.create_task(ada.post(f"{address}settings/", **SETTINGS))
        await until(lambda: room.plan.variant == "santorini-5x5")
        sitting = asyncio.create_task(friend.post(f"{address}sit/"))
        await until(lambda: room.playing)
    finally:
        done.set()
        await holding
    await changing
    live = host.hub.get(match_of(await sitting))
    assert live is not None
    setup, row = live.state.setup, await Room.objects.aget()
    assert (setup.variant, setup.clock, setup.rounds) == (row.variant, row.clock, row.rounds)
    assert setup.variant == "santorini-5x5"


@pytest.mark.parametrize("wrong", [{"variant": "chess"}, {"clock": "1 hour"}, {"rounds": "1000"}, {"clock": ""}])
async def test_settings_that_are_none_are_refused_in_words(host: Host, wrong: dict[str, str]) -> None:
    ada, address = await invited(host)
    answer = await ada.post(f"{address}settings/", **(SETTINGS | wrong))
    assert answer.status_code == 422 and "expected" in text(answer)
    assert (await Room.objects.aget()).variant == "connect-four-7x6"


async def test_nobody_but_the_host_changes_settings(host: Host) -> None:
    _, address = await invited(host)
    assert (await Person().post(f"{address}settings/", **SETTINGS)).status_code == 404


async def test_a_game_that_there_is_not_makes_no_room(host: Host) -> None:
    answer = await Person().post("/r/friend/", variant="chess")
    assert answer.status_code == 422 and "Received the game" in text(answer)
    assert not await Room.objects.aexists()


async def test_pictures_of_a_room_and_of_a_match(host: Host) -> None:
    live, first, _ = await two_people(host)
    empty = await Person().get(f"/m/{live.id}/card.png")
    await first.play(live, "4")
    moved = await Person().get(f"/m/{live.id}/card.png")
    assert empty["Content-Type"] == moved["Content-Type"] == "image/png"
    assert empty.content.startswith(b"\x89PNG") and empty.content != moved.content
    assert (await Person().get(f"/r/{live.room_code}/card.png")).content == empty.content
    assert (await Person().get("/r/nobody-1/card.png")).status_code == 404


async def test_a_private_match_shows_no_picture_to_strangers(host: Host) -> None:
    _, address = await invited(host)
    match = match_of(await (friend := Person()).post(f"{address}sit/"))
    assert (await friend.get(f"/m/{match}/card.png")).status_code == 200
    assert (await Person().get(f"/m/{match}/card.png")).status_code == 404
