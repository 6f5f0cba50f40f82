"""A side of a room that waits for a program: its port, its token, and what it has heard so far.

The seat belongs to the bot that connects to the port, or shows the token at a door. Further connections are told so and
closed; after a lost connection its bot returns the same way to the same seat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from arena.bots.seats.hearing import Hearing, address_of
from arena.bots.seats.ports import SeatServer
from arena.bots.seats.seat_finder import SeatFinder
from arena.bots.session.finding import Prove
from arena.bots.session.session import Session
from arena.bots.session.wire import Wire
from arena.core.referee import Referee
from arena.models import Place
from arena.rooms.plan import Occupant
from arena.rooms.reservation import Reservation, SideState
from arena.rooms.room import LiveRoom

LINGER_S = 5.0
MOST_LINES_SHOWN = 400


class SeatPort:
    """One side of one series. `port` is None once it is closed; `token` is "" if this process does not know it, as
    after a restart. `on_use(port)` is called when a bot takes the seat, when it gives it up before the start, and at
    the end.
    """

    def __init__(self, referee: Referee, room: LiveRoom, place: Place, prove: Prove[Session], token: str = "") -> None:
        self.room = room
        self.place = place
        self.token = token
        self.hearing = Hearing()
        self.hearing.on_change = room.followers.tell
        self.finder = SeatFinder(room, place, self.hearing, referee, prove)
        self.finder.on_seat = lambda: self.on_use(self)
        self.finder.on_lost = self._expire_late
        self.on_use: Callable[[SeatPort], None] = lambda port: None
        self._until = place.expires
        # The address of the person who looks at its page, and so probably that of the bot.
        self.watched_from = ""
        self._server: SeatServer | None = None
        self._lingering: SeatServer | None = None
        self._expiry: asyncio.TimerHandle | None = None

    # -- what a page shows ---------------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether it no longer waits for a bot."""
        return self.finder.closed

    @property
    def side(self) -> int:
        return self.place.side

    @property
    def expires(self) -> datetime | None:
        """Until when it waits for a bot; None once one has come."""
        return self._until if self._reservation.state is SideState.OFFERED else None

    @property
    def _reservation(self) -> Reservation[Occupant]:
        return self.room.sides.reservations[self.side]

    @property
    def port(self) -> int | None:
        return self._server.number if self._server is not None else None

    def wire(self) -> list[str]:
        """The messages on the current connection, as JSON lines like those of a match's wire."""
        if self.finder.latest is None:
            return []
        recorded, wire = self.finder.latest.connection.wire, Wire()
        wire.zero = recorded.zero
        return wire.encode(recorded.messages[:MOST_LINES_SHOWN])

    # -- open and closed -----------------------------------------------------------------------------------------------

    def open(self, server: SeatServer) -> None:
        """Wait for a bot from now on, until the place expires or the series is over."""
        self._server = server
        self._reservation.on_leave = self._left
        self._reservation.offer()
        server.open()
        self.room.on_over += (self._series_over,)
        if self._until is not None:
            self.hearing.opened(self.port, self.finder.join, self._until)
            left = (self._until - datetime.now(UTC)).total_seconds()
            self._expiry = asyncio.get_running_loop().call_later(max(0.0, left), self._expire)
        self.room.followers.tell()

    @property
    def awaits(self) -> bool:
        """Whether a bot that is new to this room may still come."""
        return not (self.closed or self.room.begun or self.room.over)

    def _left(self) -> None:
        """The bot of the seat has left, wherever it came in: before the first round the seat is offered again."""
        if self.awaits:
            self._reservation.offer()
            self.on_use(self)
            self._expire_late()

    def _expire_late(self) -> None:
        """Close the place if its time ran out while a bot was there."""
        if self._until is not None and datetime.now(UTC) >= self._until:
            self._expire()

    def _expire(self) -> None:
        """Close the place, unless a bot is there, which keeps the seat."""
        if self._reservation.state is SideState.OFFERED and not self.finder.sessions:
            self.hearing.add("expired")
            self.close()

    def _series_over(self, _: LiveRoom) -> None:
        """Keep the port open for a moment: a bridge that was closed checks there whether the arena is still running."""
        server, self._server = self._server, None
        self.close()
        if server is not None:
            self._lingering = server
            asyncio.get_running_loop().call_later(LINGER_S, server.close)

    def close(self) -> None:
        """Stop waiting; a bot that has the seat keeps it."""
        if self._lingering is not None:
            self._lingering.close()
        if self.closed:
            return
        self.finder.close()
        self._reservation.withdraw()
        self.hearing.close()
        if self._expiry is not None:
            self._expiry.cancel()
        if self._server is not None:
            self._server.close()
            self._server = None
        self.on_use(self)
        self.room.followers.tell()

    def send_away(self, code: str, sentence: str) -> None:
        """Stop waiting and close all connections."""
        self.close()
        for session in self.finder.sessions:
            session.send_away(code, sentence)

    async def part(self) -> None:
        """Close all connections because the server stops: matches stay as the log has them."""
        self.on_use = lambda port: None  # the row stays for the next host
        self.close()
        sessions = self.finder.sessions
        for session in sessions:
            session.part()
        for session in sessions:
            await session.released.wait()

    def came_by_name(self, session: Session, heard: bool = False) -> None:
        """A bot has named the room at its door and has the seat. `heard`: its earlier messages are known here."""
        self.finder.latest = session
        self.hearing.close()
        if not heard:
            self.hearing.add("connected", address=address_of(session.connection))
        self.hearing.add("ready", name=session.setup.name)
        self.on_use(self)
