"""Every fault in every protocol, many at once; `make soak` plays five hundred matches of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bots.faulty.many import CASES, play_many


@pytest.mark.service
async def test_each_ends_as_expected_its_opponent_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    await play_many(len(CASES), tmp_path)
