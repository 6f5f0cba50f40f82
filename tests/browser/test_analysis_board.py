"""The analysis board in a browser: from the end of a match, with the network and without it, and on to a new match."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from playwright.async_api import Browser, Page, expect

import games
from arena.analysis.matches import values_at
from tests.browser.axe import violations
from tests.browser.boards import two_people
from tests.browser.layout import is_fit, resized
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, at_match, begun, board, led_to, my_turn, shows
from tests.browser.test_screens import NOT_BESIDE, OUTSIDE, PHONES
from tests.kit.clients import Wire
from tests.kit.puzzles import ANSWER, MOVES, PLY, WRONG
from tests.kit.server import TABLES, Server, migrate

IN_LANE = """() => {
  const picture = document.getElementById("pieces"), { top, width } = picture.getBoundingClientRect();
  const lane = width * 96 / picture.viewBox.baseVal.width;
  const words = [...document.querySelectorAll(".asked > :is(h2, p)")].map((each) => each.getBoundingClientRect());
  return words.every((each) => each.bottom > top && each.bottom <= top + lane + 1);
}"""
# The buttons below a result that the picture of the match lies over, at the bottom of a phone.
UNDER_EDGE = """() => [...document.querySelectorAll(".ways .btn")].filter((each) =>
  each.getBoundingClientRect().bottom > document.querySelector(".edge").getBoundingClientRect().top
).map((each) => each.textContent)"""
# After column 3: late enough for the kernel alone.
LINE = "7,7,1,1,1,3,7,2,6,7,6,7,3,3,5,2,5"


async def test_a_position_is_looked_into_without_a_network_and_played_on_with_one(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server)
    await page.click("#col-3")
    await at_match(page)
    await shows(page, 2)
    await my_turn(page)
    await page.click("text=Resign")
    await page.click(".ask form.resign button")
    await page.get_by_role("link", name="Analyse").click()
    await led_to(page, re.compile(r".*/analysis/"))
    values = page.locator("#values")
    await expect(values).to_contain_text("Move 3. Column")  # the opening is proved by the server's book
    assert await violations(page) == []
    await page.goto(f"{page.url.partition('?')[0]}?ply=1&line={LINE}")
    await page.wait_for_selector("main[data-ready]", state="attached")
    await page.context.set_offline(True)
    await page.click("#col-1")
    await expect(values).to_contain_text("Column 4 wins in 1.")
    assert [" ".join(said.split()) for said in await values.locator("li").all_inner_texts()] == [
        *("1 ▼ loses in 2", "2 ▲ wins in 3", "3 ▼ loses in 2", "4 ▲ wins in 1", "5 ▲ wins in 2", "6 ▲ wins in 2"),
        "7 ▼ loses in 2",
    ]
    assert len(await board(page)) == 19
    await expect(page.locator("#reader caption")).to_have_text("Board after move 19")
    await page.click("#col-4")
    await expect(values).to_have_text("Blue has won.")
    await expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()
    await page.keyboard.press("Escape")
    await page.click("[data-go=back]")
    await page.click("[data-go=back]")
    assert len(await board(page)) == 18
    await page.context.set_offline(False)
    before = page.url
    await page.get_by_role("button", name="Play on from here").click()
    await at_match(page, before)
    assert len(await board(page)) >= 18
    await my_turn(page)


async def test_a_bot_on_a_socket_plays_on_from_the_position_that_is_shown(browser: Browser, server: Server) -> None:
    visitor, match = await begun(server)
    await visitor.post(f"{match}resign/")
    page = await a_page(browser, server, f"{match}analysis/?ply=1", visitor=visitor)
    await page.select_option("#play-on [name=who]", "socket:fiar")
    await page.select_option("#play-on [name=side]", "other")
    await page.get_by_role("button", name="Play on from here").click()
    await expect(page.locator("h1")).to_have_text("Hook up your bot")
    await expect(page.locator("#heard")).to_contain_text("Nothing has connected to port")
    (port,) = re.findall(r"to port (\d+)", await page.locator("#heard").inner_text())
    async with Wire.to(int(port)) as bot:
        assert await bot.line() == f"O {'.' * 38}@..."
        await at_match(page)
        assert len(await board(page)) == 1
        await bot.send("4")
        await shows(page, 2)
        await my_turn(page)
        await page.click("#col-3")
        assert await bot.line() == f"O {'.' * 31}O.....@@..."
        await shows(page, 3)
        assert len(await board(page)) == 3


async def test_a_mistake_of_a_lost_match_and_the_daily_puzzle_are_tried_until_they_are_right(
    browser: Browser, tmp_path: Path
) -> None:
    migrate(tmp_path)
    # Not at the usual niceness: on a busy machine nothing would ever be analysed.
    analysing = Server(tmp_path, ARENA_WORK_SLOTS="1", ARENA_WORK_NICE="0")
    await analysing.start()
    try:
        first, _ = await two_people(browser, analysing, "connect-four-7x6", moves="4112")
        await first.click("text=Resign")
        await first.click(".ask form.resign button")
        await expect(first.locator(".story")).to_be_visible()
        await the_picture_at_the_bottom_covers_no_button(first)
        values, match = first.locator("#values"), first.url
        await first.get_by_role("link", name="Try that position again").click()
        await expect(values).to_have_text("Move 3. Column 1 threw away the win. Find a move that wins.")
        assert len(await board(first)) == 2
        await first.goto(match)
        await first.get_by_role("link", name="Analyse").click()
        await led_to(first, re.compile(r".*/analysis/"))
        await first.get_by_role("button", name="Your mistakes (1)").click()
        await expect(values).to_have_text("Move 3. Column 1 threw away the win. Find a move that wins.")
        await first.click("#col-2")
        await expect(values).to_contain_text("Not this one. Column 2")
        await expect(values).to_contain_text("The answer is column")
        assert len(await board(first)) == 4
        await values.get_by_role("button", name="Try again").click()
        assert len(await board(first)) == 2
        await first.click("#col-4")
        await expect(values).to_contain_text("Right. Column 4 wins in")
        await values.get_by_role("button", name="Show all values").click()
        await expect(values.locator("li")).to_have_count(7)
        await the_bars_lead_to_their_moves(first)
        await first.set_viewport_size({"width": 360, "height": 640})
        assert await first.evaluate("document.documentElement.scrollWidth") == 360
        await the_daily_puzzle(first, analysing, tmp_path)
        assert analysing.complaints == []
    finally:
        await analysing.stop()


async def the_picture_at_the_bottom_covers_no_button(page: Page) -> None:
    size = page.viewport_size
    assert size is not None
    for width, height in PHONES[:3]:
        await resized(page, width, height)
        assert await page.locator(".edge").is_visible()
        assert await page.evaluate(UNDER_EDGE) == [], f"{width} x {height}"
    await page.set_viewport_size(size)


async def the_bars_lead_to_their_moves(page: Page) -> None:
    """On a phone they stand under the values, and the one of the move that is shown is marked."""
    await page.set_viewport_size({"width": 390, "height": 844})
    bars, here = page.locator(".bars a"), page.locator(".bars .here")
    await expect(bars).to_have_count(4)
    await bars.nth(3).click()  # a picture without a name: the move list is there for everybody else
    await expect(here).to_have_attribute("data-step", "4")
    assert len(await board(page)) == 4
    values, strip, onwards = [
        await page.locator(place).evaluate("shown => [shown.getBoundingClientRect().top, shown.clientHeight]")
        for place in ("#values", ".bars", "#play-on")
    ]
    assert values[0] + values[1] <= strip[0] < strip[0] + strip[1] <= onwards[0]
    await page.click("#col-5")
    await expect(here).to_have_count(0)  # a line of one's own is no move of the match


async def the_daily_puzzle(page: Page, server: Server, data: Path) -> None:
    """It is found on the first page, answered wrongly, answered back, and solved."""
    match = page.url.split("/m/")[1].partition("/")[0]
    position = games.variant("connect-four-7x6").start()
    for move in MOVES[:PLY]:
        position = position.play(move)
    standing = {"points": 1500, "deviation": 350, "volatility": 0.06, "matches": 0, "won": 0, "drawn": 0, "last": ""}
    asked = {"match_id": match, "ply": PLY, "variant": "connect-four-7x6", "key": "k", "position": str(position)}
    row = {**standing, **asked, "values": json.dumps(values_at(position)), "made": "2026-01-31 12:00:00"}
    names = ", ".join(f'"{name}"' for name in row)
    with closing(sqlite3.connect(data / TABLES)) as rows, rows:
        rows.execute(f"INSERT INTO arena_puzzle ({names}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
    await page.goto(server.address)
    await page.locator("#daily-puzzle a.mini").click()
    await led_to(page, re.compile(r".*/puzzles/\d+/"))
    await expect(page.get_by_role("heading", name="Find the only move that keeps the win.")).to_be_visible()
    assert await violations(page) == []
    await _is_beside_the_board(page, ".asked h2", ".ways-on .btn")
    await page.focus(f"#col-{WRONG}")
    await page.keyboard.press("Enter")
    await expect(page.locator(".asked h2")).to_have_text("Not this one")
    await expect(page.locator(".asked")).to_be_focused()
    assert len(await board(page)) == PLY + 2
    await page.get_by_role("link", name="Try again").click()
    await page.click(f"#col-{ANSWER}")
    await expect(page.locator(".asked")).to_contain_text("Column 4 wins in 2. Every other move loses or draws.")
    await expect(page.locator(".worths li")).to_have_count(7)
    assert await page.evaluate(IN_LANE), "what is said of the answer stands in the lane above the columns"
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    assert await violations(page) == []
    await _is_beside_the_board(page, ".asked h2", ".asked p", ".worths li", ".ways-on .btn")


async def _is_beside_the_board(page: Page, *seen: str) -> None:
    """On a phone on its side; upright again afterwards."""
    await resized(page, *PHONES[3])
    assert await page.evaluate(OUTSIDE, ["#pieces", *seen]) == [] == await page.evaluate(NOT_BESIDE, [*seen])
    await resized(page, *PHONES[0])


async def test_before_there_are_puzzles_the_page_leads_to_a_match(browser: Browser, fresh: Server) -> None:
    page = await a_page(browser, fresh, "/puzzles/daily/")
    await expect(page.get_by_role("heading", name="No puzzles yet")).to_be_visible()
    await is_fit(page, "no puzzles")
    await page.get_by_role("link", name="Play a match").click()
    await led_to(page, f"{fresh.address}/")
