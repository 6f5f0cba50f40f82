"""A challenge reaches the other person on whatever page they have, and cannot be used to pester."""

from __future__ import annotations

import asyncio

import pytest

from arena.host import Host
from arena.models import Player, Room
from tests.kit.browsing import HTMX, Person, match_of, says, text
from tests.web.people.test_accounts import a_guest, account

ASKED = {"variant": "connect-four-7x6", "clock": "5m"}


async def people(host: Host, *names: str) -> list[Person]:
    """Each with an account and a profile."""
    return [await account(name, await a_guest(host)) for name in names]


async def challenge(by: Person, whom: str, **fields: str) -> str:
    """The path of the room."""
    answer = await by.post(f"/@/{whom}/challenge/", **{**ASKED, **fields})
    assert answer.status_code == 302, text(answer)
    return answer["Location"]


def code_of(room: str) -> str:
    return room.split("/")[2]


async def test_who_is_asked_finds_it_at_home_and_plays_with_one_press(host: Host) -> None:
    ada, bob = await people(host, "Ada", "Bob")
    room = await challenge(ada, "bob", rated="on")
    host.lobby.pages.expect(code_of(room).upper(), (await Player.objects.aget(slug="ada")).pk, 60)
    home = text(await bob.get("/")).replace("\xa0", " ")
    assert "challenges you" in home and "5:00 each · rated" in home
    assert "challenges you" not in text(await ada.get("/"))
    assert "To the room" in text(await ada.get("/@/bob/")) and "challenges you" in text(await bob.get("/@/ada/"))
    answer = await bob.post(f"/challenges/{code_of(room)}/accept/")
    live = host.hub.get(match_of(answer))
    assert live is not None and live.state.setup.rated
    assert [seat.name for seat in live.state.setup.seats] == ["Bob", "Ada"]
    assert "challenges you" not in text(await bob.get("/"))


async def test_a_no_closes_the_room_is_told_and_is_left_at_that(host: Host) -> None:
    ada, bob = await people(host, "Ada", "Bob")
    room = await challenge(ada, "bob")
    answer = await bob.post(f"/challenges/{code_of(room)}/decline/", HTMX)
    assert answer.status_code == 204
    assert (await Room.objects.aget(code=code_of(room).upper())).closed is not None
    assert "Bob has declined." in text(await ada.get("/"))
    assert "Bob has declined." in text(await ada.get(room))
    assert "Challenge Bob" in text(await ada.get("/@/bob/"))
    status, words = await says(ada, "/@/bob/challenge/", **ASKED)
    assert status == 409 and "Bob has just said no. Ask again in 10 min." in words
    await ada.post(f"/challenges/{code_of(room)}/note/")
    assert "Bob has declined." not in text(await ada.get("/"))


async def test_pressed_twice_it_is_one_and_withdrawn_it_is_none(host: Host) -> None:
    ada, bob = await people(host, "Ada", "Bob")
    answers = await asyncio.gather(*(ada.post("/@/bob/challenge/", **ASKED) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    room = next(answer["Location"] for answer in answers if answer.status_code == 302)
    page = text(await ada.get(room))
    assert "is not here now, and is told if they come" in page and "Withdraw" in page
    await ada.post(f"{room}leave/")
    assert "challenges you" not in text(await bob.get("/"))
    status, words = await says(bob, f"/challenges/{code_of(room)}/accept/")
    assert status == 409 and "This challenge is no longer open." in words


async def test_one_asks_so_many_and_who_is_muted_or_unwelcome_asks_nobody(host: Host) -> None:
    ada, bob, *others = await people(host, "Ada", "Bob", "Cleo", "Dan", "Eve")
    del others
    rooms = [await challenge(ada, name) for name in ("bob", "cleo", "dan")]
    assert "3 of your challenges wait" in (await says(ada, "/@/eve/challenge/", **ASKED))[1]
    assert "has challenged you: answer that first" in (await says(bob, "/@/ada/challenge/", **ASKED))[1]
    await bob.post(f"/challenges/{code_of(rooms[0])}/mute/")
    assert "Bob takes no challenges" in (await says(ada, "/@/bob/challenge/", **ASKED))[1]
    await Player.objects.filter(slug="eve").aupdate(prefs={"challenges": "off"})
    assert "Eve takes no challenges" in (await says(ada, "/@/eve/challenge/", **ASKED))[1]
    assert "You cannot challenge yourself" in (await says(ada, "/@/ada/challenge/", **ASKED))[1]
    assert (await says(ada, "/@/nobody/challenge/", **ASKED))[0] == 404


@pytest.mark.parametrize("wrong", [{"variant": "chess"}, {"clock": "1s"}, {"rated": "on"}])
async def test_what_cannot_be_played_asks_nobody(host: Host, wrong: dict[str, str]) -> None:
    [bob] = await people(host, "Bob")
    status, words = await says(Person(), "/@/bob/challenge/", **{**ASKED, **wrong})
    assert status == 422 and ("expected" in words or "need an account" in words)
    assert not await Room.objects.aexists() and "challenges you" not in text(await bob.get("/"))


async def test_another_person_answers_for_nobody(host: Host) -> None:
    ada, _, eve = await people(host, "Ada", "Bob", "Eve")
    room = await challenge(ada, "bob")
    for what in ("accept", "decline", "mute", "withdraw"):
        assert (await says(eve, f"/challenges/{code_of(room)}/{what}/"))[0] == 409
    assert (await says(eve, f"{room}sit/"))[0] == 409, "the seat is kept"
    assert (await says(eve, f"/challenges/{code_of(room)}/burn/"))[0] == 404
