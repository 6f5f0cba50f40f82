"""What a page costs to open and to watch: painted without a script, and nothing moves while others play."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from tests.browser.boards import post, two_people
from tests.browser.server import Server
from tests.browser.sharing import server as server
from tests.browser.test_boards_santorini import a_climb
from tests.browser.test_play import a_long_match, a_page, at_match, shows

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
PAINTED = """() => new Promise(done => new PerformanceObserver(list => done(list.getEntries().map(each => each.name)))
  .observe({ type: "paint", buffered: true }))"""
# What Lighthouse calls good.
MOST_SHIFT = 0.1
MATCHES = {
    "connect-four-7x6": a_long_match(),
    "expanding-nim": ["3", "4", "5r", "3", "6", "7", "8", "2", "9"],
    "santorini-5x5": list(a_climb()),
}


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("variant", MATCHES)
async def test_nothing_moves_while_a_match_is_played(
    browser: Browser, server: Server, variant: str, width: int
) -> None:
    page, other = await two_people(browser, server, variant, viewport={"width": width, "height": 900})
    await page.evaluate(WATCH)
    for ply, move in enumerate(MATCHES[variant][:-1], start=1):
        if ply % 2:
            await post(page, f"{page.url}move/", ply=ply, move=move)
        else:
            await other.play(ply, move)
        await shows(page, ply)
    await page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    found = await page.evaluate("shifts")
    assert found["moved"] == []
    assert found["sum"] < MOST_SHIFT


async def test_the_first_board_is_painted_by_html_and_css_alone(browser: Browser, server: Server) -> None:
    player = await a_page(browser, server)
    await player.click("#col-4")
    await at_match(player)
    page = await a_page(browser, server, "/healthz")
    # No script ever comes: what is painted then waits for none.
    await page.route("**/*.js", lambda route: None)
    for address, board in (("/", "#pieces"), ("/?game=santorini", "#pieces .side"), (player.url, "#pieces")):
        await page.goto(address if "://" in address else server.address + address, wait_until="commit")
        box = await page.locator(board).bounding_box()
        assert box is not None and min(box["width"], box["height"]) > 250
        assert "first-contentful-paint" in await page.evaluate(PAINTED)
        plate = "getComputedStyle(document.querySelector('.stage defs, .defs [class]')).fill"
        assert await page.evaluate(plate) != ""
