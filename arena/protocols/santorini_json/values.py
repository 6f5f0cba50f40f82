"""What the values of `santorini-json` (004) mean: names, boards, places and turns, from and to the words of the rules.

On the wire (0, 0) is the north-west, x grows to the east and y to the south; a direction is [EastWest, NorthSouth].
In the rules `a1` is the south-west. Readers raise InvalidMove for what is no answer at all and IllegalMove for what no
square or worker can be named for; both say what is expected. All else is for the rules to judge.
"""

from __future__ import annotations

import re

from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition

SIZE = 6
NAME = re.compile("[a-z]{1,20}")

# One letter less than a name may have: room for the one that tells two equal names apart.
_LETTERS = 19
_EAST_WEST = {"WEST": -1, "PUT": 0, "EAST": 1}
_NORTH_SOUTH = {"NORTH": -1, "PUT": 0, "SOUTH": 1}

_EXPECTED_PLACE = '["place", x, y] with whole numbers x and y'
_EXPECTED_TURN = (
    '[["move", {"player": name, "id": 1 or 2}, [EastWest, NorthSouth]], ["build", [EastWest, NorthSouth]]], '
    "without the build for a winning move"
)

Names = tuple[str, str]


def name_of(text: str) -> str:
    """`text` as a name of this protocol: its letters, lower-cased."""
    return re.sub("[^a-z]", "", text.lower())[:_LETTERS] or "player"


def other_than(name: str, text: str) -> str:
    """The name of an opponent called `text`: workers are known by it, so it is never the same."""
    other = name_of(text)
    return f"{other}b" if other == name else other


def places(position: SantoriniPosition, names: Names) -> list[dict[str, object]]:
    """The workers so far in the order of placing; `names` are of seat 0 and seat 1."""
    return [
        {"player": names[index % 2], "x": cell % SIZE, "y": cell // SIZE} for index, cell in enumerate(position.workers)
    ]


def board(position: SantoriniPosition, names: Names) -> list[list[int | str]]:
    """All rows from the north: a height, or `2max1` for the first worker of max on height 2."""
    cells: list[int | str] = list(position.heights)
    for index, cell in enumerate(position.workers):
        cells[cell] = f"{position.heights[cell]}{names[index % 2]}{index // 2 + 1}"
    return [cells[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)]


def read_place(value: object) -> str:
    """The move that places a worker."""
    match value:
        case ["place", x, y] if type(x) is int and type(y) is int:
            return _square(x, y)
    raise InvalidMove(_EXPECTED_PLACE)


def read_turn(value: object, position: SantoriniPosition, name: str) -> str:
    """The move of a turn that the player called `name` takes."""
    match value:
        case [["move", {"player": str() as player, "id": number, **rest}, step], *builds] if (
            type(number) is int and not rest and len(builds) <= 1
        ):
            if player != name:
                raise IllegalMove(f'a worker of your own: "player" is {name}')
            return _turn(_worker(position, number), _direction(step), [_build(build) for build in builds])
    raise InvalidMove(_EXPECTED_TURN)


def _turn(origin: tuple[int, int], step: tuple[int, int], builds: list[tuple[int, int]]) -> str:
    (x, y), (east, south) = origin, step
    x, y = x + east, y + south
    sites = [f"+{_square(x + east, y + south)}" for east, south in builds]
    return f"{_square(*origin)}-{_square(x, y)}{''.join(sites)}"


def _worker(position: SantoriniPosition, number: int) -> tuple[int, int]:
    """Where worker 1 or 2 of the side to move stands, as x and y."""
    if number not in (1, 2):
        raise IllegalMove('a worker of your own: "id" is 1 or 2, in the order of placing')
    y, x = divmod(position.workers[position.ply % 2 + 2 * (number - 1)], SIZE)
    return x, y


def _build(value: object) -> tuple[int, int]:
    match value:
        case ["build", direction]:
            return _direction(direction)
    raise InvalidMove(_EXPECTED_TURN)


def _direction(value: object) -> tuple[int, int]:
    match value:
        case [str() as east_west, str() as north_south] if east_west in _EAST_WEST and north_south in _NORTH_SOUTH:
            return _EAST_WEST[east_west], _NORTH_SOUTH[north_south]
    raise InvalidMove(_EXPECTED_TURN)


def _square(x: int, y: int) -> str:
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        raise IllegalMove(f"a square of the board: x and y from 0 to {SIZE - 1}")
    return f"{chr(ord('a') + x)}{SIZE - y}"
