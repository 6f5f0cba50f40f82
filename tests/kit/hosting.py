"""A running host in the test's own loop: pages, sockets and matches as in the server, without doors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from asgiref.sync import sync_to_async

from arena import host as hosting
from arena.host import Host
from tests.kit.refereeing import died
from tests.kit.storage import held


@asynccontextmanager
async def serving() -> AsyncIterator[Host]:
    """From the first look into the log to the last commit."""
    running = await hosting.start(await sync_to_async(held)(), died)
    try:
        await running.open_seats("127.0.0.1", [])
        yield running
    finally:
        await running.stop()
