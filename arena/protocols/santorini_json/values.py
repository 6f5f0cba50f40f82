"""The values of `santorini-json` (004): converts places and turns from and to the notation of the rules."""

from __future__ import annotations

from arena.protocols.santorini_words import SIZE, Names, Values, direction, place_of, square, turn, ways, worker
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition

_EXPECTED_PLACE = '["place", x, y] with whole numbers x and y'
_EXPECTED_TURN = (
    '[["move", {"player": name, "id": 1 or 2}, [EastWest, NorthSouth]], ["build", [EastWest, NorthSouth]]], '
    "without the build for a winning move"
)
_MOVE = '[ "move" , { %s } , [ EASTWEST , NORTHSOUTH ] ]'
_BUILD = '[ "build" , [ EASTWEST , NORTHSOUTH ] ]'
_WORKERS = ('"player" : TEXT , "id" : NUMBER', '"id" : NUMBER , "player" : TEXT')
_SHAPES = {
    _EXPECTED_PLACE: ('[ "place" , NUMBER , NUMBER ]',),
    _EXPECTED_TURN: tuple(f"[ {_MOVE % worker} {rest} ]" for worker in _WORKERS for rest in ("", f", {_BUILD}")),
}


def places(position: SantoriniPosition, names: Names) -> list[dict[str, object]]:
    """The workers so far, in the order of placing; `names` are those of seats 0 and 1."""
    return [
        {"player": names[index % 2], "x": cell % SIZE, "y": cell // SIZE} for index, cell in enumerate(position.workers)
    ]


def read_place(value: object) -> str:
    """The move that places a worker. Raises InvalidMove or IllegalMove."""
    match value:
        case ["place", x, y] if type(x) is int and type(y) is int:
            return square(x, y)
    raise InvalidMove(_EXPECTED_PLACE)


def read_turn(value: object, position: SantoriniPosition, name: str) -> str:
    """The move for a turn of the player called `name`. Raises InvalidMove or IllegalMove."""
    match value:
        case [["move", {"player": str() as player, "id": number, **rest}, step], *builds] if (
            type(number) is int and not rest and len(builds) <= 1
        ):
            if player != name:
                raise IllegalMove(f'a worker of your own: "player" is {name}')
            if number not in (1, 2):
                raise IllegalMove('a worker of your own: "id" is 1 or 2, in the order of placing')
            return turn(worker(position, number), _way(step), [_build(build) for build in builds])
    raise InvalidMove(_EXPECTED_TURN)


def write_place(move: str) -> object:
    """The value that a bot sends for this move."""
    return ["place", *place_of(move)]


def write_turn(position: SantoriniPosition, move: str, name: str) -> object:
    """The value that the player called `name` sends for this move."""
    number, (step, *builds) = ways(position, move)
    return [["move", {"player": name, "id": number}, step], *(["build", way] for way in builds)]


def _build(value: object) -> tuple[int, int]:
    match value:
        case ["build", way]:
            return _way(way)
    raise InvalidMove(_EXPECTED_TURN)


def _way(value: object) -> tuple[int, int]:
    match value:
        case [east_west, north_south] if way := direction(east_west, north_south):
            return way
    raise InvalidMove(_EXPECTED_TURN)


VALUES = Values(_SHAPES, read_place, read_turn, write_place, write_turn)
