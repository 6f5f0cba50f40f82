"""Words that are on a page for a few seconds only: on a busy machine a test that looks for them finds them gone."""

from __future__ import annotations

import asyncio
import itertools
import json
import re

from playwright.async_api import Page

from tests.kit.deadline import DEADLINE_S

_numbers = itertools.count(1)
LISTEN = """([selector, tell]) => {
  let last;
  const look = () => {
    const place = document.querySelector(selector);
    const words = place && !place.hidden ? place.textContent.replace(/\\s+/g, " ").trim() : "";
    if (words !== last) window[tell]((last = words));
  };
  const all = { attributes: true, childList: true, characterData: true, subtree: true };
  new MutationObserver(look).observe(document, all);
  look();
}"""


class Heard:
    """All that a place of the page has said since, on this page and on those that it leads to."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._changed = asyncio.Condition()

    @classmethod
    async def on(cls, page: Page, selector: str) -> Heard:
        heard, tell = cls(), f"heard{next(_numbers)}"
        listen = f"({LISTEN})({json.dumps([selector, tell])})"
        await page.expose_function(tell, heard._hear)
        await page.add_init_script(listen)
        await page.evaluate(listen)
        return heard

    async def until(self, words: str) -> None:
        """Wait until something has stood there that this pattern is found in."""
        async with asyncio.timeout(DEADLINE_S), self._changed:
            await self._changed.wait_for(lambda: any(re.search(words, each) for each in self.words))

    async def _hear(self, words: str) -> None:
        async with self._changed:
            self.words.append(words)
            self._changed.notify_all()
