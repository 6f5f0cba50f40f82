from __future__ import annotations

from arena.web.drawing import Choice, View, santorini
from games.santorini import SantoriniPosition
from tests.web import markup
from tests.web.drawing.test_santorini import PLACED, played

# Orange's workers stand on b3 and c2, and b2 between them is 1 high.
START = f"{PLACED} b2-b3+b2 e5-d5+e5"


def _drawn(view: View, *chosen: str, seat: int = 0, enabled: bool = True) -> str:
    return santorini.controls(view, Choice(seat, enabled, chosen))


def _square(drawn: str, name: str) -> dict[str, str]:
    return markup.by_id(drawn, f"t-{name}").attributes


def _built(heights: dict[int, int], *workers: int) -> View:
    """A position of 25 squares with these heights, by square from the north-west; workers as placed."""
    levels = tuple(heights.get(square, 0) for square in range(25))
    return View(SantoriniPosition(5, levels, workers, 4 + sum(levels)), None, "Santorini")


def _targets(drawn: str) -> list[str]:
    return [b["id"][2:] for b in markup.buttons(drawn) if "target" in b.get("class", "").split()]


def test_a_worker_is_placed_by_one_press() -> None:
    drawn = _drawn(played("b2"), seat=1)
    assert _square(drawn, "c3")["value"] == "c3" and "b2" not in _targets(drawn)
    assert "Place your first worker. Any free square." in markup.words(drawn)
    assert "Place your second worker." in markup.words(_drawn(played("b2 e5")))


def test_a_turn_is_worker_move_build() -> None:
    view = played(START)
    first = _drawn(view)
    assert _targets(first) == ["b3", "c2"] and "Choose a worker." in markup.words(first)
    assert (_square(first, "b3")["name"], _square(first, "b3")["value"]) == ("sel", "b3")
    second = _drawn(view, "b3")
    assert _square(second, "b2")["value"] == "b3,b2" and "up" in _square(second, "b2")["class"].split()
    assert "step" in _square(second, "b4")["class"].split() and "Move worker 1." in markup.words(second)
    third = _drawn(view, "b3", "b2")
    assert (_square(third, "b3")["name"], _square(third, "b3")["value"]) == ("move", "b3-b2+b3")
    assert "Worker 1 moved to b2, height 1." in markup.words(third)


def test_each_square_says_what_can_be_done_there() -> None:
    view = played(START)
    labels = {b["id"][2:]: b["aria-label"] for b in markup.buttons(_drawn(view, "b3")) if "aria-label" in b}
    assert labels["b3"] == "b3, height 0, your worker 1, selected"
    assert labels["b2"] == "b2, height 1, you can step up here"
    assert labels["e4"] == "e4, height 0, their worker 2"
    assert labels["c2"] == "c2, height 0, your worker 2, you can choose it"
    assert _square(_drawn(view, "b3", "b2"), "b3")["aria-label"] == "b3, height 0, your worker 1, you can build here"


def test_a_winning_step_is_a_whole_turn() -> None:
    drawn = _drawn(_built({10: 2, 11: 3, 20: 1}, 10, 0, 24, 4), "a3")
    assert (_square(drawn, "b3")["name"], _square(drawn, "b3")["value"]) == ("move", "a3-b3")
    assert "win" in _square(drawn, "b3")["class"].split()
    grid = next(e for e in markup.read(drawn) if e.attributes.get("role") == "grid")
    assert "a3>b3" in grid.attributes["data-legal"].split(";")


def test_the_only_worker_that_can_move_is_chosen_already() -> None:
    drawn = _drawn(_built({1: 2, 5: 2, 6: 2}, 0, 20, 12, 24))
    assert "Move worker 2." in markup.words(drawn)
    assert _square(drawn, "c3")["class"] == "chosen"
    assert _square(drawn, "undo")["type"] == "button", "there is nothing to undo yet"


def test_a_build_on_height_three_becomes_a_dome() -> None:
    view = _built({12: 3, 20: 1}, 10, 0, 24, 4)
    assert _square(_drawn(view, "a3", "b3"), "c3")["aria-label"] == "c3, height 3, you can build here, becomes a dome"


def test_a_step_can_be_undone() -> None:
    view = played(START)
    assert _square(_drawn(view, "b3", "b2"), "undo")["value"] == "b3"
    assert _square(_drawn(view, "b3"), "undo")["value"] == ""
    assert _square(_drawn(view), "undo")["aria-disabled"] == "true"


def test_what_is_legal_is_told_in_short() -> None:
    grid = next(e for e in markup.read(_drawn(played(START))) if e.attributes.get("role") == "grid")
    turns = grid.attributes["data-legal"].split(";")
    assert "b3>b2+" in " ".join(turns) and all(turn.startswith(("b3>", "c2>")) for turn in turns)
    told = {
        f"{turn.split('+')[0].replace('>', '-')}+{site}" for turn in turns for site in turn.split("+")[1].split(",")
    }
    assert told == set(played(START).position.legal_moves())


def test_a_stale_choice_begins_anew() -> None:
    view = played(START)
    assert _targets(_drawn(view, "z9")) == _targets(_drawn(view))
    assert _targets(_drawn(view, "b3", "z9")) == _targets(_drawn(view, "b3"))


def test_who_waits_is_told_whose_turn_it_is() -> None:
    drawn = _drawn(played(START), seat=1, enabled=False)
    assert "Mira is to move." in markup.words(drawn) and _targets(drawn) == []
    assert {b["id"] for b in markup.buttons(drawn)} == {b["id"] for b in markup.buttons(_drawn(played(START)))}


def test_names_are_escaped() -> None:
    assert "<i>" not in _drawn(played(START, names=("<i>", "<u>")), seat=1, enabled=False)
