"""Opponents choose as they promise."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import games
from arena.bots.conformance.check import Check
from arena.bots.conformance.command import Command
from arena.bots.conformance.stage import BotStage
from arena.protocols import protocol
from arena.protocols.column_steps import after
from arena.protocols.step_matches import Opponent, at_random, holds, is_strong, never_wins, play, result, takes_wins
from arena.protocols.steps import MovesMade, Script, StartBot
from games import Position
from tests.kit.checking import GOOD, check_of_code

CONNECT_FOUR = games.variant("connect-four-7x6")
CAN_WIN = after(CONNECT_FOUR, "121212")


def table(seed: int) -> Check:
    """One with these dice; no bot is started."""
    return Check(Command(protocol("fiar"), (), Path(), 1.0, 1.0), CONNECT_FOUR, Random(seed))


@pytest.mark.parametrize("opponent", [at_random, takes_wins, never_wins, is_strong, holds])
@pytest.mark.parametrize("variant", ["connect-four-7x6", "expanding-nim", "santorini-6x6"])
@pytest.mark.long
def test_an_opponent_chooses_a_legal_move(opponent: Opponent, variant: str) -> None:
    position = games.variant(variant).start()
    for _ in range(6):
        position = position.play(opponent(table(1), position))


def test_a_win_is_taken() -> None:
    assert {takes_wins(table(seed), CAN_WIN) for seed in range(20)} == {"1"}
    assert is_strong(table(1), CAN_WIN) == "1"


@pytest.mark.parametrize("opponent", [never_wins, holds])
def test_a_win_is_left(opponent: Opponent) -> None:
    assert "1" not in {opponent(table(seed), CAN_WIN) for seed in range(20)}


def test_who_holds_leaves_the_other_no_win_either() -> None:
    """Column 2 is where the other has three: taking the own win in column 1 is all that is left undone."""
    assert {holds(table(seed), CAN_WIN) for seed in range(20)} == {"2"}


def test_the_last_stone_is_taken_by_who_cannot_but_win() -> None:
    nim = games.variant("expanding-nim").start(stones=1)
    assert never_wins(table(1), nim) in nim.legal_moves()


def test_a_match_is_played_to_its_end(tmp_path: Path) -> None:
    check = check_of_code("fiar", tmp_path, GOOD)
    seen: list[Position] = []

    def script() -> Script:
        yield StartBot()
        seen.append((yield from play(check, 1, takes_wins, check.variant.start())))
        moves: list[str] = yield MovesMade()
        return str(len(moves))

    moves = BotStage(check.start, check.command.start).perform(script())
    (position,) = seen
    assert position.to_move is None
    assert int(moves) == position.ply // 2
    assert result(position, 0) != result(position, 1) or result(position, 0) == "drew"
