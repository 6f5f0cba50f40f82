"""The turn and the end are noticed: by the tab, by keys that go on, by the focus, and with colours of one's own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, Route, expect

from arena.match.commands import Resign
from arena.match.state import SeatSetup
from arena.web.match.result import result
from arena.web.match.scene import Beside, Series, Signals
from tests.kit.chromium import POLL_MS
from tests.web.browser import Pages, Wire
from tests.web.match.test_result import NAMES, TABLE, for_all
from tests.web.played import Played
from tests.web.test_pages_in_browser import _open as opened_match
from tests.web.test_pages_in_browser import address as address
from tests.web.test_pages_in_browser import chromium as chromium
from tests.web.test_pages_in_browser import context as context
from tests.web.test_pages_in_browser import kept as kept
from tests.web.test_pages_in_browser import own as own
from tests.web.test_pages_in_browser import page as page

pytestmark = pytest.mark.browser


def test_the_tab_says_whose_turn_it_is_and_how_it_ended(page: Page, address: str) -> None:
    match = Played(moves="414242")
    wire = opened_match(page, address, match)
    usual = "Connect Four 7 × 6: Mira against gravity-9"
    icon = page.locator("link[rel=icon]")
    expect(page).to_have_title(f"Your turn · {usual}")
    expect(icon).to_have_attribute("href", re.compile("favicon-turn"))
    match.play("3")
    wire.frame()
    expect(page).to_have_title(usual)
    expect(icon).to_have_attribute("href", re.compile("favicon.svg"))
    match.do(Resign(0))
    wire.frame()
    expect(page).to_have_title(f"You resigned · {usual}")


NARROW = """buttons => buttons.filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
  .map((each) => each.textContent.trim())"""


def test_it_is_asked_once_whether_the_turn_may_be_told(page: Page, address: str) -> None:
    page.add_init_script(
        "Object.defineProperty(Notification, 'permission', { get: () => window.answered ?? 'default' });"
        "Notification.requestPermission = async () => (window.answered = 'denied');"
    )
    opened_match(page, address, Played(moves="44"))
    asks = page.locator(".acts [data-notify]")
    expect(asks).to_be_visible()
    assert page.locator(".acts .btn").evaluate_all(NARROW) == [], "beside this question all have room for their words"
    asks.click()
    expect(asks).to_be_hidden()
    expect(page.locator("html")).to_have_attribute("data-sound", "on")


AWAY = """
  Object.defineProperty(document, "hidden", { get: () => true });
  window.told = [];
  navigator.vibrate = (ms) => told.push(ms);
  window.Notification = class {
    static permission = "granted";
    constructor(title, { body }) { told.push(`${title}: ${body}`); }
    addEventListener() {}
  };"""


def test_a_turn_that_comes_while_one_looks_elsewhere_buzzes_and_is_told_once(page: Page, address: str) -> None:
    page.add_init_script(AWAY)
    match = Played(moves="4")
    wire = opened_match(page, address, match)
    match.play("3")
    wire.frame()
    expect(page).to_have_title(re.compile("Your turn"))
    wire.frame()  # the clock, for example: still the same turn
    match.play("4")
    wire.frame()
    expect(page).not_to_have_title(re.compile("Your turn"))
    assert page.evaluate("told") == [
        200,
        "Your turn: Connect Four 7\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}6: Mira against gravity-9",
    ]


def test_after_the_end_the_arrow_keys_step_through_the_moves(page: Page, address: str) -> None:
    match = Played(moves="414242")
    wire = opened_match(page, address, match)
    page.focus("#col-4")
    match.do(Resign(1))
    wire.frame()
    expect(page.locator(".headline h2")).to_have_text("You won")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".tabbar .shown, .replay .shown").first).to_contain_text("Move 5 of 6")


def test_after_resigning_by_its_button_keys_go_on_from_the_board(page: Page, address: str) -> None:
    match = Played(moves="414242")
    wire = opened_match(page, address, match)
    page.locator(".actions summary").press("Enter")
    page.locator(".actions").get_by_role("button", name="Resign").focus()
    match.do(Resign(0))
    wire.frame()
    expect(page.locator("#board")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".tabbar .shown, .replay .shown").first).to_contain_text("Move 5 of 6")


def test_the_number_of_moves_stays_right_for_whoever_looks_back(page: Page, address: str) -> None:
    match = Played(moves="4142")
    wire = opened_match(page, address, match, audience="", query="?ply=1")
    expect(page.locator("#status")).to_contain_text("You are looking at move 1 of 4.")
    match.play("4")
    wire.frame(audience="")
    expect(page.locator("#status")).to_contain_text("You are looking at move 1 of 5.")


def test_an_answer_that_a_message_has_overtaken_changes_nothing(page: Page, address: str) -> None:
    match = Played(moves="443")
    wire = opened_match(page, address, match)
    page.evaluate("() => { window.steps = 0; document.addEventListener('arena:ply', () => steps++); }")

    def overtaken(route: Route) -> None:
        answer = route.fetch()
        match.play("3")
        wire.frame()
        expect(page.locator("#status")).to_contain_text("Your turn")
        route.fulfill(response=answer)

    page.route("**/live/*", overtaken)
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.wait_for_function("() => steps === 2", polling=POLL_MS)
    assert page.locator("#pieces use[id]").count() == 4
    page.keyboard.press("Home")  # what comes later is let in again
    expect(page.locator("#pieces use[id]")).to_have_count(0)


def test_the_focus_stays_on_the_board_after_the_first_move(page: Page, address: str) -> None:
    Pages.match = Played(moves="44")
    page.context.add_cookies([{"name": "audience", "value": "0", "url": address}])
    Wire(page)
    page.goto(address)
    page.keyboard.press("Tab")  # so that the focus is one of the keyboard
    page.focus("#col-3")
    with page.expect_response("**/play/"):
        page.keyboard.press("Enter")
    assert page.evaluate("sessionStorage.getItem('board-focus')") == "col-3"
    page.goto(f"{address}/m/abc/")
    expect(page.locator("#col-3")).to_be_focused()


def test_with_colours_of_their_own_people_see_what_is_selected(page: Page, address: str) -> None:
    page.emulate_media(forced_colors="active")
    opened_match(page, address, Played(moves="44"))
    ground = "(each) => getComputedStyle(each).backgroundColor"
    chosen, other = page.locator(".parts-bar a[aria-current]"), page.locator(".parts-bar a:not([aria-current])").first
    assert chosen.evaluate(ground) != other.evaluate(ground)


# What is said of a name in the headline: in how many lines, up to where; and where headline and reason meet.
SAID = """() => {
  const range = document.createRange(), heading = document.querySelector(".headline h2");
  range.selectNodeContents(heading.lastChild);
  const lines = [...range.getClientRects()], reason = document.querySelector(".headline > :is(p, details)");
  return [lines.length, lines.at(-1).right, heading.getBoundingClientRect().bottom, reason.getBoundingClientRect().top];
}"""


@pytest.mark.parametrize("name", ["W" * 60, "Beginner (built in)", "Al"])
def test_a_name_too_long_for_the_headline_is_cut_and_what_is_said_of_it_is_not(
    page: Page, address: str, name: str
) -> None:
    seats = (SeatSetup(name, player=1), SeatSetup("Jonas", player=2))
    opened_match(page, address, Played(moves="4343", seats=seats), audience="")
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 320, "whose turn it is fits as well"
    opened_match(page, address, Played(moves="4343", seats=seats).do(Resign(1)), audience="")
    for width in (320, 360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        lines, right, bottom, reason = page.evaluate(SAID)
        assert lines == 1 and right <= width and bottom <= reason + 2, width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_beside_the_lane_there_is_room_for_all_that_is_said_of_an_end(page: Page, address: str) -> None:
    seats = (SeatSetup("Mira", player=1), SeatSetup("Jonas", player=2))
    match = Played("connect-four-8x8", moves="315652541626684", seats=seats, room=7)
    Pages.drawn = match.scene("0", signals=Signals(now_ms=1), beside=Beside(series=Series(("w", "l"), over=True)))
    page.set_viewport_size({"width": 1280, "height": 844})
    page.goto(f"{address}/m/abc/")
    said = page.locator(".headline summary")
    expect(said).to_contain_text("Friendly, ratings unchanged · Series won 1 to 0.")
    assert said.evaluate("(said) => said.scrollWidth <= said.clientWidth")
    Pages.drawn = None


@pytest.mark.cases(2)
@pytest.mark.parametrize("case", TABLE)
def test_an_end_is_read_by_the_winner_the_loser_and_a_watcher(page: Page, address: str, case: str) -> None:
    ending, titles, reasons = TABLE[case]
    page.set_viewport_size({"width": 360, "height": 640})
    over = Played(moves="44").do(Resign(1))
    for you, title, reason in zip((0, 1, None), for_all(titles), for_all(reasons), strict=True):
        audience = "" if you is None else str(you)
        Pages.drawn = replace(over.scene(audience), result=result(ending, NAMES, you))
        opened_match(page, address, over, audience)
        headline = page.locator(".headline")
        expect(headline.locator("h2")).to_have_text(title)
        expect(headline).to_contain_text(reason)
        expect(headline).to_be_in_viewport(ratio=1)
    Pages.drawn = None
