"""Rooms with chosen sides, for the tests of places: choices, and how to look at a side."""

from __future__ import annotations

from arena.bots.seats.choices import SideChoice
from arena.bots.seats.seat_port import SeatPort
from arena.host import Host
from arena.models import Place
from arena.models import Seat as SeatRow
from arena.rooms.room import LiveRoom
from tests.kit.clients import Wire

FIELDS = {"variant": "connect-four-7x6", "clock": "5m"}
ME, ANYONE, FIAR = SideChoice("me"), SideChoice("anyone"), SideChoice("socket", protocol="fiar")
RANDOM = SideChoice("builtin", level="random")


def side(host: Host, room: LiveRoom, number: int) -> SeatPort:
    found = host.seat_ports.port_of(room.plan.code, number)
    assert found is not None
    return found


def port(host: Host, room: LiveRoom, number: int) -> int:
    found = side(host, room, number).port
    assert found is not None
    return found


async def kept(room: LiveRoom, number: int) -> Place:
    return await Place.objects.aget(room=room.plan.room, side=number)


async def stored(host: Host) -> None:
    """Wait until what became of the places is in their rows."""
    await host.seat_ports.rows.written()


async def answers(wire: Wire, column: str) -> list[str]:
    """The same column again and again, to the end of the connection."""
    boards = []
    while line := await wire.line():
        boards.append(line)
        await wire.send(column)
    return boards


async def seats(match: str) -> list[tuple[str, bool, str]]:
    rows = SeatRow.objects.filter(match=match).order_by("seat")
    return [(row.name, row.verified, row.protocol) async for row in rows]
