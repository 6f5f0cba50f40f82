"""The reference of the exact solver against the scores that others computed."""

from __future__ import annotations

from games.players.connect_four_exact import HIGHEST, LOWEST, Reference
from tests.kit.exact import scored, words

WINS_NEXT = "121212"
HARD = "53162725626354367317"


def test_its_scores_are_those_of_another_solver() -> None:
    solver = Reference()
    late = scored(least_plies=22)
    wrong = [row.moves for row in late if solver.narrow(*words(row.moves), LOWEST, HIGHEST, 10**7) != (row.score,) * 2]
    assert len(late) > 50 and wrong == []


def test_a_win_in_one_is_seen_without_a_search() -> None:
    solver = Reference()
    assert solver.narrow(*words(WINS_NEXT), LOWEST, HIGHEST, 0) == (18, 18)
    assert solver.visited == 0


def test_without_enough_positions_the_bounds_stay_true_and_apart() -> None:
    solver = Reference()
    assert solver.narrow(*words(""), LOWEST, HIGHEST, 1) == (LOWEST, HIGHEST)
    assert solver.visited == 2  # the one that was too many counts


def test_the_same_call_again_goes_on_from_what_was_found_out() -> None:
    whole, pieces = Reference(), Reference()
    position = words(HARD)
    score = whole.narrow(*position, LOWEST, HIGHEST, 10**6)
    assert score[0] == score[1]
    low, high, calls, nodes = LOWEST, HIGHEST, 0, 1
    while low < high:
        nodes *= 2
        low, high = pieces.narrow(*position, low, high, nodes)
        calls += 1
    assert (low, high) == score and calls > 1


def test_what_was_forgotten_is_searched_again() -> None:
    solver, position = Reference(), words(HARD)
    first = solver.narrow(*position, LOWEST, HIGHEST, 10**6), solver.visited
    again = solver.narrow(*position, LOWEST, HIGHEST, 10**6), solver.visited
    solver.forget()
    assert (solver.narrow(*position, LOWEST, HIGHEST, 10**6), solver.visited) == first
    assert again[0] == first[0] and again[1] < first[1]
