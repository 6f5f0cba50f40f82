"""Pages of rooms open: a player who waits there is back."""

from __future__ import annotations

from contextlib import suppress

from arena.match.commands import Refusal
from arena.rooms import room_rows
from arena.rooms.lobby import Lobby


async def arrive(lobby: Lobby, code: str, player: int | None, address: str) -> None:
    """A page of this player shows the room with this code (in capitals): the player who opened the room sits there
    again.
    """
    lobby.pages.asked(code, player)
    answer = lobby.challenges.answer_in(code, player)
    if answer is not None and answer.said == "accepted":
        lobby.challenges.take_note(code, player)
    if code not in lobby.rooms and player is not None and await room_rows.waits_for(code, player):
        with suppress(Refusal):  # the page says that nobody sits there
            await lobby.find(code, address)
    if (room := lobby.rooms.get(code)) is not None:
        room.look()


async def ask(lobby: Lobby, code: str, player: int | None, address: str) -> None:
    """A page of this player asks how the room stands, as it also does where no websocket gets through: they are here.

    Nobody is told of one who was here already, or every page that is told would ask again, and for ever.
    """
    if lobby.pages.is_here(code, player):
        lobby.pages.asked(code, player)
    else:
        await arrive(lobby, code, player, address)
