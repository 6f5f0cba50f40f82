"""The searches in the kernel: what the reference in plain Python finds, in less time."""

from __future__ import annotations

from random import Random

import pytest

import games
from arena.analysis.provers import Provers
from arena.analysis.searches import EightByEightSearch, SantoriniKernelSearch
from games import players
from tests.analysis.deepening import connect_four_differences, quiet_positions, santorini_differences
from tests.kit.positions import after, never, played

VARIANTS = ["connect-four-8x8", "santorini-5x5", "santorini-6x6"]

every_variant = pytest.mark.parametrize("slug", VARIANTS)


def test_on_8x8_it_visits_and_finds_what_the_reference_does() -> None:
    assert connect_four_differences(count=60, seed=8) == []


@pytest.mark.parametrize("size", [5, 6])
def test_in_santorini_it_visits_and_finds_what_the_reference_does(size: int) -> None:
    assert santorini_differences(size, count=25, seed=size) == []


@every_variant
def test_an_end_of_time_at_once_gives_a_legal_move(slug: str) -> None:
    for position in quiet_positions(slug, 6, 6, count=3, seed=1):
        assert players.choose(position, "best", Random(1), after(0), Provers()) in position.legal_moves()


@every_variant
def test_with_the_same_dice_and_bound_a_prover_that_forgets_gives_the_same_move(slug: str) -> None:
    prover, moves = Provers(), set()
    for position in [*quiet_positions(slug, 6, 6, count=1, seed=2)] * 3:
        prover.forget()
        moves.add(players.choose(position, "best", Random(3), after(20), prover))
    assert len(moves) == 1


def test_the_end_of_time_comes_in_the_middle_of_a_call_to_the_kernel() -> None:
    asked = 0

    def out_of_time() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    position = games.variant("connect-four-8x8").start()
    search = Provers().search(position, out_of_time)
    assert isinstance(search, EightByEightSearch)
    with pytest.raises(TimeoutError):
        search.look((0, 0, 0, 0, 0), 60)
    assert asked == 41


def test_a_double_threat_is_made_on_8x8() -> None:
    two_stones = played(games.variant("connect-four-8x8").start(), "3141")
    moves = {players.choose(two_stones, "best", Random(seed), after(10), Provers()) for seed in range(4)}
    assert moves <= {"2", "5"}


def test_santorini_has_a_search_of_its_size_and_other_games_none() -> None:
    prover = Provers()
    assert isinstance(prover.search(games.variant("santorini-5x5").start(), never), SantoriniKernelSearch)
    assert prover.search(games.variant("connect-four-7x6").start(), never) is None
    assert prover.search(games.variant("expanding-nim").start(), never) is None
