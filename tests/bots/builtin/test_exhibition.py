"""Exhibitions: they go on while somebody looks, through all games, make way, and leave nothing behind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from arena.bots.builtin import exhibition
from arena.bots.builtin.exhibition import Exhibitions, Show
from tests.kit.until import until

pytestmark = pytest.mark.long


@pytest.fixture
async def exhibitions(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Exhibitions]:
    monkeypatch.setattr(exhibition, "PACE_S", 0.0)
    monkeypatch.setattr(exhibition, "END_S", 0.0)
    monkeypatch.setattr(exhibition, "PAIRS", (("random", "beginner"),))
    found = Exhibitions()
    yield found
    await found.close()
    assert found.of("") is None


async def test_who_looks_sees_one_game_after_the_other_played_to_its_end(exhibitions: Exhibitions) -> None:
    seen: list[Show] = []

    def looked() -> bool:
        show = exhibitions.of("")
        if show is not None and (not seen or show != seen[-1]):
            seen.append(show)
        return len({each.variant.game for each in seen}) == 2

    await until(looked)
    # A game between two looks is missed: Nim is over in four moves.
    numbers = [each.number for each in seen]
    assert numbers[0] == 1 and numbers == sorted(numbers)
    assert sorted(seen[0].levels) == ["beginner", "random"] and seen[-1].variant != seen[0].variant


async def test_it_ends_when_nobody_looks_any_more_and_begins_again_with_who_does(
    exhibitions: Exhibitions, monkeypatch: pytest.MonkeyPatch
) -> None:
    await until(lambda: exhibitions.of("expanding-nim") is not None)
    monkeypatch.setattr(exhibition, "LOOKED_AT_S", -1.0)
    await until(lambda: not exhibitions._running)
    assert exhibitions._thinkers is None
    monkeypatch.undo()
    await until(lambda: exhibitions.of("expanding-nim") is not None)


async def test_it_makes_way_at_once(exhibitions: Exhibitions) -> None:
    await until(lambda: exhibitions.of("") is not None)
    exhibitions.stop("")
    exhibitions.stop("expanding-nim")
    await until(lambda: not exhibitions._running)


async def test_there_is_none_of_a_game_that_is_not_there(exhibitions: Exhibitions) -> None:
    assert exhibitions.of("chess") is None and not exhibitions._running
