"""Every move of every position goes over the wire and back; what is no move is refused in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import games
from arena.protocols.santorini_json.values import places, read_place, read_turn
from arena.protocols.santorini_words import board
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition
from tests.protocols.fuzzing import positions

NAMES = ("max", "anna")
EAST_WEST = {-1: "WEST", 0: "PUT", 1: "EAST"}
NORTH_SOUTH = {-1: "NORTH", 0: "PUT", 1: "SOUTH"}


def square(name: str) -> tuple[int, int]:
    return "abcdef".index(name[0]), "654321".index(name[1])


def direction(origin: str, target: str) -> list[str]:
    (x, y), (to_x, to_y) = square(origin), square(target)
    return [EAST_WEST[to_x - x], NORTH_SOUTH[to_y - y]]


def wire_turn(position: games.Position, move: str) -> list[object]:
    """`move` as a client writes it that has nothing but the board."""
    assert isinstance(position, SantoriniPosition)
    name = NAMES[position.ply % 2]
    step, _, site = move.partition("+")
    origin, target = step.split("-")
    x, y = square(origin)
    worker = str(board(position, NAMES)[y][x])
    assert worker[1:-1] == name
    request: list[object] = [["move", {"player": name, "id": int(worker[-1])}, direction(origin, target)]]
    return [*request, ["build", direction(target, site)]] if site else request


@given(position=positions("santorini-6x6"))
def test_every_legal_move_is_read_from_what_a_client_writes(position: games.Position) -> None:
    assert isinstance(position, SantoriniPosition)
    for move in position.legal_moves():
        if len(position.workers) < 4:
            assert read_place(["place", *square(move)]) == move
        else:
            assert read_turn(wire_turn(position, move), position, NAMES[position.ply % 2]) == move


def test_places_are_in_the_order_of_placing() -> None:
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6")
    assert isinstance(position, SantoriniPosition)
    assert places(position, NAMES) == [
        {"player": "max", "x": 2, "y": 3},
        {"player": "anna", "x": 1, "y": 4},
        {"player": "max", "x": 0, "y": 0},
    ]


def test_no_board_is_longer_than_one_read_of_a_known_client() -> None:
    """1024 bytes, with the longest names and workers on every place they can have."""
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6").play("f1")
    assert isinstance(position, SantoriniPosition)
    names = "a" * 20, "b" * 20
    assert len(json.dumps(["turn", board(position, names)])) < 1024
    assert len(json.dumps(["place", places(position, names)])) < 1024


@pytest.mark.parametrize("value", [["place", True, 0], ["place", 0.0, 0], ["put", 0, 0], ["place"], "place", {}, None])
def test_what_is_no_place_is_refused(value: object) -> None:
    with pytest.raises(InvalidMove, match="whole numbers"):
        read_place(value)


@pytest.mark.parametrize(("x", "y"), [(6, 0), (0, 6), (-1, 0), (0, -1), (10**400, 0)])
def test_a_place_off_the_board_is_a_wrong_move(x: int, y: int) -> None:
    with pytest.raises(IllegalMove, match="x and y from 0 to 5"):
        read_place(["place", x, y])
