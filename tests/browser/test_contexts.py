"""A context that is kept for the next person has nothing of the one before."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.kit.contexts import contexts_of, own_clock
from tests.kit.server import Server

LEFT = "[document.cookie.includes('mine'), localStorage.length, sessionStorage.length, window.mine]"
WRITE = "localStorage.turn = sessionStorage.turn = window.mine = 1; document.cookie = 'mine=1'"


async def test_the_next_one_finds_nothing(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/about/")
    before = await page.evaluate(LEFT)
    await page.evaluate(WRITE)
    await (await page.context.new_page()).goto(f"{server.address}/login/")
    assert await page.evaluate(LEFT) != before
    cookies = {each["value"] for each in await page.context.cookies()}
    await contexts_of(browser).leave()
    after = await a_page(browser, server, "/about/")
    assert after.context is page.context and page.is_closed() and not after.is_closed()
    assert await after.evaluate(LEFT) == before
    assert not cookies & {each["value"] for each in await after.context.cookies()}
    assert len(after.context.pages) == 2, "its own, and the one that keeps the process"


async def test_who_is_here_shares_with_nobody_and_other_options_are_another_context(
    browser: Browser, server: Server
) -> None:
    one, other = [await a_page(browser, server, "/healthz") for _ in range(2)]
    assert one.context is not other.context
    await contexts_of(browser).leave()
    phone = await a_page(browser, server, "/healthz", viewport={"width": 390, "height": 800})
    assert phone.context not in (one.context, other.context)


async def test_nobody_is_left_in_a_time_that_a_test_has_stopped(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/healthz")
    await own_clock(page)
    await contexts_of(browser).leave()
    after = await a_page(browser, server, "/healthz")
    assert after.context is not page.context
    await after.evaluate("new Promise((drawn) => requestAnimationFrame(drawn))")
