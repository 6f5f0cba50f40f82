"""The Connect Four player against exact values that others computed."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

import games
from games.connect_four import ConnectFourPosition
from games.players.connect_four import PLAYER
from tests.kit.positions import GROUND_TRUTH, after, never, played

SEVEN_BY_SIX = games.variant("connect-four-7x6").start()
EIGHT_BY_EIGHT = games.variant("connect-four-8x8").start()


def rows(name: str, least_plies: int) -> Iterator[dict[str, str]]:
    with (GROUND_TRUTH / name).open(encoding="utf-8", newline="") as lines:
        yield from (row for row in csv.DictReader(lines) if int(row["ply"]) >= least_plies)


def ranked(position: games.Position, moves: str = "", depth: int = 200) -> list[str]:
    assert isinstance(position, ConnectFourPosition)
    return PLAYER.rank(position, tuple(moves) or position.legal_moves(), depth, never)


def winner(position: games.Position) -> int | None:
    """Who wins when both play their best."""
    while position.to_move is not None:
        position = position.play(ranked(position)[0])
    outcome = position.outcome()
    assert outcome is not None
    return outcome.winner


@pytest.mark.long
def test_from_20_plies_it_wins_as_quickly_and_loses_as_slowly_as_can_be() -> None:
    checked = 0
    for row in rows("c4_6x7_positions_scored.csv", 20):
        move = ranked(played(SEVEN_BY_SIX, row["moves"]))[0]
        assert row[f"col{int(move) - 1}"] == row["score"], f"{move} after {row['moves']}"
        checked += 1
    assert checked > 90


@pytest.mark.long
def test_on_8x8_it_reaches_the_known_result_from_40_plies() -> None:
    checked = 0
    for row in list(rows("c4_8x8_positions_solved.csv", 40))[::2]:
        position = played(EIGHT_BY_EIGHT, row["moves"])
        mover = int(row["ply"]) % 2
        assert winner(position) == {"1": mover, "0": None, "-1": 1 - mover}[row["result_for_mover"]], row["moves"]
        checked += 1
    assert checked > 50


def test_a_double_threat_is_made_and_foreseen() -> None:
    two_stones = played(SEVEN_BY_SIX, "3141")  # c1, d1 against a1, a2: only e1 makes three with both ends open
    assert ranked(two_stones, depth=3)[0] == "5"
    assert ranked(played(SEVEN_BY_SIX, "314"), depth=4)[0] in "256"


def test_a_move_that_gives_the_match_away_comes_last() -> None:
    assert ranked(played(SEVEN_BY_SIX, "14141"))[0] == "1"
    assert ranked(played(SEVEN_BY_SIX, "14141"), moves="21")[0] == "1"


def test_only_the_moves_asked_for_are_ranked() -> None:
    assert sorted(ranked(SEVEN_BY_SIX, moves="16", depth=2)) == ["1", "6"]
    assert ranked(played(SEVEN_BY_SIX, "141414"), moves="32") == ["3", "2"]


def test_where_all_is_lost_every_move_is_still_ranked() -> None:
    lost = played(SEVEN_BY_SIX, "41516")
    assert sorted(ranked(lost)) == list("1234567")


def test_an_end_of_time_at_once_gives_a_legal_move() -> None:
    position = EIGHT_BY_EIGHT
    assert isinstance(position, ConnectFourPosition)
    assert PLAYER.rank(position, position.legal_moves(), 200, after(0))[0] in position.legal_moves()


@pytest.mark.parametrize(("column", "weight"), [("1", 1), ("2", 2), ("4", 4), ("5", 3), ("7", 1)])
def test_columns_weigh_more_towards_the_centre(column: str, weight: int) -> None:
    assert isinstance(SEVEN_BY_SIX, ConnectFourPosition)
    assert PLAYER.weight(SEVEN_BY_SIX, column) == weight
