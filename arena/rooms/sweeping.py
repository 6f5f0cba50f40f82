"""Housekeeping: matches that nobody plays are ended, rooms without anybody in them are forgotten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from django.db import Error

from arena.common.logs import LastingTrouble, about
from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.commands import Refusal
from arena.match.endings import Termination
from arena.match.inactivity import expiry
from arena.rooms import room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.room import LiveRoom
from arena.rooms.room_facts import is_done

log = logging.getLogger("arena.rooms.lobby")

SWEEP_S = 5.0
ROOM_KEPT_S = 15 * 60.0
# How often to look for rows whose link has expired.
ROWS_EVERY_S = 600.0


class Sweeper:
    """Looks at all live matches and rooms from time to time, and calls each of `others`."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._rows_at = 0.0
        self.others: list[Callable[[], Awaitable[None]]] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        failing = LastingTrouble(log, "the lobby cannot be swept, trying again", Error)
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                await self.sweep()
                for sweep in self.others:
                    await sweep()
                failing.is_over()
            except Exception as why:
                failing.begins(why)

    async def sweep(self) -> None:
        lobby = self._lobby
        for live in lobby.referee.hub.running():
            await end_if_idle(lobby.referee, live)
        lobby.forget_ended()
        now = asyncio.get_running_loop().time()
        for code, room in list(lobby.rooms.items()):
            async with lobby.opening:  # it may have been opened again; not while it closes
                if lobby.rooms.get(code) is room and is_done(room) and now - room.changed_at > ROOM_KEPT_S:
                    await self._let_go(room)
        if now >= self._rows_at:
            self._rows_at = now + ROWS_EVERY_S
            await room_rows.close_unused(set(lobby.rooms), lobby.referee.ledger.store.fence)

    async def _let_go(self, room: LiveRoom) -> None:
        """Close the room of a series that is over; one that has not begun waits in its row until its link expires."""
        self._lobby.forget(room)
        fence = self._lobby.referee.ledger.store.fence
        if room.over or room.begun:
            room.close()
            await room_rows.close(room.plan.room, fence)
        else:
            room.hold()
            await room_rows.used(room.plan.room, fence)


async def end_if_idle(referee: Referee, live: LiveMatch) -> None:
    """End the match if it has no clock, does not wait for people and nobody has moved for too long: see `parking`."""
    state = live.state
    end = expiry(state, live.events[-1].at)
    if end is None or state.to_move is None or datetime.now(UTC) <= end.at:
        return
    try:
        if end.termination == Termination.NO_START:
            await referee.abort(live, end.termination, "no first move within 60 s")
        else:
            await referee.leave(live, state.to_move, end.termination, "no move for 24 hours")
    except Refusal:
        log.debug("match %s moved on while it was called idle", live.id, extra=about(live.id))
