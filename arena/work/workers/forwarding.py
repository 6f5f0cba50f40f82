"""Reports of a slot about a running match, on their way to the host: kept until somebody watches, then sent as they
come.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from arena.work.workers.jobs import AskedWrongly, DatabaseAway

log = logging.getLogger("arena.worker")

AGAIN_S = 1.0


class SliceForwarder:
    """The slices of one run. `send` gets one as text, and says whether more are wanted; slices that come while it sends
    are sent together. Nobody waits for it, and what cannot be sent is dropped, because the answer contains everything.
    """

    def __init__(self, send: Callable[[str], Awaitable[bool]], watched: bool) -> None:
        self._send = send
        self._kept: list[Any] = []
        self._news = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None
        if watched:
            self.begin()

    def add(self, found: Any) -> None:
        """Add a slice."""
        self._kept.append(found)
        self._news.set()

    def begin(self) -> None:
        """Somebody watches: send what there is, and then what comes."""
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._forward())

    async def close(self) -> None:
        """Send nothing more."""
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _forward(self) -> None:
        while True:
            await self._news.wait()
            kept, self._kept = _joined(self._kept), []
            self._news.clear()
            try:
                if not await self._send(json.dumps(kept)):
                    return
            except DatabaseAway:
                self._kept.insert(0, kept)
                self._news.set()
                await asyncio.sleep(AGAIN_S)
            except AskedWrongly as why:
                log.warning("the match is not shown while it is played: %s", why)
                return


def _joined(slices: list[Any]) -> Any:
    """Consecutive slices, joined into one."""
    return {**slices[0], "events": [event for each in slices for event in each["events"]]}
