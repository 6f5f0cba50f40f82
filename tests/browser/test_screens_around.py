"""The first page, the one for playing offline and the analysis board have on one screen what they need."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect

import games
from tests.browser.layout import resized
from tests.browser.sharing import server as server
from tests.browser.test_play import a_page
from tests.browser.test_screens import CONTROLS, NOT_BESIDE, OUTSIDE, PHONES, UNCOVERED
from tests.kit.server import Server
from tests.kit.visiting import Visitor

# What the panel or the bar of a game has to show at the least.
INSTRUCTION = {"expanding-nim": ["#take"], "santorini": [".steps .lead + b"]}
# Whether two of what stands there lie on each other.
MET = """([one, other]) => {
  const [a, b] = [one, other].map((each) => document.querySelector(each).getBoundingClientRect());
  return a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1;
}"""


@pytest.mark.cases(1)
@pytest.mark.parametrize(("variant", "move"), [("expanding-nim", "1"), ("santorini-6x6", "c3")])
async def test_an_analysis_has_its_steps_on_the_screen_of_a_phone_and_a_board_that_helps_to_choose(
    browser: Browser, server: Server, variant: str, move: str
) -> None:
    visitor = Visitor(server.port)
    await visitor.get("/")
    match = (await visitor.post("/play/", variant=variant, level="beginner", move=move)).headers["Location"]
    await visitor.post(f"{match}resign/")
    page = await a_page(browser, server, f"{match}analysis/?ply=1", visitor=visitor)
    for width, height in PHONES:
        await resized(page, width, height)
        assert await page.evaluate(OUTSIDE, ["#pieces", ".steps-row .ib"]) == [], f"{width} x {height}"
    assert not await page.evaluate(MET, ["#at", ".to-match"])
    assert not await page.evaluate(MET, [CONTROLS[games.variant(variant).game], ".leads-to"])
    await resized(page, 1280, 800)
    if variant == "expanding-nim":
        await page.locator("#take-3").check(force=True)
        await expect(page.locator("#take")).to_contain_text("3")
    else:
        await expect(page.locator(".views [aria-pressed]")).to_have_text(["3D", "From above"])
        await expect(page.locator("[data-turn-board] .icon")).to_be_visible()
        await page.click("[data-turn-board]")
        await expect(page.locator("#board")).to_have_attribute("data-turn", "1")


@pytest.mark.cases(2)
@pytest.mark.parametrize("game", ["connect-four", "expanding-nim", "santorini"])
async def test_the_home_page_shows_the_whole_board_and_the_level_on_a_phone_in_german_too(
    browser: Browser, server: Server, game: str
) -> None:
    for language in ("en-US", "de-DE"):
        page = await a_page(browser, server, f"/?game={game}", locale=language)
        if language == "en-US":
            await _is_seen_on_a_desk(page, game)
        for width, height in (*PHONES[:3], (390, 844)):
            await resized(page, width, height)
            seen = ["#pieces", *INSTRUCTION.get(game, [])]
            assert await page.evaluate(OUTSIDE, seen) == [], f"{language}, {width} x {height}"
        if game == "connect-four":
            await page.goto(f"{server.address}/?game=connect-four-8x8")
            for width, height in PHONES[:2]:
                await resized(page, width, height)
                assert await page.evaluate(OUTSIDE, ["#pieces"]) == [], f"{language}, {width} x {height}"
        await page.goto(f"{server.address}/offline/?game={game}")
        for width, height in (*PHONES[:2], PHONES[3]):
            await resized(page, width, height)
            said = "#status" if game == "connect-four" or width > height else CONTROLS[game]
            assert await page.evaluate(OUTSIDE, ["#pieces", said]) == [], f"{language}, offline, {width} x {height}"
        assert await page.evaluate(NOT_BESIDE, ["#status", "nav.pillrow"]) == []
        assert await page.evaluate(UNCOVERED), f"{language}, offline"
        await page.goto(f"{server.address}/?game={game}")
        # On its side, the board has everything that begins a match beside it.
        ways = [] if game == "expanding-nim" else [".opponent fieldset", ".opponent .end .btn"]
        for width, height in (PHONES[3], (800, 360)):
            await resized(page, width, height)
            seen = ["#pieces", ".at-play h1", ".at-play nav a", CONTROLS[game], *ways]
            assert await page.evaluate(OUTSIDE, seen) == [], f"{language}, {width} x {height}"
            assert await page.evaluate(UNCOVERED), f"{language}, {width} x {height}"


async def _is_seen_on_a_desk(page: Page, game: str) -> None:
    ways = [] if game == "expanding-nim" else [".opponent .end .btn"]
    for width, height in ((1366, 768), (1280, 900)):
        await resized(page, width, height)
        seen = ["#pieces", ".opponent fieldset", *CONTROLS[game].split(","), *ways]
        assert await page.evaluate(OUTSIDE, seen) == [], f"{width} x {height}"
