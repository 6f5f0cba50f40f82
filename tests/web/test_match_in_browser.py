"""The match page in a real Chromium: every state in both themes and sizes, keys, sheet, sound, what is read aloud."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from arena.bots.failure.cards import Card, FactLine
from arena.match.commands import Resign
from arena.match.state import SeatSetup
from arena.web.match import fragments
from arena.web.match.scene import Beside, Scene, Series, Signals
from tests.browser import axe
from tests.browser.layout import DRAWN, EVERY_LOOK, SIGHT, unseen, usual
from tests.kit.chromium import POLL_MS
from tests.web import browser as chrome
from tests.web.browser import Pages, Wire
from tests.web.match.test_sentences import STATES
from tests.web.played import Played

pytestmark = pytest.mark.browser

# A folder for pictures to be looked at; without it none are made.
PICTURES = os.environ.get("ARENA_TEST_PICTURES", "")
LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
ROUNDS = [{"round": n, "address": "/m/abc/", "words": "running", "current": n == 1} for n in (1, 2, 3, 4)]
PEOPLE = (SeatSetup("Mira", player=1), SeatSetup("Jonas", player=2))
CARD = Card("crash", "The program stopped", "It stopped.", "Look at it.", (FactLine("received", "<b>3</b>"),))


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
    with chrome.kept(chromium, viewport={"width": 1280, "height": 900}) as context:
        yield context


@pytest.fixture
def context(kept: BrowserContext, address: str) -> Iterator[BrowserContext]:
    """For one test: nothing of another one is left in it."""
    yield kept
    chrome.empty(kept, address)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.on("console", lambda said: broken.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    Pages.drawn, Pages.beside = None, {}
    assert broken == []


def show(page: Page, address: str, match: Played, audience: str = "0", query: str = "") -> Wire:
    Pages.match, Pages.drawn, Pages.posted = match, None, []
    page.context.add_cookies([{"name": "audience", "value": audience or "-", "url": address}])
    wire = Wire(page)
    page.goto(f"{address}/m/abc/{query}")
    if match.state.phase != "ended":
        wire.until_opened(1)
    return wire


# -- every state, looked at --------------------------------------------------------------------------------------------


def ended(audience: str, match: Played, **beside: Any) -> Scene:
    return match.scene(audience, signals=Signals(now_ms=1_000_000), beside=Beside(**beside))


def endings() -> dict[str, Scene]:
    won = Played(moves="4152637", seats=PEOPLE, room=7, rounds=4)
    failed = Played(moves="4", clock="5s").do(Resign(1)).write("note", seat=1, data={"failure": CARD.to_data()})
    across = Played("connect-four-8x8", moves="315652541626684", seats=PEOPLE, room=7)
    waiting = Series(("w", "l"), next_round=2, next_ms=4_200, next_first=1)
    return {
        "won, next round follows": ended("0", won, series=waiting, room="otter-7"),
        "lost, a rematch is wanted": ended(
            "1", won, series=Series(("w", "l"), over=True), wants="Mira", room="otter-7"
        ),
        "watched, series is over": ended("", won, series=Series(("wwl", "llw"), over=True)),
        "a bot failed": ended("0", failed, room="otter-7", ratings=("1702", "1544?"), replies=(900, 1600)),
        "the other said no": ended("0", across, series=Series(("w", "l"), over=True), declined="Jonas", room="otter-7"),
    }


def looks(page: Page, wanted: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The page as it is, in these widths and themes, one after the other: both are in its style sheets alone."""
    for width, scheme in wanted:
        # What is set to what it is already draws the page anew.
        if not page.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        if page.viewport_size != (size := ViewportSize(width=width, height=844)):
            page.set_viewport_size(size)
        page.evaluate(DRAWN)
        yield width, scheme


def test_every_state_of_the_page_has_its_place(chromium: Browser, address: str) -> None:
    with chrome.opened(chromium, reduced_motion="reduce") as page:
        Wire(page)
        every_state_has_its_place(page, address)
    Pages.drawn = None


