"""What a running match is proved to be: against values that are known, and against a game that is played on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import games
from arena.analysis.verdicts import LONGEST_LINE, verdicts, why_not_adjudicated
from games.players.search import OutOfTime
from tests.kit.positions import GROUND_TRUTH, WON_TURNS
from tests.kit.server import ROOT


def asked(variant: str, moves: str, **settings: int) -> dict[str, object]:
    played = moves.split()
    whole = games.variant(variant).complete(settings)
    return {"variant": variant, "settings": whole, "moves": played, "plies": list(range(len(played) + 1))}


@pytest.mark.parametrize(
    ("moves", "results"),
    [
        # Of the first moves on 7x6 only the middle one wins, those beside it draw, those at the edge lose.
        ("4", [1, 1]),
        ("3", [1, 0]),
        ("1", [1, -1]),
    ],
)
def test_results_are_those_that_the_first_seat_has_at_each_ply(moves: str, results: list[int]) -> None:
    assert verdicts(asked("connect-four-7x6", moves))["results"] == results


def test_a_line_is_played_to_its_end_and_ends_as_it_was_proved() -> None:
    found = verdicts(asked("connect-four-7x6", "4 1 4 1 3 7"))
    position = games.variant("connect-four-7x6").start()
    for move in [*["4", "1", "4", "1", "3", "7"], *found["line"]]:
        position = position.play(move)
    outcome = position.outcome()
    assert found["results"][-1] == 1 and outcome is not None and outcome.winner == 0


def test_a_line_of_a_game_that_is_only_searched_is_played_to_its_end_as_well() -> None:
    found = verdicts({**asked("santorini-5x5", WON_TURNS), "plies": [14, 15, 16, 17, 18]})
    assert found["results"] == [1] * 5 and found["line"]
    position = games.variant("santorini-5x5").start()
    for move in [*WON_TURNS.split(), *found["line"]]:
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None and outcome.winner == 0


def test_a_long_line_is_cut_and_one_of_what_is_not_proved_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.analysis.verdicts.LINE_S", 60.0)
    assert len(verdicts(asked("connect-four-7x6", "4"))["line"]) == LONGEST_LINE
    assert verdicts(asked("connect-four-8x8", ""), _at_once) == {"results": [None], "line": []}


def test_nothing_is_looked_at_before_the_ply_whose_result_was_another() -> None:
    """The first move throws the win away and the second gives it back: a win before the first move is of no use."""
    found = verdicts(asked("connect-four-7x6", "3 1 4 7 4"))
    assert found == {"results": [None, 0, 1, 1, 1, 1], "line": []}


def test_a_line_is_only_looked_for_where_all_results_agree() -> None:
    job = {**asked("connect-four-7x6", "4 1 4 1 3 7"), "plies": [6]}
    assert verdicts({**job, "known": [1, 1]})["line"]
    assert verdicts({**job, "known": [1, None]})["line"] == verdicts({**job, "known": [0]})["line"] == []


def test_a_line_ends_where_its_time_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.analysis.verdicts.LINE_S", 0.0)
    assert verdicts(asked("connect-four-7x6", "4")) == {"results": [1, 1], "line": []}


def test_a_match_that_is_over_is_as_it_ended() -> None:
    assert verdicts(asked("connect-four-7x6", "4 1 4 1 4 1 4"))["results"][-1] == 1
    assert verdicts(asked("expanding-nim", "1 1", stones=2))["results"][-1] == -1


def _at_once() -> OutOfTime:
    return lambda: True


def test_a_game_without_a_solver_is_played_to_its_end() -> None:
    assert {why_not_adjudicated(variant.slug) for variant in games.variants()} == {""}
    program = "from arena.analysis.verdicts import why_not_adjudicated\nprint(why_not_adjudicated('tic-tac-toe'))"
    added = {**os.environ, "PYTHONPATH": f"{ROOT}:{GROUND_TRUTH.parent / 'plugin'}"}
    said = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=added, text=True)
    assert said.startswith("nothing can be proved of Tic")
