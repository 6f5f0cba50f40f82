"""The rules that browsers play by without a server are those of `games/`: positions, moves, results, texts."""

from __future__ import annotations

import pytest

import games
from tests.kit.scripts import rule_differences

pytestmark = pytest.mark.long


@pytest.mark.cases(2)
@pytest.mark.parametrize("variant", [variant.slug for variant in games.variants()])
def test_random_matches_are_the_same_in_the_browser(variant: str) -> None:
    assert rule_differences(variant, 25) == []
