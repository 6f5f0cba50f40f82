"""A seat whose bots come over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.bots.session.test_session import Opens, opening


@pytest.fixture
async def opened() -> AsyncIterator[Opens]:
    async with opening() as open_seat:
        yield open_seat
