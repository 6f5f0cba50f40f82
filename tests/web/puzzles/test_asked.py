"""What is said of a position in which a move is to be found, and of the moves that are tried."""

from __future__ import annotations

import pytest

import games
from arena.web.puzzles import asked

# Column 4 wins in 2, columns 3 and 7 draw.
POSITION = games.variant("connect-four-7x6").start()
for _move in "7371153":
    POSITION = POSITION.play(_move)
VALUES = [-30, -32, 0, 3, -32, -32, 0]


def question(values: list[int | str | None] = VALUES) -> asked.MoveQuestion:  # type: ignore[assignment]
    return asked.ask("connect-four-7x6", str(POSITION), values)


def test_the_task_says_how_many_moves_keep_what() -> None:
    assert asked.task(question()) == "Find the only move that keeps the win."
    assert asked.task(question([-30, 5, 0, 3, -32, -32, 0])) == "Find a move that keeps the win."
    assert asked.task(question([-30, -4, -2, 0, -32, -32, -8])) == "Find the only move that keeps the draw."


def test_of_others_only_what_is_proved_is_said() -> None:
    assert asked.others(question()) == "Every other move loses or draws."
    assert asked.others(question([0, 0, 0, 3, 0, 0, 0])) == "Every other move draws."
    assert asked.others(question([-8, -8, -8, 3, -8, -8, -8])) == "Every other move loses."
    assert asked.others(question([None, -32, 0, 3, -32, -32, 0])) == ""


@pytest.mark.parametrize("broken", [[0] * 6, [0] * 8, ["x"] * 7])
def test_values_of_another_position_are_refused(broken: list[int | str | None]) -> None:
    with pytest.raises(ValueError, match="zip|no value"):
        question(broken)


def test_an_answer_that_was_shown_is_not_called_right() -> None:
    assert asked.verdict(question(), "4", "", shown=True)[:2] == (None, "The answer")
    assert asked.verdict(question(), "4", "", shown=False)[:2] == (True, "Right")
    unknown = question([None, -32, 0, 3, -32, -32, 0])
    assert asked.verdict(unknown, "1", "", shown=False).reason == "Column 1 is not proved to keep it."


async def test_the_answer_to_a_move_is_the_best_one_and_to_the_last_move_none() -> None:
    assert await asked.reply_to(question(), "1") == "4"
    over = asked.ask("connect-four-7x6", str(POSITION.play("4").play("1")), [1, 1, 1, 1, 1, 1, 1])
    winning = next(m for m in over.position.legal_moves() if over.position.play(m).outcome())
    assert await asked.reply_to(over, winning) == ""
