"""The chat beside a match, in the browsers of two players with accounts and of a watcher."""

from __future__ import annotations

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.boards import post
from tests.browser.couples import connected
from tests.browser.rows import Rows
from tests.browser.sharing import server as server
from tests.browser.test_accounts import a_name
from tests.browser.test_play import a_page, at_match
from tests.kit.server import Server

PHONE = {"width": 360, "height": 640}


async def test_players_read_each_other_at_once_and_watchers_apart(browser: Browser, server: Server, rows: Rows) -> None:
    ada, bob = await _members(browser, server, rows)
    watcher = await a_page(browser, server, ada.url.removeprefix(server.address) + "?tab=chat", viewport=PHONE)
    for page in (ada, bob, watcher):
        await connected(page)
    await _tab(ada).click()
    await _say(ada, "good luck <b>to you</b>")
    await expect(_lines(ada)).to_contain_text("good luck <b>to you</b>")
    await expect(ada.locator("#chat-say")).to_have_value("")
    await expect(_tab(bob)).to_have_attribute("data-news", "")
    await _tab(bob).click()
    await expect(_lines(bob)).to_contain_text("good luck <b>to you</b>")
    await expect(_tab(bob)).not_to_have_attribute("data-news", "")
    await _say(bob, "you too")
    await expect(_lines(ada)).to_contain_text("you too")
    await expect(_lines(watcher)).to_contain_text("Nothing has been said yet.")
    await ada.locator(".chat-line summary").click()
    assert [await violations(page) for page in (ada, watcher)] == [[], []]
    assert await watcher.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    await ada.get_by_role("button", name="Mute").click()
    await expect(_lines(ada)).not_to_contain_text("you too")
    await expect(_lines(ada)).to_contain_text("good luck")


async def _members(browser: Browser, server: Server, rows: Rows) -> tuple[Page, Page]:
    """Two people with accounts at one match."""
    pages = []
    for _ in range(2):
        page = await a_page(browser, server, "/about/")
        await rows.log_in(server, page.context, a_name())
        pages.append(page)
    host, friend = pages
    await host.goto(f"{server.address}/r/new/")
    made = await post(host, f"{server.address}/r/new/", variant="connect-four-7x6", clock="none", rounds="1")
    await friend.goto(made)
    await host.goto(await post(friend, f"{made}sit/"))
    for page in pages:  # the friend's, of the room, goes there by itself
        await at_match(page)
    return host, friend


async def _say(page: Page, words: str) -> None:
    await page.locator("#chat-say").fill(words)
    await page.locator("#chat-say").press("Enter")


def _tab(page: Page) -> Locator:
    return page.locator(".parts-bar [data-to=chat]")


def _lines(page: Page) -> Locator:
    return page.locator("#chat-lines")
