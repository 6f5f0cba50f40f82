"""The pages for authors of bots in a real browser: nothing is too wide for a phone, and commands can be copied."""

from __future__ import annotations

from playwright.async_api import Browser, Page

from arena.protocols import protocols
from tests.browser.heard import Heard
from tests.browser.layout import WIDTHS
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.kit.server import Server

# A card clips what is too wide in it, so the page's own width is not enough.
RIGHTMOST = """
Math.max(document.documentElement.scrollWidth,
         ...Array.from(document.querySelectorAll("main td, main p, main li"), e => e.getBoundingClientRect().right))
"""


async def scrolls_sideways(page: Page, address: str) -> list[tuple[str, int]]:
    """Where a page is wider than its window."""
    found = []
    for place in ("", "errors/", *(f"{slug}/" for slug in protocols())):
        await page.goto(f"{address}/protocols/{place}")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            if await page.evaluate(RIGHTMOST) > width:
                found.append((place, width))
    return found


async def test_no_page_scrolls_sideways_and_commands_can_be_copied(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/protocols/", permissions=["clipboard-read", "clipboard-write"])
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    assert await scrolls_sideways(page, server.address) == []
    await page.goto(f"{server.address}/protocols/droidcon/")
    toast = await Heard.on(page, "#toast")
    await page.get_by_role("button", name="Copy").first.click()
    await toast.until("^Copied$")
    port = server.doors["droidcon"]
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == f"python3 droidcon_bot.py my-bot otter-42 127.0.0.1 {port}"
    await page.get_by_text("JavaScript", exact=True).click()
    await page.get_by_text('require("readline")').wait_for()
    assert refused == []
