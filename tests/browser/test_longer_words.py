"""Pages in a language of 1.4 times the length, on a narrow phone: nothing is cut off, and axe finds nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from django.conf import settings
from playwright.async_api import Browser

from arena.catalogues import Compiled
from tests.browser.axe import violations
from tests.browser.layout import OVERFLOW
from tests.browser.test_play import a_page, at_match
from tests.kit.marked import OPEN, catalogue
from tests.kit.server import Server, migrate

PAGES = (
    *("/", "/watch/", "/matches/", "/rank/connect-four-7x6/", "/t/", "/games/santorini/", "/about/", "/r/new/"),
    *("/login/", "/signup/", "/settings/", "/puzzles/", "/mistakes/", "/offline/", "/nowhere/"),
)
GAMES = ("connect-four-7x6", "expanding-nim", "santorini-5x5")
PHONE: dict[str, Any] = {"locale": "de-DE", "viewport": {"width": 360, "height": 740}}
# To one side of the screen, and so not seen.
CUT = """() => [...document.querySelectorAll("main :is(button, a.btn, summary, h1, h2)")]
  .filter((each) => each.checkVisibility() && !each.closest(".vh") && each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).display !== "inline")
  .map((each) => `${each.tagName} ${each.textContent.trim().slice(0, 40)}`)"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """One that speaks such a language."""
    data = tmp_path_factory.mktemp("longer")
    migrate(data)
    (data / "locale").unlink()  # it is what all servers share
    for place in settings.LOCALE_PATHS:
        made = Path(str(Compiled(place.source, data))) / "de/LC_MESSAGES/django.mo"
        made.write_bytes(catalogue())
    running = Server(data)
    await running.start()
    yield running
    await running.stop()


@pytest.mark.cases(1)
@pytest.mark.parametrize("game", GAMES)
async def test_nothing_of_a_match_sticks_out_or_is_cut_off(browser: Browser, server: Server, game: str) -> None:
    page = await a_page(browser, server, f"/?game={game}", **PHONE)
    await page.locator("#controls button[type=submit]").first.click()
    await at_match(page)
    for more in ("", "?tab=info", "?tab=chat"):
        await page.goto(page.url.partition("?")[0] + more)
        assert OPEN in await page.locator("main").inner_text()
        assert [*await page.evaluate(OVERFLOW), *await page.evaluate(CUT)] == [], more


@pytest.mark.cases(5)
@pytest.mark.parametrize("address", PAGES)
async def test_nothing_of_a_page_sticks_out_or_is_cut_off(browser: Browser, server: Server, address: str) -> None:
    page = await a_page(browser, server, address, **PHONE)
    said = await violations(page)
    assert [*await page.evaluate(OVERFLOW), *await page.evaluate(CUT), *said] == []
