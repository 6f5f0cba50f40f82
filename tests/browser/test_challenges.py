"""A challenge between two real browsers: seen live on any page, answered with one press, and the answer heard live."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page, Route, expect

from tests.browser.axe import violations
from tests.browser.layout import overflow
from tests.browser.lossy import Lossy
from tests.browser.rows import PASSWORD, Rows
from tests.browser.sharing import server as server
from tests.browser.test_accounts import a_name
from tests.browser.test_play import a_match, a_page, at_match, begun, led_to
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server
from tests.kit.until import asked_until

ROOM = "**/r/*/"
# Two answers have been put on the page.
ASKED_TWICE = """() => new Promise(done => {
  let left = 2;
  document.addEventListener("htmx:afterSettle", () => --left || done());
})"""

# What of the end of the page cannot be pressed there.
COVERED = """() => [...document.querySelectorAll(".site-foot a")].filter(link => {
  const { x, y, width, height } = link.getBoundingClientRect();
  return width && document.elementFromPoint(x + width / 2, y + height / 2) !== link;
}).map(link => link.textContent.trim())"""


async def somebody(browser: Browser, server: Server, rows: Rows) -> tuple[Page, str]:
    """With an account and a profile: its path."""
    page = await a_page(browser, server, "")
    await rows.log_in(server, page.context, a_name())
    await page.goto(f"{server.address}/me/")
    return page, page.url


async def is_here(page: Page, profile: str) -> None:
    """Wait until that person's own page is connected, which it is a moment after it is there."""

    async def looked() -> bool:
        await page.goto(profile)
        return await page.locator(".tag", has_text="here now").count() == 1

    await asked_until(looked, bool)


@asynccontextmanager
async def asking_twice(page: Page) -> AsyncIterator[None]:
    """A line so slow that the page of a room asks again for what happens here before it has been answered."""
    asked, line = asyncio.Event(), asyncio.Event()

    async def slowly(route: Route) -> None:
        asked.set()
        await line.wait()
        await route.continue_()

    await page.route("**/state/*", slowly)
    yield
    async with asyncio.timeout(DEADLINE_S):
        await asked.wait()  # maybe for something that happened just before: no other request is made meanwhile
    both = asyncio.create_task(page.evaluate(ASKED_TWICE))
    await asyncio.sleep(0)
    await page.evaluate('htmx.trigger(document.body, "nudge")')
    line.set()
    await both
    await page.unroute("**/state/*")


async def test_one_is_asked_on_any_page_and_the_other_hears_the_answer(
    browser: Browser, server: Server, rows: Rows
) -> None:
    (ada, her), (bob, his) = await somebody(browser, server, rows), await somebody(browser, server, rows)
    await bob.goto(f"{server.address}/about/")
    await expect(bob.locator("#challenges")).to_be_attached()
    await is_here(ada, his)
    await ada.click("text=Challenge Mira")
    await ada.wait_for_url(ROOM)
    await expect(ada.locator("#room-state")).to_contain_text("is here and has been told")
    card = bob.locator("#challenges .received")
    await expect(card).to_contain_text("challenges you")
    assert await violations(bob) == []
    await bob.set_viewport_size({"width": 360, "height": 640})
    assert await overflow(bob) == []
    await bob.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert await bob.evaluate(COVERED) == [], "what a card covers can be scrolled free of it"
    other = await ada.context.new_page()
    await other.goto(f"{server.address}/rank/connect-four-7x6/")
    await expect(other.locator("#challenges")).to_contain_text("Waiting for")
    async with asking_twice(ada):
        await card.get_by_role("button", name="Decline").dblclick()
        await expect(card).to_have_count(0)
    assert bob.url.endswith("/about/"), "a no needs no other page, nor does one that is pressed twice"
    await expect(other.locator("#challenges")).to_contain_text("has declined.")
    await expect(ada.locator("#room-state")).to_contain_text("has declined.")
    await other.locator("#challenges >> text=OK").press("Enter")
    await expect(other.locator("#challenges section")).to_have_count(0)
    await expect(other.locator("main")).to_be_focused()
    # The other way round it is taken.
    await bob.goto(her)
    await bob.click("text=Challenge Mira")
    await led_to(bob, bob.url)
    await other.locator("#challenges .received").get_by_role("button", name="Play").click()
    await at_match(other)
    await at_match(bob)
    assert other.url == bob.url
    await expect(other.locator("#challenges section")).to_have_count(0)


async def test_who_plays_sees_a_mark_and_the_card_after_the_match(browser: Browser, server: Server, rows: Rows) -> None:
    page = await a_match(browser, server)
    other, _ = await somebody(browser, server, rows)
    me = await page.locator(".site-end summary").inner_text()
    await other.goto(f"{server.address}/@/{me.strip().lower().replace(' ', '-')}/")
    await other.click("form.ask button")
    await expect(page.locator("html")).to_have_attribute("data-asked", "")
    await expect(page.locator("#challenges")).to_be_hidden()
    await page.click(".actions summary")
    await page.click(".ask form.resign button")
    await expect(page.locator("#challenges .received")).to_be_visible()


async def test_a_page_that_connects_before_the_answer_to_the_signing_up_has_come_hears_of_challenges(
    browser: Browser, server: Server, rows: Rows
) -> None:
    """Its cookie is of no session any more, and the new one is still on its way."""
    (other, _), (visitor, _) = await somebody(browser, server, rows), await begun(server)
    page = await a_page(browser, server, "", visitor)
    line = await Lossy.between(page, at="**/ws/me/?*")
    await page.goto(f"{server.address}/about/")
    me = await page.locator(".site-end summary").inner_text()
    await is_here(other, f"{server.address}/@/{me.strip().lower().replace(' ', '-')}/")
    await visitor.get("/signup/")
    name = a_name()
    assert (await visitor.post("/signup/", name=name, password=PASSWORD)).status == 302
    await line.until(lambda: line.opened > 4)  # it comes again and again with a cookie of no session
    session = visitor.cookies["sessionid"]
    await page.context.add_cookies([{"name": "sessionid", "value": session, "url": server.address}])
    await other.goto(f"{server.address}/@/{name.lower().replace(' ', '-')}/")
    await other.click("form.ask button")
    await expect(page.locator("#challenges .received")).to_contain_text("challenges you")


async def test_a_room_asks_how_it_stands_only_when_it_is_told_that_something_has_changed(
    browser: Browser, server: Server
) -> None:
    host = await a_page(browser, server)
    told: list[str] = []
    asked: list[str] = []
    beats = asyncio.Event()

    def heard(frame: str | bytes) -> None:
        told.append(str(frame))
        if 'id="hb"' in told[-1]:
            beats.set()

    host.on("websocket", lambda socket: socket.on("framereceived", heard) if "/ws/r/" in socket.url else None)
    host.on("request", lambda request: asked.append(request.url) if "/state/" in request.url else None)
    await host.click("text=Play a friend")
    await host.wait_for_url(ROOM)
    async with asyncio.timeout(DEADLINE_S):
        await beats.wait()
    async with host.expect_response("**/state/?**"):
        friend = await a_page(browser, server, f"{host.url.removeprefix(server.address)}?watch")
    await friend.close()
    assert 0 < len(asked) <= sum('id="nudge"' in frame for frame in told)
