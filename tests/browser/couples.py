"""Two people in one match, each in a browser of their own; and what a page shows, to compare it with another."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.browser.boards import a_match_of
from tests.browser.test_play import a_page, board
from tests.kit.chromium import POLL_MS
from tests.kit.server import Server
from tests.kit.visiting import Visitor


async def couple(browser: Browser, server: Server, clock: str = "none", **options: Any) -> tuple[Page, Page]:
    """A match of two people; the first one moves first. `options` are those of the first one's browser."""
    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant="connect-four-7x6", clock=clock)
    host = await a_page(browser, server, match, people[0], **options)
    friend = await a_page(browser, server, match, people[1])
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
        polling=POLL_MS,
    )
    assert await same_picture(one, other)
