"""What counts on a match page is counted in the browser, and nothing is done where nothing counts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from arena.web.match import fragments
from arena.web.match.scene import Signals
from tests.kit.chromium import POLL_MS
from tests.web.browser import Pages
from tests.web.played import Played
from tests.web.test_pages_in_browser import TOLD
from tests.web.test_pages_in_browser import _open as opened_match
from tests.web.test_pages_in_browser import address as address
from tests.web.test_pages_in_browser import chromium as chromium
from tests.web.test_pages_in_browser import context as context
from tests.web.test_pages_in_browser import kept as kept
from tests.web.test_pages_in_browser import own as own
from tests.web.test_pages_in_browser import page as page

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("own")]

# How often the page looks at what counts, and how many frames it asks for.
LOOKS_AND_FRAMES = """() => {
  window.done = [0, 0];
  document.addEventListener("arena:second", () => done[0]++);
  const ask = requestAnimationFrame;
  window.requestAnimationFrame = (act) => (done[1]++, ask(act));
}"""


def stands_still(page: Page) -> int:
    """Stop the time of the page, at a moment that has not passed while it was asked for; returns it."""
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 10)
    return int(page.evaluate("Date.now()"))


def test_a_page_that_is_left_open_does_nothing_while_nothing_counts(page: Page, address: str) -> None:
    page.clock.install()
    for match, left_ms, looks in (
        (Played(moves="44"), (100_000, 120_000), 100),
        (Played(moves="44", clock="none"), None, 0),
        (Played(moves="4152637"), None, 0),
    ):
        wire = opened_match(page, address, match)
        now = stands_still(page)
        if match.state.phase != "ended":
            signals = Signals(now, left_ms, watching=7)
            wire.send(fragments.frame(match.scene("0", base=len(match.events), signals=signals)))
            expect(page.locator("#watching")).to_have_text("7 watching")
        page.evaluate(LOOKS_AND_FRAMES)
        page.clock.run_for(10_000)
        assert page.evaluate("done") == [looks, 0]
        page.clock.resume()


def test_what_counts_goes_on_after_a_word_stood_in_its_place(page: Page, address: str) -> None:
    match, said = Played(moves="4", clock="none"), page.locator("#status .said")
    page.clock.install()
    wire = opened_match(page, address, match)
    now = stands_still(page)
    for here, words in (((True, False), "gravity-9 is offline."), ((True, True), "gravity-9 is back.")):
        wire.send(fragments.frame(match.scene("0", base=len(match.events), signals=Signals(now, here=here))))
        expect(said).to_contain_text(words)
    page.clock.run_for(3100)
    counted = said.locator(".late [data-think]")
    before = int(counted.inner_text().removesuffix(" s"))
    page.clock.run_for(5000)
    assert int(counted.inner_text().removesuffix(" s")) == before + 5


def test_who_is_back_is_not_told_so(page: Page, address: str) -> None:
    match = Played(moves="44")
    wire = opened_match(page, address, match)
    began = page.evaluate("Date.now()")
    for now, here in ((began + 1, (False, True)), (began + 2, (True, True))):
        wire.send(fragments.frame(match.scene("0", base=len(match.events), signals=Signals(now, here=here))))
        expect(page.locator("#live")).to_have_attribute("data-now", str(now))
    page.evaluate("new Promise(requestAnimationFrame)")
    assert "back" not in page.locator("#status").inner_text()


def test_who_comes_to_a_round_for_the_first_time_is_not_said_to_be_back(
    page: Page, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, far = Played(), page.locator("#p-far")
    monkeypatch.setattr(Pages, "drawn", match.scene("0", signals=Signals(here=(True, False))))
    wire = opened_match(page, address, match)
    page.evaluate(TOLD, "status")
    for here, dot in (((True, False), ".dot.off"), ((True, True), ".dot:not(.off)")):
        signals = Signals(page.evaluate("Date.now()"), here=here)
        wire.send(fragments.frame(match.scene("0", base=len(match.events), signals=signals)))
        expect(far.locator(dot)).to_be_attached()
    page.wait_for_function("() => told.at(-1).startsWith('Your turn')", polling=POLL_MS)
    assert not [words for words in page.evaluate("told") if "is back" in words]


def test_the_last_seconds_of_ones_clock_are_said_once_and_shown(page: Page, address: str) -> None:
    match = Played(moves="44")
    page.clock.install()
    wire = opened_match(page, address, match)
    now = stands_still(page)
    page.evaluate(
        """() => {
          window.told = [];
          new MutationObserver(() => told.push(document.getElementById("say").textContent))
            .observe(document.getElementById("say"), {childList: true});
        }"""
    )
    wire.send(fragments.frame(match.scene("0", base=len(match.events), signals=Signals(now, (9_900, 120_000)))))
    page.clock.resume()
    expect(page.locator("[data-low]")).to_have_text(re.compile(r"^\d seconds? left\.$"))
    expect(page.locator("#p-near .clock")).to_have_class(re.compile("low"))
    assert [words for words in page.evaluate("told") if "left." in words] == ["10 seconds left."]


def test_a_turn_that_begins_with_thirty_seconds_says_whose_it_is_and_not_how_long_it_is(
    page: Page, address: str
) -> None:
    match = Played(moves="4", clock="move:30s")
    page.clock.install()
    wire = opened_match(page, address, match)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    now, base = page.evaluate("Date.now()"), len(match.events)
    wire.send(fragments.frame(match.play("4").scene("0", base=base, signals=Signals(now, (30_000, 30_000)))))
    page.clock.run_for(2_000)
    expect(page.locator("#p-near .clock")).to_have_text("0:28")
    expect(page.locator("#say")).to_contain_text("Your turn")


@pytest.mark.parametrize(
    ("moves", "passed_s", "mine", "others"),
    [
        (
            "",
            18,
            "The match ends without a result in {} unless you make",
            "The match ends without a result in {} unless Mira",
        ),
        ("44", 24 * 3600 - 42, "You lose in {} unless you move", "Mira loses in {} unless a move is made"),
    ],
)
def test_both_sides_and_watchers_see_the_time_run_down_before_a_match_ends_by_itself(
    page: Page, address: str, moves: str, passed_s: int, mine: str, others: str
) -> None:
    match, said = Played(clock="none", moves=moves, pairing=1), page.locator("#status .said")
    now = round((match.events[-1].at.timestamp() + passed_s) * 1000)
    for audience, words in (("0", mine), ("1", others), ("", others)):
        Pages.drawn = match.scene(audience, signals=Signals(now))
        wire = opened_match(page, address, match, audience)
        wire.send(fragments.frame(match.scene(audience, base=len(match.events), signals=Signals(now + 1))))
        shown = re.compile(words.format(r"(0:\d\d)"))
        expect(said).to_contain_text(shown)
    left = said.locator("[data-until]")
    expect(left).not_to_have_text(left.inner_text())
    Pages.drawn = None


def test_the_last_seconds_to_come_are_no_number_without_a_unit(page: Page, address: str) -> None:
    match = Played(clock="none", pairing=1)
    now = round((match.events[-1].at.timestamp() + 53) * 1000)
    Pages.drawn = match.scene("0", signals=Signals(now))
    opened_match(page, address, match, "0")
    expect(page.locator("#status .said [data-until]")).to_be_visible()
    ticks = "document.dispatchEvent(new Event('visibilitychange'))"
    left = page.evaluate(f"{ticks}, document.querySelector('[data-until]').textContent")
    assert re.fullmatch(r"0:0\d", left), left
    Pages.drawn = None
