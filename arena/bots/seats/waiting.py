"""A side of a room that waits for a program: its port, its token, and what it has heard so far.

The seat belongs to the bot that connects to the port, or shows the token at a door. A second connection is told so and
closed; when the first one is gone, its bot comes back the same way and has the same seat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from arena.bots.seats.hearing import Ear, Hearing, address_of
from arena.bots.seats.ports import SeatServer
from arena.bots.session.connection import Connection
from arena.bots.session.finding import Prove, Seating
from arena.bots.session.identity import showing
from arena.bots.session.seat_line import turned_away
from arena.bots.session.session import Session
from arena.bots.session.tokens import sha256_of, went
from arena.bots.session.wire import Wire
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Place
from arena.protocols import protocol
from arena.protocols.adapter import Join, Wish
from arena.rooms.lobby import Lobby
from arena.rooms.matchmaking import take_over
from arena.rooms.plan import Occupant
from arena.rooms.reservation import Reservation, SideState, is_back
from arena.rooms.room import LiveRoom
from arena.transports import Transport

log = logging.getLogger("arena.bots")

RETURN_S = 60.0
# A scanner that only looks whether the port is open gets no seat; a bot that speaks gets it at once.
SEATED_AFTER_S = 1.0
# While its bot may come back, so many may be connected to the port: one of them may be it.
MOST_KNOCKING = 8
OTHERS = "This seat waits for the bot that had it. Come back the same way: with the same token, or without one."
TAKEN = "A bot is connected to this seat already. A seat has one connection: close the other one first."
LINGER_S = 5.0
MOST_LINES_SHOWN = 400


class Waiting:
    """One side of one series. `port` is None once it is closed, `token` is "" where this process does not know it, as
    after a restart. `on_use(waiting)` is called when a bot has the seat, when it gave it up before the start, and at
    the end.
    """

    def __init__(self, lobby: Lobby, room: LiveRoom, place: Place, prove: Prove[Session], token: str = "") -> None:
        self.lobby = lobby
        self.room = room
        self.place = place
        self.token = token
        self.hearing = Hearing()
        self.hearing.on_change = room.followers.tell
        self.closed = False
        self.on_use: Callable[[Waiting], None] = lambda waiting: None
        self._until = place.expires
        # The address of who looks at its page, and so probably of the bot.
        self.watched_from = ""
        self._prove = prove
        self._server: SeatServer | None = None
        self._lingering: SeatServer | None = None
        self._sessions: dict[Session, Ear] = {}
        self._latest: Session | None = None
        self._seating: dict[Session, asyncio.Task[None]] = {}
        self._expiry: asyncio.TimerHandle | None = None

    # -- what a page shows ---------------------------------------------------------------------------------------------

    @property
    def side(self) -> int:
        return self.place.side

    @property
    def expires(self) -> datetime | None:
        """Until when somebody is waited for; None once somebody has come."""
        return self._until if self._reservation.state is SideState.OFFERED else None

    @property
    def _reservation(self) -> Reservation[Occupant]:
        return self.room.sides.reservations[self.side]

    @property
    def port(self) -> int | None:
        return self._server.number if self._server is not None else None

    def wire(self, have: int = 0) -> list[str]:
        """What went over the current connection, as JSON lines like those of a match's wire, from line `have` on."""
        if self._latest is None:
            return []
        recorded, wire = self._latest.connection.wire, Wire()
        wire.zero = recorded.zero
        return wire.encode(recorded.messages[:MOST_LINES_SHOWN])[have:]

    # -- open and closed -----------------------------------------------------------------------------------------------

    def open(self, server: SeatServer | None) -> None:
        """It is listened for from now on, until the place expires or the series is over."""
        self._server = server
        self._reservation.offer()
        self.room.on_over.append(self._series_over)
        if self._until is not None:
            self.hearing.opened(self.port, self.join, self._until)
            left = (self._until - datetime.now(UTC)).total_seconds()
            self._expiry = asyncio.get_running_loop().call_later(max(0.0, left), self._expire)
        self.room.followers.tell()

    @property
    def awaits(self) -> bool:
        """Whether a bot may still come that is new to this room."""
        return not (self.closed or self.room.begun or self.room.over)

    @property
    def join(self) -> str:
        """What a bot says to come into this room, "" where its protocol has no such word."""
        return f"JOIN {self.room.plan.code}" if protocol(self.place.protocol).joins else ""

    def _offer_again(self) -> None:
        """The bot that had come is gone before the first round."""
        if not self.closed:
            self._reservation.offer()
            if self._reservation.state is SideState.OFFERED:
                self.on_use(self)

    def _expire(self) -> None:
        """A bot that is there keeps the seat."""
        if self._reservation.state is SideState.OFFERED and not self._sessions:
            self.hearing.add("expired")
            self.close()

    def _series_over(self) -> None:
        """The port answers for a moment: a bridge that was closed looks there whether the arena is still up."""
        server, self._server = self._server, None
        self.close()
        if server is not None:
            self._lingering = server
            asyncio.get_running_loop().call_later(LINGER_S, server.close)

    def close(self) -> None:
        """Nobody is waited for any more; who has the seat keeps it."""
        if self._lingering is not None:
            self._lingering.close()
        if self.closed:
            return
        self.closed = True
        self._reservation.withdraw()
        self.hearing.close()
        if self._expiry is not None:
            self._expiry.cancel()
        for seating in self._seating.values():
            seating.cancel()
        if self._server is not None:
            self._server.close()
            self._server = None
        self.on_use(self)
        self.room.followers.tell()

    def send_away(self, code: str, sentence: str) -> None:
        """Close it, and part from who is connected."""
        self.close()
        for session in list(self._sessions):
            session.send_away(code, sentence)

    async def part(self) -> None:
        """Our side goes down: matches stay as the log has them."""
        self.on_use = lambda waiting: None  # the row stays: the next host goes on with it
        self.close()
        sessions = list(self._sessions)
        for session in sessions:
            session.part()
        for session in sessions:
            await session.released.wait()

    # -- connections ---------------------------------------------------------------------------------------------------

    def connected(self, transport: Transport) -> Connection | Deaf:
        """Somebody has come to the port."""
        if self.closed:
            return Deaf(transport, turned_away("seat_expired", "The series of this seat is over."))
        if self._is_taken() or len(self._sessions) >= MOST_KNOCKING:
            self.hearing.add("refused", code="seat_taken", why=TAKEN)
            return Deaf(transport, turned_away("seat_taken", TAKEN))
        session = Session(protocol(self.place.protocol)(), transport, self.lobby.referee, self, self._prove_here)
        self._admit(session)
        return session.connection

    async def _prove_here(self, session: Session, token: str) -> None:
        """Once the seat's own token was shown, the port is not enough; that of a registered bot says who sits here."""
        if sha256_of(token) == self.place.token_sha256:
            session.setup = showing(session.setup, "seat", self._address)
            return
        try:
            await self._prove(session, token)
        except Refusal as refusal:
            self.hearing.add("refused", code=refusal.code, why=refusal.sentence)
            raise

    @property
    def _address(self) -> str:
        """What a bot shows by coming to the port."""
        return self.place.token_sha256 or ""

    def admit(self, session: Session) -> None:
        """This connection may have the seat: it has shown the token. Raises Refusal."""
        self._admit(session)
        session.setup = showing(session.setup, "seat", self._address)

    def _admit(self, session: Session) -> None:
        if session.adapter.slug != self.place.protocol:
            speaks = f"This seat waits for {self.place.protocol}, this is a door of {session.adapter.slug}."
            raise Refusal("wrong_protocol", f"{speaks} Connect where that is spoken, or choose another protocol.")
        if session in self._sessions:
            return
        if self._is_taken():
            raise Refusal("seat_taken", TAKEN)
        if session.finder is not self:
            cast(Seating[Session], session.finder).leave(session)
            session.finder = self
        session.setup = replace(session.setup, holder=self._address)
        session.grace_s = RETURN_S
        self._sessions[session] = Ear(session.connection, self.hearing, self.join)
        self._latest = session

    def came_by_name(self, session: Session, heard: bool = False) -> None:
        """A bot has named the room at its door, and has the seat. `heard`: what it said before is known here."""
        self._latest = session
        self.hearing.close()
        if not heard:
            self.hearing.add("connected", address=address_of(session.connection))
        self.hearing.add("ready", name=session.setup.name)
        self.on_use(self)

    def _is_taken(self) -> bool:
        state = self._reservation.state
        return state is not SideState.AWAY and (state is not SideState.OFFERED or bool(self._sessions))

    def _may_return(self, before: SeatSetup, session: Session) -> bool:
        """Who came by the port alone has shown no more than that, and comes back so."""
        by_port = before.player is None and before.holder == self._address
        return (by_port and session.setup.player is None) or is_back(before, session.setup)

    # -- as the finder of its sessions ---------------------------------------------------------------------------------

    async def seek(self, session: Session, wish: Wish) -> str:
        """Any room will do: there is one."""
        session.met(self.room.sides[1 - self.side] is not None)
        return wish.code if isinstance(wish, Join) else self.room.plan.code

    def ready(self, session: Session) -> None:
        """It has the seat as soon as it has spoken, or after a moment."""
        if session.room is not None:
            session.room.look()
        elif session not in self._seating and session in self._sessions:
            seating = asyncio.get_running_loop().create_task(self._seat_soon(session))
            self._seating[session] = seating
            seating.add_done_callback(lambda _: self._seating.pop(session, None))

    async def _seat_soon(self, session: Session) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SEATED_AFTER_S):
                await self._sessions[session].spoken.wait()
        if session.admission is not None:
            await session.admission.wait()
        if session.connected:
            self._seat(session)

    def _seat(self, session: Session) -> None:
        room, before = self.room, self.room.sides[self.side]
        if room.over or self.closed:
            session.connection.turn_away("seat_expired", "The room of this seat is closed.")
            return
        if before is not None and not room.sides.is_away(self.side):
            session.connection.turn_away("seat_taken", TAKEN)
            return
        if before is not None and not self._may_return(before.setup, session):
            self.hearing.add("refused", code="other_bot", why=OTHERS)
            session.connection.turn_away("other_bot", OTHERS)
            return
        session.room = room
        self._sessions[session].joined()
        self.hearing.add("ready", name=session.setup.name)
        if before is None:
            room.sit(session, self.side)
            room.look()
        else:
            take_over(room, self.side, session)
        self.on_use(self)

    def lost(self, session: Session) -> None:
        """Before the first round the place waits on; from then on its bot has a while to come back."""
        gone(session)
        ear = self._sessions.pop(session, None)
        if ear is not None:
            ear.close()
        if seating := self._seating.get(session):
            seating.cancel()
        room = self.room
        if not room.begun:
            self.hearing.add("gone", why=session.why_gone)
        if session.room is not None:
            room.lose(session, session.grace_s)
            self._offer_again()
        if self._until is not None and datetime.now(UTC) >= self._until:
            self._expire()


def gone(session: Session) -> None:
    """A registered bot has one connection less."""
    if session.setup.verified and session.setup.player is not None:
        went(session.setup.player, session)


class Deaf:
    """A connection that is told one thing, or nothing, and closed."""

    def __init__(self, transport: Transport, words: bytes = b"") -> None:
        if words:
            transport.write(words)
        transport.close()

    def data_received(self, data: bytes, stamp: float) -> None:
        """Nobody listens."""

    def eof_received(self) -> None:
        """It is closed already."""

    def connection_lost(self, reason: str) -> None:
        """As it should be."""
