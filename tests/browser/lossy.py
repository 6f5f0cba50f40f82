"""A proxy between a page and its websocket, which loses what it is told to lose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from playwright.async_api import Page, WebSocketRoute

from tests.kit.deadline import DEADLINE_S

Loses: TypeAlias = Callable[[int, str], bool]


class Lossy:
    """`loses` says whether a message to the page is lost, by its number from 1 and its words. While it is `down` nobody
    gets through.
    """

    def __init__(self, loses: Loses = lambda number, words: False) -> None:
        self.down = False
        self.opened = self.turned_away = 0
        self.lost = 0
        self._last = False
        self._loses = loses
        self._count = 0
        self._routes: list[WebSocketRoute] = []
        self._changed = asyncio.Condition()

    @classmethod
    async def between(cls, page: Page, loses: Loses = lambda number, words: False, at: str = "**/ws/m/*/?*") -> Lossy:
        """Stand in the way of every websocket of these addresses that the page opens from now on."""
        proxy = cls(loses)
        await page.route_web_socket(at, proxy._open)
        return proxy

    async def cut(self, code: int = 1011) -> None:
        """End what is open, and let nobody through."""
        self.down = True
        await self.close(code)

    async def close(self, code: int) -> None:
        for route in self._routes:
            await route.close(code=code)
        self._routes.clear()

    def once_more(self) -> None:
        """Let the next one through, and nobody after it."""
        self._last = True

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until this is so, of those who were let through or turned away."""
        async with asyncio.timeout(DEADLINE_S), self._changed:
            await self._changed.wait_for(happened)

    async def _open(self, route: WebSocketRoute) -> None:
        if self.down:
            self.turned_away += 1
            await route.close(code=1013)
        else:
            self.opened += 1
            self.down, self._last = self._last, False
            self._routes.append(route)
            server = route.connect_to_server()
            server.on_message(lambda message: self._pass(route, message))
        async with self._changed:
            self._changed.notify_all()

    def _pass(self, route: WebSocketRoute, message: str | bytes) -> None:
        self._count += 1
        if self._loses(self._count, str(message)):
            self.lost += 1
        elif route in self._routes:
            route.send(message)
