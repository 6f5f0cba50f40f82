"""Two people in one match, each in a browser of their own; and what a page shows, to compare it with another."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.browser.test_play import ROOM, a_page, at_match, board, led_to
from tests.kit.server import Server


async def couple(browser: Browser, server: Server, clock: str = "", **options: Any) -> tuple[Page, Page]:
    """A match of two people; the first one moves first. `clock` is a choice of the form, `options` are those of the
    first one's browser.
    """
    host = await a_page(browser, server, "/r/new/", **options)
    if clock:
        await host.get_by_label("Clock").select_option(clock)
    await host.get_by_role("button", name="Create the link").click()
    await led_to(host, ROOM)
    friend = await a_page(browser, server, host.url.removeprefix(server.address))
    await friend.get_by_role("button", name="Sit down and play").click()
    await at_match(friend)
    await at_match(host)
    await connected(host)
    await connected(friend)
    return host, friend


async def connected(page: Page) -> None:
    """Wait until the page has its websocket: it is told of the newest event soon after."""
    await expect(page.locator("#hb[data-seq]")).to_be_attached()


async def drop(page: Page, column: int) -> None:
    await page.locator(f"#col-{column}:not([aria-disabled])").click()


async def moves(page: Page) -> list[str]:
    """The rows of the move list."""
    return list(await page.locator("#moves li").evaluate_all("rows => rows.map(row => row.id)"))


async def same_picture(one: Page, other: Page) -> bool:
    return await board(one) == await board(other) and await moves(one) == await moves(other)


async def becomes_same(one: Page, other: Page) -> None:
    """Wait until both show the same board and the same moves."""
    await one.wait_for_function(
        "want => JSON.stringify([...document.querySelectorAll('#moves li')].map(row => row.id)) === want",
        arg=await other.evaluate("JSON.stringify([...document.querySelectorAll('#moves li')].map(row => row.id))"),
    )
    assert await same_picture(one, other)
