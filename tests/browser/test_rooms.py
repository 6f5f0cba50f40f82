"""Rooms in a real browser: made in a dialog or on a page, joined by a press, followed to the match by themselves."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Browser, Page, Route, WebSocketRoute, expect

from tests.browser.axe import violations
from tests.browser.boards import post
from tests.browser.heard import Heard
from tests.browser.layout import WIDTHS, is_fit
from tests.browser.sharing import server as server
from tests.browser.test_play import DEADLINE_MS, MATCH, ROOM, Bot, a_page, at_match, led_to, my_turn, shows
from tests.kit.contexts import own_clock
from tests.kit.server import Server
from tests.kit.visiting import Visitor

# The sheet of a system that has one.
SHEET = "window.shared = []; navigator.share = async (what) => { shared.push(what); };"
# In how many lines an invitation of this player says so.
TEAL_HERON = """(head) => (head.querySelector("bdi").textContent = "Teal Heron",
  head.clientHeight / parseFloat(getComputedStyle(head).lineHeight))"""
# How far down the board of an invitation and its words stand.
TOPS = """() => [".invited", "h1"].map((each) =>
  Math.round(document.querySelector(each).getBoundingClientRect().top))"""


def path_of(page: Page, server: Server) -> str:
    return page.url.removeprefix(server.address)


async def a_room(browser: Browser, server: Server) -> Page:
    """The page of somebody who has made one by the form."""
    visitor = Visitor(server.port)
    await visitor.get("/r/new/")
    made = await visitor.post("/r/new/", variant="connect-four-7x6", clock="5s", rounds="1")
    return await a_page(browser, server, made.headers["Location"], visitor)


async def test_one_click_makes_a_link_and_one_takes_the_seat_which_who_only_looks_does_not(
    browser: Browser, server: Server
) -> None:
    host = await a_page(browser, server, permissions=["clipboard-read", "clipboard-write"])
    await host.add_init_script(SHEET)
    toast = await Heard.on(host, "#toast")
    await host.click("text=Play a friend")
    await led_to(host, ROOM)
    await host.click("text=Share …")
    assert await host.evaluate("shared") == [{"title": "Connect Four 7\u00a0×\u00a06", "url": host.url}]  # noqa: RUF001
    await host.click("text=Copy link")
    await toast.until("^Link copied$")
    assert await host.evaluate("navigator.clipboard.readText()") == host.url
    code = await host.locator("svg.qr").bounding_box()
    assert code and code["width"] >= 120, "a phone reads it from the screen"
    await host.locator("#settings summary").click()
    await expect(host.locator("#s-clock option[value='1s']")).to_have_count(0)
    await host.select_option("#s-clock", "5m")
    await host.click("#settings button")
    await expect(host.locator("#settings summary")).to_contain_text("5:00 each")
    friend = await a_page(browser, server, path_of(host, server), viewport={"width": 360, "height": 640})
    await _is_invited(friend)
    assert await violations(friend) == [] == await violations(host)
    watcher = await a_page(browser, server, path_of(host, server))
    await watcher.click("text=Just watch")
    await expect(watcher.get_by_text("You are watching: the match appears here")).to_be_visible()
    await (await a_page(browser, server, path_of(host, server))).close()
    await friend.click("text=Sit down and play")
    for page in (friend, host, watcher):
        await at_match(page)
    assert friend.url == host.url == watcher.url
    await expect(friend.locator(".clock")).to_have_count(2)
    await friend.click("#col-4")
    await shows(host, 1)
    await my_turn(host)


async def _is_invited(friend: Page) -> None:
    """On a phone, with what is needed in view."""
    await expect(friend.locator("h1")).to_contain_text("invites you to play")
    await expect(friend.locator("[data-share]")).to_have_count(0)
    await expect(friend.locator("main .btn.primary")).to_have_count(1)
    # In the head who waits and what is played, in one line, or in two where our font came too late for the page; above
    # the columns a disc that fits into one.
    waits, head = await friend.locator("#waits").bounding_box(), await friend.locator("h1").bounding_box()
    terms, disc = await friend.locator(".terms").bounding_box(), await friend.locator(".ready use").bounding_box()
    landing = await friend.locator(".ready .landing").bounding_box()
    assert waits and head and terms and disc and landing
    assert waits["y"] < head["y"] < terms["y"] < disc["y"] and terms["height"] < 48 and 20 < disc["width"] < 40
    # Below it the place where it would land, in the lowest hole of its column.
    board, middle = await friend.locator("#pieces").bounding_box(), disc["x"] + disc["width"] / 2
    assert board and abs(landing["x"] + landing["width"] / 2 - middle) < 2
    assert board["y"] + board["height"] * 0.75 < landing["y"] < board["y"] + board["height"] - landing["height"]
    # On a phone on its side the button is in view beside the board.
    await friend.set_viewport_size({"width": 844, "height": 390})
    board, play = await friend.locator("#pieces").bounding_box(), await friend.locator(".btn.primary").bounding_box()
    assert board and play and board["x"] + board["width"] <= play["x"]
    assert max(board["y"] + board["height"], play["y"] + play["height"]) <= 390
    await friend.set_viewport_size({"width": 360, "height": 640})
    lines = await friend.locator("h1").evaluate(TEAL_HERON)
    assert lines < 1.5, "a name of the usual length takes no second line of the board's room"
    image = await friend.locator("meta[property='og:image']").get_attribute("content")
    assert image and (await friend.request.get(image)).headers["content-type"] == "image/png"


async def test_a_room_is_listed_while_its_host_is_there_and_a_kill_of_the_server_forgets_nobody(
    browser: Browser, fresh: Server
) -> None:
    host, stranger = await a_room(browser, fresh), await a_page(browser, fresh)
    path, listed = path_of(host, fresh), stranger.locator("#rooms")
    await expect(listed).to_contain_text("5 s")
    await fresh.kill()
    await fresh.start()
    await expect(host.locator("#room-state")).to_contain_text("you")
    await expect(listed).to_contain_text("5 s")
    friend = await a_page(browser, fresh, path)
    await expect(friend.locator("#room-state")).to_contain_text("wants to play")
    await host.close()
    await expect(friend.locator("#room-state")).to_contain_text("is not here right now", timeout=DEADLINE_MS)
    await expect(listed).to_contain_text("No one is waiting")
    await friend.click("text=Sit down and play")
    await expect(friend.locator("#room-state")).to_contain_text("You can wait here, or leave.")
    assert await violations(friend) == []
    back = await host.context.new_page()
    await back.goto(fresh.address + path)
    await at_match(back)
    await at_match(friend)


async def test_the_dialog_knows_what_is_possible_gives_the_focus_back_and_begins_what_was_chosen(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server)
    opener = page.locator("a[data-dialog]").first
    await opener.click()
    await expect(page.locator("#dialog")).to_be_visible()
    await expect(page.locator("#f-side1 option[value='socket:gamestate']")).to_be_disabled()
    await expect(page.locator("#f-clock option[value='1s']")).to_be_disabled()
    await page.select_option("#f-side1", "socket:droidcon")
    await expect(page.locator(".summary")).to_contain_text("4 rounds, 30 s a move")
    await expect(page.locator("#f-clock option[value='none']")).to_be_disabled()
    await expect(page.locator("#f-clock option[value='1s']")).to_be_enabled()
    await page.click("label[for='variant-expanding-nim'], label:has(#variant-expanding-nim)")
    await expect(page.locator(".summary")).to_contain_text("Expanding Nim, you against anyone")
    await page.select_option("#f-side1", "builtin:club")
    await expect(page.locator(".summary")).to_contain_text("you against built-in Club")
    await page.click("#swap")
    await expect(page.locator(".summary")).to_contain_text("built-in Club against you")
    await page.keyboard.press("Escape")
    await expect(page.locator("#dialog")).to_be_hidden()
    await expect(opener).to_be_focused()
    await opener.click()
    await page.select_option("#f-side1", "anyone")
    await page.click("#dialog >> text=Create the link")
    await led_to(page, ROOM)


async def test_the_form_remembers_the_last_choice_and_says_what_cannot_be_where_it_was_chosen(
    browser: Browser, server: Server
) -> None:
    page = await a_page(browser, server, "/r/new/")
    await page.select_option("#f-clock", "2m")
    await expect(page.locator(".summary")).to_contain_text("2:00 each")
    await page.check("#private")
    await page.click("text=Create the link")
    await led_to(page, ROOM)
    await page.goto(f"{server.address}/r/new/")
    await expect(page.locator("#f-clock")).to_have_value("2m")
    await expect(page.locator("#private")).to_be_checked()
    await page.evaluate("document.getElementById('f-clock').options[1].value = 'an hour'")
    await page.evaluate("document.getElementById('f-clock').selectedIndex = 1")
    await page.click("text=Create the link")
    await expect(page.locator("[data-summary]")).to_be_focused()
    await expect(page.locator("#e-clock")).to_contain_text("Received the clock 'an hour', expected 1s, 5s")
    await expect(page.locator("#f-clock")).to_have_attribute("aria-invalid", "true")
    await page.click("[data-summary] a")
    await expect(page.locator("#f-clock")).to_be_focused()


async def test_a_room_is_made_and_joined_without_javascript(browser: Browser, server: Server) -> None:
    host = await a_page(browser, server, "/r/new/", java_script_enabled=False)
    await host.check("#variant-connect-four-8x8")
    await host.click("button[name=look]")
    await expect(host.locator(".summary")).to_contain_text("8 × 8")  # noqa: RUF001 - as it is written
    await host.click("text=Create the link")
    await led_to(host, ROOM)
    friend = await a_page(browser, server, path_of(host, server), java_script_enabled=False)
    await friend.click("text=Sit down and play")
    await at_match(friend)
    await host.wait_for_load_state()
    await host.click("text=Back to it")
    await at_match(host)


async def test_who_opened_a_room_sees_for_how_long_it_waits_changes_who_plays_leaves_and_closes_it(
    browser: Browser, server: Server
) -> None:
    host = await a_room(browser, server)
    friend = await a_page(browser, server, path_of(host, server))
    await host.locator("#meanwhile summary").click()
    button, words = [await host.locator(f"#meanwhile {each}").first.bounding_box() for each in ("a.btn", "h2")]
    assert button and words and words["y"] - button["y"] - button["height"] >= 8, "it has room above it"
    await host.select_option("#who-1", "socket:fiar")
    await host.click("#change-1 button")
    await expect(host.locator("h1")).to_have_text("Hook up your bot")
    await expect(friend.locator("#room-state")).to_contain_text("Waiting for a bot that speaks Four In A Row")
    await expect(friend.locator("text=Change")).to_have_count(0)
    await host.click("main a[href^='/r/']")
    await expect(host.locator("#room-state li")).to_have_count(2)
    await expect(host.locator(".duo")).to_have_count(0)
    await host.select_option("#who-1", "builtin:beginner")
    await host.click("#change-1 button")
    await at_match(host)
    await host.goto(server.address)
    await host.click("text=Play a friend")
    await led_to(host, ROOM)
    await expect(host.locator("[data-waited]")).to_have_text(re.compile(r"^0:(?!00)\d\d$"))
    await friend.goto(host.url)
    await host.get_by_role("button", name="Close room").click()
    for page in (host, friend):
        await expect(page.locator("#room-state")).to_contain_text("This room is closed.")
        await expect(page.locator("#room-state .btn")).to_have_text(["Create a room"])
        await expect(page.locator("main")).not_to_contain_text("Copy link")


async def test_who_waits_where_no_websocket_gets_through_is_led_to_the_match(browser: Browser, server: Server) -> None:
    async def refuse(route: WebSocketRoute) -> None:
        await route.close(code=1013)

    host = await a_page(browser, server)
    await host.route_web_socket("**/ws/r/**", refuse)
    await host.click("text=Play a friend")
    await led_to(host, ROOM)
    friend = await a_page(browser, server, path_of(host, server))
    await friend.click("text=Sit down and play")
    for page in (host, friend):
        await at_match(page)


async def test_a_friend_reads_that_the_host_has_left_and_a_stranger_is_offered_no_seat(
    browser: Browser, server: Server
) -> None:
    host = await a_page(browser, server)
    await host.click("text=Play a friend")
    await led_to(host, ROOM)
    friend = await a_page(browser, server, path_of(host, server))
    await post(host, f"{host.url}leave/")
    await expect(host.locator("#room-state")).to_contain_text("Nobody sits here yet.")
    await expect(friend.locator("#room-state")).to_contain_text("is not here right now.")
    await friend.click("text=Sit down and play")
    await expect(friend.locator("#room-state")).to_contain_text("You can wait here, or leave.")
    stranger = await a_page(browser, server, path_of(host, server))
    await expect(stranger.locator("#room-state .btn")).to_have_text(["Just watch"])
    await stranger.click("text=Just watch")
    await expect(stranger.locator("#room-state")).to_contain_text("the match appears here when it starts.")
    await host.click("text=Sit down and play")
    for page in (host, friend, stranger):
        await at_match(page)


async def test_the_pages_are_fit_for_everyone_on_every_screen(browser: Browser, server: Server) -> None:
    host = await a_room(browser, server)
    guest = await a_page(browser, server, path_of(host, server))
    await _has_room_beside_its_buttons_or_above_them(guest)
    await is_fit(guest, "rooms-invitation")
    await is_fit(host, "rooms-room")
    await host.goto(f"{server.address}/r/new/")
    await is_fit(host, "rooms-form")
    await host.goto(server.address)
    await host.locator("a[data-dialog]").first.click()
    await expect(host.locator("#dialog #new-room")).to_be_visible()
    await is_fit(host, "rooms-dialog")


async def _has_room_beside_its_buttons_or_above_them(friend: Page) -> None:
    words, button = friend.locator("p:visible", has_text="5 s a move"), friend.locator("text=Just watch")
    for width in WIDTHS:
        await friend.set_viewport_size({"width": width, "height": 800})
        told, pressed = await words.bounding_box(), await button.bounding_box()
        assert told and pressed, f"at {width}"
        assert told["width"] >= 180, f"at {width}"
        assert told["x"] + told["width"] <= pressed["x"] or told["y"] + told["height"] <= pressed["y"], f"at {width}"
    # On a desk, what is unfolded lengthens the page and moves nothing above it.
    await friend.set_viewport_size({"width": 1280, "height": 800})
    places = await friend.evaluate(TOPS)
    await friend.locator("#bring summary").click()
    await expect(friend.get_by_text("connect to")).not_to_have_count(0)
    assert await friend.evaluate(TOPS) == places


async def test_two_press_at_once_one_plays_and_the_others_see_the_board_and_can_watch(
    browser: Browser, server: Server
) -> None:
    host = await a_page(browser, server)
    await host.click("text=Play a friend")
    await led_to(host, ROOM)
    link = path_of(host, server)
    guests = [await a_page(browser, server, link) for _ in range(2)]
    all_pressed = asyncio.Barrier(len(guests))

    async def at_once(route: Route) -> None:
        await all_pressed.wait()
        await route.continue_()

    for guest in guests:
        await expect(guest.locator("h1")).to_contain_text("invites you to play")
        await guest.route("**/sit/", at_once)
    await asyncio.gather(*(guest.click("text=Sit down and play", no_wait_after=True) for guest in guests))
    await at_match(host)
    for guest in guests:
        await expect(guest.locator("#live[data-status=running], .inv-acts .btn.primary:text('Watch')")).to_be_attached()
    (friend,) = [guest for guest in guests if MATCH.match(guest.url)]
    (left,) = [guest for guest in guests if guest is not friend]
    late = await a_page(browser, server, link, viewport={"width": 360, "height": 640})
    for page in (left, late):
        await expect(page.locator("h1")).to_contain_text(" plays ")
        await expect(page.locator(".inv-acts")).to_contain_text("Both seats are taken. You can watch.")
        await expect(page.locator(".invited #pieces")).to_be_visible()
        await expect(page.locator(".inv-acts .btn")).to_have_text(["Watch"])
        assert await violations(page) == []
    await left.click(".inv-acts .btn.primary")
    await at_match(left)
    await post(friend, f"{friend.url}resign/")
    await expect(late.locator("h1")).not_to_contain_text(" plays ")


async def test_a_guest_who_sits_down_is_led_to_the_match_whatever_the_page_is_told_first(
    browser: Browser, server: Server
) -> None:
    bot = await Bot.join(server, "hasty")
    guest = await a_page(browser, server, "/r/hasty/")

    async def late(route: Route) -> None:
        # Not by the browser, which would have the cookie of the new name before the page has its answer.
        visitor = Visitor(server.port)
        visitor.cookies = {each["name"]: each["value"] for each in await guest.context.cookies()}
        async with guest.expect_event("requestfinished", lambda request: "/state/" in request.url):
            answer = await visitor.post("/r/hasty/sit/")
        cookie = f"sessionid={visitor.cookies['sessionid']}; Path=/"
        await route.fulfill(
            status=answer.status, headers={"Location": answer.headers["Location"], "Set-Cookie": cookie}
        )

    await guest.route("**/sit/", late)
    await guest.click("text=Sit down and play", no_wait_after=True)
    await at_match(guest)
    await expect(guest.locator(".ask form.resign")).to_have_count(1)
    bot.close()


async def test_a_room_whose_answer_is_lost_is_not_made_twice(browser: Browser, server: Server) -> None:
    page = await a_page(browser, server, "/r/new/")
    toast, made = await Heard.on(page, "#toast"), list[str]()

    async def lose(route: Route) -> None:
        if route.request.method != "POST":
            return await route.continue_()
        made.append((await route.fetch(max_redirects=0)).headers["location"])
        await route.abort()

    await page.route("**/r/new/", lose)
    await page.click("text=Create the link")
    await toast.until("Your room may be open already")
    assert len(made) == 1 and page.url == f"{server.address}/r/new/"


async def test_who_stopped_the_way_to_the_match_still_hears_of_the_room(browser: Browser, server: Server) -> None:
    bot = await Bot.join(server, "halted")
    page = await a_page(browser, server, "")
    await own_clock(page)
    await page.goto(server.address + "/r/halted/")
    await page.route("**/sit/", lambda route: route.fulfill(status=204))  # the page stays, as after a press on "stop"
    await page.click("text=Sit down and play", no_wait_after=True)
    other = Visitor(server.port)
    await other.get("/r/halted/")
    async with page.expect_event("requestfinished", lambda request: "seat=free" in request.url):
        assert (await other.post("/r/halted/sit/")).status == 302
    await page.clock.run_for(20_000)
    await expect(page.locator("h1")).to_contain_text(" plays ")
    bot.close()


async def test_who_stopped_the_way_to_a_new_room_is_led_there_by_another_press(
    browser: Browser, server: Server
) -> None:
    page, tried = await a_page(browser, server, "/r/new/"), list[str]()

    async def stopped_once(route: Route) -> None:
        if not route.request.is_navigation_request():
            return await route.continue_()
        tried.append(route.request.url)
        await (route.fulfill(status=204) if len(tried) == 1 else route.continue_())

    await page.route(ROOM, stopped_once)
    async with page.expect_request(lambda request: request.is_navigation_request()):
        await page.click("text=Create the link", no_wait_after=True)
    await page.click("text=Create the link")
    await led_to(page, ROOM)
    assert tried == [page.url] * 2
