"""Random playouts on bare integers play the same game as the rules do."""

from __future__ import annotations

from random import Random

import pytest

import games
from games.players.connect_four_playout import random_playout

MATCHES = 3_000


def by_the_rules(slug: str, rng: Random) -> tuple[int | None, int]:
    position = games.variant(slug).start()
    while position.to_move is not None:
        position = position.play(rng.choice(position.legal_moves()))
    outcome = position.outcome()
    assert outcome is not None
    return outcome.winner, position.ply


@pytest.mark.parametrize(("slug", "columns", "rows"), [("connect-four-7x6", 7, 6), ("connect-four-8x8", 8, 8)])
def test_they_end_as_those_of_the_rules_do(slug: str, columns: int, rows: int) -> None:
    fast, slow = Random(1), Random(2)
    ours = [random_playout(columns, rows, fast) for _ in range(MATCHES)]
    theirs = [by_the_rules(slug, slow) for _ in range(MATCHES)]
    for share in (lambda end: end[0] == 0, lambda end: end[1] < 15, lambda end: end[1] < 21, lambda end: end[1] < 30):
        # Both shares vary by less than 0.013 (one standard deviation of the difference).
        assert sum(map(share, ours)) / MATCHES == pytest.approx(sum(map(share, theirs)) / MATCHES, abs=0.04)


def test_the_winner_has_made_the_last_move() -> None:
    ends = [random_playout(7, 6, rng) for rng in map(Random, range(300))]
    assert {winner for winner, _ in ends} >= {0, 1}
    assert all(winner is None or winner == (plies - 1) % 2 for winner, plies in ends)
    assert min(plies for _, plies in ends) >= 7


def test_a_board_without_room_for_a_line_ends_in_a_draw() -> None:
    assert random_playout(3, 3, Random(1)) == (None, 9)
    assert random_playout(1, 8, Random(1)) == (None, 8)


def test_the_same_dice_play_the_same_match() -> None:
    assert random_playout(8, 8, Random(5)) == random_playout(8, 8, Random(5))
