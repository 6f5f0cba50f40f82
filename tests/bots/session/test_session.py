"""A bot on a real socket, its adapter, and the match it plays; the other side does what the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arena.bots.session.connection import Connection
from arena.bots.session.session import Session
from arena.common.names import LONGEST_NAME
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.protocols.adapter import Adapter, Join, ToBot, Turn, Wish
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.transports import Transport, tcp
from tests.bots.sitting import Other
from tests.kit.clients import Wire
from tests.kit.listening import listen
from tests.kit.refereeing import moves_of, refereeing
from tests.kit.until import until

FIRST_BOARD = "@ " + "." * 42


class Seat:
    """Finds the first side of one room for every bot that connects."""

    def __init__(self, referee: Referee, adapter: type[Adapter], **plan: Any) -> None:
        self.referee = referee
        self.adapter = adapter
        self.room = LiveRoom(referee, Plan(plan.pop("variant", "connect-four-7x6"), **plan))
        self.other = Other()
        self.room.sit(self.other, 1)
        self.sessions: list[Session] = []
        self.lost_sessions: list[Session] = []
        self.grace_s = 0.0
        self.refusal: Refusal | None = None

    def connected(self, transport: Transport) -> Connection:
        session = Session(self.adapter(), transport, self.referee, self)
        session.grace_s = self.grace_s
        self.sessions.append(session)
        return session.connection

    async def seek(self, session: Session, wish: Wish) -> str:
        if self.refusal is not None:
            raise self.refusal
        assert isinstance(wish, Join)
        return wish.code

    def ready(self, session: Session) -> None:
        before = self.room.sides[0]
        session.room = self.room
        self.room.replace(0, session)
        if isinstance(before, Session) and not before.connected:
            before.succeeded_by(session)
        self.room.look()

    def lost(self, session: Session) -> None:
        self.lost_sessions.append(session)

    @property
    def live(self) -> LiveMatch:
        assert self.room.live is not None
        return self.room.live

    async def round(self, number: int) -> LiveMatch:
        """The match of this round, begun."""
        await until(lambda: self.room.live is not None and self.live.state.setup.round == number)
        await until(lambda: self.live.state.phase == "running")
        return self.live


Opens = Callable[..., Awaitable[tuple[Seat, int]]]


@asynccontextmanager
async def opening(store: Any = None) -> AsyncIterator[Opens]:
    async with refereeing(store) as referee:
        servers: list[tcp.Listener] = []
        seats: list[Seat] = []

        async def open_seat(adapter: type[Adapter], **plan: Any) -> tuple[Seat, int]:
            seats.append(Seat(referee, adapter, **plan))
            servers.append(await listen("127.0.0.1", 0, seats[-1].connected))
            return seats[-1], servers[-1].sockets[0].getsockname()[1]

        yield open_seat
        for server in servers:
            server.close()
            await server.wait_closed()
        for session in [session for seat in seats for session in seat.sessions]:
            session.transport.abort()
            await session.released.wait()


async def ended(live: LiveMatch) -> tuple[int | None, str | None]:
    await until(lambda: live.over)
    return live.state.winner, live.state.termination


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("gravity-9", "gravity-9"),
        ("x" * 507, "x" * LONGEST_NAME),
        ("<script>alert(1)</script>", "scriptalert1script"),
        ("{}\\`'\"", "droidcon"),
    ],
)
async def test_a_name_is_cleaned_and_cut(opened: Opens, said: str, shown: str) -> None:
    seat, port = await opened(Droidcon)
    async with Wire.to(port) as bot:
        await bot.send(f"NAME {said}", "JOIN a")
        await seat.round(1)
    assert seat.live.state.setup.seats[0].name == shown


# -- what a bot may do wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        (b"hello\n", "hello"),
        (b"\xff\x00\x1b[2J\n", r"\xff\x00\x1b[2J"),
        (b"x" * 1_000_000, "x" * 80 + "… (512 bytes)"),
        ("٤\n".encode(), r"\xd9\xa4"),
    ],
)
async def test_what_cannot_be_read_loses_and_is_shown_to_its_author(opened: Opens, sent: bytes, received: str) -> None:
    seat, port = await opened(Fiar, clock="5s")
    async with Wire.to(port) as bot:
        await bot.line()
        await bot.send_bytes(sent)
        assert await ended(seat.live) == (1, "bad_output")
        assert await bot.rest() == []
    said = seat.live.events[-1].data
    assert said["received"] == received
    assert "a column from 1 to 7" in said["expected"]


async def test_half_a_line_and_silence_is_out_of_time(opened: Opens) -> None:
    seat, port = await opened(Fiar, clock="100ms")
    async with Wire.to(port) as bot:
        await bot.line()
        await bot.send_bytes(b"4")
        assert await ended(seat.live) == (1, "timeout")


async def test_a_flood_of_lines_loses_and_is_cut_off(opened: Opens) -> None:
    seat, port = await opened(Droidcon, clock="5s")
    async with Wire.to(port) as bot:
        await bot.send("NAME a", "JOIN a")
        await bot.until("YOUR_MOVE")
        flood = asyncio.create_task(bot.send_bytes(b"\n" * 20_000_000))
        assert await ended(seat.live) == (1, "bad_output")
        assert "sent more than 200 lines at once" in seat.live.state.reason
        heard = await bot.rest()
        await asyncio.gather(flood, return_exceptions=True)
    assert len(heard) <= 200


async def test_a_flood_before_there_is_a_seat_is_cut_off(opened: Opens) -> None:
    seat, port = await opened(Droidcon)
    async with Wire.to(port) as bot:
        await asyncio.gather(bot.send_bytes(b"NAME a\n" * 1_000_000), return_exceptions=True)
        assert len(await bot.rest()) <= 200
    await until(lambda: len(seat.lost_sessions) == 1)


async def test_a_fault_after_the_end_changes_nothing(opened: Opens) -> None:
    seat, port = await opened(Fiar, rounds=2, break_s=0.3)
    seat.other.setup = SeatSetup("Teal Heron", "human")
    async with Wire.to(port) as bot:
        await bot.line()
        first = await seat.round(1)
        await seat.referee.resign(first, 1)
        before = seat.sessions[0].connection.stamp
        await bot.send("4", "4", "4")
        await until(lambda: seat.sessions[0].connection.stamp > before)
        second = await seat.round(2)
        await seat.referee.play(second, 0, 1, "1")
        await bot.line()
        await bot.send("2")
        await until(lambda: moves_of(second) == ["1", "2"])
    assert (first.state.winner, first.state.termination) == (0, "resign")


async def test_a_bot_that_is_not_ready_in_time_is_let_go(opened: Opens) -> None:
    seat, port = await opened(Hasty)
    async with Wire.to(port) as bot:
        await bot.send("NAME a")
        assert await bot.rest() == ["SUCCESS"]
    await until(lambda: len(seat.lost_sessions) == 1)


class Hasty(Droidcon):
    """Does not wait long for a handshake."""

    ready_s = 0.1


# -- the connection is gone --------------------------------------------------------------------------------------------


async def test_who_hangs_up_has_lost(opened: Opens) -> None:
    seat, port = await opened(Fiar, clock="5s")
    async with Wire.to(port) as bot:
        await bot.line()
    assert await ended(seat.live) == (1, "disconnect")
    assert "the connection is gone" in seat.live.state.reason


async def test_who_ends_its_side_has_lost_but_its_last_move_counts(opened: Opens) -> None:
    seat, port = await opened(Fiar, clock="5s")
    async with Wire.to(port) as bot:
        await bot.line()
        await bot.send_bytes(b"4")
        bot.finish()
        assert await ended(seat.live) == (1, "disconnect")
    assert moves_of(seat.live) == ["4"]


async def test_when_our_side_goes_down_the_match_stays_as_it_is(opened: Opens) -> None:
    seat, port = await opened(Fiar, clock="5s")
    async with Wire.to(port) as bot:
        await bot.line()
        seat.sessions[0].part()
        assert await bot.rest() == []
    await seat.sessions[0].released.wait()
    assert seat.live.state.phase == "running"
    assert seat.live.followers and seat.sessions[0].telling.follow not in seat.live.followers


# -- rounds ------------------------------------------------------------------------------------------------------------


# -- our own defects ---------------------------------------------------------------------------------------------------


class Broken(Fiar):
    """Cannot ask."""

    def send(self, event: ToBot) -> None:
        if isinstance(event, Turn):
            raise ValueError("a defect")
        Fiar.send(self, event)


async def test_a_defect_of_ours_ends_the_match_for_nobody(opened: Opens) -> None:
    seat, port = await opened(Broken)
    async with Wire.to(port) as bot:
        assert await bot.rest() == []
    assert await ended(seat.live) == (None, "server_abort")
