"""The seats of this process that wait for a program, and the effects of tokens that bots show."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from arena.bots.failure import departures
from arena.bots.process.child import ChildBot
from arena.bots.seats.arrivals import Arrivals
from arena.bots.seats.checking import Checks
from arena.bots.seats.gate import PortGate
from arena.bots.seats.ports import Pool
from arena.bots.seats.seat_finder import RETURN_S, SeatFinder
from arena.bots.seats.seat_port import SeatPort
from arena.bots.seats.stored import refused_while_storage_fails
from arena.bots.session import tokens
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.cluster.lease import Fence, for_holder
from arena.common.limits import Shares
from arena.core.ledger import LedgerClosed
from arena.core.row_writer import RowWriter
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Place
from arena.protocols.adapter import Adapter
from arena.protocols.seat_line import turned_away
from arena.rooms import room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.matchmaking import Matchmaker
from arena.rooms.room import LiveRoom

log = logging.getLogger("arena.bots")

EXPIRES = timedelta(minutes=15)


class SeatPorts:
    """All waiting seats, by room and side. Nothing is listened on before `open`."""

    def __init__(self, lobby: Lobby, numbers: Sequence[int], shares: Shares) -> None:
        """`shares` counts the connections of bots on all ports together."""
        self.lobby = lobby
        self.matchmaker = Matchmaker(lobby)
        self.shares = shares
        # By protocol, if the server was started with other clocks than the protocols' defaults.
        self.clocks: Mapping[str, str] = {}
        self._gate = PortGate(self.shares, turned_away)
        self.pool = Pool(numbers)
        self.checks = Checks(self.pool)
        self._ports: dict[tuple[str, int], SeatPort] = {}
        self.arrivals = Arrivals(self._ports.values)
        self.rows = RowWriter("the state of a seat")

    async def open(self, host: str) -> None:
        """Listen on this host from now on, including on ports that were promised before a restart."""
        self.pool.host = host
        kept = Place.objects.select_related("room").filter(port__isnull=False)
        for place in [place async for place in kept]:
            try:
                await self._listen_again(place)
            except Refusal as refusal:
                log.warning("room %s: the port %s is not open again: %s", place.room, place.port, refusal)
                await Place.objects.filter(pk=place.pk).aupdate(port=None, token_sha256=None, expires=None)

    async def _listen_again(self, place: Place) -> None:
        """A bot that had come may return; an empty seat has the rest of its time; one that waited is offered again."""
        if place.expires is not None and place.expires <= datetime.now(UTC):
            raise Refusal("seat_expired", "its time ran out")
        anew = place.expires is None and place.room.code not in self.lobby.rooms
        if anew and await room_rows.has_begun(place.room):
            raise Refusal("no_room", "its series was over")
        room = await self.lobby.find(place.room.code)
        kept = room.plan.places[place.side] if room is not None else None
        if room is None or kept is None or kept.pk != place.pk:
            raise Refusal("no_room", "the side is kept for somebody else")
        if anew:
            kept.expires = datetime.now(UTC) + EXPIRES
        await self._wait(room, kept, wished=place.port)

    async def close(self) -> None:
        """Close all connections: promises stay in the rows."""
        await asyncio.gather(self.checks.close(), *(port.part() for port in list(self._ports.values())))
        await self.rows.close()

    def port_of(self, code: str, side: int) -> SeatPort | None:
        """The seat that waits on this side of the room, or waited there last."""
        return self._ports.get((code.upper(), side))

    def clock_of(self, adapter: type[Adapter]) -> str:
        """The clock of rooms that are opened for this protocol."""
        return self.clocks.get(adapter.slug, adapter.clock)

    def online(self, player: int) -> bool:
        """Whether this registered bot is connected."""
        return bool(tokens.connections_of(player))

    # -- a seat that waits ---------------------------------------------------------------------------------------------

    async def offer(self, room: LiveRoom, place: Place) -> None:
        """Make a token and open a port for a bot of this place's protocol. Raises Refusal."""
        token = tokens.new_token()
        place.token_sha256, place.expires = tokens.sha256_of(token), datetime.now(UTC) + EXPIRES
        await self._wait(room, place, token)

    def withdraw(self, room: LiveRoom, side: int) -> None:
        """Tell connected bots that the seat is reserved for somebody else."""
        if (port := self._ports.pop((room.plan.code.upper(), side), None)) is not None:
            port.send_away("place_kept", "This seat is kept for somebody else now.")

    def hear(self, room: LiveRoom, place: Place, child: ChildBot) -> None:
        """Report the events of a process run by the server as if it had connected."""
        port = self._ports[room.plan.code.upper(), place.side] = SeatPort(self.lobby.referee, room, place, self.prove)
        child.on_stopped = lambda exit, last_error: port.hearing.add("stopped", exit=exit, last_error=last_error)

    async def _wait(self, room: LiveRoom, place: Place, token: str = "", wished: int | None = None) -> None:
        port = SeatPort(self.lobby.referee, room, place, self.prove, token)
        server = await self.pool.reserve(port.finder.connected, wished, self._gate)
        place.port = server.number
        try:
            await Place.objects.filter(port=place.port).exclude(pk=place.pk).aupdate(port=None)
            await place.asave(update_fields=["port", "token_sha256", "expires"])
        except BaseException:
            server.close()
            raise
        if self.lobby.held:  # the next host listens there
            server.close()
            raise Refusal("changing_over", LedgerClosed.sentence)
        self._forget_old()
        self._ports[room.plan.code.upper(), place.side] = port
        port.on_use = self._used
        port.open(server)
        if room.over:  # while that was stored: nobody would close the port any more
            port.close()
            raise Refusal("no_room", "This room is gone. Create another one.")

    def _forget_old(self) -> None:
        rooms = self.lobby.rooms
        for key, port in list(self._ports.items()):
            if rooms.get(key[0]) is not port.room:
                port.close()
                del self._ports[key]

    def _used(self, port: SeatPort) -> None:
        self.rows.write(partial(_store, port, self.lobby.referee.ledger.store.fence))

    def seated(self, session: Session, room: LiveRoom) -> None:
        """A door has seated this bot: report it where it was expected."""
        side = room.sides.of(session)
        port = None if side is None else self.port_of(room.plan.code, side)
        self.arrivals.seated(session, room, port if port is not None and not port.closed else None)

    # -- who shows a token ---------------------------------------------------------------------------------------------

    async def prove(self, session: Session, token: str) -> None:
        """Apply a token that a session shows. Raises Refusal."""
        with refused_while_storage_fails("busy"):  # the code on which a bridge tries again
            whose = await tokens.find(token)
        self.shown(session, whose)

    def shown(self, session: Session, whose: Identity | Place) -> None:
        """The session has proven to be this bot, or to have this seat. Raises Refusal."""
        if isinstance(whose, Identity):
            self.identified(session, whose)
            return
        port = next((each for each in self._ports.values() if each.place.pk == whose.pk and not each.closed), None)
        if port is None:
            raise Refusal("seat_expired", "This seat's address has expired. Open it again on the page of its room.")
        if isinstance(session.finder, SeatFinder) and session.finder is not port.finder:
            raise Refusal("wrong_seat", "This token and this port belong to different seats.")
        port.finder.admit(session)

    def identified(self, session: Session, who: Identity) -> None:
        """The session is this registered bot. Raises Refusal if it uses another protocol here."""
        if session.adapter.slug != who.protocol:
            words = said(
                "{name} is registered for {protocol}, this is {other}. Use its own door.",
                name=who.name,
                protocol=who.protocol,
                other=session.adapter.slug,
            )
            raise Refusal("wrong_protocol", words)
        if session.setup.verified and session.setup.player != who.player:
            raise Refusal(
                "wrong_seat",
                said(
                    "This token belongs to {name}, and this port to {other}.", name=who.name, other=session.setup.name
                ),
            )
        if not session.setup.verified:
            session.identify(who)
            session.grace_s = RETURN_S
            departures.came(who.player)
            tokens.came(who.player, session)


async def _store(port: SeatPort, fence: Fence | None) -> None:
    """Store the state of its promise in its row; if we have lost the lease, the row belongs to the next host."""
    kept: dict[str, Any] = {"port": port.port, "expires": port.expires}
    if port.closed:
        kept["token_sha256"] = port.place.token_sha256 = None
    await for_holder(Place.objects.filter(pk=port.place.pk), fence).aupdate(**kept)
