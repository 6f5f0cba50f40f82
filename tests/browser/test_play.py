"""People at work: real browsers, a real server, a real bot on its socket."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from typing import Any

from playwright.async_api import Browser, Page, Route, TimeoutError, expect

from tests.browser.sharing import server as server
from tests.kit.chromium import POLL_MS
from tests.kit.contexts import contexts_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server
from tests.kit.visiting import Visitor

DEADLINE_MS = DEADLINE_S * 1000
SHOWS = "ply => Number(document.getElementById('live').dataset.ply) >= ply"
# Not once more when the move has come after all: that would be the next one.
CLICK_BEFORE = """([column, ply]) => {
  if (Number(document.getElementById("live").dataset.ply) < ply) document.getElementById(`col-${column}`).click();
}"""
# What htmx says when the server has been stopped under a page that was just asking; and when a form that asks what its
# choice means is sent, or asks again, before the answer has come.
UNANSWERED = ("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort")
# By script, because Playwright's own click waits for the page that the first one leads to.
CLICKS = """() => {
  const click = (column) => document.getElementById(`col-${column}`).click();
  click(4);
  setTimeout(() => { click(5); setTimeout(() => console.log("clicked twice"), 100); }, 100);
}"""
ROOM = re.compile(r".*/r/(?!new/)[^/]+/$")
MATCH = re.compile(r".*/m/[a-z0-9]+/$")


async def a_page(
    browser: Browser, server: Server, path: str = "/", visitor: Visitor | None = None, **options: Any
) -> Page:
    """A page of somebody new, or of a visitor who has done something without one. Without a path nothing is opened yet.

    Nothing moves on it for its own sake, since each frame is drawn by the processor: tests that look at motion ask for
    it (`reduced_motion="no-preference"`).
    """
    context = await contexts_of(browser).take(server.address, {"reduced_motion": "reduce", **options})
    context.set_default_timeout(DEADLINE_MS)
    for name, value in visitor.cookies.items() if visitor else ():
        await context.add_cookies([{"name": name, "value": value, "url": server.address}])
    page = await context.new_page()
    page.on("pageerror", lambda error: server.complaints.append(f"{page.url}: {error.stack or error}"))
    page.on("console", lambda said: server.complaints.append(said.text) if _is_complaint(said.text) else None)
    if path:
        await page.goto(server.address + path)
    return page


def _is_complaint(words: str) -> bool:
    """What htmx or the content security policy says in the console; that nothing was answered is no fault of a page."""
    if words.startswith(UNANSWERED):
        return False
    return words.startswith("htmx:") or "Content Security Policy" in words


async def led_to(page: Page, address: str | re.Pattern[str]) -> Page:
    """Wait until the page is there. One that is led there twice aborts its first way, which is no fault."""
    await expect(page).to_have_url(address, timeout=DEADLINE_MS)
    await page.wait_for_load_state()
    return page


async def at_match(page: Page, after: str = "") -> Page:
    """Wait until the page is that of a match, of another one than `after`."""
    if after:
        await expect(page).not_to_have_url(after, timeout=DEADLINE_MS)
    return await led_to(page, MATCH)


async def begun(server: Server) -> tuple[Visitor, str]:
    """Somebody without a page who has begun a match of Connect Four against a built-in player in the middle column, by
    the form of the home page; and the path of the match.
    """
    visitor = Visitor(server.port)
    await visitor.get("/")
    answer = await visitor.post("/play/", variant="connect-four-7x6", level="club", move="4")
    return visitor, answer.headers["Location"]


async def a_match(browser: Browser, server: Server, **options: Any) -> Page:
    """The page of somebody who has begun a match, when the other one has answered."""
    visitor, path = await begun(server)
    page = await a_page(browser, server, path, visitor, **options)
    await shows(page, 2)
    await my_turn(page)
    return page


async def shows(page: Page, ply: int) -> None:
    """Wait until the match stands at this ply or later on this page."""
    await page.wait_for_function(SHOWS, arg=ply, polling=POLL_MS)


async def my_turn(page: Page) -> None:
    await expect(page.locator("#status")).to_contain_text("Your turn")


async def insist(page: Page, column: int, ply: int) -> None:
    """Move, even while the page reconnects: a click is not sent then, which the page says; people click again."""
    await my_turn(page)
    mine = int(await page.get_attribute("#live", "data-ply") or 0) + 1
    async with asyncio.timeout(DEADLINE_S):
        while True:
            await page.evaluate(CLICK_BEFORE, [column, mine])
            with suppress(TimeoutError):
                await page.wait_for_function(SHOWS, arg=mine, timeout=3000, polling=POLL_MS)
                break
    await shows(page, ply)


async def board(page: Page) -> list[str]:
    """Every disc with its place and its colour, as the page has it."""
    discs = await page.locator("#pieces use[id]").evaluate_all(
        "all => all.map(disc => disc.id + disc.getAttribute('href'))"
    )
    return sorted(discs)


async def log(page: Page, match: str = "") -> Any:
    """The log of a match by its address, of the one that is shown by default."""
    path = re.sub(r"\?.*", "", match or page.url) + "log.json"
    # A kept connection may be closed for its silence at the moment in which it is used again; browsers retry as well.
    return json.loads(await (await page.request.get(path, max_retries=3)).text())


class Bot:
    """A bot that speaks `droidcon` and plays what it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.heard: list[str] = []

    @classmethod
    async def join(cls, server: Server, code: str) -> Bot:
        bot = cls(*await asyncio.open_connection("127.0.0.1", server.doors["droidcon"]))
        bot.say("NAME gravity-9")
        await bot.until("SUCCESS")
        bot.say(f"JOIN {code}")
        await bot.until("SUCCESS")
        return bot

    def say(self, line: str) -> None:
        self._writer.write(f"{line}\n".encode())

    async def until(self, line: str) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not self.heard or self.heard[-1] != line:
                heard = await self._reader.readline()
                assert heard, f"the connection was closed after {self.heard}"
                self.heard.append(heard.decode().strip())
        self.heard.append("")

    def close(self) -> None:
        self._writer.close()


