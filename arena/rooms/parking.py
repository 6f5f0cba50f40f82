"""A match that waits for its people costs a row: it leaves memory while nobody is there, and comes back with the first
request of one of its players. After days without a move it ends without result.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.retry import retry
from arena.match.commands import Refusal, Resume
from arena.match.endings import Termination
from arena.match.series import seat_of
from arena.models import Match
from arena.rooms.lobby import Lobby
from arena.rooms.people import Person
from arena.rooms.restart import reseat, room_as_logged
from arena.rooms.room import LiveRoom
from arena.rooms.room_rows import QUIET, abandoned
from arena.rooms.sweeping import Sweeper

log = logging.getLogger("arena.rooms.parking")

ROWS_EVERY_S = 600.0


class Parking:
    """`after` is how long a match waits for its people before it ends."""

    def __init__(self, lobby: Lobby, sweeper: Sweeper, after: timedelta) -> None:
        self._lobby = lobby
        self._after = after
        # Since when nobody has looked at a match, and its last event at that time.
        self._quiet: dict[str, tuple[float, int]] = {}
        self._rows_at = 0.0
        self._sweeper = sweeper
        sweeper.others.append(self.sweep)
        lobby.bring_back = self.bring_back

    async def close(self) -> None:
        await self._sweeper.close()

    async def sweep(self) -> None:
        """Let go of matches that nobody looks at, and end those that nobody has come back to."""
        now, quiet = asyncio.get_running_loop().time(), dict[str, tuple[float, int]]()
        for live in self._lobby.referee.hub.running():
            if not _may_leave(self._lobby, live):
                continue
            since, seq = self._quiet.get(live.id, (now, live.state.seq))
            if seq == live.state.seq and now - since >= QUIET.total_seconds():
                self._lobby.let_go(live)
            else:
                quiet[live.id] = (since, seq) if seq == live.state.seq else (now, live.state.seq)
        self._quiet = quiet
        if now >= self._rows_at:
            self._rows_at = now + ROWS_EVERY_S
            await self.end_abandoned()

    async def end_abandoned(self) -> None:
        days = self._after / timedelta(days=1)
        for match in await abandoned(self._after):
            try:
                live = await self._lobby.referee.load(match)
                if live is not None and not _is_looked_at(live):
                    await self._lobby.referee.abort(live, Termination.ABANDONED, f"nobody has moved for {days:g} days")
            except Refusal:
                log.debug("match %s moved on while it was called abandoned", match, extra=about(match))
            except Exception:  # the others no longer wait for it
                log.exception("match %s cannot be ended", match, extra=about(match))

    async def wake(self, live: LiveMatch) -> LiveMatch:
        """A player asks for it: all ours are seated again and the turn starts over. Returns the match here."""
        if live.over or not live.state.setup.may_wait or self._lobby.room_of(live) is not None:
            return live
        async with self._lobby.opening:
            live = self._lobby.referee.hub.lives.setdefault(live.id, live)
            await self._seat_again(live)
            return live

    async def waiting(self, code: str) -> LiveMatch | None:
        """The match that waits in the room with this code (in capitals), as it stands in its log."""
        waiting = Match.objects.filter(room__code=code, ended=None).order_by("opened")
        match = await waiting.values_list("id", flat=True).afirst()
        live = await self._lobby.referee.load(match) if match is not None else None
        return live if live is not None and not live.over and live.state.setup.may_wait else None

    async def bring_back(self, code: str) -> LiveRoom | None:
        """The room with this code (in capitals), if a match waits in it. The lobby asks while it opens rooms."""
        if (live := await self.waiting(code)) is None:
            return None
        await self._seat_again(live)
        return self._lobby.room_of(live)

    async def _seat_again(self, live: LiveMatch) -> None:
        lobby, setup = self._lobby, live.state.setup
        if lobby.room_of(live) is not None or live.state.phase == "opened":
            return
        room = await room_as_logged(lobby, setup)
        await reseat(lobby, room, setup)
        room.adopt(live)
        if not room.plan.code:
            lobby.add_loose(room)
        for side, occupant in enumerate(room.sides):
            assert occupant is not None, "both sides have just been seated"
            occupant.take_seat(live, seat_of(side, setup.round))
            if isinstance(occupant, Person):
                occupant.await_return(0)
        if live.state.phase == "running":
            lobby.referee.turns.begin(live)
        elif not live.state.paused_by:
            retry(lobby.referee, live, Resume(afresh=True))


def _may_leave(lobby: Lobby, live: LiveMatch) -> bool:
    """Whether nothing needs the match in memory: no page, no stream and no player who is thinking."""
    setup, mover = live.state.setup, live.state.to_move
    if not setup.may_wait or live.busy or live.state.phase == "opened" or _is_looked_at(live):
        return False
    room = lobby.room_of(live)
    ours = sum(seat.kind == "builtin" for seat in setup.seats) + 1 if room is not None else 0
    ours += setup.adjudicate > 0  # the adjudicator follows it, and does so again when it is back
    if len(live.followers) > ours:
        return False
    if any(isinstance(occupant, Person) and occupant.looks for occupant in (room.sides if room is not None else ())):
        return False
    return mover is None or setup.seats[mover].kind == "human" or room is None


def _is_looked_at(live: LiveMatch) -> bool:
    return any(live.viewers.values())
