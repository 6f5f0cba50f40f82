"""One pairing being played: its room, from the call of missing players to the end of the match."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from django.db import DatabaseError, Error

from arena.bots.builtin.thinkers import Thinkers
from arena.bots.process.child import ChildBot
from arena.core import storage_watch
from arena.core.hub import LiveMatch
from arena.core.retry import retry
from arena.match.commands import Abort, Refusal
from arena.match.endings import counts
from arena.match.state import SeatSetup
from arena.models import Entry
from arena.rooms import closing, restart
from arena.rooms.challenges import EventCall
from arena.rooms.lobby import Lobby
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from arena.tournaments import needed, players
from arena.tournaments.sheet import DECIDED, PairingLine, Sheet

PART_S, AGAIN_S = 5.0, 2.0

# Opens a room with a code and a place for each of two entries: (columns of the room, entries, fields of its plan).
OpenRoom = Callable[[Mapping[str, Any], tuple[Entry, Entry], Mapping[str, Any]], Awaitable[LiveRoom]]


class LivePairing:
    """`missing` are the entries that are called, `until` when they must have come (the loop's monotonic time).

    `on_change` is called when `missing` has changed, `on_fault(live)` when a match of it ended without a result:
    `reported` waits for what that returns. `keeps(who)` says whose connection is needed for further pairings.
    """

    task: asyncio.Task[None]

    def __init__(
        self,
        sheet: Sheet,
        line: PairingLine,
        lobby: Lobby,
        thinkers: Thinkers,
        open_room: OpenRoom | None,
        call_s: float,
    ) -> None:
        assert line.b is not None, "a bye is not played"
        self._both = (sheet.entries[line.a], sheet.entries[line.b])
        self._tournament = sheet.tournament
        self._line = line
        self._lobby = lobby
        self._thinkers = thinkers
        self._open_room = open_room
        self._call_s = call_s
        self._room: LiveRoom | None = None
        self._changed = asyncio.Event()
        self._reports: list[asyncio.Task[None]] = []
        self._stopped = self._decided = False
        self.missing: tuple[int, ...] = ()
        self.until: float | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.on_fault: Callable[[LiveMatch], asyncio.Task[None] | None] = lambda live: None
        self.keeps: Callable[[SeatSetup], bool] = lambda who: False

    @property
    def code(self) -> str:
        """The code of its room, "" if nobody has to come."""
        return "" if self._room is None else self._room.plan.code

    @property
    def entries(self) -> tuple[int, ...]:
        """The entries that can sit only here."""
        return tuple(entry.pk for entry in self._both if not players.is_local(entry))

    @property
    def came(self) -> list[int]:
        """The entries that missed a call before, and have begun this match."""
        begun = self._room is not None and self._room.live is not None
        return [entry.pk for entry in self._both if begun and entry.calls]

    async def play(self) -> tuple[int, ...]:
        """Play to the end of the match or of a vain call. Returns who did not come. Raises what prevented it."""
        if self.entries:
            try:
                room = await self._in_a_room()
            except Refusal as refusal:
                if refusal.code not in ("closing", "bot_disabled", "cannot_start"):
                    raise
                return ()  # the next look at the event sees why
            except Error as why:
                if storage_watch.saw(why) is None:
                    raise
                await asyncio.sleep(AGAIN_S)
                return ()  # nobody's fault, and begun again by the next look
            if not await self._everybody_there(room):
                return await self._gave_up(room)
        else:
            room = self._here()
            await self._begin(room)
        await self._until(lambda: room.over)
        await self._end_processes()
        return ()

    def is_held_up(self) -> bool:
        """Whether a bot is missing because it plays for another event."""
        missing = (entry for entry in self._both if entry.pk in self.missing)
        return bool(self.missing and needed.at_play(missing, needed.players_of(self._lobby.referee.hub.running())))

    def call_off(self, sheet: Sheet) -> None:
        """Stop waiting, because the event is paused or somebody withdrew. A match that has begun continues, unless the
        pairing was decided in the moment in which it began: then it is played for nothing.
        """
        room = self._room
        if room is None or self._decided:
            return
        if room.live is not None and not room.live.over:
            if any(line.pk == self._line.pk and line.status in DECIDED for line in sheet.lines):
                self._decided = True
                retry(self._lobby.referee, room.live, Abort("server_abort", restart.DECIDED))
        elif self.entries and room.live is None and not room.playing:
            room.close()

    async def reported(self) -> None:
        """Return when everything that `on_fault` was told is stored."""
        await asyncio.gather(*self._reports)

    async def stop(self) -> None:
        """The server stops: end without a result the match that a process of ours plays, then end the process.

        Everybody else comes back after the next start, and their match continues.
        """
        self._stopped = True
        room = self._room
        if room is not None and any(isinstance(side, ChildBot) for side in room.sides):
            with suppress(Refusal, TimeoutError):
                async with asyncio.timeout(PART_S):
                    await self._abort(room)
            room.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(PART_S):
                    await self._end_processes()
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _abort(self, room: LiveRoom) -> None:
        """Abort the match, even one that is just about to begin: its process may be starting."""
        if room.playing and (room.live is None or room.live.over):
            await room.begin()
        if room.live is not None and not room.live.over:
            reason = "the server was stopped; the match is played again"
            await self._lobby.referee.abort(room.live, "server_abort", reason)

    # -- the room ------------------------------------------------------------------------------------------------------

    def _plan(self) -> dict[str, Any]:
        kind = "sample" if self._tournament.settings.get("sample") else ""
        return {"pairing": self._line.pk, "opening": self._line.opening, "break_s": 0.0, "kind": kind}

    def _columns(self) -> dict[str, Any]:
        said = self._tournament.settings
        return {
            "variant": self._tournament.variant,
            "settings": said.get("variant", {}),
            "clock": said.get("clock", "none"),
            "pace_ms": said.get("pace_ms", 0),
            "rated": said.get("rated", False),
            "offers": said.get("offers", False),
            "adjudicate": said.get("adjudicate", 0),
        }

    def _here(self) -> LiveRoom:
        """Play without a code, because both sides are ours."""
        room = LiveRoom(self._lobby.referee, Plan(**self._columns(), **self._plan()))
        self._seat_ours(room)
        return self._listen(room)

    def _seat_ours(self, room: LiveRoom) -> None:
        line, seed = self._line, self._tournament.settings.get("seed", 0)
        for side, entry in enumerate(self._both):
            if players.is_local(entry):
                number = f"{seed} {line.round} {line.number} {line.leg}"
                room.sit(players.seat(entry, self._lobby.referee, self._thinkers, number), side)

    async def _in_a_room(self) -> LiveRoom:
        if self._open_room is None:
            raise Refusal("no_rooms", "people, and bots that connect by themselves, need a running server")
        columns = self._columns() | {"rounds": 1, "event_id": self._tournament.pk}
        room = await self._open_room(columns, self._both, self._plan())
        self._seat_ours(room)
        return self._listen(room)

    def _listen(self, room: LiveRoom) -> LiveRoom:
        self._room = room
        room.followers.add(self._changed.set)
        room.on_round, room.keeps = self._ended, self.keeps
        return room

    async def _begin(self, room: LiveRoom) -> None:
        await room.begin()
        if room.live is None:
            raise Refusal("no_start", "the match could not begin")
        self._lobby.add_loose(room)

    async def _everybody_there(self, room: LiveRoom) -> bool:
        """Whether everybody comes and the match begins within the time of a call."""
        loop = asyncio.get_running_loop()
        self.until = loop.time() + self._call_s
        room.look()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self.until):
                while room.live is None and not room.over:
                    self._call(room)
                    await self._news()
        if room.playing:  # they came at the last moment
            await self._until(lambda: room.live is not None or room.over)
        return room.live is not None

    def _call(self, room: LiveRoom) -> None:
        missing = self._missing(room)
        if missing != self.missing:
            self.missing = missing
            self._announce(missing)
            self.on_change()

    def _announce(self, missing: tuple[int, ...]) -> None:
        """Tell whoever is called, on any page that they have open."""
        who = frozenset(entry.player_id for entry in self._both if entry.pk in missing and entry.player_id is not None)
        self._lobby.challenges.call(EventCall(self.code, self._tournament.name, self._tournament.slug, who))

    def _missing(self, room: LiveRoom) -> tuple[int, ...]:
        """The entries without whom it cannot begin; somebody who sat down and closed the page is one of them."""
        return tuple(
            entry.pk
            for side, (entry, occupant) in enumerate(zip(self._both, room.sides, strict=True))
            if occupant is None or not occupant.ready or room.is_absent(side)
        )

    async def _gave_up(self, room: LiveRoom) -> tuple[int, ...]:
        if not room.over:
            self._call(room)  # a page may have been closed since
        self._announce(())
        stops = bool(self._lobby.quota.closed)
        if not (self.missing or stops):
            raise Refusal("no_start", "both are there, and yet the match could not begin")
        called_off = room.over or stops  # staff may close a room, and a host about to stop begins nothing
        room.close()
        with suppress(DatabaseError):  # whoever sits down there again waits in vain: the next call has another room
            await closing.close(self._lobby, room)
        return () if called_off or self.is_held_up() else self.missing

    async def _until(self, condition: Callable[[], bool]) -> None:
        self.missing = ()
        self._announce(())
        self.on_change()
        while not condition():
            await self._news()

    async def _news(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _ended(self, live: LiveMatch) -> None:
        if self._decided and self._room is not None:
            self._room.close()  # which would play it again
        elif not counts(live.state.termination or "") and not self._stopped:
            report = self.on_fault(live)
            if report is not None:
                self._reports.append(report)

    async def _end_processes(self) -> None:
        """Return when all processes that played are gone."""
        for occupant in self._room.sides if self._room is not None else ():
            if isinstance(occupant, ChildBot):
                await occupant.close()
