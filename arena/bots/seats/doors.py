"""Doors: the public TCP ports of the protocols, where bots come in and find their seats."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import Any

import games
from arena.bots.seats import channels
from arena.bots.seats.gate import PortGate, in_the_words_of
from arena.bots.seats.places import Places
from arena.bots.seats.stored import refused_while_storage_fails
from arena.bots.seats.waiting import Deaf, gone
from arena.bots.session.connection import Connection
from arena.bots.session.identity import showing
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.common.limits import Shares, counted_as, host_of
from arena.common.logs import caused_by
from arena.match.commands import Refusal
from arena.models import Place
from arena.protocols import plays
from arena.protocols.adapter import Adapter, Challenge, Queue, Wish
from arena.rooms.matchmaking import seat_bot
from arena.rooms.reservation import bare
from arena.rooms.room import LiveRoom
from arena.transports import CLOSE_S, Transport, tcp

log = logging.getLogger("arena.bots")

RETURN_S = 60.0
# A scanner that only connects is offered to nobody.
OFFERED_AFTER_S = 1.0
# Who begins a SEAT line ends it in this time.
SEAT_LINE_S = 10.0
# Who has said its name asks for a seat in this time, and again after each refusal.
WISH_S = 30.0
MOST_UNSEATED = 500
MOST_UNSEATED_OF_ONE = 20

Networks = list[IPv4Network | IPv6Network]


class Door:
    """One protocol on one port. Finds a seat for every bot that comes in.

    A bot that says its name has `return_s` to come back: by the same name, the same wish and the same address, which
    the code of a private room stands for. One that has proven who it is comes back by that alone. One that says nothing
    cannot come back, but for a restart of ours: then its address is enough.
    """

    def __init__(self, places: Places, adapter: type[Adapter], trusted: Networks, return_s: float = RETURN_S) -> None:
        self.adapter = adapter
        self.port = 0
        self._places = places
        self._lobby, self._matchmaker = places.lobby, places.matchmaker
        self._grace_s = return_s if adapter.joins else 0.0
        self._unseated = Shares(MOST_UNSEATED, MOST_UNSEATED_OF_ONE, trusted)
        self._waits: set[Session] = set()  # of the sessions, those that are counted there
        self._wishes: dict[Session, asyncio.TimerHandle] = {}
        self.gate = PortGate(places.shares, in_the_words_of(adapter))
        self._sessions: set[Session] = set()
        self._meetings: dict[Session, asyncio.Task[None]] = {}
        self._server: tcp.Listener | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen. Returns the port, which is chosen for port 0. Raises OSError where it is taken."""
        await self.bind(host, port)
        await self.attend()
        return self.port

    async def attend(self) -> None:
        """Let in who waits since `bind`, and who comes."""
        if self._server is not None:
            self._server.start_serving()

    async def bind(self, host: str, port: int) -> None:
        """Have the port, so that nobody else can; who connects waits. Raises OSError where it is taken."""
        try:
            self._server = await tcp.reserve(host, port, self._connected, self.gate)
        except OSError as error:
            # asyncio's own words repeat the address.
            why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
            slug = self.adapter.slug
            raise OSError(
                f"Cannot listen on {host}:{port} for {slug}: {why}. Free it, or choose another: --door {slug}=PORT"
            ) from None
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Listen no more, and part from who is connected: their matches stay as the log has them."""
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
        """A new connection, of this bot or for this seat where that is known. Raises Refusal where that is wrong."""
        session = Session(self.adapter(), transport, self._lobby.referee, self, self._places.prove)
        session.grace_s = self._grace_s
        self._sessions.add(session)
        host = host_of(transport.peer)
        if not self._unseated.take(host):
            log.info("%s: too many connections without a seat", transport.peer, extra=caused_by(host))
            self._sessions.discard(session)
            session.send_away("too_many", self._why_no_more(host))
            return session
        self._waits.add(session)
        if whose is None and self.adapter.joins:
            self._places.arrivals.came(session)
        elif whose is not None:
            try:
                self._places.shown(session, whose)
            except Refusal as refusal:
                session.connection.connection_lost(str(refusal))
                raise
        return session

    def _why_no_more(self, host: str) -> str:
        held = self._unseated.held(host)
        said = f"Your address has {held} connections here without a seat, and no more are taken." if held else ""
        said = said or f"{self._unseated.most} connections are here without a seat, which is all this port takes."
        return f"{said} Take a seat with one, close one, or try again in a minute."

    # -- finding a seat ------------------------------------------------------------------------------------------------

    async def seek(self, session: Session, wish: Wish) -> str:
        """The room the bot names, one of the variant it names, or the one of who waits there. Raises Refusal."""
        self._forget_deadline(session)
        try:
            with refused_while_storage_fails():
                return await self._found(session, wish)
        except Refusal:
            self._await_wish(session)
            raise

    async def _found(self, session: Session, wish: Wish) -> str:
        if session.room is not None and not session.room.over:
            raise Refusal("already_in_channel", f"You are already seated in room {session.room.plan.code}.")
        if self._lobby.reserved(session.setup) and (awaited := await self._for_tournament(session)) is not None:
            return awaited.plan.code
        if isinstance(wish, Queue):
            room = await self._find_opponent(session, (wish.variant,))
        elif isinstance(wish, Challenge):
            _shows(session, "challenge", bare(wish.player).upper(), _counted(session))
            room = self._matchmaker.challenge(session, wish.player)
        else:
            room = await self._join(session, wish.code)
        self._seated(session, room)
        return room.plan.code

    async def _for_tournament(self, session: Session) -> LiveRoom | None:
        """Seat who takes part in an event where it is awaited, or alone, to be called from there: a bot names the room
        that it was written to name, and two of them would meet in it. None where it is not plain what it plays.
        """
        before, room = session.room, self._matchmaker.expected(session.setup)
        if room is None and self.adapter.variants:
            alone = await self._lobby.open_new(self._fields(self.adapter.variants[0]), offered=True)
            if session.room is not before:
                return session.room  # it was called meanwhile
            room = self._matchmaker.expected(session.setup) or alone
        if room is not None:
            if not session.connected:
                raise Refusal("gone", f"{session.setup.name} has gone before a seat was found.")
            seat_bot(room, session)
            self._seated(session, room)
            room.look()
        return room

    async def _join(self, session: Session, channel: str) -> LiveRoom:
        """A room that does not exist is opened, if it is plain what is played there."""
        variants = self.adapter.variants
        address = host_of(session.transport.peer)
        if variants:
            room = await channels.find_or_open(self._lobby, channel, self._fields(variants[0], session), address)
        elif (found := await channels.find(self._lobby, channel, address)) is not None:
            room = found
        else:
            said = f"There is no room {channels.title_of(channel)}: queue for a variant, or open one on the page."
            raise Refusal("no_such_room", said)
        if not plays(self.adapter.slug, room.plan.variant):
            plan, ours = room.plan, ", ".join(variants)
            raise Refusal("invalid_command", f"room {plan.code} plays {plan.variant}, this protocol {ours}")
        _shows(session, "join", "" if room.plan.private else _counted(session))
        try:
            seat_bot(room, session)
        except Refusal as refusal:
            raise Refusal("channel_is_full", refusal.sentence) from None
        return room

    def ready(self, session: Session) -> None:
        """The bot can be asked for moves: its room may begin, or one is found for it."""
        if session.room is not None:
            session.room.look()
        elif self.adapter.joins:
            if not self._seat_expected(session):
                self._await_wish(session)
        elif session not in self._meetings:
            meeting = self._meetings[session] = asyncio.get_running_loop().create_task(self._meet(session))
            meeting.add_done_callback(lambda _: self._meetings.pop(session, None))

    def _await_wish(self, session: Session) -> None:
        """To say who it is gives a bot no right to stay: unless it has proven that, it asks for a seat in time."""
        self._forget_deadline(session)
        if session in self._waits and not session.setup.verified:
            self._wishes[session] = asyncio.get_running_loop().call_later(WISH_S, self._no_wish, session)

    def _forget_deadline(self, session: Session) -> None:
        if (deadline := self._wishes.pop(session, None)) is not None:
            deadline.cancel()

    def _no_wish(self, session: Session) -> None:
        del self._wishes[session]
        if not session.setup.verified:
            said = f"Received no wish for a seat within {WISH_S:g} s. Connect again, and ask for one after your name."
            session.send_away("no_wish", said)

    def _seat_expected(self, session: Session) -> bool:
        """A registered bot is seated where it is awaited, if it is."""
        room = self._matchmaker.expected(session.setup) if session.setup.verified else None
        if room is None:
            return False
        seat_bot(room, session)
        self._seated(session, room)
        room.look()
        return True

    def seat(self, session: Session, room: LiveRoom, side: int) -> None:
        """The bot is wanted there."""
        if session.room is None:
            self._leave_unseated(session)
        session.room = room
        room.sit(session, side)
        room.look()

    async def _meet(self, session: Session) -> None:
        """Who comes to a door without a name for its room meets who waits there, or waits for the next."""
        await asyncio.sleep(OFFERED_AFTER_S)
        try:
            await self._decided(session)
            if not session.connected or session.finder is not self or session.room is not None:
                return  # gone, or called meanwhile
            if self._seat_expected(session):
                return
            if self._lobby.reserved(session.setup):
                await self._for_tournament(session)
                return
            with refused_while_storage_fails():
                room = await self._find_opponent(session, self.adapter.variants)
        except (Refusal, TimeoutError) as refusal:
            log.info("%s: %s", session.transport.peer, refusal, extra=caused_by(host_of(session.transport.peer)))
            session.transport.close()
            return
        except Exception:
            log.exception("%s: no seat could be found", session.transport.peer)
            session.transport.close()
            return
        if session.connected:
            self._seated(session, room)
            room.look()
        else:
            room.stand(session)

    async def _find_opponent(self, session: Session, variants: Sequence[str]) -> LiveRoom:
        _shows(session, "queue", *variants, _counted(session))
        address = host_of(session.transport.peer)
        return await self._matchmaker.meet(session, variants, self._fields(variants[0], session), address)

    async def _decided(self, session: Session) -> None:
        """Wait for the rest of a SEAT line, and until its token has been looked up. Raises TimeoutError."""
        if session.connection.undecided:
            decided = asyncio.Event()
            session.connection.on_decided = decided.set
            async with asyncio.timeout(SEAT_LINE_S):
                await decided.wait()

    def _seated(self, session: Session, room: LiveRoom) -> None:
        session.room = room
        self._leave_unseated(session)
        self._places.seated(session, room)

    def leave(self, session: Session) -> None:
        """The connection has a seat of its own by its token, and is no longer this door's to find one for."""
        self._places.arrivals.went(session)
        self._sessions.discard(session)
        self._leave_unseated(session)

    def _leave_unseated(self, session: Session) -> None:
        if session in self._waits:
            self._waits.discard(session)
            self._unseated.give_back(host_of(session.transport.peer))
        self._forget_deadline(session)

    def lost(self, session: Session) -> None:
        """A running match waits for the bot or ends by itself; between rounds its seat is kept for a while."""
        gone(session)
        self._places.arrivals.went(session)
        self._sessions.discard(session)
        if session.room is None:
            self._leave_unseated(session)
        else:
            session.room.lose(session, session.grace_s)

    def _fields(self, variant: str, session: Session | None = None) -> dict[str, Any]:
        """What is played in a room that a bot of this protocol opens: rated where it has proven who it is, if the other
        side has too. Raises Refusal for an unknown variant.
        """
        try:
            games.variant(variant)
        except KeyError as why:
            raise Refusal("unknown_variant", str(why.args[0])) from None
        clock, rated = self._places.clock_of(self.adapter), session is not None and session.setup.verified
        return {"variant": variant, "clock": clock, "rounds": self.adapter.rounds or 1, "rated": rated}


def _shows(session: Session, *shown: str) -> None:
    session.setup = showing(session.setup, *shown)


def _counted(session: Session) -> str:
    return counted_as(host_of(session.transport.peer))
