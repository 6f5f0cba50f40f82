"""The values of `santorini-course`: converts places and turns from and to the notation of the rules."""

from __future__ import annotations

from arena.protocols.santorini_words import SIZE, Names, Values, direction, place_of, square, turn, ways, worker
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition

_EXPECTED_PLACE = "[x, y] with whole numbers x and y"
_EXPECTED_TURN = "[worker, EastWest, NorthSouth, EastWest, NorthSouth], without the last two for a winning move"
_WAY = ", EASTWEST , NORTHSOUTH"
_SHAPES = {
    _EXPECTED_PLACE: ("[ NUMBER , NUMBER ]",),
    _EXPECTED_TURN: (f"[ TEXT {_WAY} ]", f"[ TEXT {_WAY} {_WAY} ]"),
}


def places(position: SantoriniPosition, names: Names) -> list[list[object]]:
    """The workers so far, in the order of placing; `names` are those of seats 0 and 1."""
    return [
        [f"{names[index % 2]}{index // 2 + 1}", cell % SIZE, cell // SIZE]
        for index, cell in enumerate(position.workers)
    ]


def read_place(value: object) -> str:
    """The move that places a worker. Raises InvalidMove or IllegalMove."""
    match value:
        case [x, y] if type(x) is int and type(y) is int:
            return square(x, y)
    raise InvalidMove(_EXPECTED_PLACE)


def read_turn(value: object, position: SantoriniPosition, name: str) -> str:
    """The move for a turn of the player called `name`. Raises InvalidMove or IllegalMove.

    Known clients name their worker by its number alone, which their own servers understand. Others send a build with
    every step, and most servers of the course do not look at one after a winning step: it is dropped.
    """
    match value:
        case [str() as mover, east_west, north_south, *rest] if len(rest) in (0, 2) and (
            step := direction(east_west, north_south)
        ):
            if mover not in (f"{name}1", f"{name}2", "1", "2"):
                raise IllegalMove(f'a worker of your own: "{name}1" or "{name}2"')
            origin = worker(position, int(mover[-1]))
            # A step alone is legal only if it wins.
            if (alone := turn(origin, step, [])) in position.legal_moves():
                return alone
            return turn(origin, step, _builds(rest))
    raise InvalidMove(_EXPECTED_TURN)


def write_place(move: str) -> object:
    """The value that a bot sends for this move."""
    return list(place_of(move))


def write_turn(position: SantoriniPosition, move: str, name: str) -> object:
    """The value that the player called `name` sends for this move."""
    number, directions = ways(position, move)
    return [f"{name}{number}", *(word for way in directions for word in way)]


def _builds(words: list[object]) -> list[tuple[int, int]]:
    match words:
        case []:
            return []
        case [east_west, north_south] if way := direction(east_west, north_south):
            return [way]
    raise InvalidMove(_EXPECTED_TURN)


VALUES = Values(_SHAPES, read_place, read_turn, write_place, write_turn)
