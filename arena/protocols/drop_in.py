"""The output of a protocol's original runner: the base class for the `runner.py` in a protocol's folder.

Such a module defines one `Output` subclass, with which `manage.py runner <slug>` prints a match.
"""

from __future__ import annotations

from games.named import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, ClassVar

    from games import Position


class End(NamedTuple):
    """The end of a match. `seat` is the one to blame, `data` the data of the logged event, `reply` the unreadable
    line or the one that a program was writing when it ended, `line_end` the end of its last whole answer.
    """

    position: Position
    winner: int | None
    termination: str
    seat: int | None
    data: Mapping[str, Any]
    reply: str = ""
    line_end: str = "\n"


class Output:
    """The lines to print for each event of a match."""

    variant: ClassVar[str]
    # The protocol's names for the two players.
    players: ClassVar[tuple[str, str]] = ("player0", "player1")
    # Whether boards are only printed with -v.
    may_be_quiet: ClassVar[bool] = False
    # Whether the programs' standard error is that of the runner.
    shows_stderr: ClassVar[bool] = False
    # The line that asks a person at the runner's terminal, who plays where a bot has the name `human`, if any may.
    asks_human: ClassVar[str] = ""

    def __init__(self, verbose: bool, people: Collection[int] = ()) -> None:
        """`people` are the seats of persons: they are told by the runner's own output."""
        self.verbose, self.people = verbose, people

    def started(self) -> list[str]:
        """The match begins."""
        return []

    def asks(self, seat: int) -> list[str]:
        """The turn of this seat begins."""
        return []

    def moved(self, seat: int, move: str, position: Position, line_end: str) -> list[str]:
        """A move was logged, with the `position` after it. `line_end` is "" if a program's last line had none."""
        return []

    def sent(self, position: Position) -> list[str]:
        """Something was sent to a bot."""
        return []

    def result(self, end: End) -> list[str]:
        """The match is over and has a result."""
        return []


def rows(position: Position, signs: str) -> list[str]:
    """A Connect Four board from the top, with these signs for empty, first player and second player."""
    size, places = str(position).split(" ")
    columns = int(size.split("x")[0])
    places = places.translate(str.maketrans(".xo", signs))
    return [places[start : start + columns] for start in range(0, len(places), columns)]


def spaced(places: str) -> str:
    """`places` with a blank after every one, including the last."""
    return "".join(f"{place} " for place in places)
