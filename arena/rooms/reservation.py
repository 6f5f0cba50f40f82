"""The sides of a room: for whom each is kept, who may take it, and what has become of it: the one rule for doors, seat
ports and pages. A place is a row of `Place`, None for a side that is kept for nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Generic, TypeVar

from arena.match.commands import Refusal
from arena.match.said import said
from arena.match.state import SeatSetup
from arena.models import Place
from arena.protocols import facts_of

Kept = tuple[Place | None, Place | None]
FREE: Kept = (None, None)

# Follows the name of a bot that came from the network and has proven nothing: it cannot pose as a registered one.
UNVERIFIED = " (unverified)"

_WAITS_FOR = {
    Place.Kind.ME: said("who opened the room"),
    Place.Kind.BUILTIN: said("a built-in player"),
    Place.Kind.BOT: said("one registered bot"),
    Place.Kind.COMMAND: said("a bot that this server runs"),
}


class SideState(Enum):
    KEPT = auto()  # for the player that its place names
    OFFERED = auto()  # a bot may come to its address, which is open
    TAKEN = auto()
    AWAY = auto()  # the occupant's connection is gone, and may come back for a while
    GIVEN_UP = auto()  # its return is no longer awaited
    CLOSED = auto()  # the series is over


class SideEvent(Enum):
    OFFER = auto()
    WITHDRAW = auto()
    TAKE = auto()
    LOSE = auto()
    GIVE_UP = auto()
    LEAVE = auto()
    CLOSE = auto()


# Whatever is not listed here changes nothing.
TRANSITIONS = {
    (SideState.KEPT, SideEvent.OFFER): SideState.OFFERED,
    (SideState.KEPT, SideEvent.TAKE): SideState.TAKEN,
    (SideState.OFFERED, SideEvent.WITHDRAW): SideState.KEPT,
    (SideState.OFFERED, SideEvent.TAKE): SideState.TAKEN,
    (SideState.TAKEN, SideEvent.LOSE): SideState.AWAY,
    (SideState.TAKEN, SideEvent.GIVE_UP): SideState.GIVEN_UP,
    (SideState.TAKEN, SideEvent.LEAVE): SideState.KEPT,
    (SideState.AWAY, SideEvent.TAKE): SideState.TAKEN,
    (SideState.AWAY, SideEvent.GIVE_UP): SideState.GIVEN_UP,
    (SideState.AWAY, SideEvent.LEAVE): SideState.KEPT,
    (SideState.GIVEN_UP, SideEvent.LEAVE): SideState.KEPT,
    (SideState.GIVEN_UP, SideEvent.LOSE): SideState.AWAY,  # its match goes on, and waits for it
    **{(state, SideEvent.CLOSE): SideState.CLOSED for state in SideState},
}

# The player who sits there.
Sits = TypeVar("Sits")


class Reservation(Generic[Sits]):
    """One side of a live room. `occupant` has it while away, too; `on_leave` tells that it has left for good."""

    __slots__ = ("_giving_up", "occupant", "on_leave", "state")

    def __init__(self) -> None:
        self.state = SideState.KEPT
        self.occupant: Sits | None = None
        self.on_leave: Callable[[], None] = _untold
        self._giving_up: asyncio.TimerHandle | None = None

    def offer(self) -> None:
        """The side's address is open."""
        self._happens(SideEvent.OFFER)

    def withdraw(self) -> None:
        """The side's address is closed."""
        self._happens(SideEvent.WITHDRAW)

    def take(self, occupant: Sits) -> None:
        """Seat this player."""
        self._cancel()
        self.occupant = occupant
        self._happens(SideEvent.TAKE)

    def lose(self) -> None:
        """The connection is gone, and may come back."""
        self._happens(SideEvent.LOSE)

    def give_up_after(self, seconds: float, call: Callable[[], None]) -> None:
        """Wait this long for the return, then give up and `call`."""
        self._cancel()
        self._giving_up = asyncio.get_running_loop().call_later(seconds, self._give_up, call)

    def leave(self) -> None:
        """The occupant has left."""
        self.occupant = None
        self._happens(SideEvent.LEAVE)
        self.on_leave()

    def close(self) -> None:
        """The series is over; the occupant is still known."""
        self._happens(SideEvent.CLOSE)

    def hold(self) -> None:
        """The host is going down: nobody is given up any more."""
        self._cancel()

    def _give_up(self, call: Callable[[], None]) -> None:
        self._happens(SideEvent.GIVE_UP)
        call()

    def _happens(self, event: SideEvent) -> None:
        before, self.state = self.state, TRANSITIONS.get((self.state, event), self.state)
        if self.state is not before:
            self._cancel()

    def _cancel(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None


def _untold() -> None:
    """Nobody offers the side to others."""


def bare(name: str) -> str:
    """The name as its bot says it, which is what is sent to other bots."""
    return name.removesuffix(UNVERIFIED)


def is_run_here(place: Place | None) -> bool:
    """Whether this server starts the bot for which the side is kept."""
    return place is not None and place.kind == Place.Kind.COMMAND


def is_open(place: Place | None) -> bool:
    """Whether the side is open to anybody."""
    return place is None or place.kind == Place.Kind.ANYONE


def may_sit(place: Place | None, who: SeatSetup) -> bool:
    """Whether `who` may take the side that is kept so. A socket's side is for a bot that shows its token or comes in at
    its port (both are `holder`) and, where bots name their room, for one that names it: there the code is what its
    author was told.
    """
    if place is None or place.kind == Place.Kind.ANYONE:
        return True
    if place.kind == Place.Kind.ME:
        return who.kind == "human" and who.player == place.player_id
    if place.kind == Place.Kind.BUILTIN:
        return who.kind == "builtin"
    if place.kind in (Place.Kind.BOT, Place.Kind.COMMAND):
        return who.kind == "bot" and who.verified and who.player == place.player_id
    same = who.kind == "bot" and who.protocol == place.protocol
    return same and (facts_of(place.protocol).joins or (bool(who.holder) and who.holder == place.token_sha256))


def refusal_for(place: Place | None, who: SeatSetup) -> Refusal | None:
    """Why `who` may not take the side that is kept so; None if it may."""
    if place is None or may_sit(place, who):
        return None
    kind = Place.Kind(place.kind)
    waits_for = _WAITS_FOR.get(kind) or said(
        "a bot that speaks {protocol} and shows the token of this seat", protocol=place.protocol
    )
    return Refusal("place_kept", said("This seat is kept for {waits_for}. You can watch.", waits_for=waits_for))


def side_for(kept: Kept, taken: Sequence[object | None], who: SeatSetup) -> int | None:
    """The side for `who`: one that is kept for it, else one that is open to anybody, else None."""
    free = [side for side in (0, 1) if taken[side] is None and may_sit(kept[side], who)]
    return min(free, key=lambda side: (is_open(kept[side]), side), default=None)


def why_no_side(kept: Kept, taken: Sequence[object | None], who: SeatSetup) -> Refusal:
    """The explanation for somebody for whom there is no side."""
    for side in (0, 1):
        refusal = None if taken[side] is not None else refusal_for(kept[side], who)
        if refusal is not None:
            return refusal
    return Refusal("room_is_full", "Both seats are taken. You can watch.")


def is_back(before: SeatSetup, bot: SeatSetup) -> bool:
    """Whether `bot` is the one that had the seat before. A registered bot is recognised by its proof, any other bot by
    showing again what it showed for the seat: one that showed nothing cannot be recognised.
    """
    if before.protocol != bot.protocol:
        return False
    if before.player is not None or bot.player is not None:
        return before.player == bot.player and bot.verified
    return bool(before.holder) and before.holder == bot.holder