def every_state_has_its_place(page: Page, address: str) -> None:
    scenes = {case: scene for case, (scene, _, _) in STATES.items()} | endings()
    for name in sorted(scenes, key=usual):  # each page is loaded as it will be looked at
        scene = scenes[name]
        Pages.drawn, Pages.beside = scene, {"rounds": ROUNDS, "wires": [(1, "gravity-9", "droidcon")]}
        page.goto(f"{address}/m/abc/")
        for width, scheme in looks(page, LOOKS if EVERY_LOOK else (usual(name),)):
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width}"
            box = page.locator("#status:not(.result), .headline").bounding_box()
            assert box is not None and box["height"] >= 40, f"{name} at {width}"
            if PICTURES:
                picture = f"state-{width}-{scheme}-{re.sub('[^a-z]+', '-', name)}.png"
                page.screenshot(path=Path(PICTURES, picture), full_page=True)


def test_axe_finds_nothing_whatever_is_open(chromium: Browser, address: str) -> None:
    with chrome.opened(chromium, reduced_motion="reduce") as page:
        Wire(page)
        nothing_is_found_whatever_is_open(page, address)
    Pages.drawn = None


def nothing_is_found_whatever_is_open(page: Page, address: str) -> None:
    why = {"why": [("gravity-9", CARD)], "wires": [(1, "gravity-9", "droidcon")], "rounds": ROUNDS, "room": "otter-7"}
    scenes = {"live": Played(moves="4433").scene("0"), **endings(), "past": Played(moves="4433").scene("", ply=2)}
    for name, scene in scenes.items():
        Pages.drawn, Pages.beside = scene, why
        page.goto(f"{address}/m/abc/")
        page.wait_for_function("document.querySelector('#key-rows tr')", polling=POLL_MS)
        expect(page.locator("details.why"), "the card of the bot that failed").to_be_visible()
        axe_finds_nothing(page, name)
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    axe_finds_nothing(page, "keys")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('#menu').showModal()")
    axe_finds_nothing(page, "menu")


def axe_finds_nothing(page: Page, name: str) -> None:
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe.SOURCE.read_text(encoding="utf-8"))
    seen: set[int] = set()
    for width, scheme in looks(page, LOOKS if EVERY_LOOK else (usual(name),)):
        found = page.evaluate(axe.RUN, [axe.TAGS, unseen(page.evaluate(SIGHT), seen)])
        assert found == [], f"{name} at {width}, {scheme}: {found}"


SMALL = """() => [...document.querySelectorAll("a, button, select, summary, input:not([type=hidden])")]
  .filter(at => at.offsetParent && !at.matches(".skip, p a, dd a, li a"))
  .map(at => [at, at.getBoundingClientRect()])
  .filter(([, box]) => box.width < 24 || box.height < 24)
  .map(([at, box]) => `${at.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)"""


