from __future__ import annotations

import random

import pytest

import games
from arena.web.drawing import View, santorini
from tests.web import markup

PLACED = "b2 e5 c2 e4"


def played(moves: str = "", slug: str = "santorini-5x5", names: tuple[str, str] = ("Mira", "aegean")) -> View:
    """A position after moves such as `b2 e5 c2 e4 b2-b3+b2`."""
    position = games.variant(slug).start()
    for move in moves.split():
        position = position.play(move)
    return View(position, moves.split()[-1] if moves else None, "Santorini", names)


def _uses(view: View) -> dict[str, dict[str, str]]:
    elements = [element.attributes for element in markup.read(santorini.pieces(view)) if element.tag == "use"]
    return {use["id"]: use for use in elements if "id" in use}


def test_both_drawings_show_one_state() -> None:
    uses = _uses(played(f"{PLACED} b2-b3+b2"))
    assert (uses["w-01"]["href"], uses["v-01"]["href"]) == ("#q01", "#v01")
    assert (uses["v-01"]["x"], uses["v-01"]["y"]) == ("126", "226")
    assert (uses["w-01"]["x"], uses["w-01"]["y"]) == (str(62 * (1 - 2)), str(41 * (1 + 2)))
    assert uses["f-b2"]["href"] == "#k1" and uses["g-b2"]["href"] == "#l1"


def test_a_worker_stands_on_top_of_its_level() -> None:
    uses = _uses(played(f"{PLACED} b2-b3+b2 e5-d5+e5 b3-b2+b3"))
    assert uses["w-01"]["y"] == str(41 * (1 + 3) - 19)


def test_the_ground_floor_of_a_new_level_stays_under_it() -> None:
    uses = _uses(played(f"{PLACED} b2-b3+b2 e5-d5+e5 b3-b4+b3 e4-d4+e4 c2-c3+b2"))
    assert uses["b-b2"]["href"] == "#k1" and uses["f-b2"]["href"] == "#k2"
    assert [name for name, use in uses.items() if use.get("class") == "built"] == ["f-b2", "g-b2"]


def test_only_the_worker_that_moved_comes_from_where_it_was() -> None:
    uses = _uses(played(f"{PLACED} b2-a3+b2"))
    moved = {name: use["class"] for name, use in uses.items() if use.get("class", "").startswith("came")}
    assert moved == {"w-01": "came e s", "v-01": "came e s"}


def test_a_chosen_worker_stands_on_its_new_square_before_it_builds() -> None:
    view = played(f"{PLACED} b2-b3+b2 e5-d5+e5")
    stepped = _uses(view._replace(chosen=("b3", "b2")))
    assert (stepped["v-01"]["x"], stepped["v-01"]["y"]) == ("126", "326")
    assert stepped["w-01"]["y"] == str(41 * (1 + 3) - 19)
    assert stepped["v-02"] == _uses(view)["v-02"]
    for chosen in ((), ("b3",), ("b3", "e1"), ("e5", "e4"), ("zz", "b2")):
        assert _uses(view._replace(chosen=chosen)) == _uses(view)


def test_the_last_move_is_marked_where_it_began_and_where_it_ended() -> None:
    drawn = markup.read(santorini.pieces(played(f"{PLACED} b2-b3+b2")))
    assert [use.attributes["href"] for use in drawn if use.attributes.get("href") in ("#m0", "#m")].count("#m") == 2
    assert markup.words(santorini.pieces(played(f"{PLACED} b2-b3+b2"))) == "+1 +1"


def test_what_stands_nearer_is_painted_later() -> None:
    uses = list(_uses(played(f"{PLACED} c2-c3+c2 e5-d5+e5 c3-c4+c3")))
    side = [name for name in uses if name[0] in "bwf"]
    assert side.index("f-c3") < side.index("b-c2")
    assert [name for name in side if name[0] == "w"] == ["w-11", "w-02", "w-12", "w-01"]


def test_workers_seen_from_the_side_are_a_picture_of_their_own_over_the_squares_to_choose() -> None:
    drawn = str(santorini.pieces(played(f"{PLACED} b2-b3+b2")))
    front = drawn.partition('<svg class="side front"')[2].partition("</svg>")[0]
    assert front.count("<use") == 4 == drawn.count('href="#q') == front.count('href="#q')


