"""The wizard: a POST opens a room that listens; what is heard is shown to the person who opened it, and to nobody
else.
"""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.bots.seats.seat_port import SeatPort
from arena.host import Host
from arena.models import Player, Room
from arena.web.bots import wizard_companion
from arena.web.bots.wizard import usual_protocol
from tests.kit.browsing import HTMX, Person, text
from tests.kit.until import until


async def opened(person: Person, **fields: str) -> str:
    answer = await person.post("/bots/connect/", **{"variant": "connect-four-7x6", **fields})
    assert answer.status_code == 302, text(answer)
    assert re.fullmatch(r"/r/[a-z]+-[a-z0-9]{12}/connect/1/", answer["Location"])
    return str(answer["Location"])


def waiting_at(host: Host, address: str) -> SeatPort:
    found = host.seat_ports.port_of(address.split("/")[2], 1)
    assert found is not None
    return found


@asynccontextmanager
async def connected(waiting: SeatPort) -> AsyncIterator[asyncio.StreamWriter]:
    assert waiting.port is not None
    _, writer = await asyncio.open_connection("127.0.0.1", waiting.port)
    try:
        yield writer
    finally:
        writer.close()


def heard(waiting: SeatPort, code: str) -> bool:
    return any(entry.code == code for entry in waiting.hearing.entries)


async def test_looking_opens_no_room(host: Host) -> None:
    person = Person()
    page = text(await person.get("/bots/connect/"))
    assert "Open a room and listen" in page
    assert host.lobby.rooms == {} and "sessionid" not in person.client.cookies


async def test_one_post_opens_a_private_room_that_listens(host: Host) -> None:
    person = Person()
    address = await opened(person)
    page = html.unescape(text(await person.get(address)))
    room = await Room.objects.aget()
    assert room.private and room.rounds == 4 and room.clock == "30s"
    port = waiting_at(host, address).port
    assert f"host  testserver\nport  {port}" in page and f"JOIN {room.shown_code}" in page
    assert "Take the sample in Python" in page
    assert f"Port {port}, channel {room.shown_code}" in page and f"Nothing has connected to port {port} yet." in page


async def test_what_is_heard_is_said_and_the_wire_stands_beside_it(host: Host) -> None:
    person = Person()
    address = await opened(person)
    waiting = waiting_at(host, address)
    async with connected(waiting) as bot:
        bot.write(b"NAME gravity-9\n<script>\n")
        await until(lambda: heard(waiting, "typo"))
        page = html.unescape(text(await person.get(f"{address}state/", **HTMX)))
    assert "First line received" in page and "Got <code>&lt;script" not in page
    assert "NAME gravity-9" in page and "We did not understand that" in page
    assert "<script>" not in text(await person.get(address)).replace('<script src="', "").replace("<script defer", "")


async def test_another_protocol_has_another_address_and_other_lines(host: Host) -> None:
    person = Person()
    address = await opened(person)
    answer = await person.post(address, protocol="fiar")
    assert answer["Location"] == address
    room = await Room.objects.aget()
    assert room.rounds == waiting_at(host, address).room.plan.rounds == 1, "as this protocol plays"
    page = html.unescape(text(await person.get(address)))
    port = waiting_at(host, address).port
    assert f"python3 arena-bridge.py testserver {port} -- ./my-bot" in page and "NAME my-bot" not in page
    python = html.unescape(text(await person.get(f"{address}?lang=py")))
    assert f"python3 arena-bridge.py testserver {port} -- python3 fiar_bot.py" in python


@pytest.mark.parametrize("slug", ["gamestate", "gopher", ""])
async def test_a_protocol_that_does_not_play_this_is_refused_in_words(host: Host, slug: str) -> None:
    person = Person()
    address = await opened(person)
    answer = await person.post(address, protocol=slug)
    assert answer.status_code == 422
    assert "does not play" in text(answer) or "Received the protocol" in text(answer)
    assert waiting_at(host, address).place.protocol == "droidcon"


async def test_an_unknown_game_opens_nothing(host: Host) -> None:
    answer = await Person().post("/bots/connect/", variant="chess")
    assert answer.status_code == 404
    assert (await Person().post("/bots/connect/", variant="expanding-nim", protocol="fiar")).status_code == 422
    assert host.lobby.rooms == {} and await Player.objects.acount() == 0


async def test_to_others_the_wizard_is_not_there(host: Host) -> None:
    address = await opened(Person())
    for answer in (
        await Person().get(address),
        await Person().get(f"{address}state/"),
        await Person().post(address, protocol="fiar"),
        await Person().get("/r/nosuch/connect/1/"),
        await Person().get(address.replace("/1/", "/7/")),
    ):
        assert answer.status_code == 404 and "There is no such room" in text(answer)
    assert waiting_at(host, address).place.protocol == "droidcon"


async def test_medium_sits_down_and_the_page_is_taken_to_the_match(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wizard_companion, "COMPANION_S", 0.1)
    person = Person()
    address = await opened(person)
    room = host.lobby.rooms[address.split("/")[2].upper()]
    async with connected(waiting_at(host, address)) as bot:
        bot.write(f"NAME gravity-9\nJOIN {room.plan.code}\n".encode())
        await until(lambda: room.live is not None)
        assert room.live is not None
        assert [seat.kind for seat in room.live.state.setup.seats] == ["builtin", "bot"]
        taken = await person.get(f"{address}state/", **HTMX)
        assert taken["HX-Redirect"] == f"/m/{room.live.id}/"
        assert (await person.get(address))["Location"] == f"/m/{room.live.id}/"
        assert (await person.get(f"/m/{room.live.id}/")).status_code == 200
        assert (await Person().get(f"/m/{room.live.id}/")).status_code == 404


async def test_who_chooses_somebody_else_is_led_to_the_link(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wizard_companion, "COMPANION_S", 0.1)
    person = Person()
    address = await opened(person)
    waiting = waiting_at(host, address)
    code = address.split("/")[2]
    assert (await person.post(address, other="1"))["Location"] == f"/r/{code}/"
    async with connected(waiting) as bot:
        bot.write(f"NAME gravity-9\nJOIN {code}\n".encode())
        await until(lambda: heard(waiting, "ready"))
        room = host.lobby.rooms[code.upper()]
        assert room.sides[0] is None
        assert "gravity-9" in text(await person.get(f"/r/{code}/"))


async def test_an_address_is_opened_again(host: Host) -> None:
    person = Person()
    address = await opened(person)
    before = waiting_at(host, address)
    before.close()
    assert (await person.post(address, again="1"))["Location"] == address
    assert waiting_at(host, address).port is not None and waiting_at(host, address) is not before


def test_each_game_has_a_usual_protocol() -> None:
    chosen = [usual_protocol(slug) for slug in ("connect-four-7x6", "connect-four-8x8", "santorini-5x5")]
    assert chosen == ["droidcon", "gamestate", "native"]
