"""Who sits in the rooms of tests, and the steps of a series."""

from __future__ import annotations

from typing import Any

from arena.core.hub import LiveMatch
from arena.core.referee import Referee
from arena.match.series import Loser
from arena.match.state import SeatSetup
from arena.rooms.people import Person
from arena.rooms.plan import Plan
from arena.rooms.room import LiveRoom
from tests.kit.until import until

CONNECT_FOUR = "connect-four-7x6"


class Sitter:
    """Somebody who sits, is told, and does nothing."""

    def __init__(self, name: str, kind: Any = "bot") -> None:
        self.setup = SeatSetup(name, kind)
        self.ready = True
        self.breaks: str | None = None
        self.gone = False
        self.seats: list[tuple[int, int, int]] = []
        self.dismissed = 0

    def as_loser(self) -> Loser:
        return Loser("bot", is_there=not self.gone)

    async def prepare(self) -> None:
        if self.breaks is not None:
            raise OSError(self.breaks)

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        setup = live.state.setup
        self.seats.append((seat, setup.round, setup.rounds))

    def met(self, there: bool) -> None:
        """Nothing depends on it."""

    def dismiss(self) -> None:
        self.dismissed += 1


async def begun(referee: Referee, ada: Sitter | Person, bob: Sitter | Person, **plan: Any) -> LiveRoom:
    """A room in which the first round has begun."""
    room = LiveRoom(referee, Plan(CONNECT_FOUR, **plan))
    room.sit(ada)
    room.sit(bob)
    await room.begin()
    return room


async def resigned(room: LiveRoom, referee: Referee, seat: int) -> LiveMatch:
    """The seat gives up the running round."""
    live = room.live
    assert live is not None
    await referee.resign(live, seat)
    return live


async def next_round(room: LiveRoom, before: LiveMatch | None) -> LiveMatch:
    await until(lambda: room.live is not before and room.live is not None and room.live.state.phase != "opened")
    assert room.live is not None
    return room.live


def names(live: LiveMatch) -> list[str]:
    return [seat.name for seat in live.state.setup.seats]