async def test_one_click_starts_a_match(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server)
    await page.click("#col-3")
    await at_match(page)
    assert "p-3-1#d0" in await board(page)
    await shows(page, 2)
    await my_turn(page)


async def test_a_whole_match_against_a_bot_on_its_socket_is_the_same_for_player_and_watcher(
    browser: Browser, server: Server
) -> None:
    player = await a_page(browser, server, "/r/new/", reduced_motion="no-preference")
    await player.click("text=Create the link")
    await led_to(player, ROOM)
    code = player.url.rstrip("/").rsplit("/", 1)[1]
    bot = await Bot.join(server, code)
    await at_match(player)
    watcher = await a_page(browser, server, player.url.removeprefix(server.address))
    for ply, move in enumerate(moves := ["4", "4", "3", "3", "5", "5", "2"], start=1):
        if ply % 2:
            await my_turn(player)
            await player.click(f"#col-{move}")
        else:
            await bot.until("YOUR_MOVE")
            bot.say(f"PUT {int(move) - 1}")
        await shows(player, ply)
        await shows(watcher, ply)
        assert len(await board(player)) == ply
        assert await board(player) == await board(watcher)
    await bot.until("YOU_LOST")
    await expect(player.locator("#status")).to_contain_text("You won")
    await expect(watcher.locator("#status")).to_contain_text("won")
    assert [each["move"] for each in (await log(player))["moves"]] == moves
    bot.close()


async def test_a_person_who_sits_with_a_bot_is_taken_from_round_to_round(browser: Browser, server: Server) -> None:
    bot = await Bot.join(server, "heron-7")
    german = await Visitor(server.port).get("/r/heron-7/", **{"Accept-Language": "de"})
    assert "gravity-9 (unbestätigt)" in german.text and "(unverified)" not in german.text
    person = await a_page(browser, server, "/r/heron-7/")
    await expect(person.locator("#room-state")).to_contain_text("gravity-9")
    await person.click("text=Sit down and play")
    first = (await at_match(person)).url
    await expect(person.locator(".match-title")).to_contain_text("Round 1 of 4")
    usual = person.viewport_size
    assert usual is not None, "it has a size of its own"
    await person.set_viewport_size({"width": 360, "height": 640})
    below_name = person.locator("#p-near .who > .small", has_text="keep this name")
    assert await below_name.evaluate("line => line.scrollWidth <= line.clientWidth"), "it is cut off beside the rounds"
    await person.set_viewport_size({"width": 390, "height": 844})
    name = person.locator("#p-far .name b", has_text="gravity-9 (unverified)")
    assert await name.evaluate("name => name.scrollWidth <= name.clientWidth"), "its mark is cut off"
    await person.set_viewport_size(usual)
    await bot.until("YOUR_MOVE")
    bot.say("PUT 3")
    await my_turn(person)
    await person.click("#col-4")
    await shows(person, 2)
    await person.click("details.actions summary")
    await person.click("details.actions button:visible")
    await at_match(person, after=first)
    await expect(person.locator(".match-title")).to_contain_text("Round 2 of 4")
    await my_turn(person)
    bot.close()


