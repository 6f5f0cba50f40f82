"""A person in a browser plays whole matches against bots that were written from the protocol texts alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.bots.foreign.programs import FOREIGN, Foreign, connected
from tests.browser.server import Server
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page, at_match, log, shows
from tests.deadline import DEADLINE_S

server = of_module
CHANNEL = "otter-42"
# Of each protocol the bot that is hardest to please.
HARDEST = {
    "gamestate": "hoarder",
    "fiar": "oneread",
    "nyu-nim": "onerecv",
    "droidcon": "bytes",
    "santorini-json": "stream",
}
BOTS = {bot.protocol: bot for bot in FOREIGN if bot.path.stem == HARDEST[bot.protocol]}
OVER = re.compile("You won|You lost|Draw")


@asynccontextmanager
async def connecting(bot: Foreign, built: Path, server: Server) -> AsyncIterator[asyncio.subprocess.Process]:
    null = asyncio.subprocess.DEVNULL
    command = connected(bot, built, server.doors[bot.protocol], channel=CHANNEL)
    process = await asyncio.create_subprocess_exec(*command, stdin=null, stdout=null, stderr=null)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def play(page: Page) -> None:
    """A whole match: at each turn a move that the page offers."""
    await at_match(page)
    status = page.locator("#status")
    while True:
        await expect(status).to_contain_text(re.compile(f"Your turn|{OVER.pattern}"))
        if "Your turn" not in await status.inner_text():
            return
        ply = int(await page.get_attribute("#live", "data-ply") or 0)
        await act(page)
        await shows(page, ply + 1)


async def act(page: Page) -> None:
    """Choose the largest amount, or the last move; where it is made of steps, the last of each."""
    amounts = page.locator("#controls input[type=radio][name=move]:enabled")
    if await amounts.count():
        await amounts.last.check(force=True)
        await page.locator("#controls button[type=submit]:enabled").first.click()
        return
    moves = page.locator("#controls button[name=move]:enabled")
    steps = page.locator("#controls button.target, #controls button[name=sel]:not(#t-undo)")
    while not await moves.count():
        before = await page.inner_html("#controls")
        await steps.last.click()
        await page.wait_for_function("before => document.getElementById('controls').innerHTML !== before", arg=before)
    await moves.last.click()


@pytest.mark.parametrize("slug", [slug for slug in HARDEST if slug != "droidcon"])
async def test_who_waits_at_its_door_is_joined_with_one_click(
    slug: str, browser: Browser, server: Server, built: Path
) -> None:
    person = await a_page(browser, server)
    async with connecting(BOTS[slug], built, server) as bot:
        await person.click("#rooms button:has-text('Join')")
        await play(person)
        ended = await log(person)
        assert ended["termination"] == "normal"
        assert ended["variant"] == BOTS[slug].variant
        async with asyncio.timeout(DEADLINE_S):
            await bot.wait()


async def test_a_person_plays_all_four_rounds_in_the_channel_of_a_bot(
    browser: Browser, server: Server, built: Path
) -> None:
    async with connecting(BOTS["droidcon"], built, server) as bot:
        person = await a_page(browser, server)
        await person.click(f"#rooms a[href='/r/{CHANNEL}/']")  # listed once the bot has joined
        await expect(person.locator("#room-state")).to_contain_text("ada")
        await person.click("text=Sit down and play")
        for number in (1, 2, 3, 4):
            await expect(person.locator(".match-title")).to_contain_text(f"Round {number} of 4")
            await play(person)
            assert (await log(person))["termination"] == "normal"
        async with asyncio.timeout(DEADLINE_S):
            assert await bot.wait() == 0
