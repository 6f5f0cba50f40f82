"""A match of two people from the first key to the rematch, and what a watcher is sent of it meanwhile."""

from __future__ import annotations

import asyncio
import re
import sqlite3

from playwright.async_api import Browser, Page, Route, expect

from tests.browser.axe import violations
from tests.browser.boards import two_people
from tests.browser.couples import couple, drop
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, at_match, board, led_to, log, my_turn, shows
from tests.kit.clients import Wire
from tests.kit.server import Server


async def test_a_match_is_won_with_arrows_and_enter_alone_and_played_again(browser: Browser, server: Server) -> None:
    host, friend = await couple(browser, server)
    address = host.url.removeprefix(server.address)
    sent: list[str] = []
    watcher = await a_page(browser, server, "")
    watcher.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame))))
    await watcher.goto(server.address + address)
    await expect(way := host.locator("#status [data-letters]")).to_have_text("B board · ")
    await host.keyboard.press("b")
    await expect(way).to_be_hidden()
    await host.keyboard.press("ArrowRight")
    for ply in (1, 3, 5, 7):
        await my_turn(host)
        await expect(host.locator("#col-5")).to_be_focused()
        await host.keyboard.press("Enter")
        await shows(friend, ply)
        if ply == 3:
            assert await violations(host) == [] == await violations(watcher)
        if ply < 7:
            await drop(friend, 1)
            await shows(host, ply + 1)
    await expect(host.locator("#status")).to_contain_text("You won")
    await expect(host.locator("#alert")).to_have_text("You won. Four in a row, in column 5.")
    await expect(friend.locator("#status")).to_contain_text(re.compile(r"^(?!You).+ won"))
    await shows(watcher, 7)
    line = "#pieces.won .line-over"
    for page in (host, friend, watcher):
        await expect(page.locator(line)).to_have_count(1)
    await steps_back_and_on(watcher, line)
    assert sent and not any(re.search(r'name="move"|\bYou\b|class="wire', text) for text in sent)
    for scripts in (True, False):
        reader = await a_page(browser, server, f"{address}?ply=3", java_script_enabled=scripts)
        assert await board(reader) == ["p-1-1#d1", "p-5-1#d0", "p-5-2#d0"]
        await expect(reader.locator("#status")).to_contain_text("You are looking at move 3 of 7.")
        await reader.context.close()
    await _asks_for_a_rematch(host)
    assert host.url == server.address + address, "who asks stays on the board"
    await expect(friend.locator(".wanted")).to_contain_text("wants a rematch.")
    stranger = await a_page(browser, server, "/")
    names = [seat["name"] for seat in (await log(host))["seats"]]
    listed = await stranger.locator("#rooms").inner_text()
    assert not any(name in listed for name in names), "the seat is the other one's"
    await stranger.context.close()
    await friend.locator(".wanted").get_by_role("button", name="Play").click()
    await at_match(friend, after=server.address + address)
    await led_to(host, friend.url)
    await my_turn(friend)
    seats = [(await log(page))["seats"][0]["name"] for page in (friend, watcher)]
    assert seats[0] != seats[1], "who moved second moves first now"


async def _asks_for_a_rematch(host: Page) -> None:
    """Hearing that it is asked for; the keys go on from the board."""
    await host.get_by_role("button", name="Rematch").press("Enter")
    for place in ("#say", ".wanted"):
        await expect(host.locator(place)).to_have_text(re.compile("Waiting for .+ to answer."))
    await expect(host.locator("#board")).to_be_focused()
    await expect(host.locator("#board")).to_have_accessible_name(re.compile(r"^Connect Four.+, after move \d+$"))


async def steps_back_and_on(page: Page, line: str) -> None:
    """The list of moves is one stop of the Tab key, in which the arrows lead on, also from a move that was clicked."""
    for key, lines in (("ArrowLeft", 0), ("End", 1), ("Home", 0), ("ArrowRight", 0), ("End", 1)):
        await page.keyboard.press(key)
        await expect(page.locator(line)).to_have_count(lines)
    at = page.locator("#moves [aria-current]")
    await page.keyboard.press("m")
    for key, ply in (("ArrowLeft", 6), ("ArrowLeft", 5)):
        await page.keyboard.press(key)
        await expect(at).to_have_attribute("data-step", str(ply))
        said = await at.inner_text()
        await expect(page.locator("#say")).to_have_text(said)
    await page.click("#m-3 a")
    await page.keyboard.press("ArrowRight")
    await expect(at).to_have_attribute("data-step", "4")
    await page.focus("#moves")
    await page.keyboard.press("Tab")
    await expect(page.locator("#moves :focus")).to_have_count(0)
    await expect(page.locator(".replay :focus")).to_have_count(1)


