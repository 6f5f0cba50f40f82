"""Pages to be read in a browser, games, protocols and errors: on every width and theme; from the rules to the board."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

import games
from arena.protocols import protocols
from tests.browser.axe import violations
from tests.browser.server import Server
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, at_match

PAGES = [
    *("/games/", *(f"/games/{game.slug}/" for game in games.games())),
    *("/protocols/", "/protocols/errors/", *(f"/protocols/{slug}/" for slug in protocols())),
    *("/about/", "/m/nothere/", "/r/nothere/", "/@/nobody/"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_and_nothing_scrolls_sideways(browser: Browser, server: Server, scheme: str) -> None:
    page = await a_page(browser, server, color_scheme=scheme)
    for path in PAGES:
        await page.goto(server.address + path)
        for width in (320, 360, 390, 768, 1280):
            await page.set_viewport_size({"width": width, "height": 900})
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide == width, f"{path} is {wide} wide on {width}"
            if width in (390, 1280):
                assert await violations(page) == [], f"{path} on {width}"


async def test_the_rules_lead_to_a_board_that_can_be_played(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/games/santorini/")
    await expect(page.locator(".boards svg")).to_have_count(3)
    await page.click("text=Play Santorini 5 × 5")
    await page.click("#t-c3")
    await at_match(page)
    await expect(page.locator(".match-title")).to_contain_text("Santorini 5 × 5")
