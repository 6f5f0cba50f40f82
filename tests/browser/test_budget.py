"""What a page costs to open and to watch: painted without a script, and nothing moves while others play."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route

import games
from tests.browser.boards import all_show, on_every_size, places, post, two_people
from tests.browser.first_pages import FirstPage, first_pages, visited, weighed
from tests.browser.layout import DRAWN
from tests.browser.rows import Rows
from tests.browser.sharing import server as server
from tests.browser.test_boards_santorini import a_climb
from tests.browser.test_play import a_page, begun
from tests.kit.chromium import POLL_MS
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import Server

# What was moved by something else than a hand, but for the words of a sentence that is another one now.
WATCH = """() => {
  window.shifts = { moved: [], sum: 0 };
  const words = "#status, .steps, .takes, .actions";
  new PerformanceObserver(list => list.getEntries().filter(entry => !entry.hadRecentInput).forEach(entry => {
    shifts.sum += entry.value;
    for (const { node, previousRect, currentRect } of entry.sources) {
      const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      if (element && !element.closest(words)) shifts.moved.push(
        `${element.outerHTML.slice(0, 80)}: ${JSON.stringify([previousRect, currentRect])}`);
    }
  })).observe({ type: "layout-shift" });
}"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
# What Lighthouse calls good.
MOST_SHIFT = 0.1


def a_long_match() -> list[str]:
    """More than 20 moves, from the first to a win."""
    for seed in range(1000):
        rng, position, moves = random.Random(seed), games.variant("connect-four-7x6").start(), list[str]()
        while position.to_move is not None:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        outcome = position.outcome()
        if len(moves) > 20 and outcome and outcome.winner == 0:
            return moves
    raise AssertionError("1000 random matches, and not one like this")


MATCHES = {
    "connect-four-7x6": a_long_match(),
    "expanding-nim": ["3", "4", "5r", "3", "6", "7", "8", "2", "9"],
    "santorini-5x5": list(a_climb()),
}
# Where the words below the board keep their height as well; those of Connect Four may take a second line.
STILL = ("expanding-nim", "santorini-5x5")


@pytest.mark.cases(1)
@pytest.mark.parametrize("variant", MATCHES)
async def test_nothing_moves_while_a_match_is_played(browser: Browser, server: Server, variant: str) -> None:
    page, other = await two_people(browser, server, variant, reduced_motion="no-preference")
    pages = await on_every_size(page)
    before = await places(pages)
    for each in pages:
        await each.evaluate(WATCH)
    for ply, move in enumerate(MATCHES[variant][:-1], start=1):
        if ply % 2:
            await post(page, f"{page.url}move/", ply=ply, move=move)
        else:
            await other.play(ply, move)
        await all_show(pages, ply)
        assert variant not in STILL or await places(pages) == before, f"after move {ply}"
    for each in pages:
        await each.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        found = await each.evaluate("shifts")
        assert found["moved"] == []
        assert found["sum"] < MOST_SHIFT


async def test_the_first_board_is_painted_by_html_and_css_alone(browser: Browser, server: Server) -> None:
    _, match = await begun(server)
    page = await a_page(browser, server, "")
    # No script comes before it is painted: it waits for none.
    held = list[Route]()
    await page.route("**/*.js", lambda route: held.append(route))
    for address, board in (("/", "#pieces"), ("/?game=santorini", "#pieces .side:not(.front)"), (match, "#pieces")):
        await page.goto(server.address + address, wait_until="commit")
        await page.wait_for_function(PAINTED, polling=POLL_MS)
        box = await page.locator(board).bounding_box()
        assert box is not None and min(box["width"], box["height"]) > 250
        plate = "getComputedStyle(document.querySelector('.stage defs, .defs [class]')).fill"
        assert await page.evaluate(plate) != ""
        for script in held:
            await script.abort()  # else it would be under way while the next page is loaded
        held.clear()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pages(shared: Server, rows: Rows) -> dict[str, FirstPage]:
    return await first_pages(shared, rows)


async def test_a_first_visit_is_light(pages: Mapping[str, FirstPage]) -> None:
    for language in ("en", "de"):
        weights = await weighed(pages, language)
        assert {name: each.excess for name, each in weights.items() if each.excess} == {}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["home, santorini-6x6", "santorini-6x6, player", "finished match", "invitation"])
async def test_a_browser_loads_what_a_page_links_and_no_more(
    browser: Browser, server: Server, pages: Mapping[str, FirstPage], name: str
) -> None:
    page = pages[name]
    linked = (await weighed({name: page}))[name].parts
    loaded = (await visited(browser, server, page)).weight
    assert loaded.excess == []
    assert linked.keys() - loaded.parts.keys() <= {each for each in linked if each.endswith("favicon.svg")}
    assert loaded.parts.keys() <= linked.keys()
    files = [each for each in loaded.parts if each.startswith("/static/")]
    assert {each: loaded.parts[each] for each in files} == {each: linked[each] for each in files}


async def test_a_page_with_an_analysis_does_not_load_its_styles_again(
    browser: Browser, server: Server, pages: Mapping[str, FirstPage]
) -> None:
    over = pages["finished match"]
    page, told = await a_page(browser, server, "", over.visitor), asyncio.Event()

    def hear(frame: object) -> None:
        if 'id="analysis"' in str(frame):
            told.set()

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    await page.goto(server.address + over.path)
    async with asyncio.timeout(DEADLINE_S):
        await told.wait()
    await page.evaluate(DRAWN)
    assert await page.locator("#analysis .strip").count() == 1
    assert await page.locator("link[href*=analysed]").count() == 0
