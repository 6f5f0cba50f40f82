"""What JavaScript does on the pages, in a real Chromium (static/js)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.layout import DRAWN, WIDTHS
from tests.kit.chromium import POLL_MS
from tests.web import browser as chrome
from tests.web.browser import Pages, Wire
from tests.web.played import Played

pytestmark = pytest.mark.browser

OPTIONS: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with chrome.server() as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with chrome.chromium() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def kept(chromium: Browser) -> Iterator[BrowserContext]:
    with chrome.kept(chromium, **OPTIONS) as context:
        yield context


@pytest.fixture
def own(chromium: Browser) -> Iterator[BrowserContext]:
    """For a test that asks for it as well: a clock or a permission of a page would stay in a context that is kept."""
    with chrome.kept(chromium, **OPTIONS) as context:
        yield context


@pytest.fixture
def context(request: pytest.FixtureRequest, kept: BrowserContext, address: str) -> Iterator[BrowserContext]:
    """For one test: nothing of another one is left in it."""
    yield request.getfixturevalue("own") if "own" in request.fixturenames else kept
    chrome.empty(kept, address)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    assert broken == []


def _open(page: Page, address: str, match: Played, audience: str = "0", query: str = "") -> Wire:
    Pages.match, Pages.posted, Pages.resyncs = match, [], []
    page.context.add_cookies([{"name": "audience", "value": audience or "-", "url": address}])
    wire = Wire(page)
    page.goto(f"{address}/m/abc/{query}")
    if match.state.phase != "ended":
        wire.until_opened(1)
    return wire


def _discs(page: Page) -> int:
    return page.locator("#pieces use[id]").count()


# -- what comes in -----------------------------------------------------------------------------------------------------


def test_an_incoming_move_is_drawn_listed_and_read_aloud(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = _open(page, address, match)
    match.play("4")
    wire.frame()
    expect(page.locator("#p-4-2")).to_be_attached()
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#say")).to_have_text(re.compile(r"gravity-9 dropped in column 4, row 2\. Your turn"))
    expect(page.locator("#status")).to_contain_text("Your turn")


def test_the_focus_stays_where_it_was(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = _open(page, address, match)
    page.locator("#col-3").focus()
    match.play("3")
    wire.frame()
    expect(page.locator("#col-3")).to_have_attribute("aria-label", "Column 3, lands on row 2")
    expect(page.locator("#col-3")).to_be_focused()


# All of the match but what its clocks show, and from where its last message counted.
PICTURE = """() => {
  const main = document.querySelector("main").cloneNode(true);
  for (const each of main.querySelectorAll(".clock, [data-think]")) each.textContent = "";
  return main.outerHTML.replace(/ data-(now|at|left|base)="[0-9]+"/g, "");
}"""


def test_a_duplicate_and_an_older_message_change_nothing(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = _open(page, address, match)
    page.evaluate("window.heard = 0; document.addEventListener('htmx:wsBeforeMessage', () => window.heard++)")
    older = len(match.events) - 1
    match.play("5")
    wire.frame()
    expect(page.locator("#moves li")).to_have_count(2)
    before = page.evaluate(PICTURE)
    for times, base in ((2, None), (3, older)):
        wire.frame(base)
        page.wait_for_function("times => window.heard === times", arg=times, polling=POLL_MS)
        page.wait_for_function(
            "htmx.findAll('.htmx-swapping, .htmx-settling, .htmx-added').length === 0", polling=POLL_MS
        )
        assert page.evaluate(PICTURE) == before
    match.play("6")
    wire.frame()
    expect(page.locator("#moves li")).to_have_count(3)
    assert _discs(page) == 3 and Pages.resyncs == []


def test_a_gap_is_healed_by_asking_once(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = _open(page, address, match)
    match.play("56")
    wire.frame()
    expect(page.locator("#moves li")).to_have_count(3)
    assert _discs(page) == 3
    assert Pages.resyncs == [str(len(match.events) - 2)]


# -- coming back -------------------------------------------------------------------------------------------------------

# Everything that a place says, also for a moment.
TOLD = """(id) => {
  window.told = [];
  const place = document.getElementById(id);
  const all = { attributes: true, childList: true, characterData: true, subtree: true };
  new MutationObserver(() => told.push(place.textContent)).observe(place, all);
}"""


def test_a_closed_socket_is_opened_again_with_what_the_page_has(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = _open(page, address, match)
    for times, (code, move) in enumerate(((1000, "5"), (1001, "6"), (1012, "7"), (4408, "1")), start=2):
        wire.close(code)
        wire.until_opened(times)
        assert wire.urls[-1].endswith(f"/ws/m/abc/?language=en&have={match.state.seq}&seat=0"), code
        match.play(move)
        wire.frame()
        expect(page.locator("#moves li")).to_have_count(times)


@pytest.mark.usefixtures("own")
def test_a_lost_connection_is_said_and_what_was_missed_too(page: Page, address: str) -> None:
    match = Played(moves="4")
    page.clock.install()
    wire = _open(page, address, match)
    page.evaluate(TOLD, "net")
    wire.refuse = True
    page.evaluate("document.addEventListener('arena:lost', () => (window.lost = true))")
    wire.close(4408)
    page.wait_for_function("() => window.lost", polling=POLL_MS)
    page.clock.run_for(4000)
    page.wait_for_function("() => told.includes('Connection lost. Trying again …')", polling=POLL_MS)
    base = len(match.events)
    match.play("56")
    wire.greeting, wire.refuse = wire.framed(base), False
    page.wait_for_function("() => told.includes('Connected again. You missed 2 moves.')", polling=POLL_MS)
    page.clock.run_for(4000)
    expect(page.locator("#net")).to_be_hidden()


@pytest.mark.usefixtures("own")
def test_a_match_that_does_not_exist_any_more_is_not_asked_for_again(page: Page, address: str) -> None:
    page.clock.install()
    wire = _open(page, address, Played(moves="4"))
    wire.close(4404)
    expect(page.locator("#net")).to_have_text("There is no such match.")
    page.clock.run_for(60_000)
    assert wire.sent() == [] and len(wire.urls) == 1


# -- looking back ------------------------------------------------------------------------------------------------------


def test_looking_back_is_not_disturbed_by_new_moves(page: Page, address: str) -> None:
    match = Played(moves="443")
    wire = _open(page, address, match)
    page.locator("#moves a").first.click()
    expect(page.locator("#status")).to_contain_text("You are looking at move 1 of 3.")
    expect(page).to_have_url(re.compile(r"\?ply=1$"))
    assert _discs(page) == 1
    match.play("3")
    wire.frame()
    expect(page.locator("#missed")).to_have_text("(1 new)")
    assert _discs(page) == 1
    page.get_by_role("link", name="Back to live").first.click()
    expect(page.locator("#p-3-2")).to_be_attached()
    expect(page.locator("#status")).to_contain_text("Your turn")
    expect(page).to_have_url(re.compile(r"/m/abc/$"))


def test_a_step_that_nobody_answers_is_not_said_to_be_shown(page: Page, address: str) -> None:
    _open(page, address, Played(moves="4152637"), "")
    shown, asked = page.locator(".match-side .shown"), list[str]()
    page.on("request", lambda request: asked.append(request.url) if "/board/" in request.url else None)
    for words, discs, at in (("Move 7 end", 7, "/m/abc/"), ("Move 6 of 7", 6, "?ply=6")):
        for unanswered in (lambda route: route.fulfill(status=503), lambda route: route.abort()):
            page.route("**/board/?ply=0", unanswered)
            page.evaluate(TOLD, "toast")
            page.keyboard.press("Home")
            page.wait_for_function("() => told.includes('Not loaded.')", polling=POLL_MS)
            expect(shown).to_have_text(words)
            assert _discs(page) == discs and page.url.endswith(at)
            page.unroute("**/board/?ply=0")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#p-7-1")).not_to_be_attached()
    assert len([url for url in asked if url.endswith("ply=0")]) == 4, "each is asked once"
    page.get_by_role("button", name="Play the moves").click()
    expect(shown).to_have_text("Move 7 end")


def test_of_many_steps_on_a_slow_line_the_last_one_is_shown_whatever_else_is_asked(page: Page, address: str) -> None:
    _open(page, address, Played(moves="4152637"), "")
    held: list[Route] = []
    page.route("**/board/*", lambda route: held.append(route), times=1)
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.evaluate("void htmx.ajax('GET', '/m/abc/chat/', { source: document.querySelector('main'), swap: 'none' })")
    expect(page.locator(".match-side .shown")).to_have_text("Move 4 of 7")
    held[0].continue_()
    expect(page.locator("#pieces")).to_have_attribute("aria-label", re.compile("after move 4$"))
    assert _discs(page) == 4


def test_keys_step_through_a_match(page: Page, address: str) -> None:
    _open(page, address, Played(moves="4152637"), "")
    shown = page.locator(".match-side .shown")
    expect(shown).to_have_text("Move 7 end")
    for key, words in (("ArrowLeft", "Move 6 of 7"), ("Home", "Move 0 of 7"), ("ArrowRight", "Move 1 of 7")):
        page.keyboard.press(key)
        expect(shown).to_have_text(words)
    expect(page.locator("#pieces")).to_have_attribute("aria-label", re.compile("after move 1$"))
    page.keyboard.press("End")
    expect(page.locator("#status h2")).to_have_text("Mira won")


def test_an_address_with_a_ply_shows_that_position(page: Page, address: str) -> None:
    _open(page, address, Played(moves="4152637"), "", "?ply=5")
    expect(page.locator(".match-side .shown")).to_have_text("Move 5 of 7")
    assert _discs(page) == 5


@pytest.mark.usefixtures("own")
def test_a_link_to_the_shown_move_is_copied(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    _open(page, address, Played(moves="4152637"), "", "?ply=5")
    page.evaluate(TOLD, "toast")
    page.get_by_role("button", name="Copy a link to this position").click()
    page.wait_for_function("() => told.includes('Link to move 5 copied')", polling=POLL_MS)
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}/m/abc/?ply=5"


# -- the keyboard on a board -------------------------------------------------------------------------------------------


def test_a_row_of_columns_is_one_tab_stop_with_arrows_inside(page: Page, address: str) -> None:
    wire = _open(page, address, Played(moves="44"))
    assert page.locator('#controls [tabindex="0"]').count() == 1
    page.locator("#col-4").focus()
    for key, column in (("ArrowRight", 5), ("ArrowRight", 6), ("Home", 1), ("End", 7), ("3", 3)):
        page.keyboard.press(key)
        expect(page.locator(f"#col-{column}")).to_be_focused()
    page.keyboard.press("Enter")
    assert [form["move"] for form in wire.sent()] == ["3"]


def test_a_move_of_several_steps_is_chosen_in_place(page: Page, address: str) -> None:
    match = Played("santorini-5x5", ["c3", "d4", "a1", "e5"])
    if match.state.to_move != 0:
        pytest.fail("the placing order has changed")
    wire = _open(page, address, match)
    path = next(move for move in match.state.position.legal_moves() if "+" in move)
    worker, to, build = re.split("[-+]", path)
    page.evaluate("window.stays = true")
    page.locator(f"#t-{worker}").click()
    expect(page.locator(f"#t-{worker}")).to_have_class(re.compile(r"\bchosen\b"))
    page.locator(f"#t-{to}").click()
    expect(page.locator("#t-undo")).to_be_visible()
    page.locator(f"#t-{build}").click()
    assert [(form["ply"], form["move"]) for form in wire.sent()] == [("5", path)]
    assert page.evaluate("window.stays") is True


# -- every page --------------------------------------------------------------------------------------------------------


def test_a_match_that_is_over_scrolls_sideways_on_no_screen(page: Page, address: str) -> None:
    Pages.match = Played(moves="4433221")
    page.goto(f"{address}/m/abc/")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(DRAWN)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"at {width}"


def test_a_long_list_of_moves_makes_the_page_no_longer(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, address, Played("expanding-nim", moves="1" * 60))
    assert page.locator("#moves").evaluate("list => list.scrollHeight > 2 * list.clientHeight")
    page_ends, body_ends = page.evaluate("[document.documentElement.scrollHeight, document.body.offsetHeight]")
    assert page_ends <= body_ends


def test_the_controls_of_a_board_are_large_enough_for_a_thumb(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    _open(page, address, Played("connect-four-8x8"))
    box = page.locator("#col-1").bounding_box()
    assert box and box["width"] >= 40


def test_the_theme_is_remembered(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#theme").click()
    page.locator("#theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#theme")).to_have_attribute("aria-label", "Theme: dark")


def test_nothing_on_a_page_is_refused_by_its_own_policy(page: Page, address: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for place in ("/", "/m/abc/"):
        with page.expect_websocket():
            page.goto(address + place)
        page.evaluate(DRAWN)
    assert [text for text in said if "Content Security Policy" in text] == []


def test_the_home_board_starts_a_game_with_one_press_of_a_key(page: Page, address: str) -> None:
    Pages.posted = []
    page.goto(address)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the board")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    with page.expect_response("**/play/"):
        page.keyboard.press("Enter")
    assert [(form["move"], form["level"], form["variant"]) for form in Pages.posted] == [
        ("4", "club", "connect-four-7x6")
    ]


@pytest.mark.usefixtures("own")
def test_a_double_click_begins_one_game_and_who_stopped_the_way_there_begins_another(page: Page, address: str) -> None:
    Pages.posted = []
    page.clock.install()
    page.goto(address)
    with page.expect_response("**/play/"):  # 204: the page stays, as after a press on the browser's stop
        page.locator("#col-4").dblclick()
    page.clock.run_for(5000)
    with page.expect_response("**/play/"):
        page.locator("#col-3").click()
    assert [form["move"] for form in Pages.posted] == ["4", "3"]


def test_where_nothing_may_be_kept_every_script_of_a_page_runs(page: Page, address: str) -> None:
    page.add_init_script("""for (const name of ["sessionStorage", "localStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });""")
    page.goto(address)
    page.evaluate("document.documentElement.dataset.confirm = 'on'")
    page.locator("#col-4").click()  # shows the move only: what asks for the second press comes last
    expect(page.locator("#col-4")).to_have_class(re.compile("sure"))
