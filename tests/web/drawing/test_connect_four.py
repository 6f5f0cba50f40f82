from __future__ import annotations

import games
from arena.web.drawing import Choice, View, connect_four
from tests.web import markup


def _view(moves: str, slug: str = "connect-four-7x6") -> View:
    position = games.variant(slug).start()
    for move in moves:
        position = position.play(move)
    return View(position, moves[-1] if moves else None, "Connect Four")


def _hrefs(view: View) -> dict[str, str]:
    uses = [element.attributes for element in markup.read(connect_four.pieces(view)) if element.tag == "use"]
    return {use["id"]: use["href"] for use in uses if "id" in use}


def test_each_disc_lies_where_it_fell_under_a_name_that_stays() -> None:
    assert _hrefs(_view("443")) == {"p-4-1": "#d0", "p-4-2": "#d1", "p-3-1": "#d0"}
    disc = markup.by_id(connect_four.pieces(_view("443")), "p-4-2").attributes
    assert (disc["x"], disc["y"]) == ("366", "562")


def test_the_discs_lie_between_the_two_plates() -> None:
    order = [
        element.attributes["href"] for element in markup.read(connect_four.pieces(_view("4"))) if element.tag == "use"
    ]
    assert order == ["#c4-7x6-back", "#d0", "#c4-7x6-front"]


def test_only_the_newest_disc_falls_and_is_ringed() -> None:
    elements = markup.read(connect_four.pieces(_view("443")))
    falling = [element.attributes for element in elements if "drop" in element.attributes.get("class", "").split()]
    assert [(use["id"], use["class"]) for use in falling] == [("p-3-1", "drop drop-6")]
    ring = next(element.attributes for element in elements if element.attributes.get("class") == "last")
    assert (ring["cx"], ring["cy"]) == (falling[0]["x"], falling[0]["y"])


def test_the_picture_has_the_size_of_the_board() -> None:
    for slug, box in (("connect-four-7x6", "0 0 732 768"), ("connect-four-8x8", "0 0 832 968")):
        assert markup.by_id(connect_four.pieces(_view("", slug)), "pieces").attributes["viewbox"] == box


def test_a_capsule_is_drawn_around_a_finished_line_and_the_other_discs_fade() -> None:
    picture = connect_four.pieces(_view("4152637"))
    elements = [element.attributes for element in markup.read(picture)]
    assert elements[0]["class"] == "won"
    assert [use["id"] for use in elements if "data-hit" in use] == ["p-4-1", "p-5-1", "p-6-1", "p-7-1"]
    [line] = [path for path in elements if path.get("class") == "line-over"]
    assert line["transform"] == "translate(366 662)rotate(0)" and line["d"].startswith("M0-46h300a")


def test_one_disc_may_finish_two_lines() -> None:
    view = _view("637667577773534")
    elements = [element.attributes for element in markup.read(connect_four.pieces(view))]
    lines = [path["transform"] for path in elements if path.get("class") == "line-over"]
    assert lines == ["translate(366 662)rotate(0)", "translate(666 362)rotate(135)"]
    assert connect_four.finish(view.position, "four in a row") == "Four in a row, from column 4 to 7."


def test_a_line_is_described_by_its_columns() -> None:
    assert connect_four.finish(_view("4152637").position, "four in a row") == "Four in a row, from column 4 to 7."
    assert connect_four.finish(_view("1212121").position, "four in a row") == "Four in a row, in column 1."


def test_a_column_says_where_a_disc_would_land() -> None:
    labels = [b["aria-label"] for b in markup.buttons(connect_four.controls(_view("44"), Choice(0, True)))]
    assert labels[3] == "Column 4, lands on row 3" and labels[0] == "Column 1, lands on row 1"


def test_a_full_column_is_there_and_says_so_but_sends_nothing() -> None:
    full = markup.buttons(connect_four.controls(_view("444444"), Choice(0, True)))[3]
    assert full["aria-label"] == "Column 4, full"
    assert full["type"] == "button" and full["aria-disabled"] == "true" and "value" not in full


def test_columns_keep_their_names_whoever_is_to_move() -> None:
    mine = markup.buttons(connect_four.controls(_view("4"), Choice(1, True)))
    waiting = markup.buttons(connect_four.controls(_view("4"), Choice(0, False)))
    assert [b["id"] for b in mine] == [b["id"] for b in waiting] == [f"col-{c}" for c in range(1, 8)]


def test_the_ghost_has_the_colour_of_the_seat_to_move() -> None:
    assert 'href="#d1"' in connect_four.controls(_view("4"), Choice(1, True))
    assert 'href="#d0"' not in connect_four.controls(_view("4"), Choice(1, True))


def test_the_table_reads_rows_from_the_top() -> None:
    said = markup.words(f"<table>{connect_four.reader(_view('44'))}</table>")
    assert said.startswith("Board after move 2 1 2 3 4 5 6 7 Row 6 empty")
    assert said.endswith("Row 1 empty empty empty orange empty empty empty")


def test_the_move_list_says_the_row_of_each_disc() -> None:
    position = _view("443").position
    assert connect_four.notes(position, "443") == ["row 1", "row 2", "row 1"]
    assert connect_four.notes(position, "43") == ["row 2", "row 1"]
    assert connect_four.spoken("4", "row 2", "Ada") == "Ada dropped in column 4, row 2."
