"""The pages for authors of bots in a real browser: commands can be copied. test_games.py looks whether they fit."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.browser.heard import Heard
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.kit.server import Server


async def test_commands_can_be_copied(browser: Browser, server: Server) -> None:
    permissions, refused = ["clipboard-read", "clipboard-write"], list[str]()
    page = await a_page(browser, server, "/healthz", permissions=permissions)
    page.on("console", lambda message: refused.append(message.text))
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
