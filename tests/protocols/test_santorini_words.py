"""Names, boards and directions of the protocols of Santorini: what a client of either is sent and may write."""

from __future__ import annotations

import pytest
from hypothesis import given

import games
from arena.protocols.santorini_words import NAME, board, direction, name_of, other_than, square, turn
from games import IllegalMove
from games.santorini import SantoriniPosition
from tests.protocols.fuzzing import positions

NAMES = ("max", "anna")


@given(position=positions("santorini-6x6"))
def test_the_board_says_every_height_and_every_worker(position: games.Position) -> None:
    assert isinstance(position, SantoriniPosition)
    rows = board(position, NAMES)
    assert [len(row) for row in rows] == [6] * 6
    cells = [cell for row in rows for cell in row]
    assert [int(str(cell)[0]) for cell in cells] == list(position.heights)
    workers = ["max1", "anna1", "max2", "anna2"][: len(position.workers)]
    assert [str(cells[cell])[1:] for cell in position.workers] == workers
    assert sum(isinstance(cell, str) for cell in cells) == len(workers)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("max", "max"),
        ("Teal Heron", "tealheron"),
        ("gravity-9", "gravity"),
        ("42", "player"),
        ("", "player"),
        ("É١x", "x"),
        ("a" * 40, "a" * 20),
    ],
)
def test_a_name_keeps_its_letters(text: str, name: str) -> None:
    assert name_of(text) == name
    assert NAME.fullmatch(name)


@pytest.mark.parametrize(
    ("name", "text", "other"), [("max", "Max", "maxb"), ("max", "anna", "anna"), ("player", "1", "playerb")]
)
def test_an_opponent_of_the_same_name_gets_another(name: str, text: str, other: str) -> None:
    assert other_than(name, text) == other


@pytest.mark.parametrize("name", ["a" * 19, "a" * 20, "a" * 18 + "b", "a" * 19 + "b"])
def test_the_longest_names_stay_different_and_short(name: str) -> None:
    other = other_than(name, name)
    assert other != name
    assert NAME.fullmatch(other)


@pytest.mark.parametrize(
    "words", [("east", "PUT"), ("NORTH", "EAST"), ("EAST", ["PUT"]), (1, 0), (None, "PUT"), ("", "")]
)
def test_what_is_no_direction_is_none(words: tuple[object, object]) -> None:
    assert direction(*words) is None


def test_north_is_up_and_east_is_right() -> None:
    assert (direction("WEST", "NORTH"), direction("PUT", "PUT"), direction("EAST", "SOUTH")) == (
        (-1, -1),
        (0, 0),
        (1, 1),
    )
    assert (square(0, 0), square(5, 0), square(0, 5)) == ("a6", "f6", "a1")
    with pytest.raises(IllegalMove, match="x and y from 0 to 5"):
        square(0, 6)


@pytest.mark.parametrize(
    ("step", "build", "what"), [((1, 0), (-1, 0), "a step to a square"), ((0, -1), (1, 0), "a build on a square")]
)
def test_it_is_said_what_of_a_turn_leads_off_the_board(
    step: tuple[int, int], build: tuple[int, int], what: str
) -> None:
    with pytest.raises(IllegalMove, match=f"{what} of the board"):
        turn((5, 3), step, [build])
