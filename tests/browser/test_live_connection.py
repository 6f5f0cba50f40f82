"""A match page whose connection fails in every way there is: it says so, comes back by itself, and is right again."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, Page, Route, expect

from arena.web.sockets.consumers import HEAD_S
from tests.browser.axe import violations
from tests.browser.boards import Other, a_match_of, post, two_people
from tests.browser.couples import becomes_same, connected, couple, drop, same_picture
from tests.browser.heard import Heard
from tests.browser.layout import resized
from tests.browser.lossy import Lossy
from tests.browser.sharing import server as server
from tests.browser.test_play import a_match, a_page, at_match, board, led_to, shows
from tests.kit.chromium import POLL_MS
from tests.kit.server import Server
from tests.kit.visiting import Visitor

NET, STATUS = "#net", "#status"
# What is needed on a phone, and on one on its side.
PHONES = (
    (360, 640, "#p-near .clock, #status, .replay :is(button, a), .stage .digit"),
    (844, 390, ".stage, .clock, #status"),
)
# The moments for which something is said in the line under the board end when the test wants it.
MOMENTS = """
window.moments = new Map();
const { setTimeout: later, clearTimeout: never } = window;
window.setTimeout = (does, ms, ...more) => ms === 3000 ? moments.set(does, does) && does : later(does, ms, ...more);
window.clearTimeout = timer => moments.delete(timer) || never(timer);
"""
# Which of these parts lie below the words about the connection.
COVERED = """parts => {
  const net = document.getElementById("net").getBoundingClientRect();
  const under = ({ top, bottom, left, right }) =>
    top < net.bottom && bottom > net.top && left < net.right && right > net.left;
  return [...document.querySelectorAll(parts)]
    .filter(part => part.checkVisibility() && under(part.getBoundingClientRect())).map(part => part.outerHTML);
}"""


async def test_who_was_cut_off_is_told_and_comes_back_to_the_board_of_the_server_in_mid_match_and_after_its_end(
    browser: Browser, server: Server
) -> None:
    host, friend = await couple(browser, server, clock="5m", viewport={"width": PHONES[0][0], "height": PHONES[0][1]})
    proxy, net = await Lossy.between(host), await Heard.on(host, NET)
    await host.reload()
    await shows(host, 0)
    await expect(host.locator(STATUS)).to_contain_text("Your turn")
    await host.evaluate("window.stays = true")
    await drop(host, 4)
    await shows(friend, 1)
    await shows(host, 1)
    await proxy.cut()
    await net.until(r"^Connection lost. Trying again … You lose the match if it is not back within \d0\ss\.$")
    await drop(friend, 3)
    await shows(friend, 2)
    proxy.down = False
    await net.until("^Connected again. You missed 1 move.$")
    await expect(host.locator(NET)).to_be_hidden()
    assert await same_picture(host, friend)
    await _connects_again_from_the_back_forward_cache(host, proxy)
    await drop(host, 2)
    await shows(host, 3)
    await shows(friend, 3)
    assert await same_picture(host, friend)
    assert await host.evaluate("window.stays") is True
    await proxy.cut()
    await expect(host.locator(NET)).to_be_visible()
    for width, height, needed in PHONES:
        await resized(host, width, height)
        assert await host.evaluate(COVERED, needed) == [], "what says so lies over nothing that is needed"
    await post(friend, f"{friend.url}resign/")
    proxy.down = False
    await expect(host.locator(".headline")).to_contain_text("You won")
    for width, height, _ in PHONES:
        await resized(host, width, height)
        await expect(host.locator(".headline")).to_be_in_viewport()
        await expect(host.get_by_role("button", name="Rematch")).to_be_in_viewport(ratio=1)


async def _connects_again_from_the_back_forward_cache(page: Page, proxy: Lossy) -> None:
    before = proxy.opened
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    await proxy.until(lambda: proxy.opened > before)


async def test_who_leaves_a_friend_finds_the_match_among_their_own_and_goes_on(browser: Browser, fresh: Server) -> None:
    host, friend = await couple(browser, fresh)
    await drop(host, 4)
    await shows(friend, 1)
    address = friend.url
    await friend.goto("about:blank")
    await expect(host.locator(STATUS)).to_contain_text("is offline. The match waits")
    assert await violations(host) == []
    await host.goto("about:blank")
    await fresh.kill()
    await fresh.start()
    await friend.goto(fresh.address)
    own = friend.locator("#your-matches a.mini")
    await expect(own).to_contain_text("Your turn")
    assert await violations(friend) == []
    await own.click()
    await led_to(friend, address)
    await drop(friend, 4)
    await shows(friend, 2)
    await host.goto(fresh.address + "/me/")
    await expect(host.locator("#your-matches a.mini")).to_contain_text("Your turn")
    await host.locator("#your-matches a.mini").click()
    await shows(host, 2)


async def test_the_other_one_reads_who_is_gone_and_who_is_back_and_after_a_moment_what_is_true_now(
    browser: Browser, server: Server
) -> None:
    host, friend = await couple(browser, server, clock="5m")
    await host.add_init_script(MOMENTS)
    await host.reload()
    await connected(host)
    name = await friend.locator("#p-near .name b").inner_text()
    said = await Heard.on(host, ".said")
    for ply in (0, 1, 2):
        if ply:
            await drop(host if ply == 1 else friend, 4)
            await shows(host, ply)
        await friend.close()
        await said.until(rf"^{name} is offline\. (0:)?\d\d(\.\d)? to come back, or {name} loses\.$")
        await expect(host.locator(STATUS)).to_contain_text(f"{name} is offline")
        friend = await friend.context.new_page()
        await friend.goto(host.url)
        await said.until(f"^{name} is back.$")
        await expect(host.locator(STATUS)).to_contain_text(f"{name} is back.")
        if ply == 0:
            await _moments_are_over(host)
            await expect(host.locator(STATUS)).to_contain_text("Your turn")
    await _moments_are_over(host)
    await expect(host.locator(STATUS)).to_contain_text("Your turn")


async def _moments_are_over(page: Page) -> None:
    await page.evaluate("[...moments.values()].forEach(over => over())")


async def test_a_lost_move_is_missed_at_the_next_word_within_a_second_and_if_every_third_is_lost_no_board_stays_wrong(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, "connect-four-7x6")
    watcher, every_third, lost = await a_page(browser, server, ""), asyncio.Event(), list[bool]()

    def loses(number: int, words: str) -> bool:
        if every_third.is_set():
            return number % 3 == 0
        return words.startswith('<div id="live"') and bool(lost and lost.pop())

    proxy = await Lossy.between(watcher, loses)
    await watcher.goto(page.url)
    await connected(watcher)
    await watcher.evaluate(
        "window.words = []; document.addEventListener('htmx:wsBeforeMessage', ({detail}) => words.push(detail.message))"
    )
    lost.append(True)
    await drop(page, 4)
    await shows(watcher, 1)
    assert proxy.lost == 1 and await same_picture(watcher, page)
    words = await watcher.evaluate("words.map(word => word.slice(0, 12))")
    assert words[:1] == ['<div id="hb"'] and HEAD_S < 1, "what came first named a newer event than the page had"
    every_third.set()
    for ply, column in enumerate([4, 3, 3, 5, 5, 1, 2, 7], start=2):
        await (drop(page, column) if ply % 2 else other.play(ply, str(column)))
        await shows(page, ply)
        await becomes_same(watcher, page)
    assert proxy.lost >= 4


async def test_who_was_led_to_a_round_that_no_server_showed_is_led_there_when_they_come_back(
    browser: Browser, server: Server
) -> None:
    async def refuse(route: Route) -> None:
        await route.abort("connectionrefused")

    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant="connect-four-7x6", clock="none", rounds="2", private="on")
    page = await a_page(browser, server, match, people[0])
    other = await Other.at(match, people[1], page)
    first = page.url
    await post(page, f"{first}move/", ply=1, move=4)
    await other.play(2, "4")
    await page.route("**/m/*/", refuse, times=1)
    async with page.expect_event("framenavigated", lambda frame: frame.url.startswith("chrome-error:")):
        await other.resign()
    # The browser's own way back is refused while it still puts the page away that was left.
    # It goes once the script is over that asks for it, which would not return from a page that is gone.
    await page.evaluate("() => { setTimeout(() => history.back()) }")
    second = (await at_match(page, after=first)).url
    await expect(page.locator(".match-title")).to_contain_text("Round 2 of 2")
    # Who was there and opens the first one again wants to look at it.
    await page.goto(first)
    await expect(page.locator("#hb[data-seq]")).to_be_attached()
    await expect(page.locator("#goto")).to_have_attribute("href", second.removeprefix(server.address))
    await expect(page).to_have_url(first)


# What a page shows, read before and after the server was asked, is what the server says, to half a second.
AGREES = """async () => {
  const shown = () => ["p-far", "p-near"].map(id => {
    const [minutes, seconds] = document.querySelector(`#${id} .clock`).textContent.split(":");
    return 60 * minutes + Number(seconds);
  });
  const before = shown();
  const answer = await fetch(`${location.pathname}live/?have=0`);
  const told = new DOMParser().parseFromString(await answer.text(), "text/html");
  const after = shown();
  return ["p-far", "p-near"].every((id, n) => {
    const left = told.querySelector(`#${id} .clock`).dataset.left / 1000;
    return after[n] - 0.5 <= left && left <= before[n] + 1.5;
  });
}"""


KEPT = "Your move is kept: it is played when the match goes on."


async def test_a_restart_of_the_server_needs_no_reload_and_what_was_pressed_meanwhile_is_played_after_it(
    browser: Browser, fresh: Server
) -> None:
    host, friend = await couple(browser, fresh, clock="5m")
    await host.evaluate("window.stays = true")
    await drop(host, 4)
    await shows(friend, 1)
    await _clocks_are_right_after_a_restart(host, friend, fresh)
    await drop(friend, 4)
    await shows(host, 2)
    for page in (host, friend):
        await page.wait_for_function(AGREES, polling=POLL_MS)
    assert await same_picture(host, friend)
    assert await host.evaluate("window.stays") is True
    await _is_played_that_was_pressed_while_the_server_was_dead(host, friend, fresh)
    await _is_played_that_was_pressed_before_all_were_back(host, friend, fresh)


async def _clocks_are_right_after_a_restart(host: Page, friend: Page, server: Server) -> None:
    await server.stop()
    heard = {}
    for page in (host, friend):
        await expect(page.locator(NET)).to_have_text("The server is restarting. The match continues where it stopped.")
        heard[page] = await page.get_attribute("#live", "data-now")
        await expect(page.locator(STATUS)).not_to_contain_text("is offline")
        await expect(page.locator(".clock")).to_have_count(2)
        await expect(page.locator(".clock[data-running]")).to_have_count(0)
    await server.start()
    for page, before in heard.items():
        await page.wait_for_function(
            "told => document.getElementById('live').dataset.now !== told", arg=before, polling=POLL_MS
        )
        await page.wait_for_function(AGREES, polling=POLL_MS)
    await expect(friend.locator(STATUS)).to_contain_text("Your turn")


async def _is_played_that_was_pressed_while_the_server_was_dead(host: Page, friend: Page, server: Server) -> None:
    await drop(host, 4)
    await shows(friend, 3)
    await server.kill()
    await drop(friend, 3)
    await expect(friend.locator(STATUS)).to_contain_text(KEPT)
    await drop(friend, 5)  # the newest one counts
    await expect(friend.locator("#col-5[aria-busy]")).to_be_attached()
    await server.start()
    await shows(host, 4)
    await shows(friend, 4)
    assert "p-5-1#d1" in await board(host) and await same_picture(host, friend)
    await expect(host.locator(STATUS)).to_contain_text("Your turn")
    await expect(friend.locator("#controls [aria-busy], #controls.sending")).not_to_be_attached()


async def _is_played_that_was_pressed_before_all_were_back(host: Page, friend: Page, server: Server) -> None:
    await drop(host, 4)
    await shows(friend, 5)
    proxy, address = await Lossy.between(friend), host.url
    await friend.reload()
    await connected(friend)
    await host.goto("about:blank")
    await friend.route("**/live/*", lambda route: route.abort())  # it asks now and then while it is cut off
    await proxy.cut()
    await server.kill()
    await server.start()
    await drop(friend, 3)  # the server is back, but this page has not heard of it
    await expect(friend.locator("#alert")).to_have_text(KEPT)
    await friend.unroute("**/live/*")
    proxy.down = False
    await expect(friend.locator("#live")).to_have_attribute("data-status", "paused")
    await expect(friend.locator(STATUS)).to_contain_text(KEPT)
    assert await violations(friend) == []
    await host.goto(address)
    await shows(friend, 6)
    await shows(host, 6)
    assert "p-3-1#d1" in await board(host) and await same_picture(host, friend)


async def test_a_kept_move_is_dropped_in_words_when_the_position_is_another_one(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, "connect-four-7x6", first=False)
    await other.play(1, "4")
    proxy, alert = await Lossy.between(page), await Heard.on(page, "#say")
    await page.reload()
    await shows(page, 1)
    await proxy.cut()
    await page.route("**/move/", lambda route: route.abort())
    await drop(page, 3)
    await expect(page.locator(STATUS)).to_contain_text(KEPT)
    elsewhere = await page.context.new_page()
    await elsewhere.goto(page.url)
    await other.offer(offer="takeback", ply="1")
    await elsewhere.get_by_role("button", name="Accept").click()
    await shows(elsewhere, 0)
    proxy.down = False
    await alert.until("^The board has changed since your click. Look again, then move.$")
    await shows(page, 0)
    assert await board(page) == [] and await same_picture(elsewhere, page)


async def test_what_was_opened_without_a_line_comes_with_the_line(browser: Browser, server: Server) -> None:
    page = await a_match(browser, server)
    info = page.locator("[data-part=info]")
    await page.context.set_offline(True)
    async with page.expect_event("requestfailed"):
        await page.get_by_text("Info", exact=True).first.click()
    await expect(info).to_have_text("Loading …")
    async with page.expect_event("requestfailed"):  # It tries again by itself.
        pass
    await page.context.set_offline(False)
    await expect(info).to_contain_text("moves first")


async def test_where_no_socket_gets_through_the_page_asks_and_leads_to_the_next_round(
    browser: Browser, server: Server
) -> None:
    """As behind a proxy that knows no websockets: moves are made and seen, and the connection is not called good."""
    people = [Visitor(server.port), Visitor(server.port)]
    match = await a_match_of(people, variant="connect-four-7x6", clock="5m", rounds="2")
    page = await a_page(browser, server, match, people[0])
    other = await Other.at(match, people[1], page)
    proxy, net = await Lossy.between(page), await Heard.on(page, NET)
    proxy.down = True
    await page.reload()
    await net.until("^(Connection lost|Still no connection)")
    await drop(page, 4)
    await shows(page, 1)
    await other.play(2, "3")
    await shows(page, 2)
    await expect(page.locator(STATUS)).to_contain_text("Your turn")
    await expect(page.locator(".shown").first).to_contain_text("Move 2")
    await expect(page.locator("#say")).to_contain_text("dropped in column 3, row 1. Your turn")
    await expect(page.locator(NET)).to_be_visible()
    first = page.url
    await other.resign()
    await at_match(page, after=first)
    await expect(page.locator(".match-title")).to_contain_text("Round 2 of 2")
