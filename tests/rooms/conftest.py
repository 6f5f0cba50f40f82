"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from arena.core.referee import Referee
from tests.kit.refereeing import refereeing


@pytest.fixture
async def referee() -> AsyncIterator[Referee]:
    async with refereeing() as referee:
        yield referee
