"""What the original runner of a protocol printed: the vocabulary of `runner.py` in the folder of one that had any.

Such a module defines one `Output`, and `manage.py runner <slug>` prints a match with it.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from games import Position


class End(NamedTuple):
    """How a match ended. `seat` is who was to blame, `data` what the log says of it."""

    position: Position
    winner: int | None
    termination: str
    seat: int | None
    data: Mapping[str, Any]


class Output:
    """The lines that were printed, when something happens in a match."""

    variant: ClassVar[str]
    # What the protocol calls the two players.
    players: ClassVar[tuple[str, str]] = ("player0", "player1")
    # Whether boards are printed only when they are asked for, with -v.
    may_be_quiet: ClassVar[bool] = False

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose

    def asks(self, seat: int) -> list[str]:
        """The turn of this seat begins."""
        return []

    def moved(self, seat: int, move: str, position: Position) -> list[str]:
        """A move is in the log; `position` is the one after it."""
        return []

    def sent(self, position: Position) -> list[str]:
        """Something was written to a bot."""
        return []

    def result(self, end: End) -> list[str]:
        """The match is over and has a result."""
        return []


def rows(position: Position, signs: str) -> list[str]:
    """A board of Connect Four from the top, with these signs for empty, first and second."""
    size, places = str(position).split(" ")
    columns = int(size.split("x")[0])
    places = places.translate(str.maketrans(".xo", signs))
    return [places[start : start + columns] for start in range(0, len(places), columns)]


def spaced(places: str) -> str:
    """A blank behind every place, behind the last one as well."""
    return "".join(f"{place} " for place in places)
