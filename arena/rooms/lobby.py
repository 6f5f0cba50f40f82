"""The rooms of this process: opened by people and by bots, found by their code.

A room is a row (its code, what is played) and, while anyone sits there, a `LiveRoom`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.core.row_writer import RowWriter
from arena.match.commands import Refusal
from arena.match.state import SeatSetup
from arena.models import Place, Player
from arena.rooms import room_rows
from arena.rooms.challenges import Challenges
from arena.rooms.people import Person, seat_of_player
from arena.rooms.plan import Occupant, Plan
from arena.rooms.reservation import FREE, Kept, may_sit
from arena.rooms.room import LiveRoom
from arena.rooms.room_codes import check_code, new_code
from arena.rooms.room_facts import is_done, is_open
from arena.rooms.room_pages import ON_THE_WAY_S, RoomPages
from arena.rooms.room_quota import RoomQuota
from arena.rooms.room_updates import PublicFollowers, RoomUpdates

MOST_ROOMS = 500
# Matches against built-in players, which need no room of their own.
MOST_LOOSE = 2000
# After a restart a page that is open is back within this time.
BACK_S = 60.0

Fields = Mapping[str, Any]
MakeBuiltin = Callable[[str], Occupant]
# Returns a bot that this server runs, by its player's number. Raises Refusal.
MakeCommand = Callable[[int], Awaitable[Occupant]]


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
        # A player in a tournament is not paired with anybody else meanwhile.
        self.reserved: Callable[[SeatSetup], bool] = lambda setup: False
        self.held = False
        self.rooms: dict[str, LiveRoom] = {}
        self.updates = RoomUpdates()
        self.pages = RoomPages()
        self.pages.on_gone = partial(_tell, self)
        self.challenges = Challenges(self.rooms, self.updates)
        self._loose: dict[str, LiveRoom] = {}
        self._rows = RowWriter("that a series is over")
        self.opening = asyncio.Lock()
        # Brings back a room in which a match waits for its people.
        self.bring_back: Callable[[str], Awaitable[LiveRoom | None]] = _nothing_waits
        self.rematching = asyncio.Lock()
        self.began = time.monotonic()
        # What all rooms of the lobby call: made once, because made for each room they would take memory in each.
        self._is_here, self._on_over = self.is_here, (self.series_over,)

    def hold(self) -> None:
        """The host is going down: every room stays as it is, for the next host."""
        self.held = True  # who came in now would stay connected to a host that is gone
        for room in (*self.rooms.values(), *self._loose.values()):
            room.hold()

    async def close(self) -> None:
        """Begin no more rounds."""
        self.hold()
        await self._rows.close()

    # -- finding and opening -------------------------------------------------------------------------------------------

    async def find(self, code: str, address: str = "") -> LiveRoom | None:
        """The live room with this code, if necessary opened again from its row; None if there is no such row."""
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
        """The room with this code. If there is none, it is made with these `fields` of its row and these places. It is
        planned with the fields of `Plan` in `plan`, and counts for `address`. Raises Refusal.
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
        """A room with a new code; the code of a private room is its secret."""
        tried = 0
        while True:
            code = new_code(bool(fields.get("private")), tried := tried + 1)
            if code.upper() in self.rooms or await room_rows.exist(code):
                continue  # not `find`, which would open an old room again: bots for which it was kept would go there
            return await self.open(code, fields, offered=offered, places=places, plan=plan, address=address)

    async def _find(self, code: str, address: str) -> LiveRoom | None:
        room = self.rooms.get(code)
        if room is None or room.over:
            if (waiting := await self.bring_back(code)) is not None:
                return waiting
            plan = await room_rows.find(code, after_restart=time.monotonic() - self.began < BACK_S)
            if plan is None:
                return None
            room = self.add(replace(plan, opened_by=self._make_space(address)))
            try:
                await self.seat_kept(room)
            except BaseException:  # a player who asks again, or instead of one who has gone, waits for nobody in vain
                self.forget(room)
                raise
        return room

    async def seat_kept(self, room: LiveRoom) -> None:
        """Seat everybody who need not be waited for: built-in players, bots that this server runs, and the player who
        opened the room before it was opened again. Raises Refusal if one of them is not available.
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
        if place.kind == Place.Kind.ME and place.player_id is not None and place.expires is None:
            player = await Player.objects.filter(pk=place.player_id).afirst()
            return Person(self.referee, seat_of_player(player)) if player is not None else None
        return None

    def add(self, plan: Plan) -> LiveRoom:
        """Add a room as planned; from now on it is found by its code."""
        code = plan.code.upper()
        room = self.rooms[code] = LiveRoom(self.referee, plan)
        room.followers = PublicFollowers(self.updates, code)
        room.is_here, room.on_over = self._is_here, self._on_over
        room.followers.tell()
        return room

    def forget(self, room: LiveRoom) -> None:
        """The room is no longer found by its code; its row may be opened again."""
        self.rooms.pop(room.plan.code.upper(), None)
        room.followers.tell()

    def is_here(self, room: LiveRoom, who: SeatSetup) -> bool:
        """Whether a page of the room is open in this person's browser."""
        return self.pages.is_here(room.plan.code.upper(), who.player)

    def series_over(self, room: LiveRoom) -> None:
        """Note it in the row of the room."""
        self._rows.write(partial(room_rows.finish, room.plan, self.referee.ledger.store.fence))

    def add_loose(self, room: LiveRoom) -> None:
        """Add a room without a code, found by its match."""
        assert room.live is not None, "its match has been opened"
        self._loose[room.live.id] = room

    def let_go(self, live: LiveMatch) -> None:
        """Remove a match that waits for its people from memory, and its room with it."""
        room = self.room_of(live)
        if room is not None:
            room.hold()
            self._loose.pop(live.id, None)
            if room.plan.code:
                self.forget(room)
        self.referee.hub.lives.pop(live.id, None)

    def forget_ended(self) -> None:
        """Remove matches without a room that are over from memory."""
        self._loose = {match: room for match, room in self._loose.items() if room.playing}

    def check_room(self, address: str) -> None:
        """Raise Refusal if this address may not open one more room now: before a guest is made who is to open it."""
        in_use = [room.plan.opened_by for room in self.rooms.values() if not is_done(room)]
        self.quota.check(address, in_use, MOST_ROOMS)

    def check_loose(self, address: str) -> None:
        """The same for one more match without a room of its own."""
        in_use = [room.plan.opened_by for room in self._loose.values() if room.playing] if address else []
        self.quota.check(address, in_use, MOST_LOOSE, has_code=False)

    def _make_space(self, address: str) -> str:
        """If there are too many rooms, forget the one that has been done for longest. Returns the address that one more
        room counts for. Raises Refusal if all are in use, or as many as this address may have.
        """
        self.check_room(address)
        if len(self.rooms) >= MOST_ROOMS:
            self.forget(min(filter(is_done, self.rooms.values()), key=lambda room: room.changed_at))
        return self.quota.count(address)

    # -- people --------------------------------------------------------------------------------------------------------

    async def play_builtin(self, setup: SeatSetup, level: str, seat: int, plan: Plan, address: str = "") -> LiveRoom:
        """Begin a match of a person on `seat` against a built-in player."""
        person, builtin = Person(self.referee, setup), self.make_builtin(level)
        return await self.play_loose((builtin, person) if seat else (person, builtin), plan, address)

    async def play_loose(self, sides: tuple[Occupant, Occupant], plan: Plan, address: str = "") -> LiveRoom:
        """Begin a match of these two; it needs no room of its own. Raises Refusal."""
        self.check_loose(address)
        room = LiveRoom(self.referee, replace(plan, opened_by=self.quota.count(address, has_code=False)))
        for side, occupant in enumerate(sides):
            room.sit(occupant, side)
        room.on_start = lambda live: self.add_loose(room)  # its match begins even if who asked for it is gone by then
        await room.begin()
        if room.live is None:
            raise Refusal("no_start", "The match could not begin. Nothing was stored; try again.")
        return room

    def sit_down(self, room: LiveRoom, setup: SeatSetup, side: int | None = None) -> int:
        """Seat a person, on this side if it is free; twice has no further effect. Raises Refusal."""
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
        found = self.rooms.get(live.room_code.upper()) if live.room_code else self._loose.get(live.id)
        return found if found is not None and found.live is live else None

    def room_after(self, live: LiveMatch) -> LiveRoom | None:
        """The room in which a match was played, while the same series is there: it may be rounds ahead."""
        series, code = (live.state.setup.room, live.state.setup.series), live.room_code.upper()
        # One that was read from its log knows no code.
        rooms = self.rooms.values() if not code else [self.rooms[code]] if code in self.rooms else []
        return next((room for room in rooms if (room.plan.room, room.plan.series) == series), None)

    def people(self, live: LiveMatch, player: int) -> list[Person]:
        """The people at this match with this player's number: two at one screen share it."""
        room = self.room_of(live)
        seated = [occupant for occupant in (room.sides if room else ()) if isinstance(occupant, Person)]
        return [person for person in seated if person.setup.player == player]

    def open_rooms(self) -> list[LiveRoom]:
        """Public rooms in which exactly one side is taken, by a player who is not reserved; longest waiting first."""
        rooms = (room for room in self.rooms.values() if is_open(room) and not self._is_reserved(room))
        return sorted(rooms, key=lambda room: room.changed_at)

    def _is_reserved(self, room: LiveRoom) -> bool:
        return any(sitting is not None and self.reserved(sitting.setup) for sitting in room.sides)


async def _nothing_waits(code: str) -> LiveRoom | None:
    return None


def _tell(lobby: Lobby, code: str) -> None:
    """A player has closed the page of this room: one who waits there is told, and so is an event that waits."""
    if (room := lobby.rooms.get(code)) is not None:
        room.followers.tell()  # and whoever follows the code
    else:
        lobby.updates.publish(code)
