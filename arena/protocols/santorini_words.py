"""The common vocabulary of the Santorini 6×6 protocols in JSON: names, boards, squares and directions.

On the wire (0, 0) is the north-west, x grows to the east and y to the south; a direction is EastWest and NorthSouth. In
the rules `a1` is the south-west. Readers raise InvalidMove for values that are no answer, and IllegalMove for answers
that name no square or worker; both say what is expected. Everything else is judged by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

from games import IllegalMove
from games.santorini import SantoriniPosition

SIZE = 6
MOST_LETTERS = 20
NAME = re.compile(f"[a-z]{{1,{MOST_LETTERS}}}")

_EAST_WEST = {"WEST": -1, "PUT": 0, "EAST": 1}
_NORTH_SOUTH = {"NORTH": -1, "PUT": 0, "SOUTH": 1}
_NAMES_X = {step: word for word, step in _EAST_WEST.items()}
_NAMES_Y = {step: word for word, step in _NORTH_SOUTH.items()}

Names = tuple[str, str]


class Values(NamedTuple):
    """How a protocol reads and writes places and turns. `shapes` are what they look like, by what is said to be
    expected. Readers raise InvalidMove or IllegalMove; a turn names its player.
    """

    shapes: Mapping[str, tuple[str, ...]]
    read_place: Callable[[object], str]
    read_turn: Callable[[object, SantoriniPosition, str], str]
    write_place: Callable[[str], object]
    write_turn: Callable[[SantoriniPosition, str, str], object]


def name_of(text: str) -> str:
    """`text` as a name of this protocol: its letters in lower case."""
    return re.sub("[^a-z]", "", text.lower())[:MOST_LETTERS] or "player"


def other_than(name: str, text: str) -> str:
    """A name for an opponent called `text` that differs from `name`, because names tell the workers apart."""
    other = name_of(text)
    if other != name:
        return other
    stem = other[: MOST_LETTERS - 1]
    return f"{stem}a" if f"{stem}b" == name else f"{stem}b"


def board(position: SantoriniPosition, names: Names) -> list[list[int | str]]:
    """All rows from the north; a cell is a height, or `2max1` for the first worker of max on height 2."""
    cells: list[int | str] = list(position.heights)
    for index, cell in enumerate(position.workers):
        cells[cell] = f"{position.heights[cell]}{names[index % 2]}{index // 2 + 1}"
    return [cells[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)]


def turn(origin: tuple[int, int], step: tuple[int, int], builds: list[tuple[int, int]]) -> str:
    """The move from `origin` (x, y) by `step`, building at each of `builds`; offsets are to the east and the south."""
    (x, y), (east, south) = origin, step
    x, y = x + east, y + south
    target = square(x, y, "a step to a square")
    sites = [f"+{square(x + east, y + south, 'a build on a square')}" for east, south in builds]
    return f"{square(*origin)}-{target}{''.join(sites)}"


def ways(position: SantoriniPosition, move: str) -> tuple[int, list[tuple[str, str]]]:
    """The worker that takes this turn, 1 or 2, and the directions of its step and of its build, if there is one."""
    squares = [place_of(name) for name in re.split("[-+]", move)]
    number = 1 if worker(position, 1) == squares[0] else 2
    return number, [(_NAMES_X[x - at], _NAMES_Y[y - down]) for (at, down), (x, y) in pairwise(squares)]


def worker(position: SantoriniPosition, number: int) -> tuple[int, int]:
    """Where worker 1 or 2 of the side to move stands, as (x, y)."""
    y, x = divmod(position.workers[position.ply % 2 + 2 * (number - 1)], SIZE)
    return x, y


def direction(east_west: object, north_south: object) -> tuple[int, int] | None:
    """The offsets to the east and the south; None if these words name no direction."""
    if not isinstance(east_west, str) or not isinstance(north_south, str):
        return None
    if east_west not in _EAST_WEST or north_south not in _NORTH_SOUTH:
        return None
    return _EAST_WEST[east_west], _NORTH_SOUTH[north_south]


def place_of(name: str) -> tuple[int, int]:
    """The square as (x, y): the inverse of `square`."""
    return ord(name[0]) - ord("a"), SIZE - int(name[1:])


def with_places(sentence: str) -> str:
    """The sentence with each square of the rules as `(x 2, y 3)`."""
    return re.sub(rf"\b[a-f][1-{SIZE}]\b", lambda found: "(x {}, y {})".format(*place_of(found[0])), sentence)


def square(x: int, y: int, what: str = "a square") -> str:
    """The name of this square in the rules. Raises IllegalMove for one off the board, which says `what` is expected."""
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        raise IllegalMove(f"{what} of the board: x and y from 0 to {SIZE - 1}")
    return f"{chr(ord('a') + x)}{SIZE - y}"
