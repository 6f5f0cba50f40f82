"""Reports of a slot about a running match: kept until somebody watches, then sent as they come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

AGAIN_S = 1.0


class NotNow(Exception):
    """A slice cannot be sent now, but later. The message says why."""


class SliceForwarder:
    """The slices of one run. `send` gets one, and says whether more are wanted; slices that come while it sends are
    sent together. Nobody waits for it, and what cannot be sent is dropped, because the answer contains everything.
    """

    def __init__(self, send: Callable[[Any], Awaitable[bool]], watched: bool) -> None:
        self._send = send
        self._kept: list[Any] = []
        self._news, self._closed = asyncio.Event(), asyncio.Event()
        self._sending: asyncio.Task[None] | None = None
        if watched:
            self.begin()

    def add(self, found: Any) -> None:
        self._kept.append(found)
        self._news.set()

    def begin(self) -> None:
        """Somebody watches: send what there is, and then what comes."""
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._forward())

    async def close(self) -> None:
        """Begin to send nothing more; returns when what is being sent has arrived."""
        self._closed.set()
        self._news.set()
        if self._sending is not None:
            await asyncio.wait([self._sending])

    async def _forward(self) -> None:
        while True:
            await self._news.wait()
            if self._closed.is_set():
                return
            kept, self._kept = _joined(self._kept), []
            self._news.clear()
            try:
                if not await self._send(kept):
                    return
            except NotNow:
                self._kept.insert(0, kept)
                self._news.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_S):
                        await self._closed.wait()


def _joined(slices: list[Any]) -> Any:
    """Consecutive slices, joined into one."""
    return {**slices[0], "events": [event for each in slices for event in each["events"]]}
