"""Opening sets: legal, different, not over, not lost at once, and the same for the same seed."""

from __future__ import annotations

import random

import pytest

import games
from arena.tournaments.openings import openings

SLUGS = [variant.slug for variant in games.variants()]


@pytest.mark.parametrize("slug", SLUGS)
def test_they_can_be_played_and_are_different(slug: str) -> None:
    found = openings(slug, {}, 4, 10, random.Random(7))
    assert len(found) == 10
    positions = set()
    for moves in found:
        position = games.variant(slug).start()
        for move in moves.split():
            position = position.play(move)
        assert position.ply == 4
        assert position.outcome() is None
        positions.add(str(position))
    assert len(positions) == 10


def test_the_same_seed_gives_the_same_set() -> None:
    first, again, other = (openings("connect-four-7x6", {}, 4, 20, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_small_game_has_fewer() -> None:
    assert openings("connect-four-7x6", {}, 0, 5, random.Random(1)) == [""]
    assert len(openings("connect-four-7x6", {}, 1, 50, random.Random(1))) == 7
    assert openings("expanding-nim", {"stones": 4}, 9, 3, random.Random(1)) == []
