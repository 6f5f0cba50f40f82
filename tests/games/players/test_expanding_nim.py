"""The Nim player against exact tables that others computed."""

from __future__ import annotations

import csv
import json

import pytest

import games
from games.expanding_nim import NimPosition
from games.players.expanding_nim import PLAYER, loses
from tests.kit.positions import GROUND_TRUTH, never

NIM = games.variant("expanding-nim")


def start(stones: int, resets: int | None) -> NimPosition:
    position = NIM.start(stones=stones, resets=resets)
    assert isinstance(position, NimPosition)
    return position


def rank(position: NimPosition) -> list[str]:
    return PLAYER.rank(position, position.legal_moves(), 200, never)


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "resets"),
    [("no_reset", 0), ("limit1", 1), ("limit2", 2), ("limit3", 3), ("limit4", 4), ("unlimited", None)],
)
def test_the_losing_starts_are_those_of_the_reference(table: str, resets: int | None) -> None:
    known = json.loads((GROUND_TRUTH / "nim_losing_starts.json").read_text(encoding="utf-8"))["tables"][table]
    # One position of the longest match of each start: its table holds all smaller ones.
    states = (NimPosition(1000, resets, left, 2, False, (resets, resets), 0) for left in range(1, max(known) + 1))
    assert [position.stones for position in states if loses(position)] == known


def test_every_state_and_its_winning_moves_are_those_of_the_reference() -> None:
    with (GROUND_TRUTH / "nim_states_exact.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) >= 300
    for row in rows:
        stones, largest, bound = int(row["a"]), int(row["b"]), row["c"] == "1"
        resets = int(row["my_resets"]), int(row["their_resets"])
        position = NimPosition(1000, 9, stones, largest, bound, resets, 0)
        wins = {move.replace("/0", "").replace("/1", "r") for move in row["winning_moves"].split()}
        assert loses(position) == (row["mover_wins"] == "0") == (not wins), row
        assert set(rank(position)[: len(wins)]) == wins, row


@pytest.mark.long
@pytest.mark.parametrize(("stones", "resets"), [(100, 4), (1000, 4), (1000, 9), (999, 0), (1000, None), (57, 1)])
def test_it_never_loses_a_won_match(stones: int, resets: int | None) -> None:
    position = start(stones, resets)
    winner = int(loses(position))
    while position.to_move is not None:
        move = rank(position)[0] if position.to_move == winner else rank(position)[-1]
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None and outcome.winner == winner


def test_the_known_first_move_of_the_course_game_is_found() -> None:
    assert rank(start(100, 4))[0] == "3"  # the only one that wins


def test_a_lost_match_is_made_hard_for_the_other() -> None:
    position = start(97, 4)
    assert loses(position)
    answers = {move: sum(map(loses, after(position.play(move)))) for move in position.legal_moves()}
    assert answers[rank(position)[0]] == min(answers.values())


def after(position: NimPosition) -> list[NimPosition]:
    return [position.play(move) for move in position.legal_moves()]


def test_taking_all_comes_first_and_wastes_no_reset() -> None:
    assert rank(start(3, 4))[0] == "3"
    assert PLAYER.wins(start(3, 4)) == ["3", "3r"]


def test_a_state_that_no_match_reaches_is_told_right_as_well() -> None:
    assert loses(NimPosition(300, 0, 200, 100, False, (0, 0), 1)) is False  # 98 leave 102, one more than may be taken
    assert rank(NimPosition(300, 0, 202, 100, False, (0, 0), 1))[0] == "100"


def test_seats_with_and_without_a_limit_do_not_mix_up() -> None:
    # An endless supply against none: resetting every time keeps multiples of four for the other.
    endless = NimPosition(40, None, 39, 2, False, (None, 0), 0)
    assert not loses(endless)
    assert loses(NimPosition(40, None, 4, 2, True, (None, 0), 1))
