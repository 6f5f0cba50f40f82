"""Bots in a real browser: registered on a page, connected by its token, challenged in two clicks, retired."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

from tests.bots.clients import Wire
from tests.browser.layout import is_fit
from tests.browser.server import Server
from tests.browser.test_accounts import sign_up
from tests.browser.test_play import a_page, at_match, board


async def register(page: Page, server: Server, name: str = "fiar-lisp") -> str:
    """Add a bot on the page; gives the token that is shown."""
    await page.goto(f"{server.address}/bots/new/")
    await page.fill("[name=name]", name)
    await page.select_option("[name=variant]", "connect-four-7x6")
    await page.select_option("[name=protocol]", "fiar")
    await page.click("text=Add it")
    await expect(page.locator("h1")).to_have_text(f"The token of {name}")
    return (await page.locator(".snippet").first.inner_text()).split()[0]


async def test_a_bot_is_registered_connected_and_challenged_in_two_clicks(browser: Browser, server: Server) -> None:
    owner, guest = await a_page(browser, server), await a_page(browser, server)
    await sign_up(owner, server)
    token = await register(owner, server)
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
    await expect(owner.get_by_role("status").first).to_contain_text("It has no token any more.")
    await expect(guest.locator("#status")).to_contain_text("lost its connection")


async def online(page: Page, server: Server) -> None:
    """Wait until the list says that a bot is online."""
    for _ in range(100):
        await page.goto(f"{server.address}/bots/?online=1")
        if await page.locator("#h-online").count():
            return
        await page.wait_for_timeout(100)
    pytest.fail("no bot has come online")


async def test_a_retired_bot_is_brought_back_by_its_owner(browser: Browser, server: Server) -> None:
    page, other = await a_page(browser, server), await a_page(browser, server)
    await sign_up(page, server)
    await register(page, server)
    await page.click("text=To its page")
    await page.locator("summary", has_text="Retire").click()
    await page.click("text=Retire it")
    await expect(page.locator("main")).to_contain_text("fiar-lisp plays no more: retired by its owner.")
    await other.goto(f"{server.address}/bots/")
    await expect(other.locator("main")).not_to_contain_text("fiar-lisp")
    await page.click("text=Bring it back")
    await other.reload()
    await expect(other.locator("main")).to_contain_text("fiar-lisp")


async def test_a_token_is_not_there_again_when_the_page_is_asked_for_once_more(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server)
    await sign_up(page, server)
    token = await register(page, server)
    await page.click("text=To its page")
    await page.locator("summary", has_text="New token").click()
    await page.click("text=Make a new token")
    assert token not in await page.content()
    for path in ("/bots/fiar-lisp/", "/bots/fiar-lisp/token/", "/bots/new/"):
        await page.goto(server.address + path)
        assert "arn_" not in (await page.content()).replace("arn_…", "")


async def test_bots_can_be_added_without_javascript(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, java_script_enabled=False)
    await sign_up(page, server)
    assert (await register(page, server)).startswith("arn_")
    await page.click("text=To its page")
    await page.locator("summary", has_text="New token").click()
    await page.click("text=Make a new token")
    await expect(page.locator("h1")).to_have_text("The token of fiar-lisp")


async def test_the_pages_of_bots_are_for_everybody(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/bots/", reduced_motion="reduce")
    await is_fit(page, "no-bots")
    await sign_up(page, server)
    await register(page, server)
    await is_fit(page, "token")
    for path in ("new/", "fiar-lisp/edit/", "fiar-lisp/version/", "fiar-lisp/", ""):
        await page.goto(f"{server.address}/bots/{path}")
        await is_fit(page, f"bots/{path}")
    await page.goto(f"{server.address}/bots/fiar-lisp/")
    for tool in await page.locator("details.tool summary").all():
        await tool.click()
    await is_fit(page, "bots-tools")
