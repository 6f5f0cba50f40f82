"""Guests: made once, named so that nobody is mistaken for another, and known again by their session."""

from __future__ import annotations

import hashlib

import pytest
from asgiref.sync import sync_to_async

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup, Setup, first_state
from arena.models import Player
from arena.rooms import room_rows
from arena.web import guests
from arena.web.guests import Visitor, audience_of, visitor_of_headers
from tests.kit.browsing import Person, match_of, text


async def a_guest() -> Person:
    person = Person()
    await person.post("/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    return person


async def test_a_guest_is_a_colour_and_an_animal(host: Host) -> None:
    await a_guest()
    player = await Player.objects.aget()
    colour, animal = player.name.split(" ")
    assert player.kind == "guest" and colour in guests.COLOURS and animal in guests.ANIMALS
    assert player.slug == f"{colour}-{animal}".lower()


async def test_a_name_that_is_taken_gets_a_number(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "COLOURS", ("Teal",))
    monkeypatch.setattr(guests, "ANIMALS", ("Heron",))
    for _ in range(12):
        await a_guest()
    names = [player.name async for player in Player.objects.all()]
    assert "Teal Heron" in names and len(set(names)) == 12
    assert all(name.startswith("Teal Heron") for name in names)


async def test_a_socket_knows_its_visitor_by_the_cookie(host: Host) -> None:
    person = await a_guest()
    player = await Player.objects.aget()
    read = sync_to_async(visitor_of_headers)
    assert await read([(b"cookie", person.cookies.encode())]) == Visitor(player.pk, player.name)
    half = person.cookies.encode().partition(b"; ")
    assert await read([(b"cookie", half[0]), (b"cookie", half[2])]) == Visitor(player.pk, player.name)


@pytest.mark.parametrize(
    "cookie", [b"", b"sessionid=", b"sessionid=nosuch", b"\xff\xfe;;=", b"sessionid=" + b"x" * 500]
)
async def test_a_socket_with_any_other_cookie_is_nobody(host: Host, cookie: bytes) -> None:
    assert await sync_to_async(visitor_of_headers)([(b"cookie", cookie)]) == Visitor()


async def test_a_seat_is_held_by_the_hash_of_the_session(host: Host) -> None:
    person = Person()
    live = host.hub.get(match_of(await person.post("/play/", variant="connect-four-7x6", move="4")))
    assert live is not None
    key = person.client.cookies["sessionid"].value
    assert live.state.setup.seats[0].holder == hashlib.sha256(key.encode()).hexdigest()


async def test_of_very_many_private_rooms_the_newest_are_remembered(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guests, "MOST_ROOMS", 2)
    person = Person()
    for code in ("A", "B", "A", "C"):
        await room_rows.find(code) or await room_rows.create(code, {"variant": "expanding-nim", "private": True})
        await person.get(f"/r/{code}/")
    visitor = await sync_to_async(visitor_of_headers)([(b"cookie", person.cookies.encode())])
    assert visitor.rooms == ("B", "C")


async def test_a_guest_whose_player_is_gone_becomes_a_new_one(host: Host) -> None:
    person = await a_guest()
    await Player.objects.all().adelete()
    answer = await person.post("/play/", variant="connect-four-7x6", move="4")
    assert answer.status_code == 302 and await Player.objects.acount() == 1


def test_an_audience_is_a_seat_for_its_player_and_nobody_else() -> None:
    seats = (SeatSetup("Ada", player=7), SeatSetup("bot", "bot", player=8))
    live = LiveMatch("m1", first_state(Setup("expanding-nim", seats)), [])
    assert [audience_of(live, player) for player in (7, 8, 9, None)] == ["0", "", "", ""]


GAME = {"variant": "connect-four-7x6"}


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/play/", {"move": "4"}),
        ("/play/here/", {}),
        ("/r/friend/", {}),
        ("/r/new/", {"clock": "none", "rounds": "1"}),
        ("/bots/connect/", {}),
    ],
)
async def test_who_may_open_nothing_now_becomes_no_guest(host: Host, address: str, fields: dict[str, str]) -> None:
    host.lobby.quota.closed = "This server stops soon."
    person = Person()
    assert "This server stops soon." in text(await person.post(address, **GAME, **fields))
    assert "sessionid" not in person.client.cookies and not await Player.objects.aexists()


async def test_who_finds_no_seat_becomes_no_guest(host: Host) -> None:
    address = (await Person().post("/r/friend/", **GAME))["Location"]
    await Person().post(f"{address}sit/")
    late = Person()
    assert (await late.post(f"{address}sit/"))["Location"] == address
    assert "sessionid" not in late.client.cookies and await Player.objects.acount() == 2
