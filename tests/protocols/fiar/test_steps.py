from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.checking import FIAR, GOOD, assert_all_passed, check_of_code, codes, results, sample

pytestmark = pytest.mark.service


def test_a_good_bot_passes_every_step(tmp_path: Path) -> None:
    assert_all_passed(sample("fiar", tmp_path))


def test_a_bot_that_plays_one_sign_only_is_found(tmp_path: Path) -> None:
    code = FIAR.format(
        "first = globals().setdefault('sign', line[0]); print(free[0] if line[0] == first else 'not me')"
    )
    found = codes(check_of_code("fiar", tmp_path, code), "second_seat", "one_process")
    assert found == {"second_seat": "", "one_process": "debug_output"}


def test_a_bot_that_answers_each_board_once_is_found(tmp_path: Path) -> None:
    code = "seen = set()\n" + FIAR.format("line in seen or print(free[0]); seen.add(line)")
    found = codes(check_of_code("fiar", tmp_path, code, answer_s=1.0), "first_answer", "asked_again")
    assert found == {"first_answer": "", "asked_again": "asked_again"}


def test_a_bot_that_counts_from_0_is_found(tmp_path: Path) -> None:
    found = codes(check_of_code("fiar", tmp_path, FIAR.format("print(free[0] - 1)")))
    assert found == {"first_answer": "counts_from_0"}


def test_a_bot_that_plays_a_full_column_is_found(tmp_path: Path) -> None:
    found = codes(
        check_of_code("fiar", tmp_path, FIAR.format("print(4)")), "first_answer", "one_column_left", "full_columns"
    )
    assert found == {"first_answer": "", "one_column_left": "full_column", "full_columns": "full_column"}


def test_both_line_ends_are_taken_and_noted(tmp_path: Path) -> None:
    other = results(check_of_code("fiar", tmp_path, FIAR.format("print(free[0], end='\\r\\n')")), "line_ends")
    assert other["line_ends"].card is None
    assert "\\r\\n" in other["line_ends"].note
    plain = results(check_of_code("fiar", tmp_path, GOOD), "line_ends")
    assert plain["line_ends"].note == ""