def test_everything_to_press_is_large_enough(page: Page, address: str) -> None:
    Pages.beside = {"rounds": ROUNDS, "wires": [(1, "gravity-9", "droidcon")], "room": "otter-7"}
    show(page, address, Played("connect-four-8x8", moves="4433"))
    for width in (320, 360, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(DRAWN)
        assert page.evaluate(SMALL) == [], f"at {width}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# -- keys and the sheet ------------------------------------------------------------------------------------------------


def test_each_key_of_the_list_does_what_it_says_but_in_fields_and_letters_can_be_switched_off(
    page: Page, address: str
) -> None:
    Pages.beside = {"wires": [(1, "gravity-9", "droidcon")]}
    show(page, address, Played(moves="4152637"), "")
    shown, keys = page.locator(".match-side .shown"), page.locator("#key-rows kbd")
    for key, words in (("ArrowLeft", "Move 6 of 7"), ("Home", "Move 0 of 7"), ("End", "Move 7 end")):
        page.keyboard.press(key)
        expect(shown).to_have_text(words)
    page.keyboard.press("w")
    expect(page.locator('[data-part="wire"]')).to_be_visible()
    page.keyboard.press("m")
    expect(page.locator("#moves")).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    expect(keys).to_have_text(["←", "→", "Home", "End", "Space", "B", "M", "W", "?"])
    page.keyboard.press("Escape")
    expect(page.locator("dialog#keys")).to_be_hidden()
    page.evaluate("document.getElementById('moves').append(document.createElement('input'))")
    field = page.locator("#moves input")
    field.focus()
    for key in ("b", "ArrowLeft", "?", " ", "Home", "m"):
        page.keyboard.press(key)
    expect(field).to_have_value("m? b")
    expect(shown).to_have_text("Move 7 end")
    expect(page.locator("dialog#keys")).to_be_hidden()
    field.evaluate("field => field.remove()")
    page.evaluate("document.documentElement.dataset.keys = 'off'")
    page.evaluate("document.dispatchEvent(new CustomEvent('arena:preference', {detail: {name: 'keys', value: 'off'}}))")
    expect(keys).to_have_text(["←", "→", "Home", "End", "Space"])
    page.keyboard.press("?")
    page.keyboard.press("ArrowLeft")
    expect(shown).to_have_text("Move 6 of 7")
    expect(page.locator("dialog#keys")).to_be_hidden()


# What the button to play says of itself, one after the other.
PRESSED = """() => {
  window.pressed = [];
  const button = document.querySelector("[data-by=play]");
  new MutationObserver(() => pressed.push(button.getAttribute("aria-pressed")))
    .observe(button, {attributeFilter: ["aria-pressed"]});
}"""


def test_space_plays_the_moves_to_the_end(page: Page, address: str) -> None:
    show(page, address, Played(moves="4152637"), "", "?ply=4")
    page.locator("#speed").select_option("4")
    page.locator("#speed").evaluate("field => field.blur()")
    page.evaluate(PRESSED)
    page.keyboard.press(" ")
    page.wait_for_function("() => pressed.length === 2", polling=POLL_MS)
    assert page.evaluate("pressed") == ["true", "false"]
    expect(page.locator(".match-side .shown")).to_have_text("Move 7 end")


def test_the_sheet_of_the_lower_bar_leads_everywhere_a_question_opens_above_it_and_b_leads_to_the_board(
    page: Page, address: str
) -> None:
    Pages.beside = {"rounds": ROUNDS, "wires": [(1, "gravity-9", "droidcon")]}
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, address, Played(moves="44"))
    sheet = page.locator("dialog#menu")
    entries = ["Moves", "Bot log", "Rounds", "Info", "Copy link", "Download", "Sound", "Keys", "Resign"]
    page.get_by_role("button", name="Menu").click()
    expect(sheet.locator("li :visible").filter(has_not=page.locator("*"))).to_have_count(len(entries))
    said = [words.removesuffix("Abort") for words in sheet.locator("li:visible").all_inner_texts()]
    assert said == entries
    sheet.get_by_text("Info").click()
    expect(sheet).to_be_hidden()
    expect(page.locator('[data-part="info"]')).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    sheet.get_by_text("Resign").click()
    question = page.locator(".ask")
    expect(question).to_contain_text("Resign this match?")
    question.get_by_text("Keep playing").click()
    expect(question).to_be_hidden()
    page.keyboard.press("b")
    expect(page.locator("#col-4")).to_be_focused()
    page.locator(".actions summary").click()
    expect(question).to_be_visible()
    page.wait_for_function(
        """() => document.querySelector(".ask").getBoundingClientRect().bottom
              <= document.querySelector(".tabbar").getBoundingClientRect().top""",
        polling=POLL_MS,
    )


def test_the_sheet_offers_what_the_form_of_offers_does(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, address, Played(moves="44", offers=True))
    for entry, kind in (("Take back", "takeback"), ("Offer a draw", "draw")):
        page.get_by_role("button", name="Menu").click()
        with page.expect_request("**/offer/") as sent:
            page.locator("dialog#menu").get_by_text(entry).click()
        assert f"offer={kind}" in (sent.value.post_data or "") and "ply=2" in (sent.value.post_data or "")


