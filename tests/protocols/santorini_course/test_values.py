"""Every move of every position goes over the wire and back; what is no move is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

import games
from arena.protocols.santorini_course.values import places, read_place, read_turn
from arena.protocols.santorini_words import board
from games import IllegalMove, InvalidMove
from games.santorini import SantoriniPosition
from tests.protocols.fuzzing import positions
from tests.protocols.santorini_json.test_values import NAMES, square, wire_turn


def course_turn(position: games.Position, move: str) -> list[object]:
    """`move` as a client writes it that has nothing but the board."""
    parts: Any = wire_turn(position, move)
    (_, mover, step), *builds = parts
    return [f"{mover['player']}{mover['id']}", *step, *(word for _, way in builds for word in way)]


@given(position=positions("santorini-6x6"))
def test_every_legal_move_is_read_from_what_a_client_writes(position: games.Position) -> None:
    assert isinstance(position, SantoriniPosition)
    for move in position.legal_moves():
        if len(position.workers) < 4:
            assert read_place([*square(move)]) == move
        else:
            assert read_turn(course_turn(position, move), position, NAMES[position.ply % 2]) == move


@pytest.mark.parametrize("build", [["PUT", "SOUTH"], ["PUT", "PUT"], ["EAST", "PUT"], ["", ""], [None, 7]])
def test_a_build_behind_a_winning_step_is_dropped_whatever_it_is(build: list[object]) -> None:
    position = games.variant("santorini-6x6").start()
    for move in ["c3", "b2", "d4", "e5", "d4-e3+f3", "e5-d4+e4", "e3-e4+f3", "b2-b3+c4", "e4-f3+e4", "d4-e3+e4"]:
        position = position.play(move)
    assert isinstance(position, SantoriniPosition) and "f3-e4" in position.legal_moves()
    assert read_turn(["max2", "WEST", "NORTH", *build], position, "max") == "f3-e4"


def test_places_are_in_the_order_of_placing() -> None:
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6")
    assert isinstance(position, SantoriniPosition)
    assert places(position, NAMES) == [["max1", 2, 3], ["anna1", 1, 4], ["max2", 0, 0]]


def test_no_request_is_longer_than_one_read_of_a_known_client() -> None:
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6").play("f1")
    assert isinstance(position, SantoriniPosition)
    names = "a" * 20, "b" * 20
    assert max(len(json.dumps(request)) for request in (board(position, names), places(position, names))) < 1024


@pytest.mark.parametrize("value", [[True, 0], [0.0, 0], ["place", 0, 0], [0], "0", {}, None])
def test_what_is_no_place_is_refused(value: object) -> None:
    with pytest.raises(InvalidMove, match="whole numbers"):
        read_place(value)


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["max1"],
        ["max1", "EAST"],
        ["max1", "EAST", "PUT", "EAST"],
        ["max1", "EAST", "PUT", "EAST", "PUT", "EAST"],
        [["max1"], "EAST", "PUT"],
        {"worker": "max1"},
        None,
    ],
)
def test_what_is_no_turn_is_refused(value: object) -> None:
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6").play("f1")
    assert isinstance(position, SantoriniPosition)
    with pytest.raises(InvalidMove, match="winning move"):
        read_turn(value, position, "max")


@pytest.mark.parametrize("worker", ["max", "", "0", "3", "max0", "max3", "anna1", "max1 ", "Max1"])
def test_a_worker_of_nobody_or_of_the_other_is_a_wrong_move(worker: str) -> None:
    position = games.variant("santorini-6x6").start().play("c3").play("b2").play("a6").play("f1")
    assert isinstance(position, SantoriniPosition)
    with pytest.raises(IllegalMove, match='"max1" or "max2"'):
        read_turn([worker, "EAST", "PUT", "WEST", "PUT"], position, "max")
