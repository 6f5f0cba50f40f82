"""The steps one by one, and when no more are tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.conformance import steps_of
from arena.bots.conformance.check import GIVE_UP
from tests.kit.checking import AND_SAYS, FIAR, GOOD, check_of_code, codes, results

pytestmark = pytest.mark.service


def test_who_fails_the_first_step_is_not_tried_further(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("print('hello')"))
    assert codes(check) == {"first_answer": "debug_output"}


def test_who_fails_another_step_is_tried_on(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format(AND_SAYS.format("done")))
    found = codes(check, "first_answer", "quiet_behind_answer", "line_ends")
    assert found == {"first_answer": "", "quiet_behind_answer": "answered_twice", "line_ends": ""}


def test_who_often_lets_its_time_run_out_is_not_tried_to_the_end(tmp_path: Path) -> None:
    code = FIAR.format("print(free[0], flush=True) if len(free) == 7 and '@' not in line[1:] else time.sleep(600)")
    found = results(check_of_code("fiar", tmp_path, code, answer_s=0.5, startup_s=0.5))
    failed = [result for result in found.values() if result.card is not None]
    assert len(failed) == GIVE_UP
    assert len(found) < len(steps_of("fiar"))
    assert {result.card.code for result in failed if result.card} <= {"too_slow", "start_too_slow"}


def test_who_writes_too_much_to_its_standard_error_is_told_so(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("os.write(2, b'x' * 100_000); print(free[0])"))
    found = results(check, "first_answer")
    card = found["first_answer"].card
    assert card is not None
    assert card.code == "stderr_flood"
    assert "64 KiB or more" in card.sentence


def test_a_result_has_its_wire_and_the_time_of_its_answers(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, FIAR.format("print(9)"))
    found = results(check, "first_answer")
    asked = "< @ .........................................."
    assert found["first_answer"].wire == tuple(line for _ in range(11) for line in (asked, "> 9"))
    good = check_of_code("fiar", tmp_path, GOOD)
    results(good, "first_against_random", "reply_time")
    assert good.replies


def test_who_takes_each_read_for_a_message_is_told_to_collect_what_comes(tmp_path: Path) -> None:
    code = """import os
while text := os.read(0, 100).decode():
    sign, board = text.split()
    print(board[:7].index('.') + 1, flush=True)"""
    found = results(check_of_code("fiar", tmp_path, code), "first_answer", "in_pieces")
    assert found["first_answer"].card is None
    card = found["in_pieces"].card
    assert card is not None
    assert card.code == "traceback"
    assert "to a buffer" in card.advice
