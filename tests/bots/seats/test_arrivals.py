"""Bots at the public door: what they say reaches the place that waits for them, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from arena.bots.seats import hearing
from arena.bots.seats.choices import Opener, SideChoice
from arena.bots.seats.seat_port import SeatPort
from arena.host import Host
from tests.bots.conftest import Opens
from tests.kit.clients import Wire
from tests.kit.until import until

FIELDS = {"variant": "connect-four-7x6", "clock": "5s"}
ANYONE = SideChoice("anyone")


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is silent is heard soon, which in other tests is whoever is slow."""
    monkeypatch.setattr(hearing, "SILENT_S", 0.1)
    monkeypatch.setattr(hearing, "JOIN_S", 0.1)


async def waits(host: Host, protocol: str = "droidcon", watched_from: str = "", other: SideChoice = ANYONE) -> SeatPort:
    room = await host.room_maker.open_room(FIELDS, (SideChoice("socket", protocol=protocol), other), None)
    found = host.seat_ports.port_of(room.plan.code, 0)
    assert found is not None
    found.watched_from = watched_from
    return found


def codes(waiting: SeatPort) -> list[str]:
    return [entry.code for entry in waiting.hearing.entries]


async def heard(waiting: SeatPort, code: str) -> Mapping[str, str]:
    await until(lambda: code in codes(waiting))
    return next(entry.params for entry in waiting.hearing.entries if entry.code == code)


def said(waiting: SeatPort) -> str:
    return " ".join(value for entry in waiting.hearing.entries[1:] for value in entry.params.values())


def named(waiting: SeatPort) -> Callable[[], bool]:
    return lambda: "ready" in codes(waiting)


async def test_all_that_was_said_is_told_when_the_room_is_named(host: Host, opened: Opens) -> None:
    port, place = await opened("droidcon"), await waits(host)
    async with Wire.to(port) as bot:
        await bot.send("NAME gravity-9", "JION x", f"JOIN {place.room.plan.code}")
        assert await heard(place, "ready") == {"name": "gravity-9 (unverified)"}
        assert codes(place) == ["open", "connected", "first_line", "typo", "ready"]
        assert (await heard(place, "connected"))["address"] == "127.0.0.1"
        assert (await heard(place, "first_line"))["line"] == "NAME gravity-9"
        typo = await heard(place, "typo")
        assert (typo["got"], typo["answered"], typo["meant"]) == ("JION x", "Error INVALID_COMMAND", "JOIN")
        assert '"NAME gravity-9\\\\n' in place.wire()[0]
    await until(lambda: codes(place)[-1] == "gone")


async def test_who_has_joined_is_not_told_to_join(host: Host, opened: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "JOIN_S", 0.0)
    port, place = await opened("droidcon"), await waits(host)
    async with Wire.to(port) as bot:
        await bot.send("NAME gravity-9", f"JOIN {place.room.plan.code}")
        await until(named(place))
        for _ in range(3):
            await bot.send("NAME gravity-9")
            assert await bot.line() == "SUCCESS"
        assert codes(place) == ["open", "connected", "first_line", "ready"]


@pytest.mark.usefixtures("soon")
async def test_a_wrong_line_with_the_rooms_code_is_told_at_once(host: Host, opened: Opens) -> None:
    port, place = await opened("droidcon"), await waits(host)
    code = place.room.plan.code
    async with Wire.to(port) as bot:
        await bot.send(f"JOIN {code.lower()}")
        wrong = await heard(place, "wrong")
        assert wrong == {"got": f"JOIN {code.lower()}", "answered": "Error NO_NAME_SET", "error": "NO_NAME_SET"}
        await bot.send("NAME gravity-9")
        assert await heard(place, "needs_join") == {"answered": "SUCCESS", "join": f"JOIN {code}"}


@pytest.mark.usefixtures("soon")
async def test_a_bot_from_the_address_of_who_looks_is_heard_from_its_first_byte(host: Host, opened: Opens) -> None:
    port, place = await opened("droidcon"), await waits(host, watched_from="127.0.0.1")
    async with Wire.to(port) as bot:
        assert await heard(place, "connected") == {"address": "127.0.0.1"}
        await heard(place, "silent")
        await bot.send_bytes(b"NAME gravity-9")
        assert await heard(place, "no_line_end") == {"bytes": "14"}
        await bot.send_bytes(b"\r\n")
        assert (await heard(place, "first_line"))["line"] == "NAME gravity-9"
        await heard(place, "needs_join")
        await bot.send(f"JOIN {place.room.plan.code}")
        await until(named(place))
        assert codes(place).count("connected") == codes(place).count("first_line") == 1


async def test_a_taken_seat_is_told_to_who_waited(host: Host, opened: Opens, ada: Opener) -> None:
    port, place = await opened("droidcon"), await waits(host, other=SideChoice("me", player=ada.setup.player))
    code = place.room.plan.code
    async with Wire.to(port) as first, Wire.to(port) as second:
        await first.send("NAME a", f"JOIN {code}")
        await until(named(place))
        await second.send("NAME b", f"JOIN {code}")
        wrong = await heard(place, "wrong")
        assert (wrong["got"], wrong["error"]) == (f"JOIN {code}", "CHANNEL_IS_FULL")


async def test_who_joins_elsewhere_is_named_without_saying_where(host: Host, opened: Opens) -> None:
    port, place = await opened("droidcon"), await waits(host, watched_from="127.0.0.1")
    async with Wire.to(port) as bot:
        await bot.send("NAME gravity-9", "JION secret-8f3k", "JOIN secret-8f3k")
        assert await heard(place, "elsewhere") == {"join": f"JOIN {place.room.plan.code}"}
        assert "secret" not in said(place) and "NAME gravity-9" in said(place)
        assert place.wire() == []


async def test_with_two_places_at_one_address_nothing_is_guessed(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    places = [await waits(host, watched_from="127.0.0.1") for _ in range(2)]
    async with Wire.to(port) as bot:
        await bot.send("NAME gravity-9", f"JOIN {places[1].room.plan.code}")
        await until(named(places[1]))
        assert codes(places[0]) == ["open"]


async def test_a_token_is_not_heard(host: Host, opened: Opens) -> None:
    port, place = await opened("native"), await waits(host, "native")
    token = "arn_" + "a" * 26
    async with Wire.to(port) as bot:
        await bot.send(f'{{"type":"hello","name":"x","token":"{token}","room":"{place.room.plan.code}"}}')
        assert '"token":"..."' in (await heard(place, "first_line"))["line"]
        assert token not in said(place)


async def test_nobody_listens_where_nobody_waits(host: Host, opened: Opens) -> None:
    port = await opened("droidcon")
    async with Wire.to(port) as bot:
        await bot.send("NAME a")
        assert await bot.line() == "SUCCESS"
        sessions = host.doors["droidcon"]._sessions
        assert [session.connection.overheard for session in sessions] == [None]
