from __future__ import annotations

import json

import pytest

import games
from arena.analysis.marks import Decided
from arena.analysis.matches import analyse, choices, is_solvable, played, told
from games.players.connect_four_exact import value
from tests.analysis.marked import false_story, value_of
from tests.analysis.test_provers import annotated
from tests.kit.positions import after

MATCH = "4654323551432356625523377766724"


def spec(moves: str | list[str], variant: str = "connect-four-7x6", **settings: int) -> dict[str, object]:
    return {"variant": variant, "settings": settings, "moves": list(moves)}


def test_a_whole_match_is_told_by_its_values() -> None:
    found = json.loads(json.dumps(analyse(spec(MATCH))))
    story = told(played(spec(MATCH)), MATCH, found["values"], 0)
    assert story.complete and story.decided == Decided(10, 1, at_latest=False)
    assert story.mattered == ((11, 13), (2, 4))
    lost = [(mark.ply, mark.better[0], mark.value.moves) for mark in story.marks if mark.kind == "threw_away_win"]
    assert lost == [(3, "2", 19), (8, "4", 15), (9, "3", 16), (10, "4", 14)]
    assert [mark.ply for mark in story.marks if mark.kind == "only_move"] == [1, 21]
    assert len(story.standings) == len(MATCH) + 1 and story.standings[-1].plies == 0


@pytest.mark.long
def test_the_values_are_those_of_another_program() -> None:
    for moves, scores in annotated(3):
        found = analyse(spec(moves))
        for ply, choice in enumerate(choices(played(spec(moves)), moves, found["values"])):
            row = {str(n): score for n, score in enumerate(scores[ply], 1) if score is not None}
            assert choice.values == {move: value_of(value(score, ply), ply) for move, score in row.items()}


def test_a_match_that_was_given_up_has_values_for_its_last_position_too() -> None:
    found = analyse(spec("4444"))
    assert len(found["values"]) == 5
    last = choices(played(spec("4444")), "4444", found["values"])[-1]
    assert last.played == "" and last.legal == 7


def test_what_a_later_position_shows_its_move_has_led_to() -> None:
    moves = [str(int(column) + 1) for column in "062371105132303341031411542"]
    match = spec(moves, "connect-four-8x8")
    found = analyse(match, limit=lambda: after(1))
    listed = choices(played(match), moves, found["values"])
    story = told(played(match), moves, found["values"], 0)
    assert list(false_story(story, listed)) == []
    results = [each.result for each in story.standings]
    assert results[0] is None and results[-2:] == [1, 1] and not story.complete
    assert story.decided is not None and story.decided.result == 1


def test_nim_is_exact() -> None:
    match = spec(["3", "1", "4r", "3", "2"], "expanding-nim", stones=13)
    story = told(played(match), match["moves"], analyse(match)["values"], 0)  # type: ignore[arg-type]
    assert story.complete and all(each.plies is not None for each in story.standings)


def test_what_is_no_match_is_refused() -> None:
    with pytest.raises(games.IllegalMove):
        analyse(spec("1111111"))
    with pytest.raises(ValueError, match="2 positions have values, expected 3"):
        choices(played(spec("44")), "44", [[0] * 7, [0] * 7])
    with pytest.raises(ValueError, match="'x' is no value"):
        choices(played(spec("")), "", [["x"] * 7])


def test_only_games_with_a_solver_are_analysed() -> None:
    assert [is_solvable(each.slug) for each in games.variants()] == [True] * 5
    assert not is_solvable("tic-tac-toe")