async def test_without_javascript_a_click_plays_a_reload_shows_the_reply_and_moves_are_taken_back_and_hinted(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, java_script_enabled=False)
    await page.click("#col-4")
    await at_match(page)
    assert "p-4-1#d0" in await board(page)
    async with asyncio.timeout(DEADLINE_S):
        while "Your turn" not in await page.inner_text("#status"):
            await page.reload()
    assert len(await board(page)) == 2
    async with page.expect_navigation():
        await page.click("#col-5")
    assert len(await board(page)) > 2
    match = page.url
    await page.goto(match + "?ply=1")
    assert await board(page) == ["p-4-1#d0"]
    await page.goto(match)
    while await board(page):
        async with page.expect_navigation():
            await page.get_by_role("button", name="Take back").click()
        await expect(page.locator("#moves")).to_contain_text("took back move")
    await page.get_by_role("button", name="Hint").click()
    await expect(page.locator("#status")).to_contain_text("Hint: column")
    await expect(page.locator("#moves")).to_contain_text("asked for a hint")
    await expect(page.locator("#controls .hinted")).to_have_count(1)


async def test_a_match_goes_on_by_itself_after_kill_9(browser: Browser, fresh: Server) -> None:
    server = fresh
    page = await a_match(browser, server)
    before, heard = await board(page), await page.get_attribute("#live", "data-now")
    await server.kill()
    await server.start()
    await page.wait_for_function(
        "heard => document.getElementById('live').dataset.now !== heard", arg=heard, polling=POLL_MS
    )
    await expect(page.locator("#net")).not_to_contain_text("Connection lost")
    assert await board(page) == before
    await my_turn(page)
    await page.click("#col-1")
    await shows(page, 4)
    assert set(before) < set(await board(page))


async def test_playing_with_the_keyboard_alone(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server)
    await expect(page.locator("#board [tabindex='0']")).to_have_count(1)
    await tab_to_the_board(page)
    await page.keyboard.press("Enter")
    await at_match(page)
    assert any(disc.endswith("#d0") for disc in await board(page))
    await shows(page, 2)
    await my_turn(page)
    await expect(page.locator(".cols button:focus")).to_have_count(1)  # keys go on from the same place
    column = await page.evaluate("document.activeElement.id")
    await page.keyboard.press("ArrowRight")
    assert await page.evaluate("document.activeElement.id") != column
    await page.keyboard.press("Enter")
    await shows(page, 4)


async def tab_to_the_board(page: Page) -> None:
    for _ in range(30):
        await page.keyboard.press("Tab")
        if str(await page.evaluate("document.activeElement.id")).startswith("col-"):
            return
    raise AssertionError("30 tabs, and the board was not reached")


async def test_a_second_click_on_the_home_board_begins_no_second_match(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server)
    posts, clicked = list[str](), asyncio.Event()

    async def hold(route: Route) -> None:
        posts.append(route.request.url)
        await clicked.wait()
        await route.continue_()

    await page.route("**/play/", hold)
    async with page.expect_console_message(lambda said: said.text == "clicked twice"):
        await page.evaluate(CLICKS)
    clicked.set()
    await at_match(page)
    assert len(posts) == 1
    assert (await log(page))["moves"][0]["move"] == "4"


async def test_a_stale_move_is_refused_in_words_a_double_click_is_one_and_who_looks_back_is_not_pulled_forward(
    browser: Browser, server: Server
) -> None:
    page = await a_match(browser, server)
    await page.evaluate("document.querySelector('#controls [name=ply]').value = 1")
    await page.click("#col-3")
    await expect(page.locator("#status")).to_contain_text("The board has changed since your click.")
    await page.reload()
    await page.dblclick("#col-3")
    await shows(page, 4)
    await my_turn(page)
    assert [each["move"] for each in (await log(page))["moves"] if each["seat"] == 0] == ["4", "3"]
    other = await page.context.new_page()
    await other.goto(page.url)
    await page.click("#m-1 a")
    await expect(page.locator("#status")).to_contain_text("You are looking at move 1 of 4")
    await other.click("#col-1")
    await shows(page, 6)
    await shows(other, 6)
    assert await board(page) == ["p-4-1#d0"]
    await page.click("text=Back to live")
    await my_turn(page)
    assert await board(page) == await board(other)


async def test_two_people_play_at_one_screen(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, viewport={"width": 390, "height": 664})
    await page.get_by_role("button", name="Two at this screen").click()
    await at_match(page)
    for ply, column in enumerate((4, 3, 4, 3, 4, 3), start=1):
        await expect(page.locator("#status")).to_contain_text("Orange to move" if ply % 2 else "Blue to move")
        await page.locator(f"#col-{column}:not([aria-disabled])").click()
        await shows(page, ply)
        await expect(page.locator("#p-near .name")).to_contain_text("Orange")
    await page.locator("#offers").get_by_role("button", name="Take back").click()
    await expect(page.locator("#moves")).to_contain_text("Blue took back move 6")
    await page.locator("#col-3:not([aria-disabled])").click()
    await shows(page, 6)
    await page.locator("#col-4:not([aria-disabled])").click()
    await expect(page.locator(".headline.won h2")).to_have_text("Orange won")
    ended = page.url
    await page.get_by_role("button", name="Rematch").click()
    await page.wait_for_url(lambda address: address != ended)
    await expect(page.locator("#status")).to_contain_text("Orange to move")
