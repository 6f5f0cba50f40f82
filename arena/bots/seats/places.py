"""Places: for whom the sides of rooms are kept, and how they get there.

A room is opened with a choice for each side. People and built-in players sit at once, bots of ours are started when
both sides are there, a registered bot is called if it is connected, and for any other bot a port and a token are made.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from arena.bots.process.child import ChildBot
from arena.bots.seats.arrivals import Arrivals
from arena.bots.seats.gate import PortGate
from arena.bots.seats.ports import Pool
from arena.bots.seats.waiting import RETURN_S, Waiting
from arena.bots.session import tokens
from arena.bots.session.finding import Seating
from arena.bots.session.seat_line import turned_away
from arena.bots.session.session import Session
from arena.bots.session.tokens import Identity
from arena.cluster.lease import Fence, for_holder
from arena.common.detached import begin, detached
from arena.common.limits import Shares
from arena.match.clock import parse_clock
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Bot, Place, Room
from arena.protocols import plays, protocol, protocols
from arena.protocols.adapter import Adapter
from arena.rooms import room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.matchmaking import Matchmaker
from arena.rooms.people import Person
from arena.rooms.room import LiveRoom
from arena.rooms.room_pages import ON_THE_WAY_S
from games.players import LEVELS

log = logging.getLogger("arena.bots")

EXPIRES = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class SideChoice:
    """What was chosen for one side: a kind of `Place`, and what belongs to it.

    `player` is the number of a bot's player, or of the person whom `me` means where it is not the opener.
    """

    kind: str
    level: str = ""
    protocol: str = ""
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Opener:
    """The person who opens or changes a room, as who sits, and the address that the room counts for."""

    setup: SeatSetup
    address: str = ""


class Places:
    """All places of this process. Nothing is listened on before `open`."""

    def __init__(
        self, lobby: Lobby, numbers: Sequence[int], expires: timedelta = EXPIRES, shares: Shares | None = None
    ) -> None:
        """`shares`: who holds how many of the connections of bots, at all ports together."""
        self.lobby = lobby
        self.matchmaker = Matchmaker(lobby)
        self.shares = shares or Shares()
        # By protocol, where the server was started with another clock than the protocol's.
        self.clocks: Mapping[str, str] = {}
        self._gate = PortGate(self.shares, turned_away)
        self.pool = Pool(numbers)
        self._expires = expires
        self._waiting: dict[tuple[str, int], Waiting] = {}
        self.arrivals = Arrivals(self._waiting.values)
        self._storing: set[asyncio.Task[None]] = set()

    async def open(self, host: str) -> None:
        """Listen on this host from now on, also on the ports that were promised before a restart."""
        self.pool.host = host
        kept = Place.objects.select_related("room").filter(port__isnull=False)
        for place in [place async for place in kept]:
            try:
                await self._listen_again(place)
            except Refusal as refusal:
                log.warning("room %s: the port %s is not open again: %s", place.room, place.port, refusal)
                await Place.objects.filter(pk=place.pk).aupdate(port=None, token_sha256=None, expires=None)

    async def _listen_again(self, place: Place) -> None:
        """A bot that had come may come back, one that had not still has its time."""
        if place.expires is not None and place.expires <= datetime.now(UTC):
            raise Refusal("seat_expired", "its time was over")
        if place.expires is None and place.room.code not in self.lobby.rooms:
            raise Refusal("no_room", "its series was over")
        room = await self.lobby.find(place.room.code)
        kept = room.plan.places[place.side] if room is not None else None
        if room is None or kept is None or kept.pk != place.pk:
            raise Refusal("no_room", "the side is kept for somebody else")
        await self._wait(room, kept, wished=place.port)

    async def close(self) -> None:
        """Part from everybody: what was promised stays in the rows."""
        for waiting in list(self._waiting.values()):
            await waiting.part()
        await asyncio.gather(*self._storing, return_exceptions=True)

    # -- for pages -----------------------------------------------------------------------------------------------------

    async def open_room(
        self,
        fields: Mapping[str, Any],
        sides: tuple[SideChoice, SideChoice],
        by: Opener | None,
        *,
        plan: Mapping[str, Any] | None = None,
    ) -> LiveRoom:
        """A new room with everybody seated who can be. `fields` are columns of its row, `plan` fields of `Plan`.

        Raises Refusal; then nothing was made.
        """
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
        room = await self.lobby.open_new(made, places=(first, second), plan=plan, address=address)
        try:
            for place in (first, second):
                await self._fill(room, place, by)
        except BaseException:
            await self._undo(room)
            raise
        room.look()
        return room

    async def change(self, room: LiveRoom, side: int, choice: SideChoice, by: Opener | None) -> LiveRoom:
        """Keep a side for somebody else; who waited there is told so. Returns the room, a new one after its end.

        Raises Refusal, above all while a series runs.
        """
        return await detached(self._change(room, side, choice, by))

    async def _change(self, room: LiveRoom, side: int, choice: SideChoice, by: Opener | None) -> LiveRoom:
        if room.begun and not room.over:
            raise Refusal("running", "The series has begun. Seats can be changed when it is over.")
        if room.over:
            found = await self.lobby.find(room.plan.code)
            if found is None:
                raise Refusal("no_room", "This room is gone. Create another one.")
            room = found
        place = await self._place(room.plan.variant, room.plan.clock, side, choice, by)
        self._clear(room, side)
        room.plan = await room_rows.keep(room.plan, place)
        await self._fill(room, place, by)
        room.look()
        return room

    async def open_again(self, room: LiveRoom, side: int) -> Waiting:
        """A new port and a new token for a side whose address has expired. Raises Refusal."""
        place = room.plan.places[side]
        if place is None or place.kind != Place.Kind.SOCKET:
            raise Refusal("place_kept", "This seat is not waiting for a bot on a socket.")
        if room.sides[side] is not None:
            raise Refusal("place_taken", "This seat is taken.")
        await self.change(room, side, SideChoice("socket", protocol=place.protocol), None)
        waiting = self.waiting(room.plan.code, side)
        assert waiting is not None, "a socket's side waits"
        return waiting

    def waiting(self, code: str, side: int) -> Waiting | None:
        """What waits on this side of the room, or has waited there last."""
        return self._waiting.get((code.upper(), side))

    def clock_of(self, adapter: type[Adapter]) -> str:
        """The clock of a room that is opened for this protocol."""
        return self.clocks.get(adapter.slug, adapter.clock)

    def online(self, player: int) -> bool:
        """Whether this registered bot is connected."""
        return bool(tokens.connections_of(player))

    async def may_change(self, room: LiveRoom, player: int | None) -> bool:
        """Whether this player opened the room."""
        if player is None or room.plan.room is None:
            return False
        return await Room.objects.filter(pk=room.plan.room, opener=player).aexists()

    # -- filling a side ------------------------------------------------------------------------------------------------

    async def _place(self, variant: str, clock: str, side: int, choice: SideChoice, by: Opener | None) -> Place:
        """The row for a choice. Raises Refusal for what cannot be chosen."""
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
            raise Refusal("wrong_protocol", f"{bot.player.name} speaks {bot.protocol}, which plays {speaks}.")

    async def _fill(self, room: LiveRoom, place: Place, by: Opener | None) -> None:
        """Seat those who can be seated, and listen for the others."""
        if place.kind == Place.Kind.ME:
            if by is not None and by.setup.player == place.player_id and room.sides[place.side] is None:
                self.lobby.pages.expect(room.plan.code.upper(), place.player_id, ON_THE_WAY_S)
                room.sit(Person(self.lobby.referee, by.setup), place.side)
        elif place.kind == Place.Kind.SOCKET:
            token = tokens.new_token()
            place.token_sha256, place.expires = tokens.sha256_of(token), datetime.now(UTC) + self._expires
            await self._wait(room, place, token)
        elif place.kind == Place.Kind.BOT and place.player_id is not None:
            self._call(room, place.side, place.player_id)
        else:
            await self.lobby.seat_on(room, place.side)
            self._listen_to(room, place, room.sides[place.side])

    def _listen_to(self, room: LiveRoom, place: Place, occupant: object) -> None:
        """What becomes of a process of ours is heard like what comes over a socket."""
        if isinstance(occupant, ChildBot):
            waiting = self._waiting[room.plan.code.upper(), place.side] = Waiting(self.lobby, room, place, self.prove)
            hearing = waiting.hearing
            occupant.on_stopped = lambda exit, last_error: hearing.add("stopped", exit=exit, last_error=last_error)

    def _call(self, room: LiveRoom, side: int, player: int) -> None:
        """Seat a registered bot that is connected and plays nowhere. One that takes part in an event comes after it."""
        for session in tokens.connections_of(player):
            assert isinstance(session, Session), "only sessions show tokens"
            if room.plan.pairing is None and self.lobby.reserved(session.setup):
                continue
            if session.ready and room.sides[side] is None and _is_idle(session):
                if session.room is not None:
                    session.room.stand(session)
                cast(Seating[Session], session.finder).seat(session, room, side)

    async def _wait(self, room: LiveRoom, place: Place, token: str = "", wished: int | None = None) -> None:
        waiting = Waiting(self.lobby, room, place, self.prove, token)
        server = await self.pool.open(waiting.connected, wished, self._gate)
        place.port = server.number
        await Place.objects.filter(port=place.port).exclude(pk=place.pk).aupdate(port=None)
        await place.asave(update_fields=["port", "token_sha256", "expires"])
        self._forget_old()
        self._waiting[room.plan.code.upper(), place.side] = waiting
        waiting.on_use = self._used
        waiting.open(server)

    def _forget_old(self) -> None:
        rooms = self.lobby.rooms
        for key, waiting in list(self._waiting.items()):
            if rooms.get(key[0]) is not waiting.room:
                waiting.close()
                del self._waiting[key]

    def _used(self, waiting: Waiting) -> None:
        storing = begin(_store(waiting, self.lobby.referee.ledger.store.fence))
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)

    def _clear(self, room: LiveRoom, side: int) -> None:
        """Those who wait or sit on this side are told that it is kept for somebody else."""
        waiting = self._waiting.pop((room.plan.code.upper(), side), None)
        occupant = room.sides[side]
        if waiting is not None:
            waiting.send_away("place_kept", "This seat is kept for somebody else now.")
        if occupant is not None:
            room.stand(occupant)
            occupant.dismiss()

    async def _undo(self, room: LiveRoom) -> None:
        for side in (0, 1):
            self._clear(room, side)
        self.lobby.forget(room)
        await Room.objects.filter(code=room.plan.code).adelete()

    def seated(self, session: Session, room: LiveRoom) -> None:
        """A door has seated this bot: where it was waited for, that is heard."""
        side = room.sides.of(session)
        waiting = None if side is None else self.waiting(room.plan.code, side)
        self.arrivals.seated(session, room, waiting if waiting is not None and not waiting.closed else None)

    # -- who shows a token ---------------------------------------------------------------------------------------------

    async def prove(self, session: Session, token: str) -> None:
        """What follows from a token that a session shows. Raises Refusal."""
        self.shown(session, await tokens.find(token))

    def shown(self, session: Session, whose: Identity | Place) -> None:
        """The session has proven to be this bot, or to have this seat. Raises Refusal."""
        if isinstance(whose, Identity):
            self.identified(session, whose)
            return
        waiting = next((each for each in self._waiting.values() if each.place.pk == whose.pk and not each.closed), None)
        if waiting is None:
            raise Refusal("seat_expired", "This seat's address has expired. Open it again on the page of its room.")
        if isinstance(session.finder, Waiting) and session.finder is not waiting:
            raise Refusal("wrong_seat", "This token belongs to another seat than this port.")
        waiting.admit(session)

    def identified(self, session: Session, who: Identity) -> None:
        """The session is this registered bot. Raises Refusal where it speaks another protocol here."""
        if session.adapter.slug != who.protocol:
            here = f"this is {session.adapter.slug}"
            raise Refusal("wrong_protocol", f"{who.name} is registered for {who.protocol}, {here}. Use its own door.")
        if session.setup.verified and session.setup.player != who.player:
            raise Refusal("wrong_seat", f"This token belongs to {who.name}, and this port to {session.setup.name}.")
        if not session.setup.verified:
            session.identify(who)
            session.grace_s = RETURN_S
            tokens.came(who.player, session)


def why_not(variant: str, clock: str, choice: SideChoice) -> str:
    """ "" when this can be chosen for that variant, else the reason in words. No database is asked."""
    if choice.kind not in Place.Kind.values:
        return f"Received {choice.kind[:20]!r}, expected one of {', '.join(Place.Kind.values)}."
    if choice.kind == Place.Kind.BUILTIN and choice.level not in LEVELS:
        return f"Received the level {choice.level[:20]!r}, expected {', '.join(LEVELS)}."
    if choice.kind in (Place.Kind.BOT, Place.Kind.COMMAND) and choice.player is None:
        return "Choose a bot."
    if choice.kind != Place.Kind.SOCKET:
        return ""
    if choice.protocol not in protocols():
        return f"Received the protocol {choice.protocol[:20]!r}, expected {', '.join(protocols())}."
    if not plays(choice.protocol, variant):
        return f"{choice.protocol} plays {', '.join(protocol(choice.protocol).variants)} only."
    if parse_clock(clock).kind == "none" and parse_clock(protocol(choice.protocol).clock).kind != "none":
        return "A bot on a socket needs a clock: it might never answer."
    return ""


def _is_idle(session: Session) -> bool:
    """It waits alone for whoever comes, if it waits in a room at all."""
    room = session.room
    return room is None or room.over or (room.plan.offered and not room.begun and not room.playing)


async def _store(waiting: Waiting, fence: Fence | None) -> None:
    """What has become of its promise, in its row, which is the next host's where we have lost the lease."""
    kept: dict[str, Any] = {"port": waiting.port, "expires": waiting.expires}
    if waiting.closed:
        kept["token_sha256"] = waiting.place.token_sha256 = None
    await for_holder(Place.objects.filter(pk=waiting.place.pk), fence).aupdate(**kept)
