"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.kit.storage import RunLedger, ledgers


@pytest_asyncio.fixture
async def running() -> AsyncIterator[RunLedger]:
    async with ledgers() as run:
        yield run
