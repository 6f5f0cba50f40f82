"""A person in a browser plays whole matches against bots that were written from the protocol texts alone."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

import games
from games.players import choose
from tests.bots.foreign.programs import FOREIGN, Foreign, connected
from tests.browser.boards import post
from tests.browser.heard import Heard
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page, at_match, log
from tests.kit.chromium import POLL_MS
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server

server = of_module
CHANNEL = "otter-42"
# Of each protocol the bot that is hardest to please.
HARDEST = {
    "gamestate": "hoarder",
    "fiar": "oneread",
    "nyu-nim": "onerecv",
    "droidcon": "bytes",
    "santorini-json": "stream",
    "santorini-course": "oneread",
}
BOTS = {bot.protocol: bot for bot in FOREIGN if bot.path.stem == HARDEST[bot.protocol]}
OVER = "[a-z0-9)] won|Draw"
BY_HAND = 3
# Our turn after this many moves, or the end: a page of a series is led on soon after it.
TURN = """([path, after]) => {
  if (location.pathname !== path) return true;
  const { ply, status } = document.getElementById("live").dataset;
  const mine = document.getElementById("status").textContent.includes("Your turn");
  return status === "ended" || (mine && Number(ply) >= after);
}"""


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


async def play(page: Page, by_hand: int = BY_HAND) -> Any:
    """A whole match: the first turns by moves that the page offers, the others as the same person by plain forms, until
    the page says how it ended. Gives its log, whatever the page has been led to since.
    """
    match, said = (await at_match(page)).url, await Heard.on(page, "#status")
    path, after = urlsplit(match).path, 0
    for turn in itertools.count():
        await page.wait_for_function(TURN, arg=[path, after], polling=POLL_MS)
        played = await log(page, match)
        if played["termination"]:
            await said.until(OVER)
            return played
        after = len(played["moves"]) + 1
        await (act(page) if turn < by_hand else act_by_form(page, match, played))


async def act_by_form(page: Page, match: str, played: Any) -> None:
    """A good move, so that it ends soon."""
    position = games.variant(played["variant"]).parse(played["position"])
    move = choose(position, "club", Random(len(played["moves"])), lambda: False)
    await post(page, f"{match}move/", ply=position.ply + 1, move=move)


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
        await page.wait_for_function(
            "before => document.getElementById('controls').innerHTML !== before", arg=before, polling=POLL_MS
        )
    await moves.last.click()


@pytest.mark.cases(1)
@pytest.mark.parametrize("slug", [slug for slug in HARDEST if slug != "droidcon"])
async def test_who_waits_at_its_door_is_joined_with_one_click(
    slug: str, browser: Browser, server: Server, built: Path
) -> None:
    person = await a_page(browser, server)
    async with connecting(BOTS[slug], built, server) as bot:
        await person.click("#rooms button:has-text('Join')")
        ended = await play(person)
        assert ended["termination"] == "normal"
        assert ended["variant"] == BOTS[slug].variant
        async with asyncio.timeout(DEADLINE_S):
            await bot.wait()


async def test_a_person_plays_or_gives_up_four_rounds_in_the_channel_of_a_bot(
    browser: Browser, server: Server, built: Path
) -> None:
    async with connecting(BOTS["droidcon"], built, server) as bot:
        person = await a_page(browser, server)
        await person.click(f"#rooms a[href='/r/{CHANNEL}/']")  # listed once the bot has joined
        await expect(person.locator("#room-state")).to_contain_text("ada")
        await person.click("text=Sit down and play")
        for number in (1, 2, 3, 4):
            await expect(person.locator(".match-title")).to_contain_text(f"Round {number} of 4")
            if number <= 2:  # once each of them begins
                assert (await play(person, by_hand=BY_HAND if number == 1 else 1))["termination"] == "normal"
            else:
                await post(person, f"{person.url}resign/")
        async with asyncio.timeout(DEADLINE_S):
            assert await bot.wait() == 0
