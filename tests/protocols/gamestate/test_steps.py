from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.checking import assert_all_passed, check_of_code, check_of_spoilt, codes, results, sample

pytestmark = pytest.mark.service

# Takes the board that came first for the board of the whole match.
FIRST_BOARD = """
import sys
board = ""
for line in sys.stdin:
    if line.startswith("GAMESTATE") and not board: board = line.split()[1]
    if line.startswith("REQUEST_MOVE"): print(board[:8].index("-"))
"""


def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    assert_all_passed(sample("gamestate", tmp_path))


def test_a_bot_that_counts_from_1_is_found(tmp_path: Path) -> None:
    spoils = "good = questions\nquestions = lambda: (str(int(answer) + 1) for answer in good())"
    found = results(check_of_spoilt("gamestate", tmp_path, spoils), "one_column_left")
    card = found["one_column_left"].card
    assert card is not None
    assert card.code == "full_column"
    assert "check how it counts: the leftmost column is 0" in card.advice


def test_a_bot_that_does_not_look_at_new_boards_is_found(tmp_path: Path) -> None:
    found = codes(check_of_code("gamestate", tmp_path, FIRST_BOARD), "full_columns", "in_pieces", "several_matches")
    assert found["full_columns"] == ""
    assert "full_column" in found.values()


def test_a_bot_that_takes_one_read_for_all_lines_is_found(tmp_path: Path) -> None:
    code = "import os\nwhile text := os.read(0, 1000):\n    print(text.split()[3].index(b'-'), flush=True)"
    found = codes(check_of_code("gamestate", tmp_path, code, answer_s=1.0), "first_answer", "lines_apart")
    assert found["lines_apart"] != ""


def test_the_example_of_the_text_is_told_with_the_bot_s_own_numbers(tmp_path: Path) -> None:
    found = results(sample("gamestate", tmp_path), "example_of_the_text")
    assert found["example_of_the_text"].note == "answers 4 and wins"
