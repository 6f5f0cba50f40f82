"""A proxy between a page and its websocket, which loses what it is told to lose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from playwright.async_api import Page, WebSocketRoute

Loses: TypeAlias = Callable[[int, str], bool]


class Lossy:
    """`loses` says whether a message to the page is lost, by its number from 1 and its words. While it is `down` nobody
    gets through.
    """

    def __init__(self, loses: Loses = lambda number, words: False) -> None:
        self.down = False
        self.opened = 0
        self.lost = 0
        self._loses = loses
        self._count = 0
        self._routes: list[WebSocketRoute] = []
        self._changed = asyncio.Condition()

    @classmethod
    async def between(cls, page: Page, loses: Loses = lambda number, words: False) -> Lossy:
        """Stand in the way of every websocket that the page opens from now on."""
        proxy = cls(loses)
        await page.route_web_socket("**/ws/m/*/?*", proxy._open)
        return proxy

    async def cut(self, code: int = 1011) -> None:
        """End what is open, and let nobody through."""
        self.down = True
        await self.close(code)

    async def close(self, code: int) -> None:
        for route in self._routes:
            await route.close(code=code)
        self._routes.clear()

    async def again(self, times: int) -> None:
        """Wait until the page has got through this many times."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.opened >= times)

    async def _open(self, route: WebSocketRoute) -> None:
        if self.down:
            await route.close(code=1013)
            return
        self._routes.append(route)
        server = route.connect_to_server()
        server.on_message(lambda message: self._pass(route, message))
        async with self._changed:
            self.opened += 1
            self._changed.notify_all()

    def _pass(self, route: WebSocketRoute, message: str | bytes) -> None:
        self._count += 1
        if self._loses(self._count, str(message)):
            self.lost += 1
        elif route in self._routes:
            route.send(message)