async def test_who_is_asked_keeps_playing_or_resigns_and_two_who_press_rematch_at_once_are_in_one_match(
    browser: Browser, server: Server
) -> None:
    host, friend = await couple(browser, server, viewport={"width": 390, "height": 664})
    for ply, page in ((1, host), (2, friend)):
        await my_turn(page)
        await drop(page, 4)
        await shows(host, ply)
    question = host.locator(".ask")
    await host.locator(".actions summary").click()
    await expect(question).to_contain_text("Resign this match?")
    await question.get_by_text("Keep playing").click()
    await expect(question).to_be_hidden()
    await host.locator(".actions summary").press("Enter")
    await question.get_by_role("button", name="Resign").press("Escape")
    await expect(question).to_be_hidden()
    await expect(host.locator(".actions summary")).to_be_focused()
    await host.locator(".actions summary").click()
    await question.get_by_role("button", name="Resign").click()
    await expect(host.locator("#status")).to_contain_text("You resigned")
    # On a phone the button stands at the foot of the page, and what came of it above the board.
    await expect(host.locator("#status h2")).to_be_in_viewport()
    await expect(host.get_by_role("button", name="Rematch")).to_be_in_viewport()
    await expect(friend.locator("#status")).to_contain_text("You won")
    await expect(host.locator(".actions")).to_be_hidden()
    over, both = host.url, asyncio.Barrier(2)
    steps = [await page.evaluate("history.length") for page in (host, friend)]

    async def at_once(route: Route) -> None:
        await both.wait()
        await route.continue_()

    for page in (host, friend):
        await page.route("**/rematch/", at_once)
        await page.get_by_role("button", name="Rematch").click(no_wait_after=True)
    await at_match(host, after=over)
    await led_to(friend, host.url)
    # The answer and the socket both lead there, in one step; who goes back stays there.
    assert [await page.evaluate("history.length") for page in (host, friend)] == [step + 1 for step in steps]
    await host.go_back()
    await expect(host.locator("#hb[data-seq]")).to_be_attached()
    await expect(host).to_have_url(over)


async def test_the_way_to_a_rematch_can_be_taken_again_after_it_was_stopped(browser: Browser, server: Server) -> None:
    page, other = await two_people(browser, server, "connect-four-7x6", moves=("4", "4"))
    await other.resign()
    await other.rematch()
    over, tools = page.url, await page.context.new_cdp_session(page)
    # A slow line: the person has pressed Play, waits, and presses Stop in their browser.
    held = asyncio.Queue[Route]()
    await page.route("**/m/*/", held.put, times=1)
    await page.locator(".wanted").get_by_role("button", name="Play").click(no_wait_after=True)
    rematch = (await held.get()).request.url
    await tools.send("Page.stopLoading")
    await page.locator("#status").get_by_role("link", name="Go to the rematch").click(no_wait_after=True)
    assert over != rematch
    await led_to(page, rematch)


async def test_a_bot_that_was_killed_is_counted_down_and_goes_on_where_it_was(browser: Browser, server: Server) -> None:
    person = await a_page(browser, server, "/r/new/")
    await person.get_by_label("Seat 2").select_option(label="Four In A Row (fiar)")
    await expect(person.locator(".summary")).to_contain_text("fiar")
    await person.get_by_role("button", name="Create").last.click()
    await led_to(person, re.compile(r".*/r/[^/]+/connect/1/$"))
    port = port_of_the_seat(server)
    async with Wire.to(port) as bot:
        await at_match(person)
        await my_turn(person)
        await drop(person, 4)
        assert "@" in await bot.line()
    said = person.locator(".said")
    await expect(said).to_have_text(re.compile(r".* lost its connection\. It has .* to come back.*\."))
    async with Wire.to(port) as again:
        assert "@" in await again.line()
        await again.send("4")
        await shows(person, 2)
        await my_turn(person)
        assert await board(person) == ["p-4-1#d0", "p-4-2#d1"]


def port_of_the_seat(server: Server) -> int:
    with sqlite3.connect(server.data / "arena.sqlite3") as database:
        newest = "SELECT port FROM arena_place WHERE port IS NOT NULL ORDER BY id DESC LIMIT 1"
        (port,) = database.execute(newest).fetchone()
    return int(port)
