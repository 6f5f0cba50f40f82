"""A receiver that records what it is told, so that a test can wait for it."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable

from arena.transports import Transport
from tests.kit.deadline import DEADLINE_S


class Recorder:
    """`data`, `ended` (the peer has finished) and `lost` (the reason, once all is over)."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.data = bytearray()
        self.stamps: list[float] = []
        self.ended = False
        self.lost: str | None = None
        self._changed = asyncio.Event()

    def data_received(self, data: bytes, stamp: float) -> None:
        self.data += data
        self.stamps.append(stamp)
        self._changed.set()

    def eof_received(self) -> None:
        assert not self.ended, "the end of the input comes once"
        self.ended = True
        self._changed.set()

    def connection_lost(self, reason: str) -> None:
        assert self.lost is None, "the end comes once"
        self.lost = reason
        self._changed.set()

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not happened():
                self._changed.clear()
                await self._changed.wait()

    async def until_data(self, data: bytes) -> None:
        await self.until(lambda: data in self.data)

    async def until_lost(self) -> str:
        await self.until(lambda: self.lost is not None)
        assert self.lost is not None
        return self.lost


def open_files() -> int:
    """How many this process has; garbage, as of an earlier test, is no file that stays open."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
