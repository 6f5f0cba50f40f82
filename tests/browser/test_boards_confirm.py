"""With "Confirm my moves" the first press shows a move and the second one plays it."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, at_match, log, shows
from tests.kit.server import Server


@pytest.mark.parametrize(
    ("game", "first", "second"), [("connect-four-7x6", "#col-2", "#col-5"), ("santorini-5x5", "#t-b2", "#t-d4")]
)
async def test_the_first_press_shows_and_the_second_plays(
    browser: Browser, server: Server, game: str, first: str, second: str
) -> None:
    page = await a_page(browser, server, "")
    await page.context.add_cookies([{"name": "prefs", "value": "confirm:on", "url": server.address}])
    await page.goto(f"{server.address}/?game={game}")
    await page.click(first)
    await expect(page.locator(".sure")).to_have_count(1)
    await expect(page.locator("#say")).to_contain_text("Press again to play it.")
    await page.locator(second).focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(f"{second}.sure")).to_have_count(1)
    await expect(page.locator(".sure")).to_have_count(1)
    assert "/m/" not in page.url
    await page.keyboard.press("Enter")
    await at_match(page)
    await shows(page, 1)
    assert (await log(page))["moves"][0]["move"] == second.partition("-")[2]


async def test_a_running_match_asks_as_well_and_nim_which_has_a_button_of_its_own_asks_no_second_time(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "/")
    await page.click("#col-4")
    await at_match(page)
    await page.context.add_cookies([{"name": "prefs", "value": "confirm:on", "url": server.address}])
    await page.reload()
    await shows(page, 2)
    await page.click("#col-1")
    await expect(page.locator("#col-1.sure")).to_have_count(1)
    await page.click("#col-1")
    await shows(page, 4)
    await page.goto(f"{server.address}/?game=expanding-nim")
    await page.click("#take")
    await at_match(page)
