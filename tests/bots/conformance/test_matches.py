"""Opponents choose as they promise."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import games
from arena.bots.conformance.connect_four import after
from arena.bots.conformance.matches import Opponent, at_random, holds, is_strong, never_wins, play, result, takes_wins
from tests.bots.conformance.checking import GOOD, check_of_code

CONNECT_FOUR = games.variant("connect-four-7x6")
CAN_WIN = after(CONNECT_FOUR, "121212")


@pytest.mark.parametrize("opponent", [at_random, takes_wins, never_wins, is_strong, holds])
@pytest.mark.parametrize("variant", ["connect-four-7x6", "expanding-nim", "santorini-6x6"])
def test_an_opponent_chooses_a_legal_move(opponent: Opponent, variant: str) -> None:
    position = games.variant(variant).start()
    for _ in range(6):
        position = position.play(opponent(position, Random(1)))


def test_a_win_is_taken() -> None:
    assert {takes_wins(CAN_WIN, Random(seed)) for seed in range(20)} == {"1"}
    assert is_strong(CAN_WIN, Random(1)) == "1"


@pytest.mark.parametrize("opponent", [never_wins, holds])
def test_a_win_is_left(opponent: Opponent) -> None:
    assert "1" not in {opponent(CAN_WIN, Random(seed)) for seed in range(20)}


def test_who_holds_leaves_the_other_no_win_either() -> None:
    """Column 2 is where the other has three: taking the own win in column 1 is all that is left undone."""
    assert {holds(CAN_WIN, Random(seed)) for seed in range(20)} == {"2"}


def test_the_last_stone_is_taken_by_who_cannot_but_win() -> None:
    nim = games.variant("expanding-nim").start(stones=1)
    assert never_wins(nim, Random(1)) in nim.legal_moves()


async def test_a_match_is_played_to_its_end(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, GOOD)
    async with check.start() as bot:
        position = await play(bot, 1, takes_wins, check.variant.start(), check.rng)
    assert position.to_move is None
    assert len(bot.moves) == position.ply // 2
    assert bot.gone
    assert result(position, 0) != result(position, 1) or result(position, 0) == "drew"
