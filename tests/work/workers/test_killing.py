"""Whole events over each engine, killed in the middle; `make soak ARGS=workers` has thirty bots and five kills."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.processes import Postgres
from tests.work.workers import killing


@pytest.mark.service
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.cases(1)
@pytest.mark.parametrize("engine", killing.ENGINES)
async def test_every_pairing_counts_once_whatever_is_killed(postgres: Postgres, folder: Path, engine: str) -> None:
    told = await killing.play(folder, postgres, engine, kills=3, bots=5)
    assert told.is_right, told
