"""The wizard: scripts that follow only its words hook up bots, and it says what it hears."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.browser.heard import Heard
from tests.browser.layout import is_fit, resized
from tests.browser.sharing import server as server
from tests.browser.test_layout import ALONE
from tests.browser.test_play import MATCH, a_page, at_match, shows
from tests.browser.test_protocols import COVERED
from tests.kit.contexts import own_clock
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server
from tests.kit.visiting import Visitor

# Every line of the list that has been added since, by its title.
COUNT = """() => {
  window.added = [];
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes)
      if (node.nodeType === 1) for (const title of node.matches("li") ? node.querySelectorAll("b") : [])
        window.added.push(title.textContent);
  }).observe(document.getElementById("heard"), { childList: true });
}"""
# Between what a bot has said and what is said of it.
APART = """(note) => {
  const words = document.createRange();
  words.selectNode(note.previousSibling);
  return note.getBoundingClientRect().left - words.getBoundingClientRect().right;
}"""
# Presses a button as soon as it comes: this one stands there for seconds only.
PRESS = """(words) => new MutationObserver((_, watching) => {
  const button = [...document.querySelectorAll("button")].find((each) => each.textContent.trim() === words);
  if (!button) return;
  watching.disconnect();
  button.click();
}).observe(document.body, { childList: true, subtree: true })"""


class Line:
    """A connection to an address as the page shows it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, page: Page) -> Line:
        host, port = re.fullmatch(r"host  (\S+)\nport  (\d+)", await shown(page, 1)).groups()  # type: ignore[union-attr]
        return cls(*await asyncio.open_connection(host, int(port)))

    def say(self, text: str) -> None:
        self._writer.write(text.encode())

    async def until(self, line: str) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while (heard := (await self._reader.readline()).decode().strip()) != line:
                assert heard, "the connection was closed"

    def close(self) -> None:
        self._writer.close()


async def shown(page: Page, number: int) -> str:
    """What the n-th button copies. The text beside it has its line ends only once the style sheet has arrived."""
    copied = await page.locator(f".snippet:has(#copy-{number}) [data-copy]").get_attribute("data-copy")
    assert copied
    return copied


async def wizard(browser: Browser, server: Server, protocol: str = "Droidcon") -> Page:
    page = await a_page(browser, server)
    await page.click("text=Hook up my bot")
    await expect(page.locator("h1")).to_have_text("Hook up your bot")
    choice = page.locator(".pick", has_text=protocol)
    if await choice.get_attribute("aria-pressed") != "true":
        await choice.click()
    await expect(page.locator(".pick", has_text=protocol)).to_have_attribute("aria-pressed", "true")
    await expect(page.locator("#heard")).to_contain_text("Room is open")
    return page


async def listening(browser: Browser, server: Server, **options: Any) -> Page:
    """The page of somebody who has opened a room for a bot of `droidcon` by the form."""
    visitor = Visitor(server.port)
    await visitor.get("/bots/connect/")
    opened = await visitor.post("/bots/connect/", variant="connect-four-7x6", protocol="droidcon")
    page = await a_page(browser, server, opened.headers["Location"], visitor, **options)
    await expect(page.locator("#heard")).to_contain_text("Room is open")
    return page


async def test_a_socket_bot_that_follows_the_shown_text_plays_against_medium(browser: Browser, server: Server) -> None:
    page = await wizard(browser, server)
    await expect(page.locator("#heard")).to_contain_text("Nothing has connected to port")
    bot, heard = await Line.to(page), await Heard.on(page, "#heard")
    bot.say(await shown(page, 2) + "\n")
    await heard.until("Ready to play.*Built-in Club takes the other seat in 5 s.")
    await bot.until("NEW_GAME")
    await at_match(page)
    await expect(page.locator("main")).to_contain_text("Club (built in)")
    await bot.until("YOUR_MOVE")
    bot.say("PUT 0\n")
    await shows(page, 2)
    bot.close()


