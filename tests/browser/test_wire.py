"""The wire on the match page, in a real browser: for any reader after the end, and for staff while the bot plays."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.browser.layout import LOOKS, resized
from tests.browser.rows import Rows
from tests.browser.sharing import of_module
from tests.browser.test_play import a_page
from tests.kit.clients import Droidcon, Wire
from tests.kit.server import Server

server = of_module
# A folder for pictures to be looked at; without it none are made.
PICTURES = os.environ.get("ARENA_TEST_PICTURES", "")


# On how many lines the words of the widest tab stand, and whether all tabs are seen at once.
TABS = """() => {
  const bar = document.querySelector(".parts-bar");
  const heights = [...bar.querySelectorAll("a")].map((tab) => {
    const words = document.createRange();
    words.selectNodeContents(tab);
    return words.getBoundingClientRect().height / parseFloat(getComputedStyle(tab).lineHeight);
  });
  return { lines: Math.round(Math.max(...heights)), fit: bar.scrollWidth <= bar.clientWidth };
}"""


async def open_wire(page: Page) -> None:
    await page.locator(".parts-bar [data-to=wire]").click()


async def test_a_bot_that_errs_finds_what_it_said_on_its_match(server: Server, browser: Browser) -> None:
    page = await a_page(browser, server, await a_finished_match(server))
    await open_wire(page)
    rows = page.locator(".wire li")
    for width, scheme in LOOKS[:4]:
        await page.emulate_media(color_scheme=scheme)
        await resized(page, width, 900)
        await expect(rows.filter(has_text="YOUR_MOVE").first).to_be_visible()
        await expect(rows.filter(has_text="Error COLUMN_IS_FULL")).to_have_class("err")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await picture(page, f"wire-{width}-{scheme}")
    for width in (1280, 390, 360):
        await resized(page, width, 900)
        assert await page.evaluate(TABS) == {"lines": 1, "fit": True}, f"at {width}"
    await page.locator(".wire a").first.click()
    await expect(page.locator("main")).to_have_attribute("data-mode", "past")


async def test_staff_reads_along_where_others_read_why_not(server: Server, browser: Browser, rows: Rows) -> None:
    door = server.doors["native"]
    async with Wire.to(door) as first, Wire.to(door) as second:
        for bot, name in ((first, "gravity-9"), (second, "orbit-2")):
            await say(bot, type="hello", name=name)
            await say(bot, type="queue", variant="connect-four-7x6")
        asked = await heard(first, "turn")
        address = f"/m/{match_of(server)}/"
        guest = await a_page(browser, server, address)
        await open_wire(guest)
        await expect(guest.locator(".wire-body").first).to_have_text(
            "The bot log of gravity-9 (unverified) is private until the match ends."
        )
        staff = await a_page(browser, server, "")
        await rows.log_in(server, staff.context)
        await staff.goto(server.address + address)
        await open_wire(staff)
        lines = staff.locator(".wire li")
        await expect(lines.filter(has_text="hello").first).to_be_visible()
        await say(first, type="move", ply=asked["ply"], move="<script>")
        await expect(lines.filter(has_text="<script>").first).to_be_visible()
        await say(first, type="move", ply=asked["ply"], move="4")
        await expect(lines.filter(has_text='"move": "4"').first.locator("a")).to_have_text("1")
        numbers = await lines.evaluate_all("rows => rows.map(row => Number(row.dataset.n))")
        assert numbers == list(range(1, len(numbers) + 1))
        await staff.locator("[data-show=moves]").click()
        await expect(lines.filter(has_text="hello").first).to_be_hidden()
        await expect(lines.filter(has_text='"move": "4"').first).to_be_visible()


async def say(bot: Wire, **message: Any) -> None:
    await bot.send(json.dumps(message))


async def heard(bot: Wire, kind: str) -> dict[str, Any]:
    """The next message of this type."""
    while (said := json.loads(await bot.line()))["type"] != kind:
        pass
    return dict(said)


async def a_finished_match(server: Server) -> str:
    """A column is filled, and asked for once more: that loses."""
    door = server.doors["droidcon"]
    async with Droidcon.to(door) as first, Droidcon.to(door) as second:
        await first.enter("gravity-9", "otter")
        await second.enter("orbit-2", "otter")
        for bot in (first, second) * 3:
            await bot.until("YOUR_MOVE")
            await bot.send("PUT 3")
        await first.until("YOUR_MOVE")
        await first.send("PUT 3")
        await second.until("YOU_WON")
    return f"/m/{match_of(server)}/"


def match_of(server: Server) -> str:
    """The newest one that begins a series: the next round may follow at any time."""
    newest = "SELECT id FROM arena_match WHERE round = 1 ORDER BY opened DESC LIMIT 1"
    with sqlite3.connect(server.data / "arena.sqlite3") as database:
        (match,) = database.execute(newest).fetchone()
    return str(match)


async def picture(page: Page, name: str) -> None:
    if PICTURES:
        await page.locator(".wire-card").first.scroll_into_view_if_needed()
        await page.screenshot(path=Path(PICTURES, f"{name}.png"))
