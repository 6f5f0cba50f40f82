"""The rooms of this process: opened by people and by bots, found by their code.

A room is a row (its code, what is played) and, while anyone sits, a `LiveRoom`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast

from arena.common.detached import begin
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Place, Player
from arena.rooms import room_rows
from arena.rooms.idle import end_if_idle
from arena.rooms.people import Person
from arena.rooms.plan import Occupant, Plan
from arena.rooms.reservation import FREE, Kept, bare, may_sit
from arena.rooms.room import LiveRoom
from arena.rooms.room_codes import check_code, new_code
from arena.rooms.room_facts import is_awaited, is_done, is_open
from arena.rooms.room_pages import ON_THE_WAY_S, RoomPages
from arena.rooms.room_quota import RoomQuota
from arena.rooms.room_updates import RoomUpdates

log = logging.getLogger("arena.rooms.lobby")

MOST_ROOMS = 500
# Matches against built-in players, which need no room of their own.
MOST_LOOSE = 2000
SWEEP_S = 5.0
ROOM_KEPT_S = 15 * 60.0
# How often rows are looked at whose link has lived long enough.
ROWS_EVERY_S = 600.0

Fields = Mapping[str, Any]
MakeBuiltin = Callable[[str], Occupant]
# A bot that this server runs, by its player's number. Raises Refusal.
MakeCommand = Callable[[int], Awaitable[Occupant]]


class MayReturn(Occupant, Protocol):
    """A bot whose connection may be gone: its next one takes over."""

    def succeeded_by(self, occupant: Any) -> None: ...


class Lobby:
    """All live rooms by their code in capitals, and those of matches without a room by the match."""

    def __init__(
        self,
        referee: Referee,
        make_builtin: MakeBuiltin,
        make_command: MakeCommand | None = None,
        quota: RoomQuota | None = None,
    ) -> None:
        self.referee = referee
        self.quota = quota or RoomQuota()
        self.make_builtin = make_builtin
        self.make_command = make_command
        # A player in a tournament meets nobody else meanwhile.
        self.reserved: Callable[[SeatSetup], bool] = lambda setup: False
        self.rooms: dict[str, LiveRoom] = {}
        self.updates = RoomUpdates()
        self.pages = RoomPages()
        self._loose: dict[str, LiveRoom] = {}
        self._noting: set[asyncio.Task[None]] = set()
        self.opening = asyncio.Lock()
        self._meeting = asyncio.Lock()
        self._rows_at = 0.0
        # What else is looked at now and then, and who brings a room back in which a match waits for its people.
        self.sweepers: list[Callable[[], Awaitable[None]]] = []
        self.bring_back: Callable[[str], Awaitable[LiveRoom | None]] = _nothing_waits
        self.rematching = asyncio.Lock()
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep_for_ever())

    def hold(self) -> None:
        """Our side goes down: every room stays as it is, for the next host."""
        for room in (*self.rooms.values(), *self._loose.values()):
            room.hold()

    async def close(self) -> None:
        """No round begins any more."""
        self.hold()
        self._sweeper.cancel()
        await asyncio.gather(self._sweeper, *self._noting, return_exceptions=True)

    # -- finding and opening -------------------------------------------------------------------------------------------

    async def find(self, code: str, address: str = "") -> LiveRoom | None:
        """The live room with this code, opened again from its row if need be; None if there is no such row."""
        async with self.opening:
            return await self._find(code.upper(), address)

    async def open(
        self,
        code: str,
        fields: Fields,
        *,
        offered: bool = False,
        places: Kept = FREE,
        plan: Fields | None = None,
        address: str = "",
    ) -> LiveRoom:
        """The room with this code, made with these `fields` of its row and these places if there is none, and planned
        with what `plan` says of `Plan`; it counts for `address`. Raises Refusal.
        """
        check_code(code)
        async with self.opening:
            room = await self._find(code.upper(), address)
            if room is None:
                holder = self._make_space(address)
                made = await room_rows.create(code, fields, places)
                room = self.add(replace(made, offered=offered, opened_by=holder, **(plan or {})))
            return room

    async def open_new(
        self,
        fields: Fields,
        *,
        offered: bool = False,
        places: Kept = FREE,
        plan: Fields | None = None,
        address: str = "",
    ) -> LiveRoom:
        """A room with a code that nobody has; that of a private room is its secret."""
        tried = 0
        while True:
            code = new_code(bool(fields.get("private")), tried := tried + 1)
            if code.upper() in self.rooms or await room_rows.exist(code):
                continue  # not `find`, which would open a room of old again: bots that it was kept for would go there
            return await self.open(code, fields, offered=offered, places=places, plan=plan, address=address)

    async def _find(self, code: str, address: str) -> LiveRoom | None:
        room = self.rooms.get(code)
        if room is None or room.over:
            if (waiting := await self.bring_back(code)) is not None:
                return waiting
            plan = await room_rows.find(code)
            if plan is None:
                return None
            room = self.add(replace(plan, opened_by=self._make_space(address)))
            try:
                await self.seat_kept(room)
            except Refusal:  # who asks again hears it again, and waits for nobody who cannot come
                self.forget(room)
                raise
        return room

    async def seat_kept(self, room: LiveRoom) -> None:
        """Seat whom nobody has to wait for: built-in players and bots that this server runs, and who opened the room
        before it was opened again. Raises Refusal where one of them cannot be had.
        """
        for side in (0, 1):
            await self.seat_on(room, side)

    async def seat_on(self, room: LiveRoom, side: int) -> None:
        """The same for one side."""
        place = room.plan.places[side]
        if place is not None and room.sides[side] is None:
            occupant = await self._kept(place)
            if occupant is not None and room.sides[side] is None and not room.over:
                room.sit(occupant, side)

    async def _kept(self, place: Place) -> Occupant | None:
        if place.kind == Place.Kind.BUILTIN:
            return self.make_builtin(place.level)
        if place.kind == Place.Kind.COMMAND and self.make_command is not None and place.player_id is not None:
            return await self.make_command(place.player_id)
        if place.kind == Place.Kind.ME and place.player_id is not None:
            player = await Player.objects.filter(pk=place.player_id).afirst()
            return Person(self.referee, seat_of_player(player)) if player is not None else None
        return None

    def add(self, plan: Plan) -> LiveRoom:
        """A room as planned, found by its code from now on."""
        code = plan.code.upper()
        room = self.rooms[code] = LiveRoom(self.referee, plan)
        room.is_here = lambda who: self.pages.is_here(code, who.player)
        room.followers.add(partial(self.updates.publish, code))
        room.on_over.append(lambda: self._series_over(plan))
        room.followers.tell()
        return room

    def forget(self, room: LiveRoom) -> None:
        """The room is found by its code no more; its row may be opened again."""
        self.rooms.pop(room.plan.code.upper(), None)
        room.followers.tell()

    def _series_over(self, plan: Plan) -> None:
        noting = begin(room_rows.finish(plan, self.referee.ledger.store.fence))
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)

    def add_loose(self, room: LiveRoom) -> None:
        """A room without a code, found by its match."""
        assert room.live is not None, "its match has been opened"
        self._loose[room.live.id] = room

    def let_go(self, live: LiveMatch) -> None:
        """A match that waits for its people leaves the memory, and its room with it."""
        room = self.room_of(live)
        if room is not None:
            room.hold()
            self._loose.pop(live.id, None)
            if room.plan.code:
                self.forget(room)
        self.referee.hub.lives.pop(live.id, None)

    def _make_space(self, address: str) -> str:
        """Let the room go that has been done for longest where there are too many. Returns whom one more is counted
        for. Raises Refusal when all are in use, or as many as this address may have.
        """
        in_use = [room.plan.opened_by for room in self.rooms.values() if not is_done(room)] if address else []
        holder = self.quota.check(address, in_use, MOST_ROOMS)
        if len(self.rooms) < MOST_ROOMS:
            return holder
        done = [room for room in self.rooms.values() if is_done(room)]
        if not done:
            raise Refusal("no_room", f"There are {MOST_ROOMS} open rooms, which is all this server takes. Try later.")
        self.forget(min(done, key=lambda room: room.changed_at))
        return holder

    # -- people --------------------------------------------------------------------------------------------------------

    async def play_builtin(self, setup: SeatSetup, level: str, seat: int, plan: Plan, address: str = "") -> LiveRoom:
        """A match of a person on `seat` against a built-in player, begun; it needs no room of its own."""
        in_use = [room.plan.opened_by for room in self._loose.values() if room.playing] if address else []
        room = LiveRoom(self.referee, replace(plan, opened_by=self.quota.check(address, in_use, MOST_LOOSE)))
        room.sit(Person(self.referee, setup), seat)
        room.sit(self.make_builtin(level), 1 - seat)
        await room.begin()
        if room.live is None:
            raise Refusal("no_start", "The match could not begin. Nothing was stored; try again.")
        self.add_loose(room)
        return room

    def sit_down(self, room: LiveRoom, setup: SeatSetup, side: int | None = None) -> int:
        """A person takes a free side, this one if it is free. Sitting twice is sitting once. Raises Refusal."""
        for taken, occupant in enumerate(room.sides):
            if isinstance(occupant, Person) and occupant.setup.player == setup.player:
                return taken
        free = side is not None and room.sides[side] is None and may_sit(room.plan.places[side], setup)
        wished = side if free else None
        self.pages.expect(room.plan.code.upper(), setup.player, ON_THE_WAY_S)
        side = room.sit(Person(self.referee, setup), wished)
        room.look()
        return side

    def room_of(self, live: LiveMatch) -> LiveRoom | None:
        """The room that a live match is played in."""
        found = self.rooms.get(live.room_code.upper()) if live.room_code else self._loose.get(live.id)
        return found if found is not None and found.live is live else None

    def room_after(self, live: LiveMatch) -> LiveRoom | None:
        """The room that a match was played in, while the same series is there: it may be rounds ahead."""
        room, setup = self.rooms.get(live.room_code.upper()), live.state.setup
        same = room is not None and (room.plan.room, room.plan.series) == (setup.room, setup.series)
        return room if same else None

    def person(self, live: LiveMatch, player: int) -> Person | None:
        """The person with this player's number, if it sits at this match."""
        room = self.room_of(live)
        for occupant in room.sides if room else ():
            if isinstance(occupant, Person) and occupant.setup.player == player:
                return occupant
        return None

    # -- bots ----------------------------------------------------------------------------------------------------------

    def seat_bot(self, room: LiveRoom, bot: Occupant) -> int:
        """The side for a bot: its own from before if it is back, else a free one. Raises Refusal."""
        for side in (0, 1):
            if is_awaited(room, side, bot.setup):
                self.take_over(room, side, bot)
                return side
        return room.sit(bot)

    def take_over(self, room: LiveRoom, side: int, bot: Occupant) -> None:
        """Who is away from this side is back as `bot`."""
        before = room.sides[side] if room.sides.is_away(side) else None
        room.replace(side, bot)
        if before is not None:
            cast(MayReturn, before).succeeded_by(bot)
        room.look()

    def expected(self, bot: SeatSetup) -> LiveRoom | None:
        """The room where this registered bot is awaited: by its match or on a side kept for it; in an event by that."""
        for room in self.rooms.values():
            if room.over:
                continue
            for side, place in enumerate(room.plan.places):
                kept = place is not None and place.kind == Place.Kind.BOT and may_sit(place, bot)
                kept = kept and (room.plan.pairing is not None or not self.reserved(bot))
                if is_awaited(room, side, bot) or (kept and room.sides[side] is None):
                    return room
        return None

    async def meet(self, bot: Occupant, variants: Sequence[str], fields: dict[str, Any], address: str = "") -> LiveRoom:
        """Seat a bot that names no room: on the seat that it had, else opposite one that came to a door before it, else
        in a new room. Raises Refusal.
        """
        async with self._meeting:  # two who come at once must meet, not open a room each
            waiting = None if self.reserved(bot.setup) else self._waiting_for(bot.setup, variants)
            room = waiting or await self.open_new(fields, offered=True, address=address)
            if not bot.ready:
                raise Refusal("gone", f"{bot.setup.name} has gone before a seat was found.")
            self.seat_bot(room, bot)
            return room

    def challenge(self, bot: Occupant, player: str) -> LiveRoom:
        """Seat a bot opposite the player of this name who waits for an opponent, or on the seat that it had after the
        same challenge. Raises Refusal.
        """
        if (room := self._room_it_had(bot.setup)) is not None:
            self.seat_bot(room, bot)
            return room
        for room in self.open_rooms():
            names = {bare(sitting.setup.name).upper() for sitting in room.sides if sitting is not None}
            if bare(player).upper() in names:
                self.seat_bot(room, bot)
                return room
        raise Refusal("not_waiting", f"{player[:40]} is not waiting for an opponent.")

    def _waiting_for(self, bot: SeatSetup, variants: Sequence[str]) -> LiveRoom | None:
        if (room := self._room_it_had(bot)) is not None:
            return room
        waiting = (room for room in self.open_rooms() if room.plan.offered and room.plan.variant in variants)
        return next(waiting, None)

    def _room_it_had(self, bot: SeatSetup) -> LiveRoom | None:
        """Where it is awaited. A private room is found by its code alone, but for a bot that has proven who it is."""
        for room in self.rooms.values():
            hidden = room.plan.private and not bot.verified
            if not (room.over or hidden) and any(is_awaited(room, side, bot) for side in (0, 1)):
                return room
        return None

    def open_rooms(self) -> list[LiveRoom]:
        """Public rooms with one side taken by somebody who is not reserved, longest waiting first."""
        rooms = (room for room in self.rooms.values() if is_open(room) and not self._is_reserved(room))
        return sorted(rooms, key=lambda room: room.changed_at)

    def _is_reserved(self, room: LiveRoom) -> bool:
        return any(sitting is not None and self.reserved(sitting.setup) for sitting in room.sides)

    # -- housekeeping --------------------------------------------------------------------------------------------------

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                await self.sweep()
                for sweep in self.sweepers:
                    await sweep()
            except Exception:
                log.exception("sweeping the lobby failed")

    async def sweep(self) -> None:
        """End matches that nobody plays, forget rooms that nobody is in."""
        for live in self.referee.hub.running():
            await end_if_idle(self.referee, live)
        self._loose = {match: room for match, room in self._loose.items() if room.playing}
        now = asyncio.get_running_loop().time()
        for code, room in list(self.rooms.items()):
            async with self.opening:  # it may have been opened again meanwhile, and is not while it is closed
                if self.rooms.get(code) is room and is_done(room) and now - room.changed_at > ROOM_KEPT_S:
                    await self._let_go(room)
        if now >= self._rows_at:
            self._rows_at = now + ROWS_EVERY_S
            await room_rows.close_unused(set(self.rooms), self.referee.ledger.store.fence)

    async def _let_go(self, room: LiveRoom) -> None:
        """A series that is over closes its room. One that has not begun waits in its row as long as its link lives."""
        self.forget(room)
        fence = self.referee.ledger.store.fence
        if room.over or room.begun:
            room.close()
            await room_rows.close(room.plan.room, fence)
        else:
            room.hold()
            await room_rows.used(room.plan.room, fence)


async def _nothing_waits(code: str) -> LiveRoom | None:
    return None


def seat_of_player(player: Player) -> SeatSetup:
    """A person whose session is not known here."""
    verified = player.kind == Player.Kind.PERSON
    return SeatSetup(player.name, "human", player.pk, verified=verified, owner=player.user_id)
