"""The home page and the wall in a real browser: one click plays, others are seen live, on every width and theme."""

from __future__ import annotations

import asyncio

from django.template.loader import render_to_string
from playwright.async_api import Browser, Locator, Page, WebSocketRoute, expect

import games
from arena.bots.builtin.exhibition import Show
from arena.web.lobby import showcase
from tests.browser.layout import are_fit, resized
from tests.browser.sharing import of_module as of_module
from tests.browser.sharing import server as server
from tests.browser.test_play import ROOM, a_page, at_match, begun, led_to, my_turn, shows
from tests.browser.test_rooms import a_room, path_of
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server

# How far down what follows on the wall stands.
OFFSETS = "[...document.querySelectorAll('#wall .empty, footer')].map(e => e.offsetTop)"
# However slow this machine is, the press is a short one.
PATIENT = "(later => { window.setTimeout = (act, ms) => ms === 1000 ? 1 : later(act, ms); })(setTimeout)"


async def test_an_exhibition_that_begins_on_an_empty_wall_moves_nothing(browser: Browser, server: Server) -> None:
    variant = games.variant("connect-four-7x6")
    shown = showcase.exhibited(Show(1, variant, ("club", "expert"), variant.start()))
    page = await a_page(browser, server, "/watch/", java_script_enabled=False)
    places = []
    for exhibition in (None, shown):
        wall = render_to_string("arena/fragments/wall.html", {"matches": [], "exhibition": exhibition, "oob": False})
        await page.locator("#wall").evaluate("(wall, html) => { wall.outerHTML = html }", wall)
        for width in (390, 1280):
            await page.set_viewport_size({"width": width, "height": 844})
            places.append(await page.evaluate(OFFSETS))
    assert places[:2] == places[2:]


async def test_what_others_play_is_seen_live_on_the_home_page_and_on_the_wall(
    browser: Browser, of_module: Server
) -> None:
    server = of_module
    home, wall = await a_page(browser, server), await a_page(browser, server, "/watch/")
    await expect(wall.locator("#wall")).to_contain_text("Nothing is being played at the moment")
    player = await a_page(browser, server)
    await player.click("#col-3")
    await at_match(player)
    await expect(home.locator("#featured")).to_contain_text("Live now")
    await expect(wall.locator(".tile")).to_have_count(1)
    await shows(player, 2)
    await my_turn(player)
    await player.click("#col-5")
    await expect(home.locator("#featured")).to_contain_text("move 4")
    await expect(wall.locator(".tile")).to_contain_text("move 4")
    nim = await a_page(browser, server, "/watch/?game=expanding-nim")
    await expect(nim.locator("#wall")).to_contain_text("Nobody plays this game at the moment")
    await home.click("#featured .card-foot a")
    await at_match(home)


async def test_nothing_moves_under_the_finger_that_chooses_a_level(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, viewport={"width": 390, "height": 664})
    level = page.get_by_role("radio", name="Beginner")
    label = page.locator("label", has=level)
    await label.hover()
    before = await label.bounding_box()
    await page.mouse.down()
    assert await label.bounding_box() == before
    await page.mouse.up()
    await expect(level).to_be_checked()
    await expect(level).to_be_focused()
    assert await label.bounding_box() == before


async def test_a_disc_dropped_while_the_server_is_dead_waits_on_the_page_and_is_sent_when_it_is_back(
    browser: Browser, of_module: Server
) -> None:
    line = Line()
    page = await a_page(browser, of_module, "", service_workers="block")  # as over http from another machine
    await page.route_web_socket("**/ws/lobby/?*", line.opened)
    await page.goto(of_module.address)
    await expect(page.locator("main")).to_have_attribute("data-lobby", "")
    await page.context.set_offline(True)
    await line.cut()
    await expect(page.locator("main")).to_have_attribute("data-lobby", "paused")
    await page.click("#col-3")
    said = "The server does not answer. Your move is sent as soon as it does."
    await expect(page.locator("#net")).to_have_text(said)
    await page.context.set_offline(False)
    line.whole = True
    await at_match(page)
    await shows(page, 2)


async def test_a_lost_lobby_keeps_what_it_shows_and_says_that_it_is_paused(browser: Browser, of_module: Server) -> None:
    server = of_module
    page, line = await a_page(browser, server, ""), Line()
    await page.route_web_socket("**/ws/lobby/?*", line.opened)
    await page.goto(server.address)
    waiting = await a_page(browser, server, "/r/new/")
    await waiting.click("text=Create the link")
    await expect(page.locator("#rooms tbody tr")).to_have_count(1)
    await line.cut()
    await expect(page.locator("main")).to_have_attribute("data-lobby", "paused")
    await expect(page.locator("#rooms tbody tr")).to_have_count(1)
    heading = "getComputedStyle(document.getElementById('h-rooms'), '::after').content"
    assert "paused" in await page.evaluate(heading)
    await expect(page.locator("#net")).to_have_text("Connection lost. Trying again …")
    line.whole = True
    await expect(page.locator("main")).to_have_attribute("data-lobby", "")
    await expect(page.locator("#net")).to_be_hidden()
    line.whole = False  # or it would be back before anybody looks
    await page.evaluate(SILENT)
    await expect(page.locator("main")).to_have_attribute("data-lobby", "paused")
    line.whole = True
    await expect(page.locator("main")).to_have_attribute("data-lobby", "")


