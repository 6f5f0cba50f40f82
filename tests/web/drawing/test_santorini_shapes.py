from __future__ import annotations

import pytest

from arena.web.drawing import santorini_shapes as shapes
from tests.web import markup


@pytest.mark.parametrize("size", [5, 6])
def test_every_shape_is_there_once(size: int) -> None:
    ids = [e.attributes["id"] for e in markup.read(f"<svg>{shapes.shapes(size)}</svg>") if "id" in e.attributes]
    assert set(ids) >= {"s-side", "s-above", "m", "m0", "m3", "k1", "k4", "l1", "l4", "q01", "q12", "v01", "v12"}


def test_north_west_is_in_the_back_and_the_columns_run_to_the_east() -> None:
    assert (shapes.side_x(6, 0), shapes.side_y(6, 0)) == (0, 0)
    assert shapes.side_x(6, 5) > 0 > shapes.side_x(6, 30)
    assert shapes.side_y(6, 35) == 2 * shapes.side_y(6, 5)
    assert shapes.corner(6, 0) == (26, 26) and shapes.corner(6, 35) == (526, 526)


def test_the_pictures_have_the_size_of_the_board() -> None:
    assert shapes.side_box(5) == "-330 -112 660 525"
    assert shapes.above_box(5) == "0 0 552 552" and shapes.above_box(6) == "0 0 652 652"


def test_letters_and_numbers_stand_at_the_edges() -> None:
    drawn = markup.words(f"<svg>{shapes.shapes(5)}</svg>")
    assert drawn.startswith("abcde 54321 abcde 54321")


def test_the_height_is_a_number_besides_a_shape() -> None:
    level = markup.by_id(f"<svg>{shapes.shapes(5)}</svg>", "k2")
    assert level.tag == "g" and ">2</text>" in shapes.shapes(5)


def test_seats_differ_in_their_shape_and_not_only_in_colour() -> None:
    drawn = shapes.shapes(5)
    round_head, square_head = '<circle cy="-47" r="12.5"/>', '<path d="M0-63l14.5 15.5-14.5 14-14.5-14z"/>'
    assert drawn.count(round_head) == 2 and drawn.count(square_head) == 2
