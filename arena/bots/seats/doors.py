"""Doors: the public TCP ports of the protocols, where bots connect and find their seats."""

from __future__ import annotations

import asyncio
import errno
import logging
import os

from arena.bots.seats.gate import Deaf, PortGate, in_the_words_of
from arena.bots.seats.search import SeatSearch
from arena.bots.seats.seat_finder import RETURN_S, gone
from arena.bots.seats.seat_ports import SeatPorts
from arena.bots.seats.stored import refused_while_storage_fails
from arena.bots.seats.unseated import Networks, Unseated
from arena.bots.session.connection import Connection
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.common.light_event import LightEvent
from arena.common.limits import host_of
from arena.common.logs import caused_by
from arena.match.commands import Refusal
from arena.models import Place
from arena.protocols.adapter import Adapter, Wish
from arena.rooms.room import LiveRoom
from arena.transports import CLOSE_S, Transport, tcp

log = logging.getLogger("arena.bots")

# A connection is not offered as an opponent before this time, so that port scanners are not, and bots that get ready
# meanwhile sit in the order in which they connected.
OFFERED_AFTER_S = 1.0
# A SEAT line that has begun must be complete within this time.
SEAT_LINE_S = 10.0


class Door:
    """One protocol on one port. Finds a seat for every bot that connects.

    A bot may return within `return_s` with the same name, request and address (in a private room its code instead), or
    with its proof alone. One without a name cannot return, except after a restart: then its address is enough.
    """

    def __init__(self, ports: SeatPorts, adapter: type[Adapter], trusted: Networks, return_s: float = RETURN_S) -> None:
        self.adapter = adapter
        self.host, self.port = "", 0
        self._ports = ports
        self._lobby = ports.lobby
        self._prove = ports.prove  # one for all sessions
        self._search = SeatSearch(ports, adapter, self._seated)
        self._unseated = Unseated(trusted)
        self._grace_s = return_s if adapter.joins else 0.0
        self.gate = PortGate(ports.shares, in_the_words_of(adapter))
        self._sessions: dict[Session, float] = {}  # with the time at which they connected
        self._meetings: dict[Session, asyncio.Task[None]] = {}
        self._server: tcp.Listener | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen. Returns the port, which is chosen for port 0. Raises OSError if it is taken."""
        await self.bind(host, port)
        await self.attend()
        return self.port

    async def attend(self) -> None:
        """Accept connections that have waited since `bind`, and new ones."""
        if self._server is not None:
            self._server.start_serving()

    async def bind(self, host: str, port: int) -> None:
        """Reserve the port; connections wait until `attend`. Raises OSError if it is taken."""
        try:
            self._server = await tcp.reserve(host, port, self._connected, self.gate)
        except OSError as error:
            slug = self.adapter.slug
            said = f"Cannot listen on {host}:{port} for {slug}"
            if error.errno == errno.EADDRNOTAVAIL:
                said += f": {host} is no address of this machine. Choose another with --bots-host ADDRESS."
                raise OSError(said) from None
            # asyncio's message would repeat the address.
            why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
            raise OSError(f"{said}: {why}. Free it, or choose another with --door {slug}=PORT.") from None
        self.host, self.port = host, int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening and close all connections: matches stay as the log has them."""
        if self._server is not None:
            self._server.close()
        for meeting in self._meetings.values():
            meeting.cancel()
        sessions = list(self._sessions)
        for session in sessions:
            session.part()
        released = [asyncio.ensure_future(session.released.wait()) for session in sessions]
        if released:
            await asyncio.wait(released, timeout=CLOSE_S + 1)
        if self._server is not None:
            await self._server.wait_closed()

    def _connected(self, transport: Transport) -> Connection | Deaf:
        return self.receive(transport).connection

    def receive(self, transport: Transport, whose: Identity | Place | None = None) -> Session:
        """Take a new connection, of this bot or for this seat if that is known. Raises Refusal if that is wrong."""
        session = Session(self.adapter(), transport, self._lobby.referee, self, self._prove)
        session.grace_s = self._grace_s
        self._sessions[session] = asyncio.get_running_loop().time()
        if why := self._unseated.enter(session):
            said = ("%s: too many connections without a seat", transport.peer)
            log.info(*said, extra=caused_by(host_of(transport.peer)))
            self._sessions.pop(session, None)
            session.send_away("too_many", why)
            return session
        if whose is None and self.adapter.joins:
            self._ports.arrivals.came(session)
        elif whose is not None:
            try:
                self._ports.shown(session, whose)
            except Refusal as refusal:
                session.connection.connection_lost(str(refusal))
                raise
        return session

    # -- finding a seat ------------------------------------------------------------------------------------------------

    async def seek(self, session: Session, wish: Wish) -> str:
        """Find the bot a seat and return the code of its room. Raises Refusal."""
        self._unseated.asks(session)
        try:
            with refused_while_storage_fails():
                return (await self._search.for_wish(session, wish)).plan.code
        except Refusal:
            self._unseated.await_wish(session)
            raise

    def ready(self, session: Session) -> None:
        """The bot can be asked for moves: begin its room, or find one for it."""
        if session.room is not None:
            session.room.look()
        elif self.adapter.joins:
            if not self._search.expected(session):
                self._unseated.await_wish(session)
        elif session not in self._meetings:
            meeting = self._meetings[session] = asyncio.get_running_loop().create_task(self._meet(session))
            meeting.add_done_callback(lambda _: self._meetings.pop(session, None))

    def seat(self, session: Session, room: LiveRoom, side: int) -> None:
        """Seat the bot where it is expected."""
        if session.room is None:
            self._unseated.leave(session)
        session.room = room
        room.sit(session, side)
        room.look()

    async def _meet(self, session: Session) -> None:
        """Pair a bot that names no room with one that waits, or let it wait for the next."""
        await self._offered(session)
        try:
            await self._decided(session)
            if not session.connected or session.finder is not self or session.room is not None:
                return  # it has left or was called meanwhile
            if self._search.expected(session):
                return
            seek = self._search.for_tournament if self._lobby.reserved(session.setup) else self._search.for_anybody
            with refused_while_storage_fails():
                await seek(session)
        except Refusal as refusal:
            if session.room is not None:
                return  # it was called meanwhile
            log.info("%s: %s", session.transport.peer, refusal, extra=caused_by(host_of(session.transport.peer)))
            session.send_away("busy", refusal.sentence)  # whatever it is, it will not last: a bridge tries again
            return
        except Exception:
            log.exception("%s: no seat could be found", session.transport.peer)
            session.transport.close()
            return

    async def _offered(self, session: Session) -> None:
        """Wait until the connection is `OFFERED_AFTER_S` old: for that moment, because if this process had to pause
        before it waits for so long, a bot that came later would be first.
        """
        loop, offered = asyncio.get_running_loop(), LightEvent()
        timer = loop.call_at(self._sessions.get(session, loop.time()) + OFFERED_AFTER_S, offered.set)
        try:
            await offered.wait()
        finally:
            timer.cancel()

    async def _decided(self, session: Session) -> None:
        """Wait for the rest of a SEAT line and the check of its token; send a bot away that never completes it."""
        if not session.connected or not session.connection.undecided:
            return
        decided = asyncio.Event()
        session.connection.on_decided = decided.set
        try:
            async with asyncio.timeout(SEAT_LINE_S):
                await decided.wait()
        except TimeoutError:
            session.send_away("not_understood", f"Received SEAT, and no end of its line within {SEAT_LINE_S:g} s.")

    def _seated(self, session: Session, room: LiveRoom) -> None:
        session.room = room
        self._unseated.leave(session)
        self._ports.seated(session, room)

    def leave(self, session: Session) -> None:
        """Release a connection that has taken a seat by its token."""
        self._ports.arrivals.went(session)
        self._sessions.pop(session, None)
        self._unseated.leave(session)

    def lost(self, session: Session) -> None:
        """A running match waits for the bot or ends by itself; between rounds its seat is kept for a while."""
        gone(session)
        self._ports.arrivals.went(session)
        self._sessions.pop(session, None)
        if session.room is None:
            self._unseated.leave(session)
            if session.setup.verified and (awaits := self._ports.matchmaker.expected(session.setup)) is not None:
                awaits.followers.tell()  # its page shows that the bot has been there
        else:
            session.room.lose(session, session.grace_s)
