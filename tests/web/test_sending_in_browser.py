"""What a match page sends: each move once, none out of turn, and a kept one when the match goes on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.match.commands import AnswerOffer, Offer, Pause, Resume
from arena.match.state import SeatSetup
from arena.web.match import fragments
from tests.kit.chromium import POLL_MS
from tests.web import browser as chrome
from tests.web.browser import Pages
from tests.web.played import PEOPLE, Played
from tests.web.test_pages_in_browser import TOLD
from tests.web.test_pages_in_browser import _open as opened_match
from tests.web.test_pages_in_browser import address as address
from tests.web.test_pages_in_browser import chromium as chromium
from tests.web.test_pages_in_browser import context as context
from tests.web.test_pages_in_browser import kept as kept
from tests.web.test_pages_in_browser import own as own
from tests.web.test_pages_in_browser import page as page

pytestmark = pytest.mark.browser


def test_a_click_sends_one_move_with_its_number_however_often_it_is_pressed(page: Page, address: str) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    page.locator("#col-5").dblclick()
    expect(page.locator("#col-5")).to_have_attribute("aria-busy", "true")
    page.locator("#col-6").click()
    assert [(form["ply"], form["move"]) for form in wire.sent()] == [("3", "5")]
    match.play("5")
    wire.frame()
    expect(page.locator("#controls")).not_to_have_class("sending")
    expect(page.locator("#status")).to_contain_text("gravity-9 is thinking")


def test_a_refused_move_can_be_tried_again(page: Page, address: str) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    page.locator("#col-5").click()
    expect(page.locator("#col-5")).to_have_attribute("aria-busy", "true")
    wire.send(fragments.refused(match.scene("0"), "illegal_move", "column 5 is full"))
    expect(page.locator("#alert")).to_have_text("Column 5 is full. Choose another one.")
    expect(page.locator("#status")).to_have_class(re.compile("danger"))
    page.locator("#col-6").click()
    assert [form["move"] for form in wire.sent()] == ["5", "6"]


PAUSED = "The match is paused: clocks are stopped, and it goes on by itself."


def test_a_kept_move_is_no_answer_to_something_else_that_is_refused(page: Page, address: str) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    page.locator("#col-5").click()
    match.do(Pause("restart"))
    wire.frame()
    wire.send(fragments.refused(match.scene("0"), "paused", PAUSED))
    expect(page.locator("#alert")).to_contain_text("Your move is kept")
    wire.send(fragments.refused(match.scene("0"), "paused", PAUSED))  # an offer, say
    expect(page.locator("#alert")).to_have_text(PAUSED)
    expect(page.locator("#status")).to_contain_text("Your move is kept")
    match.do(Resume())
    with page.expect_response("**/move/"):
        wire.frame()
    assert [(form["ply"], form["move"]) for form in Pages.posted] == [("3", "5")]


def test_a_move_that_was_taken_back_is_not_played_again_when_something_else_is_refused(
    page: Page, address: str
) -> None:
    match = Played(seats=(PEOPLE[0], SeatSetup("Jonas", player=3)), offers=True)
    wire = opened_match(page, address, match)
    page.locator("#col-4").click()
    match.play("4")
    wire.frame()
    expect(page.locator("#p-4-1")).to_be_attached()
    match.do(Offer(0, "takeback", 1))
    wire.frame()
    match.do(AnswerOffer(1, match.events[-1].seq, True))
    wire.frame()
    expect(page.locator("#p-4-1")).not_to_be_attached()
    match.do(Pause("lunch", "Ada"))
    wire.frame()
    wire.send(fragments.refused(match.scene("0"), "paused", PAUSED))
    expect(page.locator("#alert")).to_have_text(PAUSED)
    match.do(Resume("Ada"))
    wire.frame()
    expect(page.locator("#live")).to_have_attribute("data-status", "running")
    assert len(wire.sent()) == 1 and Pages.posted == []


def test_a_move_that_was_played_while_its_player_looked_back_is_not_kept_when_the_connection_is_lost(
    page: Page, address: str
) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    page.route("**/board/?ply=*", lambda route: None)  # its answer is on the way
    page.locator("#col-5").click()
    page.locator("[data-by=back]").first.click()
    expect(page.locator("main[data-mode=past]")).to_be_attached()
    match.play("5")
    wire.frame()
    expect(page.locator("#live")).to_have_attribute("data-ply", "3")
    expect(page.locator("#controls")).not_to_have_class("sending")
    wire.close(4408)
    wire.until_opened(2)
    assert len(wire.sent()) == 1 and Pages.posted == []


def test_a_full_column_and_a_turn_that_is_not_mine_send_nothing(page: Page, address: str) -> None:
    wire = opened_match(page, address, Played(moves="444444"))
    page.locator("#col-4").click(force=True)
    page.locator("#col-4").press("Enter")
    assert wire.sent() == [] == Pages.posted
    wire_of_waiting = opened_match(page, address, Played(moves="4"))
    page.locator("#col-1").click(force=True)
    assert wire_of_waiting.sent() == [] == Pages.posted


def test_without_a_socket_the_same_form_is_posted(page: Page, address: str) -> None:
    wire = opened_match(page, address, Played(moves="44"))
    # Pressed as soon as the page knows of it, and before it comes back.
    page.evaluate("document.addEventListener('arena:lost', () => document.getElementById('col-2').click())")
    with page.expect_response("**/move/") as answer:
        wire.close(4408)
    assert answer.value.status == 204
    posted = [(form["ply"], form["move"]) for form in Pages.posted]
    assert posted == [("3", "2")] and wire.heard == []


def test_a_move_that_nobody_could_store_is_kept_until_it_can_be(page: Page, address: str) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    page.route("**/move/", lambda route: route.fulfill(status=503, body="Nothing was done."), times=1)
    with page.expect_response("**/move/") as answer:
        page.evaluate("document.addEventListener('arena:lost', () => document.getElementById('col-2').click())")
        wire.close(4408)
    assert answer.value.status == 503
    expect(page.locator("#status")).to_contain_text("Your move is kept")
    wire.until_opened(2)
    with page.expect_response("**/move/"):
        wire.frame()
    assert [(form["ply"], form["move"]) for form in Pages.posted] == [("3", "2")]
    expect(page.locator("#col-2")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.usefixtures("own")
def test_a_move_that_was_kept_and_its_answer_have_not_been_missed(page: Page, address: str) -> None:
    match = Played(moves="44")
    page.clock.install()
    wire = opened_match(page, address, match)
    page.evaluate(TOLD, "net")
    page.route("**/move/", lambda route: route.fulfill(status=503))
    wire.refuse = True
    with page.expect_response("**/move/"):
        page.evaluate("document.addEventListener('arena:lost', () => document.getElementById('col-2').click())")
        wire.close(4408)
    page.clock.run_for(4000)
    page.wait_for_function("() => told.some((words) => words.startsWith('Connection lost.'))", polling=POLL_MS)
    page.unroute("**/move/")
    wire.greeting, wire.refuse = wire.framed(), False
    with page.expect_response("**/move/"):
        page.clock.run_for(4000)
    match.play("25")
    wire.frame(3)
    expect(page.locator("#live")).to_have_attribute("data-ply", "4")
    page.clock.run_for(1000)
    page.wait_for_function("() => told.some((words) => words.startsWith('Connected again.'))", polling=POLL_MS)
    assert page.evaluate("told").count("Connected again. Nothing missed.") == 1


@pytest.mark.usefixtures("own")
def test_where_no_socket_gets_through_a_kept_move_is_played_as_soon_as_it_can_be_stored(
    page: Page, address: str
) -> None:
    match = Played(moves="44")
    page.clock.install()
    wire = opened_match(page, address, match)
    page.evaluate(TOLD, "alert")
    page.route("**/move/", lambda route: route.fulfill(status=503))
    wire.refuse = True
    with page.expect_response("**/move/"):
        page.evaluate("document.addEventListener('arena:lost', () => document.getElementById('col-2').click())")
        wire.close(4408)
    with page.expect_response("**/move/") as again:
        page.clock.run_for(4000)
    assert again.value.status == 503
    expect(page.locator("#status")).to_contain_text("Your move is kept")
    page.unroute("**/move/")
    with page.expect_response("**/move/"):
        page.clock.run_for(4000)
    expect(page.locator("#col-2")).not_to_have_attribute("aria-busy", "true")
    assert [(form["ply"], form["move"]) for form in Pages.posted] == [("3", "2")]
    assert sum("Your move is kept" in words for words in page.evaluate("told")) == 1, "it is read aloud once"


def test_without_javascript_the_form_is_a_plain_post(chromium: Browser, address: str) -> None:
    with chrome.opened(chromium, java_script_enabled=False) as page:
        Pages.match, Pages.posted = Played(moves="44"), []
        page.goto(f"{address}/m/abc/")
        with page.expect_response("**/move/"):
            page.locator("#col-2").click()
        assert [(form["ply"], form["move"]) for form in Pages.posted] == [("3", "2")]
