"""Messages not yet taken by the application: like `asyncio.Queue`, which would take 3 KiB of every open page."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from arena.common.light_event import LightEvent


class Incoming:
    """Messages in order. The code that adds them limits their number."""

    __slots__ = ("_come", "_messages")

    def __init__(self) -> None:
        self._messages: list[dict[str, Any]] = []
        self._come = LightEvent()

    def qsize(self) -> int:
        return len(self._messages)

    def put_nowait(self, message: dict[str, Any]) -> None:
        self._messages.append(message)
        self._come.set()

    async def get(self) -> dict[str, Any]:
        """The next message; if several callers wait, each gets a different one."""
        while not self._messages:
            self._come.clear()
            await self._come.wait()
        return self._messages.pop(0)


def begin(server: Any, protocol: Any, scope: dict[str, Any]) -> Incoming:
    """Have the application of a Daphne server serve a connection, as Daphne does. Returns its messages."""
    scope.setdefault("asgi", {"version": "3.0"})
    incoming = Incoming()
    running = server.application(scope=scope, receive=incoming.get, send=partial(server.handle_reply, protocol))
    server.connections[protocol]["application_instance"] = asyncio.ensure_future(running)
    return incoming
