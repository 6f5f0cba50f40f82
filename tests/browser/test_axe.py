"""axe finds what is wrong, and can be run on a page of ours twice."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.browser.axe import violations
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, a_page
from tests.kit.server import Server

FAULTY = "<html lang=en><title>Faulty</title><main><h1>Faulty</h1><img src='data:,'><button></button></main>"


async def test_axe_finds_an_image_and_a_button_without_a_name(browser: Browser) -> None:
    page = await browser.new_page()
    page.set_default_timeout(DEADLINE_MS)
    await page.set_content(FAULTY)
    assert {line.partition(":")[0] for line in await violations(page)} == {"image-alt", "button-name"}


async def test_axe_runs_on_a_page_with_a_strict_policy(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/protocols/errors/")
    assert await violations(page) == []
    assert await violations(page) == []
