"""Pages shown to others: a match in a frame of another site, and the projector of the arena and of an event."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser import cups
from tests.browser.boards import Other, a_match_of
from tests.browser.layout import is_fit, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page
from tests.kit.contexts import own_clock
from tests.kit.server import Server
from tests.kit.visiting import Visitor

server = of_module
SCREENS = ((1920, 1080), (1366, 768), (1280, 800), (1024, 768), (2560, 1080))
NO_SCROLLING = "document.documentElement.scrollHeight <= innerHeight"
# How the flat discs of small boards and the whole ones of large boards are drawn in here.
DISCS = """(place) => ["flat", "whole"].map((kind) => {
  const disc = document.querySelector(`.t-${kind}`).cloneNode(true);
  return getComputedStyle(document.querySelector(place ?? "body").appendChild(disc)).display;
})"""
# How large a row of the table of an event is written, and what part of the screen is empty below its boards.
LETTERS = 'parseFloat(getComputedStyle(document.querySelector("#t-standings tbody td")).fontSize)'
EMPTY = '1 - [...document.querySelectorAll(".t-minis .mini > svg")].at(-1).getBoundingClientRect().bottom / innerHeight'
# In how many lines what can be pressed stands.
LINES = "new Set([...document.querySelectorAll('nav .btn')].map((each) => each.getBoundingClientRect().top)).size"


async def two(server: Server, page: Page, clock: str = "none") -> tuple[str, Other, Other]:
    """The path of a match between two people without a browser, who stay as long as the page is open."""
    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant="connect-four-7x6", clock=clock)
    return match, await Other.at(match, people[0], page), await Other.at(match, people[1], page)


@asynccontextmanager
async def another_site(body: str) -> AsyncIterator[str]:
    """The address of a page of another origin. A route of the browser would not do: what it answers itself is taken for
    the public network, whose pages may frame none of this machine.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        page = f"<!doctype html><title>A blog</title>{body}".encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + page)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as site:
        yield f"http://localhost:{site.sockets[0].getsockname()[1]}/"


async def test_another_site_shows_a_match_live_and_afterwards_as_a_replay(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "")
    match, first, second = await two(server, page)
    # What a match tells of itself comes when it is opened, with the code for other sites.
    await page.goto(server.address + match)
    title = await page.title()
    await expect(page.locator(".embed-code")).to_have_count(0)
    await page.click(".parts-bar [data-to=info]")
    code = await page.locator(".embed-code").inner_text()
    assert await page.title() == title
    async with another_site(code) as address:
        await page.goto(address)
    frame = page.frame_locator("iframe")
    await expect(frame.locator("#hb[data-seq]")).to_be_attached()
    await first.play(1, "4")
    await expect(frame.locator("#pieces circle")).to_have_count(1)
    shown = await a_page(browser, server, f"{match}embed/")
    await expect(shown.locator("#hb[data-seq]")).to_be_attached()
    await is_fit(shown, "embed-live")
    for ply, (player, column) in enumerate([(second, "3"), (first, "4")] * 3, start=2):
        await player.play(ply, column)
    await expect(frame.locator("#status")).to_contain_text("won")
    # A replay has no script: what is pressed loads the position in the frame.
    await shown.reload()
    await is_fit(shown, "embed-ended")
    await resized(shown, 360, 640)
    assert await shown.evaluate(LINES) == 1
    await shown.get_by_role("link", name="Back").click()
    await expect(shown).to_have_url(re.compile(r"ply=6$"))
    await expect(shown.get_by_text("6 of 7", exact=True)).to_be_visible()


async def test_the_projector_shows_four_boards_at_a_time_and_turns_by_itself_and_by_keys(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "", reduced_motion="no-preference")
    for _ in range(5):
        _, first, _ = await two(server, page)
        await first.play(1, "4")
    projector = await page.context.new_page()
    await own_clock(projector)
    await projector.goto(f"{server.address}/watch/projector/")
    boards = projector.locator(".wall > li")
    await expect(boards).to_have_count(5)
    four = await seen(boards)
    assert len(four) == 4
    await projector.clock.run_for(15_000)
    await expect(boards.nth(4)).to_be_visible()
    assert len(await seen(boards)) == 1
    await projector.keyboard.press("Space")
    await expect(projector.get_by_role("button", name="Resume")).to_be_visible()
    await projector.keyboard.press("ArrowRight")
    await expect(boards.nth(0)).to_be_visible()
    assert await seen(boards) == four
    await projector.clock.run_for(60_000)
    assert await seen(boards) == four, "who has paused it turns it by hand"
    await is_fit(projector, "projector")


async def seen(boards: Locator) -> list[Any]:
    return [await each.get_attribute("id") for each in await boards.all() if await each.is_visible()]


