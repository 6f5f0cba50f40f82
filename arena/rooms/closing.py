"""Closing a room for good, before or between its matches."""

from __future__ import annotations

from arena.rooms import room_rows
from arena.rooms.lobby import Lobby
from arena.rooms.room import LiveRoom


async def close(lobby: Lobby, room: LiveRoom) -> None:
    """Whoever waits there is told, and its link leads nowhere any more."""
    lobby.forget(room)
    room.close()
    lobby.challenges.closed(room.plan.code.upper())
    await room_rows.close(room.plan.room, lobby.referee.ledger.store.fence)
    lobby.updates.publish(room.plan.code.upper())  # a page that asked before the row was written asks again
