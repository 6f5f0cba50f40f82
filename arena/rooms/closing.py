"""Closing a room for good, before or between its matches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from arena.rooms import room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.room import LiveRoom


async def close(lobby: Lobby, room: LiveRoom, record: Callable[[], Awaitable[None]] | None = None) -> None:
    """Whoever waits there is told, and its link leads nowhere any more. `record` stores why, for pages that ask once
    the row says that it is closed.
    """
    lobby.forget(room)
    room.close()
    lobby.challenges.closed(room.plan.code.upper())
    if record is not None:
        await record()
    await room_rows.close(room.plan.room, lobby.referee.ledger.store.fence)
    lobby.updates.publish(room.plan.code.upper())  # a page that asked before the row was written asks again
