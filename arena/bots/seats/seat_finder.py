"""Which of the bots that come to a seat's port, or show its token, has the seat."""

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
from arena.bots.session.seat_line import turned_away
from arena.bots.session.session import Session
from arena.bots.session.tokens import sha256_of, went
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.state import SeatSetup
from arena.models import Place
from arena.protocols import protocol
from arena.protocols.adapter import Join, Wish
from arena.rooms.matchmaking import take_over
from arena.rooms.reservation import SideState, is_back
from arena.rooms.room import LiveRoom
from arena.transports import Transport

RETURN_S = 60.0
# A scanner that only looks whether the port is open gets no seat; a bot that speaks gets it at once.
SEATED_AFTER_S = 1.0
# While its bot may come back, so many may be connected to the port: one of them may be it.
MOST_KNOCKING = 8
OTHERS = "This seat waits for the bot that had it. Come back the same way: with the same token, or without one."
TAKEN = "A bot is connected to this seat already. A seat has one connection: close the other one first."


class SeatFinder:
    """The connections of one seat. `prove` looks up tokens of other seats and of registered bots; `join` is what a bot
    says to come into the room. `on_seat()` and `on_lost()` are called when a bot has the seat, and when it is gone.
    """

    def __init__(self, room: LiveRoom, place: Place, hearing: Hearing, referee: Referee, prove: Prove[Session]) -> None:
        self.closed = False
        self.on_seat: Callable[[], None] = lambda: None
        self.on_lost: Callable[[Session], None] = lambda session: None
        # The one that came last.
        self.latest: Session | None = None
        self._room, self._place, self._hearing = room, place, hearing
        self._referee = referee
        self._prove = prove
        self._ears: dict[Session, Ear] = {}
        self._seating: dict[Session, asyncio.Task[None]] = {}

    @property
    def sessions(self) -> list[Session]:
        """Those that are connected."""
        return list(self._ears)

    @property
    def join(self) -> str:
        """What a bot says to come into this room, "" where its protocol has no such word."""
        return f"JOIN {self._room.plan.code}" if protocol(self._place.protocol).joins else ""

    def close(self) -> None:
        """Nobody is seated any more; who has the seat keeps it."""
        self.closed = True
        for seating in self._seating.values():
            seating.cancel()

    # -- who comes -----------------------------------------------------------------------------------------------------

    def connected(self, transport: Transport) -> Connection | Deaf:
        """Somebody has come to the port."""
        if self.closed:
            return Deaf(transport, turned_away("seat_expired", "The series of this seat is over."))
        if self._is_taken() or len(self._ears) >= MOST_KNOCKING:
            self._hearing.add("refused", code="seat_taken", why=TAKEN)
            return Deaf(transport, turned_away("seat_taken", TAKEN))
        session = Session(protocol(self._place.protocol)(), transport, self._referee, self, self._prove_here)
        self._admit(session)
        return session.connection

    async def _prove_here(self, session: Session, token: str) -> None:
        """Once the seat's own token was shown, the port is not enough; that of a registered bot says who sits here."""
        if sha256_of(token) == self._place.token_sha256:
            session.setup = showing(session.setup, "seat", self._address)
            return
        try:
            await self._prove(session, token)
        except Refusal as refusal:
            self._hearing.add("refused", code=refusal.code, why=refusal.sentence)
            raise

    @property
    def _address(self) -> str:
        """What a bot shows by coming to the port."""
        return self._place.token_sha256 or ""

    def admit(self, session: Session) -> None:
        """This connection may have the seat: it has shown the token. Raises Refusal."""
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
        """Any room will do: there is one."""
        session.met(self._room.sides[1 - self._place.side] is not None)
        return wish.code if isinstance(wish, Join) else self._room.plan.code

    def ready(self, session: Session) -> None:
        """It has the seat as soon as it has spoken, or after a moment."""
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
        """Who came by the port alone has shown no more than that, and comes back so."""
        by_port = before.player is None and before.holder == self._address
        return (by_port and session.setup.player is None) or is_back(before, session.setup)

    def lost(self, session: Session) -> None:
        """Before the first round the place waits on; from then on its bot has a while to come back."""
        gone(session)
        ear = self._ears.pop(session, None)
        if ear is not None:
            ear.close()
        if seating := self._seating.get(session):
            seating.cancel()
        if not self._room.begun:
            self._hearing.gone(departures.card_of(session))
        if session.room is not None:
            session.room.lose(session, session.grace_s)
        self.on_lost(session)


def gone(session: Session) -> None:
    """A registered bot has one connection less."""
    if session.setup.verified and session.setup.player is not None:
        went(session.setup.player, session)
        departures.left(session)
