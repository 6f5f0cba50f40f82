"""Bots in a real browser: registered on a page, connected by its token, challenged in two clicks, retired."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.browser.layout import are_fit, is_fit, resized
from tests.browser.rows import Rows
from tests.browser.sharing import server as server
from tests.browser.test_accounts import a_name
from tests.browser.test_play import a_page, at_match, board
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server

# On how many lines an owner's buttons stand while all are folded.
LINES_OF_TOOLS = """new Set([...document.querySelectorAll("[aria-labelledby=h-owner] .btn")]
  .filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect().top)).size"""


async def an_owner(browser: Browser, server: Server, rows: Rows, **options: Any) -> Page:
    """A page of somebody who has an account."""
    page = await a_page(browser, server, "", **options)
    await rows.log_in(server, page.context, a_name())
    return page


async def register(page: Page, server: Server, name: str) -> str:
    """Add a bot on the page; gives the token that is shown."""
    await page.goto(f"{server.address}/bots/new/")
    await page.fill("[name=name]", name)
    await page.select_option("[name=variant]", "connect-four-7x6")
    await page.select_option("[name=protocol]", "fiar")
    await page.click("text=Add it")
    await expect(page.locator("h1")).to_have_text(f"The token of {name}")
    return (await page.locator(".snippet").first.inner_text()).split()[0]


async def test_a_bot_is_registered_connected_and_challenged_in_two_clicks(
    browser: Browser, server: Server, rows: Rows
) -> None:
    owner, guest = await an_owner(browser, server, rows), await a_page(browser, server, "")
    token = await register(owner, server, "fiar-lisp")
    async with Wire.to(server.doors["fiar"]) as bot:
        await bot.send(f"SEAT {token}")
        await online(guest, server)
        await guest.get_by_role("link", name="Challenge fiar-lisp").click()
        await guest.click("main button.primary")
        await at_match(guest)
        await guest.click("#col-4")
        question = await bot.line()
        assert question.startswith("O ") and question.endswith("...@...")
        await bot.send("4")
        await expect(guest.locator("#p-4-2")).to_be_attached()
        assert await board(guest) == ["p-4-1#d0", "p-4-2#d1"]
        await expect(guest.locator("main")).to_contain_text("fiar-lisp")
        await owner.goto(f"{server.address}/bots/fiar-lisp/")
        await expect(owner.locator("header.row .state")).to_contain_text("online, in a match")
        await owner.click("text=Revoke the token")
        await owner.click("text=Revoke it")
        assert await bot.rest() is not None
    await expect(owner.get_by_role("status").first).to_contain_text("The bot no longer has a token.")
    await expect(guest.locator("#status")).to_contain_text("lost its connection")


async def online(page: Page, server: Server) -> None:
    """Wait until the list of those online has it."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await page.goto(f"{server.address}/bots/?online=1")
            if await page.get_by_role("link", name="Challenge fiar-lisp").count():
                return
            await page.wait_for_timeout(100)


async def test_without_javascript_a_token_is_not_there_again_and_a_retired_bot_is_brought_back_by_its_owner(
    browser: Browser, server: Server, rows: Rows
) -> None:
    page = await an_owner(browser, server, rows, java_script_enabled=False)
    other = await a_page(browser, server, "")
    token = await register(page, server, "fiar-basic")
    assert token.startswith("arn_")
    await page.click("text=To its page")
    await page.locator("summary", has_text="New token").click()
    await page.click("text=Make a new token")
    await expect(page.locator("h1")).to_have_text("The token of fiar-basic")
    assert token not in await page.content()
    for path in ("/bots/fiar-basic/", "/bots/fiar-basic/token/", "/bots/new/"):
        await page.goto(server.address + path)
        assert "arn_" not in (await page.content()).replace("arn_…", "")
    await page.goto(f"{server.address}/bots/fiar-basic/")
    await page.locator("summary", has_text="Retire").click()
    await page.click("text=Retire it")
    await expect(page.locator("main")).to_contain_text("fiar-basic no longer plays: retired by its owner.")
    await other.goto(f"{server.address}/bots/")
    await expect(other.locator("main")).not_to_contain_text("fiar-basic")
    await page.click("text=Bring it back")
    await expect(page.get_by_role("button", name="Bring it back")).to_have_count(0)
    await other.reload()
    await expect(other.locator("main")).to_contain_text("fiar-basic")


async def test_the_pages_of_bots_are_for_everybody(browser: Browser, fresh: Server, rows: Rows) -> None:
    server = fresh
    page = await a_page(browser, server, "/bots/")
    await is_fit(page, "no-bots")
    await rows.log_in(server, page.context, "Mira K")
    await register(page, server, "fiar-lisp")
    await is_fit(page, "token")
    below = ("new/", "fiar-lisp/edit/", "fiar-lisp/version/", "fiar-lisp/", "")
    await are_fit(page, server.address, [f"/bots/{path}" for path in below])
    await resized(page, 390, 844)
    boxes = [await each.bounding_box() for each in await page.locator(".filter select").all()]
    assert len({(box["y"], box["width"]) for box in boxes if box}) == 1, "both filters are as wide, on one line"
    await page.goto(f"{server.address}/bots/fiar-lisp/")
    await resized(page, 390, 844)
    assert await page.evaluate(LINES_OF_TOOLS) <= 3
    for tool in await page.locator("details.tool summary").all():
        await tool.click()
    await is_fit(page, "bots-tools")


async def test_the_page_of_a_check_follows_by_itself_to_its_end(browser: Browser, server: Server, rows: Rows) -> None:
    owner = await an_owner(browser, server, rows)
    await register(owner, server, "fiar-awk")
    await owner.goto(f"{server.address}/bots/fiar-awk/check/")
    await owner.click("text=Begin the check")
    await expect(owner.locator("#how")).to_contain_text("The check is running, step 1 of ")
    await owner.evaluate("window.stays = true")
    (port,) = re.findall(r"127\.0\.0\.1 (\d+)", " ".join((await owner.locator("#talk .snippet").inner_text()).split()))
    await is_fit(owner, "check-running")
    await comes_and_goes(int(port))
    await expect(owner.locator("#how")).to_contain_text("The check ended at ")
    await expect(owner.locator("#how")).to_contain_text("It has passed 0 of ")
    await expect(owner.get_by_role("button", name="Check it again")).to_be_visible()
    assert await owner.evaluate("window.stays"), "it was not loaded again"
    await is_fit(owner, "check-over")


async def comes_and_goes(port: int) -> None:
    """A bot that says nothing, once it is awaited."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                async with Wire.to(port):
                    return
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)
