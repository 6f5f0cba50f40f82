"""Opens rooms with a choice for each side, and seats or invites the chosen players.

People and built-in players sit at once, bots run by the server are started when both sides are there, a connected
registered bot is called, and any other bot gets a port and a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from arena.bots.process.child import ChildBot
from arena.bots.seats.choices import Opener, SideChoice, why_not
from arena.bots.seats.seat_finder import SeatFinder
from arena.bots.seats.seat_port import SeatPort
from arena.bots.seats.seat_ports import SeatPorts
from arena.bots.session import tokens
from arena.bots.session.finding import Seating
from arena.bots.session.session import Session
from arena.common.detached import detached
from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Bot, Place, Room
from arena.protocols import plays, protocol
from arena.rooms import room_rows
from arena.rooms.people import Person
from arena.rooms.plan import Terms
from arena.rooms.room import LiveRoom
from arena.rooms.room_facts import is_open
from arena.rooms.room_pages import ON_THE_WAY_S


class RoomMaker:
    """Opens rooms in the lobby of `ports`, and changes for whom their sides are reserved."""

    def __init__(self, ports: SeatPorts) -> None:
        self.ports = ports
        self._changing = asyncio.Lock()

    async def open_room(
        self,
        fields: Mapping[str, Any],
        sides: tuple[SideChoice, SideChoice],
        by: Opener | None,
        *,
        plan: Mapping[str, Any] | None = None,
    ) -> LiveRoom:
        """A new room with its players: `fields` of its row, `plan` fields of `Plan`. Raises Refusal before anything."""
        return await detached(self._open_room(fields, sides, by, plan))

    async def _open_room(
        self,
        fields: Mapping[str, Any],
        sides: tuple[SideChoice, SideChoice],
        by: Opener | None,
        plan: Mapping[str, Any] | None,
    ) -> LiveRoom:
        variant, clock = str(fields["variant"]), str(fields.get("clock", "none"))
        first, second = [await self._place(variant, clock, side, choice, by) for side, choice in enumerate(sides)]
        opener = by.setup.player if by else None
        known = {"opener_id": opener} if opener is not None else {}
        made, address = {**known, **fields}, by.address if by else ""
        room = await self.ports.lobby.open_new(made, places=(first, second), plan=plan, address=address)
        try:
            for place in (first, second):
                await self._fill(room, place, by)
        except BaseException:
            await self._undo(room)
            raise
        room.look()
        return room

    async def change(
        self, room: LiveRoom, side: int, choice: SideChoice, by: Opener | None, terms: Terms | None = None
    ) -> LiveRoom:
        """Reserve a side for somebody else and tell the player who waited there; with `terms` the room plays by these.
        Returns the room, after its end a new one. Raises Refusal, in particular while a series runs.
        """
        return await detached(self._change_alone(room, side, choice, by, terms))

    async def _change_alone(
        self, room: LiveRoom, side: int, choice: SideChoice, by: Opener | None, terms: Terms | None
    ) -> LiveRoom:
        async with self._changing:  # a double click asks for it twice
            return await self._change(room, side, choice, by, terms)

    async def _change(
        self, room: LiveRoom, side: int, choice: SideChoice, by: Opener | None, terms: Terms | None
    ) -> LiveRoom:
        if room.over:
            found = await self.ports.lobby.find(room.plan.code)
            if found is None:
                raise Refusal("no_room", "This room is gone. Create another one.")
            room = found
        clock = room.plan.clock if terms is None else terms.clock
        place = await self._place(room.plan.variant, clock, side, choice, by)
        if room.begun or room.playing or room.over:  # asked only now: it may have begun while the choice was looked up
            raise Refusal("running", "The series has begun. Seats can be changed when it is over.")
        self._clear(room, side)
        room.plan = await room_rows.keep(room.plan, place)
        if terms is not None:
            room.plan = await room_rows.play_by(room.plan, terms)
        await self._fill(room, place, by)
        room.look()
        return room

    async def open_again(self, room: LiveRoom, side: int) -> SeatPort:
        """A new port and token for a side whose address has expired. Raises Refusal."""
        place = room.plan.places[side]
        if place is None or place.kind != Place.Kind.SOCKET:
            raise Refusal("place_kept", "This seat is not waiting for a bot on a socket.")
        if room.sides[side] is not None:
            raise Refusal("place_taken", "This seat is taken.")
        await self.change(room, side, SideChoice("socket", protocol=place.protocol), None)
        port = self.ports.port_of(room.plan.code, side)
        assert port is not None, "a socket's side waits"
        return port

    async def listen_again(self, room: LiveRoom) -> int | None:
        """Listen for a side's program if nobody does, as after the last series. Returns the side. Raises Refusal."""
        for place in room.plan.places:
            if place is not None and place.kind == Place.Kind.SOCKET and room.sides[place.side] is None:
                port = self.ports.port_of(room.plan.code, place.side)
                if port is None or port.closed:
                    await self.open_again(room, place.side)
                    return place.side
        return None

    async def may_change(self, room: LiveRoom, player: int | None) -> bool:
        """Whether this player opened the room."""
        if player is None or room.plan.room is None:
            return False
        return await Room.objects.filter(pk=room.plan.room, opener=player).aexists()

    # -- filling a side ------------------------------------------------------------------------------------------------

    async def _place(self, variant: str, clock: str, side: int, choice: SideChoice, by: Opener | None) -> Place:
        """The row for a choice. Raises Refusal for an invalid choice."""
        if why := why_not(variant, clock, choice):
            raise Refusal("wrong_protocol" if choice.kind == Place.Kind.SOCKET else "unknown_choice", why)
        player = choice.player
        if choice.kind == Place.Kind.ME and player is None and by is not None:
            player = by.setup.player
        if choice.kind in (Place.Kind.BOT, Place.Kind.COMMAND):
            await self._check_bot(variant, choice)
        return Place(side=side, kind=choice.kind, player_id=player, level=choice.level, protocol=choice.protocol)

    async def _check_bot(self, variant: str, choice: SideChoice) -> None:
        assert choice.player is not None, "why_not has asked for a bot"
        bot = await Bot.objects.select_related("player").filter(pk=choice.player).afirst()
        if bot is None or (choice.kind == Place.Kind.COMMAND and bot.command is None):
            raise Refusal("unknown_bot", "There is no such bot. It may have been removed.")
        tokens.identity_of(bot)
        if not plays(bot.protocol, variant):
            speaks = ", ".join(protocol(bot.protocol).variants)
            words = said(
                "{name} speaks {protocol}, which plays {games}.",
                name=bot.player.name,
                protocol=bot.protocol,
                games=speaks,
            )
            raise Refusal("wrong_protocol", words)

    async def _fill(self, room: LiveRoom, place: Place, by: Opener | None) -> None:
        """Seat players that can be seated, and listen for the others."""
        if place.kind == Place.Kind.ME:
            if by is not None and by.setup.player == place.player_id and room.sides[place.side] is None:
                self.ports.lobby.pages.expect(room.plan.code.upper(), place.player_id, ON_THE_WAY_S)
                room.sit(Person(self.ports.lobby.referee, by.setup), place.side)
        elif place.kind == Place.Kind.SOCKET:
            await self.ports.offer(room, place)
        elif place.kind == Place.Kind.BOT and place.player_id is not None:
            self._call(room, place.side, place.player_id)
        else:
            await self.ports.lobby.seat_on(room, place.side)
            occupant = room.sides[place.side]
            if isinstance(occupant, ChildBot):
                self.ports.hear(room, place, occupant)

    def _call(self, room: LiveRoom, side: int, player: int) -> None:
        """Seat a registered bot that is connected and free. A bot that takes part in an event comes after the event."""
        for session in tokens.connections_of(player):
            assert isinstance(session, Session), "only sessions show tokens"
            if room.plan.pairing is None and self.ports.lobby.reserved(session.setup):
                continue
            if session.ready and room.sides[side] is None and _is_idle(session, room.plan.pairing is not None):
                if session.room is not None:
                    session.room.stand(session)
                cast(Seating[Session], session.finder).seat(session, room, side)

    def _clear(self, room: LiveRoom, side: int) -> None:
        """Tell players on this side, waiting or seated, that it is reserved for somebody else."""
        self.ports.withdraw(room, side)
        occupant = room.sides[side]
        if occupant is not None:
            room.stand(occupant)
            occupant.dismiss()

    async def _undo(self, room: LiveRoom) -> None:
        for side in (0, 1):
            self._clear(room, side)
        self.ports.lobby.forget(room)
        await Room.objects.filter(code=room.plan.code).adelete()


def _is_idle(session: Session, for_event: bool) -> bool:
    """Whether it has no room, or waits in one for any opponent. An event also calls a bot that waits alone in a private
    room. A bot that came to the port of a seat, or with its token, has that seat.
    """
    if isinstance(session.finder, SeatFinder):
        return False
    room = session.room
    if room is None or room.over:
        return True
    alone = all(sitting in (None, session) for sitting in room.sides)
    return (is_open(room) or (for_event and alone)) and not room.begun and not room.playing
