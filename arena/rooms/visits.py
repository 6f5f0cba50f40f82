"""Pages of rooms open: a player who waits there is back."""

from __future__ import annotations

import time
from contextlib import suppress

from arena.match.commands import Refusal
from arena.models import Player
from arena.rooms import room_rows
from arena.rooms.lobby import BACK_S, Lobby
from arena.rooms.people import seat_of_player
from arena.rooms.reservation import may_sit


async def arrive(lobby: Lobby, code: str, player: int | None, address: str) -> None:
    """A page of this player shows the room of this code (capitals): its opener sits there again."""
    lobby.pages.asked(code, player)
    answer = lobby.challenges.answer_in(code, player)
    if answer is not None and answer.said == "accepted":
        lobby.challenges.take_note(code, player)
    if code not in lobby.rooms and player is not None and await room_rows.waits_for(code, player):
        with suppress(Refusal):  # the page says that nobody sits there
            await lobby.find(code, address)
    if (room := lobby.rooms.get(code)) is not None:
        room.look()


async def ask(lobby: Lobby, code: str, player: int | None, address: str, sat: int | None = None) -> None:
    """A page of this player asks how the room stands, as it also does where no websocket gets through: they are here.
    Who `sat` on this side, as the page shows, still sits there after a restart.

    Nobody is told of one who was here already, or every page that is told would ask again, and for ever.
    """
    if sat is not None and player is not None and time.monotonic() - lobby.began < BACK_S:
        await _sit_again(lobby, code, player, address, sat)
    if lobby.pages.is_here(code, player):
        lobby.pages.asked(code, player)
    else:
        await arrive(lobby, code, player, address)


async def _sit_again(lobby: Lobby, code: str, player: int, address: str, side: int) -> None:
    found = await Player.objects.filter(pk=player).afirst()
    with suppress(Refusal):
        room = await lobby.find(code, address)
        if room is None or found is None or room.begun:
            return
        setup = seat_of_player(found)
        # Whoever sits there by now is shown: nobody who only looks moves to the other side.
        if room.sides[side] is None and may_sit(room.plan.places[side], setup):
            lobby.sit_down(room, setup, side)
