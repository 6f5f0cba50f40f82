"""The choices for a side of a room."""

from __future__ import annotations

from dataclasses import dataclass

from arena.match.clock import parse_clock
from arena.match.said import said
from arena.match.state import SeatSetup
from arena.models import Place
from arena.protocols import plays, protocol, protocols
from games.players import LEVELS


@dataclass(frozen=True, slots=True)
class SideChoice:
    """The choice for one side: a kind of `Place` and its details. `player`: a bot's, or whom `me` means."""

    kind: str
    level: str = ""
    protocol: str = ""
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Opener:
    """The person who opens or changes a room, as a player, and the address that the room counts towards."""

    setup: SeatSetup
    address: str = ""


def why_not(variant: str, clock: str, choice: SideChoice) -> str:
    """ "" if this can be chosen for that variant, else the reason in words. Does not query the database."""
    if choice.kind not in Place.Kind.values:
        return said(
            "Received {what}, expected one of {known}.", what=repr(choice.kind[:20]), known=", ".join(Place.Kind.values)
        )
    if choice.kind == Place.Kind.BUILTIN and choice.level not in LEVELS:
        return said(
            "Received the level {what}, expected {known}.", what=repr(choice.level[:20]), known=", ".join(LEVELS)
        )
    if choice.kind in (Place.Kind.BOT, Place.Kind.COMMAND) and choice.player is None:
        return said("Choose a bot.")
    if choice.kind != Place.Kind.SOCKET:
        return ""
    if choice.protocol not in protocols():
        return said(
            "Received the protocol {what}, expected {known}.",
            what=repr(choice.protocol[:20]),
            known=", ".join(protocols()),
        )
    if not plays(choice.protocol, variant):
        return said(
            "{name} plays {game} only.", name=choice.protocol, game=", ".join(protocol(choice.protocol).variants)
        )
    if parse_clock(clock).kind == "none" and parse_clock(protocol(choice.protocol).clock).kind != "none":
        return said("A bot on a socket needs a clock: it might never answer.")
    return ""
