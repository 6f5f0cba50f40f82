from __future__ import annotations

import pytest

from games.players.prover import NOTHING, Bounds
from games.players.search import WIN


@pytest.mark.parametrize(
    ("low", "high", "result"),
    [
        (WIN - 9, WIN - 9, 1),
        (1, WIN - 9, 1),
        (0, 0, 0),
        (0, 1, None),
        (-WIN, -1, -1),
        (-WIN, 0, None),
        (*NOTHING, None),
    ],
)
def test_a_result_is_known_where_both_bounds_say_the_same(low: int, high: int, result: int | None) -> None:
    assert Bounds(low, high).result == result


def test_equal_bounds_are_exact() -> None:
    assert Bounds(0, 0).exact and not Bounds(1, 2).exact