# Somebody comes back to the page after half a minute in which nothing was heard.
SILENT = """() => {
  const now = Date.now;
  Date.now = () => now() + 30000;
  document.dispatchEvent(new Event("visibilitychange"));
}"""


class Line:
    """The line between the page's websocket and the server. Cut, nothing gets through until it is `whole` again."""

    def __init__(self) -> None:
        self.whole = True
        self._sockets: list[WebSocketRoute] = []

    async def opened(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        if self.whole:
            socket.connect_to_server()
        else:
            await socket.close(code=1012)

    async def cut(self) -> None:
        self.whole = False
        for socket in self._sockets:
            await socket.close(code=1001)


# Fields that are wider than their place.
STICKING_OUT = """() => [...document.querySelectorAll("main .field input")].filter((each) =>
  each.getBoundingClientRect().right > each.parentElement.getBoundingClientRect().right + 1).map((each) => each.id)"""


async def test_the_pages_are_fit_for_everyone_on_every_screen(browser: Browser, server: Server) -> None:
    await begun(server)  # is seen on these pages
    page = await a_page(browser, server, "")
    await are_fit(page, server.address, ("/", "/?game=expanding-nim", "/?game=santorini", "/watch/", "/matches/"))
    await resized(page, 360, 640)
    assert await page.evaluate(STICKING_OUT) == []


async def test_the_focus_and_a_press_stay_with_their_room_though_the_list_changes_meanwhile(
    browser: Browser, server: Server
) -> None:
    upper, lower = await a_room(browser, server), await a_room(browser, server)
    page = await a_page(browser, server)
    gone, stays = _sits_in(page, upper, server), _sits_in(page, lower, server)
    await expect(gone).to_be_visible()
    await stays.focus()
    await upper.get_by_role("button", name="Close room").click()
    await expect(gone).to_have_count(0)
    assert await page.evaluate("document.activeElement.formAction") == f"{lower.url}sit/"
    await upper.goto(f"{server.address}/r/new/")
    await upper.click("text=Create the link")
    await led_to(upper, ROOM)
    changed = asyncio.Event()

    def heard(frame: str | bytes) -> None:
        if 'id="waiting"' in str(frame) and path_of(upper, server) not in str(frame):
            changed.set()

    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    await page.reload()
    await expect(_sits_in(page, upper, server)).to_be_visible()
    await stays.hover()
    await page.evaluate(PATIENT)
    await page.mouse.down()
    changed.clear()
    await upper.get_by_role("button", name="Close room").click()
    async with asyncio.timeout(DEADLINE_S):
        await changed.wait()
    await page.mouse.up()
    await at_match(page)
    await at_match(lower)


def _sits_in(page: Page, room: Page, server: Server) -> Locator:
    """The button that sits down in this room."""
    return page.locator(f"[formaction='{path_of(room, server)}sit/']")


async def test_in_german_nothing_is_cut_off_on_the_narrowest_phone(browser: Browser, server: Server) -> None:
    for _ in range(3):
        await begun(server)  # one is on the large card, the others are in the list
    page = await a_page(browser, server, "/?game=expanding-nim", locale="de-DE")
    await expect(page.locator("#lives .mini").nth(1)).to_be_visible()
    for width in (360, 320):
        await resized(page, width, 740)
        assert await page.evaluate(CUT, "#lives .names > span, #asked") == [], width
        assert not await page.evaluate(UNDER, [".switchrow :is(b, .tag)", "#take"]), width


async def test_in_german_the_ways_to_play_are_one_line_and_so_are_each_heading_and_buttons_of_one_line(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, locale="de-DE")
    for blocked in ("**/no-font", "**/*.woff2"):  # without the font, which nobody waits for, another one is wider
        await page.route(blocked, lambda route: route.abort())
        await page.reload()
        for width in (1920, 1280, 768):
            await resized(page, width, 900)
            assert len(await page.evaluate(TOPS, ".opponent .end .btn")) == 1, (blocked, width)
    await resized(page, 360, 740)
    heading = await page.locator("#h-rooms").bounding_box()
    assert heading and heading["height"] < 30
    await page.goto(f"{server.address}/bots/")
    for width, buttons in ((360, "header .btn"), (641, ".filter > :is(select, button)"), (768, ".filter > *")):
        await resized(page, width, 740)
        assert len(await page.evaluate(TOPS, f"main {buttons}")) == 1, (width, buttons)


# What is said in full where there is room for it.
CUT = """(selector) => [...document.querySelectorAll(selector)]
  .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent.trim())"""
# Whether words of the one lie under the other.
UNDER = """([words, cover]) => {
  const { left, right, top, bottom } = document.querySelector(cover).getBoundingClientRect();
  return [...document.querySelectorAll(words)].flatMap((each) => [...each.getClientRects()]).some((line) =>
    line.right > left && line.left < right && line.bottom > top && line.top < bottom);
}"""
TOPS = """(selector) => [...new Set([...document.querySelectorAll(selector)]
  .map((each) => Math.round(each.getBoundingClientRect().top)))]"""