def test_the_sheet_of_a_match_against_a_built_in_player_has_the_hint(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    seats = (SeatSetup("Mira", player=1), SeatSetup("Club (built in)", "builtin", level="club"))
    show(page, address, Played(moves="44", seats=seats))
    page.get_by_role("button", name="Menu").click()
    with page.expect_request("**/offer/") as sent:
        page.locator("dialog#menu").get_by_text("Hint").click()
    assert "offer=hint" in (sent.value.post_data or "")


# -- sound and what is read aloud --------------------------------------------------------------------------------------


def test_sound_is_off_until_asked_for_and_then_tells_of_moves(page: Page, address: str) -> None:
    page.route("**/settings/one/", lambda route: route.fulfill(status=204))
    match = Played(moves="4")
    wire = show(page, address, match)
    page.evaluate("window.tones = []; document.addEventListener('arena:tone', ({detail}) => tones.push(detail))")
    match.play("4")
    wire.frame()
    expect(page.locator("#moves li")).to_have_count(2)
    assert page.evaluate("tones") == []
    page.locator(".acts [data-sound]").click()
    expect(page.locator(".acts [data-sound]")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => tones.length === 1", polling=POLL_MS)
    for column in "55":
        match.play(column)
        wire.frame()
    expect(page.locator("#moves li")).to_have_count(4)
    assert page.evaluate("tones") == ["turn", "drop", "turn"]


def test_the_same_sentence_twice_is_another_text(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = show(page, address, match)
    page.evaluate(
        """() => {
          window.told = [];
          const seen = new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => told.push(node))));
          seen.observe(document.getElementById("alert"), {childList: true});
        }"""
    )
    for count in (1, 2):
        wire.send(fragments.refused(match.scene("0"), "stale", ""))
        page.wait_for_function("count => told.length === count", arg=count, polling=POLL_MS)
    assert page.evaluate("told[0] !== told[1] && told[0].data === told[1].data") is True
    assert page.evaluate("told[0].data").startswith("The board has changed since your click.")


def test_watchers_are_read_moves_only_when_they_asked_for_it(page: Page, address: str) -> None:
    match = Played(moves="4")
    wire = show(page, address, match, "")
    match.play("4")
    wire.frame(audience="")
    expect(page.locator("#moves li")).to_have_count(2)
    expect(page.locator("#say")).to_be_empty()
    page.evaluate("document.documentElement.dataset.aloud = 'on'")
    match.play("5")
    wire.frame(audience="")
    expect(page.locator("#say")).to_have_text("Mira dropped in column 5, row 1.")


# -- motion, colours, paper --------------------------------------------------------------------------------------------


def test_with_reduced_motion_nothing_moves_for_long(chromium: Browser, address: str) -> None:
    with chrome.opened(chromium, reduced_motion="reduce") as page:
        match = Played(moves="4")
        wire = show(page, address, match)
        match.play("4")
        wire.frame()
        expect(page.locator("#p-4-2")).to_be_attached()
        durations = page.evaluate("document.getAnimations().map(each => each.effect.getComputedTiming().duration)")
        assert all(duration <= 50 for duration in durations)


def test_with_forced_colours_and_without_any_seats_are_told_apart(chromium: Browser, address: str) -> None:
    with chrome.opened(chromium, forced_colors="active") as page:
        show(page, address, Played(moves="4433"))
        seats_are_told_apart(page)


def seats_are_told_apart(page: Page) -> None:
    marks = page.evaluate(
        """() => ["d0", "d1"].map(id => {
          const mark = document.querySelector(`#${id} [class$="-mark"]`);
          return [mark.tagName, getComputedStyle(mark).stroke, getComputedStyle(document.body).color];
        })"""
    )
    assert [tag for tag, _, _ in marks] == ["circle", "path"]
    assert all(stroke == text for _, stroke, text in marks)
    hrefs = page.locator("#pieces use[id]").evaluate_all("all => all.map(use => use.getAttribute('href'))")
    assert sorted(hrefs) == ["#d0", "#d0", "#d1", "#d1"]


def test_on_paper_there_are_the_board_and_the_moves(page: Page, address: str) -> None:
    Pages.beside = {"rounds": ROUNDS}
    show(page, address, Played(moves="4433"))
    page.emulate_media(media="print")
    for gone in (".site-head", ".tabbar", ".replay", ".acts", ".parts-bar", "#controls"):
        expect(page.locator(gone).first).to_be_hidden()
    for there in ("#pieces", "#moves", "h1"):
        expect(page.locator(there)).to_be_visible()
    if PICTURES:
        page.screenshot(path=Path(PICTURES, "print.png"), full_page=True)
