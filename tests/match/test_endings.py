"""Endings: every one has a group, and the score text says which side won or that nothing counts."""

from __future__ import annotations

import pytest

from arena.match.endings import FAULTS, TERMINATIONS, UNCOUNTED, VERDICTS, counts, result, ruled_as, score_that_counts

WITHOUT_A_RESULT = {"no_start", "abandoned", "abort", "admin_abort", "server_abort"}
WITH_A_RESULT = {
    "normal",
    "resign",
    "timeout",
    "illegal_move",
    "bad_output",
    "out_of_turn",
    "stall",
    "disconnect",
    "left",
    "crash",
    "resource_limit",
    "agreement",
    "adjudicated",
    "max_plies",
}


def test_the_vocabulary_is_closed() -> None:
    assert set(TERMINATIONS) == WITH_A_RESULT | WITHOUT_A_RESULT


def test_what_blames_a_seat_has_a_result() -> None:
    assert FAULTS <= WITH_A_RESULT
    assert not FAULTS & UNCOUNTED


@pytest.mark.parametrize("termination", sorted(WITHOUT_A_RESULT))
def test_a_match_without_a_result_is_written_with_a_star(termination: str) -> None:
    assert not counts(termination)
    assert result(None, termination) == "*"


@pytest.mark.parametrize("termination", sorted(WITH_A_RESULT))
def test_a_result_names_the_winner_by_its_seat(termination: str) -> None:
    assert counts(termination)
    assert [result(winner, termination) for winner in (0, 1, None)] == ["1-0", "0-1", "1/2-1/2"]


def test_a_running_match_has_no_result() -> None:
    assert result(None, None) == "*"


def test_what_counts_is_the_ending() -> None:
    assert [score_that_counts(winner, "normal") for winner in (0, 1, None)] == [1.0, 0.0, 0.5]
    assert score_that_counts(None, "server_abort") is None


def test_what_counts_is_the_ruling_where_there_is_one() -> None:
    assert score_that_counts(0, "normal", {"verdict": "win", "winner": 1}) == 0.0
    assert score_that_counts(0, "normal", {"verdict": "draw", "winner": None}) == 0.5
    assert score_that_counts(0, "normal", {"verdict": "void", "winner": None}) is None
    assert score_that_counts(None, "server_abort", {"verdict": "win", "winner": 0}) == 1.0


def test_a_ruling_is_a_decision_and_one_that_makes_void_leaves_no_result() -> None:
    assert [counts(ruled_as(verdict)) for verdict in VERDICTS] == [True, True, False]
    assert ruled_as("win") == ruled_as("draw") == "adjudicated"
