"""The table of levels."""

from __future__ import annotations

from itertools import pairwise

from games.players.level import EVERY_LEVEL


def test_each_level_sees_at_least_as_much_as_the_one_below() -> None:
    for lower, higher in pairwise(EVERY_LEVEL):
        assert lower.sees_win <= higher.sees_win <= 1
        assert lower.sees_danger <= higher.sees_danger <= 1
        assert lower.depth <= higher.depth
        assert lower.seconds <= higher.seconds


def test_who_looks_ahead_slips_less_the_stronger_and_the_best_never() -> None:
    slips = [level.slip for level in EVERY_LEVEL if level.depth]
    assert slips == sorted(slips, reverse=True)
    assert slips[-1] == 0
