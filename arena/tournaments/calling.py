"""A room for a pairing whose players come by themselves: places kept for them, our players seated at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.bots.seats.choices import SideChoice
from arena.bots.seats.room_maker import RoomMaker
from arena.models import Entry
from arena.rooms.room import LiveRoom
from arena.tournaments import players


def choice(entry: Entry) -> SideChoice:
    """For whom a side is kept. The caller seats our players before anybody else can sit down."""
    if players.is_local(entry):
        return SideChoice("anyone")
    if entry.kind == Entry.Kind.PERSON:
        return SideChoice("me", player=entry.player_id)
    assert entry.player is not None, "a bot has a player"
    ours = entry.player.bot.command is not None
    return SideChoice("command" if ours else "bot", player=entry.player_id)


async def open_room(
    room_maker: RoomMaker, columns: Mapping[str, Any], both: tuple[Entry, Entry], plan: Mapping[str, Any]
) -> LiveRoom:
    """Open the room. Raises Refusal if that is impossible, because a bot is disabled or its place cannot be kept."""
    first, second = both
    return await room_maker.open_room(columns, (choice(first), choice(second)), None, plan=plan)