async def test_a_program_that_reads_and_prints_comes_in_by_the_shown_commands(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    page = await wizard(browser, server, "fiar")
    await page.click("#lang-py")
    await expect(page.locator("#copy-2")).to_contain_text("fiar_bot.py")
    script = "\n".join([await shown(page, 1), "exec " + await shown(page, 2)])
    out = asyncio.subprocess.DEVNULL
    bot = await asyncio.create_subprocess_exec("sh", "-ec", script, cwd=tmp_path, stdout=out, stderr=out)
    try:
        await at_match(page)
        await shows(page, 4)
    finally:
        bot.terminate()
        await bot.wait()


async def test_each_thing_heard_is_said_once(browser: Browser, server: Server) -> None:
    page = await listening(browser, server)
    await page.evaluate(COUNT)
    bot = await Line.to(page)
    await expect(page.locator("#heard")).to_contain_text("from 127.0.0.1")
    bot.say("NAME gravity-9\n")
    await expect(page.locator("#heard")).to_contain_text("Waiting for JOIN")
    await expect(page.locator(".wire")).to_contain_text("NAME gravity-9")
    bot.say("JION x\n")
    await expect(page.locator("#heard")).to_contain_text("We did not understand that")
    await expect(page.locator("#heard")).to_contain_text("Did you mean JOIN?")
    added: list[str] = await page.evaluate("window.added")
    assert [added.count(words) for words in ("Connected", "First line received", "Waiting for JOIN")] == [1, 1, 1]
    bot.close()


async def test_a_bot_at_the_public_door_is_followed_by_its_address_and_its_channel(
    browser: Browser, fresh: Server
) -> None:
    server = fresh
    page = await listening(browser, server)
    heard, channel = page.locator("#heard"), (await shown(page, 2)).split("JOIN ")[1]
    bot = Line(*await asyncio.open_connection("127.0.0.1", server.doors["droidcon"]))
    await expect(heard).to_contain_text("from 127.0.0.1")
    bot.say("NAME gravity-9\n")
    await expect(heard).to_contain_text("Waiting for JOIN")
    await expect(heard).to_contain_text(f"We answered SUCCESS. Send JOIN {channel}.")
    bot.say("JION x\n")
    await expect(heard).to_contain_text("answered Error INVALID_COMMAND. Did you mean JOIN?")
    steps, wire = await Heard.on(page, "#heard"), await Heard.on(page, ".wire")
    bot.say(f"JOIN {channel}\n")
    await steps.until(r"Ready to play.*Joined as gravity-9 \(unverified\)\.")
    await wire.until("NAME gravity-9")
    await at_match(page)
    bot.close()


async def test_how_long_ago_something_was_heard_does_not_depend_on_the_clock_of_the_device(
    browser: Browser, server: Server
) -> None:
    page = await listening(browser, server)
    await own_clock(page, time=time.time() + 3600)
    await page.reload()
    bot, heard = await Line.to(page), await Heard.on(page, "#heard")
    await heard.until(r"from 127\.0\.0\.1, \d+ seconds? ago")
    await page.clock.run_for(60_000)
    await heard.until(r"from 127\.0\.0\.1, (6\d|[7-9]\d|1[01]\d) seconds ago")
    bot.close()


async def test_a_line_without_an_end_is_noticed_and_a_bot_of_another_protocol_is_switched_with_one_press(
    browser: Browser, server: Server
) -> None:
    page = await listening(browser, server)
    bot = await Line.to(page)
    bot.say("NAME gravity-9")
    await expect(page.locator("#heard")).to_contain_text("No line end yet")
    await expect(page.locator("#heard")).to_contain_text("We have 14 bytes but no \\n.")
    await expect(page.locator(".wire .eol.none")).to_have_text("no line end")
    assert await page.locator(".wire .eol.none").evaluate(APART) > 3
    bot.close()
    bot = await Line.to(page)
    bot.say('{"type": "hello", "name": "gravity-9"}\n')
    await expect(page.locator("#heard")).to_contain_text("That looks like another protocol")
    await page.click("text=Switch to native")
    await expect(page.locator(".pick", has_text="JSON lines")).to_have_attribute("aria-pressed", "true")
    bot.close()


async def test_somebody_else_can_be_chosen_to_play_against_the_bot(browser: Browser, server: Server) -> None:
    page = await listening(browser, server)
    bot = await Line.to(page)
    await page.evaluate(PRESS, "Play someone else")
    bot.say(await shown(page, 2) + "\n")
    await expect(page.locator("#room-state")).to_contain_text("my-bot")
    link = await page.locator("code.long").inner_text()
    friend = await a_page(browser, server, link.removeprefix(server.address))
    await friend.click("text=Sit down and play")
    await at_match(friend)
    await at_match(page)
    bot.close()


async def test_it_works_without_javascript(browser: Browser, server: Server) -> None:
    page = await listening(browser, server, java_script_enabled=False)
    bot = await Line.to(page)
    bot.say(await shown(page, 2) + "\n")
    await expect(page).to_have_url(MATCH)  # the page reloads itself, so that no single load can be waited for
    await bot.until("YOUR_MOVE")
    bot.close()


async def test_the_page_is_fit_for_everyone_on_every_screen(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/bots/connect/?variant=expanding-nim")
    await is_fit(page, "wizard-closed")
    await page.click("text=Open a room and listen")
    await expect(page.locator("#heard")).to_contain_text("Room is open")
    await is_fit(page, "wizard-open")
    for width in (1280, 390, 360):
        await resized(page, width, 844)
        assert await page.evaluate(COVERED) == [], width
    await resized(page, 390, 844)
    assert await page.evaluate(ALONE) == []
