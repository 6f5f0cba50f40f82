"""What is played in a room, and who sits there: a person, a bot's session, a built-in player, a child process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from arena.core.hub import LiveMatch
from arena.match.series import Loser, side_of
from arena.match.state import MatchKind, SeatSetup, Setup
from arena.rooms.reservation import FREE, Kept

BREAK_S = 5.0


class Occupant(Protocol):
    """A person or bot on a side of a room. `setup` says who it is, `ready` whether it can be asked for a move,
    `as_loser()` what the rule of the series asks about it after it has lost a round.
    """

    @property
    def setup(self) -> SeatSetup: ...

    @property
    def ready(self) -> bool: ...

    def as_loser(self) -> Loser: ...

    async def prepare(self) -> None:
        """Get ready for a round: a child process is started here. Raises OSError if it cannot be started."""

    def take_seat(self, live: LiveMatch, seat: int) -> None:
        """The match has been opened and this is your seat; follow it."""

    def met(self, there: bool) -> None:
        """Somebody has the other side, or nobody. Called at every change of the room."""

    def dismiss(self) -> None:
        """The room no longer needs you."""


class Terms(NamedTuple):
    """What a protocol has a usual value of."""

    clock: str
    rounds: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played in a room, and for whom its sides are kept. `room` is its row's number, None outside the database.

    `offered`: players who come to a door without naming a room may be seated here. `pairing` is a tournament's.
    `opening` are the moves with which every match begins, separated by blanks. `opened_by`: the address that it counts
    for, "" for none. `offers`: its players may ask for a takeback and offer a draw. `kind` is that of its matches.
    `adjudicate`: the number of moves after which a proved result ends them.
    """

    variant: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    clock: str = "none"
    rounds: int = 1
    pace_ms: int = 0
    rated: bool = False
    private: bool = False
    code: str = ""
    room: int | None = None
    series: int = 1
    first_round: int = 1
    break_s: float = BREAK_S
    offered: bool = False
    pairing: int | None = None
    opening: str = ""
    places: Kept = FREE
    opened_by: str = ""
    offers: bool = False
    kind: MatchKind = ""
    adjudicate: int = 0

    def setup(self, round: int, sides: Sequence[Occupant]) -> Setup:
        """The match of this round between the players on the sides."""
        first = side_of(0, round)
        return Setup(
            variant=self.variant,
            seats=(sides[first].setup, sides[1 - first].setup),
            settings=self.settings,
            clock=self.clock,
            rated=self.rated,
            room=self.room,
            series=self.series,
            round=round,
            rounds=self.rounds,
            pace_ms=self.pace_ms,
            opening=self.opening,
            pairing=self.pairing,
            offers=self.offers,
            kind=self.kind,
            adjudicate=self.adjudicate,
        )
