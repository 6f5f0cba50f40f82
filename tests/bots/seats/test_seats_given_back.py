"""A dropped bot's seat is given back to a bot that shows what the first one showed, and to nobody else.

Bots come to their seats in every way there is, and drop: one after the other, or all at once with the server. Then
strangers try, each in a way of its own, and at last the bots themselves.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest

from arena.bots.seats import seat_finder, seat_ports
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.seats.doors import Door
from arena.bots.session.session import Session
from arena.host import Host
from arena.protocols import protocol, protocols
from arena.rooms import restart
from arena.rooms.plan import Occupant
from arena.rooms.room import LiveRoom
from tests.bots.placing import ANYONE, FIAR, FIELDS, RANDOM
from tests.kit.clients import Wire
from tests.kit.registered import register
from tests.kit.restarting import ADA, Restarts
from tests.kit.until import until

HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
LONG_S = 600.0
NATIVE = SideChoice("socket", protocol="native")
REFUSALS = (b"refused", b"Error", b"REFUSED")


class Shows(NamedTuple):
    """The first lines of a connection to a door or to the seat's port. `{code}` is that of the room, in small letters;
    `{seat}` and `{bot}` are the tokens of the seat and of the registered bot.
    """

    where: str
    lines: tuple[str, ...] = ()
    address: str = HERE


def native(name: str, token: str = "", /, **wish: str) -> tuple[str, ...]:
    said = {"type": "hello", "name": name} | ({"token": token} if token else {})
    kind, what = next(iter(wish.items()))
    key = {"join": "room", "queue": "variant", "challenge": "player"}[kind]
    return json.dumps(said), json.dumps({"type": kind, key: what})


def droidcon(name: str) -> tuple[str, ...]:
    return f"NAME {name}", "JOIN {code}"


SEVEN, OTHER = "connect-four-7x6", "expanding-nim"
JOINS, QUEUES = native("alpha", join="{code}"), native("alpha", queue=SEVEN)
PORT = ("comes to the port",)
SEAT, BOT = ("SEAT {seat}",), ("SEAT {bot}",)


class Way(NamedTuple):
    """How a bot came to its seat, in a room with this on its first side, None for one that a door opened."""

    first: Shows
    side: SideChoice | None = ANYONE
    private: bool = False
    # What brings it back besides the same again: in the eyes of the table no stranger.
    as_good: tuple[str, ...] = ()


WAYS = {
    "droidcon joins": Way(Shows("droidcon", droidcon("alpha"))),
    "droidcon joins a private room": Way(
        Shows("droidcon", droidcon("alpha")), private=True, as_good=("replays droidcon",)
    ),
    "native joins": Way(Shows("native", JOINS)),
    "native joins a private room": Way(Shows("native", JOINS), private=True, as_good=("replays native",)),
    "native with its token joins": Way(Shows("native", native("alpha", "{native_bot}", join="{code}"))),
    "native at a private seat": Way(Shows("native", (*SEAT, JOINS[0])), NATIVE, private=True),
    "native queues": Way(Shows("native", QUEUES), None, as_good=("queues by its name",)),
    "at the port": Way(Shows("port"), FIAR, as_good=PORT),
    "at the port of a private room": Way(Shows("port"), FIAR, private=True, as_good=PORT),
    "token of the seat at its port": Way(Shows("port", SEAT), FIAR, private=True),
    "token of the seat at the door": Way(Shows("fiar", SEAT), FIAR, private=True),
    "a registered bot at a seat": Way(Shows("port", ("SEAT {second}",)), FIAR, private=True),
    "a registered bot at the door": Way(Shows("fiar", BOT), SideChoice("bot"), private=True),
}
# Only our restart brings them back.
NAMELESS = {
    f"at the door of {slug}": Way(Shows(slug, lines), None, as_good=(f"comes at the door of {slug}",))
    for slug, lines in {"gamestate": (), "fiar": (), "nyu-nim": (), "santorini-json": ('["join", "alpha"]',)}.items()
}

STRANGERS = {
    "queues": Shows("native", native("stranger", queue=SEVEN)),
    "queues for something else": Shows("native", native("alpha", queue=OTHER)),
    "queues by its name": Shows("native", QUEUES),
    "queues by its name from elsewhere": Shows("native", QUEUES, ELSEWHERE),
    "challenges its opponent": Shows("native", native("alpha", challenge="ada")),
    "joins": Shows("native", native("stranger", join="{code}")),
    "replays native": Shows("native", JOINS, ELSEWHERE),
    "replays native with a token": Shows("native", native("alpha", "{native_other}", join="{code}")),
    "joins in droidcon": Shows("droidcon", droidcon("stranger")),
    "replays droidcon": Shows("droidcon", droidcon("alpha"), ELSEWHERE),
    "comes to the port": Shows("port"),
    "comes to the port as somebody else": Shows("port", ("SEAT {other}",)),
    "comes at the door of santorini-json as somebody else": Shows("santorini-json", ('["join", "stranger"]',)),
    **{f"comes {name} from elsewhere": way.first._replace(address=ELSEWHERE) for name, way in NAMELESS.items()},
    **{f"comes {name}": way.first for name, way in NAMELESS.items()},
}
# They name no room, and so try all of them at once.
WHEREVER = ("queues", "challenges", "comes at the door")


@dataclass(slots=True)
class Seat:
    """The first side of one room. `dropped` is who is waited for there."""

    room: LiveRoom
    words: Mapping[str, str]
    port: int | None
    dropped: Occupant | None = None


@dataclass(slots=True)
class Cast:
    """Two registered bots and a person."""

    bot: int
    words: Mapping[str, str]
    ada: Opener


async def cast() -> Cast:
    bot, token = await register("gravity-9", "fiar")
    _, second = await register("gravity-10", "fiar")
    _, other = await register("sparrow", "fiar")
    _, native_bot = await register("beta", "native")
    _, native_other = await register("gamma", "native")
    words = {
        "bot": token,
        "second": second,
        "other": other,
        "native_bot": native_bot,
        "native_other": native_other,
        "seat": "",
    }
    return Cast(bot.pk, words, Opener(ADA))


async def open_doors(host: Host) -> None:
    for slug in protocols():
        door = host.doors[slug] = Door(host.seat_ports, protocol(slug), [], LONG_S)
        await door.open(HERE, 0)


async def come(host: Host, cast: Cast, way: Way) -> tuple[Seat, Wire]:
    """The bot of this way sits down, and is asked for a move."""
    if way.side is None:
        wire = await connect(host, way.first, cast.words)
        await until(lambda: bool(host.lobby.open_rooms()))
        [room] = host.lobby.open_rooms()
        host.lobby.sit_down(room, ADA)
        seat = Seat(room, cast.words, None)
    else:
        side = replace(way.side, player=cast.bot) if way.side.kind == "bot" else way.side
        room = await host.room_maker.open_room({**FIELDS, "private": way.private}, (side, RANDOM), cast.ada)
        waits = host.seat_ports.port_of(room.plan.code, 0)
        words = {**cast.words, "code": room.plan.code.lower(), "seat": waits.token if waits is not None else ""}
        seat = Seat(room, words, waits.port if waits is not None and way.side is FIAR else None)
        wire = await connect(host, way.first, words, seat.port)
    await until(lambda: room.live is not None and room.live.state.phase == "running")
    return seat, wire


async def connect(host: Host, shows: Shows, words: Mapping[str, str], port: int | None = None) -> Wire:
    number = port if shows.where == "port" else host.doors[shows.where].port
    assert number is not None
    wire = await Wire.opened(number, shows.address)
    for name, word in words.items():
        shows = shows._replace(lines=tuple(line.replace(f"{{{name}}}", word) for line in shows.lines))
    await wire.send(*shows.lines)
    return wire


async def tries(host: Host, shows: Shows, seats: Mapping[str, Seat], at: Seat) -> list[str]:
    """Somebody tries, aiming at this seat. Which seats it got, once it is known that it has one, elsewhere perhaps, or
    that it was turned away; it leaves again.
    """
    wire = await connect(host, shows, at.words, at.port)
    listening = asyncio.ensure_future(wire.hear())

    def given() -> list[str]:
        return [name for name, seat in seats.items() if seat.room.sides[0] is not seat.dropped]

    def is_seated() -> bool:
        sessions = (session for door in host.doors.values() for session in door._sessions)
        return any(session.room is not None for session in sessions if session.transport.peer == wire.peer)

    await until(
        lambda: bool(given()) or listening.done() or is_seated() or any(word in wire.heard for word in REFUSALS)
    )
    got = given()
    listening.cancel()
    await wire.close()
    for seat in (seats[name] for name in got):
        await drop(seat)
    await until(lambda: not any(door._sessions for door in host.doors.values()))
    return got


async def drop(seat: Seat) -> None:
    """The connection of who sits there is gone; the seat is kept, unless there is no coming back."""
    await until(lambda: (here := seat.room.sides[0]) is None or not isinstance(here, Session) or not here.connected)
    seat.dropped = seat.room.sides[0]


async def attack(host: Host, seats: Mapping[str, Seat]) -> dict[str, set[str]]:
    """By the way in which a seat was taken: which strangers got it."""
    got: dict[str, set[str]] = {name: set() for name in seats}
    for kind, shows in STRANGERS.items():
        aimed = [seat for seat in seats.values() if shows.where != "port" or seat.port]
        for at in aimed[:1] if kind.startswith(WHEREVER) else aimed:
            for name in await tries(host, shows, seats, at):
                got[name].add(kind)
    return got


@pytest.fixture(autouse=True)
def waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, nobody is given up while strangers try."""
    for module in (restart, seat_ports, seat_finder):
        monkeypatch.setattr(module, "RETURN_S", LONG_S)
    for adapter in protocols().values():
        monkeypatch.setattr(adapter, "clock", f"{LONG_S:g}s")
        monkeypatch.setattr(adapter, "ack_s", LONG_S)
    monkeypatch.setattr(seat_finder, "SEATED_AFTER_S", 0.02)


