"""Contexts of Chromium: every new person in the tests gets one without traces of anybody else.

The first page of a new context starts a process, which compiles every script and loads every font and file: 0.26 s of
processor, of which 0.1 are saved where the process is there already. So a context whose person is gone is emptied and
kept: pages, cookies, permissions and storage go; the process stays, and the files, whose names change with their bytes.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, BrowserContext, CDPSession, Page

# What a context may have been made with to be kept; permissions, for one, would be gone.
PLAIN = {"reduced_motion", "viewport", "java_script_enabled", "forced_colors"}
# Each has a process of its own.
MOST_KEPT = 3


class _Kept(NamedTuple):
    """`keeper` speaks with the page that lets the process live."""

    context: BrowserContext
    options: str
    keeper: CDPSession


class Contexts:
    """Those of one browser."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[_Kept] = []
        self._taken: list[tuple[_Kept, str]] = []

    async def take(self, origin: str, options: dict[str, Any]) -> BrowserContext:
        """An empty one. `origin` is that of the pages that will be opened in it."""
        words = json.dumps(options, sort_keys=True)
        kept = next((each for each in reversed(self._idle) if each.options == words), None)
        if kept is None:
            # A service worker would answer instead of what a test has put in the way: tests about it ask for one.
            context = await self._browser.new_context(**{"service_workers": "block", **options})
            if not PLAIN.issuperset(options):
                return context
            kept = _Kept(context, words, await context.new_cdp_session(await context.new_page()))
        else:
            self._idle.remove(kept)
        self._taken.append((kept, origin))
        return kept.context

    def spoil(self, context: BrowserContext) -> None:
        """Keep it for nobody: something in it outlasts its pages."""
        self._taken = [each for each in self._taken if each[0].context is not context]

    async def leave(self) -> None:
        """Everybody leaves: close everything except what is kept for others."""
        here = self._browser.contexts
        for kept, origin in self._taken:
            if kept.context in here:
                await _empty(kept, origin)
                self._idle.append(kept)
        self._taken.clear()
        del self._idle[:-MOST_KEPT]
        for context in here:
            if all(context is not kept.context for kept in self._idle):
                await context.close()


async def _empty(kept: _Kept, origin: str) -> None:
    for page in kept.context.pages[1:]:
        await page.close()
    await kept.context.clear_cookies()
    await kept.keeper.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


_of: WeakKeyDictionary[Browser, Contexts] = WeakKeyDictionary()


def contexts_of(browser: Browser) -> Contexts:
    return _of.setdefault(browser, Contexts(browser))


async def own_clock(page: Page, **how: Any) -> None:
    """The time of this person goes on as the test wants it: `page.clock`."""
    context = page.context
    assert context.browser is not None, "it is not a context of its own"
    contexts_of(context.browser).spoil(context)
    await context.clock.install(**how)
