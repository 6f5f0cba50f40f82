"""Challenges and their answers, as far as they reach rooms and rows."""

from __future__ import annotations

from django.db.models import Q

from arena.match.commands import Refusal
from arena.match.said import said
from arena.models import Mute, Player
from arena.rooms import closing
from arena.rooms.challenges import OpenChallenge
from arena.rooms.lobby import Lobby
from arena.rooms.room import LiveRoom


async def check(lobby: Lobby, by: Player, whom: Player) -> None:
    """Raises Refusal if this player may not challenge that one now."""
    if by.pk == whom.pk:
        raise Refusal("not_allowed", "You cannot challenge yourself. Two at one screen begin on the first page.")
    if whom.prefs.get("challenges") == "off" or await Mute.objects.filter(by=whom, whom=by).aexists():
        raise Refusal("not_wanted", said("{name} takes no challenges. Nothing was sent.", name=whom.name))
    lobby.challenges.check(by.pk, whom)


async def room_of(lobby: Lobby, challenge: OpenChallenge, address: str = "") -> LiveRoom:
    """The room of a challenge that is being accepted. Raises Refusal."""
    room = await lobby.find(challenge.code, address)
    if room is None:
        raise Refusal("no_room", "This room is gone. Create another one.")
    await lobby.challenges.taken(challenge)
    return room


async def decline(lobby: Lobby, challenge: OpenChallenge) -> None:
    """The player who was asked declines: the room closes."""
    lobby.challenges.decline(challenge)
    await _close(lobby, challenge)


async def withdraw(lobby: Lobby, challenge: OpenChallenge) -> None:
    """The challenger takes the challenge back: the room closes."""
    lobby.challenges.withdraw(challenge)
    await _close(lobby, challenge)


async def mute(lobby: Lobby, challenge: OpenChallenge) -> None:
    """The player who was asked wants to hear nothing more from the challenger, and declines all their challenges."""
    if not await Mute.objects.filter(Q(by=challenge.whom) & Q(whom=challenge.by)).aexists():
        await Mute.objects.acreate(by_id=challenge.whom, whom_id=challenge.by)
    await decline(lobby, challenge)


async def _close(lobby: Lobby, challenge: OpenChallenge) -> None:
    room = lobby.rooms.get(challenge.code.upper())
    if room is not None and not (room.begun or room.playing):
        await closing.close(lobby, room)