async def all_come(host: Host, ways: Mapping[str, Way]) -> tuple[dict[str, Seat], list[Wire]]:
    await open_doors(host)
    them = await cast()
    came = {name: await come(host, them, way) for name, way in ways.items()}
    return {name: seat for name, (seat, _) in came.items()}, [wire for _, wire in came.values()]


async def leave(wire: Wire) -> None:
    """Close when the arena has."""
    await wire.hear()
    await wire.close()


async def strangers_and_they_themselves_try(host: Host, ways: Mapping[str, Way], seats: Mapping[str, Seat]) -> None:
    assert await attack(host, seats) == {name: set(way.as_good) for name, way in ways.items()}
    for name in (name for name, way in ways.items() if not way.as_good):
        assert name in await tries(host, ways[name].first, seats, seats[name])


async def test_after_a_drop(restarted: Restarts) -> None:
    host = await restarted()
    seats, wires = await all_come(host, WAYS)
    for wire, seat in zip(wires, seats.values(), strict=True):
        await wire.close()
        await drop(seat)
    await strangers_and_they_themselves_try(host, WAYS, seats)


async def test_after_our_restart(restarted: Restarts) -> None:
    seats, wires = await all_come(await restarted(), WAYS | NAMELESS)
    host, _ = await asyncio.gather(restarted(), asyncio.gather(*(leave(wire) for wire in wires)))
    await open_doors(host)
    for seat in seats.values():
        seat.room = host.lobby.rooms[seat.room.plan.code.upper()]
        seat.dropped = seat.room.sides[0]
    await strangers_and_they_themselves_try(host, WAYS | NAMELESS, seats)