async def test_a_new_match_comes_onto_the_projector_with_its_moves_and_its_clocks_run(
    browser: Browser, server: Server
) -> None:
    projector = await a_page(browser, server, "/watch/projector/")
    await expect(projector.get_by_role("button", name="Resume")).to_be_visible()  # less motion: it does not turn
    match, first, second = await two(server, projector, "5m")
    await first.play(1, "4")  # what nobody has moved in is not shown yet
    board = projector.locator(f"#wall-{match.split('/')[2]}")
    await expect(board).to_contain_text("move 1")
    await second.play(2, "4")
    await expect(board).to_contain_text("move 2")
    running = board.locator(".left[data-since]")
    await expect(running).not_to_have_text(await running.inner_text())
    assert await board.locator(".left").count() == 2, "the other one stands"


async def test_the_projector_of_an_event_has_its_table_and_who_is_next(
    browser: Browser, server: Server, rows: Rows
) -> None:
    await rows(server, lambda: cups.half("shown cup"))
    projector = await a_page(browser, server, "/t/shown-cup/projector/")
    await expect(projector.get_by_role("heading", name="shown cup", level=1)).to_be_visible()
    await expect(projector.locator("#t-standings tbody tr")).to_have_count(4)
    await expect(projector.locator(".site-head")).to_be_hidden()
    await is_fit(projector, "projector-event")
    await projector.get_by_role("link", name="Leave").click()
    await expect(projector).to_have_url(f"{server.address}/t/shown-cup/")


async def test_who_is_called_is_read_from_afar_and_the_rest_is_on_the_screen(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """Bots that nobody has started are called, and nothing is played. After 60 s the page would tell the next thing."""
    await rows(server, lambda: cups.called("called cup"))
    projector = await a_page(browser, server, "/t/called-cup/projector/")
    names = projector.locator("#t-called b")
    await expect(names).to_have_count(6)
    await projector.evaluate("addEventListener('htmx:wsBeforeMessage', event => event.preventDefault())")
    for width, height in SCREENS:
        await resized(projector, width, height)
        assert await projector.evaluate(NO_SCROLLING), f"{width} x {height}"
        for each in [*await names.all(), *await projector.locator("#t-standings tbody tr, #t-next, #t-link .qr").all()]:
            box = await each.bounding_box()
            assert box is not None and box["height"] > 0 and box["y"] + box["height"] <= height, f"{width} x {height}"
        large = await names.first.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)")
        assert large > 1.5 * await projector.locator("#t-standings td").first.evaluate(
            "(each) => parseFloat(getComputedStyle(each).fontSize)"
        )
    await is_fit(projector, "projector-called")


async def test_all_of_an_event_is_on_the_screen_of_its_projector(browser: Browser, server: Server, rows: Rows) -> None:
    """Boards as large as on the page of a match, whose turn it is on each, the table, who is next, and the address."""
    await rows(server, lambda: cups.played("long cup"))
    projector = await a_page(browser, server, "/t/long-cup/projector/")
    boards = projector.locator(".t-minis > a")
    await expect(boards).to_have_count(4)
    await expect(projector.locator(".t-minis .moves-now")).to_have_count(4)
    await expect(projector.locator("#t-next > span")).to_have_count(6)  # its name and five, of which two are shown
    for width, height in SCREENS:
        await resized(projector, width, height)
        assert await projector.evaluate(NO_SCROLLING), f"{width} x {height}"
        shown = [*await boards.all(), *await projector.locator("#t-standings tbody tr, #t-next, #t-link .qr").all()]
        assert len(shown) == 4 + 8 + 2
        for each in shown:
            box = await each.bounding_box()
            assert box is not None and box["height"] > 0 and box["y"] + box["height"] <= height, f"{width} x {height}"
    await resized(projector, 1920, 1080)
    assert await projector.evaluate(LETTERS) >= 34
    assert await projector.evaluate(EMPTY) < 0.1, "the boards leave no part of the screen empty"
    assert await projector.evaluate(DISCS) == ["none", "inline"]
    await resized(projector, 844, 390)
    names = projector.locator(".t-minis .names > span:not(.small)")
    assert await names.evaluate_all("(all) => all.map((each) => each.scrollWidth - each.clientWidth)") == [0] * 8
    await projector.goto(f"{server.address}/watch/projector/")
    await expect(projector.locator(".tile:visible")).to_have_count(4)
    for width, height in SCREENS:
        await resized(projector, width, height)
        assert await projector.evaluate(NO_SCROLLING), f"{width} x {height}"
    await projector.goto(f"{server.address}/")
    assert await projector.evaluate(DISCS, ".featured") == ["none", "inline"]
    assert await projector.evaluate(DISCS, ".at-more") == ["inline", "none"], "small boards have flat ones"
    await is_fit(projector, "projector-full")
