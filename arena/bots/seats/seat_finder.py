"""Decides which of the bots that come to a seat's port, or show its token, gets the seat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from arena.bots.failure import departures
from arena.bots.seats.gate import Deaf
from arena.bots.seats.hearing import Ear, Hearing
from arena.bots.session.connection import Connection
from arena.bots.session.finding import Prove, Seating
from arena.bots.session.identity import showing
from arena.bots.session.session import Session
from arena.bots.session.tokens import sha256_of, went
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.state import SeatSetup
from arena.models import Place
from arena.protocols import protocol
from arena.protocols.adapter import Join, Wish
from arena.protocols.seat_line import turned_away
from arena.rooms.matchmaking import take_over
from arena.rooms.reservation import SideState, is_back
from arena.rooms.room import LiveRoom
from arena.transports import Transport

RETURN_S = 60.0
# A silent connection, possibly a port scanner, gets the seat only after this time; a bot that speaks gets it at once.
SEATED_AFTER_S = 1.0
# How many may be connected to the port while its bot may return: one of them may be it.
MOST_KNOCKING = 8
OTHERS = "This seat waits for the bot that had it. Come back the same way: with the same token, or without one."
TAKEN = "A bot is connected to this seat already. A seat has one connection: close the other one first."


class SeatFinder:
    """The connections of one seat. `prove` checks tokens of other seats and of registered bots; `join` is how a bot
    joins the room. `on_seat()` and `on_lost()` are called when a bot has taken the seat, and when a connection is gone.
    """

    def __init__(self, room: LiveRoom, place: Place, hearing: Hearing, referee: Referee, prove: Prove[Session]) -> None:
        self.closed = False
        self.on_seat: Callable[[], None] = lambda: None
        self.on_lost: Callable[[], None] = lambda: None
        # The latest connection.
        self.latest: Session | None = None
        self._room, self._place, self._hearing = room, place, hearing
        self._referee = referee
        self._prove = prove
        self._ears: dict[Session, Ear] = {}
        self._refused: set[Session] = set()
        self._seating: dict[Session, asyncio.Task[None]] = {}

    @property
    def sessions(self) -> list[Session]:
        """The connected bots."""
        return list(self._ears)

    @property
    def join(self) -> str:
        """The line with which a bot joins this room, "" if its protocol has none."""
        return f"JOIN {self._room.plan.code}" if protocol(self._place.protocol).joins else ""

    def close(self) -> None:
        """Stop seating bots; a bot that has the seat keeps it."""
        self.closed = True
        for seating in self._seating.values():
            seating.cancel()

    # -- who comes -----------------------------------------------------------------------------------------------------

    def connected(self, transport: Transport) -> Connection | Deaf:
        """Take a connection to the port."""
        if self.closed:
            return Deaf(transport, turned_away("seat_expired", "The series of this seat is over."))
        if self._is_taken() or len(self._ears) >= MOST_KNOCKING:
            self._hearing.add("refused", code="seat_taken", why=TAKEN)
            return Deaf(transport, turned_away("seat_taken", TAKEN))
        session = Session(protocol(self._place.protocol)(), transport, self._referee, self, self._prove_here)
        self._admit(session)
        return session.connection

    async def _prove_here(self, session: Session, token: str) -> None:
        """Check a token. After the seat's own token, the port alone is not enough; a bot's token identifies it."""
        if sha256_of(token) == self._place.token_sha256:
            session.setup = showing(session.setup, "seat", self._address)
            return
        try:
            await self._prove(session, token)
        except Refusal as refusal:
            self._refused.add(session)
            self._hearing.add("refused", code=refusal.code, why=refusal.sentence)
            raise

    @property
    def _address(self) -> str:
        """What a bot shows by connecting to the port."""
        return self._place.token_sha256 or ""

    def admit(self, session: Session) -> None:
        """Let a connection that has shown the token have the seat. Raises Refusal."""
        self._admit(session)
        session.setup = showing(session.setup, "seat", self._address)

    def _admit(self, session: Session) -> None:
        if session.adapter.slug != self._place.protocol:
            words = said(
                "This seat waits for {protocol}, this is a door of {other}. Connect where that is spoken, or choose "
                "another protocol.",
                protocol=self._place.protocol,
                other=session.adapter.slug,
            )
            raise Refusal("wrong_protocol", words)
        if session in self._ears:
            return
        if self._is_taken():
            raise Refusal("seat_taken", TAKEN)
        if session.finder is not self:
            cast(Seating[Session], session.finder).leave(session)
            session.finder = self
        session.setup = session.setup._replace(holder=self._address)
        session.grace_s = RETURN_S
        self._ears[session] = Ear(session.connection, self._hearing, self.join)
        self.latest = session

    def _is_taken(self) -> bool:
        state = self._room.sides.reservations[self._place.side].state
        return state is not SideState.AWAY and (state is not SideState.OFFERED or bool(self._ears))

    # -- as the finder of its sessions ---------------------------------------------------------------------------------

    async def seek(self, session: Session, wish: Wish) -> str:
        """Any request is for this room."""
        session.met(self._room.sides[1 - self._place.side] is not None)
        return wish.code if isinstance(wish, Join) else self._room.plan.code

    def ready(self, session: Session) -> None:
        """Seat it as soon as it has spoken, or after a moment."""
        if session.room is not None:
            session.room.look()
        elif session not in self._seating and session in self._ears:
            seating = asyncio.get_running_loop().create_task(self._seat_soon(session))
            self._seating[session] = seating
            seating.add_done_callback(lambda _: self._seating.pop(session, None))

    async def _seat_soon(self, session: Session) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SEATED_AFTER_S):
                await self._ears[session].spoken.wait()
        if session.admission is not None:
            await session.admission.wait()
        if session.connected:
            self._seat(session)

    def _seat(self, session: Session) -> None:
        room, side = self._room, self._place.side
        before = room.sides[side]
        if room.over or self.closed:
            session.connection.turn_away("seat_expired", "The room of this seat is closed.")
            return
        if before is not None and not room.sides.is_away(side):
            session.connection.turn_away("seat_taken", TAKEN)
            return
        if before is not None and not self._may_return(before.setup, session):
            self._hearing.add("refused", code="other_bot", why=OTHERS)
            session.connection.turn_away("other_bot", OTHERS)
            return
        session.room = room
        self._ears[session].joined()
        self._hearing.add("ready", name=session.setup.name)
        if before is None:
            room.sit(session, side)
            room.look()
        else:
            take_over(room, side, session)
        self.on_seat()

    def _may_return(self, before: SeatSetup, session: Session) -> bool:
        """Whether this is the same bot. One that came by the port alone may return by it."""
        by_port = before.player is None and before.holder == self._address
        return (by_port and session.setup.player is None) or is_back(before, session.setup)

    def lost(self, session: Session) -> None:
        """Before the first round the place waits for another bot; after that its bot may return for a while."""
        gone(session)
        ear = self._ears.pop(session, None)
        if ear is not None:
            ear.close()
        if seating := self._seating.get(session):
            seating.cancel()
        if session in self._refused:
            self._refused.remove(session)  # which it was told, and so was its author
        elif not self._room.begun:
            self._hearing.gone(departures.card_of(session))
        if session.room is not None:
            session.room.lose(session, session.grace_s)
        self.on_lost()


def gone(session: Session) -> None:
    """A registered bot has one connection less."""
    if session.setup.verified and session.setup.player is not None:
        went(session.setup.player, session)
        departures.left(session)