@pytest.mark.parametrize("slug", ["santorini-6x6", "santorini-5x5"])
def test_a_picture_of_both_drawings_is_within_four_kilobytes(slug: str) -> None:
    rng, position, last = random.Random(4), games.variant(slug).start(), None
    while position.to_move is not None:
        assert len(santorini.pieces(View(position, last, "Santorini 6 × 6"))) <= 4096
        last = rng.choice(position.legal_moves())
        position = position.play(last)


def test_the_list_and_the_voice_name_worker_height_and_dome() -> None:
    moves = f"{PLACED} b2-b3+b2 e5-d5+e5 b3-b2+b3".split()
    notes = santorini.notes(played(" ".join(moves)).position, moves)
    assert notes[:2] == ["worker 1", "worker 1"] and notes[-1] == "worker 1, height 1"
    assert santorini.notes(played(" ".join(moves)).position, moves[-1:]) == notes[-1:]
    assert markup.words(santorini.listed(moves[-1], notes[-1])) == "1 b3→b2 +b3"
    assert santorini.spoken("b4-b3+c3", "worker 1, height 2, dome", "Ada") == (
        "Ada moved worker 1 to b3, height 2. Built a dome on c3."
    )
    assert santorini.spoken("c2-c3", "worker 2, height 3") == "You moved worker 2 to c3, height 3."
    assert santorini.spoken("b2", "worker 1") == "You placed worker 1 on b2."


def test_a_dome_is_noted_when_the_fourth_level_is_built() -> None:
    moves = f"{PLACED} b2-b3+b2 e5-d5+e5 c2-c3+b2 d5-e5+d5 c3-d2+c2 e4-d4+e4 b3-a3+b2 d4-e4+d4 a3-b3+b2".split()
    assert santorini.notes(played(" ".join(moves)).position, moves)[-1] == "worker 1, height 0, dome"
    assert "dome" in markup.words(santorini.listed(moves[-1], "worker 1, height 0, dome"))


def test_a_move_inside_a_sentence() -> None:
    assert santorini.named("b2-c1+d2") == "b2 to c1, building on d2"
    assert santorini.subject("b2-c1+d2") == "moving b2 to c1 and building on d2"
    assert santorini.subject("c2-c3") == "moving c2 to c3" and santorini.subject("c3") == "a worker on c3"
    assert santorini.named("c2-c3") == "c2 to c3" and santorini.named("c3") == "a worker on c3"


def test_a_climb_is_told_by_worker_and_square() -> None:
    position = games.variant("santorini-5x5").parse("5x5 1000030000000000000000000 1 A4.C1 C3.D1")
    assert santorini.finish(position, "reached height 3") == "Worker 1 stepped up to height 3 on a4."
    assert santorini.finish(played(PLACED).position, "no legal turn") == ""


def test_the_table_reads_rows_from_the_north() -> None:
    said = markup.words(f"<table>{santorini.reader(played(f'{PLACED} b2-b3+b2'))}</table>")
    assert said.startswith("Board after move 5 a b c d e 5 height 0")
    assert "height 0, worker 1 of Orange" in said and "height 1" in said


def test_a_small_picture_has_a_floor_for_each_height() -> None:
    drawn = markup.read(santorini.mini(played(f"{PLACED} b2-b3+b2 e5-d5+e5 b3-b2+b3").position))
    assert [each.attributes["class"] for each in drawn if each.tag == "path"] == ["turf", "floor1"]


def test_squares_of_a_small_picture_differ_from_their_neighbours() -> None:
    """Dashes as long as a square: where the first of each row begins says which squares are darker."""
    drawn = markup.read(santorini.mini(played(PLACED).position))
    (turf,) = [each for each in drawn if each.attributes.get("class") == "turf"]
    assert turf.attributes["d"] == "M0 50H500M100 150H500M0 250H500M100 350H500M0 450H500"


def test_the_title_is_escaped() -> None:
    assert "<t>" not in santorini.pieces(View(played(PLACED).position, "e4", "<t>"))
