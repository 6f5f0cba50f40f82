"""A server that is killed in the middle of an event; `make soak` kills it thirty times, in an event of two legs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tournaments import killing

KILLS = 2


@pytest.mark.service
@pytest.mark.long
@pytest.mark.timeout(killing.EVENT_S + 60)
async def test_killed_again_and_again_the_table_is_complete_and_nothing_is_played_twice(tmp_path: Path) -> None:
    await killing.play(tmp_path, KILLS, legs=1)
