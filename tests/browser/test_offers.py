"""Takebacks and draw offers between two people, each in a browser of their own, with a watcher beside them."""

from __future__ import annotations

from playwright.async_api import Browser, Page, Route, expect

from tests.browser.axe import violations
from tests.browser.boards import two_people
from tests.browser.couples import couple, drop, moves
from tests.browser.heard import Heard
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page, board, log, my_turn, shows
from tests.kit.server import Server

COVERS = """() => {
  const [offer, line] = [".wanted", "#status"].map((each) => document.querySelector(each).getBoundingClientRect());
  return offer.top <= line.top && offer.bottom >= line.bottom;
}"""


async def test_moves_are_taken_back_and_a_draw_is_agreed(browser: Browser, server: Server) -> None:
    host, friend = await couple(browser, server)
    address = host.url.removeprefix(server.address)
    watcher = await a_page(browser, server, address)
    await expect(watcher.locator("#hb[data-seq]")).to_be_attached()
    await drop(host, 4)
    await shows(friend, 1)
    await _press(host, "Take back")
    await expect(host.locator("#offer")).to_contain_text("You asked to take your move back.")
    await expect(friend.locator("#offer")).to_contain_text("asks to take a move back.")
    await expect(watcher.locator("#offer")).to_contain_text("asks to take a move back.")
    await expect(watcher.locator("#offer button")).to_have_count(0)
    await expect(friend.locator("#alert")).to_contain_text("asks to take a move back.")
    assert await friend.evaluate(COVERS), "nothing of the line of the turn shows behind the offer"
    assert await violations(friend) == []
    await _press(friend, "Accept")
    for page in (host, friend, watcher):
        await expect(page.locator("#moves")).to_contain_text("took back move 1")
        await shows(page, 0)
        assert await board(page) == []
    # Where "Accept" was, "Offer a draw" is now: whoever presses Enter once more offers nothing.
    await expect(friend.locator("#board")).to_be_focused()
    await my_turn(host)
    await _asked_while_the_answer_is_on_its_way(host, friend)
    await drop(host, 3)
    await shows(friend, 1)
    await drop(friend, 3)
    for page in (host, friend):  # the buttons come anew with each move
        await shows(page, 2)
    await _press(friend, "Offer a draw")
    await _press(host, "Decline")
    await _reads_that_it_was_declined(friend, host)
    assert [row for row in await moves(watcher) if row.startswith("m-")] == ["m-1", "m-2"]
    await _press(friend, "Offer a draw")
    await expect(friend.locator("#status")).to_contain_text("You have asked that in this position already.")
    await _press(host, "Offer a draw")
    await _press(friend, "Accept")
    for page in (host, friend, watcher):
        await expect(page.locator("#status")).to_contain_text("Both players agreed on a draw")
        await expect(page.locator("#offer button")).to_have_count(0)
    reactions = [await Heard.on(page, ".reaction") for page in (host, friend, watcher)]
    await friend.locator(".reacts summary").click()
    await friend.locator(".reacts").get_by_role("button", name="Well played").click()
    for reaction in reactions:
        await reaction.until("^Well played$")
    await _is_stored(host)


async def test_no_button_takes_the_place_of_another_when_a_move_may_be_taken_back(
    browser: Browser, server: Server
) -> None:
    page, other = await two_people(browser, server, "connect-four-7x6")
    draw, back = (page.locator("#offers").get_by_role("button", name=name) for name in ("Offer a draw", "Take back"))
    place = await draw.bounding_box()
    await expect(back).to_have_count(0)
    await drop(page, 4)
    await expect(back).to_be_visible()
    assert await draw.bounding_box() == place
    await other.play(2, "4")
    await shows(page, 2)
    assert await draw.bounding_box() == place


async def _asked_while_the_answer_is_on_its_way(host: Page, friend: Page) -> None:
    """The host asks to take back the first move, and the friend has answered it before that arrives: both go."""
    await drop(host, 3)
    await shows(friend, 1)

    async def meanwhile(route: Route) -> None:
        await drop(friend, 3)
        await shows(host, 2)
        await route.continue_()

    await host.route("**/offer/", meanwhile, times=1)
    await _press(host, "Take back")
    await _press(friend, "Accept")
    for page in (host, friend):
        await expect(page.locator("#pieces use[id]")).to_have_count(0)


async def _is_stored(page: Page) -> None:
    said = await log(page)
    assert (said["result"], said["termination"]) == ("1/2-1/2", "agreement")
    assert [(each["what"], each["answer"]) for each in said["offers"]] == [
        ("takeback", "accepted"),
        ("takeback", "accepted"),
        ("draw", "declined"),
        ("draw", "accepted"),
    ]


async def _reads_that_it_was_declined(asker: Page, other: Page) -> None:
    for told in ("#status .told", "#alert", "#moves"):
        await expect(asker.locator(told)).to_contain_text("declined a draw")
    await expect(other.locator("#status .told")).to_have_count(0)


async def _press(page: Page, name: str) -> None:
    await page.locator("#offers").get_by_role("button", name=name).click()
