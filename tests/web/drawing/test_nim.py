from __future__ import annotations

import games
from arena.web.drawing import Choice, View, nim
from tests.web import markup

NAMES = ("Mira", "nyu-expander")


def _view(moves: str = "", **settings: int | None) -> View:
    """A position after moves such as `3 4r 2`, of 60 stones unless told otherwise."""
    position = games.variant("expanding-nim").start(**({"stones": 60} | settings))
    for move in moves.split():
        position = position.play(move)
    return View(position, moves.split()[-1] if moves else None, "Nim", NAMES)


def _uses(view: View, prefix: str) -> list[dict[str, str]]:
    elements = [element.attributes for element in markup.read(nim.pieces(view)) if element.tag == "use"]
    return [use for use in elements if use.get("id", "").startswith(prefix)]


def _panel(view: View, seat: int = 0, enabled: bool = True) -> str:
    return nim.controls(view, Choice(seat, enabled))


def _inputs(drawn: str) -> list[dict[str, str]]:
    return [element.attributes for element in markup.read(drawn) if element.tag == "input"]


def test_stones_stand_in_rows_of_ten_with_a_gap_after_the_fifth() -> None:
    stones = {use["id"]: (use["x"], use["y"]) for use in _uses(_view(), "p-")}
    assert stones["p-51"] == ("60", "60") and stones["p-56"] == ("382", "60") and stones["p-60"] == ("622", "60")
    assert markup.by_id(nim.pieces(_view()), "pieces").attributes["viewbox"] == "0 0 682 420"


def test_the_last_stones_are_taken_and_their_places_marked_with_the_seat_of_the_taker() -> None:
    view = _view("3 2")
    assert {use["id"]: use["href"] for use in _uses(view, "x-")} == {"x-56": "#nt1", "x-57": "#nt1"}
    assert max(int(use["id"][2:]) for use in _uses(view, "p-")) == 55


def test_every_stone_that_may_be_taken_stands_alone_and_full_rows_below_are_one_element() -> None:
    view = _view("3 4 5 6")
    assert view.position.legal_moves()[-1] == "7r"
    assert [use["id"] for use in _uses(view, "r-")] == ["r-0", "r-1", "r-2"]
    assert [use["id"] for use in _uses(view, "p-")] == [f"p-{n}" for n in range(31, 43)]


def test_a_thousand_stones_are_a_picture_of_few_kilobytes_at_every_move() -> None:
    position = games.variant("expanding-nim").start(stones=1000)
    last, largest = None, 0
    while position.to_move is not None:
        largest = max(largest, len(nim.pieces(View(position, last, "Nim"))))
        last = [move for move in position.legal_moves() if not move.endswith("r")][-1]
        position = position.play(last)
    assert largest < 6000
    assert len(nim.mini(position)) < 4000


def test_a_usual_picture_is_within_its_budget() -> None:
    assert max(len(nim.pieces(_view(moves))) for moves in ("", "3 4", "3 4 5 6 7")) <= 4096


def test_the_heap_is_described_in_words() -> None:
    label = markup.by_id(nim.pieces(_view("3 4")), "pieces").attributes["aria-label"]
    assert label == "Nim: 53 stones left of 60. Maximum so far 4."


def test_each_amount_says_what_it_leaves() -> None:
    radios = [field for field in _inputs(_panel(_view("3 4"))) if field["type"] == "radio"]
    assert [field["value"] for field in radios] == ["1", "2", "3", "4", "5"]
    assert radios[3]["aria-label"] == "Take 4, leaves 49"
    assert [field["value"] for field in radios if "checked" in field] == ["1"]


def test_the_panel_is_a_group_named_by_its_question_and_has_no_legend_which_webkit_draws_on_the_border() -> None:
    panel = _panel(_view("3 4"))
    (group,) = [element for element in markup.read(panel) if element.attributes.get("role") == "group"]
    assert markup.by_id(panel, group.attributes["aria-labelledby"]).tag == "p"
    assert not [element for element in markup.read(panel) if element.tag in ("fieldset", "legend")]


def test_more_than_twelve_amounts_are_a_number_to_type() -> None:
    view = _view("3 4 5 6 7 8 9 10 11 12", stones=200)
    (number,) = [field for field in _inputs(_panel(view)) if field["type"] == "number"]
    assert (number["name"], number["min"], number["max"]) == ("move", "1", "13")


def test_the_consequence_is_said_in_words() -> None:
    said = markup.words(_panel(_view("3 4")))
    assert "53 left · you may take 1 to 5" in said
    assert "52 left after this. nyu-expander may take 1 to 5." in said
    assert ", this turn only. The maximum stays at 4." in said


def test_after_a_reset_the_limit_is_said() -> None:
    assert "After the reset you may take 1 to 3 this turn." in markup.words(_panel(_view("3 4r")))
    assert nim.asked(_view("3 4r").position) == "You may take 1 to 3."


def test_a_reset_counts_what_is_left_and_is_closed_when_there_is_none() -> None:
    assert "3 of 4 left" in markup.words(_panel(_view("1r 1")))
    used = _panel(_view("1r 1", resets=1))
    assert "You have used all your resets" in markup.words(used)
    assert "disabled" in markup.by_id(used, "reset").attributes
    assert " of " not in markup.words(_panel(_view("", resets=None)))
    assert "reset" not in [field.get("id") for field in _inputs(_panel(_view("", resets=0)))]


def test_who_waits_keeps_the_same_fields_that_send_nothing() -> None:
    waiting = _panel(_view("3"), 0, enabled=False)
    assert {field["id"] for field in _inputs(waiting)} >= {"take-1", "take-4", "reset"}
    assert "nyu-expander may take 1 to 4" in markup.words(waiting)


def test_at_the_end_the_panel_is_empty_and_still_there() -> None:
    over = _view("1", stones=1)
    assert "No stone is left" in markup.words(_panel(over, 1, enabled=False))


def test_the_move_list_and_the_voice_say_what_was_taken() -> None:
    assert nim.notes(_view("3 4 5r").position, ["3", "4", "5r"]) == ["57 left", "53 left", "48 left"]
    assert markup.words(nim.listed("5r", "48 left")) == "takes 5 reset 48 left"
    assert nim.spoken("5r", "48 left", "Ada") == "Ada takes 5 and uses reset. 48 left."
    assert nim.spoken("1", "9 left") == "You take 1. 9 left."
    assert nim.subject("3r") == "taking 3 stones and a reset"
    assert nim.named("1") == "1 stone" and nim.named("3r") == "3 stones and a reset"


def test_the_table_says_the_numbers() -> None:
    said = markup.words(f"<table>{nim.reader(_view('3 4r'))}</table>")
    assert "Stones left 53 of 60" in said and "Resets left of Blue 3 of 4" in said
    assert said.endswith("Orange may take 1 to 3")


def test_names_are_escaped() -> None:
    evil = View(_view("3 4r").position, "4r", "<t>", ("<i>", "<u>"))
    for drawn in (nim.pieces(evil) + _panel(evil), _panel(evil, 0, False)):
        assert not {"t", "i", "u"} & {element.tag for element in markup.read(drawn)}
