"""Which room a bot at a door gets: the one where it is awaited, that of a waiting opponent, or a new one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.state import SeatSetup
from arena.models import Place
from arena.rooms.lobby import Lobby
from arena.rooms.plan import Occupant
from arena.rooms.reservation import bare, may_sit
from arena.rooms.room import LiveRoom
from arena.rooms.room_facts import is_awaited


class MayReturn(Occupant, Protocol):
    """A bot whose connection may be gone: its next one takes over."""

    def succeeded_by(self, occupant: Any) -> None: ...


class Matchmaker:
    """Finds rooms for the bots of one lobby."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._meeting = asyncio.Lock()

    def expected(self, bot: SeatSetup) -> LiveRoom | None:
        """The room where this registered bot is awaited: its match or a kept side; in an event only the latter."""
        for room in self._lobby.rooms.values():
            if room.over:
                continue
            for side, place in enumerate(room.plan.places):
                kept = place is not None and place.kind == Place.Kind.BOT and may_sit(place, bot)
                kept = kept and (room.plan.pairing is not None or not self._lobby.reserved(bot))
                if is_awaited(room, side, bot) or (kept and room.sides[side] is None):
                    return room
        return None

    async def meet(
        self,
        bot: Occupant,
        variants: Sequence[str],
        fields: dict[str, Any],
        address: str = "",
        check: Callable[[], None] = lambda: None,
    ) -> LiveRoom:
        """Seat a bot that names no room: on the seat that it had, else opposite a bot that came to a door before it,
        else in a new room. `check()` raises Refusal if it has got a seat meanwhile. Raises Refusal.
        """
        async with self._meeting:  # two that arrive at once must meet, not open a room each
            waiting = None if self._lobby.reserved(bot.setup) else self._waiting_for(bot.setup, variants)
            room = waiting or await self._lobby.open_new(fields, offered=True, address=address)
            if not bot.ready:
                raise Refusal("gone", said("{name} has gone before a seat was found.", name=bot.setup.name))
            check()
            seat_bot(room, bot)
            return room

    def challenge(self, bot: Occupant, player: str) -> LiveRoom:
        """Seat a bot opposite the player of this name, or on its seat after the same challenge. Raises Refusal."""
        if (room := self._room_it_had(bot.setup)) is not None:
            seat_bot(room, bot)
            return room
        for room in self._lobby.open_rooms():
            names = {bare(sitting.setup.name).upper() for sitting in room.sides if sitting is not None}
            if bare(player).upper() in names:
                seat_bot(room, bot)
                return room
        raise Refusal("not_waiting", said("{name} is not waiting for an opponent.", name=player[:40]))

    def _waiting_for(self, bot: SeatSetup, variants: Sequence[str]) -> LiveRoom | None:
        if (room := self._room_it_had(bot)) is not None:
            return room
        waiting = (room for room in self._lobby.open_rooms() if room.plan.offered and room.plan.variant in variants)
        return next(waiting, None)

    def _room_it_had(self, bot: SeatSetup) -> LiveRoom | None:
        """Where it is awaited. A private room is found by its code alone, unless a bot has proven its identity."""
        for room in self._lobby.rooms.values():
            hidden = room.plan.private and not bot.verified
            if not (room.over or hidden) and any(is_awaited(room, side, bot) for side in (0, 1)):
                return room
        return None


def seat_bot(room: LiveRoom, bot: Occupant) -> int:
    """The side for a bot: its own from before if it is back, else a free one. Raises Refusal."""
    for side in (0, 1):
        if is_awaited(room, side, bot.setup):
            take_over(room, side, bot)
            return side
    return room.sit(bot)


def take_over(room: LiveRoom, side: int, bot: Occupant) -> None:
    """The player who was away from this side is back as `bot`."""
    before = room.sides[side] if room.sides.is_away(side) else None
    room.replace(side, bot)
    if before is not None:
        cast(MayReturn, before).succeeded_by(bot)
    room.look()
